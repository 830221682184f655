/* stats_answer.c - the answer of a query as a table, as CSV or as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/stats_query.h"

bool answer_value(const struct query_row *row, u32 interval, double *value)
{
    double above = row->above[interval], below = row->below[interval];
    *value = above;
    if (row->kind == KIND_MEAN)
        *value = above / row->units;
    else if (row->kind == KIND_RATIO && below > 0)
        *value = above / below;
    return row->kind != KIND_RATIO || below > 0;
}

#define WHOLE_MAX    9e15 /* whole numbers below are exact */
#define VALUE_DIGITS 12

static bool value_whole(double value)
{
    return fabs(value) < WHOLE_MAX && !(floor(value) < value);
}

/* Whole numbers as such, others with that many digits; `undefined` where there is no value. */
static void value_words(const struct query_row *row, u32 interval, int digits,
                        const char *undefined, char *buffer, size_t size)
{
    double value;
    bool defined = answer_value(row, interval, &value);
    if (row->words || !defined)
        snprintf(buffer, size, "%s", row->words ? row->words : undefined);
    else if (value_whole(value))
        snprintf(buffer, size, "%.0f", value);
    else
        snprintf(buffer, size, "%.*g", digits, value);
}

#define DIGITS_TABLE 6
#define DIGITS_FILE  12

/* ---- Table ---- */

/* Nothing but zeros says little, unless it was asked for. */
static bool row_is_shown(const struct query_answer *answer, const struct query_row *row)
{
    bool shown = answer->all || row->named || row->words;
    double value;
    for (u32 t = 0; t < answer->interval_count && !shown; t++)
        shown = answer_value(row, t, &value) && fabs(value) > 0;
    return shown;
}

static void table_add_rest(const struct query_answer *answer, struct text *out)
{
    u32 left_out = 0;
    for (u32 i = 0; i < answer->row_count; i++)
        left_out += !row_is_shown(answer, &answer->rows[i]);
    if (left_out)
        text_add(out, "%u more that are 0 or undefined; --all shows them\n", left_out);
}

static void table_rows(const struct query_answer *answer, struct text *out)
{
    text_add(out, "%-44s %20s %-14s %6s  %s\n", "statistic", "value", "unit", "units", "meaning");
    for (u32 i = 0; i < answer->row_count; i++) {
        const struct query_row *row = &answer->rows[i];
        char value[40], units[16] = "";
        if (!row_is_shown(answer, row))
            continue;
        value_words(row, 0, DIGITS_TABLE, "undefined", value, sizeof value);
        if (row->units)
            snprintf(units, sizeof units, "%u", row->units);
        text_add(out, "%-44s %20s %-14s %6s  %s\n", row->name, value, row->measure, units,
                 row->help);
    }
}

static void table_intervals(const struct query_answer *answer, struct text *out)
{
    bool *shown = heap_array((size_t)answer->row_count + 1, sizeof *shown);
    text_add(out, "%12s", "cycle");
    for (u32 i = 0; i < answer->row_count; i++) {
        shown[i] = row_is_shown(answer, &answer->rows[i]);
        if (shown[i])
            text_add(out, "  %14s", answer->rows[i].name);
    }
    text_add(out, "\n");
    for (u32 t = 0; t < answer->interval_count; t++) {
        text_add(out, "%12llu", (unsigned long long)answer->ends[t]);
        for (u32 i = 0; i < answer->row_count; i++) {
            const struct query_row *row = &answer->rows[i];
            int width = (int)strlen(row->name) > 14 ? (int)strlen(row->name) : 14;
            char value[40];
            value_words(row, t, DIGITS_TABLE, "-", value, sizeof value);
            if (shown[i])
                text_add(out, "  %*s", width, value);
        }
        text_add(out, "\n");
    }
    free(shown);
}

/* ---- CSV ---- */

