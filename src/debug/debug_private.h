/* debug_private.h - what the files of src/debug that know the machine share with each other. */
#ifndef DEBUG_DEBUG_PRIVATE_H
#define DEBUG_DEBUG_PRIVATE_H

#include <stdatomic.h>

#include "debug/debug.h"
#include "debug/lookout.h"
#include "debug/past.h"
#include "debug/remote.h"
#include "debug/server.h"
#include "debug/stops.h"
#include "run/record.h"

/* Something that the user changed, so that a replay changes it as well. */
struct edit {
    cycle at;
    u32 thread;
    u32 number; /* of a register; NOBODY: memory */
    u64 address, value;
    u8 *bytes;
    u64 length;
};

struct debug {
    struct debug_options options;
    struct server server;
    struct target target;
    struct remote remote;
    bool connected; /* `remote` is in use */

    /* The machine, from the beginning of the run on. */
    ogv_system *system;
    const struct record *record;
    struct sim_options sim; /* as the run wants them */
    struct chip_threads threads;
    struct lookout lookout;
    struct past past;
    struct stops stops;
    struct text description; /* XML of the registers */

    cycle newest;          /* the run has come so far */
    enum run_status ended; /* and has ended there; RUN_RUNNING: it has not */
    struct text ending;    /* in words */
    cycle end;             /* where it stands then: of a fault, before it; until then, `newest` */
    u32 end_thread;        /* that stays to be looked at there, though it has ended */

    bool going; /* it was told to */
    struct target_order order;
    bool step_all;     /* steps are of all threads */
    cycle step_cycles; /* of a step of the machine */
    cycle step_began;
    u8 *stepped; /* by thread: it has, in a step of all */
    bool met;    /* what makes it stand still: */
    struct target_stop stop;
    struct text reason; /* in words, for the user */
    cycle back_to;      /* where it stands then, if it has come further: of a watchpoint, before the
                           access, where gdb takes it to be */
    cycle one_cycle;    /* gdb's step from there is over what a unit has written: it is a cycle */
    cycle told_at;      /* when it was told to go on */
    struct sighting also[SIGHTINGS_MAX]; /* arrived in the same cycle, and not told yet */
    u32 also_count;

    struct edit *edits;
    u32 edit_count;

    atomic_bool abandoned;
    bool interrupted, detached, killed;
    u32 polls;
    cycle called_at;         /* it wants to be visited there */
    double kept_at, said_at; /* wall clock */
    u64 *before;             /* statistics of all units at the last stop */
    cycle before_at;
};

static inline void words_clear(struct text *words)
{
    words->length = 0;
    text_add_bytes(words, "", 0);
}

/* ---- view.c: the target's functions that look at threads and memory ---- */

void view_describe(struct debug *debug);
void view_target(struct debug *debug);
bool view_edit(struct debug *debug, const struct edit *edit);

/* ---- going.c: moving in time ---- */

/* Sets the kernel to what the order needs; at the newest cycle the run then does it. */
void going_prepare(struct debug *debug);
/* Whether what it looks for is seldom met. */
bool going_is_calm(const struct debug *debug);
/* Whether something of this cycle makes it stand still; then `met` and `stop` say so. */
bool going_meets(struct debug *debug);
/* Does an order as far as it is in the past; true: it stands still again, and `stop` says why. */
bool going_in_past(struct debug *debug);
/* To an exact cycle that the run has been at. */
void going_travel(struct debug *debug, cycle at);
/* Copies the machine if it is time for another copy. */
bool going_keep_due(struct debug *debug);
void going_keep(struct debug *debug);

/* ---- going.c, for view.c and backward.c ---- */

cycle going_now(const struct debug *debug);
/* Whether a thread has yet to end; where the run has, one stays to be looked at. */
bool going_is_alive(const struct debug *debug, u32 thread);
/* A thread of the machine as a whole, or one that has ended: its steps are cycles. */
bool going_is_idle(const struct debug *debug, u32 thread);
/* Windows as the run wants them, or of one cycle. */
void going_set_kernel(struct debug *debug, bool every_cycle);
/* Runs to a cycle, with what the user changed on the way. False: the poll ended it, or the run has
 * ended. */
bool going_replay(struct debug *debug, cycle to, struct sim_poll poll);
/* It stands still where this was seen; or where it was interrupted. */
void going_stand(struct debug *debug, const struct sighting *met);
void going_stand_interrupted(struct debug *debug);
/* Between windows: whether to look at the client again, and how far it is, now and then. */
bool going_seldom(struct debug *debug);
void going_say(struct debug *debug, const char *what);

/* ---- backward.c ---- */

/* Does an order to go back, or to step back. */
void going_backward(struct debug *debug);
/* Where a thread stood before the instruction that failed at a cycle. Leaves the machine anywhere.
 */
cycle going_before_fault(struct debug *debug, u32 thread, u64 pc, cycle at);

/* ---- talk.c: the client ---- */

/* Sends what there is to send. */
void talk_flush(struct debug *debug);
/* Takes what has come without waiting; true: there was something. */
bool talk_listen(struct debug *debug, int milliseconds);

/* ---- monitor.c ---- */

void monitor_command(void *context, u32 thread, const char *command, struct text *out);
/* What happened at a stop, beyond what gdb says by itself. */
void monitor_stop_words(struct debug *debug, struct text *out);
/* Statistics of now are those that later ones are compared with. */
void monitor_note_stats(struct debug *debug);

#endif
