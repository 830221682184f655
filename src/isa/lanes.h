/* lanes.h - one instruction for many harts that stand at the same pc, as the lanes of a warp.
 *
 * The values of a register for all lanes lie side by side, so that the host computes several at
 * once. What an instruction does is the same row of isa_insn.def that isa_execute has. */
#ifndef ISA_LANES_H
#define ISA_LANES_H

#include "ogive/isa.h"

#define LANES_MAX 64

struct isa_lanes {
    u32 width;
    bool modes; /* a lane may have another rounding mode than to nearest */
    u64 *pc;    /* [width] where lanes go on after a branch or jump; else nobody's business here */
    u32 *fcsr;  /* [width] */
    u64 *r;     /* [REGISTER_NONE + 1][width] */
};

static inline u64 *lanes_register(const struct isa_lanes *lanes, u32 number)
{
    return &lanes->r[(size_t)number * lanes->width];
}

/* All of them. */
static inline u64 lanes_all(u32 width)
{
    return ~UINT64_C(0) >> (LANES_MAX - width);
}

/* Executes the instruction at `pc` for the lanes of a mask, of which there must be one. ISA_NEXT:
 * done; a branch or jump has left the pc of each of these lanes, after any other instruction it is
 * behind it. Else nothing has changed, as with isa_execute. */
enum isa_outcome isa_execute_lanes(struct isa_lanes *lanes, u64 mask, u64 pc,
                                   const struct insn *insn,
                                   const struct isa_environment *environment);

/* The same for an instruction that is neither of somebody's own nor of class CSR. */
enum isa_outcome isa_compute_lanes(struct isa_lanes *lanes, u64 mask, u64 pc,
                                   const struct insn *insn);

/* For what is done hart by hart: the registers that an instruction reads, and fcsr, into a hart;
 * and those that it writes, and fcsr, back. */
void lane_load(const struct isa_lanes *lanes, u32 lane, const struct insn *insn, struct hart *hart);
void lane_store(struct isa_lanes *lanes, u32 lane, const struct insn *insn,
                const struct hart *hart);

#endif
