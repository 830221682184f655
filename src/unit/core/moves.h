/* moves.h - loads and stores that are plain: of a thread's own stack, which are done at once, or of
 * memory and within a sector. In line: most instructions that do more than touch registers are
 * such. issue.c does the others. */
#ifndef UNIT_CORE_MOVES_H
#define UNIT_CORE_MOVES_H

#include "ogive/memory.h"
#include "unit/core/registers.h"
#include "unit/parts/private.h"

static inline bool insn_moves(const struct insn *insn)
{
    return insn->class == CLASS_LOAD || insn->class == CLASS_STORE;
}

/* Where loads or stores of memory go. */
static inline u32 move_port(const struct core *u, const struct insn *insn)
{
    return u->move_ports[insn->class == CLASS_STORE];
}

/* The address of a load or store. */
static inline u64 move_address(const struct core_thread *thread, const struct insn *insn)
{
    return thread->hart.r[insn->rs1] + (u64)insn->immediate;
}

/* Where a load or store of the thread's own stack lies in it, if that takes a cycle; NULL: it is
 * none. */
static inline u8 *stack_find(const struct core *u, u32 number, const struct insn *insn)
{
    u64 size = isa_access_kinds[insn->op].size_bytes, left = u->stack_at_once;
    u64 offset = move_address(&u->threads[number], insn) - STACK_WINDOW;
    bool inside = offset < left && size <= left - offset;
    return inside ? u->stacks + number * left + offset : NULL;
}

static inline void stack_move(struct core *u, struct core_thread *thread, const struct insn *insn,
                              u8 *bytes)
{
    bool store = insn->class == CLASS_STORE;
    tally_one(&u->tally.moves_private[store], store ? &u->s.stores_private : &u->s.loads_private);
    thread->hart.pc += insn->length;
    isa_move(&thread->hart, insn, bytes);
}

/* Stacks grow downwards: what lies a little below the window was meant for it. */
#define STACK_OVERRUN (16 * MiB)

_Static_assert(SCRATCH_WINDOW < STACK_WINDOW - STACK_OVERRUN, "below both is memory");

/* Whether a load or store at an address is of memory and within a sector. */
static inline bool address_is_plain(u64 address, const struct insn *insn)
{
    u64 size = isa_access_kinds[insn->op].size_bytes;
    return address < SCRATCH_WINDOW && address % MEMORY_SECTOR + size <= MEMORY_SECTOR;
}

static inline bool move_is_plain(const struct core_thread *thread, const struct insn *insn)
{
    return address_is_plain(move_address(thread, insn), insn);
}

/* A thread waits for room with a plain load. Nobody writes its address register until it leaves:
 * the address is noted where trying again looks anyway, if it is short. */
static inline void load_waits(struct core *u, u32 number, u64 address)
{
    u->threads[number].asks = (u32)address;
    if (address <= UINT32_MAX)
        u->plain_loads = (u16)(u->plain_loads | UINT32_C(1) << number);
}

/* A message of an instruction, in the place that it leaves from: whose it is. */
static inline void message_begin(struct core *u, u32 number, u32 index, struct message *message)
{
    u->under_way++;
    u->awaited++;
    u->threads[number].under_way++;
    u->refused &= ~(UINT32_C(1) << number);
    message->tag = number << TAG_INSN_BITS | index;
    message->source = u->first_hart + number;
}

/* Where a message to a port can leave; NULL: there is no room. */
static inline struct message *move_place(struct core *u, u32 port)
{
    return u->under_way < u->outstanding ? link_try_push(u->w.units.at[port].out) : NULL;
}

/* Fills in a plain load of memory. */
static inline void load_send(struct core *u, u32 number, const struct insn *insn, u32 index,
                             u64 address, struct message *message)
{
    struct core_thread *thread = &u->threads[number];
    u64 writes = isa_block(insn->rd, 1);
    message->address = address;
    message->size_bytes = isa_access_kinds[insn->op].size_bytes;
    message->kind = MEMORY_READ;
    message->missed = 0;
    message->data.dword[0] = message->data.dword[1] = 0;
    message_begin(u, number, index, message);
    thread->hart.pc += insn->length;
    thread->busy |= writes;
    thread->loading |= writes;
}

/* The same of a store to a port. */
static inline void store_send(struct core *u, u32 number, const struct insn *insn, u32 index,
                              u32 port, struct message *message)
{
    struct core_thread *thread = &u->threads[number];
    u32 size = isa_access_kinds[insn->op].size_bytes;
    u64 address = move_address(thread, insn);
    message->address = address;
    message->size_bytes = (u16)size;
    message->kind = MEMORY_WRITE;
    message->mask = (UINT32_C(1) << size) - 1;
    message->data.dword[0] = thread->hart.r[insn->rs2];
    message->data.dword[1] = 0;
    message_begin(u, number, index, message);
    thread->hart.pc += insn->length;
    unit_effect(&u->base);
    if (core_store_succeeds(u, port, address))
        u->awaited--;
}

/* Of either. */
static inline void move_send(struct core *u, u32 number, const struct insn *insn, u32 index,
                             u32 port, struct message *message)
{
    if (insn->class == CLASS_LOAD)
        load_send(u, number, insn, index, move_address(&u->threads[number], insn), message);
    else
        store_send(u, number, insn, index, port, message);
}

#endif
