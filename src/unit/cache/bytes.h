/* bytes.h - the bytes of a request within its piece, and the tags of requests to below.
 *
 * A tag says what the request is: a fill (register and piece), a request that was passed on (node),
 * a write-back (epoch). */
#ifndef UNIT_CACHE_BYTES_H
#define UNIT_CACHE_BYTES_H

#include <string.h>

#include "unit/cache/cache.h"

#define TAG_PASSED     0x80000000u
#define TAG_WRITE_BACK 0x40000000u
#define TAG_NUMBER     0x3fffffffu
#define TAG_PIECE_BITS 5

#define ALL_BYTES      UINT32_MAX

/* How many are set; mostly none or one. */
static inline u32 bits_count(u32 bits)
{
    return bits & (bits - 1) ? (u32)__builtin_popcount(bits) : bits != 0;
}

/* A request's bytes within their piece. */
static inline u32 request_bytes(const struct message *request)
{
    return (u32)((UINT64_C(1) << request->size_bytes) - 1) << (request->address % MEMORY_SECTOR);
}

static inline bool request_fits(const struct message *request)
{
    u32 size = request->size_bytes;
    return size >= 1 && size + request->address % MEMORY_SECTOR <= MEMORY_SECTOR &&
           (request->kind & MEMORY_KIND) <= MEMORY_PREFETCH;
}

static inline bool is_write(const struct message *message)
{
    return (message->kind & MEMORY_KIND) == MEMORY_WRITE;
}

static inline bool is_atomic(const struct message *message)
{
    return (message->kind & MEMORY_KIND) == MEMORY_AMO;
}

/* Fills `message` with what stands from `from` on. */
static inline void bytes_read(struct cache *u, struct message *message, const u8 *from)
{
    if (message->size_bytes == MEMORY_SECTOR)
        memcpy(message->data.byte, from, MEMORY_SECTOR);
    else
        memcpy(message->data.byte, from, message->size_bytes);
    u->s.bytes_answered += message->size_bytes;
}

/* The bytes of its piece that a write changes. */
static inline u32 written_bytes(const struct message *message)
{
    return message->mask << (message->address % MEMORY_SECTOR) & request_bytes(message);
}

static inline void bytes_write(struct cache_piece piece, const struct message *message)
{
    u32 offset = message->address % MEMORY_SECTOR, written = written_bytes(message);
    piece.bytes->valid |= written;
    if (written == request_bytes(message)) {
        memcpy(piece.data + offset, message->data.byte, message->size_bytes);
        return;
    }
    for (u32 left = written; left; left &= left - 1) {
        u32 at = (u32)__builtin_ctz(left);
        piece.data[at] = message->data.byte[at - offset];
    }
}

/* Puts in what is not there yet. */
static inline void bytes_fill(struct cache_piece piece, const u8 *data)
{
    u32 valid = piece.bytes->valid;
    if (!valid)
        memcpy(piece.data, data, MEMORY_SECTOR);
    for (u32 i = 0; valid && i < MEMORY_SECTOR; i++)
        if (!(valid >> i & 1))
            piece.data[i] = data[i];
    piece.bytes->valid = ALL_BYTES;
}

#endif
