/* record.h - run.json and stats.json. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include <jansson.h>

#include "result/folder.h"
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

/* The same at the end of the run. Of a disk that is full only the status is asked for, which has
 * its place in the file since the beginning. */
bool record_end(const struct record *record, const struct folder *folder, struct ogv_error *error);
bool record_stats(const struct record *record, const struct folder *folder,
                  struct ogv_error *error);

/* What they hold, as an object and as text, which the caller owns. NULL: memory is short. */
json_t *record_of_run(const struct record *record);
char *record_stats_text(const struct record *record);

/* Parts of the latter: the summary, and the groups of a tally (result/tally.h). */
json_t *record_summary(const struct record *record);
json_t *record_groups(const struct plan *plan, const u64 *cells);

#endif
