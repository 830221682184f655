/* issue.c - issuing one instruction for the group of a warp: whatever its class asks for, once
 * those before it, its pipeline, its operands and the place for its result allow.
 *
 * What executes in the sub-core is done at once for all threads; its result counts as written after
 * the class's latency. What cannot be done for all threads of a group in the same way (some access
 * private memory, some do not; a call to the host) is done for the first of them, and the others
 * follow: they have come apart, and meet again behind it. */
#include "ogive/memory.h"
#include "unit/parts/private.h"
#include "unit/subcore/subcore.h"

/* ---- Going on ---- */

/* The instruction has issued for the group as it is now. */
static void group_count(struct subcore *u, struct subcore_warp *warp, const struct insn *insn)
{
    u->s.issued_by[insn->class]++;
    u->s.executed_by[insn->class] += warp->threads;
    u->s.split += warp->group != warp->live;
    warp->issued++;
}

/* The pc where all ways from here meet; 0: nowhere in this function. */
static u64 ways_meet(const struct subcore *u, u64 pc)
{
    if (u->p.reconvergence != RECONVERGENCE_stack)
        return 0;
    u32 index = u->program->meets[subcore_index(u, pc)];
    return index == ISA_MEETS_NOWHERE ? 0 : u->program->text.base + 2 * (u64)index;
}

/* The instruction has issued; a branch or jump has left a pc for each thread. */
static bool group_go_on(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        cycle now)
{
    group_count(u, warp, insn);
    if (class_moves(insn->class))
        warp_branch(warp, insn, ways_meet(u, warp->pc), u->p.patience, now);
    else
        warp_step(warp, insn, u->p.patience, now);
    return true;
}

static void group_first(struct subcore_warp *warp, cycle now)
{
    warp_narrow(warp, warp->group & -warp->group, now);
}

/* No thread can go on from here. */
static bool group_fail(struct subcore *u, struct subcore_warp *warp, enum program_fault_kind kind,
                       u64 address, cycle now)
{
    subcore_fail(u, warp, (u32)__builtin_ctzll(warp->group), kind, warp->pc, address, now);
    return false;
}

static bool room_wait(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                      cycle now)
{
    subcore_wait(u, warp, u->pipe.staged ? WARP_PIPE : WARP_BUSY, insn->class, NEVER, now);
    u->room |= UINT64_C(1) << subcore_number(u, warp);
    return false;
}

bool fence_wait(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    if (!warp_park(warp, u->p.patience, now))
        subcore_wait_answer(u, warp, WARP_FENCE, CLASS_FENCE,
                            warp_patience_ends(warp, u->p.patience), now);
    return false;
}

/* ---- Private memory ---- */

static bool in_window(u64 address, u64 window)
{
    return address - window < WINDOW_BYTES;
}

/* Stacks grow downwards: what lies a little below the window was meant for it. */
#define STACK_OVERRUN (16 * MiB)

static bool is_private(u64 address)
{
    return in_window(address, STACK_WINDOW - STACK_OVERRUN);
}

static void private_access(struct subcore *u, struct subcore_warp *warp, u32 lane,
                           const struct insn *insn, const struct isa_access *access, u8 *bytes)
{
    struct private_done done = private_do(&warp->reservation[lane], access, bytes);
    struct hart hart;
    u->s.stores_private += done.writes;
    u->s.loads_private += done.reads;
    if (!done.reads)
        return;
    isa_finish(&hart, insn, done.raw);
    lanes_register(&warp->lanes, insn->rd)[lane] = hart.r[insn->rd];
}

static struct isa_access access_of(const struct subcore_warp *warp, u32 lane,
                                   const struct insn *insn)
{
    struct hart hart;
    hart.r[insn->rs1] = lanes_register(&warp->lanes, insn->rs1)[lane];
    hart.r[insn->rs2] = lanes_register(&warp->lanes, insn->rs2)[lane];
    return isa_access(&hart, insn);
}

