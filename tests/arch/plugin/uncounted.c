/* uncounted.c - a unit type whose energy is of something that nobody counts. */
#include "ogive/unit.h"

#define UNCOUNTED_PARAMS(P)
#define UNCOUNTED_STATS(S)
#define UNCOUNTED_RATIOS(R)
#define UNCOUNTED_PORTS(T)
#define UNCOUNTED_ENERGY(E) E(step, steps, 1.0, "of no statistic")

struct uncounted {
    struct unit base;
    UNIT_FIELDS(UNCOUNTED)
};

static cycle uncounted_tick(struct unit *unit, cycle now)
{
    (void)unit;
    (void)now;
    return NEVER;
}

UNIT_TYPE(uncounted, UNCOUNTED, "energy of nothing", .tick = uncounted_tick, UNIT_ENERGY(UNCOUNTED))

OGIVE_UNITS(&unit_type_uncounted)
