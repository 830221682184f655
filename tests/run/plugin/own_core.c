/* own_core.c - a core outside the tree: one to four threads that take turns, each with one
 * instruction under way.
 *
 * A thread executes an instruction, and if that went out as a message, waits for the answer before
 * it goes on: its pc stays where it is until then. So the tag of a message is the thread, and there
 * are no hazards. Memory, dispensers of work, barriers and units that trace rays have a port each.
 *
 * Always true: retired + stood_by + refused + awaited + asked + over = lived, the threads times the
 * cycles since the start; and a thread that has not ended is ready, or a message of its is under
 * way, or a link that refused it wakes the unit. */
#include <string.h>

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/program.h"

#define THREADS_MAX 4

#define OWN_CORE_PARAMS(P)                         \
    P(number, lanes, 2, 1, THREADS_MAX, "threads") \
    P(bytes, own, 4 * KiB, 64, 1 * MiB, "private memory of each thread")

#define OWN_CORE_STATS(S)                                                          \
    S(retired, "instructions", SUM, WORK, "instructions executed")                 \
    S(stood_by, "cycles", SUM, WORK, "thread-cycles ready while another executed") \
    S(refused, "cycles", SUM, WORK, "thread-cycles waited for room on a link")     \
    S(awaited, "cycles", SUM, WORK, "thread-cycles waited for memory")             \
    S(asked, "cycles", SUM, WORK, "thread-cycles waited for another unit")         \
    S(over, "cycles", SUM, WORK, "thread-cycles after the end of the program")     \
    S(lived, "cycles", SUM, WORK, "threads times cycles: the sum of the above")

#define OWN_CORE_RATIOS(R) R(pace, retired, lived, "fraction", "instructions per thread-cycle")

#define OWN_CORE_ENERGY(E) E(step, retired, 5.0, "made up for this test")

#define OWN_CORE_PORTS(T)                            \
    T(memory, ASKS, ONE, "memory")                   \
    T(dispatch, ASKS, MAYBE, "who answers `next`")   \
    T(meeting, ASKS, MAYBE, "who answers `barrier`") \
    T(tracer, ASKS, MAYBE, "who answers `trace` and the like")

enum state { READY, REFUSED, AWAITING, OVER };

struct thread {
    struct hart hart;
    cycle since; /* when it came into its state, or when that was last charged */
    u64 steps;
    enum state state;
    struct profile_mark mark;
};

struct own_core {
    struct unit base;
    UNIT_FIELDS(OWN_CORE)
    const struct chip_program *program;
    struct hart_profile *profile; /* NULL: not profiling */
    struct program_output output;
    struct thread *threads;
    u8 *own;     /* [lanes][p.own] */
    u8 *customs; /* by custom instruction: enum where */
    u32 first_hart, last;
};

enum where { NOWHERE, AT_DISPATCH, AT_MEETING, AT_TRACER };

/* ---- Accounting ---- */

static u32 core_index(const struct own_core *u, u64 pc)
{
    return (u32)((pc - u->program->text.base) >> 1);
}

static struct profile_thread thread_profiled(struct thread *thread)
{
    return (struct profile_thread){ &thread->hart.path, &thread->mark };
}

/* What a thread that waits waits for. */
static u32 thread_reason(const struct own_core *u, const struct thread *thread)
{
    if (thread->state == READY)
        return PROFILE_PASSED;
    if (thread->state == REFUSED)
        return PROFILE_BUSY;
    u32 class = u->program->text.insns[core_index(u, thread->hart.pc)].class;
    return class == CLASS_FENCE ? PROFILE_FENCE : PROFILE_HAZARD + class;
}

static u64 *thread_counter(struct own_core *u, const struct thread *thread)
{
    if (thread->state == READY)
        return &u->s.stood_by;
    if (thread->state == REFUSED)
        return &u->s.refused;
    const struct insn *insn = isa_fetch(&u->program->text, thread->hart.pc);
    return insn->op == OP_custom ? &u->s.asked : &u->s.awaited;
}

