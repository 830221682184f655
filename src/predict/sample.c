/* sample.c - see sample.h. The end comes from stats.json, all before from series.csv. */
#include "predict/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "result/stats_source.h"
#include "result/stats_table.h"
#include "result/tally.h"

struct reading {
    struct sample *sample;
    const json_t *groups;
    const struct stats_table *table;
    bool lacking;
};

/* What was counted in each interval, added up; largest values as they stood. */
static void column_read(const struct reading *reading, const char *name, bool grows, u32 cell)
{
    struct sample *sample = reading->sample;
    u32 column = table_column(reading->table, name);
    double sum = 0;
    for (u32 i = 0; column != UINT32_MAX && i + 1 < sample->points; i++) {
        double value = table_number(reading->table, i, column);
        sum = grows ? sum + value : value;
        sample->counts[(size_t)i * sample->cells + cell] = sum;
    }
}

static void group_read(void *context, const struct stat_group *group, u32 cell)
{
    struct reading *reading = context;
    struct sample *sample = reading->sample;
    char path[256];
    stats_group_path(group, path, sizeof path);
    const json_t *object = json_object_get(reading->groups, path);
    for (u32 i = 0; group->unit->type->stats[i].name; i++) {
        const struct stat_row *stat = &group->unit->type->stats[i];
        const json_t *value = json_object_get(object, stat->name);
        char *name = text_format("%s.%s", path, stat->name);
        if (!json_is_number(value))
            reading->lacking = true;
        column_read(reading, name, stat->combine != MAX, cell + i);
        sample->counts[(size_t)(sample->points - 1) * sample->cells + cell + i] =
            json_number_value(value);
        free(name);
    }
}

static double summary_number(const json_t *stats, const char *name)
{
    return json_number_value(json_object_get(json_object_get(stats, "summary"), name));
}

/* The last line of the table is the end itself. */
static void sample_fill(const json_t *stats, const struct stats_table *table,
                        const struct plan *plan, struct reading *reading)
{
    struct sample *sample = reading->sample;
    u32 lines = table ? table->line_count : 0;
    sample->cells = tally_groups(plan, NULL, NULL);
    sample->points = lines > 1 ? lines : 1;
    sample->cycles = summary_number(stats, "cycles");
    sample->work_seconds = summary_number(stats, "work_seconds");
    sample->wall_seconds = summary_number(stats, "wall_seconds");
    sample->times = heap_array(sample->points, sizeof *sample->times);
    sample->counts = heap_array((size_t)sample->points * sample->cells + 1, sizeof *sample->counts);
    for (u32 i = 0; i + 1 < sample->points; i++)
        sample->times[i] = (double)table->ends[i];
    sample->times[sample->points - 1] = sample->cycles;
    tally_groups(plan, group_read, reading);
}

bool sample_read(const char *folder, const struct plan *plan, struct sample *sample,
                 struct ogv_error *error)
{
    *sample = (struct sample){ 0 };
    char *path = text_format("%s/series.csv", folder);
    json_t *stats = run_file_load(folder, "stats.json", error);
    struct stats_table *table = stats ? table_read(path, error) : NULL;
    bool good = table;
    struct reading reading = { sample, json_object_get(stats, "groups"), table, false };
    if (good) {
        sample_fill(stats, table, plan, &reading);
        good = !reading.lacking ||
               error_user(error, "%s/stats.json: is not of a run of %s", folder, plan->name);
        table_free(table);
    }
    if (!good)
        sample_fini(sample);
    json_decref(stats);
    free(path);
    return good;
}

void sample_fini(struct sample *sample)
{
    free(sample->times);
    free(sample->counts);
    *sample = (struct sample){ 0 };
}
