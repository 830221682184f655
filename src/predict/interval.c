/* interval.c - see interval.h. */
#include "predict/interval.h"

#include <math.h>

double jackknife_error(const double *estimates, u32 count)
{
    double mean = 0, squares = 0;
    if (count < 2)
        return 0;
    for (u32 i = 0; i < count; i++)
        mean += estimates[i] / count;
    for (u32 i = 0; i < count; i++)
        squares += (estimates[i] - mean) * (estimates[i] - mean);
    return sqrt(squares * (count - 1) / count);
}

/* The 97.5% quantiles of Student's distribution, from 1 degree of freedom on; then Fisher's
 * expansion, which is right to a quarter of a percent from there. */
double student_limit(u32 blocks)
{
    static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571 };
    const double z = 1.959964;
    if (blocks < 2)
        return few[0];
    double degrees = blocks - 1;
    if (blocks - 2 < sizeof few / sizeof *few)
        return few[blocks - 2];
    return z + (z * z * z + z) / (4 * degrees) +
           (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * degrees * degrees);
}

struct interval interval_around(double value, double width, bool share)
{
    double high = value + width;
    return (struct interval){ fmax(0, value - width), share ? fmin(1, high) : high };
}
