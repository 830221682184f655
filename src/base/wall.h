/* wall.h - the clocks of this machine. Nothing that is simulated may depend on them. */
#ifndef BASE_WALL_H
#define BASE_WALL_H

#include <time.h>

/* Seconds since some moment in the past. */
static inline double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds that all threads of this process have computed, whoever else is on the machine. */
static inline double work_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The same of the thread that asks. */
static inline double thread_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
