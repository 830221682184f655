/* arbiter.h - who goes next: round robin, fixed priority, oldest first, in the order of waiting.
 *
 * A law of all units: whoever waits for something that others use as well gets it after a bounded
 * number of others. Where one place is given at a time, round robin is enough. Where several are
 * served in a cycle and need different things of it, or several places at once, a waiting line is:
 * whoever was refused keeps its place in the line, and what it needs is not given to those behind.
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

/* For mistakes. */
_Noreturn void bitset_misused(u32 member);

static inline void bitset_check(u32 member)
{
    if (__builtin_expect(member >= BITSET_MAX, 0))
        bitset_misused(member);
}

static inline void bitset_add(struct bitset *set, u32 member)
{
    bitset_check(member);
    set->words[member / 64] |= UINT64_C(1) << (member % 64);
    set->summary |= UINT64_C(1) << (member / 64);
}

static inline void bitset_remove(struct bitset *set, u32 member)
{
    u32 word = member / 64;
    bitset_check(member);
    set->words[word] &= ~(UINT64_C(1) << (member % 64));
    if (!set->words[word])
        set->summary &= ~(UINT64_C(1) << word);
}

static inline bool bitset_has(const struct bitset *set, u32 member)
{
    bitset_check(member);
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

/* A waiting line of up to 64 members, for whoever serves several of them in a cycle:
 *
 *     for (u64 left = wanted; (i = line_next(&line, &left)) != NOBODY;)
 *         if (... i is refused ...)
 *             line_refuse(&line, i, it_got_something_before_that);
 *     line_end(&line);
 *
 * Those that were refused before come first, in the order in which that happened; all of them must
 * be among `wanted`. Always true between two passes: `members` are those in `order`, and what is
 * noted in a pass is zero. */
struct waiting_line {
    u64 members;
    u64 late; /* in a pass: refused for the first time, or after they got something */
    u8 count;
    u8 place, kept; /* in a pass: how many of `order` were shown, and how many of those stay */
    u8 order[64];
};

/* The next to be served, which leaves `left`; NOBODY: none. */
static inline u32 line_next(struct waiting_line *line, u64 *left)
{
    if (!*left)
        return NOBODY;
    u32 member = (u32)__builtin_ctzll(*left);
    if (__builtin_expect(line->place < line->count, 0)) {
        member = line->order[line->place++];
        *left &= ~(UINT64_C(1) << member);
    } else {
        *left &= *left - 1;
    }
    return member;
}

/* Stays where it is in the line, or goes to its end. */
static inline void line_refuse(struct waiting_line *line, u32 member, bool served)
{
    u64 bit = UINT64_C(1) << member;
    if (line->members & bit && !served)
        line->order[line->kept++] = (u8)member;
    else
        line->late |= bit;
}

/* Those that stay, then those that came. */
static inline void line_settle(struct waiting_line *line)
{
    u64 late = line->late;
    line->members = late;
    for (u32 i = 0; i < line->kept; i++)
        line->members |= UINT64_C(1) << line->order[i];
    line->count = line->kept;
    for (; late; late &= late - 1)
        line->order[line->count++] = (u8)__builtin_ctzll(late);
    line->late = 0;
    line->place = line->kept = 0;
}

static inline void line_end(struct waiting_line *line)
{
    if (line->members | line->late)
        line_settle(line);
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
