/* colours.h - costs as Zatel sees them: the colours of a heat map, few of them, and how warm each
 * is.
 *
 * The heat map is that of NVIDIA's timer instrumentation (ten colours from dark blue to crimson);
 * its colours are put together into COLOURS by k-means in RGB; the warmth of one is 1 less its hue,
 * turned by 0.14 so that crimson is the warmest (Zatel's public code). */
#ifndef PREDICT_COLOURS_H
#define PREDICT_COLOURS_H

#include "ogive/types.h"

#define COLOURS 5

struct colours {
    double warmth[COLOURS];
    u8 *of; /* by piece; the caller frees */
};

/* Same seed, same colours. Costs are 0 or more. */
struct colours colours_make(const double *costs, u32 count, u64 seed);

/* Of a cost of 0 to 1; red, green, blue from 0 to 255. */
void colour_of(double share, double rgb[3]);
double colour_warmth(const double rgb[3]);

#endif
