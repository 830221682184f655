/* stats_query.c - see stats_query.h.
 *
 * First it is settled which counters of which units go into which row of the answer; then the
 * counters are read from wherever they are and added up. A ratio takes two of them. */
#include "result/stats_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "result/stats_rows.h"
#include "result/stats_table.h"
#include "result/summary.h"
#include "result/unit_series.h"

#define NAME_MAX_BYTES 512
#define ANSWER_CELLS   UINT64_C(50000000)

/* ---- Which intervals ---- */

/* From the ends of all intervals to those of the answer. */
static bool intervals_choose(struct asking *asking, const cycle *ends, u32 count)
{
    const struct stats_query *query = asking->query;
    struct query_answer *answer = asking->answer;
    asking->first = 0;
    asking->end = count;
    while (query->ranged && asking->first < count && ends[asking->first] <= query->from)
        asking->first++;
    while (query->ranged && asking->end > asking->first && asking->end > 1 &&
           ends[asking->end - 2] >= query->to)
        asking->end--;
    if (asking->first >= asking->end)
        return error_user(asking->error,
                          "%s: has no intervals in cycles %llu to %llu; it ends at "
                          "cycle %llu",
                          query->folder, (unsigned long long)query->from,
                          (unsigned long long)query->to,
                          (unsigned long long)(count ? ends[count - 1] : 0));
    u32 chosen = asking->end - asking->first;
    answer->start = asking->first ? ends[asking->first - 1] : 0;
    answer->interval_count = query->per_interval ? chosen : 1;
    answer->ends = heap_array(answer->interval_count, sizeof *answer->ends);
    if (query->per_interval)
        memcpy(answer->ends, ends + asking->first, chosen * sizeof *ends);
    else
        answer->ends[0] = ends[asking->end - 1];
    return true;
}

static bool cells_make(struct asking *asking)
{
    struct query_answer *answer = asking->answer;
    if ((u64)answer->row_count * answer->interval_count > ANSWER_CELLS)
        return error_user(asking->error,
                          "%u statistics of %u intervals are too many at once; choose fewer by "
                          "name, or a range with --cycles",
                          answer->row_count, answer->interval_count);
    for (u32 i = 0; i < answer->row_count; i++) {
        struct query_row *row = &answer->rows[i];
        row->above = heap_array(answer->interval_count, sizeof *row->above);
        row->below = heap_array(answer->interval_count, sizeof *row->below);
    }
    return true;
}

static void cell_add(struct asking *asking, const struct share *share, u32 interval, double value)
{
    struct query_row *row = &asking->answer->rows[share->row];
    u32 at = asking->answer->per_interval ? interval - asking->first : 0;
    double *cell = share->below ? &row->below[at] : &row->above[at];
    if (row->kind == KIND_MAX)
        *cell = value > *cell ? value : *cell;
    else
        *cell += value;
}

/* ---- From stats.json ---- */

static bool fill_whole(struct asking *asking)
{
    const cycle end = asking->source->cycles;
    if (!intervals_choose(asking, &end, 1) || !cells_make(asking))
        return false;
    for (size_t i = 0; i < asking->share_count; i++) {
        const struct share *share = &asking->shares[i];
        const struct source_unit *unit = &asking->source->units[share->unit];
        const char *name = unit->type->stats[share->stat].name;
        cell_add(asking, share, 0, json_number_value(json_object_get(unit->values, name)));
    }
    return true;
}

/* ---- From the summary ---- */

/* Those of the whole run, for who asks for no names, or for theirs. */
static bool figure_is_asked(const struct stats_query *query, const char *name, bool *named)
{
    bool asked = !query->pattern_count && query->combine == QUERY_NATURAL && !query->group;
    *named = false;
    for (u32 p = 0; p < query->pattern_count; p++) {
        const char *pattern = query->patterns[p];
        if (!figure_is_meant(pattern) || !figure_name_fits(pattern, name))
            continue;
        asked = true;
        *named = *named || !strcmp(pattern, name);
    }
    return asked;
}

static bool figures_check(struct asking *asking)
{
    const struct stats_query *query = asking->query;
    const json_t *summary = json_object_get(asking->source->object, "summary");
    for (u32 p = 0; p < query->pattern_count; p++) {
        const char *pattern = query->patterns[p], *name;
        json_t *value;
        bool found = !figure_is_meant(pattern);
        if (!found && (query->per_interval || query->ranged))
            return error_user(asking->error,
                              "%s: figures of the summary are of the whole run; intervals and "
                              "ranges of cycles are for statistics, DOMAIN.UNIT.STATISTIC",
                              pattern);
        json_object_foreach((json_t *)(uintptr_t)summary, name, value) found =
            found || figure_name_fits(pattern, name);
        if (!found)
            return pattern_unknown(asking, pattern);
    }
    return true;
}