static bool private_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                          cycle now)
{
    u32 number = subcore_number(u, warp);
    for (u64 left = warp->group; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        struct isa_access access = access_of(warp, lane, insn);
        u64 offset = access.address - STACK_WINDOW, place = number * u->width + lane;
        if (offset >= u->p.stack || access.size_bytes > u->p.stack - offset) {
            subcore_fail(u, warp, lane, FAULT_STACK, warp->pc, access.address, now);
            return false;
        }
        private_access(u, warp, lane, insn, &access, u->stacks + place * u->p.stack + offset);
    }
    cycle ready = max_u64(now, u->operands.read) + u->p.stack_latency;
    if (u->conflicts)
        ready = results_squeeze(u, warp, insn, ready);
    if (ready > now + 1)
        dependences_delay(u, warp, insn, ready);
    return group_go_on(u, warp, insn, now);
}

/* ---- Memory ---- */

enum place { PLACE_PRIVATE, PLACE_SCRATCH, PLACE_CONSTANT, PLACE_MEMORY, PLACE_BROKEN };

static enum place place_of(const struct isa_access *access)
{
    if (access->amo && access->misaligned)
        return PLACE_BROKEN;
    if (is_private(access->address))
        return PLACE_PRIVATE;
    if (access->address % MEMORY_SECTOR + access->size_bytes > MEMORY_SECTOR)
        return PLACE_BROKEN;
    return in_window(access->address, SCRATCH_WINDOW) ? PLACE_SCRATCH : PLACE_MEMORY;
}

/* Those threads of the group whose accesses go to the same place as the first one's. */
static u64 lanes_of_place(const struct subcore_warp *warp, const struct insn *insn,
                          enum place *place)
{
    u64 same = 0;
    struct isa_access first = access_of(warp, (u32)__builtin_ctzll(warp->group), insn);
    *place = place_of(&first);
    for (u64 left = warp->group; left; left &= left - 1) {
        struct isa_access access = access_of(warp, (u32)__builtin_ctzll(left), insn);
        if (place_of(&access) == *place)
            same |= left & -left;
    }
    return same;
}

/* Of threads that load from memory, those that load constants, or those that do not: whichever the
 * first one does. */
static u64 lanes_of_constants(const struct subcore *u, const struct subcore_warp *warp,
                              const struct insn *insn, u64 lanes, enum place *place)
{
    const struct chip_program *program = u->program;
    u64 constant = 0;
    for (u64 left = lanes; left; left &= left - 1) {
        u64 address = access_of(warp, (u32)__builtin_ctzll(left), insn).address;
        if (address - program->constants < program->constant_bytes)
            constant |= left & -left;
    }
    bool first = constant & lanes & -lanes;
    *place = first ? PLACE_CONSTANT : PLACE_MEMORY;
    return first ? constant : lanes & ~constant;
}

static u32 place_port(const struct subcore *u, enum place place, const struct insn *insn)
{
    if (place == PLACE_SCRATCH)
        return u->executors.scratch;
    return place == PLACE_CONSTANT ? u->executors.constant : u->executors.classes[insn->class].port;
}

/* A thread has one reservation, and its next store-conditional ends it. */
static void reservation_note(struct subcore_warp *warp, u32 lane, const struct isa_access *access)
{
    bool held = warp->reservation[lane] == access->address;
    if (access->amo == AMO_LR) {
        warp->reservation[lane] = access->address;
    } else if (access->amo == AMO_SC) {
        warp->reservation[lane] = NEVER;
        warp->stamp[lane] = held ? warp->stamp[lane] : 0;
    }
}

static void access_make(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        u32 index, u32 port, u64 window, cycle now)
{
    struct subcore_request *request = request_make(u, warp, insn, index, port);
    for (u64 left = warp->group; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        struct isa_access access = access_of(warp, lane, insn);
        if (access.amo > AMO_SC && u->p.atomics_together) {
            request_add_atomic(request, lane, access.address - window, access.size_bytes);
        } else if (access.amo) {
            reservation_note(warp, lane, &access);
            request_add_lane(request, lane, access.address - window);
        } else {
            request_add_sector(request, lane, access.address - window);
        }
    }
    request_ready(u, warp, request, now);
}

