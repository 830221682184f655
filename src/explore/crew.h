/* crew.h - the runs of a study, some at once, each in a process of its own on this machine. */
#ifndef EXPLORE_CREW_H
#define EXPLORE_CREW_H

#include "explore/attempt.h"

/* How far it is. */
struct crew_state {
    u32 count;        /* runs in all */
    u32 found;        /* whose results were there before */
    u32 done, failed; /* now, those found among them */
    u32 interrupted;
    u32 running, elsewhere; /* under way: here, and in other processes that use the store */
    u32 waiting;
    double seconds, seconds_left; /* the latter NAN while nothing is known */
};

struct crew {
    const struct store *store;
    const struct manifest *manifest;
    const u32 *runs; /* which of the manifest's; NULL: all */
    u32 count;       /* if they are not all */
    u32 at_once;
    struct attempt_options options;
    bool rush; /* does not wait for runs that are under way elsewhere */
    /* Now and then, and at the end. May be NULL. */
    void (*show)(void *context, const struct crew_state *state);
    /* A run has ended. May be NULL. */
    void (*ended)(void *context, const struct manifest_run *run, const struct outcome *outcome);
    void *context;
};

/* Makes what is missing. False if it was asked to stop (base/stop.h), in which case what was under
 * way has left checkpoints, or if the store fails. `state` is filled in any case. */
bool crew_run(const struct crew *crew, struct crew_state *state, struct ogv_error *error);

/* How many at once, and with how many threads each, from the cores and the memory of this machine;
 * `wanted` is 0 if nobody said. */
void crew_size(const struct manifest *manifest, u32 wanted, u32 *at_once, u32 *threads);

#endif
