/* checkpoint.c - see checkpoint.h.
 *
 * File: a fixed header, the architecture's text, then the arena as one zstd frame with a checksum.
 * The header carries a fingerprint of itself and the text. zstd because an arena is mostly zeros
 * and tables: it shrinks to a few percent at memory speed. Written beside the target and renamed,
 * so that a crash leaves the previous checkpoint. */
#include "sim/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/text.h"

#define CHECKPOINT_MAGIC   "OGVCKPT"
#define CHECKPOINT_VERSION 1
#define CHECKPOINT_TEXT    (64 * MiB) /* longest architecture that is believed */
#define CHECKPOINT_LEVEL   1          /* of zstd: fastest */

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

struct squeeze {
    ZSTD_CCtx *context;
    void *buffer;
    size_t size;
    FILE *stream;
};

static bool squeeze_part(struct squeeze *squeeze, const void *bytes, size_t length, bool last)
{
    ZSTD_inBuffer in = { bytes, length, 0 };
    size_t left;
    do {
        ZSTD_outBuffer out = { squeeze->buffer, squeeze->size, 0 };
        left =
            ZSTD_compressStream2(squeeze->context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) || fwrite(out.dst, 1, out.pos, squeeze->stream) != out.pos)
            return false;
    } while (last ? left != 0 : in.pos < in.size);
    return true;
}

static bool squeeze_arena(FILE *stream, const struct arena *arena)
{
    struct squeeze squeeze = { .stream = stream, .size = ZSTD_CStreamOutSize() };
    squeeze.context = ZSTD_createCCtx();
    squeeze.buffer = heap_array(1, squeeze.size);
    bool good = squeeze.context != NULL;
    if (good) {
        ZSTD_CCtx_setParameter(squeeze.context, ZSTD_c_compressionLevel, CHECKPOINT_LEVEL);
        ZSTD_CCtx_setParameter(squeeze.context, ZSTD_c_checksumFlag, 1);
        good = squeeze_part(&squeeze, arena, arena->used, true);
    }
    ZSTD_freeCCtx(squeeze.context);
    free(squeeze.buffer);
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
           squeeze_arena(stream, arena) && fflush(stream) == 0 && fsync(fileno(stream)) == 0;
}

bool checkpoint_write(const char *path, const struct checkpoint *checkpoint,
                      const struct arena *arena, struct ogv_error *error)
{
    char *beside = text_format("%s.new", path);
    FILE *stream = fopen(beside, "wbe");
    bool good = stream && stream_write(stream, checkpoint, arena);
    int reason = errno;
    if (stream && fclose(stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(beside, path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good) {
        unlink(beside);
        error_system(error, "%s: cannot write the checkpoint: %s", path, strerror(reason));
    }
    free(beside);
    return good;
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
    FILE *stream = fopen(path, "rbe");
    if (!stream)
        return error_user(error, "%s: cannot open: %s", path, strerror(errno));
    bool good = stream_open(stream, path, checkpoint, error);
    fclose(stream);
    return good;
}

struct swell {
    ZSTD_DCtx *context;
    char *in, *out;
    size_t in_size, out_size;
    struct arena *arena;
    u64 used; /* expected */
    u64 done;
};

/* Writes only what differs, so that memory which was never touched stays untouched. */
static bool swell_place(struct swell *swell, size_t length)
{
    if (length > swell->used - swell->done)
        return false;
    char *target = (char *)swell->arena + swell->done;
    for (size_t at = 0; at < length; at += 4096) {
        size_t part = min_u64(4096, length - at);
        if (memcmp(target + at, swell->out + at, part))
            memcpy(target + at, swell->out + at, part);
    }
    swell->done += length;
    return true;
}

/* Reads one frame to its end, which must be the end of the file. */
static bool swell_stream(struct swell *swell, FILE *stream)
{
    size_t got, left = 1;
    while ((got = fread(swell->in, 1, swell->in_size, stream)) > 0) {
        ZSTD_inBuffer in = { swell->in, got, 0 };
        while (in.pos < in.size) {
            if (left == 0)
                return false; /* bytes after the frame */
            ZSTD_outBuffer out = { swell->out, swell->out_size, 0 };
            left = ZSTD_decompressStream(swell->context, &out, &in);
            if (ZSTD_isError(left) || !swell_place(swell, out.pos))
                return false;
        }
    }
    while (left != 0 && !ferror(stream)) { /* what the decoder still holds */
        ZSTD_inBuffer in = { swell->in, 0, 0 };
        ZSTD_outBuffer out = { swell->out, swell->out_size, 0 };
        left = ZSTD_decompressStream(swell->context, &out, &in);
        if (ZSTD_isError(left) || out.pos == 0 || !swell_place(swell, out.pos))
            return false;
    }
    return !ferror(stream) && swell->done == swell->used;
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
    FILE *stream = fopen(path, "rbe");
    if (!stream || fseek(stream, checkpoint->body, SEEK_SET)) {
        if (stream)
            fclose(stream);
        return error_user(error, "%s: cannot read: %s", path, strerror(errno));
    }
    struct swell swell = { .arena = arena, .used = checkpoint->used };
    swell.in_size = ZSTD_DStreamInSize();
    swell.out_size = ZSTD_DStreamOutSize();
    swell.in = heap_array(1, swell.in_size);
    swell.out = heap_array(1, swell.out_size);
    swell.context = ZSTD_createDCtx();
    bool good = swell.context && swell_stream(&swell, stream);
    ZSTD_freeDCtx(swell.context);
    free(swell.in);
    free(swell.out);
    fclose(stream);
    if (!good)
        error_user(error, "%s: is a damaged checkpoint (its contents do not match their checksum)",
                   path);
    return good;
}
