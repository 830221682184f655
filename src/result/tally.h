/* tally.h - the counters of a chip at one moment, added up over all copies of each unit.
 *
 * One cell per statistic of each group (a line of the architecture file), one group after the
 * other: sums, or the largest value where the unit type says so. */
#ifndef RESULT_TALLY_H
#define RESULT_TALLY_H

#include "arch/stats.h"

/* Calls `visit` (NULL: nobody) with each group and its first cell; returns the number of cells. */
typedef void tally_visitor(void *context, const struct stat_group *group, u32 cell);
u32 tally_groups(const struct plan *plan, tally_visitor *visit, void *context);

/* Settles the statistics and fills in the cells. */
void tally_take(ogv_system *system, u64 *cells);

/* What happened between two tallies: counters as what they grew by, largest values as they stand.
 */
void tally_grown(const struct plan *plan, const u64 *now, const u64 *before, u64 *grown);

/* The i-th statistic of a group whose first cell is `cells`. */
struct stat_value tally_stat(const struct stat_group *group, const u64 *cells, u32 index);

#endif
