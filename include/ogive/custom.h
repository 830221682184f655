/* custom.h - instructions of your own, in the opcode spaces custom-0 to custom-3.
 *
 * An instruction is a row of a table. It is either a function that the core computes, or a message
 * to a unit, which answers with the result; the core's parameter `execute` says to which
 * (custom.NAME). Programs use it through the assembler's .insn directive; no toolchain needs to be
 * rebuilt.
 *
 * Operands are letters separated by commas: d, s, t, r for rd, rs1, rs2, rs3 among the integer
 * registers, D, S, T, R among the floating-point ones; a number behind d, D, s or S makes it a
 * block of that many consecutive registers ("D4,S8"). docs/isa.md has all of it.
 *
 * Up to four values travel in a message as 64 bits each (data.dword), five to eight as 32 bits each
 * (data.word): eight floats fill it, and a ninth value travels in message.mask. The answer gives
 * the result the same way. message.kind is the row's `message`.
 *
 * A shared object with units brings instructions with OGIVE_CUSTOMS({ ... }, { ... }). It has to be
 * loaded before a chip is built, whose cores have a place for each instruction that there is then:
 * while a chip exists, new ones are refused. */
#ifndef OGIVE_CUSTOM_H
#define OGIVE_CUSTOM_H

#include "ogive/types.h"

/* Computes rd; operands that the instruction does not have are 0. */
typedef u64 isa_function(u64 rs1, u64 rs2, u64 rs3, i64 immediate);

#define ISA_ANY (-1)

/* A row of the custom table. The strings and the row itself are copied by isa_add. */
struct isa_custom {
    const char *name;
    int space;             /* opcode custom-0 to custom-3 */
    int funct3;            /* 0-7, or ISA_ANY if those bits hold an operand */
    int funct7;            /* 0-127, or ISA_ANY; with an rs3 operand 0-3: the lower two bits */
    const char *operands;  /* letters, see above */
    isa_function *execute; /* NULL: a message to a unit */
    u32 message;           /* for that unit's eyes only */
};

/* Computes rd for all threads of a warp at once: those in `lanes` execute it, and have theirs
 * written. rd overlaps no operand. */
typedef void isa_across(u64 *rd, const u64 *rs1, const u64 *rs2, u64 lanes, u32 width);

/* How an instruction is for warps, on SIMT machines. One for whole warps waits until all threads of
 * its warp stand at such ones. What it computes is then of all that stand at this one, wherever a
 * compiler has put copies of it. A message is one for all that execute it; message.mask says how
 * many these are, and it goes when their own stores and atomics are done. */
struct isa_warp {
    bool whole;         /* it is one for whole warps */
    bool gathers;       /* its answer waits for other threads: at a barrier, for a ray */
    bool parts;         /* threads go on as they are answered: one may wait for what another gets */
    isa_across *across; /* what a whole one computes; NULL: a message */
};

struct custom_library {
    u32 count;
    const struct isa_custom *rows;
};

#define OGIVE_CUSTOMS(...)                                                \
    static const struct isa_custom ogive_custom_rows[] = { __VA_ARGS__ }; \
    extern const struct custom_library ogive_custom_library;              \
    const struct custom_library ogive_custom_library = {                  \
        sizeof ogive_custom_rows / sizeof *ogive_custom_rows,             \
        ogive_custom_rows,                                                \
    };

#endif