/* What is null is not defined: a quotient by zero. */
static struct query_row figure_row(const char *name, const json_t *value, bool named)
{
    const struct summary_figure *figure = summary_find(name);
    struct query_row row = { .name = heap_copy(name),
                             .measure = figure ? figure->measure : "",
                             .help = figure ? figure->help : "",
                             .words = json_string_value(value),
                             .kind = json_is_null(value) ? KIND_RATIO : KIND_SUM,
                             .named = named,
                             .above = heap_array(1, sizeof *row.above),
                             .below = heap_array(1, sizeof *row.below) };
    if (json_is_boolean(value))
        row.words = json_is_true(value) ? "true" : "false";
    row.above[0] = json_number_value(value);
    return row;
}

/* They stand before the statistics. */
static void fill_figures(struct asking *asking)
{
    struct query_answer *answer = asking->answer;
    json_t *summary = json_object_get(asking->source->object, "summary"), *value;
    struct query_row *rows =
        heap_array(answer->row_count + json_object_size(summary) + 1, sizeof *rows);
    u32 count = 0;
    bool named;
    const char *name;
    json_object_foreach(summary, name, value)
    {
        if (figure_is_asked(asking->query, name, &named))
            rows[count++] = figure_row(name, value, named);
    }
    memcpy(&rows[count], answer->rows, answer->row_count * sizeof *rows);
    free(answer->rows);
    answer->rows = rows;
    answer->row_count += count;
}

/* ---- From series.units ---- */

struct column_filling {
    struct asking *asking;
    const struct share **first; /* per unit of the column: its shares */
    u32 *count;
    u32 units;
};

static void column_visit(void *context, u32 interval, const u64 *values)
{
    const struct column_filling *filling = context;
    for (u32 unit = 0; unit < filling->units; unit++)
        for (u32 i = 0; i < filling->count[unit]; i++)
            cell_add(filling->asking, filling->first[unit] + i, interval, (double)values[unit]);
}

static u32 unit_find(const struct stats_source *source, const char *path, u32 near)
{
    for (u32 i = 0; i < source->unit_count; i++) {
        u32 u = (near + i) % source->unit_count;
        if (!strcmp(source->units[u].path, path))
            return u;
    }
    return UINT32_MAX;
}

static bool fill_column(struct asking *asking, const struct series_file *file,
                        const struct series_group *group, const u32 *numbers, u32 stat)
{
    struct column_filling filling = { asking, NULL, NULL, group->unit_count };
    filling.first = heap_array((size_t)group->unit_count + 1, sizeof *filling.first);
    filling.count = heap_array((size_t)group->unit_count + 1, sizeof *filling.count);
    u64 wanted = 0;
    for (u32 i = 0; i < group->unit_count; i++) {
        const struct source_type *type = asking->source->units[numbers[i]].type;
        u32 number = 0;
        while (number < type->stat_count && strcmp(type->stats[number].name, group->stats[stat]))
            number++;
        filling.first[i] = shares_find(asking, numbers[i], number, &filling.count[i]);
        wanted += filling.count[i];
    }
    bool good = !wanted || series_file_visit(file, group->first_column + stat, asking->first,
                                             asking->end, column_visit, &filling, asking->error);
    free(filling.first);
    free(filling.count);
    return good;
}

static bool fill_group(struct asking *asking, const struct series_file *file,
                       const struct series_group *group)
{
    u32 *numbers = heap_array((size_t)group->unit_count + 1, sizeof *numbers), near = 0;
    bool good = true;
    for (u32 i = 0; i < group->unit_count && good; i++) {
        numbers[i] = near = unit_find(asking->source, group->units[i], near);
        good = near != UINT32_MAX ||
               error_user(asking->error, "%s: stats.json and %s are not of the same run",
                          asking->query->folder, UNIT_SERIES_FILE);
    }
    for (u32 stat = 0; stat < group->stat_count && good; stat++)
        good = fill_column(asking, file, group, numbers, stat);
    free(numbers);
    return good;
}

static bool fill_units(struct asking *asking)
{
    struct series_file *file = series_file_open(asking->query->folder, asking->error);
    if (!file)
        return false;
    bool good = intervals_choose(asking, file->ends, file->interval_count) && cells_make(asking);
    for (u32 i = 0; i < file->group_count && good; i++)
        good = fill_group(asking, file, &file->groups[i]);
    series_file_close(file);
    return good;
}

/* ---- From series.csv: whole groups only ---- */

