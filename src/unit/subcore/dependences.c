/* dependences.c - the scoreboard of a warp: registers that have yet to be written or read. */
#include "unit/subcore/dependences.h"

#include "unit/subcore/subcore.h"

void dependences_delay(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                       cycle ready)
{
    u64 writes = isa_writes(insn);
    warp->timed |= writes;
    for (u64 left = writes; left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        warp->ready[number] = ready;
        warp->producer[number] = insn->class;
    }
    if (u->control)
        control_delay(u, warp, insn, ready);
}

/* Registers that stand in the way of an instruction: what it reads or writes is not yet written, or
 * what it writes has not yet been read. What other threads of the warp wait for does not count. */
static u64 hazards_find(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        u32 index, cycle now)
{
    u64 touches = u->program->hazards[index], writes = isa_writes(insn);
    registers_settle(warp, touches, now);
    if (!warp_conflict(warp, touches, writes))
        return 0;
    struct subcore_hold hold = requests_hold(u, warp);
    return (touches & (warp->timed | hold.writes)) | (writes & hold.reads);
}

/* What may be an answer that other threads of the warp have to bring about. */
static bool class_waits_for_others(u32 class)
{
    return class == CLASS_ATOMIC || class == CLASS_FENCE ||
           (class >= CLASS_CUSTOM0 && class <= CLASS_CUSTOM3);
}

enum dependence dependences_await(struct subcore *u, struct subcore_warp *warp, u32 state, u8 class,
                                  cycle now)
{
    bool others = class_waits_for_others(class), barrier = state == WARP_BARRIER;
    if (others && (barrier ? warp_stand_aside(warp, u->p.patience, now)
                           : warp_park(warp, u->p.patience, now)))
        return DEPENDENCE_OTHERS;
    cycle latest = others ? warp_patience_ends(warp, u->p.patience) : NEVER;
    subcore_wait_answer(u, warp, (enum subcore_state)state, class, latest, now);
    return DEPENDENCE_WAITS;
}

/* Those of the group that have been answered go on without the others. */
static enum dependence held_await(struct subcore *u, struct subcore_warp *warp,
                                  const struct subcore_request *request, cycle now)
{
    if (request->parts && warp->group & ~request->lanes) {
        warp_narrow(warp, warp->group & ~request->lanes, now);
        return DEPENDENCE_OTHERS;
    }
    return dependences_await(u, warp, request->waits, request->class, now);
}

static enum dependence hazards_wait(struct subcore *u, struct subcore_warp *warp, u64 conflict,
                                    cycle now)
{
    u32 last = hazards_last(warp, conflict);
    if (!(warp->timed >> last & 1))
        return held_await(u, warp, request_holding(u, warp, last), now);
    subcore_wait(u, warp, WARP_HAZARD, warp->producer[last], warp->ready[last], now);
    return DEPENDENCE_WAITS;
}

enum dependence dependences_look(struct subcore *u, struct subcore_warp *warp,
                                 const struct insn *insn, u32 index, cycle now)
{
    if (u->control)
        return control_look(u, warp, insn, index, now);
    u64 conflict = hazards_find(u, warp, insn, index, now);
    return conflict ? hazards_wait(u, warp, conflict, now) : DEPENDENCE_NONE;
}
