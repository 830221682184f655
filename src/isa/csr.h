/* csr.h - control and status registers: fflags, frm, fcsr, and the read-only counters cycle, time,
 * instret. All others, and writes to the counters, are illegal instructions. */
#ifndef ISA_CSR_H
#define ISA_CSR_H

#include "ogive/isa.h"

enum csr_action { CSR_WRITE, CSR_SET, CSR_CLEAR };

/* Does what a CSR instruction does with its operand; false if it is illegal. */
bool csr_execute(struct hart *hart, const struct insn *insn,
                 const struct isa_environment *environment, enum csr_action action, u64 operand);

/* "fcsr", or NULL. */
const char *csr_name(u32 number);

#endif
