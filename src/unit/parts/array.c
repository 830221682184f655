/* array.c - the published points, and power laws through them. */
#include "unit/parts/array.h"

#include <math.h>

struct array_point {
    double kib, access_pj, area_mm2;
};

static const struct array_point points[] = {
    { 32, 220.453, 0.775049 },     { 64, 251.421, 1.016872 },     { 128, 364.071, 2.317749 },
    { 256, 469.011, 3.548340 },    { 512, 611.974, 5.960245 },    { 1024, 828.002, 10.042545 },
    { 2048, 1126.519, 18.085949 }, { 4096, 1604.445, 39.884160 }, { 8192, 2166.975, 68.231230 },
};

#define POINTS (sizeof points / sizeof *points)

/* The piece that a size belongs to, by its first point. */
static const struct array_point *piece_find(double kib)
{
    const struct array_point *piece = points;
    while (piece + 2 < points + POINTS && kib > piece[1].kib)
        piece++;
    return piece;
}

static double power_law(double x, double x0, double x1, double y0, double y1)
{
    return y0 * pow(x / x0, log(y1 / y0) / log(x1 / x0));
}

double array_access_pj(u64 bytes)
{
    double kib = (double)bytes / (double)KiB;
    const struct array_point *p = piece_find(kib);
    return power_law(kib, p[0].kib, p[1].kib, p[0].access_pj, p[1].access_pj);
}

double array_area_mm2(u64 bytes)
{
    double kib = (double)bytes / (double)KiB;
    const struct array_point *p = piece_find(kib);
    return power_law(kib, p[0].kib, p[1].kib, p[0].area_mm2, p[1].area_mm2);
}
