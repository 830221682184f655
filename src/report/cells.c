/* cells.c - see samples.h: how busy each unit was, over the whole run and over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "report/samples.h"
#include "result/unit_series.h"

#define CELL_FULL 250
#define BINS_MOST 400

void text_add_base64(struct text *text, const u8 *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        u32 left = (u32)(count - i);
        u32 bits = (u32)bytes[i] << 16 | (left > 1 ? (u32)bytes[i + 1] << 8 : 0) |
                   (left > 2 ? (u32)bytes[i + 2] : 0);
        char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63],
                         left > 1 ? digits[bits >> 6 & 63] : '=',
                         left > 2 ? digits[bits & 63] : '=' };
        text_add_bytes(text, four, 4);
    }
}

u8 cell_of(double used, double whole)
{
    double share = whole > 0 ? used / whole : 0;
    return (u8)lround(CELL_FULL * fmin(fmax(share, 0), 1));
}

/* ---- The whole run ---- */

struct totals {
    const struct resource *resource;
    double whole; /* capacity of one unit over the run */
    u8 *cells;
};

static double unit_stat(void *context, const char *name)
{
    return json_number_value(json_object_get(context, name));
}

static void unit_total(void *context, u32 copy, const json_t *stats)
{
    struct totals *totals = context;
    const struct resource *resource = totals->resource;
    if (copy >= resource->group->copies)
        return;
    double used =
        group_value_of(resource->group, resource->row->used, unit_stat, (void *)(uintptr_t)stats);
    totals->cells[copy] = cell_of(used, totals->whole);
}

static void total_write(const struct result *result, const struct resource *resource,
                        struct text *json)
{
    u32 copies = resource->group->copies;
    struct totals totals = { resource, resource->per_cycle * result->cycles / copies,
                             heap_array(copies, 1) };
    result_units(result, resource->group, unit_total, &totals);
    text_add(json, "\"total\":\"");
    text_add_base64(json, totals.cells, copies);
    text_add(json, "\"");
    free(totals.cells);
}

/* ---- Over time ---- */

/* What each unit counted in each bin of intervals, by statistic. */
struct times {
    const struct series_file *file;
    const struct resource *resource;
    double *columns[FORMULA_STEPS_MAX]; /* [bins][copies], by step of the formula; or NULL */
    u32 copies, bins;
};

static u32 interval_bin(const struct series_file *file, u32 bins, u32 interval)
{
    return (u32)(((u64)interval * bins) / file->interval_count);
}

struct column {
    const struct times *times;
    double *sums;
};

static void interval_add(void *context, u32 interval, const u64 *values)
{
    const struct column *column = context;
    const struct times *times = column->times;
    double *sums =
        &column->sums[(size_t)interval_bin(times->file, times->bins, interval) * times->copies];
    for (u32 i = 0; i < times->copies; i++)
        sums[i] += (double)values[i];
}

static u32 bin_end(const struct series_file *file, u32 bins, u32 bin)
{
    return (u32)(((u64)(bin + 1) * file->interval_count + bins - 1) / bins);
}

static const struct series_group *file_group(const struct series_file *file,
                                             const struct result_group *group)
{
    for (u32 i = 0; i < file->group_count; i++)
        if (!strcmp(file->groups[i].path, group->path) &&
            file->groups[i].unit_count == group->copies)
            return &file->groups[i];
    return NULL;
}

static bool column_read(struct times *times, const struct series_group *group, u32 step,
                        struct ogv_error *error)
{
    const char *name = times->resource->row->used->steps[step].name;
    for (u32 i = 0; name && i < group->stat_count; i++) {
        if (strcmp(group->stats[i], name))
            continue;
        times->columns[step] = heap_array((size_t)times->bins * times->copies, sizeof(double));
        struct column column = { times, times->columns[step] };
        return series_file_visit(times->file, group->first_column + i, 0,
                                 times->file->interval_count, interval_add, &column, error);
    }
    return true;
}

/* A unit in a bin. */
struct cell {
    const struct times *times;
    size_t at;
};

