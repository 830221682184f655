/* stats_source.h - stats.json as the queries see it: units with their types and counters. */
#ifndef RESULT_STATS_SOURCE_H
#define RESULT_STATS_SOURCE_H

#include <jansson.h>

#include "ogive/ogive.h"
#include "ogive/types.h"

enum source_combine { SOURCE_SUM, SOURCE_MEAN, SOURCE_MAX, SOURCE_RATIO };

struct source_stat {
    const char *name, *measure, *help;
    enum source_combine combine;
    u32 above, below; /* of a ratio: which statistics of the type */
};

struct source_type {
    const char *name;
    struct source_stat *stats;
    u32 stat_count;
};

struct source_unit {
    const char *path;
    const struct source_type *type;
    const json_t *values;
};

struct stats_source {
    json_t *object;
    struct source_type *types;
    struct source_unit *units;
    u32 type_count, unit_count;
    cycle cycles;
};

/* NULL on failure. Texts live as long as the source. */
struct stats_source *stats_source_open(const char *folder, struct ogv_error *error);
void stats_source_close(struct stats_source *source);

/* A file of a run as a JSON object; NULL with an error that names it. */
json_t *run_file_load(const char *folder, const char *name, struct ogv_error *error);

#endif
