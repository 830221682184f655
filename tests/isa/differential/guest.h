/* guest.h - small RISC-V programs made in memory, run by qemu-riscv64 and by the interpreter.
 *
 * A guest is text at GUEST_TEXT and data at GUEST_DATA; it speaks through write(1, ...) and ends
 * with exit. guest_run_qemu and guest_run_ogive return what it wrote. */
#ifndef TESTS_ISA_DIFFERENTIAL_GUEST_H
#define TESTS_ISA_DIFFERENTIAL_GUEST_H

#include "base/text.h"
#include "isa/encode.h"
#include "isa/interp.h"
#include "isa/table.h"

#define GUEST_TEXT        UINT32_C(0x10000)
#define GUEST_DATA        UINT32_C(0x400000)
#define GUEST_SCRATCH     GUEST_DATA         /* 4 KiB that loads and stores may touch */
#define GUEST_POOL        UINT32_C(0x401800) /* values to load: 4 KiB around GUEST_POOL_MIDDLE */
#define GUEST_POOL_MIDDLE UINT32_C(0x402000)
#define GUEST_RESULTS     UINT32_C(0x403000) /* not in the file, zero at the start */

#define SCRATCH_BYTES     4096
#define POOL_COUNT        512

struct guest {
    u8 *text;
    u32 text_bytes, text_capacity;
    u8 data[GUEST_RESULTS - GUEST_DATA];
    u64 results_bytes;
};

void guest_init(struct guest *guest, u64 results_bytes);
void guest_fini(struct guest *guest);

u64 *guest_pool(struct guest *guest);
u8 *guest_scratch(struct guest *guest);

/* ---- Machine code ---- */

u32 guest_here(const struct guest *guest);
void guest_emit(struct guest *guest, u32 bits); /* 2 or 4 bytes, by its lowest bits */
void guest_patch(struct guest *guest, u32 at, u32 bits);

/* rd = a number below 2^31. */
void guest_emit_constant(struct guest *guest, u32 rd, u32 value);
/* ecall with a7 = number; arguments are set already. */
void guest_emit_call(struct guest *guest, u32 number);
void guest_emit_exit(struct guest *guest);

/* Encoding of an instruction by its op, without operands. */
u32 code_of(enum isa_op op);

/* ---- Running ---- */

struct output {
    u8 *bytes;
    size_t length;
};

bool qemu_exists(void);
bool guest_run_qemu(const struct guest *guest, struct output *output);
/* Decodes and runs the same file; `stop` tells how it ended. */
bool guest_run_ogive(const struct guest *guest, const struct isa *isa, struct output *output);

#endif
