/* energy.c - what tests of boxes and triangles cost, from the operations that they are
 * (published.h).
 *
 * Nodes in a grid need 6 conversions besides: scaling and shifting are part of the differences and
 * products.
 * A step of a ray reads its 8 words and a stack entry of 2 from its slot; a ray that comes and goes
 * moves its 8 words in and its hit's 4 out. Scheduling itself is not known. */
#include "rt/format.h"
#include "unit/parts/published.h"
#include "unit/rtcore/rtcore.h"

#define MM2_BOX         (7 * MM2_FP_ADD + 6 * MM2_FP_MUL + 7 * MM2_FP_COMPARE)
#define MM2_TRIANGLE    (22 * MM2_FP_ADD + 21 * MM2_FP_MUL + MM2_FP_DIV + 9 * MM2_FP_COMPARE)

/* A thread's register file in SimTRaX. */
#define REGISTERS_BYTES 512

/* Of a slot besides its stack: ray 32, reciprocals 12, hit 16, trail 8. */
#define SLOT_BYTES      68

/* clang-format off */
#define RTCORE_ENERGY(E)                                                                           \
    E(box, boxes, COST_DERIVED,                                                                    \
      "7 additions, 6 multiplications, 7 comparisons (140.8 pJ), and 6 conversions for compressed "\
      "nodes (146.8 pJ); SimTRaX, 65 nm")                                                          \
    E(triangle, triangles, PJ_TRIANGLE,                                                            \
      "22 additions, 21 multiplications, a division, 9 comparisons; SimTRaX, 65 nm")               \
    E(node, slots_node, 10 * PJ_REGISTER, "a ray and a stack entry: 10 words of a register file")  \
    E(block, slots_block, 10 * PJ_REGISTER, "as for a node")                                       \
    E(cull, slots_cull, 2 * PJ_REGISTER, "a stack entry: 2 words of a register file")              \
    E(ray, rays, 12 * PJ_REGISTER, "a ray in and its hit out: 12 words of a register file")
/* clang-format on */

const struct energy_row rtcore_energy_rows[] = { RTCORE_ENERGY(UNIT_ENERGY_ROW){ 0 } };

void rtcore_costs(const struct unit *unit, struct unit_costs *costs)
{
    enum { BOX };
    const struct rtcore *u = (const struct rtcore *)unit;
    bool grid = node_formats[u->p.nodes]->grid;
    double lanes = (double)(u->p.box_pipes * u->p.box_width);
    double lane = MM2_BOX + (grid ? 6 * MM2_FP_CONVERT : 0);
    double slot = SLOT_BYTES + 8.0 * (double)u->p.stack;
    costs->energy[BOX] = PJ_BOX + (grid ? 6 * PJ_FP_CONVERT : 0);
    costs->area = lanes * lane + (double)u->p.triangle_pipes * MM2_TRIANGLE +
                  (double)u->p.rays * slot / REGISTERS_BYTES * MM2_REGISTERS;
}
