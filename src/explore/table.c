/* table.c - see table.h. */
#include "explore/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "explore/index.h"
#include "unit/quantity.h"

#define FIGURE_BYTES 128

/* ---- Statistics ---- */

static bool name_known(const struct index *index, const char *name)
{
    for (u32 i = 0; i < index->names_count; i++)
        if (figure_find(index->names[i], name) != UINT32_MAX)
            return true;
    return false;
}

static bool name_unknown(const struct index *index, const char *name, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[300];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < index->names_count; i++)
        for (u32 k = 0; k < index->names[i]->count; k++)
            nearest_offer(&nearest, index->names[i]->names[k]);
    return error_user(error, "no run has the statistic '%s'%s", name,
                      nearest_hint(&nearest, hint, sizeof hint));
}

static const char *unit_of(const struct index *index, const char *name)
{
    for (u32 i = 0; i < index->names_count; i++) {
        u32 figure = figure_find(index->names[i], name);
        if (figure != UINT32_MAX)
            return index->names[i]->units[figure];
    }
    return "";
}

static bool stat_read(struct table *table, const char *text, struct ogv_error *error)
{
    if (table->stat_count == TABLE_STATS_MAX)
        return error_user(error, "a table has at most %d statistics", TABLE_STATS_MAX);
    struct table_stat *stat = &table->stats[table->stat_count++];
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    stat->label = text_format("%.*s", (int)length, text);
    stat->unit = "";
    stat->formula = formula_parse(equals ? equals + 1 : text, error);
    if (!stat->formula)
        return false;
    for (u32 i = 0; i < stat->formula->step_count; i++) {
        const char *name = stat->formula->steps[i].name;
        if (name && table->index->names_count && !name_known(table->index, name))
            return name_unknown(table->index, name, error);
        if (name && stat->formula->step_count == 1)
            stat->unit = unit_of(table->index, name);
    }
    return true;
}

static double figure_number(void *context, const char *name)
{
    const struct index_row *row = context;
    char digits[FIGURE_BYTES], *end;
    u32 figure = row->names ? figure_find(row->names, name) : UINT32_MAX;
    if (figure == UINT32_MAX || !row_figure(row, figure, digits, sizeof digits))
        return NAN;
    double value = strtod(digits, &end);
    return *end ? NAN : value;
}

static void runs_value(struct table *table)
{
    const struct manifest *manifest = table->manifest;
    table->of_runs =
        heap_array((size_t)manifest->count * table->stat_count + 1, sizeof *table->of_runs);
    for (u32 i = 0; i < manifest->count; i++) {
        const struct index_row *row = index_find(table->index, manifest->runs[i].key);
        bool done = row && row->outcome.class == CLASS_DONE;
        table->done += done;
        for (u32 s = 0; s < table->stat_count; s++)
            table->of_runs[(size_t)i * table->stat_count + s] =
                done ? formula_value(table->stats[s].formula, figure_number, (void *)(uintptr_t)row)
                     : NAN;
    }
}

/* ---- Axes ---- */

static bool axes_have(const struct table_axes *axes, u32 axis)
{
    for (u32 i = 0; i < axes->count; i++)
        if (axes->axes[i] == axis)
            return true;
    return false;
}

static bool axis_find(const struct manifest *manifest, const char *name, u32 *axis,
                      struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    *axis = manifest_axis_find(manifest, name);
    if (*axis != UINT32_MAX)
        return true;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < manifest->axis_count; i++)
        nearest_offer(&nearest, manifest->axes[i].name);
    return error_user(error, "study '%s' has no axis '%s'%s", manifest->study, name,
                      nearest_hint(&nearest, hint, sizeof hint));
}

static bool axes_read(const struct manifest *manifest, const char *text, struct table_axes *axes,
                      struct ogv_error *error)
{
    for (const char *at = text; at && *at;) {
        size_t length = strcspn(at, ",");
        char *name = text_format("%.*s", (int)length, at);
        u32 axis;
        bool good = axis_find(manifest, name, &axis, error);
        if (good && axes_have(axes, axis))
            good = error_user(error, "axis '%s' is named twice", name);
        free(name);
        if (!good)
            return false;
        axes->axes[axes->count++] = axis;
        at += length + (at[length] == ',');
    }
    return true;
}

/* Rows are for the axes that columns leave, but for seeds, and what has one value only. */
static void rows_default(struct table *table)
{
    const struct manifest *manifest = table->manifest;
    for (u32 i = 0; i < manifest->axis_count; i++) {
        bool seeds = manifest->repeats && i + 1 == manifest->axis_count;
        if (!seeds && manifest->axes[i].count > 1 && !axes_have(&table->column_axes, i))
            table->row_axes.axes[table->row_axes.count++] = i;
    }
    if (!table->row_axes.count && !table->column_axes.count && manifest->axis_count)
        table->row_axes.axes[table->row_axes.count++] = 0;
}

