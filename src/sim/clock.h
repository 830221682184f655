/* clock.h - exact conversion between the chip's cycles and a unit's own.
 *
 * Own cycle k of a unit with ratio times:per happens at chip time k * per / times, that is, during
 * chip cycle floor(k * per / times). Integers throughout: after any number of cycles there is no
 * drift. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "ogive/domain.h"

__extension__ typedef unsigned __int128 clock_wide;

/* The first own cycle that happens at or after the start of a chip cycle. */
static inline cycle clock_own(struct clock_ratio ratio, cycle chip)
{
    return (cycle)(((clock_wide)chip * ratio.times + ratio.per - 1) / ratio.per);
}

/* The chip cycle during which an own cycle happens. */
static inline cycle clock_chip(struct clock_ratio ratio, cycle own)
{
    return own == NEVER ? NEVER : (cycle)((clock_wide)own * ratio.per / ratio.times);
}

#endif
