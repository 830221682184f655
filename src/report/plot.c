/* plot.c - finds columns of series.csv by name, and draws them over the cycles with axes and a
 * legend: as lines, or as areas on top of each other. */
#include "report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "report/samples.h"
#include "report/svg.h"

#define MARGIN_LEFT   70
#define MARGIN_RIGHT  20
#define MARGIN_TOP    16
#define MARGIN_BOTTOM 48
#define LEGEND_LINE   18
#define POINTS_MAX    2000

struct line {
    char *label;
    double *x, *y; /* NAN: no value */
    u32 count;
};

struct plot {
    const struct plot_options *options;
    struct line lines[PLOT_LINES_MAX];
    u32 line_count;
    double x_max, y_max;
    char *measure; /* of all lines; "" if they differ */
};

/* Names are equal, or equal but for what stands in brackets. */
static bool name_equal(const char *full, const char *typed, size_t length)
{
    return (strlen(full) == length && !strncmp(full, typed, length)) ||
           path_plain_is(full, typed, length);
}

static u32 column_find(const struct stats_table *table, const char *typed, size_t length)
{
    for (u32 c = 1; c < table->column_count; c++)
        if (name_equal(table->columns[c], typed, length))
            return c;
    return 0;
}

static bool column_missing(const struct result *result, const struct stats_table *table,
                           const char *typed, size_t length, struct ogv_error *error)
{
    char *name = text_format("%.*s", (int)length, typed);
    char hint[256];
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 c = 1; c < table->column_count; c++)
        nearest_offer(&nearest, table->columns[c]);
    error_user(error, "%s/series.csv: has no '%s'%s (the first line of the file names all)",
               result->folder, name, nearest_hint(&nearest, hint, sizeof hint));
    free(name);
    return false;
}

/* The unit of measure of a column, "" if it has none. */
static const char *column_measure(const struct result *result, const char *column)
{
    const char *dot = strrchr(column, '.');
    if (!strcmp(dot ? dot + 1 : column, "power_w"))
        return "W";
    for (u32 i = 0; dot && i < result->group_count; i++) {
        size_t length = strlen(result->groups[i].path);
        if ((size_t)(dot - column) == length && !strncmp(column, result->groups[i].path, length)) {
            const json_t *row = json_object_get(result->groups[i].rows, dot + 1);
            const char *unit = json_string_value(json_object_get(row, "unit"));
            return unit ? unit : "";
        }
    }
    return "";
}

/* An interval's value stands at its end. Long series are thinned: a point is the mean of several.
 */
static void line_read(struct line *line, const struct stats_table *table, u32 column)
{
    u32 step = (table->line_count + POINTS_MAX - 1) / POINTS_MAX;
    line->count = 0;
    line->x = heap_array(table->line_count, sizeof *line->x);
    line->y = heap_array(table->line_count, sizeof *line->y);
    for (u32 first = 0; first < table->line_count; first += step) {
        u32 end = first + step < table->line_count ? first + step : table->line_count;
        double sum = 0, known = 0;
        for (u32 i = first; i < end; i++) {
            bool empty = !*table->fields[(size_t)i * table->column_count + column];
            sum += empty ? 0 : table_number(table, i, column);
            known += !empty;
        }
        line->x[line->count] = (double)table->ends[end - 1];
        line->y[line->count++] = known > 0 && isfinite(sum) ? sum / known : NAN;
    }
}

static void plot_measure(struct plot *plot, const char *measure)
{
    if (!plot->measure)
        plot->measure = heap_copy(measure);
    else if (strcmp(plot->measure, measure)) {
        free(plot->measure);
        plot->measure = heap_copy("");
    }
}

static bool plot_add(struct plot *plot, const struct result *result,
                     const struct stats_table *table, const char *typed, size_t length,
                     struct ogv_error *error)
{
    u32 column = column_find(table, typed, length);
    if (!column)
        return column_missing(result, table, typed, length, error);
    if (plot->line_count == PLOT_LINES_MAX)
        return error_user(error, "a plot has at most %d lines", PLOT_LINES_MAX);
    struct line *line = &plot->lines[plot->line_count++];
    line->label = plot->options->folder_count > 1
                      ? text_format("%s: %s", result->folder, table->columns[column])
                      : heap_copy(table->columns[column]);
    line_read(line, table, column);
    plot_measure(plot, column_measure(result, table->columns[column]));
    for (u32 i = 0; i < line->count; i++) {
        plot->x_max = fmax(plot->x_max, line->x[i]);
        plot->y_max = isnan(line->y[i]) ? plot->y_max : fmax(plot->y_max, line->y[i]);
    }
    return true;
}

/* ---- Traffic by purpose ---- */

/* "scene reads" for a column "partition[*].dram.bytes_read_scene", NULL for others; the caller
 * frees it. */
