/* record.h - run.json and stats.json. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "run/folder.h"
#include "run/run.h"

struct record {
    ogv_system *system;
    const struct run_options *options;
    const struct run_result *result;
    char started[32];
};

bool record_run(const struct record *record, const struct folder *folder, struct ogv_error *error);
bool record_stats(const struct record *record, const struct folder *folder,
                  struct ogv_error *error);

#endif
