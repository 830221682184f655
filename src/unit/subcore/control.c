/* control.c - control information for the instructions of a program, and issuing by it.
 *
 * As a compiler would, a sweep over the text lays out one run of instructions after the other in
 * time, a run ending with a branch, jump or call to the host. An instruction issues as soon as all
 * of its operands of fixed latency are there, and the stall count of the one before it says so. A
 * branch stalls until all of them are: behind it nothing of fixed latency is under way.
 *
 * What has no fixed latency, or more than a stall count holds, raises a counter. That of a result
 * is given by the register's number, so that whoever touches the register knows it, in whichever
 * run that is; all that is read late shares the last counter. Where runs join, any register may
 * have its counter raised, and one that is touched there is waited for; elsewhere only if an
 * instruction of the run has raised it. Before an indirect jump all counters are waited for, since
 * it may go anywhere; and before any branch those of results that are blocks of registers.
 *
 * Always true: an instruction never issues before the scoreboard would let it. */
#include <string.h>

#include "base/error.h"
#include "unit/parts/class_accounts.h"
#include "unit/subcore/dependences.h"
#include "unit/subcore/subcore.h"

#define COUNTER_READS   (CONTROL_COUNTERS - 1)
#define COUNTERS_WRITES (CONTROL_COUNTERS - 1)
#define RAISED_AFTER    2 /* cycles: a counter is raised in the cycle behind the issue */

static u32 counter_of(u32 number)
{
    return number % COUNTERS_WRITES;
}

/* ---- What an instruction is ---- */

static bool insn_moves(const struct insn *insn)
{
    return insn->class == CLASS_BRANCH || insn->class == CLASS_JUMP;
}

/* Behind it anything may come. */
static bool insn_drains(const struct insn *insn)
{
    return insn->op == OP_jalr || insn->class == CLASS_SYSTEM || insn->class == CLASS_ILLEGAL;
}

static bool insn_is_sent(const struct subcore *u, const struct insn *insn)
{
    return IS_MEMORY(insn->class) || subcore_executor(u, insn).port != PORT_NONE ||
           (insn->op == OP_custom && !isa_custom(isa_shared(), insn)->execute);
}

static bool insn_is_timed(const struct subcore *u, const struct insn *insn)
{
    return !insn_is_sent(u, insn) && subcore_executor(u, insn).latency <= CONTROL_STALL_MAX;
}

/* Registers that are read when it is sent. */
static u64 insn_reads_late(const struct subcore *u, const struct insn *insn)
{
    return insn_is_sent(u, insn) && insn->class != CLASS_LOAD ? isa_reads(insn) : 0;
}

/* On its own, as if all before and behind were unknown. */
static struct control control_alone(const struct subcore *u, const struct insn *insn)
{
    bool timed = insn_is_timed(u, insn), raises = !timed && insn->rd != REGISTER_NONE;
    u16 latency = subcore_executor(u, insn).latency;
    return (struct control){
        .stall = timed ? (u8)latency : RAISED_AFTER,
        .blamed = insn->class,
        .waits = CONTROL_ALL,
        .write = (raises ? counter_of(insn->rd) : CONTROL_NONE) & 7,
        .read = (insn_reads_late(u, insn) ? COUNTER_READS : CONTROL_NONE) & 7,
    };
}

/* ---- A run ---- */

struct run {
    struct control *before; /* the instruction before; NULL: the next is the first */
    cycle at;               /* when that one issues, counted from the first */
    u64 writing;            /* registers whose results may have raised a counter, */
    u64 reading;            /* and those that may yet be read */
    u32 blocks;             /* counters raised by results that are blocks */
    u8 counter[REGISTER_NONE];
    cycle ready[REGISTER_NONE], raised[CONTROL_COUNTERS];
    u8 producer[REGISTER_NONE], raiser[CONTROL_COUNTERS];
};

static void run_begin(struct run *run)
{
    *run = (struct run){ .writing = ~UINT64_C(0), .reading = ~UINT64_C(0) };
    for (u32 i = 0; i < REGISTER_NONE; i++)
        run->counter[i] = (u8)counter_of(i);
}

