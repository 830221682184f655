/* sweep_plot.c - `ogive sweep plot`: statistics of a study's runs as a figure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/sweep.h"
#include "cli/values.h"
#include "explore/reference.h"
#include "explore/table.h"
#include "report/chart.h"

#define PLOT_WIDTH  800
#define PLOT_HEIGHT 450
#define PLOT_LEAST  200
#define PLOT_MOST   10000

struct plot_arguments {
    struct text_list rest, stats;
    const char *store, *kind, *x, *series, *relative, *reference, *column, *size, *out, *title;
    bool geometric;
    u32 width, height;
};

/* ---- Figures of a table ---- */

static char **labels_make(const struct table *table, const struct table_axes *axes,
                          const struct table_key *keys, u32 count)
{
    char **labels = heap_array(count + 1, sizeof *labels);
    for (u32 i = 0; i < count; i++)
        labels[i] = table_label(table, axes, &keys[i]);
    return labels;
}

static void labels_free(char **labels, u32 count)
{
    for (u32 i = 0; i < count; i++)
        free(labels[i]);
    free(labels);
}

/* Numbers where the labels are some; powers of two if they double on the way. */
static double *places_find(char **labels, u32 count, bool *log_x)
{
    double *places = heap_array(count + 1, sizeof *places);
    *log_x = count > 2;
    for (u32 i = 0; i < count; i++) {
        if (!label_number(labels[i], &places[i])) {
            free(places);
            *log_x = false;
            return NULL;
        }
        if (places[i] <= 0 || (i && fabs(places[i] / places[i - 1] - 2) > 1e-9))
            *log_x = false;
    }
    return places;
}

/* One series for each column, or each statistic where there is one column. */
static double *values_make(const struct table *table, u32 series)
{
    double *values = heap_array((size_t)series * table->row_count + 1, sizeof *values);
    bool stats = table->column_count == 1;
    for (u32 s = 0; s < series; s++)
        for (u32 r = 0; r < table->row_count; r++)
            values[(size_t)s * table->row_count + r] =
                table_value(table, r, stats ? 0 : s, stats ? s : 0);
    return values;
}

static bool table_chart(const struct plot_arguments *a, const struct table *table,
                        enum chart_kind kind, struct text *svg, struct ogv_error *error)
{
    bool stats = table->column_count == 1;
    u32 series = stats ? table->stat_count : table->column_count;
    struct chart chart = { .kind = kind, .width = a->width, .height = a->height };
    chart.title = a->title ? a->title : table->manifest->study;
    chart.x_title = a->x;
    char *y_title = table_heading(&table->stats[0]);
    chart.y_title = kind == CHART_HEAT ? (a->series ? a->series : "") : y_title;
    chart.category_count = table->row_count;
    chart.categories = labels_make(table, &table->row_axes, table->rows, table->row_count);
    chart.series_count = series;
    if (stats) {
        chart.series = heap_array(series + 1, sizeof *chart.series);
        for (u32 i = 0; i < series; i++)
            chart.series[i] = heap_copy(table->stats[i].label);
    } else {
        chart.series = labels_make(table, &table->column_axes, table->columns, series);
    }
    double *values = values_make(table, series);
    double *places = kind == CHART_LINES
                         ? places_find(chart.categories, chart.category_count, &chart.log_x)
                         : NULL;
    chart.values = values;
    chart.x = places;
    bool good = chart_draw(&chart, svg, error);
    labels_free(chart.categories, chart.category_count);
    labels_free(chart.series, series);
    free(y_title);
    free(values);
    free(places);
    return good;
}

/* ---- Against reference numbers ---- */

static bool scatter_chart(const struct plot_arguments *a, const struct table *table,
                          struct text *svg, struct ogv_error *error)
{
    const struct manifest *manifest = table->manifest;
    double *reference = heap_array(manifest->count + 1, sizeof *reference);
    double *values = heap_array(manifest->count + 1, sizeof *values);
    char **names = heap_array(manifest->count + 1, sizeof *names);
    for (u32 i = 0; i < manifest->count; i++) {
        names[i] = sweep_point_words(manifest, &manifest->runs[i]);
        values[i] = table->of_runs[(size_t)i * table->stat_count];
    }
    struct chart chart = { .kind = CHART_SCATTER,
                           .width = a->width,
                           .height = a->height,
                           .title = a->title ? a->title : manifest->study,
                           .x_title = a->column ? a->column : "reference",
                           .y_title = table->stats[0].label,
                           .categories = names,
                           .category_count = manifest->count,
                           .x = reference,
                           .series_count = 1,
                           .values = values };
    bool good = reference_read(manifest, a->reference, a->column, reference, error) &&
                chart_draw(&chart, svg, error);
    if (good) {
        struct chart_fit fit = chart_fit(reference, values, manifest->count);
        printf("%u points, mean error %.2f%%, correlation %.4f\n", fit.count, 100 * fit.mean_error,
               fit.correlation);
    }
    labels_free(names, manifest->count);
    free(reference);
    free(values);
    return good;
}

