/* tags.h - what a cache holds: lines in sets, their bytes, and which of them leaves next.
 *
 * A line is made of pieces of 32 bytes, each with a mask of the bytes that are there (valid) and of
 * those that the memory behind does not have yet (dirty). A line's key is its number with a
 * generation beside it: forgetting everything is counting the generation up, not a sweep.
 * Always true: dirty bytes are valid; a line's bit in `dirty` is set exactly if one of its pieces
 * has dirty bytes; a pinned line of this generation is never chosen as victim. */
#ifndef UNIT_CACHE_TAGS_H
#define UNIT_CACHE_TAGS_H

#include <string.h>

#include "ogive/arbiter.h"
#include "ogive/memory.h"
#include "ogive/types.h"
#include "ogive/unit.h"

struct unit;
struct ogv_error;

#define CACHE_LINE_BYTES_MAX 1024
#define CACHE_PLRU_WAYS_MAX  64
#define CACHE_NUMBER_BITS    42 /* of a line's number in its key; the generation has the rest */
#define CACHE_GENERATIONS    ((UINT64_C(1) << (64 - CACHE_NUMBER_BITS)) - 1)

/* Addresses from here on are not cached: their line numbers would not fit. */
#define CACHE_ADDRESSES      (UINT64_C(1) << (CACHE_NUMBER_BITS + 5))

#define CACHE_POLICIES(C, with) \
    C(lru, with) C(fifo, with) C(plru, with) C(random, with) C(none, with)
enum cache_policy { CACHE_POLICIES(UNIT_CHOICE_VALUE, REPLACE_) };

struct cache_bytes {
    u32 valid, dirty; /* bit i: byte i */
};

/* Of what is said of it and what is in it, a look-up that finds nothing needs only the first. */
struct cache_piece {
    struct cache_bytes *bytes;
    u8 *data; /* [MEMORY_SECTOR] */
};

/* The lines of a set form a ring, from the one used (LRU) or brought (FIFO) last to the oldest. */
struct cache_order {
    u16 older, newer; /* ways; the newest is older than the oldest */
    u16 pins;         /* fills that are under way into it */
};

struct cache_set {
    u64 generation; /* of `filled` */
    u64 tree;       /* pseudo-LRU: bit n: the victim is on the right of node n */
    u32 filled;     /* lines that are not empty: the first ones of the set */
    u32 newest;     /* way */
};

struct cache_tags {
    u64 *keys; /* [line] number and generation; 0: empty */
    u8 *marks; /* [line] a hash of the key, to be searched eight at a time */
    struct cache_set *set;
    struct cache_order *order; /* [line] */
    u32 *fresh;                /* [line] pieces that were prefetched and not asked for since */
    u64 fresh_pieces;          /* in all */
    struct cache_bytes *bytes; /* [line][pieces of a line] */
    u8 *data;                  /* [line][bytes of a line] */
    u64 *dirty;                /* bit per line */
    u64 dirty_lines;
    u64 generation;     /* counts up for ever */
    u64 generation_key; /* its part of a key; never 0 */
    u64 random;
    u32 sets, ways, line_pieces;
    enum cache_policy policy;
};

/* Sets the sizes and the policy first. */
bool tags_init(struct cache_tags *tags, struct unit *unit, struct ogv_error *error);

/* An empty line of the set or the one that the policy gives up; NOBODY if all are pinned. Changes
 * nothing: asked again, it says the same. */
u32 tags_victim(const struct cache_tags *tags, u32 set);

/* Makes an empty line with this number out of a victim whose dirty bytes were taken care of. */
void tags_put(struct cache_tags *tags, u32 set, u32 line, u64 number);

/* Forgets everything but what is dirty now, which the caller has written back. */
void tags_forget(struct cache_tags *tags);

/* Marks a line after one of its pieces became clean. */
void tags_clean(struct cache_tags *tags, u32 line);

/* For pseudo-LRU: points the tree away from the way. */
void tags_turn_tree(struct cache_tags *tags, u32 set, u32 line);

static inline u64 tags_key(const struct cache_tags *tags, u64 number)
{
    return tags->generation_key | number;
}

