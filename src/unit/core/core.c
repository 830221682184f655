/* core.c - an in-order core: choosing a thread in each cycle, and accounting for all of them.
 *
 * A cycle: take the answers that arrived, wake threads whose time has come or whose unit has room,
 * then offer the issue slot to one ready thread after the other until one takes it. A thread that
 * cannot issue leaves the ready set and comes back when what it waits for happens, so a core whose
 * threads all wait costs nothing.
 *
 * issue.c does the instructions, ahead.c many at once, answer.c takes what comes back, report.c
 * adds up what was counted, table.c reads where they execute. See core.h for the states and what is
 * always true of them. */
#include "isa/flow.h"
#include "unit/core/moves.h"
#include "unit/core/turns.h"

/* ---- Accounting ---- */

static inline void thread_profile_issue(struct core *u, u32 number, const struct insn *insn,
                                        u32 index, cycle now)
{
    const struct core_thread *thread = &u->threads[number];
    u64 *cycles = profile_row(u->profile, core_profiled(u, number), index)->cycles;
    cycles[PROFILE_ISSUED]++;
    if (thread->state == STATE_READY)
        cycles[PROFILE_PASSED] += now - thread->since;
    if (insn->class == CLASS_JUMP)
        profile_jump(u->profile, core_profiled(u, number), insn, index,
                     (thread->hart.pc - u->program->text.base) >> 1);
}

void core_enter(struct core *u, u32 number, enum core_state state, cycle now)
{
    thread_move(u, number, u->threads[number].state, state, now);
}

/* The core has issued an instruction of a thread in this cycle. */
static inline void core_issued(struct core *u, u32 number, u32 class)
{
    core_count(u, number, class);
    u->last = (u8)number;
    unit_progress(&u->base);
}

/* The same of a usual core, which is on the chip's clock. */
static inline void core_issued_now(struct core *u, u32 number, u32 class, cycle now)
{
    core_count(u, number, class);
    u->last = (u8)number;
    unit_progress_now(&u->base, now);
}

/* A READY thread that has issued in this cycle may again in the next one. */
static inline void thread_goes_on(struct core *u, u32 number, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    if (now != thread->since)
        u->tally.passed += now - thread->since;
    u->due[number] = thread->since = now + 1;
}

static inline void thread_issued(struct core *u, u32 number, const struct insn *insn, u32 index,
                                 cycle now)
{
    struct core_thread *thread = &u->threads[number];
    core_issued(u, number, insn->class);
    if (core_profile(u))
        thread_profile_issue(u, number, insn, index, now);
    if (thread->state == STATE_READY) {
        thread_goes_on(u, number, now);
    } else {
        /* it halted or began to wait with its last instruction */
        thread_charge_in(u, number, thread->state, now);
        thread->since = now + 1;
    }
}

/* ---- Choosing ---- */

static u32 core_choose_in_turn(const struct core *u)
{
    u32 after = core_behind_last(u);
    return (u32)__builtin_ctz(after ? after : u->candidates);
}

/* The one that could have issued first; `since` would not do, because reports move it. */
static u32 core_choose_oldest(const struct core *u, u32 threads)
{
    u32 oldest = (u32)__builtin_ctz(threads);
    for (u32 bits = threads; bits; bits &= bits - 1) {
        u32 number = (u32)__builtin_ctz(bits);
        if (u->due[number] < u->due[oldest])
            oldest = number;
    }
    return oldest;
}

/* Whoever has waited for room goes first, or others that come just in time would always take it. */
static u32 core_choose(const struct core *u)
{
    u32 refused = u->candidates & u->refused;
    if (refused)
        return core_choose_oldest(u, refused);
    if (!u->greedy)
        return core_choose_in_turn(u);
    return u->candidates >> u->last & 1 ? u->last : core_choose_oldest(u, u->candidates);
}

static inline bool core_issue_at_once(struct core *u, struct core_thread *thread,
                                      const struct insn *insn, u32 index)
{
    return insn && !(u->program->hazards[index] & thread->busy) &&
           core_executes_at_once(u, thread, insn);
}

