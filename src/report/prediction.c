/* prediction.c - see prediction.h. Intervals are drawn relative to what is predicted, all to the
 * same scale, so that what is known well and what is not can be told at a glance. */
#include "report/prediction.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"

#define BAR_WIDTH  240 /* pixels */
#define BAR_HEIGHT 14
#define SPAN_LEAST 0.1 /* of the predicted value, to either side */
#define SPAN_MOST  1.0

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Prediction</title>\n"
    "<style>body{font:15px/1.5 sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right}"
    "td:first-child,th:first-child{text-align:left}tr:nth-child(even){background:#f4f4f4}"
    "img{max-width:45%;image-rendering:pixelated;border:1px solid #ccc}"
    ".warning{background:#fff3cd;padding:8px}</style></head><body>\n";

/* How far the widest interval reaches, within bounds. */
static double span_find(const struct prediction *prediction)
{
    double span = SPAN_LEAST;
    for (u32 i = 0; i < prediction->whole.summary; i++) {
        double value = prediction->values[i];
        if (isfinite(value) && value > 0)
            span = fmax(span, (prediction->high[i] - value) / value);
    }
    return fmin(span, SPAN_MOST);
}

static double bar_place(double value, double predicted, double span)
{
    double off = predicted != 0 ? (value - predicted) / fabs(predicted) / span : 0;
    return BAR_WIDTH / 2.0 * (1 + fmin(1, fmax(-1, off)));
}

static void bar_draw(const struct prediction *prediction, u32 figure, const double *truth,
                     double span, struct text *page)
{
    double value = prediction->values[figure];
    double low = bar_place(prediction->low[figure], value, span);
    double high = bar_place(prediction->high[figure], value, span);
    text_add(page,
             "<svg width=\"%d\" height=\"%d\" role=\"img\"><rect x=\"%.1f\" y=\"5\" width=\"%.1f\" "
             "height=\"4\" fill=\"#7aa6d8\"/><rect x=\"%d\" y=\"2\" width=\"2\" height=\"10\" "
             "fill=\"#1f4e8c\"/>",
             BAR_WIDTH, BAR_HEIGHT, low, fmax(1, high - low), BAR_WIDTH / 2 - 1);
    if (truth && isfinite(truth[figure]))
        text_add(page, "<circle cx=\"%.1f\" cy=\"7\" r=\"4\" fill=\"#c0392b\"/>",
                 bar_place(truth[figure], value, span));
    text_add(page, "</svg>");
}

static void row_add(const struct prediction *prediction, u32 figure, const double *truth,
                    double span, struct text *page)
{
    double value = prediction->values[figure];
    if (!isfinite(value))
        return;
    text_add(page, "<tr><td>%s</td><td>%.6g</td><td>%.6g</td><td>%.6g</td><td>",
             prediction->whole.names[figure], value, prediction->low[figure],
             prediction->high[figure]);
    bar_draw(prediction, figure, truth, span, page);
    text_add(page, "</td>");
    if (truth && isfinite(truth[figure]))
        text_add(page, "<td>%.6g</td><td>%.2f%%</td>", truth[figure],
                 100 * figure_error(value, truth[figure]));
    text_add(page, "</tr>\n");
}

static void words_add(const struct prediction *prediction, struct text *page)
{
    text_add(page,
             "<h1>Prediction: %s</h1>\n<p>%llu of %llu pieces of work (%.3g%%) were simulated, in "
             "%u runs on 1/%.4g of the machine, by the method <b>%s</b>. Bars are 95%% intervals, "
             "relative to what is predicted.</p>\n",
             prediction->whole.plan->name, (unsigned long long)prediction->simulated,
             (unsigned long long)prediction->pieces,
             100 * (double)prediction->simulated / (double)prediction->pieces,
             prediction->runs.count, prediction->machine, prediction->method.name);
    if (!prediction->filled && !prediction->exact)
        text_add(page,
                 "<p class=\"warning\">The part was never full: the figures may be far off. A "
                 "larger share, or more parts, fill it.</p>\n");
}

bool prediction_page(const struct prediction *prediction, const double *truth,
                     struct ogv_error *error)
{
    struct text page = { 0 };
    double span = span_find(prediction);
    text_add_words(&page, page_head);
    words_add(prediction, &page);
    text_add(&page,
             "<table><tr><th></th><th>predicted</th><th>low</th><th>high</th><th>±%.0f%%</th>",
             100 * span);
    text_add(&page, truth ? "<th>true</th><th>error</th></tr>\n" : "</tr>\n");
    for (u32 i = 0; i < prediction->whole.summary; i++)
        row_add(prediction, i, truth, span, &page);
    text_add(&page, "</table>\n");
    if (prediction->cost.pixels)
        text_add(&page, "<p>Simulated pixels, and what counted ones take:</p>\n<img "
                        "src=\"chosen.png\" alt=\"simulated pixels\"> <img src=\"cost.png\" "
                        "alt=\"cost\">\n");
    text_add(&page, "</body></html>\n");
    char *path = text_format("%s/report.html", prediction->folder);
    bool good = file_write(path, text_get(&page), page.length, error);
    free(path);
    text_fini(&page);
    return good;
}
