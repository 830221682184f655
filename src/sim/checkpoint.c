/* checkpoint.c - see checkpoint.h.
 *
 * File: a fixed header, the architecture's text, then the arena as one zstd frame with a checksum.
 * The header carries a fingerprint of itself and the text. Written beside the target and renamed,
 * so that a crash leaves the previous checkpoint.
 *
 * The frame holds the runs of pages that are not zero: u64 start, u64 length, then the bytes; in
 * ascending order, and after the last one a run of length 0 at the end of the arena. Most of an
 * arena is memory of the chip that no program has touched: neither writing nor reading touches it
 * either. zstd, because what is left is mostly tables: it shrinks to a sixth or less, faster than
 * most disks could take it. */
#include "sim/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define CHECKPOINT_MAGIC   "OGVCKPT"
#define CHECKPOINT_VERSION 2
#define CHECKPOINT_TEXT    (64 * MiB) /* longest architecture that is believed */
#define CHECKPOINT_LEVEL   (-1)       /* of zstd: a sixth faster than 1, and 3% larger */

struct header {
    char magic[8];
    u64 version;
    u64 text_length;
    u64 slot, used, now;
    char build[40];
    char fingerprint[40]; /* of all above and the text */
};

static void header_fingerprint(const struct header *header, const char *text, char *digits)
{
    struct hash *hash = hash_create();
    hash_add(hash, header, offsetof(struct header, fingerprint));
    hash_add(hash, text, header->text_length);
    hash_finish(hash, digits);
}

/* ---- Writing ---- */

struct run_head {
    u64 start, length;
};

struct compressor {
    ZSTD_CCtx *context;
    void *buffer;
    size_t size;
    FILE *stream;
    const struct arena *arena;
};

static bool compress_part(struct compressor *compressor, const void *bytes, size_t length,
                          bool last)
{
    ZSTD_inBuffer in = { bytes, length, 0 };
    size_t left;
    do {
        ZSTD_outBuffer out = { compressor->buffer, compressor->size, 0 };
        left = ZSTD_compressStream2(compressor->context, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) || fwrite(out.dst, 1, out.pos, compressor->stream) != out.pos)
            return false;
    } while (last ? left != 0 : in.pos < in.size);
    return true;
}

static bool compress_run(void *context, u64 start, u64 length)
{
    struct compressor *compressor = context;
    struct run_head head = { start, length };
    return compress_part(compressor, &head, sizeof head, false) &&
           compress_part(compressor, (const u8 *)compressor->arena + start, length, false);
}

static bool compress_arena(FILE *stream, const struct arena *arena)
{
    struct compressor compressor = { .stream = stream, .arena = arena };
    struct run_head end = { arena->used, 0 };
    compressor.size = ZSTD_CStreamOutSize();
    compressor.context = ZSTD_createCCtx();
    compressor.buffer = heap_array(1, compressor.size);
    bool good = compressor.context != NULL;
    if (good) {
        ZSTD_CCtx_setParameter(compressor.context, ZSTD_c_compressionLevel, CHECKPOINT_LEVEL);
        ZSTD_CCtx_setParameter(compressor.context, ZSTD_c_checksumFlag, 1);
        good = arena_visit(arena, compress_run, &compressor) &&
               compress_part(&compressor, &end, sizeof end, true);
    }
    ZSTD_freeCCtx(compressor.context);
    free(compressor.buffer);
    return good;
}

static bool stream_write(FILE *stream, const struct checkpoint *checkpoint,
                         const struct arena *arena)
{
    struct header header = { .magic = CHECKPOINT_MAGIC, .version = CHECKPOINT_VERSION };
    header.text_length = checkpoint->text_length;
    header.slot = arena->slot;
    header.used = arena->used;
    header.now = checkpoint->now;
    memcpy(header.build, checkpoint->build, sizeof checkpoint->build);
    header_fingerprint(&header, checkpoint->text, header.fingerprint);
    return fwrite(&header, sizeof header, 1, stream) == 1 &&
           fwrite(checkpoint->text, 1, header.text_length, stream) == header.text_length &&
           compress_arena(stream, arena) && fflush(stream) == 0 && fsync(fileno(stream)) == 0;
}