static inline u64 tags_number(const struct cache_tags *tags, u32 line)
{
    return tags->keys[line] & ((UINT64_C(1) << CACHE_NUMBER_BITS) - 1);
}

/* Whether the line holds something of this generation. */
static inline bool tags_holds(const struct cache_tags *tags, u32 line)
{
    return tags->keys[line] >> CACHE_NUMBER_BITS == tags->generation_key >> CACHE_NUMBER_BITS;
}

static inline u8 tags_mark(u64 key)
{
    return (u8)(key * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The top bits of the bytes that are zero; the lowest of them is right for certain. */
static inline u64 bytes_zero(u64 bytes)
{
    return (bytes - EACH_BYTE) & ~bytes & EACH_BYTE << 7;
}

static inline u32 tags_find(const struct cache_tags *tags, u32 set, u64 number)
{
    u64 key = tags_key(tags, number), pattern = tags_mark(key) * EACH_BYTE;
    u32 first = set * tags->ways, end = first + tags->ways;
    for (u32 eight = first; eight < end; eight += 8) {
        u64 marks;
        memcpy(&marks, tags->marks + eight, sizeof marks);
        for (u64 alike = bytes_zero(marks ^ pattern); alike; alike &= alike - 1) {
            u32 line = eight + (u32)__builtin_ctzll(alike) / 8;
            if (line < end && tags->keys[line] == key)
                return line;
        }
    }
    return NOBODY;
}

static inline struct cache_bytes *tags_bytes(const struct cache_tags *tags, u32 line, u32 piece)
{
    return &tags->bytes[(size_t)line * tags->line_pieces + piece];
}

static inline struct cache_piece tags_piece(const struct cache_tags *tags, u32 line, u32 piece)
{
    size_t i = (size_t)line * tags->line_pieces + piece;
    return (struct cache_piece){ &tags->bytes[i], &tags->data[i * MEMORY_SECTOR] };
}

/* Makes the line the newest of its set. */
static inline void tags_renew(struct cache_tags *tags, u32 set, u32 line)
{
    u32 first = set * tags->ways, way = line - first;
    struct cache_order *order = tags->order + first, *at = &order[way];
    u32 newest = tags->set[set].newest, oldest = order[newest].newer;
    if (way == newest)
        return;
    tags->set[set].newest = way;
    if (way == oldest)
        return; /* the ring has turned by one */
    order[at->older].newer = at->newer;
    order[at->newer].older = at->older;
    at->older = (u16)newest;
    at->newer = (u16)oldest;
    order[newest].newer = order[oldest].older = (u16)way;
}

/* The line was used. */
static inline void tags_touch(struct cache_tags *tags, u32 set, u32 line)
{
    if (tags->policy == REPLACE_lru)
        tags_renew(tags, set, line);
    else if (tags->policy == REPLACE_plru)
        tags_turn_tree(tags, set, line);
}

static inline bool tags_is_dirty(const struct cache_tags *tags, u32 line)
{
    return tags->dirty[line / 64] >> (line % 64) & 1;
}

static inline void tags_make_dirty(struct cache_tags *tags, u32 line, struct cache_bytes *piece,
                                   u32 bytes)
{
    u64 bit = UINT64_C(1) << (line % 64);
    piece->dirty |= bytes;
    if (bytes && !(tags->dirty[line / 64] & bit)) {
        tags->dirty[line / 64] |= bit;
        tags->dirty_lines++;
    }
}

static inline void tags_mark_fresh(struct cache_tags *tags, u32 line, u32 piece)
{
    tags->fresh_pieces += !(tags->fresh[line] & piece);
    tags->fresh[line] |= piece;
}

/* Returns how many of the pieces were. */
static inline u32 tags_unmark_fresh(struct cache_tags *tags, u32 line, u32 pieces)
{
    if (__builtin_expect(!tags->fresh_pieces, 1))
        return 0;
    u32 were = (u32)__builtin_popcount(tags->fresh[line] & pieces);
    tags->fresh[line] &= ~pieces;
    tags->fresh_pieces -= were;
    return were;
}

#endif
