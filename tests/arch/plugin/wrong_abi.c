/* wrong_abi.c - as if it was compiled for another version of the unit interface. */
#include "ogive/unit.h"

extern const struct unit_library ogive_unit_library;
const struct unit_library ogive_unit_library = { OGIVE_UNIT_ABI + 1, 0, NULL };
