/* stats_rows.h - within a query: which counters of which units go into which row of its answer. */
#ifndef RESULT_STATS_ROWS_H
#define RESULT_STATS_ROWS_H

#include "result/stats_query.h"
#include "result/stats_source.h"

/* Counter `stat` of a unit goes into a row. */
struct share {
    u32 unit, stat, row;
    bool below;
};

struct asking {
    const struct stats_query *query;
    struct stats_source *source;
    struct query_answer *answer;
    struct share *shares; /* by unit, then by counter */
    size_t share_count;
    u32 first, end; /* intervals of the file that count */
    struct ogv_error *error;
};

/* Makes the answer's rows and the shares of units in them. False if a pattern fits nothing. */
bool rows_choose(struct asking *asking);

/* The shares of one counter of one unit. */
const struct share *shares_find(const struct asking *asking, u32 unit, u32 stat, u32 *count);

/* Errors: nothing has that name; `--group` names neither a domain nor 'type'. */
bool pattern_unknown(const struct asking *asking, const char *pattern);
bool group_check(const struct asking *asking);

#endif
