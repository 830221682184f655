/* chart.h - figures of a study: lines over an axis, bars, heat maps, points against reference
 * numbers. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "base/text.h"
#include "ogive/ogive.h"

enum chart_kind { CHART_LINES, CHART_BARS, CHART_HEAT, CHART_SCATTER, CHART_KINDS };
extern const char *const chart_kind_names[CHART_KINDS + 1]; /* ended by NULL */

#define CHART_SERIES_MAX 12

struct chart {
    enum chart_kind kind;
    u32 width, height;
    const char *title, *x_title, *y_title;
    char **categories; /* along x; of points, their names */
    const double *x;   /* where they stand; NULL: at equal distances */
    u32 category_count;
    char **series;        /* lines, groups of bars, rows of a heat map */
    u32 series_count;     /* of points: 1 */
    const double *values; /* [series][category]; NAN: none */
    bool log_x;           /* x in powers of two, as sizes go */
};

/* How well points lie on the diagonal. */
struct chart_fit {
    u32 count;
    double mean_error;  /* mean of |y - x| / x */
    double correlation; /* Pearson's; NAN with fewer than two points, or if all are alike */
};
struct chart_fit chart_fit(const double *x, const double *y, u32 count);

/* False if there is nothing to draw. */
bool chart_draw(const struct chart *chart, struct text *svg, struct ogv_error *error);

/* To a file that ends in .svg, or .png, for which rsvg-convert is needed. */
bool chart_save(const struct text *svg, const char *path, struct ogv_error *error);

#endif