/* ---- The command ---- */

static int plot_do(const struct plot_arguments *a, const struct store *store,
                   const struct manifest *manifest, enum chart_kind kind)
{
    struct table_options options = { .stats = a->stats.items,
                                     .stat_count = a->stats.count,
                                     .rows = a->x,
                                     .columns = a->series,
                                     .relative = a->relative,
                                     .geometric = a->geometric };
    struct table table;
    struct ogv_error error;
    struct text svg = { 0 };
    if (!table_make(store, manifest, &options, &table, &error))
        return fail(&error);
    bool good = true;
    if (table.column_count > 1 && table.stat_count > 1)
        good = error_user(&error, "sweep plot: several statistics, or --series, but not both");
    good = good &&
           (kind == CHART_SCATTER ? scatter_chart(a, &table, &svg, &error)
                                  : table_chart(a, &table, kind, &svg, &error)) &&
           chart_save(&svg, a->out, &error);
    if (good)
        printf("%s\n", a->out);
    text_fini(&svg);
    table_fini(&table);
    return good ? EXIT_GOOD : fail(&error);
}

static bool plot_check(const struct command *self, struct plot_arguments *a, u32 *kind)
{
    struct ogv_error error;
    const char *dot = a->out ? strrchr(a->out, '.') : NULL;
    const char *ending = dot && !strcmp(dot, ".png") ? ".png" : ".svg";
    if (dot && strcmp(dot, ".png") && strcmp(dot, ".svg")) {
        say_error("sweep plot: --out %s: a name that ends in .svg or .png is needed", a->out);
        return false;
    }
    *kind = a->reference ? CHART_SCATTER : CHART_LINES;
    if (a->kind && !word_read("sweep plot", "kind", a->kind, chart_kind_names, kind))
        return false;
    bool scatter = *kind == CHART_SCATTER;
    if (!a->out || (!a->x && !scatter) || scatter != !!a->reference) {
        say_error("sweep plot: needs -o, and either --x or --reference; usage: ogive %s %s",
                  self->name, self->usage);
        return false;
    }
    return (output_check("sweep plot: --out", a->out, ending, &error) &&
            (!a->size ||
             pixels_read(a->size, PLOT_LEAST, PLOT_MOST, &a->width, &a->height, &error))) ||
           fail(&error) == EXIT_GOOD;
}

int sweep_plot(const struct command *self, int argc, char **argv)
{
    struct plot_arguments a = { .width = PLOT_WIDTH, .height = PLOT_HEIGHT };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "stat", "NAME", "as of `ogive sweep table` (default: cycles)", OPTION_LIST, &a.stats },
        { 0, "kind", "lines|bars|heat|scatter", "default: lines; scatter with --reference",
          OPTION_TEXT, &a.kind },
        { 0, "x", "AXIS", "along x", OPTION_TEXT, &a.x },
        { 0, "series", "AXIS", "a line or bar for each of its values; rows of a heat map",
          OPTION_TEXT, &a.series },
        { 0, "relative", "AXIS=VALUE", "to the run that has this value, and all others alike",
          OPTION_TEXT, &a.relative },
        { 0, "geometric", NULL, "means are geometric ones", OPTION_FLAG, &a.geometric },
        { 0, "reference", "FILE.csv",
          "numbers to compare with: columns named like axes, and `reference`", OPTION_TEXT,
          &a.reference },
        { 0, "reference-column", "NAME", "instead of `reference`", OPTION_TEXT, &a.column },
        { 0, "title", "TEXT", "default: the name of the study", OPTION_TEXT, &a.title },
        { 0, "size", "WxH", "pixels (default: 800x450)", OPTION_TEXT, &a.size },
        { 'o', "out", "FILE.svg", "file for the figure, .svg or .png", OPTION_TEXT, &a.out },
        { 0 },
    };
    struct store store;
    u32 kind;
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        code = EXIT_USER;
        struct manifest *manifest =
            plot_check(self, &a, &kind)
                ? sweep_open(self, &a.rest, a.store, STORE_READ, &store, &code)
                : NULL;
        if (manifest) {
            code = plot_do(&a, &store, manifest, (enum chart_kind)kind);
            manifest_destroy(manifest);
            store_close(&store);
        }
    }
    list_fini(&a.rest);
    list_fini(&a.stats);
    return code;
}
