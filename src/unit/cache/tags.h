/* tags.h - what a cache holds: lines in sets, their bytes, and which of them leaves next.
 *
 * A line is made of pieces of 32 bytes, each with a mask of the bytes that are there (valid) and of
 * those that the memory behind does not have yet (dirty). A line's key is its number with a
 * generation beside it: forgetting everything is counting the generation up, not a sweep.
 * A look-up touches little: of the line that was used last, what stands in its set, and the bytes;
 * of others, the set with its marks and, mostly on the same line of the host's cache, the order of
 * use, and the line's key, which says beside it which pieces are there as a whole. Always true: a
 * set's newest_key is that of its newest line, or 0, and what is in newest_full is full in it and
 * was asked for since it was prefetched, or nothing where the use of a line does not make it the
 * newest; dirty bytes are valid; a line's bit in `dirty` is set exactly if one of its pieces has
 * dirty bytes; a piece is not in both `full` and `part`; a pinned line of this generation, one that
 * something is on its way into, is never chosen as victim. */
#ifndef UNIT_CACHE_TAGS_H
#define UNIT_CACHE_TAGS_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "ogive/arbiter.h"
#include "ogive/memory.h"
#include "ogive/types.h"
#include "ogive/unit.h"

struct unit;
struct ogv_error;

/* What is called seldom does not make the usual way longer. */
#define SELDOM               __attribute__((noinline))

#define CACHE_LINE_BYTES_MAX 1024
#define CACHE_PLRU_WAYS_MAX  64
#define CACHE_NUMBER_BITS    42 /* of a line's number in its key; the generation has the rest */
#define CACHE_GENERATIONS    ((UINT64_C(1) << (64 - CACHE_NUMBER_BITS)) - 1)

/* Addresses from here on are not cached: their line numbers would not fit. */
#define CACHE_ADDRESSES      (UINT64_C(1) << (CACHE_NUMBER_BITS + 5))

#define CACHE_POLICIES(C, with) \
    C(lru, with) C(fifo, with) C(plru, with) C(random, with) C(none, with)
enum cache_policy { CACHE_POLICIES(UNIT_CHOICE_VALUE, REPLACE_) };

#define ALL_BYTES UINT32_MAX

struct cache_line {
    u64 key;  /* number and generation; 0: empty */
    u32 full; /* pieces of which all bytes are valid */
    u32 pins; /* chain of what is on its way into it (mshr.h); 0: nothing */
};

struct cache_bytes {
    u32 valid; /* bit i: byte i; of pieces in `part` only */
    u32 dirty;
};

struct cache_piece {
    u8 *data; /* [MEMORY_SECTOR] */
    u32 line; /* NOBODY: it is not to be kept */
    u32 index;
};

/* A line's rank is how many of its set were used (LRU) or brought (FIFO) after it, a byte with a
 * sign. In sets with too many lines for that they form a ring, from the newest to the oldest. */
#define CACHE_RANKED_WAYS 128
struct cache_order {
    u16 older, newer; /* ways; the newest is older than the oldest */
};

struct cache_set {
    u32 generation;  /* of `filled`: its lower half */
    u16 part_lines;  /* of which some pieces are in `part` */
    u64 tree;        /* pseudo-LRU: bit n: the victim is on the right of node n */
    u64 newest_key;  /* of the newest line; 0: there is none */
    u32 newest_full; /* its pieces whose use would change nothing */
    u16 newest;      /* way */
    u16 filled;      /* lines that are not empty: the first ones of the set */
    u8 marks[];      /* [way] a hash of the key, several of which are searched at once; then, behind
                      * what fills them up, ranks likewise */
};

