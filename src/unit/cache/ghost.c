/* ghost.c - requests of units that are not simulated (unit_ghosts): looked up, fetched from below
 * and counted as any other, but nobody waits for the answer, and no bank is held.
 *
 * How far they have come is told by how many requests simulated units have made. What that allows
 * for is asked for little by little, so that it does not come in bursts: every GHOST_STEP cycles
 * the share of what is due that lasts for GHOST_TIME. */
#include "unit/cache/miss.h"

#define GHOST_STEP   8
#define GHOST_TIME   4096
#define GHOSTS_AHEAD 8

/* A sector; false: it cannot be fetched yet. */
static bool ghost_ask(struct cache *u, u64 address, cycle now)
{
    struct cache_home home;
    home_find(u, cache_local(u, address), &home);
    home.line = cache_find(u, &home);
    bool here = home.line != NOBODY && tags_full(&u->tags, home.line, home.piece);
    bool comes = !here && home_pending(u, &home) != NOBODY;
    if (here)
        home_use(u, &home);
    else if (!comes && !ghost_fetch(u, &home, address / MEMORY_SECTOR >= u->ghosts->shared, now))
        return false;
    u->s.reads++;
    u->s.lookups++;
    u->s.hits += here;
    u->s.half_misses += comes;
    u->s.bytes_answered += MEMORY_SECTOR;
    return true;
}

/* Threads write words. Zeros, for nobody looks at what others write; a quarter of a sector, which
 * is written in two goes, is wholly written by the first. */
#define GHOST_WORD    4
#define GHOST_QUARTER (MEMORY_SECTOR / UNIT_GHOST_SECTORS)

static bool ghost_store(struct cache *u, u64 address, cycle now)
{
    const struct message request = { .kind = MEMORY_WRITE,
                                     .address = address,
                                     .size_bytes = GHOST_QUARTER,
                                     .mask = (UINT32_C(1) << GHOST_QUARTER) - 1 };
    struct cache_home home;
    home_find(u, cache_local(u, address), &home);
    home.line = cache_find(u, &home);
    if (home.local >= CACHE_ADDRESSES || !ghost_write(u, &home, &request, now))
        return false;
    u->s.writes++;
    u->s.lookups++;
    u->s.bytes_taken += GHOST_WORD;
    return true;
}

/* What is left of a request; false: not all of it can be fetched yet. */
static bool request_ask(struct cache *u, u32 request, cycle now)
{
    u64 first = u->ghosts->first + unit_ghost_sector(request);
    if (request & UNIT_GHOST_WRITE)
        return ghost_store(u, first * MEMORY_SECTOR + unit_ghost_quarter(request) * GHOST_QUARTER,
                           now);
    for (u32 count = unit_ghost_count(request); u->ghosts_asked < count; u->ghosts_asked++)
        if (!ghost_ask(u, (first + u->ghosts_asked) * MEMORY_SECTOR, now))
            return false;
    u->ghosts_asked = 0;
    return true;
}

/* What a request that is soon asked for is looked up in comes into the caches of the host. */
static inline void request_prefetch(const struct cache *u, u32 request)
{
    struct cache_home home;
    u64 sector = u->ghosts->first + unit_ghost_sector(request);
    home_find(u, cache_local(u, sector * MEMORY_SECTOR), &home);
    __builtin_prefetch(tags_set(&u->tags, home.set));
}

void cache_ghosts_ask(struct cache *u, cycle now)
{
    const struct unit_ghosts *ghosts = u->ghosts;
    u64 due = (u->ghosts_due - u->ghosts_gone) * GHOST_STEP / GHOST_TIME + 1;
    while (due && u->ghosts_gone < u->ghosts_due) {
        u32 request = ghosts->requests[u->ghosts_gone];
        if (u->ghosts_gone + GHOSTS_AHEAD < ghosts->count)
            request_prefetch(u, ghosts->requests[u->ghosts_gone + GHOSTS_AHEAD]);
        if (!(request & UNIT_GHOST_TURN)) {
            due--;
            if (!request_ask(u, request, now))
                break;
        }
        u->ghosts_gone++;
    }
    u->ghosts_at = u->ghosts_gone < u->ghosts_due ? now + GHOST_STEP : NEVER;
}

void cache_ghosts_go_on(struct cache *u, u64 address, cycle now)
{
    const struct unit_ghosts *ghosts = u->ghosts;
    u64 asked = address / MEMORY_SECTOR;
    if (asked < ghosts->first || asked > ghosts->last)
        return;
    u->ghosts_turns++;
    for (; u->ghosts_due < ghosts->count; u->ghosts_due++) {
        u32 request = ghosts->requests[u->ghosts_due];
        u32 turns = request & UNIT_GHOST_TURN ? unit_ghost_count(request) : 0;
        if (turns > u->ghosts_turns)
            break;
        u->ghosts_turns -= turns;
    }
    if (u->ghosts_at == NEVER && u->ghosts_gone < u->ghosts_due)
        u->ghosts_at = now + GHOST_STEP;
}

void cache_haunt(struct unit *unit, const struct unit_ghosts *ghosts)
{
    struct cache *u = (struct cache *)unit;
    u->ghosts = ghosts;
    u->ghosts_at = NEVER;
    u->complex = true;
    u->by_sector = false;
}
