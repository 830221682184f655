/* expand.c - from link patterns to single joints, and the check that every port has as many as it
 * needs. */
#include <stdlib.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/text.h"

#define EDGES_MAX 20000000

/* The units at one end: all chosen copies, in order. Inside a domain, those of one copy of it. */
struct span {
    const struct plan_domain *domain;
    const struct plan_unit *unit;
    const struct plan_end *end;
    u32 domain_first;
    u32 count;
};

static struct span span_make(const struct plan *plan, const struct plan_link *link,
                             const struct plan_end *end, u32 copy)
{
    const struct plan_domain *domain = &plan->domains[end->domain];
    u32 domain_count = link->inside ? 1 : end->domain_count;
    return (struct span){ domain, &domain->units[end->unit], end,
                          link->inside ? copy : end->domain_first, domain_count * end->unit_count };
}

static u32 span_unit(const struct span *span, u32 index)
{
    u32 domain_copy = span->domain_first + index / span->end->unit_count;
    u32 unit_copy = span->end->unit_first + index % span->end->unit_count;
    return plan_number(span->domain, domain_copy, span->unit, unit_copy);
}

static void edge_add(struct plan *plan, u32 link, u32 from, u32 to, u32 *capacity)
{
    const struct plan_link *written = &plan->links[link];
    for (u32 k = 0; k < written->from.parallel * written->to.parallel; k++) {
        if (plan->edge_count == *capacity) {
            *capacity = *capacity ? 2 * *capacity : 256;
            plan->edges = heap_grow(plan->edges, *capacity, sizeof *plan->edges);
        }
        plan->edges[plan->edge_count++] = (struct plan_edge){ from, to, link };
    }
}

/* Before any is made: a chip that is too large is refused at once. */
static bool link_count_edges(const struct plan *plan, struct plan_link *link, u64 *edges,
                             struct ogv_error *error)
{
    struct span from = span_make(plan, link, &link->from, 0);
    struct span to = span_make(plan, link, &link->to, 0);
    u64 copies = link->inside ? link->from.domain_count : 1;
    u64 pairs = (u64)from.count * (link->map == MAP_ALL ? to.count : 1);
    /* At most 2^25 pairs, 2^16 copies and 2^12 parallel links: no overflow. */
    u64 own = pairs <= EDGES_MAX ? pairs * copies * link->from.parallel * link->to.parallel : 0;
    *edges += own;
    link->edges = (u32)min_u64(own, EDGES_MAX);
    if (pairs <= EDGES_MAX && *edges <= EDGES_MAX)
        return true;
    return place_error(error, link->place, "'%s': with it the chip has more than %d links",
                       link->text, EDGES_MAX);
}

static void link_pair(struct plan *plan, u32 link, u32 copy, u32 *capacity)
{
    const struct plan_link *written = &plan->links[link];
    struct span from = span_make(plan, written, &written->from, copy);
    struct span to = span_make(plan, written, &written->to, copy);
    for (u32 i = 0; i < from.count; i++) {
        u32 first = 0, last = to.count;
        if (written->map == MAP_EACH)
            first = i;
        if (written->map == MAP_RING)
            first = (i + 1) % to.count;
        if (written->map == MAP_BLOCKS)
            first = (u32)((u64)i * to.count / from.count);
        if (written->map != MAP_ALL)
            last = first + 1;
        for (u32 k = first; k < last; k++)
            edge_add(plan, link, span_unit(&from, i), span_unit(&to, k), capacity);
    }
}

static bool port_check(const struct plan *plan, u32 number, const struct port_row *port, u32 count,
                       struct ogv_error *error)
{
    bool too_few = count == 0 && (port->many == ONE || port->many == SOME);
    bool too_many = count > 1 && (port->many == ONE || port->many == MAYBE);
    if (!too_few && !too_many)
        return true;
    char path[256];
    struct plan_spot spot = plan_locate(plan, number);
    plan_path(plan, number, path, sizeof path);
    if (too_few)
        return place_error(error, spot.unit->place, "%s: its port '%s' (%s) is not linked", path,
                           port->name, port->help);
    return place_error(error, spot.unit->place, "%s: its port '%s' (%s) takes one link, not %u",
                       path, port->name, port->help, count);
}

static bool ports_check(const struct plan *plan, struct ogv_error *error)
{
    /* How many joints each port of each unit has. */
    u32 *counts = heap_array((size_t)plan->unit_count * UNIT_PORTS_MAX, sizeof *counts);
    bool good = true;
    for (u32 i = 0; i < plan->edge_count; i++) {
        const struct plan_edge *edge = &plan->edges[i];
        const struct plan_link *link = &plan->links[edge->link];
        counts[edge->from * UNIT_PORTS_MAX + link->from.port]++;
        counts[edge->to * UNIT_PORTS_MAX + link->to.port]++;
    }
    for (u32 n = 0; good && n < plan->unit_count; n++) {
        const struct port_row *ports = plan_locate(plan, n).unit->type->ports;
        for (u32 p = 0; good && p < UNIT_PORTS_MAX && ports[p].name; p++)
            good = port_check(plan, n, &ports[p], counts[n * UNIT_PORTS_MAX + p], error);
    }
    free(counts);
    return good;
}

bool plan_expand(struct plan *plan, struct ogv_error *error)
{
    u32 capacity = 0;
    u64 edges = 0;
    for (u32 i = 0; i < plan->link_count; i++)
        if (!link_count_edges(plan, &plan->links[i], &edges, error))
            return false;
    if (!plan_check_size(plan, error))
        return false;
    for (u32 i = 0; i < plan->link_count; i++) {
        const struct plan_link *link = &plan->links[i];
        u32 copies = link->inside ? link->from.domain_count : 1;
        for (u32 copy = 0; copy < copies; copy++)
            link_pair(plan, i, copy, &capacity);
    }
    return ports_check(plan, error);
}
