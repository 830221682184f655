/* energy.c - what a sub-core's instructions cost, and how large it is: one fetch for a warp, all
 * else for each of its threads; every lane has pipelines of its own. */
#include "unit/parts/instruction_energy.h"
#include "unit/subcore/subcore.h"

/* clang-format off */
#define SUBCORE_ENERGY(E)                                                                             \
    E(fetch, issued, COST_DERIVED, FETCHES)                                                        \
    E(registers, executed, REGISTER_ACCESSES * PJ_REGISTER, MOVES_WORDS)                             \
    E(private_load, loads_private, PJ_LOCAL_STORE, "a word of the local store" SIMTRAX)            \
    E(private_store, stores_private, PJ_LOCAL_STORE, "a word of the local store" SIMTRAX)          \
    INSTRUCTION_ENERGY(E, executed)
/* clang-format on */

enum {
#define SUBCORE_ENERGY_NUMBER(name, counter, picojoules, help) ENERGY_##name,
    SUBCORE_ENERGY(SUBCORE_ENERGY_NUMBER) ENERGY_COUNT
};

_Static_assert(ENERGY_COUNT <= UNIT_ENERGIES_MAX, "a unit has no more energies");

/* The lines of classes stand in the order of the enum, so that one follows from the other. */
_Static_assert(ENERGY_COUNT - ENERGY_int_add == CLASS_COUNT - CLASS_INT_ADD, "one per class");
_Static_assert(ENERGY_fp_sqrt - ENERGY_int_add == CLASS_FP_SQRT - CLASS_INT_ADD, "in order");

const struct energy_row subcore_energy_rows[] = { SUBCORE_ENERGY(UNIT_ENERGY_ROW){ 0 } };

void subcore_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct subcore *u = (const struct subcore *)unit;
    double threads = (double)(u->p.warps * u->p.width), lanes = (double)u->p.width;
    costs->energy[ENERGY_fetch] = PJ_FETCH;
    custom_energies(u->executors.customs, &costs->energy[ENERGY_custom0]);
    costs->area = threads * (MM2_REGISTERS + MM2_LOCAL_STORE) + MM2_FETCH / CORES_PER_FETCH +
                  lanes * pipelines_area(u->executors.classes);
}
