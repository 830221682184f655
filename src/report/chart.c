/* chart.c - see chart.h. */
#include "report/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "explore/tool.h"
#include "report/svg.h"

#define MARGIN_LEFT   80
#define MARGIN_RIGHT  40
#define MARGIN_TOP    34
#define MARGIN_BOTTOM 60
#define LEGEND_LINE   18
#define HEAT_LEFT     140

const char *const chart_kind_names[CHART_KINDS + 1] = { "lines", "bars", "heat", "scatter", NULL };

struct drawing {
    const struct chart *chart;
    struct svg_area area;
    struct text *svg;
    double y_low, y_high, x_low, x_high;
};

/* ---- Fit ---- */

struct chart_fit chart_fit(const double *x, const double *y, u32 count)
{
    double sum_x = 0, sum_y = 0, error = 0, xx = 0, yy = 0, xy = 0;
    struct chart_fit fit = { .mean_error = NAN, .correlation = NAN };
    for (u32 i = 0; i < count; i++) {
        if (isnan(x[i]) || isnan(y[i]))
            continue;
        fit.count++;
        sum_x += x[i];
        sum_y += y[i];
        error += fabs(y[i] - x[i]) / fabs(x[i]);
    }
    if (fit.count)
        fit.mean_error = error / fit.count;
    double mean_x = sum_x / fit.count, mean_y = sum_y / fit.count;
    for (u32 i = 0; i < count; i++) {
        if (isnan(x[i]) || isnan(y[i]))
            continue;
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (fit.count > 1 && xx > 0 && yy > 0)
        fit.correlation = xy / sqrt(xx * yy);
    return fit;
}

/* ---- Ranges ---- */

static double value_at(const struct chart *chart, u32 series, u32 category)
{
    return chart->values[(size_t)series * chart->category_count + category];
}

static bool values_range(const struct chart *chart, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (u32 s = 0; s < chart->series_count; s++)
        for (u32 c = 0; c < chart->category_count; c++) {
            double value = value_at(chart, s, c);
            if (!isfinite(value))
                continue;
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    return isfinite(*low);
}

static double x_scale(const struct chart *chart, double x)
{
    return chart->log_x ? log2(x) : x;
}

static void ranges_find(struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    drawing->y_low = fmin(drawing->y_low, 0);
    drawing->y_high = drawing->y_high > 0 ? drawing->y_high : 1;
    if (chart->kind == CHART_SCATTER) {
        for (u32 i = 0; i < chart->category_count; i++)
            if (isfinite(chart->x[i]))
                drawing->y_high = fmax(drawing->y_high, chart->x[i]);
        drawing->x_low = drawing->y_low = 0;
        drawing->x_high = drawing->y_high;
        return;
    }
    drawing->x_low = 0;
    drawing->x_high = chart->category_count > 1 ? chart->category_count - 1 : 1;
    if (!chart->x)
        return;
    drawing->x_low = INFINITY;
    drawing->x_high = -INFINITY;
    for (u32 i = 0; i < chart->category_count; i++) {
        drawing->x_low = fmin(drawing->x_low, x_scale(chart, chart->x[i]));
        drawing->x_high = fmax(drawing->x_high, x_scale(chart, chart->x[i]));
    }
    if (drawing->x_high <= drawing->x_low)
        drawing->x_high = drawing->x_low + 1;
}

static double place_x(const struct drawing *drawing, double x)
{
    return drawing->area.left +
           (x - drawing->x_low) / (drawing->x_high - drawing->x_low) * drawing->area.width;
}

static double place_y(const struct drawing *drawing, double y)
{
    return drawing->area.top +
           drawing->area.height * (1 - (y - drawing->y_low) / (drawing->y_high - drawing->y_low));
}

/* Where a category stands. */
static double category_x(const struct drawing *drawing, u32 category)
{
    const struct chart *chart = drawing->chart;
    if (chart->kind == CHART_BARS)
        return drawing->area.left + (category + 0.5) / chart->category_count * drawing->area.width;
    return place_x(drawing, chart->x ? x_scale(chart, chart->x[category]) : category);
}

/* ---- Axes ---- */

static void words_put(struct text *svg, double x, double y, const char *anchor, const char *words)
{
    text_add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#222\">", x, y, anchor);
    svg_text(svg, words);
    text_add(svg, "</text>\n");
}

static void titles_draw(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    const struct svg_area *area = &drawing->area;
    words_put(drawing->svg, chart->width / 2.0, 18, "middle", chart->title);
    words_put(drawing->svg, area->left + area->width / 2, area->top + area->height + 44, "middle",
              chart->x_title);
    text_add(drawing->svg,
             "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\" "
             "fill=\"#222\">",
             area->top + area->height / 2);
    svg_text(drawing->svg, chart->y_title);
    text_add(drawing->svg, "</text>\n");
}

static void y_axis_draw(const struct drawing *drawing)
{
    const struct svg_area *area = &drawing->area;
    double step = svg_step(drawing->y_high - drawing->y_low);
    for (double y = ceil(drawing->y_low / step) * step; y <= drawing->y_high * 1.0001; y += step) {
        text_add(drawing->svg, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#ccc\"/>\n", area->left,
                 place_y(drawing, y), area->width);
        text_add(drawing->svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#222\">",
                 area->left - 6, place_y(drawing, y) + 4);
        svg_number(drawing->svg, y);
        text_add(drawing->svg, "</text>\n");
    }
    text_add(drawing->svg, "<path d=\"M%.1f %.1fv%.1fh%.1f\" stroke=\"#222\" fill=\"none\"/>\n",
             area->left, area->top, area->height, area->width);
}

static void x_axis_draw(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    double bottom = drawing->area.top + drawing->area.height + 18;
    double step = svg_step(drawing->x_high);
    if (chart->kind == CHART_SCATTER) {
        for (double x = 0; x <= drawing->x_high * 1.0001; x += step) {
            text_add(drawing->svg,
                     "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#222\">",
                     place_x(drawing, x), bottom);
            svg_number(drawing->svg, x);
            text_add(drawing->svg, "</text>\n");
        }
        return;
    }
    for (u32 i = 0; i < chart->category_count; i++)
        words_put(drawing->svg, category_x(drawing, i), bottom, "middle", chart->categories[i]);
}

static void legend_draw(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    for (u32 s = 0; chart->series_count > 1 && s < chart->series_count; s++) {
        double y = MARGIN_TOP + LEGEND_LINE * s;
        text_add(drawing->svg, "<path d=\"M%d %.1fh20\" stroke=\"%s\" stroke-width=\"8\"/>\n",
                 MARGIN_LEFT, y, svg_colours[s % SVG_COLOURS]);
        words_put(drawing->svg, MARGIN_LEFT + 26, y + 4, "start", chart->series[s]);
    }
}

/* ---- Kinds ---- */

static void lines_draw(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    for (u32 s = 0; s < chart->series_count; s++) {
        const char *colour = svg_colours[s % SVG_COLOURS];
        bool down = false;
        text_add(drawing->svg,
                 "<path class=\"line\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
                 colour);
        for (u32 c = 0; c < chart->category_count; c++) {
            double value = value_at(chart, s, c);
            if (isfinite(value))
                text_add(drawing->svg, "%s%.1f %.1f", down ? "L" : "M", category_x(drawing, c),
                         place_y(drawing, value));
            down = isfinite(value);
        }
        text_add(drawing->svg, "\"/>\n");
        for (u32 c = 0; c < chart->category_count; c++)
            if (isfinite(value_at(chart, s, c)))
                text_add(drawing->svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                         category_x(drawing, c), place_y(drawing, value_at(chart, s, c)), colour);
    }
}

static void bars_draw(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    double slot = drawing->area.width / chart->category_count;
    double width = slot * 0.8 / chart->series_count;
    for (u32 c = 0; c < chart->category_count; c++)
        for (u32 s = 0; s < chart->series_count; s++) {
            double value = value_at(chart, s, c);
            if (!isfinite(value))
                continue;
            double top = place_y(drawing, fmax(value, 0)), foot = place_y(drawing, fmin(value, 0));
            text_add(drawing->svg,
                     "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                     "fill=\"%s\"/>\n",
                     category_x(drawing, c) - slot * 0.4 + s * width, top, width * 0.95, foot - top,
                     svg_colours[s % SVG_COLOURS]);
        }
}

static void scatter_draw(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    struct chart_fit fit = chart_fit(chart->x, chart->values, chart->category_count);
    text_add(drawing->svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#888\"/>\n",
             place_x(drawing, 0), place_y(drawing, 0), place_x(drawing, drawing->x_high),
             place_y(drawing, drawing->y_high));
    for (u32 i = 0; i < chart->category_count; i++) {
        if (!isfinite(chart->x[i]) || !isfinite(chart->values[i]))
            continue;
        text_add(drawing->svg,
                 "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>",
                 place_x(drawing, chart->x[i]), place_y(drawing, chart->values[i]), svg_colours[0]);
        svg_text(drawing->svg, chart->categories[i]);
        text_add(drawing->svg, "</title></circle>\n");
    }
    char *words = text_format("%u points, mean error %.2f%%, correlation %.4f", fit.count,
                              100 * fit.mean_error, fit.correlation);
    words_put(drawing->svg, drawing->area.left + 8, drawing->area.top + 14, "start", words);
    free(words);
}

/* From white to blue, as value goes from the least to the largest. */
static void heat_cell(const struct drawing *drawing, u32 row, u32 column, double low, double high)
{
    const struct chart *chart = drawing->chart;
    double value = value_at(chart, row, column);
    double width = drawing->area.width / chart->category_count;
    double height = drawing->area.height / chart->series_count;
    double x = drawing->area.left + column * width, y = drawing->area.top + row * height;
    if (!isfinite(value))
        return;
    double share = high > low ? (value - low) / (high - low) : 0.5;
    int red = (int)(247 - share * 239), green = (int)(251 - share * 203),
        blue = (int)(255 - share * 148);
    text_add(drawing->svg,
             "<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
             "fill=\"#%02x%02x%02x\"/>\n<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
             "fill=\"%s\">",
             x, y, width, height, red, green, blue, x + width / 2, y + height / 2 + 4,
             share > 0.5 ? "#fff" : "#222");
    svg_number(drawing->svg, value);
    text_add(drawing->svg, "</text>\n");
}

static void heat_draw(struct drawing *drawing, double low, double high)
{
    const struct chart *chart = drawing->chart;
    double width = drawing->area.width / chart->category_count;
    double height = drawing->area.height / chart->series_count;
    for (u32 r = 0; r < chart->series_count; r++) {
        words_put(drawing->svg, drawing->area.left - 6, drawing->area.top + (r + 0.5) * height + 4,
                  "end", chart->series[r]);
        for (u32 c = 0; c < chart->category_count; c++)
            heat_cell(drawing, r, c, low, high);
    }
    for (u32 c = 0; c < chart->category_count; c++)
        words_put(drawing->svg, drawing->area.left + (c + 0.5) * width,
                  drawing->area.top + drawing->area.height + 18, "middle", chart->categories[c]);
    titles_draw(drawing);
}

static void plane_draw(struct drawing *drawing)
{
    static void (*const kinds[])(const struct drawing *) = {
        [CHART_LINES] = lines_draw, [CHART_BARS] = bars_draw, [CHART_SCATTER] = scatter_draw
    };
    ranges_find(drawing);
    y_axis_draw(drawing);
    x_axis_draw(drawing);
    titles_draw(drawing);
    kinds[drawing->chart->kind](drawing);
    legend_draw(drawing);
}

bool chart_draw(const struct chart *chart, struct text *svg, struct ogv_error *error)
{
    struct drawing drawing = { .chart = chart, .svg = svg };
    bool heat = chart->kind == CHART_HEAT;
    double legend = heat || chart->series_count < 2 ? 0 : LEGEND_LINE * chart->series_count;
    double left = heat ? HEAT_LEFT : MARGIN_LEFT;
    if (!values_range(chart, &drawing.y_low, &drawing.y_high))
        return error_user(error, "no run has what is to be drawn");
    if (!heat && chart->series_count > CHART_SERIES_MAX)
        return error_user(error, "a figure has at most %d series, not %u", CHART_SERIES_MAX,
                          chart->series_count);
    drawing.area =
        (struct svg_area){ left, MARGIN_TOP + legend, chart->width - left - MARGIN_RIGHT,
                           fmax(chart->height - MARGIN_TOP - MARGIN_BOTTOM - legend, 40) };
    svg_begin(svg, chart->width, drawing.area.top + drawing.area.height + MARGIN_BOTTOM);
    if (heat)
        heat_draw(&drawing, drawing.y_low, drawing.y_high);
    else
        plane_draw(&drawing);
    text_add(svg, "</svg>\n");
    return true;
}

/* ---- Files ---- */

static bool png_save(const struct text *svg, const char *path, struct ogv_error *error)
{
    char *source = file_create_temporary(error);
    struct text out = { 0 };
    if (!source)
        return false;
    char *words[] = { "rsvg-convert", "--format", "png", source, NULL };
    bool good = file_write(source, text_get(svg), svg->length, error) &&
                tool_run(words, &out, error) && file_write(path, text_get(&out), out.length, error);
    if (!good && strstr(error->message, "cannot run rsvg-convert"))
        error_system(error,
                     "%s: a PNG takes rsvg-convert: install the package librsvg2-bin, or "
                     "draw to a .svg file",
                     path);
    unlink(source);
    free(source);
    text_fini(&out);
    return good;
}

bool chart_save(const struct text *svg, const char *path, struct ogv_error *error)
{
    size_t length = strlen(path);
    if (length > 4 && !strcmp(path + length - 4, ".png"))
        return png_save(svg, path, error);
    return file_write(path, text_get(svg), svg->length, error);
}
