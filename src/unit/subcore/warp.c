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
 * With the policy `stack` (stack.c) only threads on the way taken last are chosen from, and they go
 * before all others until `patience` is over, even while they wait for an answer.
 *
 * Always true: lanes.pc of every live thread outside the group is where it stands; the group stands
 * at `pc`; a thread that has ended is in neither. While the group's pc is below `rival`, and time
 * has not come to `review`, choosing anew would choose the same. */
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

/* How deep threads are in calls: less is deeper. */
static const u64 *depths(const struct subcore_warp *warp)
{
    return warp->order.calls ? warp->order.calls : lanes_register(&warp->lanes, REGISTER_SP);
}

/* Of threads that are as deep in calls, those at the least place go first. */
static inline u64 place_of(const struct subcore_warp *warp, u64 pc)
{
    u64 index = (pc - warp->order.base) >> 1;
    if (!warp->order.places)
        return pc;
    return index < warp->order.count ? warp->order.places[index] : 0;
}

/* Those of `among` that stand where a thread does. */
static u64 lanes_beside(const struct subcore_warp *warp, u64 among, u32 lane)
{
    const u64 *pc = warp->lanes.pc, *depth = depths(warp);
    u64 found = 0;
    for (u64 left = among; left; left &= left - 1) {
        u32 other = first_of(left);
        if (pc[other] == pc[lane] && depth[other] == depth[lane])
            found |= left & -left;
    }
    return found;
}

