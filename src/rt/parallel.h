/* parallel.h - independent tasks on several threads. */
#ifndef RT_PARALLEL_H
#define RT_PARALLEL_H

#include "ogive/types.h"

/* How many threads that is: 0 stands for one per processor that this process may use. */
u32 parallel_threads(u32 threads);

/* The same for Embree's own threads. A thread sanitizer cannot see how those meet: whatever they do
 * would be a race, so there is one. */
static inline u32 embree_threads(u32 threads)
{
#if defined(__SANITIZE_THREAD__)
    (void)threads;
    return 1;
#else
    return parallel_threads(threads);
#endif
}

/* Calls task(context, 0) to task(context, tasks - 1), each once, in no particular order. */
void parallel_run(u32 threads, u32 tasks, void (*task)(void *context, u32 index), void *context);

#endif