static void core_offer_slot(struct core *u, cycle now)
{
    while (u->candidates) {
        u32 number = core_choose(u);
        struct core_thread *thread = &u->threads[number];
        const struct insn *insn = isa_fetch(&u->program->text, thread->hart.pc);
        u32 index = core_index(u, thread->hart.pc);
        if (!core_issue_at_once(u, thread, insn, index) && !core_issue(u, number, insn, index, now))
            continue;
        thread_issued(u, number, insn, index, now);
        return;
    }
}

/* ---- Waking threads ---- */

static SELDOM void core_wake_timers(struct core *u, cycle now)
{
    for (u32 bits = u->timers; bits; bits &= bits - 1) {
        u32 number = (u32)__builtin_ctz(bits);
        if (u->due[number] <= now)
            core_enter(u, number, STATE_READY, now);
    }
}

/* Whether a thread that waits for room on the link can issue in this cycle; if not, what has room
 * later says so. True again at once if the link is refusing for this cycle only. */
static inline bool core_may_retry(struct core *u, struct link *link)
{
    if (u->under_way == u->outstanding)
        return false;
    u->base.may_retry = false;
    if (!link_can_push(link))
        return false;
    u->base.may_retry = true;
    return true;
}

/* Of those that wait for the same port, which has room again, the oldest is offered the slot. It
 * takes it, unless it finds something else to wait for; that its instruction has no hazards was
 * found before. The others are passed over: they need not be looked at to say so. */
static bool core_retry_oldest(struct core *u, cycle now)
{
    u32 number = core_choose_oldest(u, u->room), index = core_index(u, u->threads[number].hart.pc);
    const struct insn *insn = &u->program->text.insns[index];
    thread_move(u, number, STATE_BUSY, STATE_READY, now);
    u->passed_over++;
    if (!u->usual || !core_issue_free(u, number, insn, index, now))
        return false;
    thread_issued(u, number, insn, index, now);
    return true;
}

/* Wakes threads whose port has room again; true: one has issued. */
static SELDOM bool core_wake_refused(struct core *u, cycle now)
{
    const struct port *ports = u->w.units.at;
    bool same = u->room_port != PORT_NONE;
    if (same ? !core_may_retry(u, ports[u->room_port].out) : u->under_way == u->outstanding)
        return false;
    u->base.may_retry = true;
    if (same && u->instructions == PORT_NONE && !(u->candidates & u->refused))
        return core_retry_oldest(u, now);
    for (u32 bits = u->room; bits; bits &= bits - 1) {
        u32 number = (u32)__builtin_ctz(bits);
        if (same || link_can_push(ports[u->waits_port[number]].out))
            core_enter(u, number, STATE_READY, now);
    }
    return false;
}

static SELDOM cycle core_next_timer(const struct core *u, cycle now)
{
    cycle next = NEVER;
    for (u32 bits = u->timers; bits; bits &= bits - 1)
        next = min_u64(next, u->due[__builtin_ctz(bits)]);
    return next == NEVER ? NEVER : max_u64(next, now + 1);
}

/* When a core that offers its slot to nobody is to tick again. */
static inline cycle core_next(const struct core *u, u32 passed_over, cycle now)
{
    if (u->candidates || u->passed_over != passed_over)
        return now + 1;
    return u->timers ? core_next_timer(u, now) : NEVER;
}

/* After one of those that wait for a port has issued: whether another one can. */
static inline bool core_has_room_again(struct core *u)
{
    return u->room && core_may_retry(u, u->w.units.at[u->room_port].out);
}

/* When a core is to tick again after that. */
static inline cycle core_next_retry(const struct core *u, bool again, cycle now)
{
    if (u->candidates || again)
        return now + 1;
    return u->timers ? core_next_timer(u, now) : NEVER;
}

/* ---- Waiting ahead ---- */

/* A thread that issued in this cycle may have to wait as of the next one. If it is the only one
 * that could issue then, that needs no tick of its own. Whatever may make a difference to it wakes
 * the core in that cycle, and then it is taken back. */
static inline void core_waits_ahead(struct core *u, cycle now)
{
    u->candidates = 0;
    u->ran_to = now + 2;
}

