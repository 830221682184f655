/* whole.c - instructions for whole warps: what threads of a warp tell each other, and what a warp
 * asks for all of its threads.
 *
 * Such an instruction issues when every thread of the warp that has not ended stands at one (or, if
 * it is a barrier, waits at one): so nobody is missing who is only late. If they stand at different
 * ones, those deepest in calls go first, and of these the ones furthest behind, as always (warp.c).
 * Threads outside of the kernel, which have returned from it or are none of the block's, stand
 * where the next block is asked for: they let the others end theirs.
 *
 * Compilers make two such instructions of one, as of any other. Threads come to the same barrier by
 * both; and those at both tell each other what those at one would: it is computed for all of them
 * before the first of them go on, and the others find it there when they issue.
 *
 * A message goes when the stores and atomics of its threads are done: behind a barrier, others see
 * what was written before it, wherever that was. */
#include "ogive/messages.h"
#include "unit/subcore/subcore.h"

bool insn_is_whole(const struct insn *insn)
{
    return isa_custom_warp(isa_shared(), insn).whole;
}

/* Threads that wait at a barrier, or for a block. */
static u64 lanes_asking(const struct subcore *u, const struct subcore_warp *warp)
{
    u64 lanes = 0;
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next)
        if (u->requests[i].waits != WARP_HAZARD)
            lanes |= u->requests[i].lanes;
    return lanes;
}

/* All of these, which are not in the group, stand at such an instruction, and not at one that they
 * have yet to issue for the last time that all had gathered. */
static bool lanes_have_gathered(const struct subcore *u, const struct subcore_warp *warp, u64 lanes)
{
    if (lanes & warp->told)
        return false;
    for (u64 left = lanes; left; left &= left - 1) {
        const struct insn *insn =
            isa_fetch(&u->program->text, warp->lanes.pc[__builtin_ctzll(left)]);
        if (!insn || insn->op != OP_custom || !insn_is_whole(insn))
            return false;
    }
    return true;
}

/* Where a thread stands. */
static u32 lane_index(const struct subcore *u, const struct subcore_warp *warp, u32 lane)
{
    return subcore_index(u, warp->group >> lane & 1 ? warp->pc : warp->lanes.pc[lane]);
}

static const struct insn *lane_insn(const struct subcore *u, const struct subcore_warp *warp,
                                    u32 lane)
{
    return &u->program->text.insns[lane_index(u, warp, lane)];
}

/* Those that stand outside of the kernel. */
static u64 lanes_outside(const struct subcore *u, const struct subcore_warp *warp, u64 lanes)
{
    u64 outside = 0;
    for (u64 left = lanes; left; left &= left - 1) {
        const struct insn *insn = lane_insn(u, warp, (u32)__builtin_ctzll(left));
        if (isa_custom(isa_shared(), insn)->message == MESSAGE_BLOCK_NEXT)
            outside |= left & -left;
    }
    return outside;
}

/* Those that stand at the same instruction as the group, in another place. */
static u64 lanes_alike(const struct subcore *u, const struct subcore_warp *warp,
                       const struct insn *insn, u64 others)
{
    u64 alike = 0;
    for (u64 left = others; left; left &= left - 1)
        if (lane_insn(u, warp, (u32)__builtin_ctzll(left))->custom == insn->custom)
            alike |= left & -left;
    return alike;
}

/* Requests have no say any more in what their instructions read and write. */
static bool operands_are_there(const struct subcore *u, const struct subcore_warp *warp, u64 lanes)
{
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        for (u64 left = request->lanes & lanes; left; left &= left - 1) {
            u32 index = lane_index(u, warp, (u32)__builtin_ctzll(left));
            if (request->writes & u->program->hazards[index] ||
                request->reads & isa_writes(&u->program->text.insns[index]))
                return false;
        }
    }
    return true;
}

/* Each thread's instruction has registers of its own. */
static void lanes_tell(const struct subcore *u, struct subcore_warp *warp, isa_across *across,
                       u64 lanes)
{
    u64 rd[LANES_MAX], rs1[LANES_MAX] = { 0 }, rs2[LANES_MAX] = { 0 };
    for (u64 left = lanes; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        const struct insn *insn = lane_insn(u, warp, lane);
        rs1[lane] = lanes_register(&warp->lanes, insn->rs1)[lane];
        rs2[lane] = lanes_register(&warp->lanes, insn->rs2)[lane];
    }
    across(rd, rs1, rs2, lanes, u->width);
    for (u64 left = lanes; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        lanes_register(&warp->lanes, lane_insn(u, warp, lane)->rd)[lane] = rd[lane];
    }
    warp->told |= lanes;
}

