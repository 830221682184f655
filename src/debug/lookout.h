/* lookout.h - notices what threads do: arriving at breakpoints, touching watched memory, executing
 * an instruction.
 *
 * While it looks, the units that run programs are ticked through it: after each tick it looks at
 * those threads that can have moved. While it does not, the kernel calls the units as ever, and
 * nothing is slower for its being there. It looks at what the units do and changes nothing. One
 * host thread only: there is one lookout at a time.
 *
 * A breakpoint is met when a thread arrives at it, its instruction not yet issued; a thread that
 * stands there is not met again. A watchpoint is met when the instruction that touches the memory
 * issues; by other units than cores, when they send what they write, and where an atomic operation
 * is executed (writes.h). */
#ifndef DEBUG_LOOKOUT_H
#define DEBUG_LOOKOUT_H

#include "debug/target.h"
#include "debug/threads.h"
#include "debug/writes.h"

struct sighting {
    cycle at;                       /* the cycle in which it happened */
    u32 thread;                     /* NOBODY: of a unit by itself */
    enum target_stop_reason reason; /* STOP_BREAK, STOP_WATCH or STOP_STEPPED */
    enum target_point point;
    u64 address, pc; /* of a watchpoint: what was touched, and by which instruction; of a step: from
                        where to where */
    const struct unit *unit; /* that touched it; NULL: the instruction did */
};

struct watched {
    u64 address, length;
    enum target_point point;
    u32 thread; /* whose private memory it is; NOBODY: shared */
    u32 chosen; /* the thread as whose memory it is read */
    u8 *value;  /* the newest, of shared memory */
};

#define WATCHED_BYTES_MAX (4 * KiB)

#define SIGHTINGS_MAX     64 /* kept of one cycle */

struct lookout {
    const struct chip_threads *threads;
    ogv_system *system;
    const tick_function *ticks; /* the units' own */
    tick_function *looking;
    struct isa_program text;
    u8 *marks; /* by halfword of the text: breakpoints there, as bits */
    u32 breakpoints, gone;
    struct watched *watched;
    u32 watched_count;

    /* Whose next instruction counts as a step; NOBODY: nobody's. */
    u32 stepped;
    bool step_all;   /* everybody's does */
    bool only_steps; /* nothing else is looked for */
    bool shortly;    /* only breakpoints are: who is at none is not looked at more closely */

    u64 *executed; /* by thread: when it was last looked at */
    u64 *pc;
    u64 *base; /* and the first source of its next instruction */

    struct sighting seen[SIGHTINGS_MAX]; /* of the latest cycle that has any, or */
    bool earliest;                       /* of the earliest */
    u32 seen_count;
    bool on;

    struct looked_unit *units; /* by number */
    struct writes writes;      /* to watched memory by others than threads */
    /* The newest value of memory, as a thread sees it. */
    bool (*read)(void *context, u32 thread, u64 address, u8 *bytes, u64 length);
    void *context;
};

void lookout_init(struct lookout *lookout, const struct chip_threads *threads, ogv_system *system);
void lookout_fini(struct lookout *lookout);

/* False if there can be none. */
bool lookout_insert(struct lookout *lookout, enum target_point point, u64 address, u64 length,
                    u32 thread);
bool lookout_remove(struct lookout *lookout, enum target_point point, u64 address, u64 length);

/* Whether there is a breakpoint at a place. */
bool lookout_has(const struct lookout *lookout, u64 pc);

/* Breakpoints that were removed since the last call hold on for threads other than `stepped`: gdb
 * removes all to step one thread over its own. */
void lookout_forget_removed(struct lookout *lookout);

/* Whether there is anything to look for; and whether that is breakpoints only. */
bool lookout_wants(const struct lookout *lookout);
bool lookout_wants_breakpoints(const struct lookout *lookout);

/* Begins to look, from how things are now; ends it. */
void lookout_begin(struct lookout *lookout);
void lookout_end(struct lookout *lookout);

/* After a cycle in which all units have ticked: adds to what was seen what others than threads have
 * written. */
void lookout_settle(struct lookout *lookout);

#endif