/* What the stamp of a store-conditional follows from must have been answered. */
static bool stamps_are_known(const struct subcore *u, const struct subcore_warp *warp,
                             const struct insn *insn)
{
    return isa_access_kinds[insn->op].amo != AMO_SC || !requests_hold(u, warp).writes;
}

static bool memory_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                         u32 index, cycle now)
{
    enum place place;
    u64 lanes = lanes_of_place(warp, insn, &place);
    if (u->executors.constant != PORT_NONE && place == PLACE_MEMORY && insn->class == CLASS_LOAD)
        lanes = lanes_of_constants(u, warp, insn, lanes, &place);
    u32 port = place_port(u, place, insn);
    if (lanes != warp->group)
        warp_narrow(warp, lanes, now);
    if (place == PLACE_PRIVATE)
        return private_issue(u, warp, insn, now);
    u64 address = access_of(warp, (u32)__builtin_ctzll(lanes), insn).address;
    if (place == PLACE_BROKEN || port == PORT_NONE)
        return group_fail(u, warp, place == PLACE_BROKEN ? FAULT_MISALIGNED : FAULT_NO_UNIT,
                          address, now);
    if (!stamps_are_known(u, warp, insn))
        return fence_wait(u, warp, now);
    if (!subcore_has_room(u))
        return room_wait(u, warp, insn, now);
    access_make(u, warp, insn, index, port, place == PLACE_SCRATCH ? SCRATCH_WINDOW : 0, now);
    return group_go_on(u, warp, insn, now);
}

/* A message for each thread, or one for all. */
static bool message_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                          u32 index, u32 port, bool each, cycle now)
{
    if (port == PORT_NONE)
        return group_fail(u, warp, FAULT_NO_UNIT, 0, now);
    if (!subcore_has_room(u))
        return room_wait(u, warp, insn, now);
    struct subcore_request *request = request_make(u, warp, insn, index, port);
    if (insn->op == OP_custom && insn_is_whole(insn))
        whole_add(request, insn);
    else
        for (u64 left = warp->group; left; left = each ? left & (left - 1) : 0)
            request_add_lane(request, (u32)__builtin_ctzll(left), 0);
    request_ready(u, warp, request, now);
    return group_go_on(u, warp, insn, now);
}

/* Waits for the threads' own accesses, then for the cache to let go of what it holds. */
static bool fence_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        u32 index, cycle now)
{
    u64 lanes = warp->group;
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next)
        if (u->requests[i].lanes & lanes)
            return fence_wait(u, warp, now);
    if (u->executors.memory == PORT_NONE)
        return group_go_on(u, warp, insn, now);
    if (!message_issue(u, warp, insn, index, u->executors.memory, false, now))
        return false;
    warp->fenced |= lanes;
    return true;
}

/* ---- The host, and standing back ---- */

static bool call_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                       cycle now)
{
    static const u8 seen[] = { REGISTER_A0, REGISTER_A0 + 1, REGISTER_A0 + 2, REGISTER_A7 };
    struct hart hart = { .pc = warp->pc };
    group_first(warp, now);
    u32 lane = (u32)__builtin_ctzll(warp->group);
    for (u32 i = 0; i < sizeof seen; i++)
        hart.r[seen[i]] = lanes_register(&warp->lanes, seen[i])[lane];
    switch (program_call(&u->output, &u->base, u->program, &hart)) {
    case PROGRAM_ENDS:
        group_count(u, warp, insn);
        subcore_end(u, warp, warp->group, now);
        return true;
    case PROGRAM_FAILS:
        return group_fail(u, warp, FAULT_CALL, hart.x[REGISTER_A7], now);
    default:
        lanes_register(&warp->lanes, REGISTER_A0)[lane] = hart.x[REGISTER_A0];
        return group_go_on(u, warp, insn, now);
    }
}

