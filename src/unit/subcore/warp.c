/* warp.c - which threads of a warp go on: the group.
 *
 * Threads of a warp that stand at the same place execute together. Where they stand at different
 * ones, those deepest in calls go first (the least stack pointer), and of these the ones furthest
 * behind (the least pc): so that all meet again as soon as they can, without help from the
 * compiler.
 *
 * Nobody waits for ever. Threads that wait for an answer from a unit or of an atomic let others go
 * on meanwhile (they are parked), as one of those may be what they wait for; and threads that have
 * not been in the group for `patience` cycles are it for as long: a thread that holds a lock gets
 * on while others of its warp try to take it.
 *
 * Always true: lanes.pc of every live thread outside the group is where it stands; the group stands
 * at `pc`; a thread that has ended is in neither. */
#include "unit/subcore/subcore.h"

static inline u32 first_of(u64 lanes)
{
    return (u32)__builtin_ctzll(lanes);
}

static void pcs_set(struct subcore_warp *warp, u64 lanes, u64 pc)
{
    for (; lanes; lanes &= lanes - 1)
        warp->lanes.pc[first_of(lanes)] = pc;
}

static const u64 *stack_pointers(const struct subcore_warp *warp)
{
    return lanes_register(&warp->lanes, REGISTER_SP);
}

/* Those of `among` that stand where a thread does. */
static u64 lanes_beside(const struct subcore_warp *warp, u64 among, u32 lane)
{
    const u64 *pc = warp->lanes.pc, *sp = stack_pointers(warp);
    u64 found = 0;
    for (u64 left = among; left; left &= left - 1) {
        u32 other = first_of(left);
        if (pc[other] == pc[lane] && sp[other] == sp[lane])
            found |= left & -left;
    }
    return found;
}

/* The one that is to go first. */
static u32 lane_least(const struct subcore_warp *warp, u64 among)
{
    const u64 *pc = warp->lanes.pc, *sp = stack_pointers(warp);
    u32 least = first_of(among);
    for (u64 left = among & (among - 1); left; left &= left - 1) {
        u32 lane = first_of(left);
        if (sp[lane] < sp[least] || (sp[lane] == sp[least] && pc[lane] < pc[least]))
            least = lane;
    }
    return least;
}

static u32 lane_longest(const struct subcore_warp *warp, u64 among)
{
    u32 longest = first_of(among);
    for (u64 left = among & (among - 1); left; left &= left - 1)
        if (warp->waits[first_of(left)] < warp->waits[longest])
            longest = first_of(left);
    return longest;
}

/* A thread whose turn it is, whatever its place. */
static bool lead_find(struct subcore_warp *warp, u64 before, u64 among, cycle patience, cycle now)
{
    if (warp->lead_ends != NEVER && now < warp->lead_ends && among >> warp->lead & 1)
        return true;
    warp->lead_ends = NEVER;
    u64 waiting = among & ~before;
    if (!waiting)
        return false;
    u32 longest = lane_longest(warp, waiting);
    if (now - warp->waits[longest] < patience)
        return false;
    warp->lead = longest;
    warp->lead_ends = now + patience;
    return true;
}

/* Makes the group anew, where threads may stand at different places; all pcs are up to date. */
static void group_choose(struct subcore_warp *warp, u64 before, cycle patience, cycle now)
{
    u64 among = warp->live & ~warp->parked;
    if (!among)
        among = warp->live;
    u32 lead = lead_find(warp, before, among, patience, now) ? warp->lead : lane_least(warp, among);
    warp->group = lanes_beside(warp, among, lead);
    warp->pc = warp->lanes.pc[lead];
    for (u64 left = before & ~warp->group; left; left &= left - 1)
        warp->waits[first_of(left)] = now;
}

void warp_step(struct subcore_warp *warp, u32 bytes, cycle patience, cycle now)
{
    warp->pc += bytes;
    if (warp->group == warp->live)
        return;
    pcs_set(warp, warp->group, warp->pc);
    group_choose(warp, warp->group, patience, now);
}

void warp_branch(struct subcore_warp *warp, cycle patience, cycle now)
{
    u64 pc = warp->lanes.pc[first_of(warp->group)], differing = 0;
    for (u64 left = warp->group; left; left &= left - 1)
        differing |= warp->lanes.pc[first_of(left)] ^ pc;
    warp->pc = pc;
    if (differing || warp->group != warp->live)
        group_choose(warp, warp->group, patience, now);
}

void warp_narrow(struct subcore_warp *warp, u64 lanes, cycle now)
{
    u64 others = warp->group & ~lanes;
    pcs_set(warp, others, warp->pc);
    for (u64 left = others; left; left &= left - 1)
        warp->waits[first_of(left)] = now;
    warp->group = lanes;
}

bool warp_park(struct subcore_warp *warp, cycle now)
{
    u64 before = warp->group, others = warp->live & ~warp->parked & ~before;
    if (!others)
        return false;
    warp->parked |= before;
    pcs_set(warp, before, warp->pc);
    group_choose(warp, before, NEVER, now);
    return true;
}

void warp_unpark(struct subcore_warp *warp)
{
    warp->parked = 0;
}

void warp_end(struct subcore_warp *warp, u64 lanes, cycle now)
{
    bool chosen = warp->group & ~lanes;
    warp->live &= ~lanes;
    warp->parked &= ~lanes;
    warp->group &= ~lanes;
    if (warp->live && !chosen)
        group_choose(warp, 0, NEVER, now);
}
