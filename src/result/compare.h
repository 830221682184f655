/* compare.h - what differs between runs: parameters first, then statistics; and whether statistics
 * that matter have moved too far. */
#ifndef RESULT_COMPARE_H
#define RESULT_COMPARE_H

#include "base/text.h"
#include "ogive/ogive.h"
#include "result/difference.h"

#define COMPARE_RUNS_MAX DIFFERENCE_TREES_MAX

struct compare_options {
    bool units; /* every unit by itself, not only the groups */
};

/* Adds a table to `out`; changes are against the first run. `same` tells whether all parameters and
 * statistics agree. */
bool compare_runs(const char *const *folders, u32 count, const struct compare_options *options,
                  struct text *out, bool *same, struct ogv_error *error);

/* Adds a table of the named statistics: those of the summary, like "cycles", or patterns as in
 * stats_query.h. `moved` counts the values that differ from the first run's by more than
 * `fraction` of it. */
bool compare_named(const char *const *folders, u32 count, const char *const *names, u32 name_count,
                   double fraction, struct text *out, u32 *moved, struct ogv_error *error);

#endif
