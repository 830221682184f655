/* two_level.h - the issue policy `two_level`: a few active warps take turns, the others stand by.
 */
#ifndef UNIT_SUBCORE_TWO_LEVEL_H
#define UNIT_SUBCORE_TWO_LEVEL_H

#include "ogive/unit.h"

struct subcore;

#define TWO_LEVEL_PARAMS(P)                                                                    \
    P(number, active_warps, 4, 1, 64,                                                          \
      "with the policy two_level: warps that take turns; one that waits for memory or a unit " \
      "makes room for another")

struct two_level {
    u64 active;  /* warps that take turns; of another policy: none */
    u64 pending; /* warps that could go on and wait for a place among them */
    u32 last;    /* the one that was made active last */
};

/* Whether a warp that could go on is active; if not, it is pending from now on. */
bool two_level_admit(struct subcore *u, u32 warp);
/* The warp waits for others, or has ended. */
void two_level_leave(struct subcore *u, u32 warp);
/* Whether a pending warp can be made active; makes as many active as can be, in turn. */
bool two_level_has_room(const struct subcore *u);
void two_level_promote(struct subcore *u, cycle now);

#endif
