/* subcore.c - a sub-core: choosing a warp in each cycle, and accounting for all of them.
 *
 * A cycle: take the answers that arrived, send what is queued, wake warps whose time has come or
 * that waited for room, fetch and decode where that takes time, then offer the issue slot to one
 * ready warp after the other until one takes it. A warp that cannot issue leaves the ready set and
 * comes back when what it waits for happens.
 *
 * warp.c says which threads of a warp go on, front.c and l0.c how instructions come, issue.c does
 * them, request.c what others execute; dependences.c, pipelines.c, operands.c and results.c say
 * when an instruction may issue. See subcore.h for the states and what is always true of them. */
#include "unit/subcore/subcore.h"

/* ---- Accounting ---- */

static struct profile_thread warp_profiled(struct subcore_warp *warp)
{
    return (struct profile_thread){ &warp->path, &warp->mark };
}

static void warp_profile(struct subcore *u, struct subcore_warp *warp, u64 span)
{
    static const u8 reasons[] = { [WARP_READY] = PROFILE_PASSED,
                                  [WARP_HAZARD] = PROFILE_HAZARD,
                                  [WARP_BUSY] = PROFILE_BUSY,
                                  [WARP_OPERANDS] = PROFILE_BUSY,
                                  [WARP_RESULT] = PROFILE_BUSY,
                                  [WARP_FENCE] = PROFILE_FENCE,
                                  [WARP_FETCH] = PROFILE_FETCH,
                                  [WARP_MISS] = PROFILE_FETCH,
                                  [WARP_PIPE] = PROFILE_BUSY,
                                  [WARP_PENDING] = PROFILE_PASSED,
                                  [WARP_BARRIER] = PROFILE_HAZARD + CLASS_CUSTOM0,
                                  [WARP_VACANT] = PROFILE_HAZARD + CLASS_CUSTOM0 };
    u32 class = warp->state == WARP_HAZARD ? warp->blamed : 0;
    if (isa_fetch(&u->program->text, warp->pc))
        profile_look(u->profile, warp_profiled(warp), subcore_index(u, warp->pc));
    profile_charge(u->profile, &warp->mark, reasons[warp->state] + class, span);
}

static void warp_charge(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    u64 span = now - warp->since;
    if (warp->state == WARP_HALTED || !span)
        return; /* subcore_report counts what is after the end */
    if (warp->state == WARP_HAZARD)
        u->s.hazard_by[warp->blamed] += span;
    else if (warp->state == WARP_BUSY)
        u->s.busy_by[warp->blamed] += span;
    else
        u->s.spent[warp->state] += span;
    if (u->profile)
        warp_profile(u, warp, span);
    warp->since = now;
}

void subcore_enter(struct subcore *u, struct subcore_warp *warp, enum subcore_state state,
                   cycle now)
{
    u64 bit = UINT64_C(1) << subcore_number(u, warp);
    if (state == WARP_READY && u->p.policy == SUBCORE_POLICY_two_level &&
        !two_level_admit(u, subcore_number(u, warp)))
        state = WARP_PENDING;
    warp_charge(u, warp, now);
    warp->state = (u8)state;
    u->timers &= ~bit;
    u->room &= ~bit;
    u->candidates = state == WARP_READY ? u->candidates | bit : u->candidates & ~bit;
}

void subcore_wait(struct subcore *u, struct subcore_warp *warp, enum subcore_state state, u8 blamed,
                  cycle due, cycle now)
{
    subcore_enter(u, warp, state, now);
    warp->blamed = blamed;
    warp->due = due;
    warp->asks = due == NEVER;
    if (due == NEVER)
        return;
    u->timers |= UINT64_C(1) << subcore_number(u, warp);
    u->timer_at = min_u64(u->timer_at, due);
}

void subcore_wait_answer(struct subcore *u, struct subcore_warp *warp, enum subcore_state state,
                         u8 blamed, cycle latest, cycle now)
{
    subcore_wait(u, warp, state, blamed, latest, now);
    two_level_leave(u, subcore_number(u, warp));
    warp->asks = true;
}

/* The instruction at `index` has issued; the warp may have begun to wait, or ended, with it. */
static void warp_issued(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now)
{
    warp_charge(u, warp, now);
    warp->since = now + 1;
    u->last = subcore_number(u, warp);
    u->s.active++;
    unit_progress(&u->base);
    if (!u->profile)
        return;
    const struct insn *insn = &u->program->text.insns[index];
    profile_row(u->profile, warp_profiled(warp), index)->cycles[PROFILE_ISSUED]++;
    if (insn->class == CLASS_JUMP)
        profile_jump(u->profile, warp_profiled(warp), insn, index,
                     (warp->pc - u->program->text.base) >> 1);
}