static inline bool core_may_wait_ahead(const struct core *u, u32 number, cycle now)
{
    return !(u->candidates & ~(UINT32_C(1) << number)) && now + 1 < u->base.domain->to;
}

/* For registers of which nobody knows yet when they are written. */
static inline bool thread_waits_for_registers(struct core *u, u32 number, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 index = isa_place(&u->program->text, thread->hart.pc);
    if (thread->timing || index >= u->program->text.count)
        return false;
    u64 conflict = u->program->hazards[index] & thread->busy;
    if (!conflict)
        return false;
    thread->state = STATE_HAZARD;
    thread->blamed = registers_blame(thread, registers_last(thread, conflict));
    u->due[number] = NEVER;
    core_waits_ahead(u, now);
    return true;
}

/* The address of a load of a thread that has just sent another one, which had waited, if `sent` is
 * not NULL: often from the same register, whose cache line need not be looked at. */
static inline u64 load_address(const struct core_thread *thread, const struct insn *insn,
                               const struct insn *sent)
{
    if (sent && sent->rs1 == insn->rs1)
        return thread->asks + (u64)(insn->immediate - (i64)sent->immediate);
    return move_address(thread, insn);
}

/* For room on the port that others wait for, with a plain load. */
static inline bool thread_waits_for_room(struct core *u, u32 number, const struct insn *sent,
                                         cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 index = isa_place(&u->program->text, thread->hart.pc);
    if (index >= u->program->text.count)
        return false;
    const struct insn *insn = &u->program->text.insns[index];
    if (insn->class != CLASS_LOAD || u->room_port != u->move_ports[0] ||
        u->program->hazards[index] & thread->busy)
        return false;
    u64 address = load_address(thread, insn, sent);
    if (!address_is_plain(address, insn) || address > UINT32_MAX)
        return false;
    u32 bit = UINT32_C(1) << number;
    thread->state = STATE_BUSY;
    thread->passed_over = u->passed_over;
    thread->blamed = CLASS_LOAD;
    u->waits_port[number] = u->room_port;
    u->room |= bit;
    u->refused |= bit;
    load_waits(u, number, address);
    core_waits_ahead(u, now);
    return true;
}

static void core_take_wait_back(struct core *u, cycle now)
{
    u32 number = u->last, bit = UINT32_C(1) << number;
    u->threads[number].state = STATE_READY;
    u->due[number] = now;
    u->candidates = bit;
    u->room &= ~bit;
    u->refused &= ~bit;
    u->ran_to = now;
}

/* ---- Ticking ---- */

static PART cycle core_tick_issue(struct core *u, u32 passed_over, cycle now)
{
    core_offer_slot(u, now);
    return core_next(u, passed_over, now);
}

/* The same after the thread whose turn it was had to wait: mostly it was the only one. */
static inline cycle core_tick_others(struct core *u, u32 passed_over, cycle now)
{
    return u->candidates ? core_tick_issue(u, passed_over, now) : core_next(u, passed_over, now);
}

/* An instruction of the thread whose turn it is, if it may wait. */
static PART cycle core_tick_waiting(struct core *u, u32 number, const struct insn *insn, u32 index,
                                    cycle now)
{
    u32 passed_over = u->passed_over;
    core_is_usual(u);
    if (insn && !u->threads[number].timing) { /* for an answer, then */
        thread_wait(u, number, STATE_READY, u->program->hazards[index], now);
        return core_tick_others(u, passed_over, now);
    }
    if (!core_issue(u, number, insn, index, now))
        return core_tick_issue(u, passed_over, now);
    thread_issued(u, number, insn, index, now);
    return core_next(u, passed_over, now);
}

/* The same of one without hazards that does more than touch registers. */
static PART cycle core_tick_free(struct core *u, u32 number, const struct insn *insn, u32 index,
                                 cycle now)
{
    u32 passed_over = u->passed_over;
    if (!core_issue_free(u, number, insn, index, now))
        return core_tick_issue(u, passed_over, now);
    thread_issued(u, number, insn, index, now);
    bool settled = !u->timers && !(u->room && u->base.may_retry);
    if (u->candidates && settled && core_may_wait_ahead(u, number, now) &&
        thread_waits_for_registers(u, number, now))
        return NEVER;
    return core_next(u, passed_over, now);
}