static bool group_is_whole(const struct asking *asking, const struct query_row *row)
{
    u32 units = 0;
    char name[NAME_MAX_BYTES];
    size_t length = strlen(row->name);
    while (length && row->name[length - 1] != '.')
        length--;
    for (u32 u = 0; u < asking->source->unit_count; u++) {
        path_plain(asking->source->units[u].path, "[*]", name, sizeof name);
        units += strlen(name) + 1 == length && !strncmp(name, row->name, length - 1);
    }
    return units == row->units;
}

static bool groups_are_whole(const struct asking *asking)
{
    bool whole = asking->query->combine != QUERY_EACH && !asking->query->group;
    for (u32 i = 0; i < asking->answer->row_count && whole; i++)
        whole = group_is_whole(asking, &asking->answer->rows[i]);
    return whole || error_user(asking->error,
                               "%s: has intervals only of whole groups of units; run it with "
                               "--series all to keep those of every unit",
                               asking->query->folder);
}

/* A column has the sum of a group, or what is given instead of it: a mean, the largest. */
static bool share_fill(struct asking *asking, const struct stats_table *table,
                       const struct share *share)
{
    const struct source_unit *unit = &asking->source->units[share->unit];
    const struct source_stat *stat = &unit->type->stats[share->stat];
    char path[NAME_MAX_BYTES], name[2 * NAME_MAX_BYTES];
    path_plain(unit->path, "[*]", path, sizeof path);
    snprintf(name, sizeof name, "%s.%s", path, stat->name);
    u32 column = table_column(table, name);
    if (column == UINT32_MAX)
        return error_user(asking->error, "%s/series.csv: has no column %s", asking->query->folder,
                          name);
    double scale = stat->combine == SOURCE_MEAN ? asking->answer->rows[share->row].units : 1;
    for (u32 line = asking->first; line < asking->end; line++)
        cell_add(asking, share, line, scale * table_number(table, line, column));
    return true;
}

static bool fill_from_table(struct asking *asking, const struct stats_table *table)
{
    bool good = true, *brought = heap_array((size_t)asking->answer->row_count + 1, 2);
    for (size_t i = 0; i < asking->share_count && good; i++) {
        const struct share *share = &asking->shares[i];
        bool *seen = &brought[2 * (size_t)share->row + share->below];
        if (!*seen)
            good = share_fill(asking, table, share);
        *seen = true;
    }
    free(brought);
    return good;
}

static bool fill_groups(struct asking *asking)
{
    if (!groups_are_whole(asking))
        return false;
    char *path = text_format("%s/series.csv", asking->query->folder);
    struct stats_table *table = table_read(path, asking->error);
    free(path);
    bool good = table && intervals_choose(asking, table->ends, table->line_count) &&
                cells_make(asking) && fill_from_table(asking, table);
    table_free(table);
    return good;
}

/* ---- All of it ---- */

static bool has_unit_series(const struct stats_query *query)
{
    char *path = text_format("%s/" UNIT_SERIES_FILE, query->folder);
    bool there = file_exists(path);
    free(path);
    return there;
}

struct query_answer *stats_ask(const struct stats_query *query, struct ogv_error *error)
{
    struct stats_source *source = stats_source_open(query->folder, error);
    struct query_answer *answer = source ? stats_ask_of(source, query, error) : NULL;
    if (answer)
        answer->source = source;
    else
        stats_source_close(source);
    return answer;
}

struct query_answer *stats_ask_of(struct stats_source *source, const struct stats_query *query,
                                  struct ogv_error *error)
{
    struct asking asking = { .query = query, .source = source, .error = error };
    asking.answer = heap_array(1, sizeof *asking.answer);
    asking.answer->per_interval = query->per_interval;
    asking.answer->all = query->all;
    bool whole = !query->per_interval && !query->ranged;
    bool good = group_check(&asking) && figures_check(&asking) && rows_choose(&asking);
    if (good && whole)
        good = fill_whole(&asking);
    else if (good)
        good = has_unit_series(query) ? fill_units(&asking) : fill_groups(&asking);
    if (good && whole)
        fill_figures(&asking);
    free(asking.shares);
    if (good)
        return asking.answer;
    answer_destroy(asking.answer);
    return NULL;
}

void answer_destroy(struct query_answer *answer)
{
    if (!answer)
        return;
    for (u32 i = 0; i < answer->row_count; i++) {
        free(answer->rows[i].name);
        free(answer->rows[i].above);
        free(answer->rows[i].below);
    }
    free(answer->rows);
    free(answer->ends);
    stats_source_close(answer->source);
    free(answer);
}
