/* sim_private.h - what the files of src/sim share with each other and nobody else. */
#ifndef SIM_SIM_PRIVATE_H
#define SIM_SIM_PRIVATE_H

#include "sim/pool.h"
#include "sim/sim.h"

struct pointer_list {
    void **items;
    u32 count, capacity;
};

/* With as many threads as the machine has: whether windows are worth sharing out. */
struct sharing {
    bool on;
    u32 windows;    /* of this batch */
    double started; /* going on with this batch */
    double spent;   /* on it before that, in seconds */
    double alone;   /* seconds of a window with one thread */
    u32 batches;    /* shared since then */
    u32 patience, backoff;
};

struct sim {
    struct arena *arena;
    struct chip *chip;
    const tick_function *ticks;
    struct sim_options options;
    struct pool *narrow, *wide; /* one thread, and all that are allowed */
    struct sim_poll poll;
    struct pointer_list domains, units, links; /* while building */

    /* The window that is being run, and what came of it. */
    cycle from, to, until;
    enum sim_end end;
    bool planned; /* there is a window to run */

    struct sharing sharing;
};

/* One domain through [from, to). */
void domain_run(struct domain *domain, const tick_function *ticks,
                const struct sim_options *options, cycle from, cycle to, u32 parity);
/* The earliest cycle from which there is room for a writer of this domain that was refused, and has
 * not been told so; NEVER: none is known. */
cycle domain_next_credit(const struct domain *domain);
/* Places of a link between domains that a word says of whether they are free. */
#define LINK_NEAR_PLACES 64

/* Of a link between domains. For the reader: notes whether it holds messages, and says when the
 * oldest arrives; NEVER: none. For a writer that was refused: from when there is room; NEVER: not
 * known yet. */
cycle link_note_arrival(struct link *link);
cycle link_next_credit(const struct link *link);
/* For a unit that wants to tick again in a cycle that is not later; both are of its own clock. */
_Noreturn void unit_stuck(const struct unit *unit, cycle now, cycle next);
bool domain_has_mail(const struct domain *domain, u32 parity);

#endif