/* The same of a load or store that is not of the thread's own stack: those that are plain go
 * straight on. */
static PART cycle core_tick_send(struct core *u, u32 number, const struct insn *insn, u32 index,
                                 cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u32 port = move_port(u, insn);
    core_is_usual(u);
    if (port == PORT_NONE || !move_is_plain(thread, insn))
        return core_tick_free(u, number, insn, index, now);
    link_is_within(u->w.units.at[port].out);
    struct message *message = move_place(u, port);
    if (!message) {
        core_refuse_move(u, number, port, insn, now);
        return core_tick_others(u, u->passed_over, now);
    }
    move_send(u, number, insn, index, port, message);
    thread_goes_on(u, number, now);
    core_issued_now(u, number, insn->class, now);
    return now + 1;
}

/* The same of any load or store. */
static PART cycle core_tick_move(struct core *u, u32 number, const struct insn *insn, u32 index,
                                 cycle now)
{
    u8 *bytes = stack_find(u, number, insn);
    if (!bytes)
        return core_tick_send(u, number, insn, index, now);
    thread_goes_on(u, number, now);
    core_issued_now(u, number, insn->class, now);
    stack_move(u, &u->threads[number], insn, bytes);
    return now + 1;
}

/* A thread that waited for room has issued, and may again in the next cycle. */
static inline void thread_has_room(struct core *u, u32 number)
{
    u32 bit = UINT32_C(1) << number;
    u->threads[number].state = STATE_READY;
    u->candidates |= bit;
    u->room &= ~bit;
}

static cycle core_tick_rest(struct core *u, cycle now);

/* What the oldest of them waits with is a plain load, for which there is room. */
static PART cycle core_tick_load(struct core *u, u32 number, struct link *link, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u32 index = core_index(u, thread->hart.pc);
    const struct insn *insn = &u->program->text.insns[index];
    core_is_usual(u);
    link_is_within(link);
    if (thread->blamed != CLASS_LOAD)
        __builtin_unreachable();
    thread_charge_in(u, number, STATE_BUSY, now);
    u->passed_over++;
    link->waiting = false;
    load_send(u, number, insn, index, thread->asks, link_place(link, now + link->latency));
    u->due[number] = thread->since = now + 1;
    core_issued_now(u, number, CLASS_LOAD, now);
    bool full = u->room & (u->room - 1) && !core_may_retry(u, link) && !u->base.may_retry;
    if (full && core_may_wait_ahead(u, number, now) && thread_waits_for_room(u, number, insn, now))
        return NEVER;
    thread_has_room(u, number);
    return now + 1;
}

/* The tick of a core that was only told that the port which its threads wait for has room. */
static PART cycle core_tick_retry(struct core *u, cycle now)
{
    u32 number = core_choose_oldest(u, u->room);
    struct link *link = u->w.units.at[u->room_port].out;
    link_is_within(link);
    bool plain = u->plain_loads >> number & 1 && u->under_way != u->outstanding;
    if (!plain || !link_has_room(link))
        return core_tick_rest(u, now);
    return core_tick_load(u, number, link, now);
}

/* The same of one that only touches registers with one behind that does more, while others wait for
 * room: the thread may be the next. */
static PART cycle core_tick_crowded(struct core *u, u32 number, const struct insn *insn, cycle now)
{
    static const struct isa_environment unasked; /* by these classes */
    core_is_usual(u);
    thread_goes_on(u, number, now);
    core_issued_now(u, number, insn->class, now);
    isa_execute(&u->threads[number].hart, insn, &unasked);
    bool alone = !u->timers && core_may_wait_ahead(u, number, now);
    return alone && thread_waits_for_room(u, number, NULL, now) ? NEVER : now + 1;
}

/* The short way of most ticks: threads issue in turn, and mostly the next one has an instruction
 * that only touches registers, and is ready for another one. All is noted before it executes, so
 * that nothing need be kept meanwhile. */
