/* vector.h - vectors of doubles, and sine and cosine with the same bits on every machine. */
#ifndef RT_VECTOR_H
#define RT_VECTOR_H

#include <math.h>

#include "ogive/types.h"

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* False if the vector has no direction. */
static inline bool normalise(double v[3])
{
    double length = sqrt(dot(v, v));
    if (!(length > 0) || isinf(length))
        return false;
    for (u32 k = 0; k < 3; k++)
        v[k] /= length;
    return true;
}

static inline void between(const float from[3], const float to[3], double out[3])
{
    for (u32 k = 0; k < 3; k++)
        out[k] = (double)to[k] - (double)from[k];
}

/* Of `turns` full turns, 0 <= turns <= 1: their Taylor series within an eighth of a turn from 0,
 * where the next term is below the rounding of a double. libm's last bits differ by machine. */
static inline void sine_cosine(double turns, double *sine, double *cosine)
{
    u32 quarter = (u32)(4 * turns + 0.5);
    double angle = (turns - 0.25 * quarter) * 6.283185307179586476925286766559;
    double square = angle * angle, s = 0, c = 0;
    for (u32 n = 16; n >= 2; n -= 2) {
        s = (1 - s) * square / (n * (n + 1));
        c = (1 - c) * square / (n * (n - 1));
    }
    s = angle * (1 - s);
    c = 1 - c;
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? s : c;
    if (quarter & 2)
        *sine = -*sine;
    if ((quarter + 1) & 2)
        *cosine = -*cosine;
}

#endif
