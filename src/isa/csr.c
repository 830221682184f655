/* csr.c - reads, writes, sets and clears control and status registers. fflags and frm are parts
 * of the one fcsr that a hart has. */
#include "isa/csr.h"

enum {
    CSR_FFLAGS = 0x001,
    CSR_FRM = 0x002,
    CSR_FCSR = 0x003,
    CSR_CYCLE = 0xc00,
    CSR_TIME = 0xc01,
    CSR_INSTRET = 0xc02,
};

const char *csr_name(u32 number)
{
    switch (number) {
    case CSR_FFLAGS:
        return "fflags";
    case CSR_FRM:
        return "frm";
    case CSR_FCSR:
        return "fcsr";
    case CSR_CYCLE:
        return "cycle";
    case CSR_TIME:
        return "time";
    case CSR_INSTRET:
        return "instret";
    default:
        return NULL;
    }
}

static u64 csr_read(const struct hart *hart, const struct isa_environment *environment, u32 number)
{
    switch (number) {
    case CSR_FFLAGS:
        return hart->fcsr & 31;
    case CSR_FRM:
        return hart->fcsr >> 5;
    case CSR_FCSR:
        return hart->fcsr;
    case CSR_CYCLE:
        return environment->cycle;
    case CSR_TIME:
        return environment->time;
    default:
        return environment->instret;
    }
}

static void csr_write(struct hart *hart, u32 number, u64 value)
{
    if (number == CSR_FFLAGS)
        hart->fcsr = (hart->fcsr & ~UINT32_C(31)) | (u32)(value & 31);
    else if (number == CSR_FRM)
        hart->fcsr = (hart->fcsr & 31) | (u32)(value & 7) << 5;
    else
        hart->fcsr = (u32)(value & 255);
}

bool csr_execute(struct hart *hart, const struct insn *insn,
                 const struct isa_environment *environment, enum csr_action action, u64 operand)
{
    u32 number = (u32)insn->immediate & 0xfff;
    /* To set or clear bits by x0 or by an immediate of 0 does not write at all. */
    bool writes = action == CSR_WRITE || insn->rs1 || insn->immediate >> 12;
    bool read_only = number >> 10 == 3;
    if (!csr_name(number) || (writes && read_only))
        return false;
    u64 old = csr_read(hart, environment, number);
    if (writes)
        csr_write(hart, number,
                  action == CSR_WRITE ? operand
                  : action == CSR_SET ? old | operand
                                      : old & ~operand);
    hart->r[insn->rd] = old;
    return true;
}
