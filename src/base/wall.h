/* wall.h - the time of this machine. Nothing that is simulated may depend on it. */
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

#endif
