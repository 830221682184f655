/* debug.h - what a unit that runs programs may tell a debugger, beyond its registers.
 *
 * A program_role (program.h) names a debug_role in `.debug`. All of it is optional, and all of it
 * is asked while the chip stands still: nothing of it costs a run without a debugger. Without the
 * role, threads can be looked at and stopped at breakpoints; with it, steps and watchpoints are
 * exact, values that are still on their way are told from those that are there, and private memory
 * can be read. */
#ifndef OGIVE_DEBUG_H
#define OGIVE_DEBUG_H

#include "ogive/isa.h"
#include "ogive/unit.h"

struct debug_view {
    u64 pc;
    u64 executed;      /* instructions of this thread that have issued */
    u64 pending;       /* registers whose values are still on their way, as bits */
    u64 busy;          /* registers that its next instructions have to wait for, as bits */
    const char *state; /* what it does with its cycles: a statistic such as "hazard"; NULL: not said
                        */
    u8 blamed;         /* the class of instructions that `state` is charged to, or CLASS_COUNT */
    u8 *private;       /* its private memory, from STACK_WINDOW on; NULL: none */
    u64 private_bytes;
    u32 warp, lane; /* of the unit; where threads are in no warps, lane is NOBODY */
    bool ended;
};

/* Beyond the 64 registers, what debug_role.set can set. */
#define DEBUG_PC REGISTER_NONE

struct debug_role {
    void (*view)(const struct unit *unit, u32 thread, struct debug_view *view);

    /* Those threads of the unit that can have issued in its last tick: `count` from `first` on. */
    void (*moved)(const struct unit *unit, u32 *first, u32 *count);

    /* Sets a register that is not pending, or the pc of a thread that has not ended. False: it
     * cannot be set. */
    bool (*set)(struct unit *unit, u32 thread, u32 number, u64 value);

    /* The link on which requests for SCRATCH_WINDOW leave; NULL: there is none. */
    const struct link *(*scratch)(const struct unit *unit);

    /* Puts what threads have stored and the unit has yet to send into the bytes from `address` on;
     * NULL: stores leave when they issue. */
    void (*unsent)(const struct unit *unit, u64 address, u8 *bytes, u64 length);

    /* Of what `view` tells only the pc: all that is asked after a tick, where nobody has arrived at
     * a breakpoint. NULL: `view` is asked. */
    u64 (*pc)(const struct unit *unit, u32 thread);
};

#endif
