/* sector.c - the short way of a miss in a cache by sectors.
 *
 * Where an MSHR stands for one piece of 32 bytes, whose line is found when it misses, most misses
 * are alike: one read begins it, others may join, one request goes below, one answer comes and
 * leaves (sector.h). What is different in any way (bytes that are here in part, dirty ones that
 * must leave, nothing free) is seen before anything is changed, and left to request.c. */
#include "unit/cache/miss.h"

/* A line for a piece that is not here; NOBODY: only the general way can tell. */
static inline u32 sector_line(struct cache *u, const struct cache_home *home)
{
    struct cache_tags *tags = &u->tags;
    u32 line = home->line;
    if (line == NOBODY) {
        line = tags_victim(tags, home->set);
        return line != NOBODY && tags_is_dirty(tags, line) ? NOBODY : line;
    }
    return tags_partly(tags, line, home->piece) ? NOBODY : line;
}

/* The register of a piece that is on its way, or NOBODY. */
static inline u32 sector_coming(const struct cache *u, const struct cache_home *home)
{
    if (home->line == NOBODY)
        return NOBODY;
    return mshrs_find(&u->mshrs, u->tags.lines[home->line].pins, home->local / MEMORY_SECTOR,
                      (u32)u->tags.generation);
}

static inline void sector_ask(struct cache *u, const struct cache_home *home, u32 mshr, u32 source,
                              cycle now)
{
    struct cache_request *request = cache_ask(u, home->slice, now);
    request->address = home->local & ~(u64)(MEMORY_SECTOR - 1);
    request->tag = mshr << TAG_PIECE_BITS | home->piece;
    request->source = source;
    request->mask = 0;
    request->kind = MEMORY_READ;
    request->size_bytes = MEMORY_SECTOR;
}

/* The read waits for its piece in a register of its own. */
static inline void sector_wait(struct cache *u, const struct cache_home *home, u32 line, u32 user,
                               const struct message *request, cycle now)
{
    cache_count_occupancy(u, now);
    u32 mshr = mshrs_take(&u->mshrs, &u->tags.lines[line].pins, home->slice,
                          home->local / MEMORY_SECTOR, (u32)u->tags.generation);
    struct cache_mshr *at = &u->mshrs.at[mshr];
    at->first = reader_of(request, user);
    at->line = line;
    at->pending = UINT32_C(1) << home->piece;
    at->count = 1;
    u->inside++;
    sector_ask(u, home, mshr, request->source, now);
}

enum cache_stall sector_miss(struct cache *u, const struct cache_home *home, u32 user,
                             const struct message *request, cycle now)
{
    if (cache_is_full(u))
        return STALL_ANSWER;
    u32 coming = sector_coming(u, home);
    if (coming != NOBODY) {
        enum cache_stall stall = mshr_merge(u, coming, user, request);
        if (__builtin_expect(stall != STALL_NONE, 0)) {
            u->banks[home->bank].awaits = coming;
            return stall;
        }
        u->s.lookups++;
        u->s.reads++;
        return STALL_NONE;
    }
    bool room = u->mshrs.free[home->slice] && cache_has_room(u, home->slice, 1);
    u32 place = room ? sector_line(u, home) : NOBODY;
    if (__builtin_expect(place == NOBODY, 0))
        return cache_read_further(u, home, user, request, now);
    if (home->line == NOBODY)
        cache_put_line(u, home, place, request->source, now);
    sector_wait(u, home, place, user, request, now);
    u->s.misses++;
    u->s.lookups++;
    u->s.reads++;
    return STALL_NONE;
}
