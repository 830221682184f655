/* random.h - a small seeded generator (splitmix64, Steele et al. 2014): same seed, same numbers, on
 * every machine. */
#ifndef OGIVE_RANDOM_H
#define OGIVE_RANDOM_H

#include "ogive/types.h"

static inline u64 random_next(u64 *state)
{
    u64 z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, limit); limit > 0. */
static inline u64 random_below(u64 *state, u64 limit)
{
    return random_next(state) % limit;
}

#endif