struct cache_tags {
    u8 *set; /* [set] struct cache_set, set_bytes apart */
    struct cache_line *lines;
    struct cache_order *order; /* [line] NULL: there are ranks */
    u8 *data;                  /* [line][bytes of a line] */
    u64 generation_key;        /* the generation's part of a key; never 0 */
    u32 sets, ways, set_bytes, line_pieces;
    u32 marks; /* of a set, with those that nothing is for */
    enum cache_policy policy;
    u64 part_pieces;           /* in all; */
    u32 *part;                 /* [line] pieces of which some bytes are valid */
    u64 fresh_pieces;          /* in all; */
    u32 *fresh;                /* [line] pieces that were prefetched and not asked for since */
    struct cache_bytes *bytes; /* [line][pieces of a line] */
    u64 *dirty;                /* bit per line */
    u64 dirty_lines;
    u64 generation; /* counts up for ever */
    u64 random;
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

/* Where there are no ranks: makes a way that is not the newest the newest of the ring. */
void tags_turn_ring(struct cache_tags *tags, u32 set, u32 way);

/* For pseudo-LRU: points the tree away from the way. */
void tags_turn_tree(struct cache_tags *tags, u32 set, u32 line);

static inline u64 tags_key(const struct cache_tags *tags, u64 number)
{
    return tags->generation_key | number;
}

static inline u64 tags_number(const struct cache_tags *tags, u32 line)
{
    return tags->lines[line].key & ((UINT64_C(1) << CACHE_NUMBER_BITS) - 1);
}

static inline struct cache_set *tags_set(const struct cache_tags *tags, u32 set)
{
    return (struct cache_set *)(tags->set + (size_t)set * tags->set_bytes);
}

/* Whether the line holds something of this generation. */
static inline bool tags_holds(const struct cache_tags *tags, u32 line)
{
    return tags->lines[line].key >> CACHE_NUMBER_BITS == tags->generation_key >> CACHE_NUMBER_BITS;
}

static inline u8 tags_mark(u64 key)
{
    return (u8)(key * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* Which of the MARKS_AT_ONCE marks from there on are like that one: MARK_BITS bits for each, of
 * which the lowest that is set is right for certain. */
#ifdef __SSE2__
#define MARKS_AT_ONCE 16
#define MARK_BITS     1
/* Those of MARKS_AT_ONCE ranks that are less than that one become greater by one. */
static inline void ranks_raise(u8 *ranks, u8 rank)
{
    __m128i sixteen = _mm_loadu_si128((const __m128i *)ranks);
    __m128i less = _mm_cmpgt_epi8(_mm_set1_epi8((char)rank), sixteen); /* -1, as signed numbers */
    _mm_storeu_si128((__m128i *)ranks, _mm_sub_epi8(sixteen, less));
}

static inline u64 marks_alike(const u8 *marks, u8 mark)
{
    __m128i sixteen = _mm_loadu_si128((const __m128i *)marks);
    return (u32)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_set1_epi8((char)mark)));
}
#else
#define MARKS_AT_ONCE 8
#define MARK_BITS     8
static inline void ranks_raise(u8 *ranks, u8 rank)
{
    for (u32 i = 0; i < MARKS_AT_ONCE; i++)
        ranks[i] = (u8)(ranks[i] + (ranks[i] < rank));
}

static inline u64 marks_alike(const u8 *marks, u8 mark)
{
    u64 eight;
    memcpy(&eight, marks, sizeof eight);
    return bytes_zero(eight ^ mark * EACH_BYTE);
}
#endif

/* Marks behind those of the set, where its ways are no multiple of those that are compared at once,
 * find nothing: a line with the number is in this set only. */
static inline u32 tags_search(const struct cache_tags *tags, u32 set, u64 key)
{
    const struct cache_line *lines = tags->lines + (size_t)set * tags->ways;
    const u8 *marks = tags_set(tags, set)->marks, mark = tags_mark(key);
    for (u32 first = 0; first < tags->ways; first += MARKS_AT_ONCE) {
        u64 alike = marks_alike(marks + first, mark);
        for (; alike; alike &= alike - 1) {
            u32 way = first + (u32)__builtin_ctzll(alike) / MARK_BITS;
            if (lines[way].key == key)
                return set * tags->ways + way;
        }
    }
    return NOBODY;
}

/* Most of what is asked for is what was asked for last. */
static inline u32 tags_find(const struct cache_tags *tags, u32 set, u64 number)
{
    const struct cache_set *at = tags_set(tags, set);
    u64 key = tags_key(tags, number);
    return at->newest_key == key ? set * tags->ways + at->newest : tags_search(tags, set, key);
}

static inline struct cache_bytes *tags_bytes(const struct cache_tags *tags, u32 line, u32 piece)
{
    return &tags->bytes[(size_t)line * tags->line_pieces + piece];
}

static inline u8 *tags_data(const struct cache_tags *tags, u32 line, u32 piece)
{
    return &tags->data[((size_t)line * tags->line_pieces + piece) * MEMORY_SECTOR];
}

static inline struct cache_piece tags_piece(const struct cache_tags *tags, u32 line, u32 piece)
{
    return (struct cache_piece){ tags_data(tags, line, piece), line, piece };
}

static inline bool tags_full(const struct cache_tags *tags, u32 line, u32 piece)
{
    return tags->lines[line].full >> piece & 1;
}

/* Whether some bytes of any piece in a set are there, but not all. */
static inline bool tags_set_partly(const struct cache_tags *tags, u32 set)
{
    return __builtin_expect(tags_set(tags, set)->part_lines != 0, 0);
}

/* The same of a piece. */
static inline bool tags_partly(const struct cache_tags *tags, u32 line, u32 piece)
{
    return __builtin_expect(tags->part_pieces != 0, 0) && tags->part[line] >> piece & 1;
}

/* The bytes of a piece that are there. */
static inline u32 tags_valid(const struct cache_tags *tags, u32 line, u32 piece)
{
    if (tags_full(tags, line, piece))
        return ALL_BYTES;
    return tags_partly(tags, line, piece) ? tags_bytes(tags, line, piece)->valid : 0;
}

static inline void tags_set_part(struct cache_tags *tags, u32 line, u32 piece, bool part)
{
    u32 bit = UINT32_C(1) << piece;
    if (part == tags_partly(tags, line, piece))
        return;
    bool was = tags->part[line];
    tags->part[line] ^= bit;
    tags->part_pieces += part ? 1 : UINT64_MAX;
    struct cache_set *set = tags_set(tags, line / tags->ways);
    set->part_lines = (u16)(set->part_lines + (tags->part[line] != 0) - was);
}

/* No piece is. */
static inline void tags_clear_part(struct cache_tags *tags, u32 set, u32 line)
{
    if (!tags_set_partly(tags, set) || !tags->part[line])
        return;
    tags->part_pieces -= (u32)__builtin_popcount(tags->part[line]);
    tags->part[line] = 0;
    tags_set(tags, set)->part_lines--;
}

static inline void tags_set_valid(struct cache_tags *tags, u32 line, u32 piece, u32 valid)
{
    struct cache_line *at = &tags->lines[line];
    u32 bit = UINT32_C(1) << piece;
    at->full = valid == ALL_BYTES ? at->full | bit : at->full & ~bit;
    if (valid != ALL_BYTES)
        tags_set(tags, line / tags->ways)->newest_full &= ~bit;
    tags_set_part(tags, line, piece, valid && valid != ALL_BYTES);
    if (valid && valid != ALL_BYTES)
        tags_bytes(tags, line, piece)->valid = valid;
}

/* [way] of a set */
static inline u8 *tags_ranks(const struct cache_tags *tags, u32 set)
{
    return tags_set(tags, set)->marks + tags->marks;
}

/* Makes a way the newest, of as many as there are marks. */
static inline void ranks_renew(u8 *ranks, u32 count, u32 way)
{
    u8 rank = ranks[way];
    u8 *at = ranks;
    do
        ranks_raise(at, rank);
    while ((at += MARKS_AT_ONCE) != ranks + count);
    ranks[way] = 0;
}

/* Makes the line the newest of its set. */
static inline void tags_renew(struct cache_tags *tags, u32 set, u32 line)
{
    u32 way = line - set * tags->ways;
    struct cache_set *at = tags_set(tags, set);
    at->newest_full = tags->lines[line].full;
    if (__builtin_expect(tags->fresh_pieces != 0, 0))
        at->newest_full &= ~tags->fresh[line];
    if (way == at->newest)
        return;
    if (__builtin_expect(tags->order != NULL, 0))
        tags_turn_ring(tags, set, way);
    else
        ranks_renew(tags_ranks(tags, set), tags->marks, way);
    at->newest = (u16)way;
    at->newest_key = tags->lines[line].key;
}

/* Whether a piece is full in the line of its set that was used last, and its use changes nothing.
 */
static inline bool tags_settled(const struct cache_tags *tags, u32 set, u64 number, u32 piece)
{
    const struct cache_set *at = tags_set(tags, set);
    return at->newest_key == tags_key(tags, number) && at->newest_full >> piece & 1;
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

static inline void tags_make_dirty(struct cache_tags *tags, u32 line, u32 piece, u32 bytes)
{
    u64 bit = UINT64_C(1) << (line % 64);
    tags_bytes(tags, line, piece)->dirty |= bytes;
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
