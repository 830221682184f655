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

/* For every halfword of the text its place in an order in which ways lead forward but for those
 * back to where a loop begins, and in which a loop is in one piece. */
void order_find(const struct isa_program *text, u32 *order);

#endif
