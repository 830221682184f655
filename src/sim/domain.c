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

/* The marks of eight cycles; the first is a multiple of eight. */
static inline u64 marks_at(const struct domain *domain, u32 first)
{
    u64 marks;
    memcpy(&marks, &domain->occupied[first], sizeof marks);
    return marks;
}

/* First cycle >= from in which anybody is awake. If that is not before `to`, any other cycle from
 * there on or NEVER will do. The marks of eight cycles are looked at together. */
static cycle domain_next(const struct domain *domain, cycle from, cycle to)
{
    for (cycle at = from; at < to; at += 8 - at % 8) {
        u64 marks = marks_at(domain, (u32)(at % WHEEL_CYCLES / 8 * 8));
        marks >>= at % 8 * 8; /* hosts are little-endian */
        if (marks)
            return at + (u32)__builtin_ctzll(marks) / 8;
    }
    return NEVER;
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
    struct roster *roster; /* whose units tick */
    struct roster *end;    /* behind the domain's rosters */
    cycle from, to;
};

/* Ticks a unit once. True: it wants to tick again in the next cycle. Any other wish is noted in the
 * calendar. The unit is read back after its tick, so that it need not be kept in a register as
 * well. */
static inline bool unit_run(struct unit *unit, struct window *window, cycle now)
{
    window->here.unit = unit;
    cycle next = window->ticks[unit->type](unit, now);
    if (__builtin_expect(next == now + 1, 1))
        return true;
    if (next != NEVER)
        unit_wake(window->here.unit, next);
    return false;
}

static void units_run_clocked(struct unit *const *units, u64 bits, struct window *window, cycle now)
{
    for (; bits; bits &= bits - 1) {
        struct unit *unit = units[(u32)__builtin_ctzll(bits)];
        window->here.unit = unit;
        unit_run_clocked(unit, window->ticks[unit->type], now);
    }
}

/* Those of 64 units that are awake; says who goes on in the next cycle. Most do: all are taken to,
 * and who does not is taken out again. */
static inline u64 units_run(struct unit *const *units, u64 bits, struct window *window, cycle now)
{
    u64 again = bits;
    for (; bits; bits &= bits - 1)
        if (!unit_run(units[(u32)__builtin_ctzll(bits)], window, now))
            again &= ~(bits & -bits);
    return again;
}

/* Those of the window's roster go on in the next cycle. */
static inline void roster_go_on(const struct window *window, u64 again)
{
    struct domain *domain = window->domain;
    u32 slot = (u32)((domain->now + 1) % WHEEL_CYCLES);
    window->roster->wheel[slot] |= again;
    domain->occupied[slot] = true;
}

/* Those of a roster that are awake. */
static inline void roster_tick(struct roster *roster, struct window *window, cycle now)
{
    u64 bits = roster->wheel[now % WHEEL_CYCLES], clocked = bits & roster->clocked;
    roster->wheel[now % WHEEL_CYCLES] = 0;
    window->roster = roster;
    if (__builtin_expect(clocked != 0, 0)) {
        units_run_clocked(roster->units, clocked, window, now);
        bits ^= clocked;
    }
    u64 again = bits ? units_run(roster->units, bits, window, now) : 0;
    if (again)
        roster_go_on(window, again);
}

/* The same of one that mostly has nobody awake: not in line, as below. */
static __attribute__((noinline)) void roster_tick_seldom(struct roster *roster,
                                                         struct window *window, cycle now)
{
    roster_tick(roster, window, now);
}

/* The same with the freedoms that must not matter: everybody awake, or last unit first. */
static void domain_tick_tested(struct window *window, cycle now, const struct sim_options *options)
{
    struct domain *domain = window->domain;
    for (u32 i = 0; i < domain->unit_count; i++) {
        u32 index = options->order == SIM_ORDER_REVERSE ? domain->unit_count - 1 - i : i;
        struct unit *unit = domain_unit(domain, index);
        u64 *awake = &unit->wheel[now % WHEEL_CYCLES];
        bool woken = *awake & unit->bit;
        *awake &= ~unit->bit;
        if (!woken && !(options->sleepless && unit_has_edge(unit, now)))
            continue;
        if (unit->clocked)
            units_run_clocked(&unit, 1, window, now);
        else if (unit_run(unit, window, now))
            unit_wake(unit, now + 1);
    }
}

static void domain_begin_cycle(struct domain *domain, cycle now)
{
    domain->now = now;
    domain->occupied[now % WHEEL_CYCLES] = false;
}

/* Not in line: what comes before and after would take registers from the loop. After its ticks, a
 * cycle is read back as well. */
static __attribute__((noinline)) void domain_run_awake(struct window *window)
{
    struct domain *domain = window->domain;
    cycle now = domain_next(domain, window->from, window->to);
    while (now < window->to) {
        domain_begin_cycle(domain, now);
        struct roster *roster = domain->rosters;
        if (roster->wheel[now % WHEEL_CYCLES])
            roster_tick(roster, window, now);
        domain = window->domain;
        now = domain->now;
        for (roster = domain->rosters + 1; roster < window->end; roster++)
            if (__builtin_expect(roster->wheel[now % WHEEL_CYCLES] != 0, 0))
                roster_tick_seldom(roster, window, now);
        if (!domain->occupied[++now % WHEEL_CYCLES])
            now = domain_next(domain, now, window->to);
    }
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
    memcpy(&marks, &inbox->marks[parity][w * 8], sizeof marks);
    return marks;
}

/* The same, which are gone afterwards. */
static inline u64 inbox_take(struct inbox *inbox, u32 parity, u32 w)
{
    u64 marks = inbox_word(inbox, parity, w);
    if (marks)
        memset(&inbox->marks[parity][w * 8], 0, sizeof marks);
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

/* Those of a roster that are awake in eight cycles. */
static void roster_prefetch(const struct roster *roster, u32 first)
{
    u64 bits = 0;
    for (u32 i = 0; i < 8; i++)
        bits |= roster->wheel[first + i];
    for (; bits; bits &= bits - 1) {
        const u8 *unit = (const u8 *)roster->units[(u32)__builtin_ctzll(bits)];
        __builtin_prefetch(unit, 1);
        __builtin_prefetch(unit + 64, 1);
    }
}

/* Fetches what is known to tick in this window into the host's cache, all at once instead of one
 * after the other: of each unit the first two lines, where it keeps what every tick looks at. */
static void domain_prefetch(const struct domain *domain, cycle from, cycle to)
{
    for (cycle at = from - from % 8; at < to; at += 8) {
        u32 first = (u32)(at % WHEEL_CYCLES);
        if (marks_at(domain, first))
            for (u32 i = 0; i < domain->roster_count; i++)
                roster_prefetch(&domain->rosters[i], first);
    }
}

void domain_run(struct domain *domain, const tick_function *ticks,
                const struct sim_options *options, cycle from, cycle to, u32 parity)
{
    struct window window = { .ticks = ticks,
                             .domain = domain,
                             .end = domain->rosters + domain->roster_count,
                             .from = from,
                             .to = to };
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
