/* compare.h - what differs between two runs: parameters first, then statistics. */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include "base/text.h"
#include "ogive/ogive.h"

struct compare_options {
    bool units; /* every unit by itself, not only the groups */
};

/* Adds a table to `out`; `same` tells whether all parameters and statistics agree. */
bool compare_runs(const char *left, const char *right, const struct compare_options *options,
                  struct text *out, bool *same, struct ogv_error *error);

#endif
