/* unit_series.c - see unit_series.h: the writing side. */
#include "result/unit_series.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "arch/stats.h"
#include "base/error.h"
#include "base/text.h"
#include "unit/registry.h"

#define BLOCK_INTERVALS 256
#define BLOCK_BYTES     (16 * MiB)
#define VARINT_MAX      10
#define PACK_LEVEL      1

/* One statistic of all copies of a unit. Intervals in which all are zero are only counted until one
 * comes in which they are not. */
struct column {
    u8 *bytes;
    u32 length, capacity;
    u32 quiet; /* intervals of the block before the first byte, or all of them */
};

struct unit_series {
    ogv_system *system;
    struct journal file;
    bool lost; /* a block could not be written: the file ends before it */
    struct column *columns;
    u64 *before; /* [columns][copies] */
    u64 *grown;  /* of one column */
    u32 column_count;
    cycle ends[BLOCK_INTERVALS];
    u32 intervals;
    u64 held; /* bytes in all columns */
};

typedef void group_visitor(struct unit_series *series, const struct stat_group *group, u32 column,
                           u64 *before);

/* Every line of the architecture file with its first column and its part of `before`. */
static u32 groups_visit(struct unit_series *series, group_visitor *visit, u64 *cells)
{
    const struct plan *plan = series->system->plan;
    u32 column = 0;
    *cells = 0;
    for (u32 d = 0; d < plan->domain_count; d++) {
        for (u32 u = 0; u < plan->domains[d].unit_count; u++) {
            struct stat_group group = stats_group(&plan->domains[d], &plan->domains[d].units[u]);
            u32 stats = stats_count(group.unit->type);
            if (visit)
                visit(series, &group, column, series->before + *cells);
            column += stats;
            *cells += (u64)stats * group.domain_count * group.unit_count;
        }
    }
    return column;
}

/* ---- Sampling ---- */

static void column_reserve(struct column *column, u64 more)
{
    if (column->length + more <= column->capacity)
        return;
    column->capacity = (u32)(2 * column->capacity + more);
    column->bytes = heap_grow(column->bytes, column->capacity, 1);
}

static void column_add(struct column *column, const u64 *values, u32 count, u32 interval)
{
    if (!column->length) {
        u64 any = 0;
        for (u32 i = 0; i < count; i++)
            any |= values[i];
        if (!any) {
            column->quiet = interval + 1;
            return;
        }
        column_reserve(column, (u64)column->quiet * count);
        if (column->quiet)
            memset(column->bytes, 0, (size_t)column->quiet * count);
        column->length = column->quiet * count;
    }
    column_reserve(column, (u64)count * VARINT_MAX);
    u8 *at = column->bytes + column->length;
    for (u32 i = 0; i < count; i++) {
        u64 value = values[i];
        for (; value >= 128; value >>= 7)
            *at++ = (u8)(value | 128);
        *at++ = (u8)value;
    }
    column->length = (u32)(at - column->bytes);
}

static const u64 *copy_stats(const struct unit_series *series, const struct stat_group *group,
                             u32 domain_copy, u32 unit_copy)
{
    u32 number = plan_number(group->domain, domain_copy, group->unit, unit_copy);
    return unit_stats(series->system->chip->units[number]);
}

static void group_sample(struct unit_series *series, const struct stat_group *group, u32 column,
                         u64 *before)
{
    const struct stat_row *rows = group->unit->type->stats;
    u32 copies = group->domain_count * group->unit_count;
    for (u32 s = 0; rows[s].name; s++, before += copies) {
        u32 copy = 0;
        for (u32 d = 0; d < group->domain_count; d++) {
            for (u32 c = 0; c < group->unit_count; c++, copy++) {
                u64 now = copy_stats(series, group, d, c)[s];
                series->grown[copy] = rows[s].combine == MAX ? now : now - before[copy];
                before[copy] = now;
            }
        }
        struct column *into = &series->columns[column + s];
        u32 length = into->length;
        column_add(into, series->grown, copies, series->intervals);
        series->held += into->length - length;
    }
}

static void group_remember(struct unit_series *series, const struct stat_group *group, u32 column,
                           u64 *before)
{
    (void)column;
    for (u32 s = 0; group->unit->type->stats[s].name; s++)
        for (u32 d = 0; d < group->domain_count; d++)
            for (u32 c = 0; c < group->unit_count; c++)
                *before++ = copy_stats(series, group, d, c)[s];
}

/* ---- Writing ---- */

static void put_u32(struct text *out, u32 value)
{
    char bytes[4] = { (char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24) };
    text_add_bytes(out, bytes, sizeof bytes);
}

static void put_u64(struct text *out, u64 value)
{
    put_u32(out, (u32)value);
    put_u32(out, (u32)(value >> 32));
}

