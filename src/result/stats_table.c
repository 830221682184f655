/* stats_table.c - cuts series.csv into fields in place. All lines have as many columns as the
 * first. */
#include "result/stats_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define TABLE_MAX (4 * GiB)

static u32 count_of(const char *text, char wanted)
{
    u32 count = 0;
    for (; *text; text++)
        count += *text == wanted;
    return count;
}

/* Cuts a line into fields, in place; how many there are. */
static u32 line_cut(char *line, const char **fields, u32 limit)
{
    u32 count = 0;
    char *field;
    while (count < limit && (field = strsep(&line, ",")))
        fields[count++] = field;
    return line ? limit + 1 : count;
}

static bool table_cut(struct stats_table *table, const char *path, struct ogv_error *error)
{
    char *rest = table->text, *line = strsep(&rest, "\n");
    if (!rest)
        return error_user(error, "%s: has no lines", path);
    u32 lines = count_of(rest, '\n');
    table->column_count = count_of(line, ',') + 1;
    table->columns = heap_array(table->column_count, sizeof *table->columns);
    table->fields = heap_array((size_t)lines * table->column_count + 1, sizeof *table->fields);
    table->ends = heap_array((size_t)lines + 1, sizeof *table->ends);
    line_cut(line, table->columns, table->column_count);
    for (; table->line_count < lines; table->line_count++) {
        const char **fields = &table->fields[(size_t)table->line_count * table->column_count];
        if (line_cut(strsep(&rest, "\n"), fields, table->column_count) != table->column_count)
            return error_user(error, "%s:%u: has another number of columns than the first line",
                              path, table->line_count + 2);
        table->ends[table->line_count] = strtoull(fields[0], NULL, 10);
    }
    return true;
}

struct stats_table *table_read(const char *path, struct ogv_error *error)
{
    struct stats_table *table = heap_array(1, sizeof *table);
    size_t length;
    table->text = file_read(path, TABLE_MAX, &length, error);
    if (table->text && table_cut(table, path, error))
        return table;
    table_free(table);
    return NULL;
}

void table_free(struct stats_table *table)
{
    if (!table)
        return;
    free(table->text);
    free(table->columns);
    free(table->fields);
    free(table->ends);
    free(table);
}

u32 table_column(const struct stats_table *table, const char *name)
{
    for (u32 i = 0; i < table->column_count; i++)
        if (!strcmp(table->columns[i], name))
            return i;
    return UINT32_MAX;
}

double table_number(const struct stats_table *table, u32 line, u32 column)
{
    return strtod(table->fields[(size_t)line * table->column_count + column], NULL);
}
