/* domain.c - running one domain for one window.
 *
 * First the mail: links from other domains that got messages or free slots in the window before
 * wake their reader or writer. Then cycle after cycle in which anybody is awake, each awake unit
 * ticks once and says when it wants to again. Cycles in which nobody is awake are jumped over. */
#include <string.h>

#include "sim/clock.h"
#include "sim/sim_private.h"

/* Before anybody ticks in a cycle, units may still be woken for it. */
static void domain_wake_at_once(struct domain *domain, struct unit *unit, cycle at)
{
    if (at < domain->now || unit_is_ticking())
        unit_woken_too_late(unit, at);
    unit_enter(unit, at);
}

void domain_wake_far(struct domain *domain, struct unit *unit, cycle at)
{
    if (at <= domain->now) {
        domain_wake_at_once(domain, unit, at);
        return;
    }
    u64 *far = &domain->rosters[unit->index / ROSTER_UNITS].far;
    unit->far_at = *far & unit->bit ? min_u64(unit->far_at, at) : at;
    *far |= unit->bit;
    domain->far_next = min_u64(domain->far_next, unit->far_at);
}

/* Moves into the wheel all sleepers whose cycle has come within its reach. */
static void domain_near_far(struct domain *domain)
{
    domain->far_next = NEVER;
    for (u32 i = 0; i < domain->roster_count; i++) {
        struct roster *roster = &domain->rosters[i];
        for (u64 bits = roster->far; bits; bits &= bits - 1) {
            struct unit *unit = roster->units[(u32)__builtin_ctzll(bits)];
            if (unit->far_at - domain->now < WHEEL_CYCLES) {
                roster->far &= ~unit->bit;
                unit_wake(unit, unit->far_at);
            } else {
                domain->far_next = min_u64(domain->far_next, unit->far_at);
            }
        }
    }
}

/* The marks of eight cycles, of all rosters; the first is a multiple of eight. */
static inline u64 marks_at(const struct roster *rosters, u32 count, u32 first)
{
    u64 marks = 0, more;
    for (u32 i = 0; i < count; i++) {
        memcpy(&more, &rosters[i].occupied[first], sizeof more);
        marks |= more;
    }
    return marks;
}

/* First cycle >= from in which anybody is awake. If that is not before `to`, any other cycle from
 * there on or NEVER will do. The marks of eight cycles are looked at together. */
static inline cycle rosters_next(const struct roster *rosters, u32 count, cycle from, cycle to)
{
    for (cycle at = from; at < to; at += 8 - at % 8) {
        u64 marks = marks_at(rosters, count, (u32)(at % WHEEL_CYCLES / 8 * 8));
        marks >>= at % 8 * 8; /* hosts are little-endian */
        if (marks)
            return at + (u32)__builtin_ctzll(marks) / 8;
    }
    return NEVER;
}

static cycle domain_next(const struct domain *domain, cycle from, cycle to)
{
    const struct roster *rosters = domain->rosters;
    if (domain->roster_count == 2) /* usual: without a loop over them */
        return rosters_next(rosters, 2, from, to);
    return rosters_next(rosters, domain->roster_count, from, to);
}

/* Whether any cycle of the unit's own falls into this chip cycle. */
static bool unit_has_edge(const struct unit *unit, cycle chip_now)
{
    return !unit->clocked ||
           clock_own(unit->clock, chip_now) < clock_own(unit->clock, chip_now + 1);
}

/* A unit on a clock of its own ticks in each of its cycles that fall into this chip cycle: none,
 * one or several. */
static void unit_run_clocked(struct unit *unit, tick_function tick, cycle chip_now)
{
    cycle own = clock_own(unit->clock, chip_now);
    cycle end = clock_own(unit->clock, chip_now + 1);
    while (own < end) {
        cycle next = tick(unit, own);
        if (next <= own)
            unit_stuck(unit, own, next);
        own = next;
    }
    if (own != NEVER)
        unit_wake(unit, clock_chip(unit->clock, own));
}

/* A domain's window while it runs. What a tick does not need is read from here when it is needed,
 * so that it takes no register from the loop over ticks. */
struct window {
    struct running here; /* `running` points to it */
    const tick_function *ticks;
    struct domain *domain;
    cycle from, to;
    cycle now;
};

/* Ticks a unit once and says when it wants to again. */
static inline cycle unit_run(struct unit *unit, struct window *window, cycle now)
{
    window->here.unit = unit;
    return window->ticks[unit->type](unit, now);
}

static void units_run_clocked(struct unit *const *units, u64 bits, struct window *window, cycle now)
{
    for (; bits; bits &= bits - 1) {
        struct unit *unit = units[(u32)__builtin_ctzll(bits)];
        window->here.unit = unit;
        unit_run_clocked(unit, window->ticks[unit->type], now);
    }
}

/* Those of 64 units that are awake in the cycle before `next`; says who goes on in that one. Most
 * do: all are taken to, and who does not is taken out again. Any other wish is noted in the
 * calendar. A unit is read back after its tick, so that it need not be kept in a register. */
