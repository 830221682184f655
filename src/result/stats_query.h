/* stats_query.h - statistics of a run, chosen by name: of which units, how combined, over which
 * cycles. `ogive stats`.
 *
 * A name is DOMAIN.UNIT.STATISTIC. In a pattern, * and ? stand for letters of a name; [3], [0..7]
 * and [*] choose copies, and where nothing is said, all are meant: "sm.l1.hits" is
 * "sm[*].l1.hits". A pattern without a statistic means all of them. A name without dots is a figure
 * of the run's summary, such as "cycles".
 *
 * Values of the whole run come from stats.json, those of intervals from series.units; if a run has
 * none, whole groups can still be had from series.csv. */
#ifndef RESULT_STATS_QUERY_H
#define RESULT_STATS_QUERY_H

#include "base/text.h"
#include "ogive/ogive.h"

enum query_combine {
    QUERY_NATURAL, /* over the copies of a unit, as the type of unit says */
    QUERY_EACH,    /* every unit by itself */
    QUERY_SUM,
    QUERY_MEAN,
};

enum query_format { QUERY_TABLE, QUERY_CSV, QUERY_JSON };

struct stats_query {
    const char *folder;
    const char *const *patterns; /* none: everything */
    u32 pattern_count;
    enum query_combine combine;
    const char *group; /* one result for each copy of this domain, or for this type; NULL: none */
    bool per_interval;
    bool ranged;
    cycle from, to; /* if ranged: cycles; whole intervals that touch them count */
    enum query_format format;
    bool all; /* a table has zeros, too */
};

/* One line of the answer. A quotient is above / below. */
struct query_row {
    char *name;
    const char *measure, *help;
    const char *words;     /* instead of a number; or NULL */
    u8 kind;               /* enum query_kind */
    bool named;            /* asked for by its name, not by a pattern */
    u32 units;             /* 0: it is a figure of the summary */
    double *above, *below; /* one per interval */
};

enum query_kind { KIND_SUM, KIND_MEAN, KIND_MAX, KIND_RATIO };

struct query_answer {
    struct query_row *rows;
    u32 row_count;
    cycle *ends; /* of the intervals; the first starts at `start` */
    u32 interval_count;
    cycle start;
    bool per_interval, all;
    void *source; /* what the texts belong to; NULL: to a source that somebody else closes */
};

struct stats_source;

/* NULL on failure. Of a source that is open already, it is only good while that is. */
struct query_answer *stats_ask(const struct stats_query *query, struct ogv_error *error);
struct query_answer *stats_ask_of(struct stats_source *source, const struct stats_query *query,
                                  struct ogv_error *error);
void answer_destroy(struct query_answer *answer);

/* False if the value is not defined: a quotient by zero. */
bool answer_value(const struct query_row *row, u32 interval, double *value);
void answer_write(const struct query_answer *answer, enum query_format format, struct text *out);

/* Whether a pattern fits a name like "sm[3].l1.hits", and whether it names one statistic. */
bool stat_name_fits(const char *pattern, const char *name);
bool stat_name_is_exact(const char *pattern);

/* The same for figures of the summary, whose patterns and names have no dots. */
bool figure_is_meant(const char *pattern);
bool figure_name_fits(const char *pattern, const char *name);

#endif
