/* sector.c - the short ways of a miss in a cache by sectors.
 *
 * Where an MSHR stands for one piece of 32 bytes, whose line is found when it misses, most misses
 * are alike: one read begins it, one request goes below, one answer comes and leaves. Here are both
 * halves of that, in one function each. What is different in any way (bytes that are here in part
 * or on their way, dirty ones that must leave, a second one that waits, a fence meanwhile, nothing
 * free) is seen before anything is changed, and left to request.c and fill.c. */
#include <string.h>

#include "unit/cache/sector.h"

/* ---- The read ---- */

/* A line for a piece that is not here; NOBODY: only the general way can tell. */
static inline u32 sector_line(struct cache *u, const struct cache_home *home)
{
    struct cache_tags *tags = &u->tags;
    u32 line = home->line;
    if (line == NOBODY) {
        line = tags_victim(tags, home->set);
        return line != NOBODY && tags_is_dirty(tags, line) ? NOBODY : line;
    }
    bool part = tags->lines[line].part >> home->piece & 1;
    bool comes = tags->pins[line] && mshrs_find(&u->mshrs, home->local / MEMORY_SECTOR,
                                                (u32)tags->generation) != NOBODY;
    return part || comes ? NOBODY : line;
}

static inline void sector_ask(struct cache *u, const struct cache_home *home, u32 mshr, u32 source,
                              cycle now)
{
    struct message *message = cache_ask(u, home->slice, now);
    message->address = home->local & ~(u64)(MEMORY_SECTOR - 1);
    message->tag = mshr << TAG_PIECE_BITS | home->piece;
    message->source = source;
    message->missed = 0;
    message->kind = MEMORY_READ;
    message->size_bytes = MEMORY_SECTOR;
}

/* The read waits for its piece in a register of its own. */
static inline void sector_wait(struct cache *u, const struct cache_home *home, u32 line, u32 user,
                               const struct message *request, cycle now)
{
    cache_count_occupancy(u, now);
    u32 mshr =
        mshrs_take(&u->mshrs, home->slice, home->local / MEMORY_SECTOR, (u32)u->tags.generation);
    struct cache_mshr *at = &u->mshrs.at[mshr];
    at->first = (struct cache_reader){ .address = request->address,
                                       .tag = request->tag,
                                       .source = request->source,
                                       .user = user,
                                       .kind = request->kind,
                                       .size_bytes = request->size_bytes };
    at->line = line;
    at->pending = UINT32_C(1) << home->piece;
    at->count = 1;
    u->tags.pins[line]++;
    u->inside++;
    sector_ask(u, home, mshr, request->source, now);
}

enum cache_stall sector_miss(struct cache *u, u32 bank, u32 user, const struct message *request,
                             u32 line, cycle now)
{
    struct cache_home home;
    home_find_regular(u, cache_local(u, request->address), bank, &home);
    home.line = line;
    bool room = u->mshrs.free[home.slice] != NOBODY && cache_has_room(u, home.slice, 1);
    u32 place = room ? sector_line(u, &home) : NOBODY;
    if (__builtin_expect(place == NOBODY, 0))
        return cache_read_further(u, bank, user, request, line, now);
    if (line == NOBODY)
        cache_put_line(u, &home, place, request->source, now);
    sector_wait(u, &home, place, user, request, now);
    u->s.misses++;
    u->s.lookups++;
    u->s.reads++;
    return STALL_NONE;
}

/* ---- The fill ---- */

bool sector_is_alone(const struct cache *u, const struct message *answer)
{
    const struct cache_mshr *mshr = &u->mshrs.at[answer->tag >> TAG_PIECE_BITS];
    return (answer->kind & MEMORY_KIND) == MEMORY_READ && mshr->first.user != NOBODY &&
           mshr->waiting.first == NOBODY && mshr->generation == (u32)u->tags.generation &&
           !(u->tags.lines[mshr->line].part & mshr->pending);
}

/* The answer to the read that waited. */
static inline void sector_answer(struct cache *u, const struct cache_reader *reader, u32 bank,
                                 const struct message *answer, cycle now)
{
    u32 node = node_take(&u->mshrs);
    struct message *message = &u->mshrs.cargo[node].message;
    message->address = reader->address;
    message->tag = reader->tag;
    message->source = reader->source;
    message->missed = answer->missed + 1;
    message->kind = reader->kind;
    message->size_bytes = reader->size_bytes;
    bytes_read(u, message, answer->data.byte + reader->address % MEMORY_SECTOR);
    u->mshrs.nodes[node].user = reader->user;
    cache_answer_node(u, bank, node, now);
}

bool sector_fill(struct cache *u, const struct message *answer, cycle now)
{
    u32 index = answer->tag >> TAG_PIECE_BITS, piece = answer->tag % (1 << TAG_PIECE_BITS);
    struct cache_mshr *mshr = &u->mshrs.at[index];
    u32 bank = cache_bank(u, mshr->block * MEMORY_SECTOR), line = mshr->line;
    if (!bank_take_fill(u, bank, now))
        return false;
    memcpy(tags_data(&u->tags, line, piece), answer->data.byte, MEMORY_SECTOR);
    u->tags.lines[line].full |= UINT32_C(1) << piece;
    u->tags.pins[line]--;
    u->s.bytes_fetched += MEMORY_SECTOR;
    sector_answer(u, &mshr->first, bank, answer, now);
    cache_count_occupancy(u, now);
    mshrs_give_back(&u->mshrs, index);
    return true;
}