static inline u64 units_run(const struct roster *roster, u64 bits, struct window *window,
                            cycle next)
{
    const tick_function *ticks = window->ticks;
    u64 again = bits;
    for (; bits; bits &= bits - 1) {
        struct unit *unit = roster->units[(u32)__builtin_ctzll(bits)];
        window->here.unit = unit;
        cycle wish = ticks[unit->type](unit, window->now);
        if (__builtin_expect(wish == next, 1))
            continue;
        again ^= window->here.unit->bit;
        if (wish != NEVER)
            unit_wake(window->here.unit, wish);
    }
    return again;
}

/* Who of a roster is awake in a cycle, from then on no longer in the calendar. */
static inline u64 roster_take(struct roster *roster, cycle now)
{
    u32 slot = (u32)(now % WHEEL_CYCLES);
    u64 bits = roster->wheel[slot];
    roster->wheel[slot] = 0;
    roster->occupied[slot] = false;
    return bits;
}

static inline void roster_enter(struct roster *roster, u64 bits, cycle at)
{
    u32 slot = (u32)(at % WHEEL_CYCLES);
    roster->wheel[slot] |= bits;
    roster->occupied[slot] = true;
}

/* Those of a roster that are awake in the cycle before `next`; says who goes on. */
static inline u64 roster_tick(struct roster *roster, u64 bits, struct window *window, cycle next,
                              bool clocks)
{
    u64 clocked = clocks ? bits & roster->clocked : 0;
    if (__builtin_expect(clocked != 0, 0)) {
        units_run_clocked(roster->units, clocked, window, next - 1);
        bits ^= clocked;
    }
    return bits ? units_run(roster, bits, window, next) : 0;
}

/* The same of one that mostly has nobody awake: not in line, as its loop would take registers from
 * that of the first roster. */
static __attribute__((noinline)) void roster_tick_seldom(struct roster *roster,
                                                         struct window *window, cycle next)
{
    u64 again = roster_tick(roster, roster_take(roster, next - 1), window, next, true);
    if (again)
        roster_enter(roster, again, next);
}

/* The same with the freedoms that must not matter: everybody awake, or last unit first. */
static void domain_tick_tested(struct window *window, cycle now, const struct sim_options *options)
{
    struct domain *domain = window->domain;
    for (u32 i = 0; i < domain->unit_count; i++) {
        u32 index = options->order == SIM_ORDER_REVERSE ? domain->unit_count - 1 - i : i;
        struct unit *unit = domain_unit(domain, index);
        u64 *awake = &unit->roster->wheel[now % WHEEL_CYCLES];
        bool woken = *awake & unit->bit;
        *awake &= ~unit->bit;
        if (!woken && !(options->sleepless && unit_has_edge(unit, now)))
            continue;
        if (unit->clocked) {
            units_run_clocked(&unit, 1, window, now);
            continue;
        }
        cycle next = unit_run(unit, window, now);
        if (next != NEVER)
            unit_wake(unit, next);
    }
}

/* A domain with so many rosters; `clocks`: units of the first one may have clocks of their own.
 * Most units of the first roster go on in the next cycle. They are not entered in the calendar for
 * that, unless the window is over. */
static inline __attribute__((always_inline)) void rosters_run(struct window *window, u32 rosters,
                                                              bool clocks)
{
    struct domain *domain = window->domain;
    struct roster *first = domain->rosters;
    cycle next = rosters_next(first, rosters, window->from, window->to);
    u64 again = 0;
    while (next < window->to) {
        u64 awake = again | roster_take(first, next);
        window->now = next;
        window->domain->now = next++;
        again = roster_tick(first, awake, window, next, clocks);
        for (u32 i = 1; i < rosters; i++)
            if (__builtin_expect(first[i].occupied[window->now % WHEEL_CYCLES], 0))
                roster_tick_seldom(&first[i], window, next);
        if (!again && !first->occupied[next % WHEEL_CYCLES])
            next = rosters_next(first, rosters, next, window->to);
    }
    if (again)
        roster_enter(first, again, next);
}

/* The usual kinds of domain have a loop each. Not in line: what comes before and after would take
 * registers from it. At the beginning of a cache line, so that it does not become slower by a fifth
 * when other code moves. */
#define LOOP __attribute__((noinline, aligned(64)))

static LOOP void domain_run_one(struct window *window)
{
    rosters_run(window, 1, true);
}

static LOOP void domain_run_two(struct window *window)
{
    rosters_run(window, 2, false);
}

static LOOP void domain_run_many(struct window *window)
{
    rosters_run(window, window->domain->roster_count, true);
}

static void domain_run_awake(struct window *window)
{
    const struct domain *domain = window->domain;
    if (domain->roster_count == 1)
        domain_run_one(window);
    else if (domain->roster_count == 2 && !domain->rosters->clocked)
        domain_run_two(window);
    else
        domain_run_many(window);
}

static void domain_begin_cycle(struct domain *domain, cycle now)
{
    domain->now = now;
    for (u32 i = 0; i < domain->roster_count; i++)
        domain->rosters[i].occupied[now % WHEEL_CYCLES] = false;
}

