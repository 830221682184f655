/* tracer.c - a unit type that says it traces rays, and leaves something out: where it keeps the
 * place of its tree (LACKS_TREE), what it has followed (LACKS_FOLLOWED), a counter of its rays
 * (LACKS_COUNTER). Or one that leaves nothing out, and wants a format that there is not. */
#include "ogive/tracer.h"

#define TRACER_PARAMS(P)
#define TRACER_STATS(S) S(traced, "rays", SUM, WORK, "rays finished")
#define TRACER_RATIOS(R)
#define TRACER_PORTS(T)

struct tracer {
    struct unit base;
    UNIT_FIELDS(TRACER)
    struct tree_place tree;
};

static cycle tracer_tick(struct unit *unit, cycle now)
{
    (void)unit;
    (void)now;
    return NEVER;
}

static void tracer_wants(const struct unit *unit, struct tree_wanted *wanted)
{
    (void)unit;
    wanted->nodes = UINT32_MAX;
}

#ifndef LACKS_TREE
static struct tree_place *tracer_tree(struct unit *unit)
{
    return &((struct tracer *)unit)->tree;
}
#endif

#ifdef LACKS_FOLLOWED
static bool tracer_follow(struct unit *unit, u32 limit, struct ogv_error *error)
{
    (void)unit;
    (void)limit;
    (void)error;
    return true;
}
#endif

static const struct ray_role tracer_rays = {
    .wants = tracer_wants,
#ifdef LACKS_COUNTER
    .rays = "rays",
#else
    .rays = "traced",
#endif
#ifndef LACKS_TREE
    .tree = tracer_tree,
#endif
#ifdef LACKS_FOLLOWED
    .follow = tracer_follow,
#endif
};

UNIT_TYPE(tracer, TRACER, "traces no rays", .tick = tracer_tick, .rays = &tracer_rays)

OGIVE_UNITS(&unit_type_tracer)
