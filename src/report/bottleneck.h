/* bottleneck.h - what limited a run.
 *
 * Two views, both made of what the units say of themselves (explained.h). Trees say where the
 * cycles of threads, of rays and of the slots that hold them went; they are made of counters that
 * exclude each other, so the parts of every node add up to it exactly. The list of resources says
 * how busy each one was and which share of the waiting passed at it; the same wait is seen at
 * several depths there (a thread waits for a ray that waits for the L2 that waits for DRAM), so
 * those shares do not add up. */
#ifndef REPORT_BOTTLENECK_H
#define REPORT_BOTTLENECK_H

#include "report/explained.h"

/* ---- Trees ---- */

struct stall {
    const char *name; /* of the counters that make it up */
    char *label;      /* in words */
    double value;     /* cycles; counters are below 2^53 here or are rounded alike */
    struct stall *parts;
    u32 part_count;
    const char *type; /* of a whole tree: of the units */
    bool first;       /* it is what their threads or rays did, no further view */
};

/* ---- Resources ---- */

/* The kind of a group that says nothing of itself. */
#define RESOURCE_UNEXPLAINED RESOURCE_KINDS

struct resource {
    const struct result_group *group;
    const struct explained_resource *row; /* NULL: a link, or nothing is said of it */
    char *name;                           /* "issue slots" */
    enum resource_kind kind;
    double per_cycle;        /* capacity of all copies per cycle of the chip; 0: unknown */
    double utilisation;      /* 0 to 1; NAN: unknown */
    double used;             /* of that, on average; NAN: unknown */
    double waiting;          /* share of the waiting that passed at it; NAN: not known */
    double latency_cycles;   /* of a link; NAN: it is none */
    const char *more, *less; /* settings for more of it, and for a faster one; NULL: none */
    char *sentence;
};

/* The one change to try. */
struct what_if {
    const struct resource *resource; /* that it is for; NULL: nothing is known to try */
    const char *setting;             /* "sm.rt.rays=84" */
    char *command;                   /* the whole run with it; NULL: it cannot be repeated */
};

struct bottleneck {
    struct stall *trees;
    u32 tree_count;
    struct resource *resources; /* what works at its limit, what is full, then by waiting */
    u32 resource_count;
    char **words; /* the explanation, in sentences */
    u32 word_count;
    struct what_if what_if;
};

/* From this utilisation on, what does work counts as the limit; and what has room as full, if
 * anybody waits there. */
#define RESOURCE_AT_LIMIT     0.8
#define RESOURCE_FULL         0.9
/* Utilisation is the mean of a run that has a beginning and an end, when little is in use. From
 * here on it is the limit as well if so much of the waiting is there. */
#define RESOURCE_HALF_USED    0.5
#define RESOURCE_WORK_WAITING 0.5
#define RESOURCE_ROOM_WAITING 0.1
/* The least share that is worth a word. */
#define SHARE_LEAST           0.0005

/* Whether it works at its limit, or is full. */
bool resource_at_limit(const struct resource *resource);

struct bottleneck *bottleneck_find(const struct result *result);
void bottleneck_free(struct bottleneck *bottleneck);

/* The busiest resource of a kind; NULL: none is known. */
const struct resource *bottleneck_busiest(const struct bottleneck *bottleneck,
                                          enum resource_kind kind);

json_t *bottleneck_json(const struct bottleneck *bottleneck);

/* Writes DIR/bottleneck.json. */
bool bottleneck_write(const struct result *result, const struct bottleneck *bottleneck,
                      struct ogv_error *error);

#endif
