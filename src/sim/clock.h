/* clock.h - exact conversion between the chip's cycles and a unit's own.
 *
 * Own cycle k of a unit with ratio times:per happens at chip time k * per / times, that is, during
 * chip cycle floor(k * per / times). Integers throughout: after any number of cycles there is no
 * drift. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "ogive/domain.h"

__extension__ typedef unsigned __int128 clock_wide;

/* a * b / c, rounded up or down. Wide division is a function of the compiler's library: it is left
 * to the products that need it. */
static inline u64 clock_scale(u64 a, u64 b, u64 c, bool up)
{
    u64 narrow, more = up ? c - 1 : 0;
    if (__builtin_mul_overflow(a, b, &narrow) || __builtin_add_overflow(narrow, more, &narrow))
        return (u64)(((clock_wide)a * b + more) / c);
    return narrow / c;
}

/* The first own cycle that happens at or after the start of a chip cycle. */
static inline cycle clock_own(struct clock_ratio ratio, cycle chip)
{
    return clock_scale(chip, ratio.times, ratio.per, true);
}

/* The chip cycle during which an own cycle happens. */
static inline cycle clock_chip(struct clock_ratio ratio, cycle own)
{
    return own == NEVER ? NEVER : clock_scale(own, ratio.per, ratio.times, false);
}

#endif
