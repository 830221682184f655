/* report.c - the statistics of a core: what was tallied since they were last read, and what its
 * threads have done with their cycles up to now. */
#include <string.h>

#include "unit/core/account.h"

_Static_assert(sizeof((struct core *)0)->s.issued_by == CLASS_COUNT * sizeof(u64),
               "one counter per class");

/* Adds what was tallied to the statistics. */
static void core_settle(struct core *u)
{
    struct core_tally *tally = &u->tally;
    u->s.passed += tally->passed;
    u->s.loads_private += tally->moves_private[0];
    u->s.stores_private += tally->moves_private[1];
    for (u32 i = 0; i < CLASS_COUNT; i++) {
        u->s.issued_by[i] += tally->issued[i];
        u->s.hazard_by[i] += tally_waits(u, i)->hazard;
        u->s.busy_by[i] += tally_waits(u, i)->busy;
    }
    *tally = (struct core_tally){ 0 };
    memset(u->tally_seldom, 0, sizeof u->tally_seldom);
}

/* A READY thread waits for the instruction at its pc, which nobody may have looked at yet. */
static void thread_look(struct core *u, u32 number)
{
    const struct core_thread *thread = &u->threads[number];
    if (u->profile && thread->state == STATE_READY && isa_fetch(&u->program->text, thread->hart.pc))
        profile_look(u->profile, core_profiled(u, number), core_index(u, thread->hart.pc));
}

static u64 classes_sum(const u64 *counters)
{
    u64 sum = 0;
    for (u32 i = 0; i < CLASS_COUNT; i++)
        sum += counters[i];
    return sum;
}

/* Not added up bit by bit: at the end of the run it may be less than at a report before. */
static u64 core_halted(const struct core *u, cycle now)
{
    u64 sum = 0;
    for (u32 i = 0; i < u->p.threads; i++)
        if (u->threads[i].state == STATE_HALTED && u->threads[i].since < now)
            sum += now - u->threads[i].since;
    return sum;
}

/* What is counted by class is only then added up. */
void core_report(struct unit *unit, cycle now)
{
    struct core *u = (struct core *)unit;
    now = unit_end(unit, now);
    for (u32 i = 0; u->program && i < u->p.threads; i++) {
        if (u->threads[i].since > now)
            continue;
        thread_look(u, i);
        thread_charge_in(u, i, u->threads[i].state, now);
    }
    if (u->program) {
        u->s.cycles = u->p.threads * now;
        u->s.halted = core_halted(u, now);
    }
    core_settle(u);
    u->s.issued = u->s.active = classes_sum(u->s.issued_by);
    u->s.hazard = classes_sum(u->s.hazard_by);
    u->s.busy = classes_sum(u->s.busy_by);
}
