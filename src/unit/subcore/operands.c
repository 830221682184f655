/* operands.c - when the operands of an instruction are read. */
#include "unit/subcore/operands.h"

#include "unit/subcore/subcore.h"

u32 operands_bank(const struct subcore *u, const struct subcore_warp *warp, u32 number)
{
    u32 beside = u->p.bank_of == OPERANDS_by_register_and_warp ? subcore_number(u, warp) : 0;
    return (number + beside) % (u32)u->p.register_banks;
}

/* ---- The register cache ---- */

static u16 cached_as(const struct subcore *u, const struct subcore_warp *warp, u32 number)
{
    return (u16)(1 + subcore_number(u, warp) * REGISTER_NONE + number); /* 0: no register */
}

static bool cache_has(const struct subcore *u, const struct subcore_warp *warp, u32 number,
                      u32 position)
{
    const u16 *entries = u->operands.cached[operands_bank(u, warp, number)][position];
    for (u32 i = 0; i < u->p.register_cache; i++)
        if (entries[i] == cached_as(u, warp, number))
            return true;
    return false;
}

static u32 operand_at(const struct insn *insn, u32 position)
{
    const u8 registers[OPERANDS_POSITIONS] = { insn->rs1, insn->rs2, insn->rs3 };
    return registers[position];
}

/* Whether the instruction behind, if it is sure to be the next, reads the same there. */
static bool operand_is_reused(const struct subcore *u, const struct insn *insn, u32 position)
{
    const struct isa_program *text = &u->program->text;
    u64 next = (u64)(insn - text->insns) + insn->length / 2;
    bool moves = insn->class == CLASS_BRANCH || insn->class == CLASS_JUMP;
    return !moves && next < text->count &&
           operand_at(&text->insns[next], position) == operand_at(insn, position);
}

/* Every read of a bank and position pushes its oldest entry out; what is not read again leaves an
 * empty one. */
static void cache_note(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                       u32 position)
{
    u32 number = operand_at(insn, position);
    u16 *entries = u->operands.cached[operands_bank(u, warp, number)][position];
    if (!u->p.register_cache)
        return;
    for (u64 i = u->p.register_cache - 1; i > 0; i--)
        entries[i] = entries[i - 1];
    entries[0] = operand_is_reused(u, insn, position) ? cached_as(u, warp, number) : 0;
}

/* ---- Ports ---- */

struct operands_reads {
    cycle last;               /* when the last operand is read */
    u64 count, late, hits;    /* of them */
    struct operands_bank *at; /* the ports that they take */
};

/* The next read of a bank, not before `from`. */
static cycle port_take(const struct subcore *u, struct operands_bank *bank, cycle from)
{
    if (bank->at < from)
        *bank = (struct operands_bank){ from, 0 };
    else if (bank->used == u->p.register_ports)
        *bank = (struct operands_bank){ bank->at + 1, 0 };
    bank->used++;
    return bank->at;
}

static void register_read(const struct subcore *u, const struct subcore_warp *warp, u32 number,
                          u64 per_cycle, struct operands_reads *reads, cycle now)
{
    cycle from = now + (reads->count - reads->hits) / per_cycle;
    cycle at = port_take(u, &reads->at[operands_bank(u, warp, number)], from);
    reads->count++;
    reads->late += at > from;
    reads->last = max_u64(reads->last, at);
}

static void operands_read(const struct subcore *u, const struct subcore_warp *warp,
                          const struct insn *insn, struct operands_reads *reads, cycle now)
{
    u64 per_cycle = u->p.operands == OPERANDS_collectors ? u->p.collector_ports : UINT64_C(1) << 32;
    reads->last = now;
    for (u32 position = 0; position < OPERANDS_POSITIONS; position++) {
        u32 first = operand_at(insn, position), count = position ? 1 : insn->rs1_count;
        if (!first)
            continue;
        if (count == 1 && cache_has(u, warp, first, position)) {
            reads->count++;
            reads->hits++;
            continue;
        }
        for (u32 i = 0; i < count; i++)
            register_read(u, warp, first + i, per_cycle, reads, now);
    }
}

/* ---- Issuing ---- */

/* Blocks of registers are what other units are sent. */
static bool insn_is_fixed(const struct subcore *u, const struct insn *insn)
{
    return subcore_executor(u, insn).port == PORT_NONE && insn->rs1_count == 1;
}

static u32 collector_first(const struct subcore *u)
{
    u32 first = 0;
    for (u32 i = 1; i < u->p.collectors; i++)
        if (u->operands.free_at[i] < u->operands.free_at[first])
            first = i;
    return first;
}

static bool window_fits(struct subcore *u, cycle last, cycle *again, cycle now)
{
    cycle end = now + u->p.read_window - 1;
    if (last <= end)
        return true;
    *again = u->operands.held = now + (last - end);
    return false;
}

bool operands_fit(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                  cycle *again, cycle now)
{
    struct operands_bank ports[OPERANDS_BANKS_MAX];
    struct operands_reads reads = { .at = ports };
    bool window = u->p.operands == OPERANDS_window;
    u->operands.read = now;
    *again = window ? u->operands.held : u->operands.free_at[collector_first(u)];
    if (*again > now)
        return false;
    if (window && !insn_is_fixed(u, insn))
        return true;
    for (u32 i = 0; i < u->p.register_banks; i++)
        ports[i] = u->operands.banks[i];
    operands_read(u, warp, insn, &reads, now);
    if (window)
        return window_fits(u, reads.last, again, now);
    u->operands.read = reads.last;
    return true;
}

void operands_take(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                   cycle now)
{
    struct operands_reads reads = { .at = u->operands.banks };
    bool window = u->p.operands == OPERANDS_window;
    if (window && !insn_is_fixed(u, insn))
        return;
    operands_read(u, warp, insn, &reads, now);
    u->s.operand_reads += reads.count;
    u->s.register_conflicts += reads.late;
    u->s.register_hits += reads.hits;
    if (!window)
        u->operands.free_at[collector_first(u)] = reads.last + 1;
    for (u32 position = 0; position < OPERANDS_POSITIONS; position++)
        if (operand_at(insn, position))
            cache_note(u, warp, insn, position);
}