static char *traffic_label(const char *column)
{
    static const char read[] = "bytes_read_", written[] = "bytes_written_";
    const char *dot = strrchr(column, '.'), *stat = dot ? dot + 1 : column;
    if (!strncmp(stat, read, sizeof read - 1))
        return text_format("%s reads", stat + sizeof read - 1);
    if (!strncmp(stat, written, sizeof written - 1))
        return text_format("%s writes", stat + sizeof written - 1);
    return NULL;
}

/* The line of that label, made if it is not there; takes the label. */
static struct line *traffic_line(struct plot *plot, char *label, u32 points)
{
    u32 i = 0;
    while (i < plot->line_count && strcmp(plot->lines[i].label, label))
        i++;
    if (i < plot->line_count || i == PLOT_LINES_MAX) {
        free(label);
        return i < plot->line_count ? &plot->lines[i] : NULL;
    }
    struct line *line = &plot->lines[plot->line_count++];
    line->label = label;
    line->x = heap_array(points, sizeof *line->x);
    line->y = heap_array(points, sizeof *line->y);
    return line;
}

/* Adds what a column has per cycle; neighbouring intervals are put together as in line_read. */
static void traffic_add(struct line *line, const struct stats_table *table, u32 column, cycle start)
{
    u32 step = (table->line_count + POINTS_MAX - 1) / POINTS_MAX;
    line->count = 0;
    for (u32 first = 0; first < table->line_count; first += step, line->count++) {
        u32 end = first + step < table->line_count ? first + step : table->line_count;
        double sum = 0;
        for (u32 i = first; i < end; i++)
            sum += table_number(table, i, column);
        cycle before = first ? table->ends[first - 1] : start;
        line->x[line->count] = (double)table->ends[end - 1];
        line->y[line->count] += sum / (double)(table->ends[end - 1] - before);
    }
}

static bool column_has_any(const struct stats_table *table, u32 column)
{
    for (u32 i = 0; i < table->line_count; i++)
        if (table_number(table, i, column) > 0)
            return true;
    return false;
}

/* Each line from where the one before ends. */
static void traffic_pile(struct plot *plot)
{
    for (u32 i = 0; i < plot->line_count; i++)
        for (u32 k = 0; k < plot->lines[i].count; k++) {
            plot->lines[i].y[k] += i ? plot->lines[i - 1].y[k] : 0;
            plot->y_max = fmax(plot->y_max, plot->lines[i].y[k]);
            plot->x_max = fmax(plot->x_max, plot->lines[i].x[k]);
        }
}

static bool traffic_read(struct plot *plot, const struct result *result,
                         const struct stats_table *table, struct ogv_error *error)
{
    cycle start = samples_start(result, table->ends[0]);
    for (u32 c = 1; c < table->column_count; c++) {
        char *label = column_has_any(table, c) ? traffic_label(table->columns[c]) : NULL;
        struct line *line = label ? traffic_line(plot, label, table->line_count) : NULL;
        if (line)
            traffic_add(line, table, c, start);
    }
    plot->measure = heap_copy("bytes per cycle");
    traffic_pile(plot);
    return plot->line_count || error_user(error,
                                          "%s/series.csv: no memory has counted bytes by purpose "
                                          "(bytes_read_scene and so on)",
                                          result->folder);
}

/* ---- Reading ---- */

static bool plot_read(struct plot *plot, const char *folder, struct ogv_error *error)
{
    struct result *result = result_open(folder, error);
    struct stats_table *table = result ? samples_table(result, error) : NULL;
    bool good = table;
    if (result && !table && !error->kind)
        error_user(error, "%s: the run has no intervals (it was made with --interval 0?)", folder);
    if (good && plot->options->traffic)
        good = traffic_read(plot, result, table, error);
    const char *at = plot->options->traffic ? "" : plot->options->series;
    while (good && *at) {
        size_t length = strcspn(at, ",");
        if (length)
            good = plot_add(plot, result, table, at, length, error);
        at += length + (at[length] == ',');
    }
    table_free(table);
    result_close(result);
    return good;
}

/* ---- Drawing ---- */

