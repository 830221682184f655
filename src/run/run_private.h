/* run_private.h - what the files of a run share with each other and nobody else. */
#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

#include "base/wall.h"
#include "result/series.h"
#include "run/polling.h"
#include "run/progress.h"
#include "run/record.h"

struct run {
    const struct run_options *options;
    const struct run_listener *listener;
    struct run_result *result;
    ogv_system *system;
    struct folder folder;
    struct series *series;
    struct record record;
    struct world world;
    struct world_options world_options;
    bool has_world;
    struct ogv_error wrong;               /* what is wrong with the hits */
    struct progress_meter shown, watched; /* as the listener and the watcher see it */
    struct polling polling;
    struct run_orders orders; /* of the watcher */
    cycle visited_at;         /* NEVER: not yet */
    double started, work_started, last_progress, last_checkpoint;
    double ghosts_seconds; /* of the processor */
    bool checkpoint_due;
    bool checkpoint_failing, series_failing, stats_failing; /* the last try did */
};

/* From here to the end, with all that is due on the way. */
void run_loop(struct run *run, struct ogv_error *hang);

/* A line of the series, up to now. */
bool run_sample(struct run *run, struct ogv_error *error);

void run_checkpoint(struct run *run);

/* In the log, and to the listener. */
void run_note(struct run *run, const char *text);

/* The same for a file that could not be written; the result says so too. */
void run_lose(struct run *run, const struct ogv_error *error);

/* The files of a run that is over; then the last line of the log. */
void run_write(struct run *run);
void run_write_log(struct run *run);

/* Puts into the result what can be said up to now; then the figures and the energy, which take the
 * number of rays that were judged. */
void run_sum_up(struct run *run);
void run_figure_out(struct run *run);

#endif
