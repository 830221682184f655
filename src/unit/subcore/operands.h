/* operands.h - reading registers: banks, their ports, and what gathers the operands of an
 * instruction.
 *
 *   at_once     all operands of any instruction in the cycle in which it issues
 *   collectors  a collector unit takes an issued instruction, reads its operands as the banks'
 *               ports and its own allow, and lets it go on with the last: the unit is occupied
 *               until then, and the result comes later by as many cycles as the reads took
 *               longer than one. As GPGPU-Sim has it: two units for a sub-core, a register's bank
 *               depends on the warp too.
 *   window      no collectors: an instruction of fixed latency has its ports reserved for a window
 *               of cycles, and if its reads do not fit nothing issues until they do. As Huerta et
 *               al. found it in NVIDIA's cores, "Dissecting and Modeling the Architecture of Modern
 *               GPU Cores" (MICRO 2025): window of 3 cycles, 2 banks with one read port. What other
 *               units execute reads its operands beside that, without conflicts.
 *
 * A register cache keeps, for each bank and operand position, the last registers that the next
 * instruction of the same warp reads at the same position (what compilers mark as `reuse`); such a
 * read needs no port. One entry there in NVIDIA's cores (same source).
 *
 * The latencies of `execute` are measured from issue to issue and so hold the cycle of a read
 * without conflicts. Ports serve reads in the order of issue. Always true: a bank has no more reads
 * in a cycle than ports. */
#ifndef UNIT_SUBCORE_OPERANDS_H
#define UNIT_SUBCORE_OPERANDS_H

#include "ogive/isa.h"
#include "ogive/unit.h"

#define OPERANDS_BANKS_MAX       16
#define OPERANDS_COLLECTORS_MAX  16
#define OPERANDS_CACHED_MAX      4
#define OPERANDS_POSITIONS       3 /* rs1, rs2, rs3 */

#define OPERANDS_WAYS(C, with)   C(at_once, with) C(collectors, with) C(window, with)
#define OPERANDS_PLACES(C, with) C(by_register, with) C(by_register_and_warp, with)

#define OPERANDS_PARAMS(P)                                                                    \
    P(choice, operands, "at_once", UNIT_CHOICES(OPERANDS_WAYS), 0,                            \
      "how operands are read: all at once; by collector units; in a window of fixed length")  \
    P(number, register_banks, 2, 1, OPERANDS_BANKS_MAX, "register banks")                     \
    P(choice, bank_of, "by_register", UNIT_CHOICES(OPERANDS_PLACES), 0,                       \
      "the bank of a register: its number modulo the banks, or that plus the warp's")         \
    P(number, register_ports, 1, 1, 8, "reads of a register bank in a cycle")                 \
    P(number, collectors, 2, 1, OPERANDS_COLLECTORS_MAX, "collector units")                   \
    P(number, collector_ports, 3, 1, 8, "operands that a collector unit takes in a cycle")    \
    P(cycles, read_window, 3, 3, 16, "cycles in which an instruction of fixed latency reads") \
    P(number, register_cache, 0, 0, OPERANDS_CACHED_MAX,                                      \
      "entries of the register cache for each bank and operand position; 0: there is none")

#define OPERANDS_STATS(S)                                                                          \
    S(operand_reads, "registers", SUM, WORK,                                                       \
      "registers that issued instructions read, unless "                                           \
      "all are read at once")                                                                      \
    S(register_conflicts, "registers", SUM, WORK, "of these, later because of others of the bank") \
    S(register_hits, "registers", SUM, WORK, "of these, found in the register cache")

enum operands_way { OPERANDS_WAYS(UNIT_CHOICE_VALUE, OPERANDS_) };
enum operands_place { OPERANDS_PLACES(UNIT_CHOICE_VALUE, OPERANDS_) };

/* The read ports of a bank: all are taken before `at`, and `used` of them in it. */
struct operands_bank {
    cycle at;
    u64 used;
};

struct operands {
    cycle held; /* window: nothing issues before */
    cycle read; /* when the last operand of the instruction that issues now is; 0: at once */
    cycle free_at[OPERANDS_COLLECTORS_MAX];
    struct operands_bank banks[OPERANDS_BANKS_MAX];
    u16 cached[OPERANDS_BANKS_MAX][OPERANDS_POSITIONS][OPERANDS_CACHED_MAX];
};

struct subcore;
struct subcore_warp;

u32 operands_bank(const struct subcore *u, const struct subcore_warp *warp, u32 number);

/* Whether the operands of an instruction can be read from now on; else from when on that is to be
 * tried again. */
bool operands_fit(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                  cycle *again, cycle now);
/* It has issued: its reads take place. */
void operands_take(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                   cycle now);

#endif
