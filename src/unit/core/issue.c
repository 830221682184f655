/* issue.c - issuing one instruction: hazards, then whatever its class asks for.
 *
 * What executes in the core is done at once; its result counts as written after the class's
 * latency. What another unit executes goes out as a message whose tag names thread and instruction;
 * the destination is busy until the answer. Operations whose result needs no data from elsewhere
 * (a shared multiplier) are computed here and only timed there. */
#include "base/error.h"
#include "ogive/memory.h"
#include "unit/core/account.h"
#include "unit/core/moves.h"
#include "unit/shipped_customs.h"

/* ---- What is under way ---- */

static void thread_refuse(struct core *u, u32 number, u32 port, enum core_state waiting, cycle now)
{
    u32 bit = UINT32_C(1) << number;
    u->waits_port[number] = (u16)port;
    thread_move(u, number, STATE_READY, waiting, now);
    if (!u->room || u->room_port == port)
        u->room_port = (u16)port;
    else
        u->room_port = PORT_NONE;
    u->room |= bit;
    u->refused |= bit;
    u->plain_loads = (u16)(u->plain_loads & ~bit);
}

/* What waited for room on the same port would be offered the slot next, and find none either. */
static void port_refuse_others(struct core *u, u32 port, cycle now)
{
    for (u32 bits = u->candidates & u->refused; bits; bits &= bits - 1) {
        u32 number = (u32)__builtin_ctz(bits);
        if (u->waits_port[number] == port)
            thread_refuse(u, number, port, STATE_BUSY, now);
    }
}

static inline bool port_accepts(struct core *u, u32 port)
{
    return u->under_way < u->outstanding && link_can_push(u->w.units.at[port].out);
}

SELDOM bool core_refuse(struct core *u, u32 number, u32 port, const struct insn *insn, cycle now)
{
    thread_refuse(u, number, port, STATE_BUSY, now);
    u->threads[number].blamed = insn->class;
    if (u->instructions == PORT_NONE)
        port_refuse_others(u, port, now);
    return false;
}

SELDOM bool core_refuse_move(struct core *u, u32 number, u32 port, const struct insn *insn,
                             cycle now)
{
    core_refuse(u, number, port, insn, now);
    if (insn->class == CLASS_LOAD)
        load_waits(u, number, move_address(&u->threads[number], insn));
    return false;
}

/* Room to send on a port; if not, the thread waits for it. */
static inline bool port_has_room(struct core *u, u32 number, u32 port, const struct insn *insn,
                                 cycle now)
{
    return port_accepts(u, port) || core_refuse(u, number, port, insn, now);
}

static inline struct message *message_send(struct core *u, u32 number, u32 port, u32 insn)
{
    struct message *message = link_push(u->w.units.at[port].out);
    message_begin(u, number, insn, message);
    return message;
}

/* ---- Memory ---- */

static void private_access(struct core *u, struct core_thread *thread, const struct insn *insn,
                           const struct isa_access *access, u8 *bytes, cycle now)
{
    struct private_done done = private_do(&thread->hart.reservation, access, bytes);
    u->s.stores_private += done.writes;
    u->s.loads_private += done.reads;
    if (done.reads) {
        isa_finish(&thread->hart, insn, done.raw);
        if (u->p.stack_latency > 1)
            registers_delay(thread, insn, now + u->p.stack_latency);
    }
}

#define STAMP_AWAITED UINT64_MAX

/* A thread has one reservation, and its next store-conditional ends it. The stamp that memory wants
 * with that one is not known before the load-reserved is answered; false: it must wait. */
static bool reservation_use(struct hart *hart, const struct isa_access *access, u64 *stamp)
{
    bool held = hart->reservation == access->address;
    if (held && hart->stamp == STAMP_AWAITED)
        return false;
    *stamp = held ? hart->stamp : 0;
    hart->reservation = NEVER;
    return true;
}

static void reservation_begin(struct hart *hart, const struct isa_access *access)
{
    hart->reservation = access->address;
    hart->stamp = STAMP_AWAITED;
}

static void access_say_what(struct message *message, const struct isa_access *access)
{
    if (access->amo) {
        message->kind = MEMORY_AMO;
        message->amo = access->amo;
    } else if (access->store) {
        message->kind = MEMORY_WRITE;
        message->mask = (UINT32_C(1) << access->size_bytes) - 1;
    } else {
        message->kind = MEMORY_READ;
        message->missed = 0;
    }
}

static void access_send(struct core *u, u32 number, u32 port, u32 index,
                        const struct isa_access *access, u64 stamp)
{
    const struct insn *insn = &u->program->text.insns[index];
    struct message *message = message_send(u, number, port, index);
    message->address = access->address;
    message->size_bytes = access->size_bytes;
    access_say_what(message, access);
    message->data.dword[0] = access->data;
    message->data.dword[1] = stamp;
    if (message->kind == MEMORY_WRITE) {
        unit_effect(&u->base);
        if (core_store_succeeds(u, port, access->address))
            u->awaited--;
    }
    registers_wait(&u->threads[number], insn);
}