static PART cycle core_tick_shortly(struct core *u, cycle now)
{
    static const struct isa_environment unasked; /* by these classes */
    u32 number = core_choose_in_turn(u);
    struct core_thread *thread = &u->threads[number];
    u64 index = isa_place(&u->program->text, thread->hart.pc);
    if (index >= u->program->text.count)
        return core_tick_waiting(u, number, NULL, 0, now);
    const struct insn *insn = &u->program->text.insns[index];
    if (u->program->hazards[index] & thread->busy)
        return core_tick_waiting(u, number, insn, (u32)index, now);
    if (!core_never_stops(u, insn))
        return insn_moves(insn) ? core_tick_move(u, number, insn, (u32)index, now)
                                : core_tick_free(u, number, insn, (u32)index, now);
    if (u->program->runs[index] == 1 && u->room && !u->base.may_retry)
        return core_tick_crowded(u, number, insn, now);
    thread_goes_on(u, number, now);
    core_issued_now(u, number, insn->class, now);
    isa_execute(&thread->hart, insn, &unasked);
    return now + 1;
}

/* Cycle after cycle, if nobody can disturb the core. */
static PART cycle core_tick_ahead(struct core *u, cycle now)
{
    cycle at = core_run_ahead(u, now);
    return at == now ? core_tick_shortly(u, now) : at;
}

static inline bool core_has_short_way(const struct core *u)
{
    return u->usual && u->candidates && !(u->candidates & u->refused);
}

/* The tick of any core that has taken its answers. */
static PART cycle core_tick_rest(struct core *u, cycle now)
{
    u32 passed_over = u->passed_over;
    if (u->timers)
        core_wake_timers(u, now);
    if (u->room && u->base.may_retry && core_wake_refused(u, now))
        return core_next_retry(u, core_has_room_again(u), now);
    if (!u->candidates)
        return core_next(u, passed_over, now);
    bool shortly = core_has_short_way(u) && u->passed_over == passed_over;
    return shortly ? core_tick_shortly(u, now) : core_tick_issue(u, passed_over, now);
}

static PART cycle core_tick_wholly(struct core *u, cycle now)
{
    if (ports_any(&u->w.units))
        core_take_answers(u, now);
    return core_tick_rest(u, now);
}

static cycle core_tick(struct unit *unit, cycle now);

/* Of a core that has done more than its cycle: it has refused a thread ahead, which then was the
 * last candidate, or it has run ahead, and takes answers of stores when they come. */
static PART cycle core_tick_behind(struct core *u, cycle now)
{
    if (!u->candidates) {
        core_take_wait_back(u, now);
        return core_tick(&u->base, now);
    }
    if (u->w.units.pending[0])
        core_take_answers(u, now);
    return u->ran_to;
}

/* The tick of a usual core that has taken its answers, if none of its threads has waited for this
 * cycle and no candidate was refused before. */
static inline cycle core_tick_calmly(struct core *u, cycle now)
{
    if (u->room && u->base.may_retry)
        return u->room_port != PORT_NONE ? core_tick_retry(u, now) : core_tick_rest(u, now);
    if (!u->candidates)
        return u->timers ? core_next_timer(u, now) : NEVER;
    return u->awaited | u->room | u->timers ? core_tick_shortly(u, now) : core_tick_ahead(u, now);
}

static PART cycle core_tick_answers(struct core *u, cycle now)
{
    core_take_answers_usual(u, now);
    return u->candidates & u->refused ? core_tick_rest(u, now) : core_tick_calmly(u, now);
}

static cycle core_tick(struct unit *unit, cycle now)
{
    struct core *u = (struct core *)unit;
    if (__builtin_expect(now < u->ran_to, false))
        return core_tick_behind(u, now);
    if (u->timers | (u->candidates & u->refused) || !u->usual)
        return core_tick_wholly(u, now);
    return u->w.units.pending[0] ? core_tick_answers(u, now) : core_tick_calmly(u, now);
}

/* ---- Starting and failing ---- */

