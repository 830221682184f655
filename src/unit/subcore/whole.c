/* whole.c - instructions for whole warps: what threads of a warp tell each other, and what a warp
 * asks for all of its threads.
 *
 * Such an instruction issues when every thread of the warp that has not ended stands at one (or, if
 * it is a barrier, waits at one): so nobody is missing who is only late. If they stand at different
 * ones, those deepest in calls go first, and of these the ones furthest behind, as always (warp.c).
 * Threads that have returned from a kernel wait outside of it, and so let the others end theirs;
 * and where a compiler has made two barriers of one, threads come to the same barrier by both.
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

/* All of these, which are not in the group, stand at such an instruction. */
static bool lanes_have_gathered(const struct subcore *u, const struct subcore_warp *warp, u64 lanes)
{
    for (u64 left = lanes; left; left &= left - 1) {
        const struct insn *insn =
            isa_fetch(&u->program->text, warp->lanes.pc[__builtin_ctzll(left)]);
        if (!insn || insn->op != OP_custom || !insn_is_whole(insn))
            return false;
    }
    return true;
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

bool whole_waits(struct subcore *u, struct subcore_warp *warp, const struct insn *insn, cycle now)
{
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
        if (!warp_leads(warp, among, u->p.patience, now))
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