/* Others of the warp go on, or the warp does nothing for a while. */
static bool pause_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        cycle now)
{
    bool alone = warp->group == warp->live;
    group_count(u, warp, insn);
    warp_yield(warp, insn, now);
    if (!alone)
        return true;
    subcore_wait(u, warp, WARP_HAZARD, CLASS_FENCE, now + u->p.pause, now);
    two_level_leave(u, subcore_number(u, warp));
    return true;
}

/* ---- Issuing ---- */

/* Each thread has executed other instructions. */
static enum isa_outcome csr_execute_lanes(struct subcore_warp *warp, const struct insn *insn,
                                          cycle now)
{
    enum isa_outcome outcome = ISA_NEXT;
    for (u64 left = warp->group; left && outcome == ISA_NEXT; left &= left - 1) {
        u64 executed = warp_executed(warp, (u32)__builtin_ctzll(left));
        struct isa_environment environment = { isa_shared(), now, now, executed };
        outcome = isa_execute_lanes(&warp->lanes, left & -left, warp->pc, insn, &environment);
    }
    return outcome;
}

static bool computed_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                           struct executor executor, cycle now)
{
    cycle ready = max_u64(now, u->operands.read) + executor.latency;
    group_go_on(u, warp, insn, now);
    if (u->conflicts)
        results_take(u, warp, insn, ready);
    if (ready == now + 1)
        return true;
    dependences_delay(u, warp, insn, ready);
    if (class_moves(insn->class)) /* where it goes on is not known before */
        subcore_wait(u, warp, WARP_HAZARD, insn->class, ready, now);
    return true;
}

static enum isa_outcome plain_execute(struct subcore_warp *warp, const struct insn *insn, cycle now)
{
    struct isa_environment environment = { isa_shared(), now, now, 0 };
    if (insn->class == CLASS_CSR)
        return csr_execute_lanes(warp, insn, now);
    if (insn->op == OP_custom && whole_is_told(warp))
        return ISA_NEXT;
    return isa_execute_lanes(&warp->lanes, warp->group, warp->pc, insn, &environment);
}

static bool plain_issue(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        u32 index, cycle now)
{
    struct executor executor = subcore_executor(u, insn);
    if (executor.port != PORT_NONE && request_join(u, warp, index, now))
        return group_go_on(u, warp, insn, now);
    if (executor.port != PORT_NONE && !subcore_has_room_for(u, insn))
        return room_wait(u, warp, insn, now);
    if (insn->op == OP_custom && insn_is_whole(insn) && whole_waits(u, warp, insn, now))
        return false;
    switch (plain_execute(warp, insn, now)) {
    case ISA_NEXT:
        break;
    case ISA_FENCE:
    case ISA_FENCE_I:
        return fence_issue(u, warp, insn, index, now);
    case ISA_PAUSE:
        return pause_issue(u, warp, insn, now);
    case ISA_MESSAGE:
        return message_issue(u, warp, insn, index, executor.port, true, now);
    case ISA_ECALL:
        return call_issue(u, warp, insn, now);
    case ISA_EBREAK:
        return group_fail(u, warp, FAULT_BREAK, 0, now);
    default:
        return group_fail(u, warp, FAULT_ILLEGAL, 0, now);
    }
    if (executor.port == PORT_NONE)
        return computed_issue(u, warp, insn, executor, now);
    return message_issue(u, warp, insn, index, executor.port, false, now);
}

