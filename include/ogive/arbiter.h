/* arbiter.h - who goes next: round robin, fixed priority, oldest first.
 *
 * Requests are bits in a `struct bitset` of up to 4096 members: 64 words under one summary word, so
 * that finding the next member at or after a position takes two count-trailing-zeros however many
 * members there are. */
#ifndef OGIVE_ARBITER_H
#define OGIVE_ARBITER_H

#include "ogive/types.h"

#define BITSET_MAX 4096
#define NOBODY     UINT32_MAX

/* Always true: bit w of `summary` is set exactly if words[w] is not zero. */
struct bitset {
    u64 summary;
    u64 words[BITSET_MAX / 64];
};

static inline void bitset_add(struct bitset *set, u32 member)
{
    set->words[member / 64] |= UINT64_C(1) << (member % 64);
    set->summary |= UINT64_C(1) << (member / 64);
}

static inline void bitset_remove(struct bitset *set, u32 member)
{
    u32 word = member / 64;
    set->words[word] &= ~(UINT64_C(1) << (member % 64));
    if (!set->words[word])
        set->summary &= ~(UINT64_C(1) << word);
}

static inline bool bitset_has(const struct bitset *set, u32 member)
{
    return set->words[member / 64] >> (member % 64) & 1;
}

static inline bool bitset_empty(const struct bitset *set)
{
    return !set->summary;
}

/* Fixed priority: the member with the smallest number, or NOBODY. */
static inline u32 bitset_first(const struct bitset *set)
{
    if (!set->summary)
        return NOBODY;
    u32 word = (u32)__builtin_ctzll(set->summary);
    return word * 64 + (u32)__builtin_ctzll(set->words[word]);
}

/* The smallest member >= from, or NOBODY. */
static inline u32 bitset_next(const struct bitset *set, u32 from)
{
    if (from >= BITSET_MAX)
        return NOBODY;
    u32 word = from / 64;
    u64 here = set->words[word] & ~UINT64_C(0) << (from % 64);
    if (here)
        return word * 64 + (u32)__builtin_ctzll(here);
    u64 later = word == 63 ? 0 : set->summary & ~UINT64_C(0) << (word + 1);
    if (!later)
        return NOBODY;
    word = (u32)__builtin_ctzll(later);
    return word * 64 + (u32)__builtin_ctzll(set->words[word]);
}

/* Round robin: after i was picked, the search starts at i + 1; nobody waits longer than one turn of
 * everyone else. */
struct rr_arbiter {
    u32 next;
};

static inline u32 rr_pick(struct rr_arbiter *arbiter, const struct bitset *requests)
{
    u32 winner = bitset_next(requests, arbiter->next);
    if (winner == NOBODY)
        winner = bitset_first(requests);
    if (winner != NOBODY)
        arbiter->next = winner + 1;
    return winner;
}

/* Oldest first: the member whose `since` is smallest; of equals the one with the smaller number.
 * Takes time in the number of members that are requesting. */
static inline u32 oldest_pick(const struct bitset *requests, const cycle *since)
{
    u32 winner = bitset_first(requests);
    if (winner == NOBODY)
        return NOBODY;
    for (u32 i = bitset_next(requests, winner + 1); i != NOBODY; i = bitset_next(requests, i + 1))
        if (since[i] < since[winner])
            winner = i;
    return winner;
}

#endif
