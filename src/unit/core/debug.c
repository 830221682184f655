/* debug.c - what a debugger sees of a core's threads.
 *
 * Results of instructions that execute here, or are only timed elsewhere, are computed at issue:
 * their registers are busy for others, but what they hold is right. Only what a message brings is
 * still to come. */
#include "unit/core/registers.h"

static bool class_brings(u32 class)
{
    return class == CLASS_LOAD || class == CLASS_ATOMIC || class >= CLASS_CUSTOM0;
}

static u64 thread_pending(const struct core_thread *thread)
{
    u64 waits = thread->busy & ~(thread->timing ? thread->timed : 0);
    u64 pending = waits & thread->loading;
    for (u64 bits = waits & ~thread->loading; bits; bits &= bits - 1)
        if (class_brings(registers_blame(thread, (u32)__builtin_ctzll(bits))))
            pending |= bits & -bits;
    return pending;
}

/* A register whose cycle has come is let go only when somebody wants it. */
static u64 thread_busy(const struct core_thread *thread, cycle now)
{
    u64 busy = thread->busy;
    for (u64 bits = thread->timing ? busy & thread->timed : 0; bits; bits &= bits - 1)
        if (thread->ready[__builtin_ctzll(bits)] <= now)
            busy &= ~(bits & -bits);
    return busy;
}

static const char *const state_names[] = {
#define CORE_STATE_NAME(S, name, STATE, help) [STATE_##STATE] = #name,
    CORE_STATES(CORE_STATE_NAME, )
};

static void core_view(const struct unit *unit, u32 number, struct debug_view *view)
{
    const struct core *u = (const struct core *)unit;
    const struct core_thread *thread = &u->threads[number];
    bool charged = thread->state == STATE_HAZARD || thread->state == STATE_BUSY;
    bool ended = thread->state == STATE_HALTED; /* nothing comes any more */
    *view = (struct debug_view){ .pc = thread->hart.pc,
                                 .executed = thread->instret,
                                 .pending = ended ? 0 : thread_pending(thread),
                                 .busy = thread_busy(thread, unit->domain->now),
                                 .state = state_names[thread->state],
                                 .blamed = charged ? thread->blamed : CLASS_COUNT,
                                 .private = u->stacks + number * u->p.stack,
                                 .private_bytes = u->p.stack,
                                 .warp = number,
                                 .lane = NOBODY,
                                 .ended = ended };
}

static void core_moved(const struct unit *unit, u32 *first, u32 *count)
{
    *first = ((const struct core *)unit)->last;
    *count = 1;
}

static u64 core_pc(const struct unit *unit, u32 number)
{
    return ((const struct core *)unit)->threads[number].hart.pc;
}

static bool core_set(struct unit *unit, u32 number, u32 which, u64 value)
{
    struct core *u = (struct core *)unit;
    struct core_thread *thread = &u->threads[number];
    if (thread->state == STATE_HALTED)
        return false;
    u->plain_loads = (u16)(u->plain_loads & ~(UINT32_C(1) << number));
    if (which == DEBUG_PC) {
        thread->hart.pc = value;
        return true;
    }
    if (which == 0 || thread_pending(thread) >> which & 1)
        return false;
    thread->hart.r[which] = value;
    return true;
}

static const struct link *core_scratch(const struct unit *unit)
{
    const struct core *u = (const struct core *)unit;
    return u->scratch == PORT_NONE ? NULL : u->w.units.at[u->scratch].out;
}

const struct debug_role core_debug = {
    .view = core_view, .moved = core_moved, .set = core_set, .scratch = core_scratch, .pc = core_pc
};
