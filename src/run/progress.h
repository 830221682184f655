/* progress.h - how far a run has come, and how long it still takes.
 *
 * Rays are counted by the units that trace them. Without them, and for programs that make their own
 * rays, pieces of work are counted: a thread asks for a number, does that pixel or ray, and asks
 * again; so as many are done as were given out, less one for each thread. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "run/record.h"

struct progress_meter {
    const struct record *record;
    u32 *dispensers; /* unit numbers of those that hand out work to what runs programs */
    u32 dispenser_count;
    u64 threads;            /* that take it */
    u64 pieces;             /* of work; 0: not known */
    double started, looked; /* wall clock */
    cycle looked_at;
    double first_share; /* of the work that was done when it started; NAN: not yet known */
};

void meter_init(struct progress_meter *meter, const struct record *record);
void meter_fini(struct progress_meter *meter);

/* Rates are those since the last call. */
void meter_look(struct progress_meter *meter, struct run_progress *progress);

#endif
