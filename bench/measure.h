/* measure.h - time, and the median of several measurements: machines are noisy. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdlib.h>

#include "base/wall.h"

static inline int measure_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double measure_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, measure_order);
    return values[count / 2];
}

#endif
