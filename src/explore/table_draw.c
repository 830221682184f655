/* table_draw.c - a table of numbers as a sheet of texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explore/table.h"
#include "unit/quantity.h"

#define WHOLE_MAX 1e15

char *table_number_words(double value, bool exact)
{
    struct text text = { 0 };
    if (isnan(value))
        text_add(&text, exact ? "" : "-");
    else if (fabs(value) < WHOLE_MAX && value == floor(value))
        text_add(&text, "%.0f", value);
    else if (exact && isfinite(value))
        real_write(&text, value);
    else
        text_add(&text, "%.5g", value);
    text_add(&text, "%s", "");
    return text.chars;
}

/* "cycles (cycles)" says nothing that "cycles" does not. */
char *table_heading(const struct table_stat *stat)
{
    bool named = !*stat->unit || strstr(stat->label, stat->unit);
    return named ? heap_copy(stat->label) : text_format("%s (%s)", stat->label, stat->unit);
}

static void heading_fill(const struct table *table, struct sheet *sheet)
{
    for (u32 i = 0; i < table->row_axes.count; i++)
        sheet_put(sheet, 0, i, heap_copy(table->manifest->axes[table->row_axes.axes[i]].name));
    for (u32 c = 0; c < table->column_count; c++)
        for (u32 s = 0; s < table->stat_count; s++) {
            char *label = table_label(table, &table->column_axes, &table->columns[c]);
            char *stat = table_heading(&table->stats[s]);
            bool both = *label && table->stat_count > 1;
            sheet_put(sheet, 0, sheet->labels + c * table->stat_count + s,
                      both ? text_format("%s: %s", label, stat) : heap_copy(*label ? label : stat));
            free(label);
            free(stat);
        }
}

static void row_fill(const struct table *table, u32 row, bool exact, struct sheet *sheet)
{
    for (u32 i = 0; i < table->row_axes.count; i++) {
        struct table_axes one = { { table->row_axes.axes[i] }, 1 };
        struct table_key key = { { table->rows[row].at[i] } };
        sheet_put(sheet, row + 1, i, table_label(table, &one, &key));
    }
    for (u32 c = 0; c < table->column_count; c++)
        for (u32 s = 0; s < table->stat_count; s++)
            sheet_put(sheet, row + 1, sheet->labels + c * table->stat_count + s,
                      table_number_words(table_value(table, row, c, s), exact));
}

/* Over the rows that have a value. */
static void foot_fill(const struct table *table, const char *name, bool geometric, bool exact,
                      u32 row, struct sheet *sheet)
{
    if (sheet->labels)
        sheet_put(sheet, row, 0, heap_copy(name));
    for (u32 c = 0; c < table->column_count; c++)
        for (u32 s = 0; s < table->stat_count; s++) {
            double sum = 0, count = 0;
            for (u32 r = 0; r < table->row_count; r++) {
                double value = table_value(table, r, c, s);
                if (isnan(value))
                    continue;
                sum += geometric ? log(value) : value;
                count++;
            }
            double mean = count > 0 ? sum / count : NAN;
            sheet_put(sheet, row, sheet->labels + c * table->stat_count + s,
                      table_number_words(geometric ? exp(mean) : mean, exact));
        }
}

void table_draw(const struct table *table, const struct table_shape *shape, struct sheet *sheet)
{
    u32 feet = (u32)shape->mean + shape->geomean, row = table->row_count + 1;
    sheet_init(sheet, row + feet, table->row_axes.count + table->column_count * table->stat_count,
               table->row_axes.count);
    sheet->feet = feet;
    if (table->column_axes.count && table->stat_count == 1)
        sheet->title = table_heading(&table->stats[0]);
    heading_fill(table, sheet);
    for (u32 r = 0; r < table->row_count; r++)
        row_fill(table, r, shape->exact, sheet);
    if (shape->mean)
        foot_fill(table, "mean", false, shape->exact, row++, sheet);
    if (shape->geomean)
        foot_fill(table, "geometric mean", true, shape->exact, row, sheet);
}
