/* domain.c - running one domain for one window.
 *
 * First the mail: links from other domains that got messages or free slots in the window before
 * wake their reader or writer. Then cycle after cycle in which anybody is awake, each awake unit
 * ticks once and says when it wants to again. Cycles in which nobody is awake are jumped over. */
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
    u64 bit = UINT64_C(1) << (unit->index % 64);
    u64 *word = &domain->far[unit->index / 64];
    unit->far_at = *word & bit ? min_u64(unit->far_at, at) : at;
    *word |= bit;
    domain->far_next = min_u64(domain->far_next, unit->far_at);
}

/* Moves into the wheel all sleepers whose cycle has come within its reach. */
static void domain_near_far(struct domain *domain)
{
    domain->far_next = NEVER;
    for (u32 w = 0; w < domain->words; w++) {
        for (u64 bits = domain->far[w]; bits; bits &= bits - 1) {
            struct unit *unit = domain->units[w * 64 + (u32)__builtin_ctzll(bits)];
            if (unit->far_at - domain->now < WHEEL_CYCLES) {
                domain->far[w] &= ~(bits & -bits);
                unit_wake(unit, unit->far_at);
            } else {
                domain->far_next = min_u64(domain->far_next, unit->far_at);
            }
        }
    }
}

/* First cycle >= from, within the wheel's reach, in which anybody is awake. */
static cycle domain_next(const struct domain *domain, cycle from)
{
    u32 start = (u32)(from % WHEEL_CYCLES);
    u64 upper = ~UINT64_C(0) << (start % 64);
    const u32 words = WHEEL_CYCLES / 64;
    for (u32 k = 0; k <= words; k++) {
        u32 word = (start / 64 + k) % words;
        u64 bits = domain->occupied[word];
        if (k == 0)
            bits &= upper;
        if (k == words)
            bits &= ~upper;
        if (bits) {
            u32 slot = word * 64 + (u32)__builtin_ctzll(bits);
            return from + (slot - start) % WHEEL_CYCLES;
        }
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

/* True: it wants to tick again in the next cycle. Any other wish is noted in the calendar. The unit
 * is read back after its tick, so that it need not be kept in a register as well. */
static inline bool unit_run(struct unit *unit, const tick_function *ticks, cycle now,
                            struct running *here)
{
    tick_function tick = ticks[unit->type];
    here->unit = unit;
    if (__builtin_expect(unit->clocked, 0)) {
        unit_run_clocked(unit, tick, now);
        return false;
    }
    cycle next = tick(unit, now);
    if (next == now + 1)
        return true;
    if (next == NEVER)
        return false;
    unit_wake(here->unit, next);
    return false;
}

/* Whoever goes on in the next cycle is entered in the calendar together with 63 others. */
static void domain_tick_awake(struct domain *domain, const tick_function *ticks, cycle now,
                              struct running *here)
{
    u32 slot = (u32)(now % WHEEL_CYCLES), next = (u32)((now + 1) % WHEEL_CYCLES);
    struct unit **units = domain->units;
    u64 *wheel = domain->wheel, *end = wheel + (size_t)domain->words * WHEEL_CYCLES, anybody = 0;
    for (; wheel != end; wheel += WHEEL_CYCLES, units += 64) {
        u64 bits = wheel[slot], again = 0;
        if (!bits)
            continue;
        wheel[slot] = 0;
        do {
            if (unit_run(units[(u32)__builtin_ctzll(bits)], ticks, now, here))
                again |= bits & -bits;
        } while (bits &= bits - 1);
        wheel[next] |= again;
        anybody |= again;
    }
    if (anybody)
        domain->occupied[next / 64] |= UINT64_C(1) << (next % 64);
}

/* The same with the freedoms that must not matter: everybody awake, or last unit first. */
static void domain_tick_tested(struct domain *domain, const tick_function *ticks, cycle now,
                               const struct sim_options *options, struct running *here)
{
    for (u32 i = 0; i < domain->unit_count; i++) {
        u32 index = options->order == SIM_ORDER_REVERSE ? domain->unit_count - 1 - i : i;
        struct unit *unit = domain->units[index];
        u64 *awake = &unit->wheel[now % WHEEL_CYCLES];
        bool woken = *awake & unit->bit;
        *awake &= ~unit->bit;
        bool ticks_now = woken || (options->sleepless && unit_has_edge(unit, now));
        if (ticks_now && unit_run(unit, ticks, now, here))
            unit_wake(unit, now + 1);
    }
}

static void domain_begin_cycle(struct domain *domain, cycle now)
{
    u32 slot = (u32)(now % WHEEL_CYCLES);
    domain->now = now;
    domain->occupied[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

static void domain_run_awake(struct domain *domain, const tick_function *ticks, cycle from,
                             cycle to, struct running *here)
{
    for (cycle now = domain_next(domain, from); now < to; now = domain_next(domain, now + 1)) {
        domain_begin_cycle(domain, now);
        domain_tick_awake(domain, ticks, now, here);
    }
}

static void domain_run_tested(struct domain *domain, const tick_function *ticks,
                              const struct sim_options *options, cycle from, cycle to,
                              struct running *here)
{
    bool all = options->sleepless;
    for (cycle now = all ? from : domain_next(domain, from); now < to;
         now = all ? now + 1 : domain_next(domain, now + 1)) {
        domain_begin_cycle(domain, now);
        domain_tick_tested(domain, ticks, now, options, here);
    }
}

/* Wakes the readers of links on which messages arrived from other domains. */
static void domain_read_arrivals(struct domain *domain, u32 parity)
{
    struct inbox *inbox = &domain->arrivals;
    for (u32 w = 0; w < inbox->words; w++) {
        u64 bits = inbox->marks[parity][w];
        inbox->marks[parity][w] = 0;
        for (; bits; bits &= bits - 1) {
            struct link *link = inbox->links[w * 64 + (u32)__builtin_ctzll(bits)];
            if (link->head != link_tail_across(link)) {
                *link->pending |= link->pending_bit;
                cycle at = link_slot(link, link->head)->at;
                *link->arrives = at;
                unit_wake(link->reader, max_u64(at, domain->now));
            }
        }
    }
}

/* Wakes the writers that wait for a slot which another domain has freed. */
static void domain_read_credits(struct domain *domain, u32 parity)
{
    struct inbox *inbox = &domain->credits;
    for (u32 w = 0; w < inbox->words; w++) {
        u64 bits = inbox->marks[parity][w];
        inbox->marks[parity][w] = 0;
        for (; bits; bits &= bits - 1) {
            struct link *link = inbox->links[w * 64 + (u32)__builtin_ctzll(bits)];
            if (link->waiting_since != NEVER) {
                cycle at = link_slot(link, link->tail)->at;
                unit_wake_to_retry(link->writer, max_u64(at, domain->now));
            }
        }
    }
}

cycle domain_next_credit(const struct domain *domain, u32 parity)
{
    const struct inbox *inbox = &domain->credits;
    cycle next = NEVER;
    for (u32 w = 0; w < inbox->words; w++) {
        for (u64 bits = inbox->marks[parity][w]; bits; bits &= bits - 1) {
            const struct link *link = inbox->links[w * 64 + (u32)__builtin_ctzll(bits)];
            if (link->waiting_since != NEVER)
                next = min_u64(next, link_slot(link, link->tail)->at);
        }
    }
    return next;
}

static bool inbox_any(const struct inbox *inbox, u32 parity)
{
    for (u32 w = 0; w < inbox->words; w++)
        if (inbox->marks[parity][w])
            return true;
    return false;
}

bool domain_has_mail(const struct domain *domain, u32 parity)
{
    return inbox_any(&domain->arrivals, parity) || inbox_any(&domain->credits, parity);
}

/* Fetches what is known to tick in this window into the host's cache, all at once instead of one
 * after the other: of each unit the first two lines, where it keeps what every tick looks at. */
static void domain_prefetch(const struct domain *domain, cycle from, cycle to)
{
    for (u32 w = 0; w < domain->words; w++) {
        const u64 *wheel = &domain->wheel[w * WHEEL_CYCLES];
        u64 bits = 0;
        for (cycle at = domain_next(domain, from); at < to; at = domain_next(domain, at + 1))
            bits |= wheel[at % WHEEL_CYCLES];
        for (; bits; bits &= bits - 1) {
            const u8 *unit = (const u8 *)domain->units[w * 64 + (u32)__builtin_ctzll(bits)];
            __builtin_prefetch(unit, 1);
            __builtin_prefetch(unit + 64, 1);
        }
    }
}

void domain_run(struct domain *domain, const tick_function *ticks,
                const struct sim_options *options, cycle from, cycle to, u32 parity)
{
    struct running here = { 0 };
    domain->now = from;
    domain->parity = parity;
    domain_read_arrivals(domain, !parity);
    domain_read_credits(domain, !parity);
    if (domain->far_next < to)
        domain_near_far(domain);
    domain_prefetch(domain, from, to);
    running = &here;
    if (__builtin_expect(!options->sleepless && options->order == SIM_ORDER_FORWARD, 1))
        domain_run_awake(domain, ticks, from, to, &here);
    else
        domain_run_tested(domain, ticks, options, from, to, &here);
    running = NULL;
    domain->now = to;
    domain->next = min_u64(domain_next(domain, to), domain->far_next);
}
