/* sector.h - the short way of a fill in a cache by sectors (`by_sector`), whose other half, that of
 * the miss, is sector.c: a read waits, and perhaps others behind it, one answer comes, and they are
 * answered with it. What is different in any way (nobody who waits, or a write first, bytes that
 * are here in part, a fence meanwhile, a fault) is seen before anything is changed, and left to
 * fill.c. */
#ifndef UNIT_CACHE_SECTOR_H
#define UNIT_CACHE_SECTOR_H

#include "unit/cache/hit.h"

/* ---- fill.c ---- */

/* Those who wait for a piece that has come behind the first read. */
void sector_wake_others(struct cache *u, struct cache_mshr *mshr, u32 bank,
                        const struct message *answer, cycle now);

/* Whether an answer from below is for a read that waits, and nothing came between. What is here of
 * a piece does not change while that is on its way. */
static inline bool sector_is_plain(const struct cache *u, const struct message *answer)
{
    if (!u->by_sector || answer->tag & (TAG_PASSED | TAG_WRITE_BACK))
        return false;
    const struct cache_mshr *mshr = &u->mshrs.at[answer->tag >> TAG_PIECE_BITS];
    return (answer->kind & MEMORY_KIND) == MEMORY_READ && mshr->first.user != NOBODY &&
           mshr->generation == (u32)u->tags.generation && !mshr->partly;
}

/* The answer to a read that waited, out of the bytes of its sector. */
static inline void sector_answer(struct cache *u, const struct cache_reader *reader, u32 bank,
                                 const u8 *sector, u32 missed, cycle now)
{
    u32 node = node_take(&u->mshrs);
    struct message *message = &u->mshrs.nodes[node].message;
    reader_restore(message, reader, missed);
    bytes_read(u, message, sector + reader->address % MEMORY_SECTOR);
    u->mshrs.nodes[node].user = reader->user;
    cache_answer_node(u, bank, node, now);
}

/* cache_receive of such an answer. */
static inline bool sector_fill(struct cache *u, const struct message *answer, cycle now)
{
    u32 index = answer->tag >> TAG_PIECE_BITS, piece = answer->tag % (1 << TAG_PIECE_BITS);
    struct cache_mshr *mshr = &u->mshrs.at[index];
    u32 bank = cache_users_bank(u, mshr->first.address), line = mshr->line;
    if (!bank_take_only_fill(u, bank, now))
        return false;
    memcpy(tags_data(&u->tags, line, piece), answer->data.byte, MEMORY_SECTOR);
    u->tags.lines[line].full |= UINT32_C(1) << piece;
    u->s.bytes_fetched += MEMORY_SECTOR;
    sector_answer(u, &mshr->first, bank, answer->data.byte, answer->missed + 1, now);
    if (mshr->waiting.first != NOBODY)
        sector_wake_others(u, mshr, bank, answer, now);
    mshrs_unchain(&u->mshrs, &u->tags.lines[line].pins, index);
    cache_mshr_end(u, index, now);
    return true;
}

#endif
