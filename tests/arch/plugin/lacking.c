/* lacking.c - a unit type without a step function. */
#include "ogive/unit.h"

extern const struct unit_type unit_type_lacking;
const struct unit_type unit_type_lacking = { .name = "lacking" };

OGIVE_UNITS(&unit_type_lacking)
