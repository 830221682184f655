/* sim.h - the simulation kernel: building a chip out of domains, units and links, and running it.
 *
 * Build with the sim_add_* calls, then sim_seal, then sim_run as often as you like. Everything that
 * changes while it runs lives in the arena (`struct chip` is its root); `struct sim` holds what
 * belongs to this process: threads and options. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/arena.h"
#include "ogive/link.h"
#include "ogive/ogive.h"

/* A unit's step: `now` and the result are in the unit's own clock; the result is the next cycle in
 * which it has something to do by itself, or NEVER. */
typedef cycle (*tick_function)(struct unit *unit, cycle now);

/* Root of the arena. */
struct chip {
    struct arena *arena;
    struct domain **domains;
    struct unit **units;
    struct link **links;
    u32 domain_count, unit_count, link_count;
    u64 clock_hz; /* 0: not said */
    cycle window; /* smallest latency between two domains: how far a domain may run alone */
    cycle now;    /* every domain has run up to here */
    u64 window_number;
    cycle ended_at; /* cycles until the last thing happened; valid once ended */
    bool ended;
    void *program;      /* what the cores run; belongs to whoever loads programs */
    const char **paths; /* of the units, by number; NULL: they have no names */
};

/* Whose function a thread is in, for whoever has to say who did something. */
struct running {
    struct unit *unit;    /* NULL: none */
    const char *function; /* init, report; NULL: tick */
};

/* NULL outside of units. It points to a variable of whoever calls them: noting the unit is then one
 * store on the stack for each tick. */
extern _Thread_local const struct running *running;

static inline const struct unit *unit_running(void)
{
    return running ? running->unit : NULL;
}

static inline bool unit_is_ticking(void)
{
    return unit_running() && !running->function;
}

enum sim_order { SIM_ORDER_FORWARD, SIM_ORDER_REVERSE };

/* None of these can change a result. Window, sleep and order exist so that tests can show it. */
struct sim_options {
    u32 threads;          /* host threads; 0: as many as the machine has, while it is worth it */
    cycle window;         /* 0: the chip's own; larger ones are cut down to that */
    bool sleepless;       /* tick every unit in every cycle */
    enum sim_order order; /* in which order units tick within a cycle */
    cycle watchdog;       /* cycles without progress after which a run counts as hung; 0: never */
};

enum sim_end {
    SIM_FINISHED, /* nobody holds work, nothing is on its way */
    SIM_STOPPED,  /* a unit asked for it */
    SIM_REACHED,  /* came to the cycle that was asked for */
    SIM_PAUSED,   /* the poll function asked for it */
    SIM_DEADLOCK,
    SIM_LIVELOCK,
    SIM_CALLED, /* a unit wants to be attended to (ogive/unit.h); then run on */
};

/* Called between windows, never while units run; true ends sim_run with SIM_PAUSED. */
struct sim_poll {
    bool (*function)(void *context);
    void *context;
};

#define LINK_CAPACITY_MAX 65536

struct sim;

struct sim *sim_create(struct ogv_error *error);
void sim_destroy(struct sim *sim);

struct domain *sim_add_domain(struct sim *sim);

/* `bytes` is the size of the unit's own struct, whose first member is a struct unit. NULL when
 * memory is exhausted. */
struct unit *sim_add_unit(struct sim *sim, struct domain *domain, u16 type, size_t bytes,
                          struct clock_ratio clock);

/* Writes the path of a unit ("sm[3].l1") into the buffer. */
typedef void (*unit_namer)(void *context, const struct unit *unit, char *buffer, size_t size);

/* Gives every unit that was added its path, for whatever is said about it from then on. False when
 * memory is exhausted. */
bool sim_name_units(struct sim *sim, unit_namer namer, void *context);

/* The path of a unit. */
const char *unit_path(const struct unit *unit);

/* Capacity is rounded up to a power of two. Both units must exist. NULL when memory is exhausted.
 */
struct link *sim_add_link(struct sim *sim, struct unit *writer, struct unit *reader, u32 latency,
                          u32 capacity);

/* What they take, and a domain of that many units, in bytes. */
u64 sim_link_bytes(u32 capacity);
u64 sim_domain_bytes(u32 units);

/* Ends building: lays out calendars and inboxes, computes the window, wakes every unit for cycle 0.
 */
bool sim_seal(struct sim *sim, struct ogv_error *error);

/* The step function of each unit type, by type index. The table must outlive the sim. */
void sim_set_ticks(struct sim *sim, const tick_function *ticks);
void sim_set_options(struct sim *sim, const struct sim_options *options);

/* Nobody holds work and no message is on its way: the run will have ended at the last event, as
 * sim_run says at the end of the window. */
bool sim_quiet(const struct sim *sim);

struct chip *sim_chip(struct sim *sim);
/* Host threads, and those there would be if the system had given all that were asked for. */
u32 sim_threads(const struct sim *sim);
u32 sim_threads_wanted(const struct sim *sim);

/* Runs until the end of the work or to cycle `until`, whichever comes first. */
enum sim_end sim_run(struct sim *sim, cycle until, struct sim_poll poll);

#endif