static bool table_axes_choose(struct table *table, const struct table_options *options,
                              struct ogv_error *error)
{
    if (!axes_read(table->manifest, options->rows, &table->row_axes, error) ||
        !axes_read(table->manifest, options->columns, &table->column_axes, error))
        return false;
    for (u32 i = 0; i < table->row_axes.count; i++)
        if (axes_have(&table->column_axes, table->row_axes.axes[i]))
            return error_user(error, "axis '%s' is for rows and columns",
                              table->manifest->axes[table->row_axes.axes[i]].name);
    if (!options->rows)
        rows_default(table);
    return true;
}

/* ---- Keys ---- */

static int key_compare(const void *a, const void *b)
{
    const struct table_key *first = a, *second = b;
    for (u32 i = 0; i < STUDY_AXES_MAX; i++)
        if (first->at[i] != second->at[i])
            return first->at[i] < second->at[i] ? -1 : 1;
    return 0;
}

/* Places are in the order in which the axes are named, so that the first one changes slowest. */
static struct table_key key_of(const struct table_axes *axes, const struct manifest_run *run)
{
    struct table_key key;
    memset(&key, 0, sizeof key);
    for (u32 i = 0; i < axes->count; i++)
        key.at[i] = run->at[axes->axes[i]];
    return key;
}

static struct table_key *keys_find(const struct manifest *manifest, const struct table_axes *axes,
                                   u32 *count)
{
    struct table_key *keys = heap_array(manifest->count + 1, sizeof *keys);
    *count = 0;
    for (u32 i = 0; i < manifest->count; i++)
        keys[i] = key_of(axes, &manifest->runs[i]);
    qsort(keys, manifest->count, sizeof *keys, key_compare);
    for (u32 i = 0; i < manifest->count; i++)
        if (!i || key_compare(&keys[i], &keys[*count - 1]))
            keys[(*count)++] = keys[i];
    return keys;
}

static u32 key_place(const struct table_key *keys, u32 count, struct table_key key)
{
    const struct table_key *found = bsearch(&key, keys, count, sizeof *keys, key_compare);
    return (u32)(found - keys);
}

/* ---- Relative to a run ---- */

struct baseline {
    const struct manifest *manifest;
    struct table_key to;   /* by axis: AXIS_NONE where nothing is said */
    struct table_key *all; /* of all runs, sorted, with */
    u32 *runs;             /* the run of each */
};

static bool baseline_part(struct baseline *baseline, const char *part, struct ogv_error *error)
{
    const char *equals = strchr(part, '=');
    struct nearest nearest;
    char hint[128];
    u32 axis;
    if (!equals)
        return error_user(error, "--relative %s: write AXIS=VALUE", part);
    char *name = text_format("%.*s", (int)(equals - part), part);
    bool good = axis_find(baseline->manifest, name, &axis, error);
    free(name);
    if (!good)
        return false;
    const struct manifest_axis *row = &baseline->manifest->axes[axis];
    nearest_init(&nearest, equals + 1);
    for (u32 i = 0; i < row->count; i++) {
        if (!strcmp(row->labels[i], equals + 1)) {
            baseline->to.at[axis] = i;
            return true;
        }
        nearest_offer(&nearest, row->labels[i]);
    }
    return error_user(error, "axis '%s' has no value '%s'%s", row->name, equals + 1,
                      nearest_hint(&nearest, hint, sizeof hint));
}

struct keyed_run {
    struct table_key key;
    u32 run;
};

static bool baseline_read(struct baseline *baseline, const char *text, struct ogv_error *error)
{
    memset(&baseline->to, 0xff, sizeof baseline->to);
    bool good = true;
    for (const char *at = text; good && *at;) {
        size_t length = strcspn(at, ",");
        char *part = text_format("%.*s", (int)length, at);
        good = baseline_part(baseline, part, error);
        free(part);
        at += length + (at[length] == ',');
    }
    return good;
}

static struct keyed_run *runs_sort(const struct manifest *manifest)
{
    struct keyed_run *runs = heap_array(manifest->count + 1, sizeof *runs);
    for (u32 i = 0; i < manifest->count; i++) {
        memcpy(runs[i].key.at, manifest->runs[i].at, sizeof runs[i].key.at);
        runs[i].run = i;
    }
    qsort(runs, manifest->count, sizeof *runs, key_compare);
    return runs;
}

