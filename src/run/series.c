/* series.c - see series.h.
 *
 * Counters are written as what they grew by since the line before; largest values as they stand;
 * quotients of what their parts grew by. A quotient by zero is an empty field, as is a power of
 * which nothing is known. Then come powers, and last messages that the links of each line of the
 * architecture carried. */
#include "run/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/energy.h"
#include "arch/stats.h"
#include "arch/traffic.h"
#include "base/error.h"
#include "base/text.h"
#include "run/unit_series.h"
#include "unit/registry.h"

struct series {
    ogv_system *system;
    struct unit_series *units; /* NULL: not wanted */
    struct energy_model *energy;
    FILE *stream;
    char *path;
    u64 *sums, *grown, *before; /* [groups][stats], one group after the other */
    u32 cells;
    struct traffic *traffic;
    struct traffic_sum *carried; /* by line, until the last sample */
    cycle last;
};

typedef void (*group_visitor)(struct series *series, const struct stat_group *group, u32 cell);

static u32 groups_visit(struct series *series, group_visitor visit)
{
    const struct plan *plan = series->system->plan;
    u32 cell = 0;
    for (u32 d = 0; d < plan->domain_count; d++) {
        for (u32 u = 0; u < plan->domains[d].unit_count; u++) {
            struct stat_group group = stats_group(&plan->domains[d], &plan->domains[d].units[u]);
            if (visit)
                visit(series, &group, cell);
            cell += stats_count(group.unit->type);
        }
    }
    return cell;
}

static void group_title(struct series *series, const struct stat_group *group, u32 cell)
{
    char path[256];
    const struct unit_type *type = group->unit->type;
    (void)cell;
    stats_group_path(group, path, sizeof path);
    for (u32 i = 0; type->stats[i].name; i++)
        fprintf(series->stream, ",%s.%s", path, type->stats[i].name);
    for (u32 i = 0; type->ratios[i].name; i++)
        fprintf(series->stream, ",%s.%s", path, type->ratios[i].name);
}

static void group_gather(struct series *series, const struct stat_group *group, u32 cell)
{
    const struct unit_type *type = group->unit->type;
    u64 *sums = &series->sums[cell];
    for (u32 d = 0; d < group->domain_count; d++) {
        for (u32 c = 0; c < group->unit_count; c++) {
            u32 number = plan_number(group->domain, d, group->unit, c);
            const u64 *values = unit_stats(series->system->chip->units[number]);
            for (u32 i = 0; type->stats[i].name; i++)
                sums[i] = type->stats[i].combine == MAX ? max_u64(sums[i], values[i])
                                                        : sums[i] + values[i];
        }
    }
}

static void series_gather(struct series *series)
{
    memset(series->sums, 0, series->cells * sizeof *series->sums);
    system_settle(series->system);
    groups_visit(series, group_gather);
}

static void group_line(struct series *series, const struct stat_group *group, u32 cell)
{
    const struct unit_type *type = group->unit->type;
    u64 copies = (u64)group->domain_count * group->unit_count;
    for (u32 i = 0; type->stats[i].name; i++) {
        u64 now = series->sums[cell + i];
        u64 grown = series->grown[cell + i] = now - series->before[cell + i];
        if (type->stats[i].combine == MAX)
            fprintf(series->stream, ",%llu", (unsigned long long)now);
        else if (type->stats[i].combine == MEAN)
            fprintf(series->stream, ",%.12g", (double)grown / (double)copies);
        else
            fprintf(series->stream, ",%llu", (unsigned long long)grown);
    }
    for (u32 i = 0; type->ratios[i].name; i++) {
        struct stat_value value = stats_ratio(type, i, &series->grown[cell]);
        if (value.defined)
            fprintf(series->stream, ",%.12g", value.real);
        else
            fputc(',', series->stream);
    }
}

static void links_remember(struct series *series)
{
    for (u32 i = 0; i < series->traffic->line_count; i++)
        series->carried[i] = series->traffic->lines[i].all;
}