static void thread_charge(struct own_core *u, struct thread *thread, cycle now)
{
    u64 span = now - thread->since;
    if (thread->state == OVER || !span)
        return;
    *thread_counter(u, thread) += span;
    thread->since = now;
    if (!u->profile)
        return;
    if (isa_fetch(&u->program->text, thread->hart.pc))
        profile_look(u->profile, thread_profiled(thread), core_index(u, thread->hart.pc));
    profile_charge(u->profile, &thread->mark, thread_reason(u, thread), span);
}

static void thread_enter(struct own_core *u, struct thread *thread, enum state state, cycle now)
{
    thread_charge(u, thread, now);
    thread->state = state;
}

/* The instruction at `index` took this cycle. */
static void thread_step(struct own_core *u, struct thread *thread, u32 index, cycle now)
{
    const struct insn *insn = &u->program->text.insns[index];
    u->s.retired++;
    thread->steps++;
    thread->since = now + 1;
    unit_progress(&u->base);
    if (!u->profile)
        return;
    profile_row(u->profile, thread_profiled(thread), index)->cycles[PROFILE_ISSUED]++;
    if (insn->class == CLASS_JUMP)
        profile_jump(u->profile, thread_profiled(thread), insn, index,
                     (thread->hart.pc - u->program->text.base) >> 1);
}

static void own_core_report(struct unit *unit, cycle now)
{
    struct own_core *u = (struct own_core *)unit;
    now = unit_end(unit, now);
    u->s.over = 0;
    for (u32 i = 0; u->program && i < u->p.lanes; i++) {
        struct thread *thread = &u->threads[i];
        if (thread->since > now)
            continue;
        thread_charge(u, thread, now);
        if (thread->state == OVER)
            u->s.over += now - thread->since;
    }
    u->s.lived = u->program ? u->p.lanes * now : 0;
}

/* ---- The end of a thread ---- */

static void thread_end(struct own_core *u, struct thread *thread, cycle now)
{
    thread_enter(u, thread, OVER, now);
    unit_release(&u->base, 1);
}

static bool thread_fail(struct own_core *u, struct thread *thread, enum program_fault_kind kind,
                        u64 address, cycle now)
{
    program_fail(&u->output, &u->base,
                 (struct program_fault){ .at = now,
                                         .pc = thread->hart.pc,
                                         .address = address,
                                         .thread = (u32)(thread - u->threads),
                                         .kind = kind });
    thread_end(u, thread, now);
    return false;
}

/* ---- Messages ---- */

/* NULL if the link has no room; else the thread waits for the answer. */
static struct message *thread_send(struct own_core *u, struct thread *thread,
                                   const struct ports *ports, cycle now)
{
    struct link *out = ports->at[0].out;
    if (!link_can_push(out)) {
        thread_enter(u, thread, REFUSED, now);
        return NULL;
    }
    thread_enter(u, thread, AWAITING, now);
    struct message *message = link_push(out);
    message->tag = (u32)(thread - u->threads);
    message->source = u->first_hart + message->tag;
    message->address = 0;
    message->mask = 0;
    message->size_bytes = 0;
    return message;
}

/* A store-conditional succeeds if memory still knows the stamp of the load-reserved. */
static u64 stamp_of(struct hart *hart, const struct isa_access *access)
{
    bool held = hart->reservation == access->address;
    if (access->amo == AMO_LR)
        hart->reservation = access->address;
    if (access->amo != AMO_SC)
        return 0;
    hart->reservation = NEVER;
    return held ? hart->stamp : 0;
}

