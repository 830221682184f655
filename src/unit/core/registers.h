/* registers.h - which registers of a thread are not yet written, by what, and until when if that is
 * known. In line: most instructions ask. */
#ifndef UNIT_CORE_REGISTERS_H
#define UNIT_CORE_REGISTERS_H

#include "unit/core/account.h"

static inline void makers_note(struct core_thread *thread, u64 registers, u8 class)
{
    for (u64 bits = registers; bits; bits &= bits - 1)
        thread->makers[__builtin_ctzll(bits)] = class;
}

/* Most are written by loads, and mostly no others by more than one class: that spares the line of
 * `makers`. `made`: what no load writes, but for these. */
static inline void registers_make(struct core_thread *thread, u64 writes, u64 made, u8 class)
{
    if (!made)
        thread->maker = class;
    if (__builtin_expect(thread->maker == class, true))
        return;
    if (thread->maker != MAKERS)
        makers_note(thread, made, thread->maker);
    makers_note(thread, writes, class);
    thread->maker = MAKERS;
}

static inline void registers_wait(struct core_thread *thread, const struct insn *insn)
{
    u64 writes = isa_writes(insn);
    thread->busy |= writes;
    if (insn->class == CLASS_LOAD) {
        thread->loading |= writes;
        return;
    }
    thread->loading &= ~writes;
    registers_make(thread, writes, thread->busy & ~(thread->loading | writes), insn->class);
}

static inline void registers_delay(struct core_thread *thread, const struct insn *insn, cycle ready)
{
    registers_wait(thread, insn);
    thread->timing = true;
    thread->timed |= isa_writes(insn);
    for (u64 bits = isa_writes(insn); bits; bits &= bits - 1)
        thread->ready[__builtin_ctzll(bits)] = ready;
}

static inline u64 registers_timed(const struct core_thread *thread)
{
    return thread->timing ? thread->timed : 0;
}

/* Registers in `conflict` that are written by now become free; true if none is left. */
static inline bool registers_settle(struct core_thread *thread, u64 conflict, cycle now)
{
    for (u64 bits = conflict & registers_timed(thread); bits; bits &= bits - 1) {
        u32 r = (u32)__builtin_ctzll(bits);
        if (thread->ready[r] > now)
            continue;
        thread->busy &= ~(bits & -bits);
        thread->timed &= ~(bits & -bits);
        thread->timing = thread->timed;
    }
    return !(conflict & thread->busy);
}

/* Of the registers in `conflict`, the one that is written last: one whose cycle is not known, if
 * there is such a one. */
static inline u32 registers_last(const struct core_thread *thread, u64 conflict)
{
    u64 unknown = conflict & ~registers_timed(thread);
    u32 last = (u32)__builtin_ctzll(unknown ? unknown : conflict);
    for (u64 bits = unknown ? 0 : conflict; bits; bits &= bits - 1) {
        u32 r = (u32)__builtin_ctzll(bits);
        if (thread->ready[r] > thread->ready[last])
            last = r;
    }
    return last;
}

/* The class that waiting for it is charged to. */
static inline u8 registers_blame(const struct core_thread *thread, u32 number)
{
    if (thread->loading >> number & 1)
        return CLASS_LOAD;
    return thread->maker != MAKERS ? thread->maker : thread->makers[number];
}

/* ---- Waiting for them ---- */

/* Until a cycle, or until an answer if that is NEVER. */
static inline void thread_wait_until(struct core *u, u32 number, enum core_state from, u8 blamed,
                                     cycle due, cycle now)
{
    thread_move(u, number, from, STATE_HAZARD, now);
    u->threads[number].blamed = blamed;
    u->due[number] = due;
    if (due != NEVER)
        u->timers |= UINT32_C(1) << number;
}

static inline void thread_wait(struct core *u, u32 number, enum core_state from, u64 conflict,
                               cycle now)
{
    const struct core_thread *thread = &u->threads[number];
    u32 last = registers_last(thread, conflict & thread->busy);
    cycle due = registers_timed(thread) >> last & 1 ? thread->ready[last] : NEVER;
    thread_wait_until(u, number, from, registers_blame(thread, last), due, now);
}

#endif
