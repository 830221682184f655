/* turns.h - whose turn it is to issue, and instructions that are done at once. In line: most ticks
 * ask. */
#ifndef UNIT_CORE_TURNS_H
#define UNIT_CORE_TURNS_H

#include "unit/core/account.h"

_Static_assert(CORE_THREADS_MAX < 32, "one can shift by a thread's number and one");

/* Candidates with a higher number than the thread that issued last. */
static inline u32 core_behind_last(const struct core *u)
{
    return u->candidates & ~UINT32_C(0) << (u->last + 1);
}

static inline void core_count(struct core *u, u32 number, u32 class)
{
    tally_one(&u->tally.issued[class], &u->s.issued_by[class]);
    u->threads[number].instret++;
}

/* Whether an instruction without hazards is done at once, come what may. */
static inline bool core_never_stops(const struct core *u, const struct insn *insn)
{
    return u->at_once >> insn->class & 1;
}

/* The short way for them, which are most. False: the long way must see to it, and nothing has
 * changed. */
static inline bool core_executes_at_once(const struct core *u, struct core_thread *thread,
                                         const struct insn *insn)
{
    static const struct isa_environment unasked; /* by these classes */
    if (!core_never_stops(u, insn))
        return false;
    isa_execute(&thread->hart, insn, &unasked);
    return true;
}

#endif
