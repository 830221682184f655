/* miss.c - requests that wait for bytes from below, and the misses that bring them.
 *
 * Whatever wants bytes that are on their way waits for them, in the order of coming, at the
 * register of their block. A miss begins if all that it needs is there: a register, a line, room
 * below; otherwise nothing changes. */
#include "unit/cache/miss.h"

static void mshr_queue(struct cache *u, struct cache_mshr *at, u32 user,
                       const struct message *request)
{
    u32 index = node_take(&u->mshrs);
    u->mshrs.nodes[index].message = *request;
    u->mshrs.nodes[index].user = user;
    list_append(&u->mshrs, &at->waiting, index);
}

static inline STRAIGHT void mshr_join(struct cache *u, u32 mshr, u32 user,
                                      const struct message *request)
{
    struct cache_mshr *at = &u->mshrs.at[mshr];
    if (!at->count && (request->kind & MEMORY_KIND) == MEMORY_READ)
        reader_keep(&at->first, request, user);
    else if (u->by_sector && mshr_follows(at, request))
        mshr_follow(&u->mshrs, at, user, request);
    else
        mshr_queue(u, at, user, request);
    at->count++;
    u->s.prefetch_useful += at->prefetch;
    at->prefetch = false;
    if (user == NOBODY) {
        u->inside_most--;
        return;
    }
    u->inside++;
    u->writes_waiting += (request->kind & MEMORY_KIND) != MEMORY_READ;
}

enum cache_stall mshr_merge(struct cache *u, u32 mshr, u32 user, const struct message *request)
{
    if (u->mshrs.at[mshr].count == u->p.merges)
        return STALL_MERGE;
    mshr_join(u, mshr, user, request);
    u->s.half_misses++;
    return STALL_NONE;
}

/* A read of what units that nobody knows of read as well. */
static bool others_read(const struct cache *u, const struct message *request)
{
    u64 sector = request->address / MEMORY_SECTOR;
    return (request->kind & MEMORY_KIND) == MEMORY_READ && sector >= u->ghosts->shared &&
           sector <= u->ghosts->last;
}

/* What has to be there for a miss to begin. */
struct miss {
    u32 victim; /* line that leaves, or NOBODY */
    u32 pieces; /* to fetch */
};

/* The pieces of the home's sector that are neither here nor on their way. */
static u32 miss_pieces(const struct cache *u, const struct cache_home *home)
{
    u32 first = home->piece & ~(u->sector_count - 1), wanted = u->sector_pieces << first;
    if (home->mshr != NOBODY)
        wanted &= ~u->mshrs.at[home->mshr].pending;
    return home->line == NOBODY ? wanted : wanted & ~u->tags.lines[home->line].full;
}

/* Where lines are found only when data comes, the one that holds parts of the missing pieces could
 * leave before: its dirty bytes would then be newer than what comes. So they go below first. */
static u32 miss_dirty(const struct cache *u, const struct cache_home *home, u32 pieces)
{
    u32 dirty = 0;
    for (; u->p.allocate == ALLOCATE_fill && home->line != NOBODY && pieces; pieces &= pieces - 1) {
        u32 i = (u32)__builtin_ctz(pieces);
        if (tags_bytes(&u->tags, home->line, i)->dirty)
            dirty |= UINT32_C(1) << i;
    }
    return dirty;
}

static void miss_write_back(struct cache *u, const struct cache_home *home, u32 pieces, u32 source,
                            cycle now)
{
    for (; pieces; pieces &= pieces - 1) {
        u32 i = (u32)__builtin_ctz(pieces);
        piece_write_back(u, home->slice, home->line, i, source, now);
        tags_set_valid(&u->tags, home->line, i, 0);
        tags_clean(&u->tags, home->line);
    }
}

/* Whether a miss can begin at a home that has been looked up, with `more` further requests for
 * below; changes nothing. */
static inline STRAIGHT enum cache_stall
miss_plan(const struct cache *u, const struct cache_home *home, u32 more, struct miss *miss)
{
    u32 mshr = home->mshr;
    *miss = (struct miss){ NOBODY, miss_pieces(u, home) };
    if (mshr != NOBODY && u->mshrs.at[mshr].count == u->p.merges)
        return STALL_MERGE;
    if (mshr == NOBODY && !u->mshrs.free[home->slice])
        return STALL_MSHR;
    u32 dirty = bits_count(miss_dirty(u, home, miss->pieces));
    if (u->by_line && home->line == NOBODY) {
        miss->victim = tags_victim(&u->tags, home->set);
        if (miss->victim == NOBODY)
            return STALL_WAY;
        dirty = tags_holds(&u->tags, miss->victim) ? cache_dirty_pieces(u, miss->victim) : 0;
    }
    u32 asks = bits_count(miss->pieces) + dirty + more;
    return cache_has_room(u, home->slice, asks) ? STALL_NONE : STALL_BELOW;
}

