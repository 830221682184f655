/* result.h - the folder of a run as the report reads it.
 *
 * The files may come from anybody: what has not the shape that a run writes is refused here, so
 * that the rest of the report may rely on it. Always true of an open result: each group has a type
 * whose rows are known, its counters are numbers that are not negative, and `copies` is at least 1
 * and the number of its units. */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include <jansson.h>

#include "ogive/ogive.h"
#include "ogive/types.h"

/* All copies of a unit: a line of the architecture file. */
struct result_group {
    const char *path; /* as in stats.json: sm[*].core[*] */
    char *name;       /* as in run.json: sm.core */
    const char *type;
    const json_t *stats;               /* its part of stats.json */
    const json_t *rows;                /* what its statistics mean, by name */
    const json_t *params;              /* its part of run.json */
    const struct explained *explained; /* what its type says (explained.h); NULL: nothing */
    const json_t *numbers;             /* parameters that formulas of its type name */
    u32 *awaits; /* by row of its type's account: the group waited for, or EXPLAINED_NONE */
    u32 copies;
    u32 domain_copies;
    double clock_hz;
};

struct result {
    char *folder;
    json_t *run, *stats;
    struct result_group *groups;
    u32 group_count;
    struct explained *explained; /* types; none: the run is of an older version */
    u32 explained_count;
    double cycles; /* of the chip */
    double clock_hz;
};

/* NULL on failure. */
struct result *result_open(const char *folder, struct ogv_error *error);

/* Of a run under way, from the objects of its record, which are taken over. NULL on failure. */
struct result *result_of(const char *folder, json_t *run, json_t *stats, struct ogv_error *error);

/* Other statistics of its groups, over so many cycles; the groups are taken over. Single units keep
 * theirs. */
void result_renew(struct result *result, json_t *groups, double cycles);

void result_close(struct result *result);

/* A counter that the group has. */
double result_stat(const struct result_group *group, const char *stat);

/* By the name of run.json; NULL: there is none. */
const struct result_group *result_find(const struct result *result, const char *name);

/* Calls `visit` with every unit of a group in order: its statistics. */
void result_units(const struct result *result, const struct result_group *group,
                  void (*visit)(void *context, u32 copy, const json_t *stats), void *context);

#endif
