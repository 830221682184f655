/* series.c - see series.h.
 *
 * Counters are written as what they grew by since the line before; largest values as they stand;
 * quotients of what their parts grew by. A quotient by zero is an empty field. */
#include "run/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "run/tally.h"
#include "run/unit_series.h"

struct series {
    ogv_system *system;
    struct unit_series *units; /* NULL: not wanted */
    FILE *stream;
    char *path;
    u64 *now, *grown, *before; /* tallies */
    u32 cells;
    cycle last;
};

static void group_title(void *context, const struct stat_group *group, u32 cell)
{
    FILE *stream = context;
    char path[256];
    const struct unit_type *type = group->unit->type;
    (void)cell;
    stats_group_path(group, path, sizeof path);
    for (u32 i = 0; type->stats[i].name; i++)
        fprintf(stream, ",%s.%s", path, type->stats[i].name);
    for (u32 i = 0; type->ratios[i].name; i++)
        fprintf(stream, ",%s.%s", path, type->ratios[i].name);
}

static void value_write(FILE *stream, struct stat_value value)
{
    if (!value.defined)
        fputc(',', stream);
    else if (value.whole)
        fprintf(stream, ",%llu", (unsigned long long)value.integer);
    else
        fprintf(stream, ",%.12g", value.real);
}

static void group_line(void *context, const struct stat_group *group, u32 cell)
{
    const struct series *series = context;
    const struct unit_type *type = group->unit->type;
    const u64 *grown = &series->grown[cell];
    for (u32 i = 0; type->stats[i].name; i++)
        value_write(series->stream, tally_stat(group, grown, i));
    for (u32 i = 0; type->ratios[i].name; i++)
        value_write(series->stream, stats_ratio(type, i, grown));
}

static void series_free(struct series *series)
{
    if (series->stream)
        fclose(series->stream);
    free(series->path);
    free(series->now);
    free(series->grown);
    free(series->before);
    free(series);
}

struct series *series_open(ogv_system *system, const struct folder *folder, bool every_unit,
                           struct ogv_error *error)
{
    struct series *series = heap_array(1, sizeof *series);
    series->system = system;
    series->path = folder_file(folder, "series.csv");
    series->stream = fopen(series->path, "we");
    if (!series->stream) {
        error_system(error, "%s: cannot write: %s", series->path, strerror(errno));
        series_free(series);
        return NULL;
    }
    series->cells = tally_groups(system->plan, NULL, NULL);
    series->now = heap_array(series->cells, sizeof *series->now);
    series->grown = heap_array(series->cells, sizeof *series->grown);
    series->before = heap_array(series->cells, sizeof *series->before);
    fprintf(series->stream, "cycle");
    tally_groups(system->plan, group_title, series->stream);
    fputc('\n', series->stream);
    tally_take(system, series->before);
    series->last = system_cycles(system);
    series->units = every_unit ? unit_series_open(system, folder, error) : NULL;
    if (series->units || !every_unit)
        return series;
    series_free(series);
    return NULL;
}

bool series_sample(struct series *series, struct ogv_error *error)
{
    cycle now = system_cycles(series->system);
    if (now == series->last)
        return true;
    const struct plan *plan = series->system->plan;
    tally_take(series->system, series->now);
    tally_grown(plan, series->now, series->before, series->grown);
    fprintf(series->stream, "%llu", (unsigned long long)now);
    tally_groups(plan, group_line, series);
    fputc('\n', series->stream);
    memcpy(series->before, series->now, series->cells * sizeof *series->now);
    series->last = now;
    if (fflush(series->stream))
        return error_system(error, "%s: cannot write: %s", series->path, strerror(errno));
    return !series->units || unit_series_sample(series->units, now, error);
}

bool series_flush(struct series *series, struct ogv_error *error)
{
    return !series->units || unit_series_flush(series->units, error);
}

struct series_line series_last(const struct series *series)
{
    return (struct series_line){ series->last, series->grown, series->cells };
}

bool series_close(struct series *series, struct ogv_error *error)
{
    if (!series)
        return true;
    bool good = unit_series_close(series->units, error);
    series_free(series);
    return good;
}