static double cell_stat(void *context, const char *name)
{
    const struct cell *cell = context;
    const struct formula *used = cell->times->resource->row->used;
    for (u32 i = 0; i < used->step_count; i++)
        if (cell->times->columns[i] && !strcmp(used->steps[i].name, name))
            return cell->times->columns[i][cell->at];
    return 0;
}

static void times_write(const struct result *result, const struct times *times, struct text *json)
{
    const struct resource *resource = times->resource;
    u8 *cells = heap_array((size_t)times->bins * times->copies, 1);
    cycle begin = samples_start(result, times->file->ends[0]);
    for (u32 b = 0; b < times->bins; b++) {
        cycle end = times->file->ends[bin_end(times->file, times->bins, b) - 1];
        double whole = resource->per_cycle / times->copies * (double)(end - begin);
        for (u32 i = 0; i < times->copies; i++) {
            struct cell cell = { times, (size_t)b * times->copies + i };
            double used = group_value_of(resource->group, resource->row->used, cell_stat, &cell);
            cells[cell.at] = cell_of(used, whole);
        }
        begin = end;
    }
    text_add(json, ",\"time\":\"");
    text_add_base64(json, cells, (size_t)times->bins * times->copies);
    text_add(json, "\"");
    free(cells);
}

static bool time_write(const struct result *result, const struct series_file *file, u32 bins,
                       const struct resource *resource, struct text *json, struct ogv_error *error)
{
    const struct series_group *group = file_group(file, resource->group);
    if (!group) {
        text_add(json, ",\"time\":null");
        return true;
    }
    struct times times = { file, resource, { 0 }, group->unit_count, bins };
    const struct formula *used = resource->row->used;
    bool good = true;
    for (u32 i = 0; good && i < used->step_count; i++)
        good = column_read(&times, group, i, error);
    if (good)
        times_write(result, &times, json);
    for (u32 i = 0; i < used->step_count; i++)
        free(times.columns[i]);
    return good;
}

/* ---- All ---- */

bool cells_known(const struct resource *resource)
{
    return (resource->kind == RESOURCE_WORK || resource->kind == RESOURCE_ROOM) &&
           resource->row->used && resource->per_cycle > 0;
}

static u32 cells_bins(const struct bottleneck *bottleneck, const struct series_file *file,
                      u64 bytes)
{
    u64 copies = 1;
    for (u32 i = 0; i < bottleneck->resource_count; i++)
        if (cells_known(&bottleneck->resources[i]))
            copies += bottleneck->resources[i].group->copies;
    u64 bins = min_u64(min_u64(bytes / copies, BINS_MOST), file->interval_count);
    return (u32)max_u64(bins, 1);
}

static bool resources_write(const struct result *result, const struct bottleneck *bottleneck,
                            const struct series_file *file, u32 bins, struct text *json,
                            struct ogv_error *error)
{
    bool good = true;
    for (u32 i = 0; good && i < bottleneck->resource_count; i++) {
        const struct resource *resource = &bottleneck->resources[i];
        text_add(json, i ? ",\n" : "\n");
        if (!cells_known(resource)) {
            text_add(json, "null");
            continue;
        }
        text_add(json, "{");
        total_write(result, resource, json);
        if (file)
            good = time_write(result, file, bins, resource, json, error);
        else
            text_add(json, ",\"time\":null");
        text_add(json, "}");
    }
    return good;
}

bool cells_write(const struct result *result, const struct bottleneck *bottleneck, u64 bytes,
                 struct text *json, struct ogv_error *error)
{
    char *path = text_format("%s/%s", result->folder, UNIT_SERIES_FILE);
    struct series_file *file = NULL;
    bool there = file_exists(path);
    free(path);
    if (there && !(file = series_file_open(result->folder, error)))
        return false;
    bool timed = file && file->interval_count;
    u32 bins = timed ? cells_bins(bottleneck, file, bytes) : 0;
    text_add(json, "{\"ends\":[");
    for (u32 b = 0; b < bins; b++)
        text_add(json, "%s%llu", b ? "," : "",
                 (unsigned long long)file->ends[bin_end(file, bins, b) - 1]);
    text_add(json, "],\"resources\":[");
    bool good = resources_write(result, bottleneck, timed ? file : NULL, bins, json, error);
    text_add(json, "]}");
    series_file_close(file);
    return good;
}
