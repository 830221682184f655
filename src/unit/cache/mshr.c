/* mshr.c - makes miss registers; taking and giving them back is in the header. */
#include "unit/cache/mshr.h"

#include "ogive/unit.h"

bool mshrs_init(struct cache_mshrs *mshrs, struct unit *unit, u32 slices, u32 per_slice, u32 nodes,
                struct ogv_error *error)
{
    u32 count = slices * per_slice;
    mshrs->chain_bits = 1;
    while (UINT64_C(1) << mshrs->chain_bits < count / 2) /* few are in use, and chains lie close */
        mshrs->chain_bits++;
    u32 chains = UINT32_C(1) << mshrs->chain_bits;
    mshrs->at = unit_alloc(unit, count, sizeof *mshrs->at, error);
    mshrs->free = mshrs->at ? unit_alloc(unit, slices, sizeof *mshrs->free, error) : NULL;
    mshrs->chains = mshrs->free ? unit_alloc(unit, chains, sizeof *mshrs->chains, error) : NULL;
    mshrs->nodes = mshrs->chains ? unit_alloc(unit, nodes, sizeof *mshrs->nodes, error) : NULL;
    mshrs->ready = mshrs->nodes ? unit_alloc(unit, nodes, sizeof *mshrs->ready, error) : NULL;
    if (!mshrs->ready)
        return false;
    for (u32 i = 0; i < count; i++) {
        mshrs->at[i].next = i % per_slice + 1 == per_slice ? 0 : i + 2;
        mshrs->at[i].slice = (u8)(i / per_slice);
        mshrs->at[i].waiting = (struct cache_list){ NOBODY, NOBODY };
    }
    for (u32 i = 0; i < slices; i++)
        mshrs->free[i] = i * per_slice + 1;
    for (u32 i = 0; i < nodes; i++)
        mshrs->nodes[i].next = i + 1;
    return true;
}