static void csv_words(struct text *out, const char *words)
{
    text_add(out, "\"");
    for (; *words; words++)
        text_add(out, *words == '"' ? "\"\"" : "%c", *words);
    text_add(out, "\"");
}

static void csv_rows(const struct query_answer *answer, struct text *out)
{
    text_add(out, "statistic,value,unit,units,meaning\n");
    for (u32 i = 0; i < answer->row_count; i++) {
        const struct query_row *row = &answer->rows[i];
        char value[40];
        value_words(row, 0, DIGITS_FILE, "", value, sizeof value);
        text_add(out, "%s,%s,%s,%u,", row->name, value, row->measure, row->units);
        csv_words(out, row->help);
        text_add(out, "\n");
    }
}

static void csv_intervals(const struct query_answer *answer, struct text *out)
{
    char value[40];
    text_add(out, "cycle");
    for (u32 i = 0; i < answer->row_count; i++)
        text_add(out, ",%s", answer->rows[i].name);
    text_add(out, "\n");
    for (u32 t = 0; t < answer->interval_count; t++) {
        text_add(out, "%llu", (unsigned long long)answer->ends[t]);
        for (u32 i = 0; i < answer->row_count; i++) {
            value_words(&answer->rows[i], t, DIGITS_FILE, "", value, sizeof value);
            text_add(out, ",%s", value);
        }
        text_add(out, "\n");
    }
}

/* ---- JSON ---- */

static json_t *json_value(const struct query_row *row, u32 interval)
{
    double value;
    if (row->words)
        return json_string(row->words);
    if (!answer_value(row, interval, &value))
        return json_null();
    return value_whole(value) ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *json_values(const struct query_answer *answer, const struct query_row *row)
{
    json_t *values = json_array();
    for (u32 t = 0; t < answer->interval_count; t++)
        json_array_append_new(values, json_value(row, t));
    return values;
}

/* One row at a time: intervals of all units of a large chip need not be in memory twice. */
static void json_row(const struct query_answer *answer, const struct query_row *row,
                     struct text *out)
{
    json_t *object = json_pack("{ss ss ss sI}", "name", row->name, "unit", row->measure, "help",
                               row->help, "units", (json_int_t)row->units);
    if (answer->per_interval)
        json_object_set_new(object, "values", json_values(answer, row));
    else
        json_object_set_new(object, "value", json_value(row, 0));
    char *words = json_dumps(object, JSON_REAL_PRECISION(VALUE_DIGITS));
    text_add(out, "  %s", words ? words : "null");
    free(words);
    json_decref(object);
}

static void json_all(const struct query_answer *answer, struct text *out)
{
    text_add(out, "{\n \"first_cycle\": %llu,\n \"last_cycle\": %llu,\n",
             (unsigned long long)answer->start,
             (unsigned long long)answer->ends[answer->interval_count - 1]);
    if (answer->per_interval) {
        text_add(out, " \"cycles\": [");
        for (u32 t = 0; t < answer->interval_count; t++)
            text_add(out, "%s%llu", t ? ", " : "", (unsigned long long)answer->ends[t]);
        text_add(out, "],\n");
    }
    text_add(out, " \"statistics\": [\n");
    for (u32 i = 0; i < answer->row_count; i++) {
        json_row(answer, &answer->rows[i], out);
        text_add(out, "%s\n", i + 1 < answer->row_count ? "," : "");
    }
    text_add(out, " ]\n}\n");
}

void answer_write(const struct query_answer *answer, enum query_format format, struct text *out)
{
    if (format == QUERY_JSON) {
        json_all(answer, out);
    } else if (format == QUERY_CSV) {
        (answer->per_interval ? csv_intervals : csv_rows)(answer, out);
    } else {
        text_add(out, "cycles %llu to %llu\n", (unsigned long long)answer->start,
                 (unsigned long long)answer->ends[answer->interval_count - 1]);
        (answer->per_interval ? table_intervals : table_rows)(answer, out);
        table_add_rest(answer, out);
    }
}