static bool in_window(u64 address, u64 window)
{
    return address - window < WINDOW_BYTES;
}

static bool stack_access(struct core *u, u32 number, const struct insn *insn,
                         const struct isa_access *access, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 offset = access->address - STACK_WINDOW;
    if (offset >= u->p.stack || access->size_bytes > u->p.stack - offset) {
        core_fail(u, number, FAULT_STACK, access->address, now);
        return false;
    }
    private_access(u, thread, insn, access, u->stacks + number * u->p.stack + offset, now);
    thread->hart.pc += insn->length;
    return true;
}

static PART bool memory_issue(struct core *u, u32 number, const struct insn *insn, u32 index,
                              cycle now)
{
    struct core_thread *thread = &u->threads[number];
    struct isa_access access = isa_access(&thread->hart, insn);
    bool broken = access.amo && access.misaligned;
    if (!broken && in_window(access.address, STACK_WINDOW - STACK_OVERRUN))
        return stack_access(u, number, insn, &access, now);
    bool shared = in_window(access.address, SCRATCH_WINDOW);
    u32 port = shared ? u->scratch : u->classes[insn->class].port;
    broken = broken || access.address % MEMORY_SECTOR + access.size_bytes > MEMORY_SECTOR;
    if (port == PORT_NONE || broken) {
        core_fail(u, number, broken ? FAULT_MISALIGNED : FAULT_NO_UNIT, access.address, now);
        return false;
    }
    if (!port_has_room(u, number, port, insn, now))
        return false;
    u64 stamp = 0;
    if (access.amo == AMO_SC && !reservation_use(&thread->hart, &access, &stamp)) {
        core_enter(u, number, STATE_FENCE, now);
        return false;
    }
    if (access.amo == AMO_LR)
        reservation_begin(&thread->hart, &access);
    if (shared)
        access.address -= SCRATCH_WINDOW;
    access_send(u, number, port, index, &access, stamp);
    thread->hart.pc += insn->length;
    return true;
}

/* The short way for plain loads and stores, which are most. */
static PART bool move_issue(struct core *u, u32 number, const struct insn *insn, u32 index,
                            cycle now)
{
    u32 port = move_port(u, insn);
    if (__builtin_expect(port == PORT_NONE, false))
        return memory_issue(u, number, insn, index, now);
    struct message *message = move_place(u, port);
    if (!message)
        return core_refuse_move(u, number, port, insn, now);
    move_send(u, number, insn, index, port, message);
    return true;
}

/* Waits for the thread's own accesses, then for the cache to let go of what it holds. */
static bool fence_issue(struct core *u, u32 number, const struct insn *insn, u32 index, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    if (thread->under_way) {
        core_enter(u, number, STATE_FENCE, now);
        return false;
    }
    if (u->memory != PORT_NONE) {
        if (!port_has_room(u, number, u->memory, insn, now))
            return false;
        struct message *message = message_send(u, number, u->memory, index);
        message->kind = MEMORY_FENCE;
        message->size_bytes = 0;
        message->address = 0;
        message->mask = 0;
        core_enter(u, number, STATE_FENCE, now);
    }
    thread->hart.pc += insn->length;
    return true;
}

/* ---- Other units ---- */

static bool custom_issue(struct core *u, u32 number, const struct insn *insn, u32 index, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u32 port = core_custom(u, insn->custom).port;
    if (port == PORT_NONE) {
        core_fail(u, number, FAULT_NO_UNIT, 0, now);
        return false;
    }
    if (!port_has_room(u, number, port, insn, now))
        return false;
    unit_effect(&u->base);
    isa_message(isa_shared_made, &thread->hart, insn, message_send(u, number, port, index));
    registers_wait(thread, insn);
    thread->hart.pc += insn->length;
    return true;
}

/* ---- Calls to the host ---- */

static void thread_end(struct core *u, u32 number, cycle now)
{
    core_enter(u, number, STATE_HALTED, now);
    u->running--;
    unit_release(&u->base, 1);
}

static bool call_issue(struct core *u, u32 number, const struct insn *insn, cycle now)
{
    struct hart *hart = &u->threads[number].hart;
    switch (program_call(&u->output, &u->base, u->program, hart)) {
    case PROGRAM_ENDS:
        thread_end(u, number, now);
        return true;
    case PROGRAM_FAILS:
        core_fail(u, number, FAULT_CALL, hart->x[REGISTER_A7], now);
        return false;
    default:
        hart->pc += insn->length;
        return true;
    }
}

/* ---- Issuing ---- */

