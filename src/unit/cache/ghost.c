/* ghost.c - requests of units that are not simulated (unit_ghosts): they renew lines, bring them
 * and drive others out, in no time and without asking below.
 *
 * A sector that is on its way, or in a set whose oldest line is dirty, is left as it is: that one
 * is not the last who asks for it. */
#include "unit/cache/miss.h"
#include "unit/registry.h"

/* The bytes of a sector in the memory behind; NULL: not known. */
static const u8 *sector_below(struct cache *u, u64 address)
{
    struct unit *unit = &u->base;
    for (;;) {
        const struct unit_type *type = registry_type(unit->type);
        if (type->stored) {
            u64 together = 0;
            const u8 *bytes = type->stored(unit, address, &together);
            return together >= MEMORY_SECTOR ? bytes : NULL;
        }
        struct link *link = type->toward ? type->toward(unit, &address) : NULL;
        if (!link || link->crosses)
            return NULL;
        unit = link->reader;
    }
}

/* The line of a home, perhaps a new one; NOBODY: there is no place for it. */
static u32 ghost_line(struct cache *u, const struct cache_home *home, cycle now)
{
    struct cache_tags *tags = &u->tags;
    u32 line = cache_find(u, home);
    if (line != NOBODY) {
        tags_touch(tags, home->set, line);
        return line;
    }
    line = tags_victim(tags, home->set);
    if (line == NOBODY || (tags_holds(tags, line) && tags_is_dirty(tags, line)))
        return NOBODY;
    cache_put_line(u, home, line, NOBODY, now);
    return line;
}

static void ghost_ask(struct cache *u, u64 address, cycle now)
{
    struct cache_tags *tags = &u->tags;
    struct cache_home home;
    home_find(u, cache_local(u, address), &home);
    if (home.local >= CACHE_ADDRESSES || tags->policy == REPLACE_none)
        return;
    u32 line = home.line = ghost_line(u, &home, now);
    if (line == NOBODY || tags_valid(tags, line, home.piece) || home_pending(u, &home) != NOBODY)
        return;
    const u8 *bytes = sector_below(u, address);
    if (!bytes)
        return;
    memcpy(tags_data(tags, line, home.piece), bytes, MEMORY_SECTOR);
    tags_set_valid(tags, line, home.piece, ALL_BYTES);
}

void cache_ghosts_go_on(struct cache *u, u64 address, cycle now)
{
    const struct unit_ghosts *ghosts = u->ghosts;
    u64 asked = address / MEMORY_SECTOR;
    if (asked < ghosts->first || asked > ghosts->last)
        return;
    while (u->ghosts_gone < ghosts->count) {
        u32 sector = ghosts->sectors[u->ghosts_gone++];
        if (sector & UNIT_GHOST_TURN)
            return;
        ghost_ask(u, (u64)sector * MEMORY_SECTOR, now);
    }
}

void cache_haunt(struct unit *unit, const struct unit_ghosts *ghosts)
{
    struct cache *u = (struct cache *)unit;
    u->ghosts = ghosts;
    u->complex = true;
}
