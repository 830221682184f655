/* random_values.h - numbers for tests: ordinary ones and hostile ones. */
#ifndef TESTS_RT_RANDOM_VALUES_H
#define TESTS_RT_RANDOM_VALUES_H

#include <math.h>

#include "ogive/random.h"
#include "rt/mesh.h"

static inline float value_unit(u64 *state) /* in [0, 1) */
{
    return (float)(random_next(state) >> 40) * 0x1p-24f;
}

static inline float value_between(u64 *state, float low, float high)
{
    return low + (high - low) * value_unit(state);
}

/* Any sign and any exponent from 2^low to 2^high. */
static inline float value_scaled(u64 *state, int low, int high)
{
    int exponent = low + (int)random_below(state, (u64)(high - low + 1));
    float value = ldexpf(1 + value_unit(state), exponent);
    return random_next(state) & 1 ? -value : value;
}

/* A box whose coordinates are ordinary, tiny, huge, or the same on both sides. */
static inline struct box box_any(u64 *state, int low, int high)
{
    struct box box;
    for (int axis = 0; axis < 3; axis++) {
        float a = value_scaled(state, low, high), b = value_scaled(state, low, high);
        switch (random_below(state, 4)) {
        case 0: /* flat */
            b = a;
            break;
        case 1: /* small against its distance from 0 */
            b = a + a * 0x1p-20f;
            break;
        case 2: /* at 0 */
            b = 0;
            break;
        default:
            break;
        }
        box.low[axis] = a < b ? a : b;
        box.high[axis] = a < b ? b : a;
    }
    return box;
}

#endif
