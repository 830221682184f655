/* series_file.c - see unit_series.h: the reading side. Sizes in the file are checked against each
 * other and against the file before anything is done with them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "result/unit_series.h"

#define HEADER_MAX    (256 * MiB)
#define INTERVALS_MAX 65536 /* of a block */
#define CHUNK_HEAD    12
#define VARINT_SHIFT  63

struct chunk {
    u32 column, unpacked, packed;
    u64 at; /* in the file */
};

struct block {
    u32 first, intervals;         /* of the file's intervals */
    u32 chunk_first, chunk_count; /* by column */
};

struct series_content {
    FILE *stream;
    char *path;
    json_t *description;
    struct block *blocks;
    struct chunk *chunks;
    u32 block_count, chunk_count;
};

static bool file_damaged(const struct series_file *file, const char *what, struct ogv_error *error)
{
    return error_user(error, "%s: is damaged: %s", file->content->path, what);
}

static u32 get_u32(const u8 *bytes)
{
    return bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 | (u32)bytes[3] << 24;
}

static u64 get_u64(const u8 *bytes)
{
    return get_u32(bytes) | (u64)get_u32(bytes + 4) << 32;
}

/* ---- The description ---- */

/* Texts stay in the JSON, which lives as long as the file. */
static const char **texts_read(const json_t *list, u32 *count)
{
    *count = (u32)json_array_size(list);
    const char **texts = heap_array((size_t)*count + 1, sizeof *texts);
    for (u32 i = 0; i < *count; i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (!texts[i])
            texts[i] = "?";
    }
    return texts;
}

static bool groups_read(struct series_file *file, struct ogv_error *error)
{
    const json_t *list = json_object_get(file->content->description, "groups");
    if (!json_is_array(list))
        return file_damaged(file, "it does not describe its columns", error);
    u32 count = (u32)json_array_size(list);
    file->groups = heap_array((size_t)count + 1, sizeof *file->groups);
    for (; file->group_count < count; file->group_count++) {
        const json_t *object = json_array_get(list, file->group_count);
        struct series_group *group = &file->groups[file->group_count];
        group->path = json_string_value(json_object_get(object, "path"));
        group->type = json_string_value(json_object_get(object, "type"));
        if (!group->path || !group->type)
            return file_damaged(file, "a group has no name", error);
        group->stats = texts_read(json_object_get(object, "stats"), &group->stat_count);
        group->units = texts_read(json_object_get(object, "units"), &group->unit_count);
        group->first_column = file->column_count;
        file->column_count += group->stat_count;
    }
    return true;
}

static bool description_read(struct series_file *file, u64 size, struct ogv_error *error)
{
    struct series_content *content = file->content;
    u8 head[12];
    if (fread(head, 1, sizeof head, content->stream) != sizeof head || memcmp(head, "OGVSERS1", 8))
        return error_user(error, "%s: is not a series of units", content->path);
    u32 length = get_u32(head + 8);
    if (length > HEADER_MAX || length > size - sizeof head)
        return file_damaged(file, "its description is cut off", error);
    char *words = heap_array((size_t)length + 1, 1);
    json_error_t why;
    if (fread(words, 1, length, content->stream) == length)
        content->description = json_loadb(words, length, JSON_REJECT_DUPLICATES, &why);
    free(words);
    return content->description ? groups_read(file, error)
                                : file_damaged(file, "its description is no JSON", error);
}

/* ---- The blocks ---- */

static bool chunks_read(struct series_file *file, const u8 *bytes, u32 length, u32 count, u64 at,
                        struct ogv_error *error)
{
    struct series_content *content = file->content;
    content->chunks =
        heap_grow(content->chunks, (size_t)content->chunk_count + count, sizeof *content->chunks);
    u32 used = 0, next_column = 0;
    for (u32 i = 0; i < count; i++) {
        if (length - used < CHUNK_HEAD)
            return file_damaged(file, "a block ends too early", error);
        struct chunk chunk = { get_u32(bytes + used), get_u32(bytes + used + 4),
                               get_u32(bytes + used + 8), at + used + CHUNK_HEAD };
        used += CHUNK_HEAD;
        if (chunk.column >= file->column_count || chunk.column < next_column ||
            chunk.packed > length - used)
            return file_damaged(file, "a column is wrong", error);
        used += chunk.packed;
        next_column = chunk.column + 1;
        content->chunks[content->chunk_count++] = chunk;
    }
    return true;
}

static void intervals_add(struct series_file *file, const u8 *ends, u32 count)
{
    file->ends = heap_grow(file->ends, (size_t)file->interval_count + count, sizeof *file->ends);
    for (u32 i = 0; i < count; i++)
        file->ends[file->interval_count++] = get_u64(ends + 8 * (size_t)i);
}

/* One block; *whole is false if the file ends before it does. */
static bool block_read(struct series_file *file, u64 size, bool *whole, struct ogv_error *error)
{
    struct series_content *content = file->content;
    u8 head[16];
    u64 at = (u64)ftello(content->stream);
    *whole = fread(head, 1, sizeof head, content->stream) == sizeof head;
    if (!*whole)
        return true;
    u32 intervals = get_u32(head + 4), chunks = get_u32(head + 8), bytes = get_u32(head + 12);
    if (memcmp(head, "BLK1", 4) || !intervals || intervals > INTERVALS_MAX ||
        chunks > file->column_count)
        return file_damaged(file, "a block is wrong", error);
    u64 length = 8 * (u64)intervals + bytes;
    *whole = length <= size - at - sizeof head;
    if (!*whole)
        return true;
    u8 *body = heap_array(length, 1);
    bool good = fread(body, 1, length, content->stream) == length ||
                file_damaged(file, "it cannot be read", error);
    content->blocks = heap_append(content->blocks, content->block_count, sizeof *content->blocks);
    content->blocks[content->block_count++] =
        (struct block){ file->interval_count, intervals, content->chunk_count, chunks };
    if (good)
        intervals_add(file, body, intervals);
    good = good && chunks_read(file, body + 8 * (size_t)intervals, bytes, chunks,
                               at + sizeof head + 8 * (u64)intervals, error);
    free(body);
    return good;
}

