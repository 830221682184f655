/* miss.h - bytes that are not here: whether they are on their way, and how they are fetched. For
 * the files that deal with requests: request.c, write.c, miss.c and below.c. */
#ifndef UNIT_CACHE_MISS_H
#define UNIT_CACHE_MISS_H

#include "unit/cache/hit.h"

static inline u32 home_valid(const struct cache *u, const struct cache_home *home)
{
    if (home->line == NOBODY)
        return 0;
    if (tags_full(&u->tags, home->line, home->piece))
        return ALL_BYTES;
    return tags_set_partly(&u->tags, home->set) ? tags_valid(&u->tags, home->line, home->piece) : 0;
}

static inline u64 home_block(const struct cache *u, const struct cache_home *home)
{
    return home->local >> u->block_shift;
}

/* Whether nothing of the home's block can be on its way: where lines are found on a miss, what is
 * fetched has one, which is pinned. */
static inline bool home_is_quiet(const struct cache *u, const struct cache_home *home)
{
    return u->by_line && (home->line == NOBODY || !u->tags.lines[home->line].pins);
}

/* Looks the home's block up; the register under which its piece is on its way, or NOBODY. */
static inline u32 home_pending(const struct cache *u, struct cache_home *home)
{
    if (home_is_quiet(u, home))
        return home->mshr = NOBODY;
    u64 block = home_block(u, home);
    u32 chain = *cache_chain(u, home->line, block);
    u32 mshr = mshrs_find(&u->mshrs, chain, block, (u32)u->tags.generation);
    home->mshr = mshr;
    if (mshr == NOBODY || !(u->mshrs.at[mshr].pending >> home->piece & 1))
        return NOBODY;
    return mshr;
}

/* ---- below.c; there must be room for what goes there ---- */

/* Sends the dirty bytes of a piece, if there are any. */
void piece_write_back(struct cache *u, u32 slice, u32 line, u32 index, u32 source, cycle now);

/* Asks for a piece on behalf of a register, with a MEMORY_READ of that kind. */
void piece_fetch(struct cache *u, u32 slice, u32 mshr, u32 index, u64 address, u32 source, u32 kind,
                 cycle now);

/* Passes a request on; its answer goes to the user. */
void request_pass(struct cache *u, const struct cache_home *home, u32 user,
                  const struct message *request, cycle now);

/* ---- miss.c ---- */

/* A request waits for a piece that is on its way; `user` is NOBODY for a write that is answered
 * from below. */
enum cache_stall mshr_merge(struct cache *u, u32 mshr, u32 user, const struct message *request);

/* A request for bytes that are neither here nor on their way, at a home that has been looked up:
 * fetches them and waits. */
enum cache_stall miss_fetch(struct cache *u, struct cache_home *home, u32 user,
                            const struct message *request, cycle now);

/* Fetches what is missing at a home that has been looked up, for a unit that is not simulated, and
 * counts it; false: there is no room. */
bool ghost_fetch(struct cache *u, struct cache_home *home, bool shared, cycle now);

/* Fetches a sector that nobody waits for, if it is not here and there is room. */
void prefetch_begin(struct cache *u, u64 local, u32 source, cycle now);

/* ---- write.c ---- */

/* Writes for a unit that is not simulated, where writes stay, and counts what it finds;
 * false: there is no room. */
bool ghost_write(struct cache *u, struct cache_home *home, const struct message *request,
                 cycle now);

/* Whether below learns of every write: where nothing is kept, bytes that wait for a miss cannot
 * become dirty. */
static inline bool writes_through(const struct cache *u)
{
    return u->p.write == WRITE_through || u->tags.policy == REPLACE_none;
}

enum cache_stall atomic_accept(struct cache *u, struct cache_home *home, u32 user,
                               const struct message *request, cycle now);
enum cache_stall write_accept(struct cache *u, struct cache_home *home, u32 user,
                              const struct message *request, cycle now);

#endif
