/* two_level.c - two levels of warps, as GPGPU-Sim and Accel-Sim have them (two_level_active;
 * Gebhart et al., "Energy-efficient Mechanisms for Managing Thread Context in Throughput
 * Processors", 2011).
 *
 * Active warps issue in turn. One that begins to wait for memory, for another unit, for its own
 * accesses or with `pause` leaves its place at the end of that cycle, and at the beginning of the
 * next one a warp that can go on takes it. Warps that have what they waited for stand by until
 * there is a place.
 *
 * Places are given in turn, so that a warp gets one after at most as many as there are others, if
 * the active ones come to memory at all: like a greedy policy, this one lets a warp that only
 * computes do so to its end.
 *
 * Always true: at most `active_warps` warps are active; a warp that is pending is not active. */
#include "unit/subcore/two_level.h"

#include "unit/subcore/subcore.h"

static u64 warp_bit(u32 warp)
{
    return UINT64_C(1) << warp;
}

static bool place_is_free(const struct subcore *u)
{
    return (u64)__builtin_popcountll(u->two_level.active) < u->p.active_warps;
}

bool two_level_admit(struct subcore *u, u32 warp)
{
    if (u->two_level.active & warp_bit(warp))
        return true;
    u->two_level.pending |= warp_bit(warp);
    return false;
}

void two_level_leave(struct subcore *u, u32 warp)
{
    u->two_level.active &= ~warp_bit(warp);
    u->two_level.pending &= ~warp_bit(warp);
}

bool two_level_has_room(const struct subcore *u)
{
    return u->two_level.pending && place_is_free(u);
}

void two_level_promote(struct subcore *u, cycle now)
{
    struct two_level *level = &u->two_level;
    while (two_level_has_room(u)) {
        u64 above = level->last == 63 ? 0 : level->pending >> (level->last + 1);
        u32 first = (u32)__builtin_ctzll(above ? above : level->pending);
        level->last = above ? level->last + 1 + first : first;
        level->pending &= ~warp_bit(level->last);
        level->active |= warp_bit(level->last);
        subcore_enter(u, &u->warps[level->last], WARP_READY, now);
    }
}
