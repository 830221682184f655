/* instruction_energy.h - what instructions cost by class, for whoever runs programs.
 *
 * An instruction is fetched, moves three words from and to the register file (two read, one
 * written, as SimTRaX charges it), and computes. What it computes is charged where it issues, by
 * its class, wherever it executes: a shared unit does not know what it is asked for. Memory, RT
 * cores and other units that are sent messages charge for themselves. */
#ifndef UNIT_PARTS_INSTRUCTION_ENERGY_H
#define UNIT_PARTS_INSTRUCTION_ENERGY_H

#include "unit/parts/executors.h"
#include "unit/parts/published.h"

#define REGISTER_ACCESSES 3

/* SimTRaX's run script: four instruction caches for the 32 cores of a TM. */
#define CORES_PER_FETCH   8

#define SIMTRAX           "; SimTRaX, 65 nm"
#define ADDS              "an integer addition" SIMTRAX
#define DIVIDES           "FPINV" SIMTRAX
#define MESSAGE           "nothing: the unit that is asked charges for it; unknown if the core computes one"
#define FETCHES                                                                                   \
    "an instruction from a cache of 4 KiB in 16 banks (13.49 pJ" SIMTRAX "); 0 if `fetch` names " \
    "a unit, which charges for it"
#define MOVES_WORDS "two reads and a write of the register file, 7.896 pJ each" SIMTRAX

/* clang-format off */
/* In the order of enum isa_class; the counters are called BY_int_add and so on. */
#define INSTRUCTION_ENERGY(E, by)                                                                  \
    E(int_add, by##_int_add, PJ_INT_ADD, "INTADD" SIMTRAX)                                       \
    E(int_logic, by##_int_logic, PJ_INT_ADD, "BITWISE" SIMTRAX)                                  \
    E(int_shift, by##_int_shift, PJ_INT_ADD, "BITWISE" SIMTRAX)                                  \
    E(int_mul, by##_int_mul, PJ_INT_MUL, "INTMUL" SIMTRAX)                                       \
    E(int_div, by##_int_div, PJ_FP_DIV, DIVIDES)                                                 \
    E(branch, by##_branch, PJ_INT_ADD, "BLT" SIMTRAX)                                            \
    E(jump, by##_jump, PJ_INT_ADD, "BLT" SIMTRAX)                                                \
    E(load, by##_load, PJ_INT_ADD, "the address: " ADDS)                                         \
    E(store, by##_store, PJ_INT_ADD, "the address: " ADDS)                                       \
    E(atomic, by##_atomic, PJ_INT_ADD, "the operation: " ADDS)                                   \
    E(fence, by##_fence, 0.0, "nothing but fetch and registers")                                 \
    E(csr, by##_csr, 0.0, "nothing but fetch and registers")                                     \
    E(system, by##_system, 0.0, "nothing but fetch and registers")                               \
    E(fp_add, by##_fp_add, PJ_FP_ADD, "FPADD" SIMTRAX)                                           \
    E(fp_mul, by##_fp_mul, PJ_FP_MUL, "FPMUL" SIMTRAX)                                           \
    E(fp_fma, by##_fp_fma, PJ_FP_MUL + PJ_FP_ADD, "FPMUL and FPADD, as fmadd.w" SIMTRAX)         \
    E(fp_div, by##_fp_div, PJ_FP_DIV, DIVIDES)                                                   \
    E(fp_sqrt, by##_fp_sqrt, PJ_FP_DIV, DIVIDES)                                                 \
    E(fp_compare, by##_fp_compare, PJ_FP_COMPARE, "FPCMP, FPMIN" SIMTRAX)                        \
    E(fp_convert, by##_fp_convert, PJ_FP_CONVERT, "CONV" SIMTRAX)                                \
    E(fp_move, by##_fp_move, 0.0, "nothing but fetch and registers, as moves in SimTRaX")        \
    E(custom0, by##_custom0, 0.0, MESSAGE)                                                       \
    E(custom1, by##_custom1, 0.0, MESSAGE)                                                       \
    E(custom2, by##_custom2, 0.0, MESSAGE)                                                       \
    E(custom3, by##_custom3, 0.0, MESSAGE)
/* clang-format on */

/* Square millimetres of the pipelines that a core or a lane has for itself. */
double pipelines_area(const struct executor *classes);

/* Marks the energies of spaces, from custom0 on, in which the core computes instructions of
 * somebody's own: nobody has published what those cost. */
void custom_energies(const struct executor *customs, double *energies);

#endif
