/* energy.c - what instructions cost, and how large a core is.
 *
 * An instruction is fetched, moves three words from and to the register file (two read, one
 * written, as SimTRaX charges it), and computes. What it computes is charged here by its class,
 * wherever it executes: a shared unit does not know what it is asked for. Memory, RT cores and
 * other units that are sent messages charge for themselves. */
#include "unit/core/core.h"
#include "unit/parts/published.h"

#define REGISTER_ACCESSES 3

/* SimTRaX's run script: four instruction caches for the 32 cores of a TM. */
#define CORES_PER_FETCH   8

#define SIMTRAX           "; SimTRaX, 65 nm"
#define ADDS              "an integer addition" SIMTRAX
#define DIVIDES           "FPINV" SIMTRAX
#define MESSAGE           "nothing: the unit that is asked charges for it; unknown if the core computes one"

/* clang-format off */
#define CORE_ENERGY(E)                                                                             \
    E(fetch, issued, COST_DERIVED,                                                                 \
      "an instruction from a cache of 4 KiB in 16 banks (13.49 pJ" SIMTRAX "); 0 if `fetch` names "\
      "a unit, which charges for it")                                                              \
    E(registers, issued, REGISTER_ACCESSES * PJ_REGISTER,                                          \
      "two reads and a write of the register file, 7.896 pJ each" SIMTRAX)                         \
    E(private_load, loads_private, PJ_LOCAL_STORE, "a word of the local store" SIMTRAX)            \
    E(private_store, stores_private, PJ_LOCAL_STORE, "a word of the local store" SIMTRAX)          \
    E(int_add, issued_int_add, PJ_INT_ADD, "INTADD" SIMTRAX)                                       \
    E(int_logic, issued_int_logic, PJ_INT_ADD, "BITWISE" SIMTRAX)                                  \
    E(int_shift, issued_int_shift, PJ_INT_ADD, "BITWISE" SIMTRAX)                                  \
    E(int_mul, issued_int_mul, PJ_INT_MUL, "INTMUL" SIMTRAX)                                       \
    E(int_div, issued_int_div, PJ_FP_DIV, DIVIDES)                                                 \
    E(branch, issued_branch, PJ_INT_ADD, "BLT" SIMTRAX)                                            \
    E(jump, issued_jump, PJ_INT_ADD, "BLT" SIMTRAX)                                                \
    E(load, issued_load, PJ_INT_ADD, "the address: " ADDS)                                         \
    E(store, issued_store, PJ_INT_ADD, "the address: " ADDS)                                       \
    E(atomic, issued_atomic, PJ_INT_ADD, "the operation: " ADDS)                                   \
    E(fence, issued_fence, 0.0, "nothing but fetch and registers")                                 \
    E(csr, issued_csr, 0.0, "nothing but fetch and registers")                                     \
    E(system, issued_system, 0.0, "nothing but fetch and registers")                               \
    E(fp_add, issued_fp_add, PJ_FP_ADD, "FPADD" SIMTRAX)                                           \
    E(fp_mul, issued_fp_mul, PJ_FP_MUL, "FPMUL" SIMTRAX)                                           \
    E(fp_fma, issued_fp_fma, PJ_FP_MUL + PJ_FP_ADD, "FPMUL and FPADD, as fmadd.w" SIMTRAX)         \
    E(fp_div, issued_fp_div, PJ_FP_DIV, DIVIDES)                                                   \
    E(fp_sqrt, issued_fp_sqrt, PJ_FP_DIV, DIVIDES)                                                 \
    E(fp_compare, issued_fp_compare, PJ_FP_COMPARE, "FPCMP, FPMIN" SIMTRAX)                        \
    E(fp_convert, issued_fp_convert, PJ_FP_CONVERT, "CONV" SIMTRAX)                                \
    E(fp_move, issued_fp_move, 0.0, "nothing but fetch and registers, as moves in SimTRaX")        \
    E(custom0, issued_custom0, 0.0, MESSAGE)                                                       \
    E(custom1, issued_custom1, 0.0, MESSAGE)                                                       \
    E(custom2, issued_custom2, 0.0, MESSAGE)                                                       \
    E(custom3, issued_custom3, 0.0, MESSAGE)
/* clang-format on */

enum {
#define CORE_ENERGY_NUMBER(name, counter, picojoules, help) ENERGY_##name,
    CORE_ENERGY(CORE_ENERGY_NUMBER) ENERGY_COUNT
};

_Static_assert(ENERGY_COUNT <= UNIT_ENERGIES_MAX, "a unit has no more energies");

/* The lines of classes stand in the order of the enum, so that one follows from the other. */
_Static_assert(ENERGY_COUNT - ENERGY_int_add == CLASS_COUNT - CLASS_INT_ADD, "one per class");
_Static_assert(ENERGY_fp_sqrt - ENERGY_int_add == CLASS_FP_SQRT - CLASS_INT_ADD, "in order");

const struct energy_row core_energy_rows[] = { CORE_ENERGY(UNIT_ENERGY_ROW){ 0 } };

/* Pipelines that a core has for itself, by class. */
static const struct {
    u8 class;
    double mm2;
} pipelines[] = {
    { CLASS_INT_ADD, MM2_INT_ADD }, { CLASS_INT_LOGIC, MM2_INT_ADD },
    { CLASS_BRANCH, MM2_INT_ADD },  { CLASS_INT_MUL, MM2_INT_MUL },
    { CLASS_FP_ADD, MM2_FP_ADD },   { CLASS_FP_MUL, MM2_FP_MUL },
    { CLASS_FP_DIV, MM2_FP_DIV },   { CLASS_FP_COMPARE, MM2_FP_COMPARE },
    { CLASS_FP_SQRT, MM2_FP_DIV },  { CLASS_FP_CONVERT, MM2_FP_CONVERT },
    { CLASS_INT_DIV, MM2_FP_DIV },
};

void core_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct core *u = (const struct core *)unit;
    const struct isa *isa = isa_shared();
    bool fetches = u->instructions == PORT_NONE;
    costs->energy[ENERGY_fetch] = fetches ? PJ_FETCH : 0;
    /* What an instruction of somebody's own computes here, nobody has published. */
    for (u32 i = 0; i < isa_custom_count(isa); i++)
        if (isa_custom_at(isa, i)->execute && u->customs[i].port == PORT_NONE)
            costs->energy[ENERGY_custom0 + isa_custom_at(isa, i)->space] = COST_UNKNOWN;
    costs->area = (double)u->p.threads * (MM2_REGISTERS + MM2_LOCAL_STORE);
    if (fetches)
        costs->area += MM2_FETCH / CORES_PER_FETCH;
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
        if (u->classes[pipelines[i].class].port == PORT_NONE)
            costs->area += pipelines[i].mm2;
}

double core_issue_pj(const double *energy, u32 class)
{
    double all = energy[ENERGY_fetch] + energy[ENERGY_registers];
    return class == CLASS_ILLEGAL ? all : all + energy[ENERGY_int_add + class - CLASS_INT_ADD];
}
