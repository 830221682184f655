/* misnamed.c - a unit type with a resource of something that nobody counts. */
#include "ogive/explain.h"
#include "ogive/unit.h"

#define MISNAMED_PARAMS(P)
#define MISNAMED_STATS(S) S(bytes, "bytes", SUM, WORK, "data passed")
#define MISNAMED_RATIOS(R)
#define MISNAMED_PORTS(T)

struct misnamed {
    struct unit base;
    UNIT_FIELDS(MISNAMED)
};

static cycle misnamed_tick(struct unit *unit, cycle now)
{
    (void)unit;
    (void)now;
    return NEVER;
}

static const struct resource_row misnamed_resource_rows[] = {
    { .name = "bandwidth", .kind = RESOURCE_WORK, .capacity = "1", .used = "byts" },
    { 0 },
};

UNIT_TYPE(misnamed, MISNAMED, "use of nothing", .tick = misnamed_tick,
          .resources = misnamed_resource_rows)

OGIVE_UNITS(&unit_type_misnamed)