void core_fail(struct core *u, u32 number, enum program_fault_kind kind, u64 address, cycle now)
{
    program_fail(&u->output, &u->base,
                 (struct program_fault){ now, u->threads[number].hart.pc, address, number, kind });
    if (u->threads[number].state == STATE_HALTED)
        return; /* its last store failed after its end */
    core_enter(u, number, STATE_HALTED, now);
    u->running--;
    unit_release(&u->base, 1);
}

static bool core_alloc(struct core *u, struct ogv_error *error)
{
    u64 threads = u->p.threads, registers = REGISTER_NONE + 1;
    cycle *ready;
    if (!(u->threads = unit_alloc(&u->base, threads, sizeof *u->threads, error)) ||
        !(u->stacks = unit_alloc_aside(&u->base, threads, u->p.stack, error)) ||
        !program_output_init(&u->output, &u->base, error) ||
        !(ready = unit_alloc_aside(&u->base, threads * registers, sizeof *ready, error)))
        return false;
    for (u64 i = 0; i < threads; i++)
        u->threads[i].ready = ready + i * registers;
    return true;
}

static bool core_init(struct unit *unit, struct ogv_error *error)
{
    struct core *u = (struct core *)unit;
    if (u->w.units.count > PORT_NONE)
        return unit_refuse(error, "has %u links; at most %d are possible", u->w.units.count,
                           PORT_NONE);
    u->outstanding = (u16)u->p.outstanding;
    u->stack_at_once = u->p.stack_latency == 1 ? (u32)u->p.stack : 0;
    u->greedy = u->p.policy == CORE_POLICY_greedy;
    u->base.may_retry = true;
    return core_alloc(u, error) && core_read_table(u, error);
}

static void core_start(struct unit *unit, const struct chip_program *program, u32 first_hart,
                       struct hart_profile *profile)
{
    struct core *u = (struct core *)unit;
    u->program = program;
    u->first_hart = first_hart;
    u->profile = profile;
    u->usual = !u->greedy && !profile && program->runs && !unit->clocked &&
               u->instructions == PORT_NONE && u->w.units.count <= 64 &&
               ports_are_near(&u->w.units);
    for (u32 i = 0; i < u->p.threads; i++) {
        struct core_thread *thread = &u->threads[i];
        program_enter(program, &thread->hart, first_hart + i, STACK_WINDOW + u->p.stack);
        u->candidates |= UINT32_C(1) << i;
        if (profile)
            profile_start(profile, core_profiled(u, i), core_index(u, program->entry));
    }
    u->running = (u8)u->p.threads;
    u->last = (u8)(u->running - 1);
    unit_hold(unit, u->running);
}

static const struct program_output *core_output(const struct unit *unit)
{
    return &((const struct core *)unit)->output;
}

static bool core_hart(const struct unit *unit, u32 thread, struct hart *hart)
{
    const struct core_thread *asked = &((const struct core *)unit)->threads[thread];
    *hart = asked->hart;
    return asked->state != STATE_HALTED;
}

static const struct program_role core_role = { .start = core_start,
                                               .output = core_output,
                                               .hart = core_hart,
                                               .issue_pj = core_issue_pj,
                                               .instructions = "issued",
                                               .halted = "halted",
                                               .stack = "stack",
                                               .execute = "execute",
                                               .debug = &core_debug };

static u64 core_harts(const struct unit *unit)
{
    return ((const struct core *)unit)->p.threads;
}

static void core_attend(struct unit *unit)
{
    program_output_attend(&((struct core *)unit)->output, unit);
}

static struct link *core_toward(struct unit *unit, u64 *address)
{
    struct core *u = (struct core *)unit;
    (void)address;
    return u->memory == PORT_NONE ? NULL : u->w.units.at[u->memory].out;
}

UNIT_TYPE(core, CORE, "in-order multithreaded RISC-V core", .init = core_init, .tick = core_tick,
          .report = core_report, .attend = core_attend, .harts = core_harts, .toward = core_toward,
          .programs = &core_role, .energy = core_energy_rows, .costs = core_costs,
          .resources = core_resource_rows, .accounts = core_account_rows, .awaits = core_awaits,
          .figures = core_figure_rows,
          .area_help =
              "registers and local store of each thread, an eighth of an instruction cache, "
              "and pipelines of the classes that execute here; SimTRaX, 65 nm")
