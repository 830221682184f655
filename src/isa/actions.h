/* actions.h - the vocabulary of the action column of isa_insn.def.
 *
 * Whoever includes the rows to execute them says first where a hart's state is, by
 *
 *     R(field)        the register that a field of the instruction names: R(rs1)
 *     PC, FCSR        what they say
 *     STOP(outcome), CSR(action, operand)
 *
 * with `insn` and `next`, the pc to go on at, as variables. */
#ifndef ISA_ACTIONS_H
#define ISA_ACTIONS_H

#include "isa/fp.h"
#include "isa/integer.h"

static inline u32 rounding_mode(u32 fcsr, const struct insn *insn)
{
    return insn->mode == ROUND_DYNAMIC ? fcsr >> 5 : insn->mode;
}

/* Whether a sum that is a plain number changes no flag: inexact is set, rounding is to nearest
 * (fp.h says why that is enough). */
static inline bool sum_is_usual(const struct hart *hart, const struct insn *insn)
{
    bool nearest = (1u << ROUND_NEAREST_EVEN | 1u << ROUND_DYNAMIC) >> insn->mode & 1;
    return (hart->fcsr & (FCSR_MODE | FLAG_INEXACT)) == FLAG_INEXACT && nearest;
}

#define A           R(rs1)
#define B           R(rs2)
#define C           R(rs3)
#define IMM         ((u64)insn->immediate)
#define ZIMM        ((u64)(u32)insn->immediate >> 12)
#define MODE        mode
#define FLAGS       &FCSR
#define BOX(value)  f32_box((u32)(value))

#define SET(value)  R(rd) = (value)
#define SETW(value) R(rd) = (u64)(int32_t)(value)
#define SETF(value)                       \
    u32 mode = rounding_mode(FCSR, insn); \
    if (mode > ROUND_NEAREST_AWAY)        \
        return ISA_ILLEGAL;               \
    SET(value)
#define JUMP(target)   \
    u64 to = (target); \
    SET(next);         \
    next = to
#define BRANCH(condition) \
    if (condition)        \
    next = PC + IMM

#endif
