/* series.h - series.csv: one line per interval, one column per statistic of each group of units,
 * then its power and that of all; and if asked for, series.units with the statistics of every
 * single unit. */
#ifndef RESULT_SERIES_H
#define RESULT_SERIES_H

#include "result/folder.h"

struct series;

/* NULL on failure. */
struct series *series_open(ogv_system *system, const struct folder *folder, bool every_unit,
                           struct ogv_error *error);

/* Adds the line for the cycles since the last one; nothing if there were none. A line that cannot
 * be written leaves no trace, and its cycles count with those of the next. */
bool series_sample(struct series *series, struct ogv_error *error);

/* Writes what is still held back of series.units. */
bool series_flush(struct series *series, struct ogv_error *error);

/* The last line: the cycle in which it ends, and what counters grew by (result/tally.h). */
struct series_line {
    cycle end;
    const u64 *grown;
    u32 cells;
};
struct series_line series_last(const struct series *series);

/* False if the rest cannot be written. */
bool series_close(struct series *series, struct ogv_error *error);

#endif
