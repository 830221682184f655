/* address.h - where in a cache an address belongs: slice, bank, set, line and piece.
 *
 * Blocks of `interleave` bytes are dealt out to the slices in turn, then those of a slice to its
 * banks; the lines of a slice are dealt out to its sets. In a regular cache (powers of two
 * everywhere, no hash) that is shifts and masks; address.c does the others. */
#ifndef UNIT_CACHE_ADDRESS_H
#define UNIT_CACHE_ADDRESS_H

#include "unit/cache/cache.h"

u32 cache_irregular_bank(const struct cache *u, u64 local);
void home_find_irregular(const struct cache *u, struct cache_home *home);

/* An address as this cache and what is behind it count it. */
static inline u64 cache_local(const struct cache *u, u64 address)
{
    const struct route *route = &u->w.users.route;
    if (!route->interleave)
        return address;
    if (!u->users_shift)
        return route_local(route, address);
    u64 offset = address & (route->interleave - 1);
    return address >> u->users_shift << __builtin_ctzll(route->interleave) | offset;
}

static inline u32 cache_bank(const struct cache *u, u64 local)
{
    if (!u->regular)
        return cache_irregular_bank(u, local);
    u64 block = local >> u->interleave_shift;
    u32 slice = (u32)block & ((u32)u->p.slices - 1);
    u32 bank = (u32)(block >> u->slice_bits) & ((u32)u->p.banks - 1);
    return slice << u->bank_bits | bank;
}

/* Finds the home of an address, of which the bank is known. It is filled in where it is to be:
 * a copy would have to wait for what was just written. */
static inline void home_find_in(const struct cache *u, u64 local, u32 bank, struct cache_home *home)
{
    u64 row = local >> u->line_shift, low = (UINT64_C(1) << u->interleave_shift) - 1;
    home->local = local;
    home->number = row;
    home->bank = bank;
    home->piece = (u32)(local / MEMORY_SECTOR) & (u->tags.line_pieces - 1);
    home->line = home->mshr = NOBODY;
    if (!u->regular) {
        home_find_irregular(u, home);
        return;
    }
    if (u->slice_bits)
        row = ((local >> u->slice_bits & ~low) | (local & low)) >> u->line_shift;
    home->slice = bank >> u->bank_bits;
    home->set = home->slice * u->sets + ((u32)row & (u->sets - 1));
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