static bool writes_are_done(const struct subcore *u, const struct subcore_warp *warp)
{
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        bool writes = request->class == CLASS_STORE || request->class == CLASS_ATOMIC;
        if (writes && request->lanes & warp->group)
            return false;
    }
    return true;
}

/* Others of the warp go on; if they wait themselves, the warp does. */
static void whole_park(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                       cycle now)
{
    u64 lanes = warp->group;
    if (warp_stand_aside(warp, u->p.patience, now))
        warp->gathered |= lanes;
    else
        subcore_wait_answer(u, warp, lanes_asking(u, warp) ? WARP_BARRIER : WARP_HAZARD,
                            insn->class, warp_patience_ends(warp, u->p.patience), now);
}

/* All threads have gathered. True: those of the group that stand at the same instruction in other
 * places have yet to get what they tell the others. */
static bool alike_wait(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                       u64 others, cycle now)
{
    isa_across *across = isa_custom_warp(isa_shared(), insn).across;
    u64 alike = across ? lanes_alike(u, warp, insn, others) : 0;
    if (!alike)
        return false;
    if (!operands_are_there(u, warp, alike)) {
        subcore_wait_answer(u, warp, WARP_HAZARD, insn->class, NEVER, now);
        return true;
    }
    lanes_tell(u, warp, across, alike | warp->group);
    return false;
}

/* Whether the group is the one to go first. That is none outside of the kernel while others are in
 * it, even if these are no deeper in calls. */
static bool whole_leads(struct subcore *u, struct subcore_warp *warp, u64 among, cycle now)
{
    u64 group = warp->group, outside = lanes_outside(u, warp, among);
    bool leads = warp_leads(warp, among, u->p.patience, now);
    if (among == outside || !(warp->group & outside))
        return leads;
    warp_leads(warp, among & ~outside, u->p.patience, now);
    warp->gathered = outside;
    return warp->group == group;
}

bool whole_is_told(struct subcore_warp *warp)
{
    bool told = warp->told & warp->group;
    warp->told &= ~warp->group;
    return told;
}

bool whole_waits(struct subcore *u, struct subcore_warp *warp, const struct insn *insn, cycle now)
{
    u64 told = warp->told & warp->group;
    if (told) {
        if (told != warp->group) /* others have come since, for the next time */
            warp_narrow(warp, told, now);
        return false;
    }
    if (warp->group != warp->live) {
        bool barrier = isa_custom(isa_shared(), insn)->message == MESSAGE_BLOCK_BARRIER;
        u64 waiting = barrier ? lanes_asking(u, warp) & ~warp->group : 0;
        u64 among = warp->live & ~waiting;
        if (!lanes_have_gathered(u, warp, among & ~warp->group)) {
            whole_park(u, warp, insn, now);
            return true;
        }
        if (warp->parked & among & ~warp->gathered) { /* they stand there, but for an answer */
            subcore_wait_answer(u, warp, WARP_HAZARD, insn->class, NEVER, now);
            return true;
        }
        if (alike_wait(u, warp, insn, among & ~warp->group, now))
            return true;
        if (!whole_leads(u, warp, among, now))
            return true;
    }
    if (isa_custom_warp(isa_shared(), insn).across || writes_are_done(u, warp))
        return false;
    fence_wait(u, warp, now);
    return true;
}

void whole_add(struct subcore_request *request, const struct insn *insn)
{
    u32 message = isa_custom(isa_shared(), insn)->message;
    request_add_lane(request, (u32)__builtin_ctzll(request->lanes), 0);
    request->of[0] = request->lanes;
    if (message == MESSAGE_BLOCK_BARRIER)
        request->waits = WARP_BARRIER;
    else if (message == MESSAGE_BLOCK_NEXT)
        request->waits = WARP_VACANT;
}

void whole_fill(const struct subcore_request *request, u32 piece, struct message *message)
{
    message->mask = (u32)__builtin_popcountll(request->of[piece]);
}
