/* domain.h - a group of units that one host thread runs, and its calendar of who wakes when.
 *
 * The calendar is a timing wheel: for each of the next WHEEL_CYCLES cycles bitmaps of the units
 * awake in it, 64 units in each, and a mark if any of them is. A unit that sleeps longer is noted
 * as far away, with its cycle, until that comes near.
 *
 * Always true: every bit in the wheel belongs to a cycle in [now, now + WHEEL_CYCLES). Being woken
 * for nothing is harmless (a unit looks, finds nothing to do, and sleeps again), so wake-ups are
 * only ever added. */
#ifndef OGIVE_DOMAIN_H
#define OGIVE_DOMAIN_H

#include "ogive/types.h"

#define WHEEL_CYCLES     256
#define LINK_LATENCY_MAX (WHEEL_CYCLES - 1)
#define WINDOW_MAX       64 /* cycles that a domain runs alone at most */

struct link;
struct chip;

/* The own clock of a unit against the chip's: `times` own cycles in every `per` chip cycles. Equal:
 * no own clock. */
struct clock_ratio {
    u64 times, per;
};

/* What every unit starts with. */
struct unit {
    struct domain *domain;
    struct roster *roster; /* its place in the calendar, and */
    u64 bit;               /* its bit in the words there */
    cycle far_at;          /* when it wakes, if that is beyond the wheel's reach */
    u32 index;             /* in its domain's rosters, one after the other */
    u32 number;            /* in the whole chip */
    u32 ordinal;           /* among the copies made from the same line of the architecture file */
    u32 held;              /* items of work that it has taken on and not finished */
    u16 type;              /* which unit type, an index: the arena has no pointers out */
    bool clocked;          /* has a clock of its own */
    bool may_retry;        /* false: no link that refused it has got room since it set this so */
    struct clock_ratio clock;
};

#define ROSTER_UNITS 64

/* 64 units of a domain. Bit i of all words stands for units[i]. */
struct roster {
    u64 wheel[WHEEL_CYCLES];   /* who is awake in each cycle */
    u8 occupied[WHEEL_CYCLES]; /* cycles in which anybody is */
    struct unit *units[ROSTER_UNITS];
    u64 clocked; /* who has a clock of its own */
    u64 far;     /* who wakes beyond the wheel's reach */
} __attribute__((aligned(64)));

/* Marks left by other domains during a window and read in the next one: two sets, used in turn. A
 * mark is a byte, so that leaving one is a store that waits for nobody, whoever marks the bytes
 * beside it. They are read eight at a time. */
struct inbox {
    u8 (*marks)[2][8]; /* [word][set][i] stands for links[word * 8 + i] */
    struct link **links;
    u32 count, words;
};

/* Links out of a domain. Bit i of the marks: the writer of links[i] was refused, and has not been
 * told since when there is room. */
struct refusals {
    u64 *marks;
    struct link **links;
    u32 count, words;
};

struct domain {
    cycle now;
    struct roster *rosters;
    u32 roster_count;
    u32 unit_count;
    cycle far_next;
    struct chip *chip;

    u32 parity; /* of the window being run: which marks to leave */
    u32 number;
    cycle to; /* end of that window: what others do now is not seen here before */

    /* What the kernel adds up over the domains at the end of each window. */
    u64 held __attribute__((aligned(64))); /* work begun and not finished */
    cycle last_progress;                   /* last cycle in which a unit called unit_progress */
    cycle last_change;                     /* last cycle in which held changed */
    cycle last_effect;                     /* last cycle in which a unit called unit_effect */
    cycle earliest_out; /* earliest arrival of this window's messages in another domain */
    cycle stopped_at;   /* a unit asked for the end of the run then; NEVER: none did */
    cycle next;         /* first cycle after the window in which a unit is awake */
    bool called;        /* a unit wants to be attended to, before the next window */
    cycle ran_to;       /* a unit has progressed up to here in one tick, see unit_ran_to */

    /* Other domains look here with each message: nothing that changes shares the cache line. */
    struct inbox arrivals __attribute__((aligned(64))); /* links in with new messages */
    struct refusals refusals;
};

static inline struct unit *domain_unit(const struct domain *domain, u32 index)
{
    return domain->rosters[index / ROSTER_UNITS].units[index % ROSTER_UNITS];
}

void domain_wake_far(struct domain *domain, struct unit *unit, cycle at);

/* For mistakes. */
_Noreturn void unit_released_too_much(const struct unit *unit, u32 items);
_Noreturn void unit_woken_too_late(const struct unit *unit, cycle at);

/* Enters a unit in the calendar, for a cycle within the wheel's reach. */
static inline void unit_enter(struct unit *unit, cycle at)
{
    u32 slot = (u32)(at % WHEEL_CYCLES);
    unit->roster->wheel[slot] |= unit->bit;
    unit->roster->occupied[slot] = true;
}

/* Wakes a unit of the caller's own domain at a later cycle of the chip's clock. What is not later
 * is found among what is far: the difference wraps around. */
static inline void unit_wake(struct unit *unit, cycle at)
{
    struct domain *domain = unit->domain;
    if (at - domain->now - 1 >= WHEEL_CYCLES - 1)
        domain_wake_far(domain, unit, at);
    else
        unit_enter(unit, at);
}

/* The same for a writer that was refused: there is room from then on. */
static inline void unit_wake_to_retry(struct unit *unit, cycle at)
{
    unit->may_retry = true;
    unit_wake(unit, at);
}

/* A unit that takes on work says so, and says when it is done: the run ends when nobody holds work
 * and no message is on its way. A unit that holds work while everybody sleeps for ever is named in
 * the report of a hang. */
static inline void unit_hold(struct unit *unit, u32 items)
{
    unit->held += items;
    unit->domain->held += items;
    unit->domain->last_change = unit->domain->now;
}

static inline void unit_release(struct unit *unit, u32 items)
{
    if (__builtin_expect(items > unit->held, 0))
        unit_released_too_much(unit, items);
    unit->held -= items;
    unit->domain->held -= items;
    unit->domain->last_change = unit->domain->now;
}

/* The two for whoever counts what it holds itself: so many now. */
static inline void unit_holds(struct unit *unit, u32 items)
{
    unit->domain->held += (u64)items - unit->held;
    unit->domain->last_change = unit->domain->now;
    unit->held = items;
}

/* Something was finished that a user would count as progress (an instruction, a ray, a message
 * delivered). */
static inline void unit_progress(struct unit *unit)
{
    unit->domain->last_progress = unit->domain->now;
}

/* unit_progress for whoever knows the cycle of the chip's clock. */
static inline void unit_progress_now(struct unit *unit, cycle now)
{
    unit->domain->last_progress = now;
}

/* The same for each cycle up to here, in a tick that has done at once what others cannot see before
 * the window ends. */
static inline void unit_ran_to(struct unit *unit, cycle last)
{
    unit->domain->ran_to = max_u64(unit->domain->ran_to, last);
}

/* Something was done that another thread or the user can see: memory changed, a thread ended, a
 * message went to a unit that is not memory. Threads that do nothing of the kind for long wait for
 * each other, or compute. */
static inline void unit_effect(struct unit *unit)
{
    unit->domain->last_effect = unit->domain->now;
}

/* Ends the run at the next multiple of the chip's window: a program failed, say. */
static inline void unit_stop(struct unit *unit)
{
    unit->domain->stopped_at = min_u64(unit->domain->stopped_at, unit->domain->now);
}

/* Has the unit's `attend` called before the next window, which is at most WINDOW_MAX cycles away.
 */
static inline void unit_call(struct unit *unit)
{
    unit->domain->called = true;
}

#endif