/* Text comes through the memory hierarchy a sector at a time: the core has an instruction port. */
static SELDOM bool thread_has_text(struct core *u, u32 number, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 sector = thread->hart.pc / MEMORY_SECTOR;
    if (thread->fetched == sector + 1)
        return true;
    if (!port_accepts(u, u->instructions)) {
        thread_refuse(u, number, u->instructions, STATE_FETCH, now);
        return false;
    }
    struct message *message = message_send(u, number, u->instructions, INSN_FETCH);
    message->kind = MEMORY_READ;
    message->address = sector * MEMORY_SECTOR;
    message->size_bytes = MEMORY_SECTOR;
    message->missed = 0;
    core_enter(u, number, STATE_FETCH, now);
    return false;
}

static void operation_send(struct core *u, u32 number, const struct insn *insn, u32 index, u32 port)
{
    struct message *message = message_send(u, number, port, index);
    message->kind = MESSAGE_OPERATION;
    message->size_bytes = 0;
    message->address = insn->class;
    registers_wait(&u->threads[number], insn);
}

/* After a thread may have chosen to round in a reserved way, with which instructions that round are
 * illegal: none of its core surely goes on at once any more. */
static void core_note_rounding(struct core *u, const struct core_thread *thread)
{
    if ((thread->hart.fcsr & FCSR_MODE) <= FCSR_MODE_LAST)
        return;
    u->at_once = 0;
}

/* Executes what needs no data from elsewhere; false if it failed. */
static PART bool plain_issue(struct core *u, u32 number, const struct insn *insn, u32 index,
                             cycle now)
{
    struct core_thread *thread = &u->threads[number];
    struct executor executor =
        insn->op == OP_custom ? core_custom(u, insn->custom) : u->classes[insn->class];
    struct isa_environment environment = { isa_shared_made, now, now, thread->instret };
    if (executor.port != PORT_NONE && !port_has_room(u, number, executor.port, insn, now))
        return false;
    switch (isa_execute(&thread->hart, insn, &environment)) {
    case ISA_NEXT:
        if (insn->class == CLASS_CSR)
            core_note_rounding(u, thread);
        break;
    case ISA_FENCE:
    case ISA_FENCE_I:
        return fence_issue(u, number, insn, index, now);
    case ISA_PAUSE:
        thread->hart.pc += insn->length;
        thread_wait_until(u, number, STATE_READY, insn->class, now + u->p.pause, now);
        return true;
    case ISA_MESSAGE:
        return custom_issue(u, number, insn, index, now);
    case ISA_ECALL:
        return call_issue(u, number, insn, now);
    case ISA_EBREAK:
        core_fail(u, number, FAULT_BREAK, 0, now);
        return false;
    default:
        core_fail(u, number, FAULT_ILLEGAL, 0, now);
        return false;
    }
    if (executor.port != PORT_NONE)
        operation_send(u, number, insn, index, executor.port);
    else if (executor.latency > 1 && (insn->class == CLASS_BRANCH || insn->class == CLASS_JUMP))
        thread_wait_until(u, number, STATE_READY, insn->class, now + executor.latency, now);
    else if (executor.latency > 1)
        registers_delay(thread, insn, now + executor.latency);
    return true;
}

/* The ways of issuing are functions of their own that end this one, so that it needs no frame. */
bool core_issue_free(struct core *u, u32 number, const struct insn *insn, u32 index, cycle now)
{
    if (insn_moves(insn))
        return move_is_plain(&u->threads[number], insn) ? move_issue(u, number, insn, index, now)
                                                        : memory_issue(u, number, insn, index, now);
    return insn->class == CLASS_ATOMIC ? memory_issue(u, number, insn, index, now)
                                       : plain_issue(u, number, insn, index, now);
}

/* An instruction with registers that are not yet written, or were not when last looked at. */
static PART bool hazard_issue(struct core *u, u32 number, const struct insn *insn, u32 index,
                              cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 conflict = u->program->hazards[index] & thread->busy;
    if (registers_settle(thread, conflict, now))
        return core_issue_free(u, number, insn, index, now);
    thread_wait(u, number, STATE_READY, conflict, now);
    return false;
}

static inline bool registers_issue(struct core *u, u32 number, const struct insn *insn, u32 index,
                                   cycle now)
{
    u64 conflict = u->program->hazards[index] & u->threads[number].busy;
    return conflict ? hazard_issue(u, number, insn, index, now)
                    : core_issue_free(u, number, insn, index, now);
}

/* What comes before the registers, in cores that may be profiled or fetch their text. */
static SELDOM bool watched_issue(struct core *u, u32 number, const struct insn *insn, u32 index,
                                 cycle now)
{
    if (!insn) {
        core_fail(u, number, FAULT_FETCH, u->threads[number].hart.pc, now);
        return false;
    }
    if (u->profile)
        profile_look(u->profile, core_profiled(u, number), index);
    if (u->instructions != PORT_NONE && !thread_has_text(u, number, now))
        return false;
    return registers_issue(u, number, insn, index, now);
}

bool core_issue(struct core *u, u32 number, const struct insn *insn, u32 index, cycle now)
{
    bool watched = !insn || !u->usual;
    return __builtin_expect(watched, false) ? watched_issue(u, number, insn, index, now)
                                            : registers_issue(u, number, insn, index, now);
}
