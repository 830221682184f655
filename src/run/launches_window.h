/* launches_window.h - what a chip counted between two cycles of a run that are known only later.
 *
 * Counters are sampled every few cycles while it runs. The edges of a window are the samples around
 * it, when the chip does nothing else. */
#ifndef RUN_LAUNCHES_WINDOW_H
#define RUN_LAUNCHES_WINDOW_H

#include "run/launches.h"

struct launch_samples;

struct launch_samples *samples_create(void);
void samples_destroy(struct launch_samples *samples);

/* Runs to the end of the program and samples on the way. */
enum sim_end samples_run(struct launch_samples *samples, ogv_system *system,
                         struct ogv_error *error);

/* The figures of that many cycles from one on. */
void samples_figures(const struct launch_samples *samples, cycle from, cycle cycles,
                     double figures[LAUNCH_FIGURE_COUNT]);

#endif
