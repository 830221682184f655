/* instruction.c - a library with no unit types, only an instruction. */
#include "ogive/custom.h"
#include "ogive/unit.h"

static u64 twice(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs2, (void)rs3, (void)immediate;
    return 2 * rs1;
}

OGIVE_CUSTOMS({ "twice", 3, 6, 0, "d,s", twice, 0 })

OGIVE_UNITS_NONE
