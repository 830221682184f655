/* hit.h - the straight way of a request: a read that finds its bytes here.
 *
 * All that such a read needs stands in one function, cache_accept: where its line would be, whether
 * it is there, and an answer that waits for its time. Everything else leaves it for request.c. */
#ifndef UNIT_CACHE_HIT_H
#define UNIT_CACHE_HIT_H

#include "unit/cache/address.h"
#include "unit/cache/bytes.h"

/* ---- request.c ---- */

/* Any request but a read that is for this cache. */
enum cache_stall cache_accept_other(struct cache *u, u32 bank, u32 user,
                                    const struct message *request, cycle now);

/* A read that is for this cache, if that is not regular. */
enum cache_stall cache_read_irregular(struct cache *u, u32 bank, u32 user,
                                      const struct message *request, cycle now);

/* A read that is for this cache, whose piece is not here as a whole. */
enum cache_stall cache_read_further(struct cache *u, const struct cache_home *at, u32 user,
                                    const struct message *request, cycle now);

/* ---- sector.c ---- */

/* The same of a cache by sectors. */
enum cache_stall sector_miss(struct cache *u, const struct cache_home *home, u32 user,
                             const struct message *request, cycle now);

/* Somebody asked for a piece that was perhaps prefetched. */
static inline void home_use(struct cache *u, const struct cache_home *home)
{
    tags_touch(&u->tags, home->set, home->line);
    u->s.prefetch_useful += tags_unmark_fresh(&u->tags, home->line, UINT32_C(1) << home->piece);
}

/* After home_use, unless that would change nothing. */
static inline void read_answer(struct cache *u, const struct cache_home *home, u32 user,
                               const struct message *request, cycle now)
{
    bool near = !u->sides.late || sides_touch(u, user, home->number);
    struct message *answer =
        near ? cache_answer(u, home->bank, user, now) : sides_answer(u, home->bank, user, now);
    const u8 *data = tags_data(&u->tags, home->line, home->piece);
    head_copy(answer, request);
    bytes_copy(answer->data.byte, data + request->address % MEMORY_SECTOR, request->size_bytes);
    u->s.reads++;
    u->s.lookups++;
    u->s.hits++;
    u->s.bytes_answered += request->size_bytes;
}

/* A read that is not to pass this cache needs none of the decisions that others do. */
static inline bool is_plain_read(const struct cache *u, const struct message *request, u64 local)
{
    return (request->kind & u->plain_bits) == u->plain_kind && local < CACHE_ADDRESSES &&
           request_within(request);
}

/* Deals with a request, unless it says why it cannot be dealt with now; then nothing has changed.
 */
static inline STRAIGHT enum cache_stall cache_accept(struct cache *u, u32 bank, u32 user,
                                                     const struct message *request, cycle now,
                                                     bool usual)
{
    if (u->banks[bank].hit_count == u->hits_most)
        return STALL_ANSWER;
    u64 local = cache_local(u, request->address);
    if (__builtin_expect(!is_plain_read(u, request, local), 0))
        return cache_accept_other(u, bank, user, request, now);
    if (__builtin_expect(!u->regular, 0))
        return cache_read_irregular(u, bank, user, request, now);
    struct cache_home home;
    if (usual)
        home_find_alone(u, local, bank, &home);
    else
        home_find_regular(u, local, bank, &home);
    if (tags_settled(&u->tags, home.set, home.number, home.piece)) {
        home.line = home.set * u->tags.ways + tags_set(&u->tags, home.set)->newest;
    } else {
        home.line = tags_find(&u->tags, home.set, home.number);
        if (home.line == NOBODY || !tags_full(&u->tags, home.line, home.piece)) {
            struct cache_home at = home; /* apart, so that a hit's home stays in registers */
            return u->by_sector ? sector_miss(u, &at, user, request, now)
                                : cache_read_further(u, &at, user, request, now);
        }
        cache_assume(u, usual);
        home_use(u, &home);
    }
    cache_assume(u, usual);
    read_answer(u, &home, user, request, now);
    return STALL_NONE;
}

#endif