static void domain_run_tested(struct window *window, const struct sim_options *options)
{
    struct domain *domain = window->domain;
    cycle from = window->from, to = window->to;
    bool all = options->sleepless;
    for (cycle now = all ? from : domain_next(domain, from, to); now < to;
         now = all ? now + 1 : domain_next(domain, now + 1, to)) {
        domain_begin_cycle(domain, now);
        domain_tick_tested(window, now, options);
    }
}

/* Eight marks of an inbox; hosts are little-endian. */
static inline u64 inbox_word(const struct inbox *inbox, u32 parity, u32 w)
{
    u64 marks;
    memcpy(&marks, inbox->marks[w][parity], sizeof marks);
    return marks;
}

/* The same, which are gone afterwards. */
static inline u64 inbox_take(struct inbox *inbox, u32 parity, u32 w)
{
    u64 marks = inbox_word(inbox, parity, w);
    if (marks)
        memset(inbox->marks[w][parity], 0, sizeof marks);
    return marks;
}

/* Wakes the readers of links on which messages arrived from other domains. */
static void domain_read_arrivals(struct domain *domain, u32 parity)
{
    struct inbox *inbox = &domain->arrivals;
    for (u32 w = 0; w < inbox->words; w++) {
        for (u64 marks = inbox_take(inbox, parity, w); marks; marks &= marks - 1) {
            struct link *link = inbox->links[w * 8 + (u32)__builtin_ctzll(marks) / 8];
            cycle at = link_note_arrival(link);
            if (at != NEVER)
                unit_wake(link->reader, max_u64(at, domain->now));
        }
    }
}

/* Wakes the writers that were refused and for which another domain has freed a slot since. */
static void domain_read_credits(struct domain *domain)
{
    struct refusals *refusals = &domain->refusals;
    for (u32 w = 0; w < refusals->words; w++) {
        for (u64 bits = refusals->marks[w]; bits; bits &= bits - 1) {
            struct link *link = refusals->links[w * 64 + (u32)__builtin_ctzll(bits)];
            cycle at = link_next_credit(link);
            if (at == NEVER)
                continue;
            refusals->marks[w] &= ~(bits & -bits);
            unit_wake_to_retry(link->writer, max_u64(at, domain->now));
        }
    }
}

cycle domain_next_credit(const struct domain *domain)
{
    const struct refusals *refusals = &domain->refusals;
    cycle next = NEVER;
    for (u32 w = 0; w < refusals->words; w++) {
        for (u64 bits = refusals->marks[w]; bits; bits &= bits - 1) {
            const struct link *link = refusals->links[w * 64 + (u32)__builtin_ctzll(bits)];
            next = min_u64(next, link_next_credit(link));
        }
    }
    return next;
}

static bool inbox_any(const struct inbox *inbox, u32 parity)
{
    for (u32 w = 0; w < inbox->words; w++)
        if (inbox_word(inbox, parity, w))
            return true;
    return false;
}

bool domain_has_mail(const struct domain *domain, u32 parity)
{
    return inbox_any(&domain->arrivals, parity) || domain_next_credit(domain) != NEVER;
}

/* Who of a roster is awake in the cycles from..to, or in others of the same groups of eight. */
static inline u64 roster_awake(const struct roster *roster, cycle from, cycle to)
{
    u64 bits = 0;
    for (cycle at = from - from % 8; at < to; at += 8) {
        u32 first = (u32)(at % WHEEL_CYCLES);
        if (marks_at(roster, 1, first))
            for (u32 i = 0; i < 8; i++)
                bits |= roster->wheel[first + i];
    }
    return bits;
}

static inline void roster_prefetch(const struct roster *roster, cycle from, cycle to)
{
    for (u64 bits = roster_awake(roster, from, to); bits; bits &= bits - 1) {
        const u8 *unit = (const u8 *)roster->units[(u32)__builtin_ctzll(bits)];
        __builtin_prefetch(unit, 1);
        __builtin_prefetch(unit + 64, 1);
    }
}

/* Fetches what is known to tick in this window into the host's cache, all at once instead of one
 * after the other: of each unit the first two lines, where it keeps what every tick looks at. */
static void domain_prefetch(const struct domain *domain, cycle from, cycle to)
{
    for (u32 i = 0; i < domain->roster_count; i++)
        roster_prefetch(&domain->rosters[i], from, to);
}

void domain_run(struct domain *domain, const tick_function *ticks,
                const struct sim_options *options, cycle from, cycle to, u32 parity)
{
    struct window window = { .ticks = ticks, .domain = domain, .from = from, .to = to };
    domain->now = from;
    domain->parity = parity;
    domain->to = to;
    domain_read_arrivals(domain, !parity);
    domain_read_credits(domain);
    if (domain->far_next < to)
        domain_near_far(domain);
    domain_prefetch(domain, from, to);
    running = &window.here;
    if (__builtin_expect(!options->sleepless && options->order == SIM_ORDER_FORWARD, 1))
        domain_run_awake(&window);
    else
        domain_run_tested(&window, options);
    running = NULL;
    domain->now = to;
    domain->last_progress = max_u64(domain->last_progress, domain->ran_to);
    domain->next = min_u64(domain_next(domain, to, to + WHEEL_CYCLES), domain->far_next);
}
