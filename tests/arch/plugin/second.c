/* second.c - another library with a unit type, to change what is loaded before what. */
#include "ogive/unit.h"

#define HOLE_PARAMS(P)
#define HOLE_STATS(S) S(taken, "messages", SUM, WORK, "messages that were never seen again")
#define HOLE_RATIOS(R)
#define HOLE_PORTS(T) T(in, RECEIVES, SOME, "where messages come from")

struct hole {
    struct unit base;
    UNIT_FIELDS(HOLE)
};

static cycle hole_tick(struct unit *unit, cycle now)
{
    struct hole *u = (struct hole *)unit;
    (void)now;
    for (u32 i = 0; i < u->w.in.count; i++) {
        if (link_peek(u->w.in.at[i].in)) {
            link_pop(u->w.in.at[i].in);
            u->s.taken++;
        }
    }
    return NEVER;
}

UNIT_TYPE(hole, HOLE, "bottomless hole", .tick = hole_tick)

OGIVE_UNITS(&unit_type_hole)