/* The counters that an instruction has to wait for. */
static u32 run_waits(const struct run *run, const struct insn *insn)
{
    u64 writes = isa_writes(insn), touches = writes | isa_reads(insn);
    u32 waits = writes & run->reading ? 1u << COUNTER_READS : 0;
    for (u64 left = touches & run->writing; left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        waits |= 1u << run->counter[number] | 1u << counter_of(number);
    }
    if (insn_drains(insn))
        return CONTROL_ALL;
    return waits | (insn_moves(insn) ? run->blocks : 0);
}

/* They are zero. */
static void run_waited(struct run *run, u32 waits)
{
    if (waits >> COUNTER_READS & 1)
        run->reading = 0;
    for (u64 left = waits ? run->writing : 0; left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        u32 needed = 1u << run->counter[number] | 1u << counter_of(number);
        if ((waits & needed) != needed)
            continue;
        run->writing &= ~(UINT64_C(1) << number);
        run->counter[number] = (u8)counter_of(number);
    }
    run->blocks &= ~waits;
}

struct run_place {
    cycle at;
    u8 blamed;
};

static void place_behind(struct run_place *place, cycle at, u8 class)
{
    if (at > place->at)
        *place = (struct run_place){ at, class };
}

/* When the next instruction can issue, and because of what not before. */
static struct run_place run_next(const struct run *run, u64 touches, u32 waits)
{
    struct run_place place = { run->before ? run->at + 1 : 0, CLASS_ILLEGAL };
    for (u64 left = touches; left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        place_behind(&place, run->ready[number], run->producer[number]);
    }
    for (u32 left = waits; left; left &= left - 1) {
        u32 counter = (u32)__builtin_ctz(left);
        place_behind(&place, run->raised[counter], run->raiser[counter]);
    }
    return place;
}

static void run_stall(struct run *run, struct run_place next)
{
    if (!run->before)
        return;
    run->before->stall = (u8)(next.at - run->at);
    run->before->blamed = next.blamed;
}

static void run_raise(struct run *run, u32 counter, const struct insn *insn)
{
    run->raised[counter & 7] = run->at + RAISED_AFTER;
    run->raiser[counter & 7] = insn->class;
}

/* What it leaves under way. */
static void run_leave(const struct subcore *u, struct run *run, const struct insn *insn)
{
    u64 writes = isa_writes(insn);
    for (u64 left = writes; left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        bool timed = run->before->write == CONTROL_NONE;
        run->ready[number] = timed ? run->at + subcore_executor(u, insn).latency : 0;
        run->producer[number] = insn->class;
        run->counter[number] = timed ? run->counter[number] : run->before->write;
    }
    if (run->before->write != CONTROL_NONE) {
        run->writing |= writes;
        run->blocks |= insn->rd_count > 1 ? 1u << run->before->write : 0;
        run_raise(run, run->before->write, insn);
    }
    if (run->before->read != CONTROL_NONE) {
        run->reading |= insn_reads_late(u, insn);
        run_raise(run, COUNTER_READS, insn);
    }
}

static void run_add(const struct subcore *u, struct run *run, struct control *control,
                    const struct insn *insn)
{
    u64 touches = isa_writes(insn) | isa_reads(insn);
    if (control->leads)
        run->writing = run->reading = ~UINT64_C(0);
    control->waits = run_waits(run, insn) & CONTROL_ALL;
    struct run_place place =
        run_next(run, insn_drains(insn) ? ~UINT64_C(0) : touches, control->waits);
    run_waited(run, control->waits);
    run_stall(run, place);
    run->before = control;
    run->at = place.at;
    run_leave(u, run, insn);
    if (!insn_moves(insn) && !insn_drains(insn))
        return;
    run_stall(run, run_next(run, ~UINT64_C(0), 0));
    run_begin(run);
}

/* ---- A program ---- */

static void leaders_mark(struct control *controls, const struct isa_program *text)
{
    for (u64 i = 0; i < text->count; i += text->insns[i].length / 2) {
        const struct insn *insn = &text->insns[i];
        u64 target = i + (u64)(int64_t)(insn->immediate / 2);
        if (insn_moves(insn) && insn->op != OP_jalr && target < text->count)
            controls[target].leads = 1;
    }
}

static void controls_fill(const struct subcore *u, struct control *controls)
{
    const struct isa_program *text = &u->program->text;
    struct run run;
    for (u64 i = 0; i < text->count; i++)
        controls[i] = control_alone(u, &text->insns[i]);
    leaders_mark(controls, text);
    run_begin(&run);
    for (u64 i = 0; i < text->count; i += text->insns[i].length / 2)
        run_add(u, &run, &controls[i], &text->insns[i]);
}