static u64 classes_sum(const u64 *counters)
{
    u64 sum = 0;
    for (u32 i = 0; i < CLASS_COUNT; i++)
        sum += counters[i];
    return sum;
}

static void subcore_report(struct unit *unit, cycle now)
{
    struct subcore *u = (struct subcore *)unit;
    now = unit_end(unit, now);
    u->s.halted = 0;
    for (u32 i = 0; u->program && i < u->p.warps; i++) {
        struct subcore_warp *warp = &u->warps[i];
        if (warp->since > now)
            continue;
        warp_charge(u, warp, now);
        if (warp->state == WARP_HALTED)
            u->s.halted += now - warp->since;
    }
    u->s.cycles = u->program ? u->p.warps * now : 0;
    u->s.issued = classes_sum(u->s.issued_by);
    u->s.executed = classes_sum(u->s.executed_by);
    u->s.masked = u->s.issued * u->width - u->s.executed;
    u->s.hazard = classes_sum(u->s.hazard_by);
    u->s.busy = classes_sum(u->s.busy_by);
}

/* ---- Choosing ---- */

/* All warps start together, so that the one with the smallest number is the oldest. */
static u32 subcore_choose(const struct subcore *u)
{
    u64 ready = u->candidates;
    switch ((enum subcore_policy)u->p.policy) {
    case SUBCORE_POLICY_round_robin:
    case SUBCORE_POLICY_two_level:
        return warps_after(ready, u->last);
    case SUBCORE_POLICY_greedy_oldest:
        return ready >> u->last & 1 ? u->last : warps_first(ready);
    case SUBCORE_POLICY_greedy_youngest:
        return ready >> u->last & 1 ? u->last : warps_last(ready);
    default:
        return warps_first(ready);
    }
}

static void subcore_offer_slot(struct subcore *u, cycle now)
{
    if (u->two_level.pending)
        two_level_promote(u, now);
    while (u->candidates) {
        struct subcore_warp *warp = &u->warps[subcore_choose(u)];
        enum quick quick = u->quick ? quick_issue(u, warp, now) : QUICK_NOT;
        if (quick == QUICK_ISSUED)
            return;
        u32 index = subcore_index(u, warp->pc);
        if (quick == QUICK_WAITS || !subcore_issue(u, warp, &index, now))
            continue;
        warp_issued(u, warp, index, now);
        if (u->fetches)
            front_issued(u, warp, index, now);
        return;
    }
}

/* ---- Waking ---- */

static void subcore_wake_timers(struct subcore *u, cycle now)
{
    cycle next = NEVER;
    for (u64 left = u->timers; left; left &= left - 1) {
        struct subcore_warp *warp = &u->warps[warps_first(left)];
        if (warp->due <= now)
            subcore_enter(u, warp, WARP_READY, now);
        else
            next = min_u64(next, warp->due);
    }
    u->timer_at = next;
}

static void subcore_wake_refused(struct subcore *u, cycle now)
{
    u->freed = false;
    for (u64 left = u->room; left; left &= left - 1)
        subcore_enter(u, &u->warps[warps_first(left)], WARP_READY, now);
}

static cycle subcore_next_send(const struct subcore *u, cycle now)
{
    if (u->pipe.staged)
        return pipe_next(u, now);
    return u->queued && !u->refused ? now + 1 : NEVER;
}

static cycle subcore_tick(struct unit *unit, cycle now)
{
    struct subcore *u = (struct subcore *)unit;
    if (ports_any(&u->w.units))
        subcore_take_answers(u, now);
    if (u->pipe.staged)
        pipe_tick(u, now);
    else if (u->queued)
        subcore_send(u, now);
    if (u->timer_at <= now)
        subcore_wake_timers(u, now);
    if (u->room && u->freed && subcore_has_room(u))
        subcore_wake_refused(u, now);
    if (u->fetches)
        front_tick(u, now);
    subcore_offer_slot(u, now);
    if (u->candidates || subcore_next_send(u, now) == now + 1 || two_level_has_room(u))
        return now + 1;
    cycle next = max_u64(min_u64(u->timer_at, subcore_next_send(u, now)), now + 1);
    return u->fetches ? min_u64(next, front_next(u, now)) : next;
}

/* ---- Starting, ending and failing ---- */