static u32 chunks_pack(struct unit_series *series, struct text *out)
{
    u32 chunks = 0;
    u8 *packed = NULL;
    for (u32 i = 0; i < series->column_count; i++) {
        struct column *column = &series->columns[i];
        if (column->length) {
            size_t bound = ZSTD_compressBound(column->length);
            packed = heap_grow(packed, bound, 1);
            size_t bytes = ZSTD_compress(packed, bound, column->bytes, column->length, PACK_LEVEL);
            if (ZSTD_isError(bytes))
                ogv_bug("zstd: %s", ZSTD_getErrorName(bytes));
            put_u32(out, i);
            put_u32(out, column->length);
            put_u32(out, (u32)bytes);
            text_add_bytes(out, (const char *)packed, bytes);
            chunks++;
        }
        column->length = column->quiet = 0;
    }
    free(packed);
    return chunks;
}

static bool block_write(struct unit_series *series, struct ogv_error *error)
{
    struct text chunks = { 0 }, block = { 0 };
    if (!series->intervals || series->lost)
        return true;
    u32 count = chunks_pack(series, &chunks);
    text_add_bytes(&block, "BLK1", 4);
    put_u32(&block, series->intervals);
    put_u32(&block, count);
    put_u32(&block, (u32)chunks.length);
    for (u32 i = 0; i < series->intervals; i++)
        put_u64(&block, series->ends[i]);
    text_add_bytes(&block, text_get(&chunks), chunks.length);
    series->lost = !journal_add(&series->file, text_get(&block), block.length, error);
    series->intervals = 0;
    series->held = 0;
    text_fini(&block);
    text_fini(&chunks);
    return !series->lost;
}

bool unit_series_sample(struct unit_series *series, cycle now, struct ogv_error *error)
{
    u64 cells;
    if (series->lost)
        return true;
    groups_visit(series, group_sample, &cells);
    series->ends[series->intervals++] = now;
    return (series->intervals < BLOCK_INTERVALS && series->held < BLOCK_BYTES) ||
           block_write(series, error);
}

bool unit_series_flush(struct unit_series *series, struct ogv_error *error)
{
    return block_write(series, error);
}

/* ---- Opening and closing ---- */

static json_t *group_describe(const struct unit_series *series, const struct stat_group *group)
{
    char path[256];
    json_t *stats = json_array(), *units = json_array();
    for (u32 s = 0; group->unit->type->stats[s].name; s++)
        json_array_append_new(stats, json_string(group->unit->type->stats[s].name));
    for (u32 d = 0; d < group->domain_count; d++) {
        for (u32 c = 0; c < group->unit_count; c++) {
            plan_path(series->system->plan, plan_number(group->domain, d, group->unit, c), path,
                      sizeof path);
            json_array_append_new(units, json_string(path));
        }
    }
    stats_group_path(group, path, sizeof path);
    return json_pack("{s:s, s:s, s:o, s:o}", "path", path, "type", group->unit->type->name, "stats",
                     stats, "units", units);
}

static bool header_write(struct unit_series *series, struct ogv_error *error)
{
    const struct plan *plan = series->system->plan;
    json_t *groups = json_array();
    for (u32 d = 0; d < plan->domain_count; d++) {
        for (u32 u = 0; u < plan->domains[d].unit_count; u++) {
            struct stat_group group = stats_group(&plan->domains[d], &plan->domains[d].units[u]);
            json_array_append_new(groups, group_describe(series, &group));
        }
    }
    json_t *object = json_pack("{s:o}", "groups", groups);
    char *words = json_dumps(object, JSON_COMPACT);
    struct text head = { 0 };
    text_add_bytes(&head, "OGVSERS1", 8);
    put_u32(&head, (u32)strlen(words));
    text_add(&head, "%s", words);
    bool good = journal_add(&series->file, text_get(&head), head.length, error);
    json_decref(object);
    free(words);
    text_fini(&head);
    return good;
}

static void unit_series_free(struct unit_series *series)
{
    for (u32 i = 0; i < series->column_count; i++)
        free(series->columns[i].bytes);
    free(series->columns);
    free(series->before);
    free(series->grown);
    free(series);
}

struct unit_series *unit_series_open(ogv_system *system, const struct folder *folder,
                                     struct ogv_error *error)
{
    struct unit_series *series = heap_array(1, sizeof *series);
    u64 cells;
    series->system = system;
    series->column_count = groups_visit(series, NULL, &cells);
    series->columns = heap_array((size_t)series->column_count + 1, sizeof *series->columns);
    series->before = heap_array(cells + 1, sizeof *series->before);
    series->grown = heap_array((size_t)system->chip->unit_count + 1, sizeof *series->grown);
    groups_visit(series, group_remember, &cells);
    if (journal_open(&series->file, folder_file(folder, UNIT_SERIES_FILE), true, error) &&
        header_write(series, error))
        return series;
    unit_series_close(series, NULL);
    return NULL;
}

bool unit_series_close(struct unit_series *series, struct ogv_error *error)
{
    if (!series)
        return true;
    bool written = block_write(series, error);
    bool good = journal_close(&series->file, error) && written;
    unit_series_free(series);
    return good;
}
