/* pool.h - host threads that share out a list of jobs, window after window, with one barrier per
 * window.
 *
 * pool_run makes every thread of the pool (the caller is one of them) go through rounds. In a round
 * each job number in [0, jobs) is done by exactly one thread; then all meet at a barrier, where the
 * last to arrive calls `between` alone. That says whether there is another round. Each thread
 * starts on a share of its own, so that a job mostly stays on the core whose caches know it, and
 * then helps the others. Shares are gone through forwards and backwards in turn: a round starts
 * with those jobs whose data was used last. */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include "ogive/types.h"

struct pool_work {
    void (*job)(void *context, u32 number);
    bool (*between)(void *context);
    void *context;
    u32 jobs;
};

struct pool;

/* What surrounds the life of every thread that a pool starts: `end` gets what `begin` gave. */
struct pool_guard {
    void *(*begin)(void);
    void (*end)(void *given);
};

/* For all pools that are created afterwards, in this process; the guard must outlive them. */
void pool_set_guard(const struct pool_guard *guard);

/* threads >= 1. Threads that cannot be started are done without: see pool_threads. */
struct pool *pool_create(u32 threads);
void pool_destroy(struct pool *pool);
u32 pool_threads(const struct pool *pool);
u32 pool_wanted(const struct pool *pool);
void pool_run(struct pool *pool, const struct pool_work *work);

#endif
