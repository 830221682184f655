/* attempt.h - one try to make a run: its process, its limits, and what becomes of it.
 *
 * The run's lock is held by us and by the process: if we are killed, the process ends by itself,
 * with a checkpoint, and nobody else begins before that. What a try leaves that ended too early is
 * where the next one goes on. */
#ifndef EXPLORE_ATTEMPT_H
#define EXPLORE_ATTEMPT_H

#include <sys/types.h>

#include "explore/manifest.h"

struct rusage;

struct attempt_options {
    const char *program;          /* to execute: /proc/self/exe */
    u32 threads;                  /* of the simulation; 0: all cores */
    const char *checkpoint_every; /* as --checkpoint-every of `ogive run` */
    double time_seconds;          /* of all tries together; 0: no limit */
    u64 memory_bytes;             /* 0: no limit */
    bool retry;                   /* what has failed is tried again */
};

enum attempt_state {
    ATTEMPT_RUNNING,     /* its process was started */
    ATTEMPT_THERE,       /* the run has ended before: see the outcome */
    ATTEMPT_BUSY,        /* somebody else is at it */
    ATTEMPT_INTERRUPTED, /* it was asked to end, and left what the next one goes on from */
    ATTEMPT_ENDED,       /* see the outcome */
    ATTEMPT_BROKEN,      /* the store fails: see the error */
};

struct attempt {
    const struct store *store;
    const struct manifest_run *run;
    struct attempt_options options;
    struct outcome outcome;
    pid_t process;
    int lock;
    u32 number;           /* of the try, from 1 */
    double begun;         /* by the monotonic clock: that of the day may jump */
    double earlier;       /* seconds of tries before */
    double asked;         /* when it was asked to end; 0: not yet */
    enum run_class limit; /* that it was ended for; CLASS_DONE: none */
    u64 oom_before;       /* processes that the system had ended for want of memory */
};

enum attempt_state attempt_begin(struct attempt *attempt, struct ogv_error *error);

/* Looks after the limits of a process under way. */
void attempt_watch(struct attempt *attempt);

/* Asks it to end with a checkpoint. */
void attempt_stop(struct attempt *attempt);

/* Its process has ended with this status. */
enum attempt_state attempt_end(struct attempt *attempt, int status, const struct rusage *usage,
                               struct ogv_error *error);

/* The end of what a run's tries have said, at most so many lines; the caller frees. */
char *attempt_last_lines(const struct store *store, const char *key, u32 lines);

#endif
