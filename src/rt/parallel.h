/* parallel.h - independent tasks on several threads. */
#ifndef RT_PARALLEL_H
#define RT_PARALLEL_H

#include "ogive/types.h"

/* How many threads that is: 0 stands for one per processor that this process may use. */
u32 parallel_threads(u32 threads);

/* Calls task(context, 0) to task(context, tasks - 1), each once, in no particular order. False if
 * the process was asked to stop before all were begun: those are not done. */
bool parallel_run(u32 threads, u32 tasks, void (*task)(void *context, u32 index), void *context);

#endif
