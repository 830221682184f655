/* exact.h - arithmetic that gives the same bits everywhere.
 *
 * Sums, products, quotients and square roots of doubles are rounded as IEEE 754 says on every
 * machine (and -ffp-contract=off keeps compilers from fusing them); what libm makes of sine and
 * cosine is not. So those are polynomials here. Angles are in turns. */
#ifndef RT_GENERATORS_EXACT_H
#define RT_GENERATORS_EXACT_H

#include <math.h>

#include "ogive/random.h"

/* Of an angle within an eighth of a turn of 0: Taylor's series, to 1e-9. */
static inline double exact_sin_small(double turns)
{
    double x = turns * 6.283185307179586, y = x * x;
    return x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110)))));
}

static inline double exact_cos_small(double turns)
{
    double x = turns * 6.283185307179586, y = x * x;
    return 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90 * (1 - y / 132)))));
}

static inline double exact_sin(double turns)
{
    double quarters = floor(4 * turns + 0.5);
    double rest = turns - quarters / 4;
    switch ((int)(quarters - 4 * floor(quarters / 4))) {
    case 0:
        return exact_sin_small(rest);
    case 1:
        return exact_cos_small(rest);
    case 2:
        return -exact_sin_small(rest);
    default:
        return -exact_cos_small(rest);
    }
}

static inline double exact_cos(double turns)
{
    return exact_sin(turns + 0.25);
}

/* In [0, 1). */
static inline double random_real(u64 *state)
{
    return (double)(random_next(state) >> 11) / 9007199254740992.0;
}

static inline double random_between(u64 *state, double low, double high)
{
    return low + (high - low) * random_real(state);
}

/* Of a point of a lattice, in [0, 1). */
static inline double lattice_value(i64 x, i64 y, u64 seed)
{
    u64 state = seed ^ ((u64)x * UINT64_C(0x8da6b343) + (u64)y * UINT64_C(0xd8163841));
    random_next(&state);
    return random_real(&state);
}

/* Smooth noise in [0, 1) with a period of about 1. */
static inline double noise(double x, double y, u64 seed)
{
    double fx = floor(x), fy = floor(y), u = x - fx, v = y - fy;
    i64 ix = (i64)fx, iy = (i64)fy;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    double low = lattice_value(ix, iy, seed) * (1 - u) + lattice_value(ix + 1, iy, seed) * u;
    double high =
        lattice_value(ix, iy + 1, seed) * (1 - u) + lattice_value(ix + 1, iy + 1, seed) * u;
    return low * (1 - v) + high * v;
}

#endif
