/* request.c - what becomes of a request.
 *
 * A request is dealt with in the cycle in which it is taken: it is found here and answered after
 * the latency, or joins a miss that is under way, or begins one (miss.c), or is passed on below.
 * Requests that wait for the same bytes are executed in the order in which they came: so a read
 * never sees a write that came after it. Here are reads, and what decides about the others. */
#include "unit/cache/miss.h"

/* Whether the request's bytes are here and its piece, which is not full, is not on its way. */
static bool read_finds(const struct cache *u, struct cache_home *home,
                       const struct message *request)
{
    u32 bytes = request_bytes(request);
    return home_pending(u, home) == NOBODY && home->line != NOBODY &&
           (home_valid(u, home) & bytes) == bytes;
}

/* What was not found is on its way, or fetched. */
static enum cache_stall read_wait(struct cache *u, struct cache_home *home, u32 user,
                                  const struct message *request, cycle now)
{
    bool pending = home->mshr != NOBODY && u->mshrs.at[home->mshr].pending >> home->piece & 1;
    if (cache_is_full(u))
        return STALL_ANSWER;
    if (u->sides.late)
        sides_touch(u, user, home->number);
    return pending ? mshr_merge(u, home->mshr, user, request)
                   : miss_fetch(u, home, user, request, now);
}

enum cache_stall cache_read_irregular(struct cache *u, u32 bank, u32 user,
                                      const struct message *request, cycle now)
{
    struct cache_home home;
    home_find_in(u, cache_local(u, request->address), bank, &home);
    home.line = cache_find(u, &home);
    if (home.line == NOBODY || !tags_full(&u->tags, home.line, home.piece))
        return cache_read_further(u, &home, user, request, now);
    home_use(u, &home);
    read_answer(u, &home, user, request, now);
    return STALL_NONE;
}

enum cache_stall cache_read_further(struct cache *u, const struct cache_home *at, u32 user,
                                    const struct message *request, cycle now)
{
    struct cache_home home = *at;
    if (read_finds(u, &home, request)) {
        home_use(u, &home);
        read_answer(u, &home, user, request, now);
        return STALL_NONE;
    }
    enum cache_stall stall = read_wait(u, &home, user, request, now);
    u->s.lookups += stall == STALL_NONE;
    u->s.reads += stall == STALL_NONE;
    return stall;
}

/* A request that is not for this cache. What it holds of the same bytes goes below first. */
static enum cache_stall pass_accept(struct cache *u, struct cache_home *home, u32 user,
                                    const struct message *request, cycle now)
{
    if (home_pending(u, home) != NOBODY)
        return STALL_ORDER;
    if (!cache_has_room(u, home->slice, 2))
        return STALL_BELOW;
    if (home->line != NOBODY) {
        piece_write_back(u, home->slice, home->line, home->piece, request->source, now);
        tags_set_valid(&u->tags, home->line, home->piece, 0);
        tags_clean(&u->tags, home->line);
    }
    if (is_write(request)) {
        u->s.bytes_taken += (u32)__builtin_popcount(written_bytes(request));
        atomic_written(&u->reservations, request->address);
    }
    request_pass(u, home, user, request, now);
    u->s.passed++;
    return STALL_NONE;
}

static bool request_passes(const struct cache *u, const struct message *request, u64 local)
{
    bool atomics_below = u->p.atomics == ATOMICS_below || u->tags.policy == REPLACE_none;
    return (request->kind & u->skip) || local >= CACHE_ADDRESSES ||
           (is_atomic(request) && atomics_below);
}

/* What goes below whatever is found here needs room for it, which is seen without looking here. */
static enum cache_stall request_room(const struct cache *u, const struct cache_home *home,
                                     const struct message *request, bool passes)
{
    bool through = is_write(request) && writes_through(u);
    if ((passes || through) && u->passing == u->p.passes)
        return STALL_PASS;
    return through && !passes && !cache_has_room(u, home->slice, 1) ? STALL_BELOW : STALL_NONE;
}

enum cache_stall cache_accept_other(struct cache *u, u32 bank, u32 user,
                                    const struct message *request, cycle now)
{
    u32 kind = request->kind & MEMORY_KIND;
    if (cache_is_full(u))
        return STALL_ANSWER;
    if (kind == MEMORY_FENCE)
        return cache_fence(u, bank, user, request, now);
    if (u->sweeping)
        return STALL_FENCE;
    if (!request_fits(request)) {
        struct message *answer = cache_answer(u, bank, user, now);
        *answer = *request;
        answer->kind = MEMORY_FAULT;
        return STALL_NONE;
    }
    struct cache_home home;
    home_find_in(u, cache_local(u, request->address), bank, &home);
    bool passes = request_passes(u, request, home.local);
    enum cache_stall stall = request_room(u, &home, request, passes);
    if (stall != STALL_NONE)
        return stall;
    home.line = cache_find(u, &home);
    if (passes) {
        stall = pass_accept(u, &home, user, request, now);
    } else if (kind == MEMORY_PREFETCH) {
        prefetch_begin(u, home.local, request->source, now);
        return STALL_NONE;
    } else {
        stall = kind == MEMORY_WRITE ? write_accept(u, &home, user, request, now)
                                     : atomic_accept(u, &home, user, request, now);
        u->s.lookups += stall == STALL_NONE;
    }
    if (stall != STALL_NONE)
        return stall;
    u->s.reads += kind == MEMORY_READ;
    u->s.writes += kind == MEMORY_WRITE;
    u->s.atomics += kind == MEMORY_AMO;
    return STALL_NONE;
}
