/* address.h - where in a cache an address belongs: slice, bank, set, line and piece.
 *
 * Blocks of `interleave` bytes are dealt out to the slices in turn, then those of a slice to its
 * banks; the lines of a slice are dealt out to its sets. In a regular cache (powers of two
 * everywhere, no hash, and a line in one slice before the next one's turn) that is shifts and
 * masks; address.c does the others. */
#ifndef UNIT_CACHE_ADDRESS_H
#define UNIT_CACHE_ADDRESS_H

#include "unit/cache/cache.h"

u32 cache_irregular_bank(const struct cache *u, u64 local);
void home_find_irregular(const struct cache *u, struct cache_home *home);

/* An address as this cache and what is behind it count it. */
static inline u64 cache_local(const struct cache *u, u64 address)
{
    if (__builtin_expect(!u->users_regular, 0))
        return route_local(&u->w.users.route, address);
    return (address >> u->users_bits & ~u->users_low) | (address & u->users_low);
}

static inline u32 cache_bank(const struct cache *u, u64 local)
{
    if (__builtin_expect(!u->regular, 0))
        return cache_irregular_bank(u, local);
    u64 block = local >> u->interleave_shift;
    u32 slice = (u32)block & u->slice_mask, bank = (u32)(block >> u->slice_bits) & u->bank_mask;
    return slice << u->bank_bits | bank;
}

/* The bank of an address as users say it. */
static inline u32 cache_users_bank(const struct cache *u, u64 address)
{
    if (__builtin_expect(u->direct, 1))
        return (u32)(address >> u->interleave_shift) & u->both_mask;
    return cache_bank(u, cache_local(u, address));
}

/* The home of an address of which the bank is known, but for slice and set. It is filled in where
 * it is to be: a copy would have to wait for what was just written. */
static inline void home_begin(const struct cache *u, u64 local, u32 bank, struct cache_home *home)
{
    home->local = local;
    home->number = local >> u->line_shift;
    home->bank = bank;
    home->piece = (u32)(local / MEMORY_SECTOR) & u->piece_mask;
    home->line = home->mshr = NOBODY;
}

/* Finds the home of an address in a regular cache. */
static inline void home_find_regular(const struct cache *u, u64 local, u32 bank,
                                     struct cache_home *home)
{
    home_begin(u, local, bank, home);
    home->slice = bank >> u->bank_bits;
    home->set = home->slice * u->sets + ((u32)(local >> u->set_shift) & u->set_mask);
}

/* The same in a cache of one slice. */
static inline void home_find_alone(const struct cache *u, u64 local, u32 bank,
                                   struct cache_home *home)
{
    home_begin(u, local, bank, home);
    home->slice = 0;
    home->set = (u32)(local >> u->set_shift) & u->set_mask;
}

static inline void home_find_in(const struct cache *u, u64 local, u32 bank, struct cache_home *home)
{
    if (__builtin_expect(u->regular, 1)) {
        home_find_regular(u, local, bank, home);
        return;
    }
    home_begin(u, local, bank, home);
    home_find_irregular(u, home);
}

static inline void home_find(const struct cache *u, u64 local, struct cache_home *home)
{
    home_find_in(u, local, cache_bank(u, local), home);
}

/* The line of a home, or NOBODY. */
static inline u32 cache_find(const struct cache *u, const struct cache_home *home)
{
    if (home->local >= CACHE_ADDRESSES)
        return NOBODY;
    return tags_find(&u->tags, home->set, home->number);
}

#endif
