/* energy.c - what a sub-core's instructions cost, and how large it is: one fetch for a warp, all
 * else for each of its threads; every lane has pipelines of its own. */
#include "unit/parts/array.h"
#include "unit/parts/instruction_energy.h"
#include "unit/subcore/subcore.h"

#define FETCHES_WITHOUT_L0                                                                      \
    "an instruction from a cache of 4 KiB in 16 banks (13.49 pJ" SIMTRAX "); 0 if there is an " \
    "L0, which is charged by fetch"

/* clang-format off */
#define SUBCORE_ENERGY(E)                                                                             \
    E(fetch, issued, COST_DERIVED, FETCHES_WITHOUT_L0)                                             \
    E(l0, fetches, COST_DERIVED, "a fetch from an L0 of that size, as from a data cache" SIMTRAX)  \
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
    u64 l0 = u->fetches ? u->p.l0_size : 0;
    costs->energy[ENERGY_fetch] = l0 ? 0 : PJ_FETCH;
    costs->energy[ENERGY_l0] = l0 ? array_access_pj(l0) : 0;
    custom_energies(u->executors.customs, &costs->energy[ENERGY_custom0]);
    costs->area = threads * (MM2_REGISTERS + MM2_LOCAL_STORE) +
                  (l0 ? array_area_mm2(l0) : MM2_FETCH / CORES_PER_FETCH) +
                  lanes * pipelines_area(u->executors.classes);
}
