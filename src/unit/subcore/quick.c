/* quick.c - a short way for instructions that only compute, where nothing but a scoreboard and
 * pipelines says when they issue.
 *
 * It does what issue.c and subcore.c do with them, without asking for all that cannot be.
 *
 * A greedy policy tries the warp that has issued first in the next cycle. What it then finds is
 * known already, unless an answer could come for it: nobody else issues before. So a warp that is
 * bound to wait begins to do so in the cycle before, as of the next one, and a sub-core without
 * others that are ready need not tick in between. */
#include "unit/subcore/quick.h"

#include "unit/subcore/subcore.h"

static bool class_computes(u32 class)
{
    return (class >= CLASS_INT_ADD && class <= CLASS_JUMP) ||
           (class >= CLASS_FP_ADD && class <= CLASS_FP_MOVE);
}

static u64 kind_bit(u32 kind)
{
    return UINT64_C(1) << kind;
}

_Static_assert(KIND_COUNT <= 64, "a bit for each kind");

u64 quick_kinds(const struct subcore *u)
{
    bool more = u->conflicts || u->fetches || u->profile || u->p.regroup ||
                u->p.policy == SUBCORE_POLICY_two_level ||
                u->p.reconvergence == RECONVERGENCE_stack;
    u64 kinds = 0;
    for (u32 kind = 0; kind < KIND_COUNT && !more; kind++) {
        u32 class = kind < CLASS_COUNT ? kind : kind - KIND_FP64;
        if (class_computes(class) && u->executors.classes[kind].port == PORT_NONE)
            kinds |= kind_bit(kind);
    }
    return kinds;
}

/* From READY, in which nothing but time has passed. */
static void quick_wait(struct subcore *u, struct subcore_warp *warp, enum subcore_state state,
                       u8 blamed, cycle due, cycle now)
{
    u64 bit = UINT64_C(1) << subcore_number(u, warp);
    u->s.spent[WARP_READY] += now - warp->since;
    warp->since = now;
    warp->state = (u8)state;
    warp->blamed = blamed;
    warp->due = due;
    warp->asks = false;
    u->candidates &= ~bit;
    u->timers |= bit;
    u->timer_at = min_u64(u->timer_at, due);
}

/* Whether an instruction has to wait, and for how long, as far as that follows from what the
 * sub-core itself executes. */
static enum quick quick_look(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                             cycle now)
{
    u64 touches = u->program->hazards[subcore_index(u, warp->pc)], writes = isa_writes(insn);
    if ((touches & warp->pending) | (writes & warp->reading))
        return QUICK_NOT;
    if (touches & warp->timed) {
        registers_settle(warp, touches, now);
        u64 conflict = touches & warp->timed;
        if (conflict) {
            u32 last = hazards_last(warp, conflict);
            quick_wait(u, warp, WARP_HAZARD, warp->producer[last], warp->ready[last], now);
            return QUICK_WAITS;
        }
    }
    cycle free_at = pipes_free_at(&u->pipes, insn, now);
    if (free_at <= now)
        return QUICK_ISSUED;
    quick_wait(u, warp, WARP_BUSY, insn->class, free_at, now);
    return QUICK_WAITS;
}

/* The next instruction of a warp's group, if it can take the short way. */
static const struct insn *quick_insn(const struct subcore *u, const struct subcore_warp *warp)
{
    const struct insn *insn = isa_fetch(&u->program->text, warp->pc);
    bool is = insn && u->quick & kind_bit(insn_kind(insn)) && !(warp->fenced & warp->group);
    return is ? insn : NULL;
}

static void quick_count(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        cycle now)
{
    u->s.issued_by[insn->class]++;
    u->s.executed_by[insn->class] += warp->threads;
    u->s.split += warp->group != warp->live;
    u->s.spent[WARP_READY] += now - warp->since;
    u->s.active++;
    u->last = subcore_number(u, warp);
    warp->issued++;
    warp->since = now + 1;
    unit_progress(&u->base);
}

static void quick_go_on(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        cycle now)
{
    if (class_moves(insn->class))
        warp_branch(warp, insn, 0, u->p.patience, now);
    else if (warp->group == warp->live)
        warp->pc += insn->length;
    else
        warp_step(warp, insn, u->p.patience, now);
}

/* The result can be read from a cycle on that is later than the next one. */
static void quick_delay(struct subcore_warp *warp, const struct insn *insn, cycle ready)
{
    warp->timed |= isa_writes(insn);
    warp->ready[insn->rd] = ready;
    warp->producer[insn->rd] = insn->class;
}

/* What the warp that has just issued will find when it is tried in the next cycle. */
static void quick_look_ahead(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    bool greedy = u->p.policy == SUBCORE_POLICY_greedy_oldest ||
                  u->p.policy == SUBCORE_POLICY_greedy_youngest;
    const struct insn *insn = greedy && warp->requests == NOBODY ? quick_insn(u, warp) : NULL;
    if (insn)
        quick_look(u, warp, insn, now + 1);
}

enum quick quick_issue(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    const struct insn *insn = quick_insn(u, warp);
    enum quick found = insn ? quick_look(u, warp, insn, now) : QUICK_NOT;
    if (found != QUICK_ISSUED)
        return found;
    if (isa_compute_lanes(&warp->lanes, warp->group, warp->pc, insn) != ISA_NEXT)
        return QUICK_NOT;
    cycle ready = now + u->executors.classes[insn_kind(insn)].latency;
    pipes_take(&u->pipes, insn, now);
    quick_count(u, warp, insn, now);
    quick_go_on(u, warp, insn, now);
    if (ready > now + 1)
        quick_delay(warp, insn, ready);
    if (ready > now + 1 && class_moves(insn->class))
        quick_wait(u, warp, WARP_HAZARD, insn->class, ready, now + 1);
    else
        quick_look_ahead(u, warp, now);
    return QUICK_ISSUED;
}
