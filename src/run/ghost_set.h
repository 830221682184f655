/* ghost_set.h - a set of a cache of which only the lines matter, not what is in them. */
#ifndef RUN_GHOST_SET_H
#define RUN_GHOST_SET_H

#include "ogive/arbiter.h"

#define GHOST_WAYS_MOST 64
#define GHOST_MARKS     8 /* that are compared at once */

/* A number that others are divided by, with 2^64 divided by it: two products tell the remainder
 * (Lemire, Kaser and Kurz, Faster remainder by direct computation, 2019). */
struct ghost_divisor {
    u32 divisor;
    u64 factor;
};

static inline struct ghost_divisor ghost_divisor_of(u32 divisor)
{
    return (struct ghost_divisor){ divisor, UINT64_MAX / divisor + 1 };
}

static inline u32 ghost_remainder(const struct ghost_divisor *by, u32 number)
{
    __extension__ typedef unsigned __int128 u128;
    return (u32)((u128)(by->factor * number) * by->divisor >> 64);
}

/* Lines are found by marks, a byte of a hash of their number: mostly where the last one with that
 * mark was. They form a ring from the one used last to the oldest. */
struct ghost_set {
    u32 newest; /* way */
    u64 marks[GHOST_WAYS_MOST / GHOST_MARKS];
    u8 hints[256];                                     /* way, by mark */
    u8 older[GHOST_WAYS_MOST], newer[GHOST_WAYS_MOST]; /* ways */
    struct ghost_line {
        u32 number;
        u32 pieces; /* of 32 bytes that are there; 0: no line */
    } lines[GHOST_WAYS_MOST];
};

static inline void ghost_set_init(struct ghost_set *set, u32 ways)
{
    for (u32 way = 0; way < ways; way++) {
        set->older[way] = (u8)(way ? way - 1 : ways - 1);
        set->newer[way] = (u8)(way + 1 < ways ? way + 1 : 0);
    }
}

/* The way of a line; GHOST_WAYS_MOST: it is not there. */
static inline u32 ghost_set_find(const struct ghost_set *set, u32 number, u32 mark, u32 ways)
{
    for (u32 i = 0; i * GHOST_MARKS < ways; i++) {
        for (u64 equal = bytes_zero(set->marks[i] ^ EACH_BYTE * mark); equal; equal &= equal - 1) {
            u32 way = i * GHOST_MARKS + (u32)__builtin_ctzll(equal) / 8;
            if (set->lines[way].number == number && set->lines[way].pieces)
                return way;
        }
    }
    return GHOST_WAYS_MOST;
}

static inline void ghost_set_renew(struct ghost_set *set, u32 way)
{
    u32 newest = set->newest, oldest = set->newer[newest];
    set->newest = way;
    if (way == newest || way == oldest)
        return; /* at most, the ring turns by one */
    set->newer[set->older[way]] = set->newer[way];
    set->older[set->newer[way]] = set->older[way];
    set->older[way] = (u8)newest;
    set->newer[way] = (u8)oldest;
    set->newer[newest] = set->older[oldest] = (u8)way;
}

/* An empty line of that number in place of the oldest. */
static inline u32 ghost_set_put(struct ghost_set *set, u32 number, u32 mark)
{
    u32 way = set->newer[set->newest], shift = way % GHOST_MARKS * 8;
    set->lines[way] = (struct ghost_line){ number, 0 };
    set->marks[way / GHOST_MARKS] &= ~(UINT64_C(0xff) << shift);
    set->marks[way / GHOST_MARKS] |= (u64)mark << shift;
    return way;
}

/* The way of a line that is not where its mark hints at, if it is there at all. */
static __attribute__((noinline)) u32 ghost_set_bring(struct ghost_set *set, u32 ways, u32 number,
                                                     u32 mark)
{
    u32 way = ghost_set_find(set, number, mark, ways);
    if (way == GHOST_WAYS_MOST)
        way = ghost_set_put(set, number, mark);
    set->hints[mark] = (u8)way;
    return way;
}

/* Uses pieces of a line, which is brought in if it is not there; those that were not there. */
static inline u32 ghost_set_use(struct ghost_set *set, u32 ways, u32 number, u32 pieces)
{
    u32 mark = number * UINT32_C(0x9e3779b1) >> 24, way = set->hints[mark];
    if (set->lines[way].number != number || !set->lines[way].pieces)
        way = ghost_set_bring(set, ways, number, mark);
    ghost_set_renew(set, way);
    u32 lacking = pieces & ~set->lines[way].pieces;
    set->lines[way].pieces |= pieces;
    return lacking;
}

#endif