/* The next instruction of the first group that need not wait; NULL: the warp waits. */
static const struct insn *insn_next(struct subcore *u, struct subcore_warp *warp, u32 *index,
                                    cycle now)
{
    for (;;) {
        const struct insn *insn = isa_fetch(&u->program->text, warp->pc);
        if (!insn) {
            group_fail(u, warp, FAULT_FETCH, warp->pc, now);
            return NULL;
        }
        *index = subcore_index(u, warp->pc);
        if (u->fetches && !front_has(u, warp, now))
            return NULL;
        if (warp->fenced & warp->group) {
            fence_wait(u, warp, now);
            return NULL;
        }
        if (dependences_none(u, warp, insn, *index))
            return insn;
        switch (dependences_look(u, warp, insn, *index, now)) {
        case DEPENDENCE_NONE:
            return insn;
        case DEPENDENCE_WAITS:
            return NULL;
        case DEPENDENCE_OTHERS:
            break;
        }
    }
}

/* Whether the operands can be read and the result be written; else the warp waits. */
static bool registers_allow(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                            cycle now)
{
    cycle again;
    if (u->p.operands != OPERANDS_at_once && !operands_fit(u, warp, insn, &again, now)) {
        subcore_wait(u, warp, WARP_OPERANDS, insn->class, again, now);
        return false;
    }
    struct executor executor = subcore_executor(u, insn);
    if (executor.port != PORT_NONE)
        return true;
    cycle ready = max_u64(now, u->operands.read) + executor.latency;
    cycle place = results_find(u, warp, insn, ready);
    if (place > ready)
        subcore_wait(u, warp, WARP_RESULT, insn->class, now + (place - ready), now);
    return place == ready;
}

/* What an instruction that has issued leaves behind for the next ones. */
static void insn_issued(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        u32 index, cycle now)
{
    if (u->p.operands != OPERANDS_at_once)
        operands_take(u, warp, insn, now);
    if (u->control)
        control_issued(u, warp, index, now);
}

/* A branch over a few instructions that go on one after the other. */
static bool insn_skips(const struct subcore *u, const struct insn *insn, u32 index)
{
    const struct isa_program *text = &u->program->text;
    if (insn->class != CLASS_BRANCH || insn->immediate <= 0)
        return false;
    u32 at = index + insn->length / 2u, end = index + (u32)insn->immediate / 2;
    for (u64 left = u->p.predicated; at < end && left && end < text->count; left--) {
        if (class_moves(text->insns[at].class))
            return false;
        at += text->insns[at].length / 2u;
    }
    return at == end;
}

/* Whether threads parted at such a branch, or met behind one. */
static bool group_skips(const struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                        u32 index)
{
    u64 meets = warp->skips;
    warp->skips = 0;
    if (insn_skips(u, insn, index)) {
        warp->skips = u->program->text.base + 2 * (u64)index + (u64)insn->immediate;
        return true;
    }
    return warp->pc == meets;
}

/* The threads have parted, or met others: the warp goes on later. */
static void group_changed(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    bool waits = warp->state == WARP_HAZARD && warp->due != NEVER;
    if (waits || warp->state == WARP_READY)
        subcore_wait(u, warp, WARP_HAZARD, CLASS_BRANCH,
                     (waits ? warp->due : now + 1) + u->p.regroup, now);
}

bool subcore_issue(struct subcore *u, struct subcore_warp *warp, u32 *issued, cycle now)
{
    const struct insn *insn = insn_next(u, warp, issued, now);
    u32 index = *issued;
    if (!insn)
        return false;
    u64 group = warp->group;
    cycle free_at = pipes_free_at(&u->pipes, insn, now);
    if (free_at > now) {
        subcore_wait(u, warp, WARP_BUSY, insn->class, free_at, now);
        return false;
    }
    if (u->conflicts && !registers_allow(u, warp, insn, now))
        return false;
    bool issues = class_is_memory(insn->class) ? memory_issue(u, warp, insn, index, now)
                                               : plain_issue(u, warp, insn, index, now);
    if (!issues)
        return false;
    pipes_take(&u->pipes, insn, now);
    if (u->conflicts)
        insn_issued(u, warp, insn, index, now);
    if (u->p.regroup && warp->group != group && !group_skips(u, warp, insn, index))
        group_changed(u, warp, now);
    return true;
}
