/* stack.h - reconvergence by a stack of ways, for warp.c. */
#ifndef UNIT_SUBCORE_STACK_H
#define UNIT_SUBCORE_STACK_H

#include "ogive/unit.h"

struct subcore_warp;

#define SUBCORE_RECONVERGENCES(C, with) C(least_pc, with) C(stack, with) C(order, with)

#define STACK_PARAMS(P)                                                                            \
    P(choice, reconvergence, "least_pc", UNIT_CHOICES(SUBCORE_RECONVERGENCES), 0,                  \
      "which threads of a warp go on where they have come apart: those deepest in calls and then " \
      "furthest behind; those on the way taken last, up to where all ways meet; those deepest in " \
      "calls and then first in the order of the program's ways")

enum subcore_reconvergence { SUBCORE_RECONVERGENCES(UNIT_CHOICE_VALUE, RECONVERGENCE_) };

/* A way that threads took where others took another one. */
struct warp_way {
    u64 lanes; /* that are on it, dead ones included */
    u64 meets; /* the pc where it ends, */
    u64 sp;    /* with this stack pointer or a greater one */
};

struct warp_stack {
    struct warp_way *ways; /* [2 width]; NULL: another policy */
    u32 depth;             /* 0: nobody waits for anybody */
};

/* With the policy `order`. */
struct warp_order {
    const u32 *places; /* by halfword of the text; NULL: another policy */
    u64 base, count;   /* of the text */
    u64 *calls;        /* [width] how deep a thread is in calls: less is deeper */
};

/* The threads of the group stand at different places after a branch, behind which is `behind` (0: a
 * jump), and whose ways meet at `meets` (0: not before the function's end). */
void stack_part(struct subcore_warp *warp, u64 behind, u64 meets);
/* Those of `moved` that stand where their way ends, or have returned from its function, leave it.
 */
void stack_leave(struct subcore_warp *warp, u64 moved, bool returns);
/* Those of `among` that are on the way taken last. */
u64 stack_first(struct subcore_warp *warp, u64 among);
/* The pc ahead where the group's way ends; NEVER: none is ahead. */
u64 stack_end(const struct subcore_warp *warp);

#endif