static void axes_draw(const struct plot *plot, struct svg_area area, struct text *svg)
{
    double step = svg_step(plot->y_max), bottom = area.top + area.height;
    text_add(svg, "<g stroke=\"#ccc\" fill=\"none\">\n");
    for (double y = 0; y <= plot->y_max * 1.0001; y += step)
        text_add(svg, "<path d=\"M%.1f %.1fh%.1f\"/>\n", area.left,
                 bottom - y / plot->y_max * area.height, area.width);
    text_add(svg, "</g>\n<g fill=\"#222\" text-anchor=\"end\">\n");
    for (double y = 0; y <= plot->y_max * 1.0001; y += step) {
        text_add(svg, "<text x=\"%.1f\" y=\"%.1f\">", area.left - 6,
                 bottom - y / plot->y_max * area.height + 4);
        svg_number(svg, y);
        text_add(svg, "</text>\n");
    }
    text_add(svg, "</g>\n<g fill=\"#222\" text-anchor=\"middle\">\n");
    step = svg_step(plot->x_max);
    for (double x = 0; x <= plot->x_max * 1.0001; x += step) {
        text_add(svg, "<text x=\"%.1f\" y=\"%.1f\">", area.left + x / plot->x_max * area.width,
                 bottom + 16);
        svg_number(svg, x);
        text_add(svg, "</text>\n");
    }
    text_add(svg, "<text x=\"%.1f\" y=\"%.1f\">cycle</text>\n", area.left + area.width / 2,
             bottom + 36);
    if (plot->measure && *plot->measure) {
        text_add(svg, "<text transform=\"translate(14 %.1f) rotate(-90)\">",
                 area.top + area.height / 2);
        svg_text(svg, plot->measure);
        text_add(svg, "%s</text>\n", plot->options->traffic ? "" : " per interval");
    }
    text_add(svg, "</g>\n<path d=\"M%.1f %.1fv%.1fh%.1f\" stroke=\"#222\" fill=\"none\"/>\n",
             area.left, area.top, area.height, area.width);
}

static void point_draw(const struct plot *plot, struct svg_area area, double x, double y,
                       struct text *svg)
{
    text_add(svg, "%.1f %.1f", area.left + x / plot->x_max * area.width,
             area.top + area.height * (1 - y / plot->y_max));
}

static void line_draw(const struct plot *plot, u32 number, struct svg_area area, struct text *svg)
{
    const struct line *line = &plot->lines[number];
    bool down = false;
    text_add(svg, "<path class=\"line\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
             svg_colours[number]);
    for (u32 i = 0; i < line->count; i++) {
        if (isnan(line->y[i])) {
            down = false;
            continue;
        }
        text_add(svg, down ? "L" : "M");
        point_draw(plot, area, line->x[i], line->y[i], svg);
        down = true;
    }
    text_add(svg, "\"/>\n");
}

/* From the first interval's end to the last's: along the line, and back along the one below. */
static void area_draw(const struct plot *plot, u32 number, struct svg_area area, struct text *svg)
{
    const struct line *line = &plot->lines[number], *below = number ? line - 1 : NULL;
    text_add(svg, "<path class=\"area\" fill=\"%s\" d=\"", svg_colours[number]);
    for (u32 i = 0; i < line->count; i++) {
        text_add(svg, i ? "L" : "M");
        point_draw(plot, area, line->x[i], line->y[i], svg);
    }
    for (u32 i = line->count; i-- > 0;) {
        text_add(svg, "L");
        point_draw(plot, area, line->x[i], below ? below->y[i] : 0, svg);
    }
    text_add(svg, "z\"/>\n");
}

static void plot_write(struct plot *plot, struct text *svg)
{
    const struct plot_options *options = plot->options;
    double legend = LEGEND_LINE * plot->line_count;
    struct svg_area area = {
        MARGIN_LEFT, MARGIN_TOP + legend, (double)options->width - MARGIN_LEFT - MARGIN_RIGHT,
        fmax((double)options->height - MARGIN_TOP - MARGIN_BOTTOM - legend, 20)
    };
    plot->y_max = plot->y_max > 0 ? plot->y_max : 1;
    plot->x_max = plot->x_max > 0 ? plot->x_max : 1;
    double height = area.top + area.height + MARGIN_BOTTOM;
    svg_begin(svg, options->width, height);
    axes_draw(plot, area, svg);
    for (u32 i = 0; i < plot->line_count; i++)
        (options->traffic ? area_draw : line_draw)(plot, i, area, svg);
    for (u32 i = 0; i < plot->line_count; i++) {
        double y = MARGIN_TOP + LEGEND_LINE * i;
        text_add(svg, "<path d=\"M%d %.1fh20\" stroke=\"%s\" stroke-width=\"%d\"/>\n", MARGIN_LEFT,
                 y, svg_colours[i], options->traffic ? 10 : 2);
        text_add(svg, "<text x=\"%d\" y=\"%.1f\" fill=\"#222\">", MARGIN_LEFT + 26, y + 4);
        svg_text(svg, plot->lines[i].label);
        text_add(svg, "</text>\n");
    }
    text_add(svg, "</svg>\n");
}

bool plot_draw(const struct plot_options *options, struct text *svg, struct ogv_error *error)
{
    struct plot plot = { .options = options };
    bool good = true;
    for (u32 i = 0; good && i < options->folder_count; i++)
        good = plot_read(&plot, options->folders[i], error);
    if (good && !plot.line_count)
        good = error_user(error, "--series: names of statistics are needed, as in "
                                 "sm.l1.hit_rate,sm.core.issued");
    if (good)
        plot_write(&plot, svg);
    for (u32 i = 0; i < plot.line_count; i++) {
        free(plot.lines[i].label);
        free(plot.lines[i].x);
        free(plot.lines[i].y);
    }
    free(plot.measure);
    return good;
}
