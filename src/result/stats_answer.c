/* stats_answer.c - the answer of a query as a table, as CSV or as JSON. */
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

#define WHOLE_MAX 9e15 /* whole numbers below are exact */

/* Whole numbers as such, others with that many digits; `undefined` where there is no value. */
static void value_words(const struct query_row *row, u32 interval, int digits,
                        const char *undefined, char *buffer, size_t size)
{
    double value;
    bool defined = answer_value(row, interval, &value);
    bool whole = fabs(value) < WHOLE_MAX && !(floor(value) < value);
    if (row->words || !defined)
        snprintf(buffer, size, "%s", row->words ? row->words : undefined);
    else if (whole)
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

static void json_words_add(struct text *out, const char *words)
{
    text_add(out, "\"");
    for (; *words; words++) {
        if (*words == '"' || *words == '\\')
            text_add(out, "\\%c", *words);
        else if ((unsigned char)*words < ' ')
            text_add(out, "\\u%04x", (unsigned)*words);
        else
            text_add(out, "%c", *words);
    }
    text_add(out, "\"");
}

static void json_value(struct text *out, const struct query_row *row, u32 interval)
{
    char value[40];
    value_words(row, interval, DIGITS_FILE, "null", value, sizeof value);
    if (row->words)
        json_words_add(out, row->words);
    else
        text_add(out, "%s", value);
}

static void json_row(const struct query_answer *answer, const struct query_row *row,
                     struct text *out)
{
    text_add(out, "  {\"name\": ");
    json_words_add(out, row->name);
    text_add(out, ", \"unit\": ");
    json_words_add(out, row->measure);
    text_add(out, ", \"help\": ");
    json_words_add(out, row->help);
    text_add(out, ", \"units\": %u, \"value%s\": %s", row->units, answer->per_interval ? "s" : "",
             answer->per_interval ? "[" : "");
    for (u32 t = 0; t < answer->interval_count; t++) {
        text_add(out, "%s", t ? ", " : "");
        json_value(out, row, t);
    }
    text_add(out, "%s}", answer->per_interval ? "]" : "");
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
