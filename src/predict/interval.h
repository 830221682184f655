/* interval.h - how far an estimate may be off: from what it becomes when a block of its data is
 * left out, each in turn (the jackknife: Quenouille 1956, Tukey 1958). */
#ifndef PREDICT_INTERVAL_H
#define PREDICT_INTERVAL_H

#include "ogive/types.h"

/* Estimates without one of `count` blocks of data; 0 for fewer than two. */
double jackknife_error(const double *estimates, u32 count);

/* Of so many standard errors 95% of all estimates are off at most, with so many blocks of data. */
double student_limit(u32 blocks);

struct interval {
    double low, high;
};

/* Around an estimate, within what the figure can be: nothing is below 0, no share above 1. */
struct interval interval_around(double value, double width, bool share);

#endif