static void links_open(struct series *series)
{
    struct traffic *traffic = series->traffic = traffic_create(series->system);
    series->carried = heap_array(traffic->line_count + 1, sizeof *series->carried);
    traffic_count(traffic);
    links_remember(series);
    for (u32 i = 0; i < traffic->line_count; i++) {
        fprintf(series->stream, ",links[%u].sent", i);
        if (traffic->lines[i].asks)
            fprintf(series->stream, ",links[%u].answered", i);
    }
}

static void links_line(struct series *series)
{
    traffic_count(series->traffic);
    for (u32 i = 0; i < series->traffic->line_count; i++) {
        const struct traffic_line *line = &series->traffic->lines[i];
        const struct traffic_sum *before = &series->carried[i];
        fprintf(series->stream, ",%llu", (unsigned long long)(line->all.sent - before->sent));
        if (line->asks)
            fprintf(series->stream, ",%llu",
                    (unsigned long long)(line->all.answered - before->answered));
    }
    links_remember(series);
}

static void power_titles(struct series *series)
{
    char path[256];
    for (u32 i = 0; i < series->energy->group_count; i++) {
        stats_group_path(&series->energy->groups[i].units, path, sizeof path);
        fprintf(series->stream, ",%s.power_w", path);
    }
    fprintf(series->stream, ",power_w");
}

static void power_field(struct series *series, struct energy_use use, double seconds)
{
    if (use.known)
        fprintf(series->stream, ",%.12g", (use.events + use.leakage) / seconds);
    else
        fputc(',', series->stream);
}

/* Average power of the interval, group by group, then of all; from what the counters grew by. */
static void power_fields(struct series *series, cycle cycles)
{
    const struct energy_model *energy = series->energy;
    double seconds = (double)cycles / energy->clock_hz;
    struct energy_use sum = { 0 };
    const u64 *grown = series->grown;
    for (u32 i = 0; i < energy->group_count; i++) {
        const struct energy_group *group = &energy->groups[i];
        struct energy_use use = energy_group_use(group, grown, seconds);
        power_field(series, use, seconds);
        energy_add(&sum, use);
        grown += stats_count(group->units.unit->type);
    }
    power_field(series, sum, seconds);
}

static void series_free(struct series *series)
{
    energy_destroy(series->energy);
    if (series->stream)
        fclose(series->stream);
    free(series->path);
    free(series->sums);
    free(series->grown);
    free(series->before);
    free(series->carried);
    traffic_destroy(series->traffic);
    free(series);
}

struct series *series_open(ogv_system *system, const struct folder *folder, bool every_unit,
                           struct ogv_error *error)
{
    struct series *series = heap_array(1, sizeof *series);
    series->system = system;
    series->energy = energy_create(system);
    series->path = folder_file(folder, "series.csv");
    series->stream = fopen(series->path, "we");
    if (!series->stream) {
        error_system(error, "%s: cannot write: %s", series->path, strerror(errno));
        series_free(series);
        return NULL;
    }
    series->cells = groups_visit(series, NULL);
    series->sums = heap_array(series->cells, sizeof *series->sums);
    series->grown = heap_array(series->cells, sizeof *series->grown);
    series->before = heap_array(series->cells, sizeof *series->before);
    fprintf(series->stream, "cycle");
    groups_visit(series, group_title);
    power_titles(series);
    links_open(series);
    fputc('\n', series->stream);
    series_gather(series);
    memcpy(series->before, series->sums, series->cells * sizeof *series->sums);
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
    series_gather(series);
    fprintf(series->stream, "%llu", (unsigned long long)now);
    groups_visit(series, group_line);
    power_fields(series, now - series->last);
    links_line(series);
    fputc('\n', series->stream);
    memcpy(series->before, series->sums, series->cells * sizeof *series->sums);
    series->last = now;
    if (fflush(series->stream))
        return error_system(error, "%s: cannot write: %s", series->path, strerror(errno));
    return !series->units || unit_series_sample(series->units, now, error);
}

bool series_close(struct series *series, struct ogv_error *error)
{
    if (!series)
        return true;
    bool good = unit_series_close(series->units, error);
    series_free(series);
    return good;
}
