/* lanes.c - the rows of isa_insn.def as loops over the lanes of a warp.
 *
 * With all lanes active a loop runs over arrays and vectorises; with some, over the bits of the
 * mask. A lane reads and writes only its own place, also where source and destination are the same
 * register, so that iterations never depend on each other.
 *
 * Control and status registers, and instructions of somebody's own, are done lane by lane with
 * isa_execute. */
#include "isa/lanes.h"

#include "isa/actions.h"

#ifdef __clang__
#define INDEPENDENT /* its own hint warns of loops that do not vectorise anyway */
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

void lane_load(const struct isa_lanes *lanes, u32 lane, const struct insn *insn, struct hart *hart)
{
    for (u64 left = isa_reads(insn); left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        hart->r[number] = lanes_register(lanes, number)[lane];
    }
    hart->r[0] = 0;
    hart->fcsr = lanes->fcsr[lane];
}

void lane_store(struct isa_lanes *lanes, u32 lane, const struct insn *insn, const struct hart *hart)
{
    for (u64 left = isa_writes(insn); left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        lanes_register(lanes, number)[lane] = hart->r[number];
    }
    lanes->fcsr[lane] = hart->fcsr;
    lanes->modes |= hart->fcsr >> 5 != ROUND_NEAREST_EVEN;
}

static enum isa_outcome lanes_in_turn(struct isa_lanes *lanes, u64 mask, u64 pc,
                                      const struct insn *insn,
                                      const struct isa_environment *environment)
{
    struct hart hart = { .pc = pc };
    for (; mask; mask &= mask - 1) {
        u32 lane = (u32)__builtin_ctzll(mask);
        lane_load(lanes, lane, insn, &hart);
        enum isa_outcome outcome = isa_execute(&hart, insn, environment);
        if (outcome != ISA_NEXT)
            return outcome; /* that of the first: it depends on the instruction alone */
        lane_store(lanes, lane, insn, &hart);
    }
    return ISA_NEXT;
}

/* Threads look at each other's registers. */
static enum isa_outcome lanes_across(struct isa_lanes *lanes, u64 mask, const struct insn *insn,
                                     isa_across *across)
{
    u64 result[LANES_MAX], *rd = lanes_register(lanes, insn->rd);
    across(result, lanes_register(lanes, insn->rs1), lanes_register(lanes, insn->rs2), mask,
           lanes->width);
    for (u64 left = mask; left; left &= left - 1)
        rd[__builtin_ctzll(left)] = result[__builtin_ctzll(left)];
    return ISA_NEXT;
}

/* What an action sees: of each operand the register's values. */
struct operands {
    const u64 *rs1, *rs2, *rs3;
    u64 *rd, *pc;
    u32 *fcsr;
};

static inline struct operands operands_of(const struct isa_lanes *lanes, const struct insn *insn)
{
    return (struct operands){
        lanes_register(lanes, insn->rs1),
        lanes_register(lanes, insn->rs2),
        lanes_register(lanes, insn->rs3),
        lanes_register(lanes, insn->rd),
        lanes->pc,
        lanes->fcsr,
    };
}

#define R(field)             at.field[lane]
#define PC                   pc
#define FCSR                 at.fcsr[lane]
#define STOP(why)            outcome = ISA_##why
#define CSR(action, operand) STOP(ILLEGAL) /* not called: see lanes_in_turn */

/* Only these leave a pc behind. */
#define MOVES(class)         (CLASS_##class == CLASS_BRANCH || CLASS_##class == CLASS_JUMP)
#define STEP(class, action)           \
    {                                 \
        u64 next = pc + insn->length; \
        action;                       \
        if (MOVES(class))             \
            at.pc[lane] = next;       \
    }

#define EXECUTOR(name) \
    enum isa_outcome name(const struct isa_lanes *lanes, u64 mask, u64 pc, const struct insn *insn)

#define EXECUTE(class, action)                               \
    {                                                        \
        const struct operands at = operands_of(lanes, insn); \
        enum isa_outcome outcome = ISA_NEXT;                 \
        (void)at, (void)pc;                                  \
        if (mask == lanes_all(lanes->width)) {               \
            INDEPENDENT                                      \
            for (u32 lane = 0; lane < lanes->width; lane++)  \
                STEP(class, action)                          \
            return outcome;                                  \
        }                                                    \
        for (; mask; mask &= mask - 1) {                     \
            u32 lane = (u32)__builtin_ctzll(mask);           \
            STEP(class, action)                              \
        }                                                    \
        return outcome;                                      \
    }

