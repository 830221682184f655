/* source.c - see source.h.
 *
 * `buffer` holds what was unpacked and not yet taken, from `start` to `end`; it is twice as long as
 * the most that can be taken, so that a refill moves few bytes. A plain file is its own unpacking.
 */
#include "base/source.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define SOURCE_BUFFER   (2 * SOURCE_TAKE_MAX)
#define SOURCE_XZ_BYTES UINT64_C(0x40000000) /* that unpacking may use, given by its dictionary */

struct source {
    char *path;
    FILE *file;
    bool packed, ended;
    const char *damage;
    lzma_stream stream;
    size_t start, end;
    char word[SOURCE_WORD_MAX + 1];
    u8 packed_bytes[SOURCE_TAKE_MAX];
    u8 buffer[SOURCE_BUFFER];
};

bool source_is_packed(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".xz");
}

struct source *source_open(const char *path, struct ogv_error *error)
{
    FILE *file = file_open(path, error);
    if (!file)
        return NULL;
    struct source *source = heap_array(1, sizeof *source);
    source->path = heap_copy(path);
    source->file = file;
    source->packed = source_is_packed(path);
    source->stream = (lzma_stream)LZMA_STREAM_INIT;
    if (source->packed &&
        lzma_stream_decoder(&source->stream, SOURCE_XZ_BYTES, LZMA_CONCATENATED) != LZMA_OK) {
        error_system(error, "%s: cannot start unpacking", path);
        source_close(source);
        return NULL;
    }
    return source;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    lzma_end(&source->stream);
    fclose(source->file);
    free(source->path);
    free(source);
}

static size_t source_fetch(struct source *source, u8 *bytes, size_t room)
{
    size_t got = fread(bytes, 1, room, source->file);
    if (!got && ferror(source->file))
        source->damage = strerror(errno);
    return got;
}

static const char *damage_name(lzma_ret result)
{
    switch (result) {
    case LZMA_FORMAT_ERROR:
        return "it is not packed by xz";
    case LZMA_MEMLIMIT_ERROR:
        return "unpacking it needs more than 1 GiB of memory";
    case LZMA_BUF_ERROR:
        return "the packed data ends too early";
    default:
        return "the packed data is damaged";
    }
}

static void source_unpack(struct source *source)
{
    lzma_stream *stream = &source->stream;
    stream->next_out = source->buffer + source->end;
    stream->avail_out = SOURCE_BUFFER - source->end;
    while (stream->avail_out && !source->ended && !source->damage) {
        if (!stream->avail_in) {
            stream->next_in = source->packed_bytes;
            stream->avail_in =
                source_fetch(source, source->packed_bytes, sizeof source->packed_bytes);
        }
        lzma_ret result = lzma_code(stream, feof(source->file) ? LZMA_FINISH : LZMA_RUN);
        if (result == LZMA_STREAM_END)
            source->ended = true;
        else if (result != LZMA_OK && !source->damage)
            source->damage = damage_name(result);
    }
    source->end = SOURCE_BUFFER - stream->avail_out;
}

static void source_fill(struct source *source)
{
    memmove(source->buffer, source->buffer + source->start, source->end - source->start);
    source->end -= source->start;
    source->start = 0;
    if (source->packed) {
        source_unpack(source);
        return;
    }
    size_t got = source_fetch(source, source->buffer + source->end, SOURCE_BUFFER - source->end);
    source->end += got;
    source->ended = !got;
}

/* Makes `count` bytes ready if the file has them; says how many there are. */
static size_t source_need(struct source *source, size_t count)
{
    while (source->end - source->start < count && !source->ended && !source->damage)
        source_fill(source);
    return source->end - source->start;
}

const u8 *source_take(struct source *source, size_t count)
{
    if (count > SOURCE_TAKE_MAX)
        ogv_bug("%zu bytes of a file taken at once", count);
    if (source->end - source->start < count && source_need(source, count) < count)
        return NULL;
    const u8 *bytes = source->buffer + source->start;
    source->start += count;
    return bytes;
}

bool source_skip(struct source *source, u64 count)
{
    while (count) {
        size_t step = (size_t)min_u64(count, SOURCE_TAKE_MAX);
        if (!source_take(source, step))
            return false;
        count -= step;
    }
    return true;
}

char *source_line(struct source *source)
{
    size_t there = min_u64(source_need(source, SOURCE_TAKE_MAX), SOURCE_TAKE_MAX);
    u8 *line = source->buffer + source->start;
    u8 *end = memchr(line, '\n', there);
    if (!end)
        return NULL;
    source->start += (size_t)(end - line) + 1;
    if (end > line && end[-1] == '\r')
        end--;
    *end = 0;
    return (char *)line;
}

static bool is_blank(u8 letter)
{
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static bool source_skip_blanks(struct source *source, u32 *lines)
{
    while (source->start < source->end || source_need(source, 1)) {
        u8 letter = source->buffer[source->start];
        if (!is_blank(letter))
            return true;
        *lines += letter == '\n';
        source->start++;
    }
    return false;
}

const char *source_word(struct source *source, u32 *lines)
{
    if (!source_skip_blanks(source, lines))
        return NULL;
    size_t there = source_need(source, SOURCE_WORD_MAX + 1), length = 0;
    const u8 *letters = source->buffer + source->start;
    while (length < there && length <= SOURCE_WORD_MAX && !is_blank(letters[length]))
        length++;
    size_t kept = length > SOURCE_WORD_MAX ? 0 : length;
    memcpy(source->word, letters, kept);
    source->word[kept] = 0;
    source->start += length;
    return source->word;
}

bool source_error(const struct source *source, const char *otherwise, struct ogv_error *error)
{
    if (source->damage)
        return error_user(error, "%s: cannot read: %s", source->path, source->damage);
    return error_user(error, "%s: %s", source->path, otherwise);
}

static u8 *source_collect(struct source *source, u64 limit, size_t *length, struct ogv_error *error)
{
    struct text all = { 0 };
    size_t got;
    while ((got = min_u64(source_need(source, SOURCE_TAKE_MAX), SOURCE_TAKE_MAX))) {
        text_add_bytes(&all, (const char *)source_take(source, got), got);
        if (all.length > limit)
            break;
    }
    bool large = all.length > limit;
    if (large || source->damage) {
        text_fini(&all);
        if (large)
            error_user(error, "%s: is larger than %llu bytes", source->path,
                       (unsigned long long)limit);
        else
            source_error(source, "", error);
        return NULL;
    }
    text_add_bytes(&all, "", 0);
    *length = all.length;
    return (u8 *)all.chars;
}

u8 *source_read(const char *path, u64 limit, size_t *length, struct ogv_error *error)
{
    struct source *source = source_open(path, error);
    u8 *bytes = source ? source_collect(source, limit, length, error) : NULL;
    source_close(source);
    return bytes;
}
