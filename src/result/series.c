/* series.c - see series.h.
 *
 * Counters are written as what they grew by since the line before; largest values as they stand;
 * quotients of what their parts grew by. A quotient by zero is an empty field, as is a power of
 * which nothing is known. Then come powers, and last messages that the links of each line of the
 * architecture carried. */
#include "result/series.h"

#include <stdlib.h>
#include <string.h>

#include "arch/energy.h"
#include "arch/traffic.h"
#include "base/text.h"
#include "result/tally.h"
#include "result/unit_series.h"

struct series {
    ogv_system *system;
    struct unit_series *units; /* NULL: not wanted */
    struct energy_model *energy;
    struct journal file;
    struct text line;          /* of the file, in the making */
    u64 *now, *grown, *before; /* tallies */
    u32 cells;
    struct traffic *traffic;
    struct traffic_sum *carried; /* by line, until the last sample */
    cycle last;
};

static void group_title(void *context, const struct stat_group *group, u32 cell)
{
    struct text *line = context;
    char path[256];
    const struct unit_type *type = group->unit->type;
    (void)cell;
    stats_group_path(group, path, sizeof path);
    for (u32 i = 0; type->stats[i].name; i++)
        text_add(line, ",%s.%s", path, type->stats[i].name);
    for (u32 i = 0; type->ratios[i].name; i++)
        text_add(line, ",%s.%s", path, type->ratios[i].name);
}

static void value_write(struct text *line, struct stat_value value)
{
    if (!value.defined)
        text_add(line, ",");
    else if (value.whole)
        text_add(line, ",%llu", (unsigned long long)value.integer);
    else
        text_add(line, ",%.12g", value.real);
}

static void group_line(void *context, const struct stat_group *group, u32 cell)
{
    struct series *series = context;
    const struct unit_type *type = group->unit->type;
    const u64 *grown = &series->grown[cell];
    for (u32 i = 0; type->stats[i].name; i++)
        value_write(&series->line, tally_stat(group, grown, i));
    for (u32 i = 0; type->ratios[i].name; i++)
        value_write(&series->line, stats_ratio(type, i, grown));
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
        text_add(&series->line, ",links[%u].sent", i);
        if (traffic->lines[i].asks)
            text_add(&series->line, ",links[%u].answered", i);
    }
}

static void links_line(struct series *series)
{
    traffic_count(series->traffic);
    for (u32 i = 0; i < series->traffic->line_count; i++) {
        const struct traffic_line *line = &series->traffic->lines[i];
        const struct traffic_sum *before = &series->carried[i];
        text_add(&series->line, ",%llu", (unsigned long long)(line->all.sent - before->sent));
        if (line->asks)
            text_add(&series->line, ",%llu",
                     (unsigned long long)(line->all.answered - before->answered));
    }
}

static void power_titles(struct series *series)
{
    char path[256];
    for (u32 i = 0; i < series->energy->group_count; i++) {
        stats_group_path(&series->energy->groups[i].units, path, sizeof path);
        text_add(&series->line, ",%s.power_w", path);
    }
    text_add(&series->line, ",power_w");
}

static void power_field(struct series *series, struct energy_use use, double seconds)
{
    if (use.known)
        text_add(&series->line, ",%.12g", (use.events + use.leakage) / seconds);
    else
        text_add(&series->line, ",");
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

/* What was written is out of the way in any case. */
static bool line_write(struct series *series, struct ogv_error *error)
{
    text_add(&series->line, "\n");
    bool good = journal_add(&series->file, text_get(&series->line), series->line.length, error);
    series->line.length = 0;
    return good;
}

static void series_free(struct series *series)
{
    energy_destroy(series->energy);
    text_fini(&series->line);
    free(series->now);
    free(series->grown);
    free(series->before);
    free(series->carried);
    traffic_destroy(series->traffic);
    free(series);
}

static void titles_make(struct series *series)
{
    text_add(&series->line, "cycle");
    tally_groups(series->system->plan, group_title, &series->line);
    power_titles(series);
    links_open(series);
}

struct series *series_open(ogv_system *system, const struct folder *folder, bool every_unit,
                           struct ogv_error *error)
{
    struct series *series = heap_array(1, sizeof *series);
    series->system = system;
    series->energy = energy_create(system);
    series->cells = tally_groups(system->plan, NULL, NULL);
    series->now = heap_array(series->cells, sizeof *series->now);
    series->grown = heap_array(series->cells, sizeof *series->grown);
    series->before = heap_array(series->cells, sizeof *series->before);
    titles_make(series);
    tally_take(system, series->before);
    series->last = system_cycles(system);
    bool good = journal_open(&series->file, folder_file(folder, "series.csv"), true, error) &&
                line_write(series, error);
    if (good && every_unit)
        good = (series->units = unit_series_open(system, folder, error));
    if (good)
        return series;
    series_close(series, NULL);
    return NULL;
}

/* Of a line that cannot be written nothing is remembered: the next one is for both. */
bool series_sample(struct series *series, struct ogv_error *error)
{
    cycle now = system_cycles(series->system);
    if (now == series->last)
        return true;
    const struct plan *plan = series->system->plan;
    tally_take(series->system, series->now);
    tally_grown(plan, series->now, series->before, series->grown);
    text_add(&series->line, "%llu", (unsigned long long)now);
    tally_groups(plan, group_line, series);
    power_fields(series, now - series->last);
    links_line(series);
    if (!line_write(series, error))
        return false;
    memcpy(series->before, series->now, series->cells * sizeof *series->now);
    links_remember(series);
    series->last = now;
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
    bool units = unit_series_close(series->units, error);
    bool good = journal_close(&series->file, error) && units;
    series_free(series);
    return good;
}
