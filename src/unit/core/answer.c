/* answer.c - taking the answers of memory and other units: what they write, and whom they wake. */
#include "unit/core/registers.h"
#include "unit/shipped_customs.h"

static void reservation_arrive(struct hart *hart, u64 address, const struct message *answer)
{
    if (hart->reservation == address)
        hart->stamp = answer->data.dword[1];
}

static void thread_resume(struct core *u, u32 number, cycle now)
{
    u->due[number] = now;
    core_enter(u, number, STATE_READY, now);
}

/* An answer has come for a thread that waits for registers: perhaps not the last one. */
static inline void thread_resume_hazard(struct core *u, u32 number, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 conflict = u->program->hazards[core_index(u, thread->hart.pc)] & thread->busy;
    if (conflict && !registers_settle(thread, conflict, now)) {
        thread_wait(u, number, STATE_HAZARD, conflict, now);
        return;
    }
    u->due[number] = now;
    thread_move(u, number, STATE_HAZARD, STATE_READY, now);
}

/* The address as the program has it. */
static u64 answer_address(const struct core *u, u32 port, const struct message *answer)
{
    return answer->address + (port == u->scratch ? SCRATCH_WINDOW : 0);
}

static void answer_write(struct core *u, u32 number, u32 port, const struct insn *insn,
                         const struct message *answer)
{
    struct core_thread *thread = &u->threads[number];
    if (insn->op == OP_custom && !isa_custom(isa_shared_made, insn)->execute) {
        isa_answer(&thread->hart, insn, answer);
    } else if (insn->class == CLASS_LOAD || insn->class == CLASS_ATOMIC) {
        isa_finish(&thread->hart, insn, answer->data.dword[0]);
        if (isa_access_kinds[insn->op].amo == AMO_LR)
            reservation_arrive(&thread->hart, answer_address(u, port, answer), answer);
    }
    thread->busy &= ~isa_writes(insn);
}

/* The program fails where the access is, wherever the thread has got to since. */
static void answer_fail(struct core *u, u32 number, u32 port, u32 index,
                        const struct message *answer, cycle now)
{
    if (index != INSN_FETCH)
        u->threads[number].hart.pc = u->program->text.base + 2 * (u64)index;
    core_fail(u, number, FAULT_ACCESS, answer_address(u, port, answer), now);
}

static PART void core_answer(struct core *u, u32 port, const struct message *answer, cycle now)
{
    u32 number = answer->tag >> TAG_INSN_BITS, index = answer->tag & TAG_INSN;
    struct core_thread *thread = &u->threads[number];
    const struct insn *insn = &u->program->text.insns[index];
    if (u->under_way-- == u->outstanding)
        u->base.may_retry = true;
    thread->under_way--;
    bool stored = index != INSN_FETCH && insn->class == CLASS_STORE;
    if (!stored || !core_store_succeeds(u, port, answer->address))
        u->awaited--;
    bool memory = index == INSN_FETCH || insn->op != OP_custom;
    if (memory && (answer->kind & MEMORY_KIND) == MEMORY_FAULT)
        answer_fail(u, number, port, index, answer, now);
    if (thread->state == STATE_HALTED)
        return;
    if (index == INSN_FETCH) {
        thread->fetched = answer->address / MEMORY_SECTOR + 1;
        thread_resume(u, number, now);
        return;
    }
    answer_write(u, number, port, insn, answer);
    if (thread->state == STATE_HAZARD && u->due[number] == NEVER)
        thread_resume_hazard(u, number, now);
    else if (thread->state == STATE_FENCE && !thread->under_way)
        thread_resume(u, number, now);
}

/* A thread that waits for registers gets one, by a load. */
static PART void load_resume(struct core *u, u32 number, const struct insn *insn, u64 raw,
                             cycle now)
{
    thread_resume_hazard(u, number, now);
    isa_finish(&u->threads[number].hart, insn, raw);
}

/* The short way for most: data of a load, for a thread that goes on or waits for registers. False:
 * it is none, and nothing has changed. What it calls comes last, so that it needs no frame. */
static inline bool load_answer(struct core *u, const struct message *answer, cycle now)
{
    u32 number = answer->tag >> TAG_INSN_BITS, index = answer->tag & TAG_INSN;
    struct core_thread *thread = &u->threads[number];
    const struct insn *insn = &u->program->text.insns[index];
    bool plain = index != INSN_FETCH && insn->class == CLASS_LOAD &&
                 (answer->kind & MEMORY_KIND) == MEMORY_READ;
    if (!plain || thread->state == STATE_HALTED || thread->state == STATE_FENCE)
        return false;
    if (u->under_way-- == u->outstanding)
        u->base.may_retry = true;
    u->awaited--;
    thread->under_way--;
    thread->busy &= ~isa_block(insn->rd, 1);
    if (thread->state == STATE_HAZARD && u->due[number] == NEVER)
        load_resume(u, number, insn, answer->data.dword[0], now);
    else
        isa_finish(&thread->hart, insn, answer->data.dword[0]);
    return true;
}

/* An answer of a port that holds one, if it has arrived, to a usual core. Nobody else writes where
 * it was before this tick ends. */
static PART void answer_take(struct core *u, u32 port, cycle now)
{
    struct link *in = u->w.units.at[port].in;
    core_is_usual(u);
    link_is_within(in);
    const struct message *answer = link_peek_held(in, now);
    if (!answer)
        return;
    link_pop_within(in, now);
    if (!load_answer(u, answer, now))
        core_answer(u, port, answer, now);
}

static PART void answers_take(struct core *u, u64 ports, cycle now)
{
    for (; ports; ports &= ports - 1)
        answer_take(u, (u32)__builtin_ctzll(ports), now);
}

void core_take_answers_usual(struct core *u, cycle now)
{
    u64 ports = u->w.units.pending[0];
    if (__builtin_expect(ports & (ports - 1) || !ports, false))
        answers_take(u, ports, now);
    else
        answer_take(u, (u32)__builtin_ctzll(ports), now);
}

void core_take_answers(struct core *u, cycle now)
{
    if (u->usual) {
        core_take_answers_usual(u, now);
        return;
    }
    const struct ports *units = &u->w.units;
    for (u32 i = ports_pending(units, 0); i != NOBODY; i = ports_pending(units, i + 1)) {
        struct link *in = units->at[i].in;
        const struct message *answer = link_peek(in);
        if (!answer)
            continue;
        if (!load_answer(u, answer, now))
            core_answer(u, i, answer, now);
        link_pop_peeked(in, u->base.domain->now);
    }
}