/* Divides each run's values by those of the run that it is compared with. */
static bool runs_relate(struct table *table, const char *relative, struct ogv_error *error)
{
    const struct manifest *manifest = table->manifest;
    struct baseline baseline = { .manifest = manifest };
    if (!baseline_read(&baseline, relative, error))
        return false;
    struct keyed_run *sorted = runs_sort(manifest);
    size_t values = (size_t)manifest->count * table->stat_count;
    double *plain = heap_array(values + 1, sizeof *plain);
    memcpy(plain, table->of_runs, values * sizeof *plain);
    for (u32 i = 0; i < manifest->count; i++) {
        struct keyed_run wanted = { .run = i };
        memcpy(wanted.key.at, manifest->runs[i].at, sizeof wanted.key.at);
        for (u32 a = 0; a < manifest->axis_count; a++)
            if (baseline.to.at[a] != AXIS_NONE)
                wanted.key.at[a] = baseline.to.at[a];
        const struct keyed_run *base =
            bsearch(&wanted, sorted, manifest->count, sizeof *sorted, key_compare);
        for (u32 s = 0; s < table->stat_count; s++)
            table->of_runs[(size_t)i * table->stat_count + s] =
                base ? plain[(size_t)i * table->stat_count + s] /
                           plain[(size_t)base->run * table->stat_count + s]
                     : NAN;
    }
    for (u32 s = 0; s < table->stat_count; s++)
        table->stats[s].unit = "relative";
    free(plain);
    free(sorted);
    return true;
}

/* ---- Cells ---- */

static void cells_fill(struct table *table, bool geometric)
{
    const struct manifest *manifest = table->manifest;
    size_t cells = (size_t)table->row_count * table->column_count * table->stat_count;
    u32 *counts = heap_array(cells + 1, sizeof *counts);
    table->values = heap_array(cells + 1, sizeof *table->values);
    for (u32 i = 0; i < manifest->count; i++) {
        u32 row =
            key_place(table->rows, table->row_count, key_of(&table->row_axes, &manifest->runs[i]));
        u32 column = key_place(table->columns, table->column_count,
                               key_of(&table->column_axes, &manifest->runs[i]));
        for (u32 s = 0; s < table->stat_count; s++) {
            double value = table->of_runs[(size_t)i * table->stat_count + s];
            size_t cell = ((size_t)row * table->column_count + column) * table->stat_count + s;
            if (isnan(value))
                continue;
            table->values[cell] += geometric ? log(value) : value;
            counts[cell]++;
        }
    }
    for (size_t i = 0; i < cells; i++) {
        double mean = counts[i] ? table->values[i] / counts[i] : NAN;
        table->values[i] = geometric ? exp(mean) : mean;
    }
    free(counts);
}

double table_value(const struct table *table, u32 row, u32 column, u32 stat)
{
    return table->values[((size_t)row * table->column_count + column) * table->stat_count + stat];
}

static bool table_fill(struct table *table, const struct table_options *options,
                       struct ogv_error *error)
{
    static const char *const usual[] = { "cycles" };
    const char *const *stats = options->stat_count ? options->stats : usual;
    for (u32 i = 0; i < (options->stat_count ? options->stat_count : 1); i++)
        if (!stat_read(table, stats[i], error))
            return false;
    if (!table_axes_choose(table, options, error))
        return false;
    runs_value(table);
    if (options->relative && !runs_relate(table, options->relative, error))
        return false;
    table->rows = keys_find(table->manifest, &table->row_axes, &table->row_count);
    table->columns = keys_find(table->manifest, &table->column_axes, &table->column_count);
    cells_fill(table, options->geometric);
    return true;
}

bool table_make(const struct store *store, const struct manifest *manifest,
                const struct table_options *options, struct table *table, struct ogv_error *error)
{
    *table = (struct table){ .manifest = manifest, .index = heap_array(1, sizeof *table->index) };
    if (index_load(store, table->index, error) && table_fill(table, options, error))
        return true;
    table_fini(table);
    return false;
}

void table_fini(struct table *table)
{
    for (u32 i = 0; i < table->stat_count; i++) {
        free(table->stats[i].label);
        formula_free(table->stats[i].formula);
    }
    if (table->index)
        index_fini(table->index);
    free(table->index);
    free(table->rows);
    free(table->columns);
    free(table->values);
    free(table->of_runs);
    *table = (struct table){ 0 };
}

char *table_label(const struct table *table, const struct table_axes *axes,
                  const struct table_key *key)
{
    struct text label = { 0 };
    for (u32 i = 0; i < axes->count; i++)
        text_add(&label, "%s%s", i ? ", " : "",
                 key->at[i] == AXIS_NONE ? AXIS_NONE_LABEL
                                         : table->manifest->axes[axes->axes[i]].labels[key->at[i]]);
    text_add(&label, "%s", "");
    return label.chars;
}
