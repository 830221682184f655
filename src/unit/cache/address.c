/* address.c - numbers that are no powers of two, and hashes; see address.h. */
#include "unit/cache/address.h"

/* All bits of the number, XORed in groups of `bits`. */
static u32 number_fold(u64 number, u32 bits)
{
    for (u32 shift = bits; shift < 64; shift *= 2)
        number ^= number >> shift;
    return (u32)(number & ((UINT64_C(1) << bits) - 1));
}

/* Which of n a block belongs to; *block becomes its number among those of the same. */
static u32 block_deal(const struct cache *u, u64 *block, u64 n, u32 bits)
{
    if (n == 1)
        return 0;
    u32 way;
    if (!bits) {
        way = (u32)(*block % n);
        *block /= n;
        return way;
    }
    way = u->p.hash == HASH_xor ? number_fold(*block, bits) : (u32)(*block & (n - 1));
    *block >>= bits;
    return way;
}

u32 cache_irregular_bank(const struct cache *u, u64 local)
{
    u64 block = local >> u->interleave_shift;
    u32 slice = block_deal(u, &block, u->p.slices, u->slice_bits);
    return slice * (u32)u->p.banks + block_deal(u, &block, u->p.banks, u->bank_bits);
}

void home_find_irregular(const struct cache *u, struct cache_home *home)
{
    u64 block = home->local >> u->interleave_shift;
    home->slice = block_deal(u, &block, u->p.slices, u->slice_bits);
    u64 low = home->local & ((UINT64_C(1) << u->interleave_shift) - 1);
    u64 inner = block << u->interleave_shift | low;
    u64 row = u->p.slices == 1 ? home->number : inner >> u->line_shift;
    home->set = home->slice * u->sets + (u32)(row % u->sets);
}