static bool shared_access(struct own_core *u, struct thread *thread,
                          const struct isa_access *access, cycle now)
{
    if (access->address % MEMORY_SECTOR + access->size_bytes > MEMORY_SECTOR)
        return thread_fail(u, thread, FAULT_MISALIGNED, access->address, now);
    struct message *message = thread_send(u, thread, &u->w.memory, now);
    if (!message)
        return false;
    message->kind = access->amo ? MEMORY_AMO : access->store ? MEMORY_WRITE : MEMORY_READ;
    message->address = access->address;
    message->size_bytes = access->size_bytes;
    message->mask = access->amo ? access->amo : (UINT32_C(1) << access->size_bytes) - 1;
    message->data.dword[0] = access->data;
    message->data.dword[1] = stamp_of(&thread->hart, access);
    if (message->kind == MEMORY_WRITE)
        unit_effect(&u->base);
    return true;
}

/* Nobody else writes private memory. */
static bool private_access(struct own_core *u, struct thread *thread, const struct insn *insn,
                           const struct isa_access *access, cycle now)
{
    u64 offset = access->address - STACK_WINDOW, old = 0, value = access->data;
    if (offset >= u->p.own || access->size_bytes > u->p.own - offset)
        return thread_fail(u, thread, FAULT_STACK, access->address, now);
    u8 *bytes = u->own + (u64)(thread - u->threads) * u->p.own + offset;
    memcpy(&old, bytes, access->size_bytes);
    if (access->amo && access->amo != AMO_LR && access->amo != AMO_SC)
        value = isa_amo(access->amo, access->size_bytes, old, access->data);
    if (access->store || (access->amo && access->amo != AMO_LR))
        memcpy(bytes, &value, access->size_bytes);
    if (!access->store || access->amo)
        isa_finish(&thread->hart, insn, access->amo == AMO_SC ? 0 : old);
    thread->hart.pc += insn->length;
    return true;
}

/* Stacks grow downwards: what lies a little below the window was meant for it. */
#define STACK_OVERRUN (16 * MiB)

static bool memory_step(struct own_core *u, struct thread *thread, const struct insn *insn,
                        cycle now)
{
    struct isa_access access = isa_access(&thread->hart, insn);
    if (access.amo && access.misaligned)
        return thread_fail(u, thread, FAULT_MISALIGNED, access.address, now);
    if (access.address - (STACK_WINDOW - STACK_OVERRUN) < WINDOW_BYTES)
        return private_access(u, thread, insn, &access, now);
    return shared_access(u, thread, &access, now);
}

static bool fence_step(struct own_core *u, struct thread *thread, cycle now)
{
    struct message *message = thread_send(u, thread, &u->w.memory, now);
    if (message)
        message->kind = MEMORY_FENCE;
    return message;
}

static const struct ports *custom_ports(const struct own_core *u, const struct insn *insn)
{
    const struct ports *const ports[] = { NULL, &u->w.dispatch, &u->w.meeting, &u->w.tracer };
    const struct ports *found = ports[u->customs[insn->custom]];
    return found && found->count ? found : NULL;
}

static bool custom_step(struct own_core *u, struct thread *thread, const struct insn *insn,
                        cycle now)
{
    const struct ports *ports = custom_ports(u, insn);
    if (!ports)
        return thread_fail(u, thread, FAULT_NO_UNIT, 0, now);
    struct message *message = thread_send(u, thread, ports, now);
    if (!message)
        return false;
    isa_message(isa_shared(), &thread->hart, insn, message);
    unit_effect(&u->base);
    return true;
}

/* ---- Answers ---- */

static void answer_finish(struct thread *thread, const struct insn *insn,
                          const struct message *answer)
{
    struct hart *hart = &thread->hart;
    if (insn->op == OP_custom) {
        isa_answer(hart, insn, answer);
    } else if (insn->class == CLASS_LOAD || insn->class == CLASS_ATOMIC) {
        isa_finish(hart, insn, answer->data.dword[0]);
        if (isa_access_kinds[insn->op].amo == AMO_LR)
            hart->stamp = answer->data.dword[1];
    }
    hart->pc += insn->length;
}

