/* execute.c - what instructions do: each row of isa_insn.def becomes a function of a few lines.
 *
 * Functions rather than one large switch, because then an addition does not save and restore the
 * registers that a square root needs (3.1 ns against 2.1 ns, see bench/isa.c).
 *
 * An instruction writes rd last, so that it may be one of its own sources. Anything that cannot be
 * finished here leaves through STOP before it has changed anything. */
#include "isa/csr.h"
#include "isa/fp.h"
#include "isa/table.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

void hart_init(struct hart *hart, u64 pc)
{
    *hart = (struct hart){ .pc = pc, .reservation = NEVER };
}

static u64 int_mulh(u64 a, u64 b)
{
    return (u64)((u128)((i128)(i64)a * (i64)b) >> 64);
}

static u64 int_mulhsu(u64 a, u64 b)
{
    return (u64)((u128)((i128)(i64)a * (i128)b) >> 64);
}

static u64 int_mulhu(u64 a, u64 b)
{
    return (u64)((u128)a * b >> 64);
}

/* Division by zero gives all ones and leaves the dividend; the one overflow wraps. Nothing traps.
 */
static u64 int_div(u64 a, u64 b)
{
    if (b == 0)
        return ~UINT64_C(0);
    return b == ~UINT64_C(0) ? -a : (u64)((i64)a / (i64)b);
}

static u64 int_rem(u64 a, u64 b)
{
    if (b == 0)
        return a;
    return b == ~UINT64_C(0) ? 0 : (u64)((i64)a % (i64)b);
}

static u32 int_divw(u32 a, u32 b)
{
    if (b == 0)
        return ~UINT32_C(0);
    return b == ~UINT32_C(0) ? -a : (u32)((int32_t)a / (int32_t)b);
}

static u32 int_remw(u32 a, u32 b)
{
    if (b == 0)
        return a;
    return b == ~UINT32_C(0) ? 0 : (u32)((int32_t)a % (int32_t)b);
}

static enum isa_outcome execute_custom(struct hart *hart, const struct insn *insn,
                                       const struct isa_environment *environment)
{
    const struct isa_custom *custom = isa_custom(environment->isa, insn);
    if (!custom->execute)
        return ISA_MESSAGE;
    hart->r[insn->rd] = custom->execute(hart->r[insn->rs1], hart->r[insn->rs2], hart->r[insn->rs3],
                                        insn->immediate);
    hart->pc += insn->length;
    return ISA_NEXT;
}

static inline u32 rounding_mode(const struct hart *hart, const struct insn *insn)
{
    return insn->mode == ROUND_DYNAMIC ? hart->fcsr >> 5 : insn->mode;
}

/* The vocabulary of the action column. */
#define A           hart->r[insn->rs1]
#define B           hart->r[insn->rs2]
#define C           hart->r[insn->rs3]
#define IMM         ((u64)insn->immediate)
#define ZIMM        ((u64)(u32)insn->immediate >> 12)
#define PC          hart->pc
#define MODE        mode
#define FLAGS       &hart->fcsr
#define BOX(value)  f32_box((u32)(value))

#define SET(value)  hart->r[insn->rd] = (value)
#define SETW(value) hart->r[insn->rd] = (u64)(int32_t)(value)
#define STOP(why)   return ISA_##why
#define SETF(value)                       \
    u32 mode = rounding_mode(hart, insn); \
    if (mode > ROUND_NEAREST_AWAY)        \
        return ISA_ILLEGAL;               \
    SET(value)
#define JUMP(target)   \
    u64 to = (target); \
    SET(next);         \
    next = to
#define BRANCH(condition) \
    if (condition)        \
    next = hart->pc + IMM
#define CSR(action, operand)                                          \
    if (!csr_execute(hart, insn, environment, CSR_##action, operand)) \
    return ISA_ILLEGAL

#define INSN(op, text, format, class, code, action)                                  \
    static enum isa_outcome execute_##op(struct hart *hart, const struct insn *insn, \
                                         const struct isa_environment *environment)  \
    {                                                                                \
        (void)environment;                                                           \
        u64 next = hart->pc + insn->length;                                          \
        action;                                                                      \
        hart->pc = next;                                                             \
        return ISA_NEXT;                                                             \
    }
#define LOAD(op, text, format, code, bytes, value)
#define STORE(op, text, format, code, bytes)
#define ATOMIC(op, text, format, code, kind, bytes)
#include "ogive/isa_insn.def"

static enum isa_outcome execute_illegal(struct hart *hart, const struct insn *insn,
                                        const struct isa_environment *environment)
{
    (void)hart, (void)insn, (void)environment;
    return ISA_ILLEGAL;
}

static enum isa_outcome execute_memory(struct hart *hart, const struct insn *insn,
                                       const struct isa_environment *environment)
{
    (void)hart, (void)insn, (void)environment;
    return ISA_MEMORY;
}

isa_executor *const isa_executors[OP_COUNT] = {
    [OP_illegal] = execute_illegal,
    [OP_custom] = execute_custom,
#define INSN(op, text, format, class, code, action) [OP_##op] = execute_##op,
#define LOAD(op, text, format, code, bytes, value)  [OP_##op] = execute_memory,
#define STORE(op, text, format, code, bytes)        [OP_##op] = execute_memory,
#define ATOMIC(op, text, format, code, kind, bytes) [OP_##op] = execute_memory,
#include "ogive/isa_insn.def"
};