/* The stream is a second handle on the draft, which it leaves open. */
static bool draft_fill(struct draft *draft, const struct checkpoint *checkpoint,
                       const struct arena *arena, struct ogv_error *error)
{
    int handle = fcntl(draft->descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *stream = handle >= 0 ? fdopen(handle, "wb") : NULL;
    bool good = stream && stream_write(stream, checkpoint, arena);
    int reason = errno;
    if (stream)
        fclose(stream);
    else if (handle >= 0)
        close(handle);
    return good || error_system(error, "%s: cannot write: %s", draft->path, strerror(reason));
}

bool checkpoint_write(const char *path, const struct checkpoint *checkpoint,
                      const struct arena *arena, struct ogv_error *error)
{
    struct draft draft;
    return draft_open(&draft, path, error) &&
           draft_finish(&draft, draft_fill(&draft, checkpoint, arena, error), error);
}

/* ---- Reading ---- */

static bool header_check(const char *path, const struct header *header, struct ogv_error *error)
{
    if (memcmp(header->magic, CHECKPOINT_MAGIC, sizeof header->magic))
        return error_user(error, "%s: is not a checkpoint", path);
    if (header->version != CHECKPOINT_VERSION)
        return error_user(error,
                          "%s: is a checkpoint of version %llu, this program reads version %d",
                          path, (unsigned long long)header->version, CHECKPOINT_VERSION);
    if (header->text_length > CHECKPOINT_TEXT || header->slot >= ARENA_SLOTS ||
        header->used > ARENA_SLOT_BYTES || header->build[HASH_TEXT_BYTES - 1])
        return error_user(error, "%s: is a damaged checkpoint (impossible sizes)", path);
    return true;
}

static bool stream_open(FILE *stream, const char *path, struct checkpoint *checkpoint,
                        struct ogv_error *error)
{
    struct header header;
    if (fread(&header, sizeof header, 1, stream) != 1)
        return error_user(error, "%s: is not a checkpoint (too short)", path);
    if (!header_check(path, &header, error))
        return false;
    checkpoint->text_length = header.text_length;
    checkpoint->text = heap_array(1, header.text_length + 1);
    char expected[sizeof header.fingerprint] = { 0 };
    bool whole = fread(checkpoint->text, 1, header.text_length, stream) == header.text_length;
    header_fingerprint(&header, checkpoint->text, expected);
    if (!whole || memcmp(expected, header.fingerprint, sizeof expected)) {
        free(checkpoint->text);
        checkpoint->text = NULL;
        return error_user(error, "%s: is a damaged checkpoint (its fingerprint does not match)",
                          path);
    }
    memcpy(checkpoint->build, header.build, sizeof checkpoint->build);
    checkpoint->slot = header.slot;
    checkpoint->used = header.used;
    checkpoint->now = header.now;
    checkpoint->body = ftell(stream);
    return true;
}

bool checkpoint_open(const char *path, struct checkpoint *checkpoint, struct ogv_error *error)
{
    *checkpoint = (struct checkpoint){ 0 };
    FILE *stream = file_open(path, error);
    if (!stream)
        return false;
    bool good = stream_open(stream, path, checkpoint, error);
    fclose(stream);
    return good;
}

struct decompressor {
    ZSTD_DCtx *context;
    char *in, *out;
    size_t in_size, out_size;
    struct arena *arena;
    u64 used; /* expected */
    u64 at;   /* where the next byte of a run goes, and no run may start before */
    u64 left; /* of the run */
    struct run_head head;
    size_t head_bytes; /* of the head that were read */
    bool ended;
};

static bool run_begin(struct decompressor *decompressor)
{
    const struct run_head *head = &decompressor->head;
    u64 used = decompressor->used;
    decompressor->head_bytes = 0;
    if (head->start < decompressor->at || head->start > used || head->length > used - head->start)
        return false;
    decompressor->at = head->start;
    decompressor->left = head->length;
    decompressor->ended = !head->length;
    return head->length || head->start == used;
}

static bool head_take(struct decompressor *decompressor, const char *bytes, size_t length)
{
    memcpy((char *)&decompressor->head + decompressor->head_bytes, bytes, length);
    decompressor->head_bytes += length;
    return decompressor->head_bytes < sizeof decompressor->head || run_begin(decompressor);
}

static void run_take(struct decompressor *decompressor, const char *bytes, size_t length)
{
    memcpy((char *)decompressor->arena + decompressor->at, bytes, length);
    decompressor->at += length;
    decompressor->left -= length;
}

/* The next bytes of the frame, which are those of heads and runs. */
static bool decompress_place(struct decompressor *decompressor, size_t length)
{
    const char *bytes = decompressor->out;
    while (length) {
        bool within = decompressor->left;
        size_t part = min_u64(length, within ? decompressor->left
                                             : sizeof(struct run_head) - decompressor->head_bytes);
        if (within)
            run_take(decompressor, bytes, part);
        else if (decompressor->ended || !head_take(decompressor, bytes, part))
            return false;
        bytes += part;
        length -= part;
    }
    return true;
}

/* Reads one frame to its end, which must be the end of the file. */
static bool decompress_stream(struct decompressor *decompressor, FILE *stream)
{
    size_t got, left = 1;
    while ((got = fread(decompressor->in, 1, decompressor->in_size, stream)) > 0) {
        ZSTD_inBuffer in = { decompressor->in, got, 0 };
        while (in.pos < in.size) {
            if (left == 0)
                return false; /* bytes after the frame */
            ZSTD_outBuffer out = { decompressor->out, decompressor->out_size, 0 };
            left = ZSTD_decompressStream(decompressor->context, &out, &in);
            if (ZSTD_isError(left) || !decompress_place(decompressor, out.pos))
                return false;
        }
    }
    while (left != 0 && !ferror(stream)) { /* what the decoder still holds */
        ZSTD_inBuffer in = { decompressor->in, 0, 0 };
        ZSTD_outBuffer out = { decompressor->out, decompressor->out_size, 0 };
        left = ZSTD_decompressStream(decompressor->context, &out, &in);
        if (ZSTD_isError(left) || out.pos == 0 || !decompress_place(decompressor, out.pos))
            return false;
    }
    return !ferror(stream) && decompressor->ended;
}

static bool decompress_arena(FILE *stream, u64 used, struct arena *arena)
{
    struct decompressor decompressor = { .arena = arena, .used = used };
    decompressor.in_size = ZSTD_DStreamInSize();
    decompressor.out_size = ZSTD_DStreamOutSize();
    decompressor.in = heap_array(1, decompressor.in_size);
    decompressor.out = heap_array(1, decompressor.out_size);
    decompressor.context = ZSTD_createDCtx();
    arena_clear(arena);
    bool good = decompressor.context && decompress_stream(&decompressor, stream);
    ZSTD_freeDCtx(decompressor.context);
    free(decompressor.in);
    free(decompressor.out);
    return good;
}

bool checkpoint_restore(const char *path, const struct checkpoint *checkpoint, struct arena *arena,
                        struct ogv_error *error)
{
    if (arena->slot != checkpoint->slot || arena->used > checkpoint->used)
        return error_user(
            error,
            "%s: does not fit: it was taken from place %llu with %llu bytes of state, "
            "here are place %llu and %llu bytes",
            path, (unsigned long long)checkpoint->slot, (unsigned long long)checkpoint->used,
            (unsigned long long)arena->slot, (unsigned long long)arena->used);
    FILE *stream = file_open(path, error);
    if (!stream)
        return false;
    bool good = !fseek(stream, checkpoint->body, SEEK_SET) &&
                decompress_arena(stream, checkpoint->used, arena);
    fclose(stream);
    if (!good)
        error_user(error, "%s: is a damaged checkpoint (its contents do not match their checksum)",
                   path);
    return good;
}
