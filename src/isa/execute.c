/* execute.c - what instructions do: each row of isa_insn.def becomes a function of a few lines.
 *
 * Functions rather than one large switch, because then an addition does not save and restore the
 * registers that a square root needs (3.1 ns against 2.1 ns, see bench/isa.c).
 *
 * An instruction writes rd last, so that it may be one of its own sources. Anything that cannot be
 * finished here leaves through STOP before it has changed anything. */
#include "isa/actions.h"
#include "isa/csr.h"
#include "isa/table.h"

void hart_init(struct hart *hart, u64 pc)
{
    *hart = (struct hart){ .pc = pc, .reservation = NEVER };
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

#define R(field)  hart->r[insn->field]
#define PC        hart->pc
#define FCSR      hart->fcsr
#define STOP(why) return ISA_##why
#define CSR(action, operand)                                          \
    if (!csr_execute(hart, insn, environment, CSR_##action, operand)) \
    return ISA_ILLEGAL

/* Most jumps leave nothing behind: the cache line of REGISTER_NONE is spared for once. */
#undef JUMP
#define JUMP(target)               \
    u64 to = (target);             \
    if (insn->rd != REGISTER_NONE) \
        SET(next);                 \
    next = to

#define EXECUTOR(name)                                                \
    enum isa_outcome name(struct hart *hart, const struct insn *insn, \
                          const struct isa_environment *environment)

#define EXECUTE(action)                     \
    {                                       \
        (void)environment;                  \
        u64 next = hart->pc + insn->length; \
        action;                             \
        hart->pc = next;                    \
        return ISA_NEXT;                    \
    }

#define INSN(op, text, format, class, code, action) static EXECUTOR(execute_##op) EXECUTE(action)

/* What the short way calls with what it was given itself: had it to take that apart for a copy of
 * the function made for it, it would need more registers. */
#ifdef __clang__
#define WHOLE __attribute__((noinline))
#else
#define WHOLE __attribute__((noinline, noclone, noipa))
#endif

/* The short way of most, which needs no frame for what the whole way may call. */
#define SUM(op, text, class, code, F, name, operator)                               \
    static WHOLE EXECUTOR(whole_##op)                                               \
        EXECUTE(SETF(F##_##name(MODE, A, B, FLAGS))) static EXECUTOR(execute_##op)  \
    {                                                                               \
        if (__builtin_expect(sum_is_usual(hart, insn) && F##_are_boxed(A, B), 1)) { \
            u64 bits = F##_bits(F##_unboxed(A) operator F##_unboxed(B));            \
            if (__builtin_expect(F##_is_plain(bits), 1)) {                          \
                SET(F##_box(bits));                                                 \
                hart->pc += insn->length;                                           \
                return ISA_NEXT;                                                    \
            }                                                                       \
        }                                                                           \
        return whole_##op(hart, insn, environment);                                 \
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
