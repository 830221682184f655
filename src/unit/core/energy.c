/* energy.c - what a core's instructions cost, and how large it is. */
#include "unit/core/core.h"
#include "unit/parts/instruction_energy.h"

/* clang-format off */
#define CORE_ENERGY(E)                                                                             \
    E(fetch, issued, COST_DERIVED, FETCHES)                                                        \
    E(registers, issued, REGISTER_ACCESSES * PJ_REGISTER, MOVES_WORDS)                             \
    E(private_load, loads_private, PJ_LOCAL_STORE, "a word of the local store" SIMTRAX)            \
    E(private_store, stores_private, PJ_LOCAL_STORE, "a word of the local store" SIMTRAX)          \
    INSTRUCTION_ENERGY(E, issued)
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

void core_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct core *u = (const struct core *)unit;
    bool fetches = u->instructions == PORT_NONE;
    costs->energy[ENERGY_fetch] = fetches ? PJ_FETCH : 0;
    custom_energies(u->customs, &costs->energy[ENERGY_custom0]);
    costs->area = (double)u->p.threads * (MM2_REGISTERS + MM2_LOCAL_STORE);
    if (fetches)
        costs->area += MM2_FETCH / CORES_PER_FETCH;
    costs->area += pipelines_area(u->classes);
}

double core_issue_pj(const double *energy, u32 class)
{
    double all = energy[ENERGY_fetch] + energy[ENERGY_registers];
    return class == CLASS_ILLEGAL ? all : all + energy[ENERGY_int_add + class - CLASS_INT_ADD];
}
