/* samples.c - see samples.h: the statistics of groups. */
#include "report/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define BINS_LEAST 50

struct stats_table *samples_table(const struct result *result, struct ogv_error *error)
{
    char *path = text_format("%s/series.csv", result->folder);
    struct stats_table *table = NULL;
    *error = (struct ogv_error){ 0 };
    if (file_exists(path))
        table = table_read(path, error);
    free(path);
    cycle before = 0;
    for (u32 i = 0; table && i < table->line_count; i++) {
        if (table->ends[i] <= before) {
            error_user(error, "%s/series.csv:%u: cycles must grow from line to line",
                       result->folder, i + 2);
            table_free(table);
            return NULL;
        }
        before = table->ends[i];
    }
    if (table && !table->line_count) {
        table_free(table);
        return NULL;
    }
    return table;
}

cycle samples_start(const struct result *result, cycle first_end)
{
    const json_t *options = json_object_get(result->run, "options");
    json_int_t interval = json_integer_value(json_object_get(options, "interval_cycles"));
    if (interval <= 0 || !first_end)
        return 0;
    return (first_end - 1) / (cycle)interval * (cycle)interval;
}

/* What to do with a column when intervals are put together. */
enum merge { MERGE_NOT, MERGE_SUM, MERGE_MAX };

static enum merge column_merge(const struct result *result, const char *column)
{
    const char *dot = strrchr(column, '.');
    if (!strncmp(column, "links[", 6))
        return MERGE_SUM;
    for (u32 i = 0; dot && i < result->group_count; i++) {
        const struct result_group *group = &result->groups[i];
        size_t length = strlen(group->path);
        if ((size_t)(dot - column) != length || strncmp(column, group->path, length))
            continue;
        const json_t *row = json_object_get(group->rows, dot + 1);
        const char *over = json_string_value(json_object_get(row, "over_units"));
        if (!over || !strcmp(over, "ratio"))
            return MERGE_NOT;
        return strcmp(over, "max") ? MERGE_SUM : MERGE_MAX;
    }
    return MERGE_NOT;
}

static double bin_value(const struct stats_table *table, u32 column, enum merge merge, u32 first,
                        u32 end)
{
    double value = 0;
    for (u32 line = first; line < end; line++) {
        double number = table_number(table, line, column);
        if (isfinite(number))
            value = merge == MERGE_MAX ? fmax(value, number) : value + number;
    }
    return value;
}

static void number_write(struct text *json, double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        text_add(json, "%.0f", value);
    else
        text_add(json, "%.7g", value);
}

static void name_write(struct text *json, const char *name)
{
    json_t *string = json_string(name);
    char *text = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    text_add(json, "%s", text ? text : "\"\"");
    free(text);
    json_decref(string);
}

static u32 bin_first(const struct stats_table *table, u32 bins, u32 bin)
{
    return (u32)((u64)bin * table->line_count / bins);
}

static void column_write(const struct stats_table *table, u32 column, enum merge merge, u32 bins,
                         struct text *json, bool *first)
{
    double *values = heap_array(bins, sizeof *values);
    bool any = false;
    for (u32 b = 0; b < bins; b++) {
        values[b] = bin_value(table, column, merge, bin_first(table, bins, b),
                              bin_first(table, bins, b + 1));
        any = any || values[b] != 0;
    }
    if (any) {
        text_add(json, *first ? "\n" : ",\n");
        name_write(json, table->columns[column]);
        text_add(json, ":[");
        for (u32 b = 0; b < bins; b++) {
            if (b)
                text_add_bytes(json, ",", 1);
            number_write(json, values[b]);
        }
        text_add(json, "]");
        *first = false;
    }
    free(values);
}

static void table_write(const struct result *result, const struct stats_table *table, u64 numbers,
                        struct text *json)
{
    u32 fit = (u32)min_u64(numbers / table->column_count, UINT32_MAX);
    u32 bins = fit < BINS_LEAST ? BINS_LEAST : fit;
    bool first = true;
    if (bins > table->line_count)
        bins = table->line_count;
    text_add(json, "{\"start\":%llu,\"intervals\":%u,\"ends\":[",
             (unsigned long long)samples_start(result, table->ends[0]), table->line_count);
    for (u32 b = 0; b < bins; b++)
        text_add(json, "%s%llu", b ? "," : "",
                 (unsigned long long)table->ends[bin_first(table, bins, b + 1) - 1]);
    text_add(json, "],\"columns\":{");
    for (u32 c = 1; c < table->column_count; c++) {
        enum merge merge = column_merge(result, table->columns[c]);
        if (merge != MERGE_NOT)
            column_write(table, c, merge, bins, json, &first);
    }
    text_add(json, "}}");
}

bool samples_write(const struct result *result, u64 numbers, struct text *json,
                   struct ogv_error *error)
{
    struct stats_table *table = samples_table(result, error);
    if (!table && error->kind)
        return false;
    if (table)
        table_write(result, table, numbers, json);
    else
        text_add(json, "null");
    table_free(table);
    return true;
}