/* The one that is to go first. */
static u32 lane_least(const struct subcore_warp *warp, u64 among)
{
    const u64 *pc = warp->lanes.pc, *depth = depths(warp);
    u32 least = first_of(among);
    u64 place = place_of(warp, pc[least]);
    for (u64 left = among & (among - 1); left; left &= left - 1) {
        u32 lane = first_of(left);
        u64 other = place_of(warp, pc[lane]);
        if (depth[lane] < depth[least] || (depth[lane] == depth[least] && other < place)) {
            least = lane;
            place = other;
        }
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
static bool lead_find(struct subcore_warp *warp, u64 waiting, u64 among, cycle patience, cycle now)
{
    if (warp->lead_ends != NEVER && now < warp->lead_ends && among >> warp->lead & 1)
        return true;
    warp->lead_ends = NEVER;
    if (!waiting)
        return false;
    u32 longest = lane_longest(warp, waiting);
    if (now - warp->waits[longest] < patience)
        return false;
    warp->lead = longest;
    warp->lead_ends = now + patience;
    return true;
}

static void group_set(struct subcore_warp *warp, u64 group, cycle now)
{
    for (u64 left = warp->group & ~group; left; left &= left - 1) {
        warp->waits[first_of(left)] = now;
        warp->left_at[first_of(left)] = warp->issued;
    }
    for (u64 come = group & ~warp->group; come; come &= come - 1)
        warp->behind[first_of(come)] += warp->issued - warp->left_at[first_of(come)];
    warp->group = group;
    warp->threads = (u32)__builtin_popcountll(group);
}

/* Where a group that leads meets others by going straight on: the next place at which one stands.
 * It is looked at again behind every branch. */
static u64 rival_ahead(const struct subcore_warp *warp, u64 waiting)
{
    u64 next = NEVER;
    if (warp->order.places || warp->stack.ways)
        return 0;
    for (u64 left = waiting; left; left &= left - 1) {
        u64 pc = warp->lanes.pc[first_of(left)];
        next = pc >= warp->pc ? min_u64(next, pc) : next;
    }
    return next;
}

/* Until when the group need not be looked at. Those that wait at greater stack pointers count once
 * the group's own changes, those on other ways when the group's ends. */
static void rival_find(struct subcore_warp *warp, u64 waiting, u64 near, cycle patience, cycle now)
{
    const u64 *pc = warp->lanes.pc, *depth = depths(warp);
    u64 group_depth = depth[first_of(warp->group)];
    warp->rival = stack_end(warp);
    warp->review = NEVER;
    if (!waiting)
        return;
    bool leads = warp->lead_ends != NEVER;
    cycle longest = warp->waits[lane_longest(warp, waiting)];
    warp->review = leads ? warp->lead_ends : max_u64(longest + patience, now);
    if (leads) {
        warp->rival = rival_ahead(warp, waiting);
        return;
    }
    for (u64 left = waiting & near; left; left &= left - 1)
        if (depth[first_of(left)] <= group_depth)
            warp->rival = min_u64(warp->rival, place_of(warp, pc[first_of(left)]));
}

/* Makes the group anew, where threads may stand at different places; all pcs are up to date. */
static void group_choose(struct subcore_warp *warp, cycle patience, cycle now)
{
    u64 among = warp->live & ~warp->parked;
    if (!among)
        among = warp->live;
    bool leads = lead_find(warp, among & ~warp->group, among, patience, now);
    u64 near = leads ? among : stack_first(warp, among);
    u32 first = leads ? warp->lead : lane_least(warp, near);
    group_set(warp, lanes_beside(warp, near, first), now);
    warp->pc = warp->lanes.pc[first];
    if (warp->group == warp->live)
        warp->stack.depth = 0;
    rival_find(warp, among & ~warp->group, near, patience, now);
}

/* No thread is as deep in calls. */
#define CALLS_NONE (UINT64_C(1) << 63)

static void order_begin(struct subcore_warp *warp, const struct chip_program *program)
{
    warp->order.places = program->order;
    warp->order.base = program->text.base;
    warp->order.count = program->text.count;
    for (u32 lane = 0; lane < warp->lanes.width; lane++)
        warp->order.calls[lane] = CALLS_NONE;
}

void warp_begin(struct subcore_warp *warp, const struct chip_program *program)
{
    warp->live = warp->group = lanes_all(warp->lanes.width);
    warp->threads = warp->lanes.width;
    warp->pc = program->entry;
    warp->rival = warp->review = warp->lead_ends = NEVER;
    if (warp->order.calls)
        order_begin(warp, program);
}

u64 warp_executed(const struct subcore_warp *warp, u32 lane)
{
    u64 since = warp->group >> lane & 1 ? 0 : warp->issued - warp->left_at[lane];
    return warp->issued - warp->behind[lane] - since;
}

static bool writes_stack_pointer(const struct insn *insn)
{
    return insn->rd == REGISTER_SP;
}

void warp_step(struct subcore_warp *warp, const struct insn *insn, cycle patience, cycle now)
{
    warp->pc += insn->length;
    if (warp->group == warp->live || (place_of(warp, warp->pc) < warp->rival &&
                                      now < warp->review && !writes_stack_pointer(insn)))
        return;
    pcs_set(warp, warp->group, warp->pc);
    stack_leave(warp, warp->group, false);
    group_choose(warp, patience, now);
}

static bool insn_returns(const struct insn *insn)
{
    return insn->op == OP_jalr && insn->rd == REGISTER_NONE && insn->rs1 == REGISTER_RA;
}

static bool insn_calls(const struct insn *insn)
{
    return insn->class == CLASS_JUMP && insn->rd == REGISTER_RA;
}

/* The group calls or returns, if the instruction does; says whether. */
static bool calls_count(struct subcore_warp *warp, const struct insn *insn)
{
    bool calls = insn_calls(insn);
    if (!warp->order.calls || (!calls && !insn_returns(insn)))
        return false;
    for (u64 left = warp->group; left; left &= left - 1)
        warp->order.calls[first_of(left)] += calls ? UINT64_MAX : 1;
    return true;
}

void warp_branch(struct subcore_warp *warp, const struct insn *insn, u64 meets, cycle patience,
                 cycle now)
{
    u64 pc = warp->lanes.pc[first_of(warp->group)], differing = 0;
    u64 behind = insn->class == CLASS_BRANCH ? warp->pc + insn->length : 0;
    for (u64 left = warp->group; left; left &= left - 1)
        differing |= warp->lanes.pc[first_of(left)] ^ pc;
    warp->pc = pc;
    bool stays = !calls_count(warp, insn) && place_of(warp, pc) < warp->rival &&
                 now < warp->review && !warp->stack.depth && warp->lead_ends == NEVER;
    if (!differing && (stays || warp->group == warp->live))
        return;
    if (differing && warp->stack.ways && warp->lead_ends == NEVER)
        stack_part(warp, behind, meets);
    stack_leave(warp, warp->group, insn_returns(insn));
    group_choose(warp, patience, now);
}

void warp_yield(struct subcore_warp *warp, const struct insn *insn, cycle now)
{
    warp->pc += insn->length;
    pcs_set(warp, warp->group, warp->pc);
    warp->lead_ends = NEVER;
    group_choose(warp, 0, now);
}

void warp_narrow(struct subcore_warp *warp, u64 lanes, cycle now)
{
    pcs_set(warp, warp->group & ~lanes, warp->pc);
    group_set(warp, lanes, now);
    warp->rival = 0; /* they stand here */
}

/* Those that could go on instead. */
static u64 warp_others(const struct subcore_warp *warp)
{
    return warp->live & ~warp->parked & ~warp->group;
}

cycle warp_patience_ends(const struct subcore_warp *warp, cycle patience)
{
    u64 others = warp_others(warp);
    return others ? warp->waits[lane_longest(warp, others)] + patience : NEVER;
}

bool warp_stand_aside(struct subcore_warp *warp, cycle patience, cycle now)
{
    if (!warp_others(warp))
        return false;
    warp->parked |= warp->group;
    pcs_set(warp, warp->group, warp->pc);
    group_choose(warp, patience, now);
    return true;
}

bool warp_park(struct subcore_warp *warp, cycle patience, cycle now)
{
    bool may = !warp->stack.ways || now >= warp_patience_ends(warp, patience);
    return may && warp_stand_aside(warp, patience, now);
}

bool warp_leads(struct subcore_warp *warp, u64 among, cycle patience, cycle now)
{
    pcs_set(warp, warp->group, warp->pc);
    u32 first = lane_least(warp, among);
    u64 group = lanes_beside(warp, among, first);
    bool leads = group == warp->group;
    warp->parked = warp->live & ~among;
    warp->gathered = 0;
    warp->lead_ends = NEVER;
    group_set(warp, group, now);
    warp->pc = warp->lanes.pc[first];
    rival_find(warp, among & ~group, among, patience, now);
    return leads;
}

void warp_unpark(struct subcore_warp *warp)
{
    warp->parked = warp->gathered = 0;
    warp->rival = 0;
}

void warp_end(struct subcore_warp *warp, u64 lanes, cycle patience, cycle now)
{
    warp->live &= ~lanes;
    warp->parked &= ~lanes;
    pcs_set(warp, warp->group, warp->pc);
    group_set(warp, warp->group & ~lanes, now);
    if (warp->live)
        group_choose(warp, patience, now);
}