void subcore_end(struct subcore *u, struct subcore_warp *warp, u64 lanes, cycle now)
{
    unit_release(&u->base, (u32)__builtin_popcountll(lanes & warp->live));
    warp_end(warp, lanes, u->p.patience, now);
    if (warp->live)
        return;
    subcore_enter(u, warp, WARP_HALTED, now);
    two_level_leave(u, subcore_number(u, warp));
}

void subcore_fail(struct subcore *u, struct subcore_warp *warp, u32 lane,
                  enum program_fault_kind kind, u64 pc, u64 address, cycle now)
{
    u32 thread = subcore_number(u, warp) * u->width + lane;
    program_fail(&u->output, &u->base, (struct program_fault){ now, pc, address, thread, kind });
    subcore_end(u, warp, UINT64_C(1) << lane, now);
    warp->lanes.pc[lane] = pc; /* where it is looked at */
}

static bool warp_alloc(struct subcore *u, struct subcore_warp *warp, struct ogv_error *error)
{
    u64 width = u->width, registers = REGISTER_NONE + 1;
    struct unit *unit = &u->base;
    warp->lanes.width = u->width;
    warp->requests = NOBODY;
    return (warp->lanes.r = unit_alloc(unit, registers * width, sizeof(u64), error)) &&
           (warp->lanes.pc = unit_alloc(unit, width, sizeof(u64), error)) &&
           (warp->lanes.fcsr = unit_alloc(unit, width, sizeof(u32), error)) &&
           (warp->ready = unit_alloc(unit, registers, sizeof(cycle), error)) &&
           (warp->waits = unit_alloc_aside(unit, width, sizeof(cycle), error)) &&
           (warp->left_at = unit_alloc_aside(unit, width, sizeof(u64), error)) &&
           (warp->behind = unit_alloc_aside(unit, width, sizeof(u64), error)) &&
           (warp->reservation = unit_alloc_aside(unit, width, sizeof(u64), error)) &&
           (warp->stamp = unit_alloc_aside(unit, width, sizeof(u64), error)) &&
           (u->p.reconvergence != RECONVERGENCE_stack ||
            (warp->stack.ways =
                 unit_alloc_aside(unit, 2 * width, sizeof *warp->stack.ways, error))) &&
           (u->p.reconvergence != RECONVERGENCE_order ||
            (warp->order.calls = unit_alloc_aside(unit, width, sizeof(u64), error)));
}

static bool requests_alloc(struct subcore *u, struct ogv_error *error)
{
    u64 requests = u->p.requests + 2 * u->p.warps; /* as many as subcore_has_room allows */
    u64 places = power_of_two_above(u->p.queue);
    if (u->p.dependences == DEPENDENCES_scoreboard_raw &&
        !(u->kept = unit_alloc_aside(&u->base, requests * u->width, sizeof *u->kept, error)))
        return false;
    u->requests = unit_alloc(&u->base, requests, sizeof *u->requests, error);
    u->queue = u->requests ? unit_alloc(&u->base, places, sizeof *u->queue, error) : NULL;
    if (!u->queue)
        return false;
    u->queue_mask = (u32)places - 1;
    for (u32 i = 0; i < requests; i++)
        u->requests[i].next = i + 1 < requests ? i + 1 : NOBODY;
    return true;
}

static bool subcore_init(struct unit *unit, struct ogv_error *error)
{
    struct subcore *u = (struct subcore *)unit;
    if (!is_power_of_two(u->p.width))
        return unit_refuse(error, "width must be a power of two, not %llu",
                           (unsigned long long)u->p.width);
    if (u->w.units.count > PORT_NONE)
        return unit_refuse(error, "has %u links; at most %d are possible", u->w.units.count,
                           PORT_NONE);
    if (u->p.dependences == DEPENDENCES_control && u->p.operands == OPERANDS_collectors)
        return unit_refuse(error, "dependences: control needs latencies that are fixed, which they "
                                  "are not with operands: collectors");
    u->conflicts = u->p.dependences == DEPENDENCES_control || u->p.operands != OPERANDS_at_once ||
                   u->p.result_bus != RESULTS_free;
    u->width = (u32)u->p.width;
    if (!(u->warps = unit_alloc(unit, u->p.warps, sizeof *u->warps, error)) ||
        !(u->stacks = unit_alloc_aside(unit, u->p.warps * u->width, u->p.stack, error)) ||
        !program_output_init(&u->output, unit, error) || !requests_alloc(u, error))
        return false;
    for (u32 i = 0; i < u->p.warps; i++)
        if (!warp_alloc(u, &u->warps[i], error))
            return false;
    return executors_read(&u->executors, unit, &u->w.units, u->p.execute, error) &&
           pipes_read(&u->pipes, u->p.interval, u->p.lanes, u->p.pipe_as, u->width, error) &&
           results_init(u, error) && pipe_init(u, error) && front_init(u, error);
}

