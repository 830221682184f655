/* parallel.c - see parallel.h. The calling thread works too, and does everything if the system has
 * no threads to give. */
#include "rt/parallel.h"

#include <pthread.h>
#include <sched.h>

#include "base/stop.h"

#define THREADS_MAX 256

struct work {
    void (*task)(void *context, u32 index);
    void *context;
    u32 tasks, next;
};

u32 parallel_threads(u32 threads)
{
    cpu_set_t usable;
    if (!threads && !sched_getaffinity(0, sizeof usable, &usable))
        threads = (u32)CPU_COUNT(&usable);
    return threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
}

static void *work_do(void *argument)
{
    struct work *work = argument;
    u32 index;
    while (!stop_asked() &&
           (index = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->tasks)
        work->task(work->context, index);
    return NULL;
}

bool parallel_run(u32 threads, u32 tasks, void (*task)(void *context, u32 index), void *context)
{
    struct work work = { .task = task, .context = context, .tasks = tasks };
    pthread_t handles[THREADS_MAX];
    u32 helpers = 0, wanted = parallel_threads(threads);
    if (wanted > tasks)
        wanted = tasks;
    while (helpers + 1 < wanted && !pthread_create(&handles[helpers], NULL, work_do, &work))
        helpers++;
    work_do(&work);
    while (helpers)
        pthread_join(handles[--helpers], NULL);
    return work.next >= tasks;
}
