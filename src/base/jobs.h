/* jobs.h - a function called once for each of many jobs, some of them at once, each in a process of
 * its own.
 *
 * Processes, since every chip has the same addresses, and since what goes wrong in one does the
 * others no harm. A result is plain bytes. The caller must have no other thread. */
#ifndef BASE_JOBS_H
#define BASE_JOBS_H

#include "ogive/ogive.h"
#include "ogive/types.h"

struct jobs {
    u32 count, at_once;
    size_t result_bytes;
    void *context;

    /* In a process of its own: fills in the result, or says why there is none. */
    bool (*run)(void *context, u32 job, void *result, struct ogv_error *error);

    /* In this process, in the order of jobs: as soon as this one and all before it have ended. The
     * result is NULL where there is none, and `error` says why. */
    void (*take)(void *context, u32 job, const void *result, const struct ogv_error *error);

    /* In this process, whenever one has ended. May be NULL. */
    void (*ended)(void *context, u32 count);
};

/* False if it was asked to stop (stop.h), or if there are no more processes or files to be had.
 * What has ended until then is taken, the others are given up. */
bool jobs_run(const struct jobs *jobs, struct ogv_error *error);

/* As many as this machine has processors for. */
u32 jobs_most(void);

#endif