static void lane_start(struct subcore *u, struct subcore_warp *warp, u32 lane, u32 number)
{
    struct hart hart;
    program_enter(u->program, &hart, number, STACK_WINDOW + u->p.stack);
    program_enter_warp(&hart, u->width, lane);
    for (u32 i = 0; i < REGISTER_NONE; i++)
        lanes_register(&warp->lanes, i)[lane] = hart.r[i];
    warp->lanes.pc[lane] = hart.pc;
    warp->lanes.fcsr[lane] = hart.fcsr;
    warp->reservation[lane] = hart.reservation;
}

static void subcore_start(struct unit *unit, const struct chip_program *program, u32 first_hart,
                          struct hart_profile *profile)
{
    struct subcore *u = (struct subcore *)unit;
    u->program = program;
    u->profile = profile;
    u->first_hart = first_hart;
    u->last = u->two_level.last = (u32)u->p.warps - 1;
    u->timer_at = NEVER;
    u->quick = quick_kinds(u);
    if (u->p.dependences == DEPENDENCES_control)
        control_make(u);
    for (u32 i = 0; i < u->p.warps; i++) {
        struct subcore_warp *warp = &u->warps[i];
        for (u32 lane = 0; lane < u->width; lane++)
            lane_start(u, warp, lane, first_hart + i * u->width + lane);
        warp_begin(warp, program);
        subcore_enter(u, warp, WARP_READY, 0);
        if (profile)
            profile_start(profile, warp_profiled(warp), subcore_index(u, program->entry));
    }
    if (u->fetches)
        front_start(u);
    unit_hold(unit, (u32)u->p.warps * u->width);
}

static const struct program_output *subcore_output(const struct unit *unit)
{
    return &((const struct subcore *)unit)->output;
}

static bool subcore_hart(const struct unit *unit, u32 thread, struct hart *hart)
{
    const struct subcore *u = (const struct subcore *)unit;
    const struct subcore_warp *warp = &u->warps[thread / u->width];
    u32 lane = thread % u->width;
    bool in_group = warp->group >> lane & 1;
    *hart = (struct hart){ .pc = in_group ? warp->pc : warp->lanes.pc[lane],
                           .fcsr = warp->lanes.fcsr[lane],
                           .reservation = warp->reservation[lane],
                           .stamp = warp->stamp[lane] };
    for (u32 i = 0; i < REGISTER_NONE; i++)
        hart->r[i] = lanes_register(&warp->lanes, i)[lane];
    return warp->live >> lane & 1;
}

static const struct program_role subcore_role = { .start = subcore_start,
                                                  .output = subcore_output,
                                                  .hart = subcore_hart,
                                                  .instructions = "executed",
                                                  .halted = "halted",
                                                  .warps = true,
                                                  .stack = "stack",
                                                  .execute = "execute",
                                                  .debug = &subcore_debug };

static u64 subcore_harts(const struct unit *unit)
{
    const struct subcore *u = (const struct subcore *)unit;
    return u->p.warps * u->p.width;
}

static void subcore_attend(struct unit *unit)
{
    program_output_attend(&((struct subcore *)unit)->output, unit);
}

static struct link *subcore_toward(struct unit *unit, u64 *address)
{
    struct subcore *u = (struct subcore *)unit;
    (void)address;
    return u->executors.memory == PORT_NONE ? NULL : u->w.units.at[u->executors.memory].out;
}

UNIT_TYPE(subcore, SUBCORE, "sub-core of a SIMT machine: warps of RISC-V threads",
          .init = subcore_init, .tick = subcore_tick, .report = subcore_report,
          .attend = subcore_attend, .harts = subcore_harts, .toward = subcore_toward,
          .programs = &subcore_role, .resources = subcore_resource_rows,
          .accounts = subcore_account_rows, .awaits = subcore_awaits,
          .figures = subcore_figure_rows, .energy = subcore_energy_rows, .costs = subcore_costs,
          .area_help = "registers and local store of each thread, an eighth of an instruction "
                       "cache or the L0, and pipelines of each lane; SimTRaX, 65 nm")
