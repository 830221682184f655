/* ahead.c - a core that nobody can disturb before the window ends issues cycle after cycle in one
 * tick.
 *
 * That is one that awaits no answer: what it does in registers or in a thread's own stack is seen
 * by nobody, and the answer to a store that can only succeed is noticed by nobody. Threads take
 * turns as ever. Where all of them surely have only plain instructions for some rounds, each does
 * its own at once: they come to the same. */
#include "isa/flow.h"
#include "unit/core/moves.h"
#include "unit/core/turns.h"

/* What is done at once and not seen outside: in registers or in the thread's own stack. */
static inline bool core_issue_inside(struct core *u, u32 number)
{
    struct core_thread *thread = &u->threads[number];
    u64 index = isa_place(&u->program->text, thread->hart.pc);
    if (index >= u->program->text.count || u->program->hazards[index] & thread->busy)
        return false;
    const struct insn *insn = &u->program->text.insns[index];
    u8 *bytes = insn_moves(insn) ? stack_find(u, number, insn) : NULL;
    if (bytes)
        stack_move(u, thread, insn, bytes);
    else if (!core_executes_at_once(u, thread, insn))
        return false;
    core_count(u, number, insn->class);
    return true;
}

/* In each of these cycles one of the threads issued, and the other candidates were passed over. */
static void core_ran_alone(struct core *u, cycle from, cycle to)
{
    u64 ready = 0;
    for (u32 bits = u->candidates; bits; bits &= bits - 1) {
        struct core_thread *thread = &u->threads[__builtin_ctz(bits)];
        ready += to - thread->since;
        thread->since = to;
    }
    u->tally.passed += ready - (to - from);
    unit_ran_to(&u->base, to - 1);
    u->ran_to = to;
}

/* The candidates in the order of their turns: those behind the last one first. */
static inline u64 core_turns(const struct core *u)
{
    u32 behind = core_behind_last(u);
    return (u64)(u->candidates & ~behind) << 32 | behind;
}

static inline u32 turn_first(u64 turns)
{
    return (u32)__builtin_ctzll(turns) % 32;
}

/* Whether all that a run of plain instructions is made of takes one cycle here. */
static inline bool core_runs_plainly(const struct core *u)
{
    return u->program->runs && (u->at_once & RUN_CLASSES) == RUN_CLASSES;
}

/* How many plain instructions surely come next; 0: none, or they may stop or wait. */
static inline u64 thread_plain_run(const struct core *u, const struct core_thread *thread)
{
    u64 index = isa_place(&u->program->text, thread->hart.pc);
    bool stops = index >= u->program->text.count || thread->busy;
    return stops ? 0 : u->program->runs[index];
}

static inline void thread_run_plainly(struct core *u, struct core_thread *thread, u64 count)
{
    static const struct isa_environment unasked; /* by these classes */
    const struct insn *insns = u->program->text.insns;
    u64 base = u->program->text.base;
    thread->instret += count;
    do {
        const struct insn *insn = &insns[(thread->hart.pc - base) >> 1];
        tally_one(&u->tally.issued[insn->class], &u->s.issued_by[insn->class]);
        isa_execute(&thread->hart, insn, &unasked);
    } while (--count);
}

/* Threads that only touch their registers need not take turns to come to the same: each does all
 * of its rounds at once. */
static inline void core_run_rounds(struct core *u, u64 turns, u64 rounds, cycle due)
{
    for (; turns; turns &= turns - 1) {
        u32 number = turn_first(turns);
        thread_run_plainly(u, &u->threads[number], rounds);
        u->due[number] = ++due;
    }
}

/* What rounds take to begin is less than two of them save. */
#define ROUNDS_WORTH 2

/* The fewest that a thread of these has. */
static inline u64 core_plain_run(const struct core *u, u64 turns)
{
    u64 left = RUN_MAX;
    for (; turns; turns &= turns - 1)
        left = min_u64(left, thread_plain_run(u, &u->threads[turn_first(turns)]));
    return left;
}

/* Plain instructions of the only candidate, run after run. */
static PART cycle core_run_single(struct core *u, u32 number, cycle at, cycle to)
{
    struct core_thread *thread = &u->threads[number];
    u64 count;
    while (at < to && (count = min_u64(thread_plain_run(u, thread), to - at))) {
        thread_run_plainly(u, thread, count);
        u->due[number] = at += count;
        u->last = (u8)number;
    }
    return at;
}

/* Rounds of plain instructions, as many as all candidates have before `to`. */
static inline cycle core_run_plainly(struct core *u, cycle at, cycle to)
{
    u64 turns = core_turns(u), threads = 0;
    if (!(turns & (turns - 1)))
        return core_run_single(u, turn_first(turns), at, to);
    for (u64 bits = turns; bits; bits &= bits - 1)
        threads++;
    while (to - at >= ROUNDS_WORTH * threads) {
        u64 rounds = min_u64(core_plain_run(u, turns), (to - at) / threads);
        if (rounds < ROUNDS_WORTH)
            break;
        core_run_rounds(u, turns, rounds, at + (rounds - 1) * threads);
        at += rounds * threads;
    }
    return at;
}

/* One turn each, cycle after cycle, until one does what can be seen outside. */
static inline cycle core_run_round(struct core *u, cycle at, cycle to, bool *goes_on)
{
    for (u64 turns = core_turns(u); turns; turns &= turns - 1) {
        u32 number = turn_first(turns);
        *goes_on = at < to && core_issue_inside(u, number);
        if (!*goes_on)
            break;
        u->last = (u8)number;
        u->due[number] = ++at;
    }
    return at;
}

cycle core_run_ahead(struct core *u, cycle now)
{
    cycle at = now, to = u->base.domain->to;
    for (bool goes_on = true; goes_on;) {
        if (core_runs_plainly(u))
            at = core_run_plainly(u, at, to);
        at = core_run_round(u, at, to, &goes_on);
    }
    if (at != now)
        core_ran_alone(u, now, at);
    return at;
}
