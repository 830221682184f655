/* build.c - the units and links of a plan, in their arena.
 *
 * Building is deterministic to the byte: the same plan gives the same arena. That is what lets a
 * checkpoint be restored by building its plan again and laying the saved bytes over it.
 *
 * A sample of a chip has only the first unit of each line. Its links lead to units of the right
 * kind, but only the units that are there have ports for them; it is never run. */
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "unit/registry.h"

struct build {
    const struct plan *plan;
    struct sim *sim;
    struct arena *arena;
    struct unit **units; /* by number; NULL: not in the sample */
    const char **names;  /* of the lines that they were made from, in the arena */
    bool sample;
    struct ogv_error *error;
};

static bool build_too_large(struct build *build)
{
    return error_user(build->error, "%s: is too large: its state needs more than %llu GiB",
                      build->plan->name, (unsigned long long)(ARENA_SLOT_BYTES / GiB));
}

/* ---- Units ---- */

static u64 gcd(u64 a, u64 b)
{
    return b ? gcd(b, a % b) : a;
}

static const char *arena_text(struct arena *arena, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = arena_alloc(arena, length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

static bool unit_set_params(struct unit *unit, const struct plan_unit *planned)
{
    union param_value *values = (void *)((char *)unit + planned->type->params_offset);
    for (u32 i = 0; planned->type->params[i].name; i++) {
        values[i] = planned->values[i];
        enum param_type type = planned->type->params[i].type;
        if (type != PARAM_WORDS && type != PARAM_TABLE)
            continue;
        values[i].words = arena_text(unit->domain->chip->arena, planned->values[i].words);
        if (!values[i].words)
            return false;
    }
    return true;
}

static bool build_unit(struct build *build, struct domain *domain, const struct plan_domain *group,
                       u32 domain_copy, const struct plan_unit *planned, u32 copy)
{
    u64 shared = gcd(planned->clock_hz, build->plan->clock_hz);
    struct clock_ratio clock = { planned->clock_hz / shared, build->plan->clock_hz / shared };
    struct unit *unit =
        sim_add_unit(build->sim, domain, planned->type_index, planned->type->bytes, clock);
    if (!unit || !unit_set_params(unit, planned))
        return build_too_large(build);
    unit->ordinal = domain_copy * planned->count + copy;
    build->units[plan_number(group, domain_copy, planned, copy)] = unit;
    return true;
}

static bool build_domain(struct build *build, const struct plan_domain *group, u32 copy)
{
    struct domain *domain = sim_add_domain(build->sim);
    if (!domain)
        return build_too_large(build);
    for (u32 u = 0; u < group->unit_count; u++) {
        const char *name = arena_text(build->arena, group->units[u].name);
        if (!name)
            return build_too_large(build);
        u32 count = build->sample ? 1 : group->units[u].count;
        for (u32 c = 0; c < count; c++) {
            if (!build_unit(build, domain, group, copy, &group->units[u], c))
                return false;
            build->names[plan_number(group, copy, &group->units[u], c)] = name;
        }
    }
    return true;
}

static bool build_domains(struct build *build)
{
    const struct plan *plan = build->plan;
    for (u32 d = 0; d < plan->domain_count; d++) {
        u32 count = build->sample ? 1 : plan->domains[d].count;
        for (u32 copy = 0; copy < count; copy++)
            if (!build_domain(build, &plan->domains[d], copy))
                return false;
    }
    return true;
}

/* ---- Links ---- */

/* The unit of this number, or the one that stands for it in a sample. */
static u32 build_stand_in(const struct build *build, u32 number)
{
    if (build->units[number])
        return number;
    struct plan_spot spot = plan_locate(build->plan, number);
    return plan_number(spot.domain, 0, spot.unit, 0);
}

static struct ports *unit_ports(const struct build *build, u32 number, u32 port)
{
    const struct unit_type *type = registry_type(build->units[number]->type);
    struct ports *ports = (void *)((char *)build->units[number] + type->ports_offset);
    return &ports[port];
}

static void build_count_port(struct build *build, u32 number, u32 port)
{
    if (build->units[number])
        unit_ports(build, number, port)->count++;
}

static bool ports_alloc(struct arena *arena, struct ports *ports)
{
    void *bytes = arena_alloc(arena, ports_bytes(ports->count), 64);
    if (bytes)
        ports_put(ports, bytes, ports->count);
    ports->pending = ports->count <= 64
                         ? &ports->pending_word
                         : arena_alloc(arena, (ports->count + 63) / 64 * sizeof(u64), 8);
    ports->count = 0;
    return bytes && ports->pending;
}

/* First all ports are counted, then their arrays allocated, then filled in the order of the file.
 */
static bool build_ports(struct build *build)
{
    const struct plan *plan = build->plan;
    for (u32 i = 0; i < plan->edge_count; i++) {
        const struct plan_edge *edge = &plan->edges[i];
        build_count_port(build, edge->from, plan->links[edge->link].from.port);
        build_count_port(build, edge->to, plan->links[edge->link].to.port);
    }
    for (u32 n = 0; n < plan->unit_count; n++) {
        const struct unit *unit = build->units[n];
        const struct port_row *rows = unit ? registry_type(unit->type)->ports : NULL;
        for (u32 p = 0; rows && rows[p].name; p++)
            if (!ports_alloc(build->arena, unit_ports(build, n, p)))
                return build_too_large(build);
    }
    return true;
}

static void build_join(struct build *build, u32 number, u32 port, struct port joint, u32 peer)
{
    if (!build->units[number])
        return;
    struct ports *ports = unit_ports(build, number, port);
    ports_note(ports, ports->count)->peer = build->names[peer];
    ports->at[ports->count++] = joint;
    if (joint.in)
        ports_watch(ports, ports->count - 1);
}

static bool build_edge(struct build *build, const struct plan_edge *edge)
{
    const struct plan_link *link = &build->plan->links[edge->link];
    if (!build->units[edge->from] && !build->units[edge->to])
        return true;
    u32 from = build_stand_in(build, edge->from), to = build_stand_in(build, edge->to);
    struct unit *a = build->units[from], *b = build->units[to];
    bool asks = registry_type(a->type)->ports[link->from.port].role == ASKS;
    struct link *there = sim_add_link(build->sim, a, b, link->latency, link->capacity);
    struct link *back = asks ? sim_add_link(build->sim, b, a, link->latency, link->capacity) : NULL;
    if (!there || (asks && !back))
        return build_too_large(build);
    build_join(build, edge->to, link->to.port, (struct port){ .in = there, .out = back }, from);
    build_join(build, edge->from, link->from.port, (struct port){ .in = back, .out = there }, to);
    return true;
}

static bool build_links(struct build *build)
{
    for (u32 i = 0; i < build->plan->edge_count; i++)
        if (!build_edge(build, &build->plan->edges[i]))
            return false;
    return true;
}

static bool route_set(struct build *build, u32 number, u32 port, struct route route,
                      const struct plan_link *link)
{
    if (!build->units[number])
        return true;
    struct ports *ports = unit_ports(build, number, port);
    bool clash = ports->route.interleave &&
                 (ports->route.interleave != route.interleave || ports->route.ways != route.ways);
    ports->route = route;
    if (!clash)
        return true;
    char path[256];
    plan_path(build->plan, number, path, sizeof path);
    return place_error(build->error, link->place,
                       "'%s': %s has another link that deals out addresses differently", link->text,
                       path);
}

static bool port_serves(const struct plan *plan, const struct plan_end *end)
{
    return plan->domains[end->domain].units[end->unit].type->ports[end->port].role == SERVES;
}

/* A port that sends by address must have exactly the links of that one pattern. A port that serves
 * learns which addresses are its own. */
static bool build_routes(struct build *build)
{
    const struct plan *plan = build->plan;
    for (u32 i = 0; i < plan->edge_count; i++) {
        const struct plan_edge *edge = &plan->edges[i];
        const struct plan_link *link = &plan->links[edge->link];
        if (!link->by_address)
            continue;
        u32 ways = link->to.unit_count * (link->inside ? 1 : link->to.domain_count);
        struct route route = { link->interleave, ways };
        if (!route_set(build, edge->from, link->from.port, route, link) ||
            (port_serves(plan, &link->to) &&
             !route_set(build, edge->to, link->to.port, route, link)))
            return false;
        if (build->units[edge->from] &&
            unit_ports(build, edge->from, link->from.port)->count != ways)
            return place_error(build->error, link->place,
                               "'%s': the sending port has other links too, so addresses cannot "
                               "choose among these",
                               link->text);
    }
    return true;
}

/* ---- The whole ---- */

static bool unit_init(struct unit *unit, struct ogv_error *error)
{
    const struct unit_type *type = registry_type(unit->type);
    struct running here = { unit, "init" };
    running = &here;
    bool good = !type->init || type->init(unit, error);
    running = NULL;
    return good;
}

static bool build_init_unit(struct build *build, u32 number)
{
    struct ogv_error why = { .message = "its init function refused, without a reason" };
    if (unit_init(build->units[number], &why))
        return true;
    char path[256];
    plan_path(build->plan, number, path, sizeof path);
    return place_error(build->error, plan_locate(build->plan, number).unit->place, "%s: %s", path,
                       why.message);
}

static bool build_init(struct build *build)
{
    for (u32 n = 0; n < build->plan->unit_count; n++)
        if (!build_init_unit(build, n))
            return false;
    return true;
}

/* In a sample, numbers of units are not those of the plan. */
static void build_name(void *context, const struct unit *unit, char *buffer, size_t size)
{
    const struct build *build = context;
    u32 number = unit->number;
    while (build->units[number] != unit)
        number++;
    plan_path(build->plan, number, buffer, size);
}

static bool build_paths(struct build *build)
{
    return sim_name_units(build->sim, build_name, build) || build_too_large(build);
}

/* All but what units do for themselves. */
static bool build_frame(struct build *build)
{
    build->sim = sim_create(build->error);
    if (!build->sim)
        return false;
    sim_chip(build->sim)->clock_hz = build->plan->clock_hz;
    sim_set_ticks(build->sim, registry_ticks());
    build->arena = sim_chip(build->sim)->arena;
    build->units = heap_array(build->plan->unit_count, sizeof *build->units);
    build->names = heap_array(build->plan->unit_count, sizeof *build->names);
    return build_domains(build) && build_paths(build) && build_ports(build) && build_links(build) &&
           build_routes(build) && sim_seal(build->sim, build->error);
}

static void build_fini(struct build *build)
{
    free(build->units);
    free(build->names);
}

struct sim *plan_build(const struct plan *plan, struct ogv_error *error)
{
    struct build build = { .plan = plan, .error = error };
    bool good = build_frame(&build) && build_init(&build);
    build_fini(&build);
    if (good)
        return build.sim;
    sim_destroy(build.sim);
    return NULL;
}

bool plan_sample(const struct plan *plan, struct plan_size *sizes, struct ogv_error *error)
{
    struct build build = { .plan = plan, .sample = true, .error = error };
    bool good = build_frame(&build);
    for (u32 n = 0; good && n < plan->unit_count; n++) {
        if (!build.units[n])
            continue;
        u64 taken = build.arena->taken, aside = build.arena->taken_aside;
        good = build_init_unit(&build, n);
        aside = build.arena->taken_aside - aside;
        *sizes++ = (struct plan_size){ .allocated = (double)(build.arena->taken - taken - aside),
                                       .aside = (double)aside };
    }
    build_fini(&build);
    sim_destroy(build.sim);
    return good;
}
