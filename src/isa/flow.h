/* flow.h - the ways of a program's threads, found in its text: where they meet again, and in which
 * order its instructions lie on them. */
#ifndef ISA_FLOW_H
#define ISA_FLOW_H

#include "ogive/isa.h"

/* Where threads go from the instruction at a halfword: to one place or two, which are filled in;
 * the text's count stands for an end. A call goes on behind itself; a return, and a jump to an
 * address from a register, is an end. */
u32 flow_after(const struct isa_program *text, u32 at, u32 after[2]);

/* For every halfword of the text the one where all ways from the instruction there meet: its
 * immediate post-dominator. ISA_MEETS_NOWHERE: not before the end of its function. */
void flow_find(const struct isa_program *text, u32 *meets);

/* For every halfword of the text its place in an order in which ways lead forward, but for those
 * from the head of a loop, and in which a loop is in one piece with its head at the end. */
void order_find(const struct isa_program *text, u32 *order);

/* Plain instructions touch registers only and never stop; of floating point, while the dynamic
 * rounding mode is none of the reserved ones. */
#define RUN_CLASSES                                                                             \
    (UINT32_C(1) << CLASS_INT_ADD | UINT32_C(1) << CLASS_INT_LOGIC |                            \
     UINT32_C(1) << CLASS_INT_SHIFT | UINT32_C(1) << CLASS_BRANCH | UINT32_C(1) << CLASS_JUMP | \
     UINT32_C(1) << CLASS_FP_ADD | UINT32_C(1) << CLASS_FP_MUL | UINT32_C(1) << CLASS_FP_FMA |  \
     UINT32_C(1) << CLASS_FP_COMPARE | UINT32_C(1) << CLASS_FP_CONVERT |                        \
     UINT32_C(1) << CLASS_FP_MOVE)
#define RUN_MAX 64

/* For every halfword of the text how many instructions a thread that comes there surely executes
 * that are all plain, whichever way it takes: at most RUN_MAX. */
void runs_find(const struct isa_program *text, u8 *runs);

#endif