static void answer_take(struct own_core *u, const struct message *answer, cycle now)
{
    struct thread *thread = &u->threads[answer->tag];
    const struct insn *insn = isa_fetch(&u->program->text, thread->hart.pc);
    if (insn->op != OP_custom && (answer->kind & MEMORY_KIND) == MEMORY_FAULT) {
        thread_fail(u, thread, FAULT_ACCESS, answer->address, now);
        return;
    }
    thread_enter(u, thread, READY, now);
    answer_finish(thread, insn, answer);
}

static void answers_take(struct own_core *u, cycle now)
{
    const struct ports *const all[] = { &u->w.memory, &u->w.dispatch, &u->w.meeting, &u->w.tracer };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++) {
        struct link *in = all[i]->count ? all[i]->at[0].in : NULL;
        const struct message *answer = in ? link_peek(in) : NULL;
        if (!answer)
            continue;
        answer_take(u, answer, now);
        link_pop(in);
    }
}

/* ---- Executing ---- */

static bool call_step(struct own_core *u, struct thread *thread, const struct insn *insn, cycle now)
{
    struct hart *hart = &thread->hart;
    switch (program_call(&u->output, &u->base, u->program, hart)) {
    case PROGRAM_ENDS:
        thread_end(u, thread, now);
        return true;
    case PROGRAM_FAILS:
        return thread_fail(u, thread, FAULT_CALL, hart->x[REGISTER_A7], now);
    default:
        hart->pc += insn->length;
        return true;
    }
}

/* True if an instruction was executed. */
static bool thread_execute(struct own_core *u, struct thread *thread, const struct insn *insn,
                           cycle now)
{
    struct isa_environment environment = { isa_shared(), now, now, thread->steps };
    switch (isa_execute(&thread->hart, insn, &environment)) {
    case ISA_NEXT:
        return true;
    case ISA_MEMORY:
        return memory_step(u, thread, insn, now);
    case ISA_MESSAGE:
        return custom_step(u, thread, insn, now);
    case ISA_FENCE:
    case ISA_FENCE_I:
        return fence_step(u, thread, now);
    case ISA_PAUSE:
        thread->hart.pc += insn->length;
        return true;
    case ISA_ECALL:
        return call_step(u, thread, insn, now);
    case ISA_EBREAK:
        return thread_fail(u, thread, FAULT_BREAK, 0, now);
    default:
        return thread_fail(u, thread, FAULT_ILLEGAL, 0, now);
    }
}

static bool thread_try(struct own_core *u, struct thread *thread, cycle now)
{
    const struct insn *insn = isa_fetch(&u->program->text, thread->hart.pc);
    u32 index = core_index(u, thread->hart.pc);
    if (!insn)
        return thread_fail(u, thread, FAULT_FETCH, thread->hart.pc, now);
    thread_charge(u, thread, now);
    if (!thread_execute(u, thread, insn, now))
        return false;
    thread_step(u, thread, index, now);
    return true;
}

static cycle own_core_tick(struct unit *unit, cycle now)
{
    struct own_core *u = (struct own_core *)unit;
    u32 lanes = u->program ? (u32)u->p.lanes : 0;
    answers_take(u, now);
    for (u32 i = 1; i <= lanes; i++) {
        u32 number = (u->last + i) % lanes;
        struct thread *thread = &u->threads[number];
        if (thread->state == AWAITING || thread->state == OVER || !thread_try(u, thread, now))
            continue;
        u->last = number;
        return now + 1;
    }
    return NEVER; /* all wait for answers, or for room */
}

/* ---- Building and starting ---- */

static u8 custom_where(const char *name)
{
    if (!strcmp(name, "next"))
        return AT_DISPATCH;
    if (!strcmp(name, "barrier"))
        return AT_MEETING;
    return strncmp(name, "trace", 5) ? NOWHERE : AT_TRACER;
}

