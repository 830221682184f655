/* record.h - run.json and stats.json. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "run/folder.h"
#include "run/run.h"

struct record {
    ogv_system *system;
    const struct run_options *options;
    const struct run_result *result;
    const char *program;       /* what runs, if only because of the scene; or NULL */
    const struct world *world; /* NULL: none */
    const struct world_options *world_options; /* of that world */
    char started[32];
};

bool record_run(const struct record *record, const struct folder *folder, struct ogv_error *error);
bool record_stats(const struct record *record, const struct folder *folder,
                  struct ogv_error *error);

#endif
