/* sector.c - the short way of a miss in a cache by sectors.
 *
 * Where an MSHR stands for one piece of 32 bytes, whose line is found when it misses, most misses
 * are alike: one read begins it, others may join, one request goes below, one answer comes and
 * leaves (sector.h). What is different in any way (bytes that are here in part, dirty ones that
 * must leave, nothing free) is seen before anything is changed, and left to request.c. */
#include "unit/cache/miss.h"

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

/* The read begins a miss: it waits for its piece in a register of its own. */
static inline STRAIGHT enum cache_stall sector_begin(struct cache *u, const struct cache_home *home,
                                                     u32 line, u32 user,
                                                     const struct message *request, cycle now)
{
    u32 mshr = cache_mshr_begin(u, &u->tags.lines[line].pins, home->slice,
                                home->local / MEMORY_SECTOR, now);
    struct cache_mshr *at = &u->mshrs.at[mshr];
    reader_keep(&at->first, request, user);
    at->line = line;
    at->pending = UINT32_C(1) << home->piece;
    at->count = 1;
    at->partly = false;
    u->inside++;
    sector_ask(u, home, mshr, request->source, now);
    u->s.misses++;
    u->s.lookups++;
    u->s.reads++;
    return STALL_NONE;
}

/* The read waits with others for what is coming. */
static PART enum cache_stall sector_join(struct cache *u, const struct cache_home *home, u32 coming,
                                         u32 user, const struct message *request)
{
    enum cache_stall stall = mshr_merge(u, coming, user, request);
    if (__builtin_expect(stall != STALL_NONE, 0)) {
        u->banks[home->bank].awaits = coming;
        return stall;
    }
    u->s.lookups++;
    u->s.reads++;
    return STALL_NONE;
}

/* A miss for which a line must be found first. */
static PART enum cache_stall sector_miss_line(struct cache *u, const struct cache_home *home,
                                              u32 user, const struct message *request, cycle now)
{
    u32 line = tags_victim(&u->tags, home->set);
    if (__builtin_expect(line == NOBODY || tags_is_dirty(&u->tags, line), 0))
        return cache_read_further(u, home, user, request, now);
    cache_replace_line(u, home, line);
    return sector_begin(u, home, line, user, request, now);
}

/* Each way is a function of its own, so that the most usual one needs few registers. */
enum cache_stall sector_miss(struct cache *u, const struct cache_home *home, u32 user,
                             const struct message *request, cycle now)
{
    if (cache_is_full(u))
        return STALL_ANSWER;
    u32 coming = sector_coming(u, home);
    if (coming != NOBODY)
        return sector_join(u, home, coming, user, request);
    if (!u->mshrs.free[home->slice] || !cache_has_room(u, home->slice, 1))
        return cache_read_further(u, home, user, request, now);
    if (home->line == NOBODY)
        return sector_miss_line(u, home, user, request, now);
    if (tags_set_partly(&u->tags, home->set) && tags_partly(&u->tags, home->line, home->piece))
        return cache_read_further(u, home, user, request, now);
    return sector_begin(u, home, home->line, user, request, now);
}
