/* flow.h - where the ways of a program's threads meet again, found in its text. */
#ifndef ISA_FLOW_H
#define ISA_FLOW_H

#include "ogive/isa.h"

/* For every halfword of the text the one where all ways from the instruction there meet: its
 * immediate post-dominator. ISA_MEETS_NOWHERE: not before the end of its function. A call goes on
 * behind itself; a return, and a jump to an address from a register, is an end. */
void flow_find(const struct isa_program *text, u32 *meets);

#endif
