/* misuse.c - units that break the kernel's contract: says who did what in which cycle, and stops.
 *
 * The checks themselves are inline where the contract is; what is here is never reached by a unit
 * that keeps it. */
#include "base/error.h"
#include "ogive/arbiter.h"
#include "ogive/link.h"
#include "sim/sim_private.h"

_Thread_local const struct running *running;

/* The cycle in which the unit that is running stands; of `other`, if none is. */
static unsigned long long misused_at(const struct domain *other)
{
    const struct unit *unit = unit_running();
    return unit ? unit->domain->now : other->now;
}

void link_misused(const struct link *link, const char *how)
{
    ogv_bug("link %s -> %s %s at cycle %llu", unit_path(link->writer), unit_path(link->reader), how,
            misused_at(link->to));
}

void unit_released_too_much(const struct unit *unit, u32 items)
{
    ogv_bug("%s releases %u items of work at cycle %llu and holds only %u", unit_path(unit), items,
            misused_at(unit->domain), unit->held);
}

void unit_stuck(const struct unit *unit, cycle now, cycle next)
{
    ogv_bug("%s asked at cycle %llu to be woken at cycle %llu, which is not later", unit_path(unit),
            (unsigned long long)now, (unsigned long long)next);
}

void unit_woken_too_late(const struct unit *unit, cycle at)
{
    const struct unit *waker = unit_running();
    if (unit == waker)
        unit_stuck(unit, unit->domain->now, at);
    ogv_bug("%s is to be woken at cycle %llu by %s, at cycle %llu, which is not earlier",
            unit_path(unit), (unsigned long long)at, waker ? unit_path(waker) : "nobody",
            misused_at(unit->domain));
}

void bitset_misused(u32 member)
{
    const struct unit *unit = unit_running();
    if (unit)
        ogv_bug("%s uses member %u of a bitset at cycle %llu; members are 0 to %d", unit_path(unit),
                member, misused_at(unit->domain), BITSET_MAX - 1);
    ogv_bug("member %u of a bitset; members are 0 to %d", member, BITSET_MAX - 1);
}