/* Another sub-core of the SM that runs the same program with the same latencies. */
static const struct subcore *subcore_alike(const struct subcore *u)
{
    const struct domain *domain = u->base.domain;
    u64 customs = isa_custom_count(isa_shared()) * sizeof *u->executors.customs;
    for (u32 i = 0; domain->rosters && i < domain->unit_count; i++) {
        const struct subcore *other = (const struct subcore *)domain_unit(domain, i);
        if (other->base.type != u->base.type || other->program != u->program || !other->control)
            continue;
        if (!memcmp(other->executors.classes, u->executors.classes, sizeof u->executors.classes) &&
            !memcmp(other->executors.customs, u->executors.customs, customs))
            return other;
    }
    return NULL;
}

void control_make(struct subcore *u)
{
    const struct subcore *alike = subcore_alike(u);
    struct ogv_error error;
    if (alike) {
        u->control = alike->control;
        return;
    }
    struct control *controls =
        unit_alloc_aside(&u->base, u->program->text.count, sizeof *controls, &error);
    if (!controls)
        ogv_bug("there is no room for the control information of a program: %s", error.message);
    controls_fill(u, controls);
    u->control = controls;
}

/* ---- Issuing ---- */

void control_delay(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                   cycle ready)
{
    u32 counter = u->control[insn - u->program->text.insns].write;
    if (counter == CONTROL_NONE || warp->control.until[counter] >= ready)
        return;
    warp->control.until[counter] = ready;
    warp->control.blamed[counter] = insn->class;
}

/* The class of a request of the group that has raised one of the counters; CLASS_ILLEGAL: none. */
static u8 counters_raised(const struct subcore *u, const struct subcore_warp *warp, u32 counters)
{
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        const struct control *control = &u->control[request->insn];
        bool raises = counters >> control->write & 1 ||
                      (counters >> control->read & 1 && request->sent < request->pieces);
        if (raises && request->lanes & warp->group)
            return request->class;
    }
    return CLASS_ILLEGAL;
}

/* Nobody but us checks that what the program says is enough. Threads that have come apart may see
 * a time in which only others of the warp wrote a register. */
static void control_verify(const struct subcore *u, const struct subcore_warp *warp,
                           const struct insn *insn, u32 index, cycle now)
{
    u64 touches = u->program->hazards[index], writes = isa_writes(insn);
    struct subcore_hold hold = requests_hold(u, warp);
    u64 early = (touches & hold.writes) | (writes & hold.reads);
    for (u64 left = warp->group == warp->live ? touches & warp->timed : 0; left; left &= left - 1)
        if (warp->ready[__builtin_ctzll(left)] > now)
            early |= left & -left;
    if (early)
        ogv_bug("cycle %llu: control information lets the instruction at %#llx issue, but not all "
                "that it needs is there (registers %#llx)",
                (unsigned long long)now, (unsigned long long)warp->pc, (unsigned long long)early);
}

/* Whether stall count and counters let it wait; if so the warp, or its group, does. */
static enum dependence control_wait(struct subcore *u, struct subcore_warp *warp, u32 waits,
                                    cycle now)
{
    const struct warp_control *state = &warp->control;
    if (state->stalls > now) {
        subcore_wait(u, warp, WARP_HAZARD, state->stalled_by, state->stalls, now);
        return DEPENDENCE_WAITS;
    }
    for (u32 left = waits; left; left &= left - 1) {
        u32 counter = (u32)__builtin_ctz(left);
        if (state->until[counter] > now) {
            subcore_wait(u, warp, WARP_HAZARD, state->blamed[counter], state->until[counter], now);
            return DEPENDENCE_WAITS;
        }
    }
    u8 class = waits ? counters_raised(u, warp, waits) : CLASS_ILLEGAL;
    return class == CLASS_ILLEGAL ? DEPENDENCE_NONE
                                  : dependences_await(u, warp, WARP_HAZARD, class, now);
}

enum dependence control_look(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                             u32 index, cycle now)
{
    enum dependence dependence = control_wait(u, warp, u->control[index].waits, now);
    if (dependence == DEPENDENCE_NONE)
        control_verify(u, warp, insn, index, now);
    return dependence;
}

void control_issued(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now)
{
    warp->control.stalls = now + u->control[index].stall;
    warp->control.stalled_by = u->control[index].blamed;
}