static bool own_core_init(struct unit *unit, struct ogv_error *error)
{
    struct own_core *u = (struct own_core *)unit;
    const struct isa *isa = isa_shared();
    u32 customs = isa_custom_count(isa);
    if (!(u->threads = unit_alloc(unit, u->p.lanes, sizeof *u->threads, error)) ||
        !(u->own = unit_alloc_aside(unit, u->p.lanes, u->p.own, error)) ||
        !(u->customs = unit_alloc(unit, customs, 1, error)))
        return false;
    for (u32 i = 0; i < customs; i++)
        u->customs[i] = custom_where(isa_custom_at(isa, i)->name);
    return program_output_init(&u->output, unit, error);
}

static void own_core_start(struct unit *unit, const struct chip_program *program, u32 first_hart,
                           struct hart_profile *profile)
{
    struct own_core *u = (struct own_core *)unit;
    u32 lanes = (u32)u->p.lanes;
    u->program = program;
    u->profile = profile;
    u->first_hart = first_hart;
    u->last = lanes - 1;
    for (u32 i = 0; i < lanes; i++) {
        struct thread *thread = &u->threads[i];
        program_enter(program, &thread->hart, first_hart + i, STACK_WINDOW + u->p.own);
        if (profile)
            profile_start(profile, thread_profiled(thread), core_index(u, program->entry));
    }
    unit_hold(unit, lanes);
}

static void own_core_attend(struct unit *unit)
{
    program_output_attend(&((struct own_core *)unit)->output, unit);
}

static u64 own_core_harts(const struct unit *unit)
{
    return ((const struct own_core *)unit)->p.lanes;
}

static struct link *own_core_toward(struct unit *unit, u64 *address)
{
    (void)address;
    return ((struct own_core *)unit)->w.memory.at[0].out;
}

static const struct program_output *own_core_output(const struct unit *unit)
{
    return &((const struct own_core *)unit)->output;
}

static bool own_core_hart(const struct unit *unit, u32 thread, struct hart *hart)
{
    const struct thread *asked = &((const struct own_core *)unit)->threads[thread];
    *hart = asked->hart;
    return asked->state != OVER;
}

static const struct program_role own_core_role = {
    .start = own_core_start,
    .output = own_core_output,
    .hart = own_core_hart,
    .instructions = "retired",
    .halted = "over",
    .stack = "own",
};

static const struct resource_row own_core_resource_rows[] = {
    { .name = "execution", .kind = RESOURCE_WORK, .capacity = "1", .used = "retired" },
    { 0 },
};

static const struct account_row own_core_account_rows[] = {
    { 0, "lived", "thread-cycles of all own cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, "retired", "executed an instruction", ACCOUNT_WORK, NULL, NULL },
    { 1, "stood_by", "ready, another executed", ACCOUNT_OWN, "execution", NULL },
    { 1, "refused", "waited for room on a link", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "awaited", "waited for memory", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "asked", "waited for another unit", ACCOUNT_ANSWER, "execution", NULL },
    { 1, "over", "the program had ended", ACCOUNT_OVER, NULL, NULL },
    { 0 },
};

/* Rays take longest, where there are any. */
static const struct unit *own_core_awaits(const struct unit *unit, const char *stat)
{
    const struct own_core *u = (const struct own_core *)unit;
    bool rays = !strcmp(stat, "asked") && u->w.tracer.count;
    return rays ? u->w.tracer.at[0].out->reader : NULL;
}

UNIT_TYPE(own_core, OWN_CORE, "in-order core of a test's own", .init = own_core_init,
          .tick = own_core_tick, .report = own_core_report, .attend = own_core_attend,
          .harts = own_core_harts, .toward = own_core_toward, .programs = &own_core_role,
          .resources = own_core_resource_rows, .accounts = own_core_account_rows,
          .awaits = own_core_awaits, UNIT_ENERGY(OWN_CORE))

OGIVE_UNITS(&unit_type_own_core)

/* An instruction that no unit executes, to fail with. */
OGIVE_CUSTOMS({ "ask_nobody", 1, 0, 0, "d,s", NULL, 0 })