/* Begins the miss that was planned and returns its register. */
static inline STRAIGHT u32 miss_begin(struct cache *u, struct cache_home *home,
                                      const struct miss *miss, u32 source, u32 kind, cycle now)
{
    u32 mshr = home->mshr;
    miss_write_back(u, home, miss_dirty(u, home, miss->pieces), source, now);
    if (miss->victim != NOBODY) {
        cache_put_line(u, home, miss->victim, source, now);
        home->line = miss->victim;
    }
    if (mshr == NOBODY) {
        u64 block = home_block(u, home);
        mshr = cache_mshr_begin(u, cache_chain(u, home->line, block), home->slice, block, now);
        struct cache_mshr *at = &u->mshrs.at[mshr];
        at->line = u->by_line ? home->line : NOBODY;
        at->pending = 0;
        at->partly = u->by_line && tags_partly(&u->tags, home->line, home->piece);
        at->first.user = NOBODY;
    }
    /* The piece that is waited for first. */
    u64 line_address = home->number << u->line_shift;
    for (u32 left = miss->pieces, i = home->piece; left; left &= ~(UINT32_C(1) << i)) {
        if (!(left >> i & 1))
            i = (u32)__builtin_ctz(left);
        piece_fetch(u, home->slice, mshr, i, line_address + i * MEMORY_SECTOR, source, kind, now);
    }
    return mshr;
}

/* Counts a miss, or a hit if the line would have been brought by others. How it is asked for. */
static inline u32 miss_count(struct cache *u, const struct cache_home *home, bool brought)
{
    u32 hash = (u32)(home->number * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    brought = brought && hash < u->ghosts->brought;
    u->s.hits += brought;
    u->s.misses += !brought;
    return brought ? MEMORY_READ | MEMORY_AT_ONCE : MEMORY_READ;
}

bool ghost_fetch(struct cache *u, struct cache_home *home, bool shared, cycle now)
{
    struct miss miss;
    if (home->local >= CACHE_ADDRESSES || miss_plan(u, home, 0, &miss) != STALL_NONE)
        return false;
    miss_begin(u, home, &miss, 0, miss_count(u, home, shared), now);
    return true;
}

void prefetch_begin(struct cache *u, u64 local, u32 source, cycle now)
{
    struct cache_home home;
    home_find(u, local, &home);
    struct miss miss;
    home.line = cache_find(u, &home);
    if (local >= CACHE_ADDRESSES || u->tags.policy == REPLACE_none)
        return;
    bool here = home.line != NOBODY && tags_full(&u->tags, home.line, home.piece);
    if (here || home_pending(u, &home) != NOBODY)
        return;
    if (miss_plan(u, &home, 0, &miss) != STALL_NONE) {
        u->s.prefetch_dropped++;
        return;
    }
    u32 mshr = miss_begin(u, &home, &miss, source, MEMORY_READ, now);
    u->mshrs.at[mshr].prefetch |= home.mshr == NOBODY;
    u->s.prefetches += (u32)__builtin_popcount(miss.pieces);
}

static void prefetch_following(struct cache *u, u64 local, u32 source, cycle now)
{
    for (u64 i = 1; i <= u->p.prefetch; i++)
        prefetch_begin(u, local + i * u->p.sector, source, now);
}

enum cache_stall miss_fetch(struct cache *u, struct cache_home *home, u32 user,
                            const struct message *request, cycle now)
{
    struct miss miss;
    enum cache_stall stall = miss_plan(u, home, user == NOBODY, &miss);
    if (stall != STALL_NONE)
        return stall;
    u32 kind = miss_count(u, home, u->ghosts && others_read(u, request));
    u32 mshr = miss_begin(u, home, &miss, request->source, kind, now);
    mshr_join(u, mshr, user, request);
    if (u->p.prefetch)
        prefetch_following(u, home->local, request->source, now);
    return STALL_NONE;
}