static bool file_read_all(struct series_file *file, struct ogv_error *error)
{
    FILE *stream = file->content->stream;
    if (fseeko(stream, 0, SEEK_END))
        return file_damaged(file, "it cannot be read", error);
    u64 size = (u64)ftello(stream);
    rewind(stream);
    bool whole = true, good = description_read(file, size, error);
    while (good && whole)
        good = block_read(file, size, &whole, error);
    return good;
}

struct series_file *series_file_open(const char *folder, struct ogv_error *error)
{
    struct series_file *file = heap_array(1, sizeof *file);
    file->content = heap_array(1, sizeof *file->content);
    file->content->path = text_format("%s/" UNIT_SERIES_FILE, folder);
    file->content->stream = file_open(file->content->path, error);
    if (file->content->stream && file_read_all(file, error))
        return file;
    series_file_close(file);
    return NULL;
}

void series_file_close(struct series_file *file)
{
    if (!file)
        return;
    if (file->content->stream)
        fclose(file->content->stream);
    for (u32 i = 0; i < file->group_count; i++) {
        free(file->groups[i].stats);
        free(file->groups[i].units);
    }
    json_decref(file->content->description);
    free(file->content->blocks);
    free(file->content->chunks);
    free(file->content->path);
    free(file->content);
    free(file->groups);
    free(file->ends);
    free(file);
}

/* ---- Values ---- */

static const struct chunk *chunk_find(const struct series_content *content,
                                      const struct block *block, u32 column)
{
    const struct chunk *chunks = &content->chunks[block->chunk_first];
    u32 low = 0, high = block->chunk_count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (chunks[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < block->chunk_count && chunks[low].column == column ? &chunks[low] : NULL;
}

/* False at the end of the bytes or of what a number can hold. */
static bool varint_read(const u8 **at, const u8 *end, u64 *value)
{
    *value = 0;
    for (u32 shift = 0; shift <= VARINT_SHIFT && *at < end; shift += 7) {
        u8 byte = *(*at)++;
        *value |= (u64)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

struct visiting {
    const struct series_file *file;
    u32 first, end, units;
    series_visitor *visit;
    void *context;
    u64 *values;
};

static bool chunk_visit(const struct visiting *visiting, const struct block *block, const u8 *bytes,
                        u32 length)
{
    const u8 *at = bytes, *end = bytes + length;
    for (u32 i = 0; i < block->intervals; i++) {
        u64 any = 0;
        u32 interval = block->first + i;
        for (u32 unit = 0; unit < visiting->units; unit++) {
            if (!varint_read(&at, end, &visiting->values[unit]))
                return false;
            any |= visiting->values[unit];
        }
        if (any && interval >= visiting->first && interval < visiting->end)
            visiting->visit(visiting->context, interval, visiting->values);
    }
    return at == end;
}

/* At most ten bytes for each value. */
static bool chunk_plausible(const struct chunk *chunk, const struct block *block, u32 units)
{
    return chunk->unpacked <= UINT64_C(10) * block->intervals * units;
}

static bool block_visit(const struct visiting *visiting, const struct block *block,
                        const struct chunk *chunk, struct ogv_error *error)
{
    FILE *stream = visiting->file->content->stream;
    if (!chunk_plausible(chunk, block, visiting->units))
        return file_damaged(visiting->file, "a column is too long", error);
    u8 *packed = heap_array((size_t)chunk->packed + 1, 1);
    u8 *bytes = heap_array((size_t)chunk->unpacked + 1, 1);
    bool good = !fseeko(stream, (off_t)chunk->at, SEEK_SET) &&
                fread(packed, 1, chunk->packed, stream) == chunk->packed &&
                ZSTD_decompress(bytes, chunk->unpacked, packed, chunk->packed) == chunk->unpacked &&
                chunk_visit(visiting, block, bytes, chunk->unpacked);
    free(packed);
    free(bytes);
    return good || file_damaged(visiting->file, "the values of a column are wrong", error);
}

static u32 column_units(const struct series_file *file, u32 column)
{
    for (u32 i = 0; i < file->group_count; i++)
        if (column - file->groups[i].first_column < file->groups[i].stat_count)
            return file->groups[i].unit_count;
    ogv_bug("series: there is no column %u", column);
}

bool series_file_visit(const struct series_file *file, u32 column, u32 first, u32 end,
                       series_visitor *visit, void *context, struct ogv_error *error)
{
    struct visiting visiting = {
        file, first, end, column_units(file, column), visit, context, NULL
    };
    visiting.values = heap_array((size_t)visiting.units + 1, sizeof *visiting.values);
    bool good = true;
    for (u32 i = 0; i < file->content->block_count && good; i++) {
        const struct block *block = &file->content->blocks[i];
        if (block->first + block->intervals <= first || block->first >= end)
            continue;
        const struct chunk *chunk = chunk_find(file->content, block, column);
        good = !chunk || block_visit(&visiting, block, chunk, error);
    }
    free(visiting.values);
    return good;
}
