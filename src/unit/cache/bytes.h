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

static inline bool request_within(const struct message *request)
{
    u32 last = (u32)request->size_bytes - 1; /* of none: more than any */
    return last < MEMORY_SECTOR - request->address % MEMORY_SECTOR;
}

static inline bool request_fits(const struct message *request)
{
    return request_within(request) && (request->kind & MEMORY_KIND) <= MEMORY_PREFETCH;
}

static inline bool is_write(const struct message *message)
{
    return (message->kind & MEMORY_KIND) == MEMORY_WRITE;
}

static inline bool is_atomic(const struct message *message)
{
    return (message->kind & MEMORY_KIND) == MEMORY_AMO;
}

/* Sizes that are asked for often are copied without a call. */
static inline void bytes_copy(u8 *to, const u8 *from, u32 size)
{
    if (size == MEMORY_SECTOR)
        memcpy(to, from, MEMORY_SECTOR);
    else if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

/* All of a message but its data. */
static inline void head_copy(struct message *to, const struct message *from)
{
    memcpy(to, from, offsetof(struct message, data));
}

/* Whether requests of this kind have data. */
static inline bool kind_has_data(u32 kind)
{
    return (kind & MEMORY_KIND) == MEMORY_WRITE || (kind & MEMORY_KIND) == MEMORY_AMO;
}

/* All of a request that goes below. */
static inline void request_copy(struct message *to, const struct cache_slice *slice,
                                const struct cache_request *from)
{
    const u8 *head = (const u8 *)from + offsetof(struct cache_request, address);
    memcpy(to, head, offsetof(struct message, data));
    if (__builtin_expect(kind_has_data(from->kind), 0))
        memcpy(to->data.byte, cache_ask_data(slice, from), MESSAGE_DATA_BYTES);
}

/* Fills `message` with what stands from `from` on. */
static inline void bytes_read(struct cache *u, struct message *message, const u8 *from)
{
    bytes_copy(message->data.byte, from, message->size_bytes);
    u->s.bytes_answered += message->size_bytes;
}

/* The bytes of its piece that a write changes. */
static inline u32 written_bytes(const struct message *message)
{
    return message->mask << (message->address % MEMORY_SECTOR) & request_bytes(message);
}

static inline void bytes_write(u8 *data, const struct message *message)
{
    u32 offset = message->address % MEMORY_SECTOR, written = written_bytes(message);
    if (written == request_bytes(message)) {
        bytes_copy(data + offset, message->data.byte, message->size_bytes);
        return;
    }
    for (u32 left = written; left; left &= left - 1) {
        u32 at = (u32)__builtin_ctz(left);
        data[at] = message->data.byte[at - offset];
    }
}

/* Puts in what is not there yet. */
static inline void bytes_fill(u8 *data, u32 valid, const u8 *from)
{
    if (!valid)
        memcpy(data, from, MEMORY_SECTOR);
    for (u32 i = 0; valid && i < MEMORY_SECTOR; i++)
        if (!(valid >> i & 1))
            data[i] = from[i];
}

#endif
