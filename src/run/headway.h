/* headway.h - how far a run has come, and how long it still takes.
 *
 * Rays are counted by RT cores. Without them, and for programs that make their own rays, pieces of
 * work are counted: a thread asks for a number, does that pixel or ray, and asks again; so as many
 * are done as were given out, less one for each thread. */
#ifndef RUN_HEADWAY_H
#define RUN_HEADWAY_H

#include "run/record.h"

struct headway {
    const struct record *record;
    u32 *dispensers; /* unit numbers of those that give numbers to cores */
    u32 dispenser_count;
    u64 threads;            /* of all cores */
    u64 pieces;             /* of work; 0: not known */
    double started, looked; /* wall clock */
    cycle looked_at;
    double first_share; /* of the work that was done when it started; NAN: not yet known */
};

void headway_init(struct headway *headway, const struct record *record);
void headway_fini(struct headway *headway);

/* Rates are those since the last call. */
void headway_look(struct headway *headway, struct run_progress *progress);

#endif