#define INSN(op, text, format, class, code, action) \
    static EXECUTOR(lanes_##op) EXECUTE(class, action)

/* Whether no lane can want another rounding mode than the host's. */
static inline bool sums_are_usual(const struct isa_lanes *lanes, const struct insn *insn)
{
    return insn->mode == ROUND_NEAREST_EVEN || (insn->mode == ROUND_DYNAMIC && !lanes->modes);
}

/* The short way of most, as in execute.c; from the first lane on that cannot take it, the whole
 * way. */
#define SUM(op, text, class, code, F, name, operator)                                     \
    static __attribute__((noinline)) EXECUTOR(whole_##op)                                 \
        EXECUTE(class, SETF(F##_##name(MODE, A, B, FLAGS))) static EXECUTOR(lanes_##op)   \
    {                                                                                     \
        const struct operands at = operands_of(lanes, insn);                              \
        for (bool usual = sums_are_usual(lanes, insn); usual && mask; mask &= mask - 1) { \
            u32 lane = (u32)__builtin_ctzll(mask);                                        \
            u64 bits = F##_bits(F##_unboxed(A) operator F##_unboxed(B));                  \
            if (!(FCSR & FLAG_INEXACT) || !F##_are_boxed(A, B) || !F##_is_plain(bits))    \
                break;                                                                    \
            SET(F##_box(bits));                                                           \
        }                                                                                 \
        return mask ? whole_##op(lanes, mask, pc, insn) : ISA_NEXT;                       \
    }
#define LOAD(op, text, format, code, bytes, value)
#define STORE(op, text, format, code, bytes)
#define ATOMIC(op, text, format, code, kind, bytes)
#include "ogive/isa_insn.def"

static EXECUTOR(lanes_memory)
{
    (void)lanes, (void)mask, (void)pc, (void)insn;
    return ISA_MEMORY;
}

static EXECUTOR(lanes_illegal)
{
    (void)lanes, (void)mask, (void)pc, (void)insn;
    return ISA_ILLEGAL;
}

typedef EXECUTOR(lanes_executor);

static lanes_executor *const lanes_executors[OP_COUNT] = {
    [OP_illegal] = lanes_illegal,
#define INSN(op, text, format, class, code, action) [OP_##op] = lanes_##op,
#define LOAD(op, text, format, code, bytes, value)  [OP_##op] = lanes_memory,
#define STORE(op, text, format, code, bytes)        [OP_##op] = lanes_memory,
#define ATOMIC(op, text, format, code, kind, bytes) [OP_##op] = lanes_memory,
#include "ogive/isa_insn.def"
};

/* Whether any lane has set a rounding mode that there is not, which makes what depends on it
 * illegal: to be known before the first lane has changed. */
static bool modes_broken(const struct isa_lanes *lanes, u64 mask, const struct insn *insn)
{
    u64 broken = 0;
    if (!lanes->modes || insn->mode != ROUND_DYNAMIC)
        return false;
    for (u32 lane = 0; lane < lanes->width; lane++)
        broken |= (u64)(lanes->fcsr[lane] >> 5 > ROUND_NEAREST_AWAY) << lane;
    return broken & mask;
}

enum isa_outcome isa_compute_lanes(struct isa_lanes *lanes, u64 mask, u64 pc,
                                   const struct insn *insn)
{
    if (modes_broken(lanes, mask, insn))
        return ISA_ILLEGAL;
    return lanes_executors[insn->op](lanes, mask, pc, insn);
}

enum isa_outcome isa_execute_lanes(struct isa_lanes *lanes, u64 mask, u64 pc,
                                   const struct insn *insn,
                                   const struct isa_environment *environment)
{
    isa_across *across =
        insn->op == OP_custom ? isa_custom_warp(environment->isa, insn).across : NULL;
    if (across)
        return lanes_across(lanes, mask, insn, across);
    if (insn->class == CLASS_CSR || insn->op == OP_custom)
        return lanes_in_turn(lanes, mask, pc, insn, environment);
    return isa_compute_lanes(lanes, mask, pc, insn);
}
