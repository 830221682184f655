/* system.c - building the units and links of a plan, and running them.
 *
 * Building is deterministic to the byte: the same plan gives the same arena. That is what lets a
 * checkpoint be restored by building its plan again and laying the saved bytes over it. */
#include "arch/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/clock.h"
#include "sim/hang.h"
#include "unit/registry.h"

#define WATCHDOG_DEFAULT 10000000 /* cycles without progress */

/* ---- Building ---- */

struct build {
    ogv_system *system;
    const struct plan *plan;
    struct unit **units; /* by number */
    const char **names;  /* of the lines that they were made from, in the arena */
    struct ogv_error *error;
};

static bool build_too_large(struct build *build)
{
    return error_user(build->error, "%s: is too large: its state needs more than %llu GiB",
                      build->plan->name, (unsigned long long)(ARENA_SLOT_BYTES / GiB));
}

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
        sim_add_unit(build->system->sim, domain, planned->type_index, planned->type->bytes, clock);
    if (!unit || !unit_set_params(unit, planned))
        return build_too_large(build);
    unit->ordinal = domain_copy * planned->count + copy;
    build->units[plan_number(group, domain_copy, planned, copy)] = unit;
    return true;
}

static bool build_domain(struct build *build, const struct plan_domain *group, u32 copy)
{
    struct domain *domain = sim_add_domain(build->system->sim);
    if (!domain)
        return build_too_large(build);
    for (u32 u = 0; u < group->unit_count; u++) {
        const char *name = arena_text(build->system->chip->arena, group->units[u].name);
        if (!name)
            return build_too_large(build);
        for (u32 c = 0; c < group->units[u].count; c++) {
            if (!build_unit(build, domain, group, copy, &group->units[u], c))
                return false;
            build->names[plan_number(group, copy, &group->units[u], c)] = name;
        }
    }
    return true;
}

static struct ports *unit_ports(struct build *build, u32 number, u32 port)
{
    const struct unit_type *type = registry_type(build->units[number]->type);
    struct ports *ports = (void *)((char *)build->units[number] + type->ports_offset);
    return &ports[port];
}

/* First all ports are counted, then their arrays allocated, then filled in the order of the file.
 */
static bool build_ports(struct build *build)
{
    const struct plan *plan = build->plan;
    for (u32 i = 0; i < plan->edge_count; i++) {
        const struct plan_edge *edge = &plan->edges[i];
        unit_ports(build, edge->from, plan->links[edge->link].from.port)->count++;
        unit_ports(build, edge->to, plan->links[edge->link].to.port)->count++;
    }
    for (u32 n = 0; n < plan->unit_count; n++) {
        const struct unit_type *type = registry_type(build->units[n]->type);
        for (u32 p = 0; type->ports[p].name; p++) {
            struct ports *ports = unit_ports(build, n, p);
            ports->at =
                arena_alloc(build->system->chip->arena, ports->count * sizeof *ports->at, 8);
            ports->pending = ports->count <= 64
                                 ? &ports->few
                                 : arena_alloc(build->system->chip->arena,
                                               (ports->count + 63) / 64 * sizeof(u64), 8);
            if (!ports->at || !ports->pending)
                return build_too_large(build);
            ports->count = 0;
        }
    }
    return true;
}

static bool build_edge(struct build *build, const struct plan_edge *edge)
{
    const struct plan_link *link = &build->plan->links[edge->link];
    struct ports *from = unit_ports(build, edge->from, link->from.port);
    struct ports *to = unit_ports(build, edge->to, link->to.port);
    struct port *left = &from->at[from->count++], *right = &to->at[to->count++];
    struct unit *a = build->units[edge->from], *b = build->units[edge->to];
    struct sim *sim = build->system->sim;
    enum port_role role = registry_type(a->type)->ports[link->from.port].role;
    left->out = right->in = sim_add_link(sim, a, b, link->latency, link->capacity);
    if (role == ASKS)
        left->in = right->out = sim_add_link(sim, b, a, link->latency, link->capacity);
    if (!left->out || (role == ASKS && !left->in))
        return build_too_large(build);
    left->peer = build->names[edge->to];
    right->peer = build->names[edge->from];
    ports_watch(to, to->count - 1);
    if (role == ASKS)
        ports_watch(from, from->count - 1);
    return true;
}

static bool route_set(struct build *build, u32 number, u32 port, struct route route,
                      const struct plan_link *link)
{
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
        bool serves =
            registry_type(build->units[edge->to]->type)->ports[link->to.port].role == SERVES;
        if (!route_set(build, edge->from, link->from.port, route, link) ||
            (serves && !route_set(build, edge->to, link->to.port, route, link)))
            return false;
        if (unit_ports(build, edge->from, link->from.port)->count != ways)
            return place_error(build->error, link->place,
                               "'%s': the sending port has other links too, so addresses cannot "
                               "choose among these",
                               link->text);
    }
    return true;
}

static bool build_init(struct build *build)
{
    for (u32 n = 0; n < build->plan->unit_count; n++) {
        const struct unit_type *type = registry_type(build->units[n]->type);
        struct ogv_error why = { .message = "its init function refused, without a reason" };
        if (!type->init || type->init(build->units[n], &why))
            continue;
        char path[256];
        plan_path(build->plan, n, path, sizeof path);
        return place_error(build->error, plan_locate(build->plan, n).unit->place, "%s: %s", path,
                           why.message);
    }
    return true;
}

static bool build_all(struct build *build)
{
    const struct plan *plan = build->plan;
    for (u32 d = 0; d < plan->domain_count; d++)
        for (u32 copy = 0; copy < plan->domains[d].count; copy++)
            if (!build_domain(build, &plan->domains[d], copy))
                return false;
    if (!build_ports(build))
        return false;
    for (u32 i = 0; i < plan->edge_count; i++)
        if (!build_edge(build, &plan->edges[i]))
            return false;
    return build_routes(build) && sim_seal(build->system->sim, build->error) && build_init(build);
}

/* The running program and the unit libraries of the chip, as one fingerprint. An arena refers to
 * types by index, which depends on what else the process has loaded before. */
static void system_build_hash(ogv_system *system)
{
    char digits[HASH_TEXT_BYTES];
    struct hash *hash = hash_create();
    hash_build(digits);
    hash_add_text(hash, digits);
    for (u32 i = 0; i < system->plan->unit_path_count; i++) {
        if (!hash_file(system->plan->unit_paths[i], digits))
            memset(digits, 0, sizeof digits);
        hash_add_text(hash, digits);
    }
    for (u32 i = 0; i < system->plan->domain_count; i++)
        for (u32 u = 0; u < system->plan->domains[i].unit_count; u++)
            hash_add_u64(hash, system->plan->domains[i].units[u].type_index);
    hash_finish(hash, system->build);
}

ogv_system *ogv_system_create(const ogv_arch *arch, struct ogv_error *error)
{
    struct plan *plan = plan_create(arch, error);
    if (!plan)
        return NULL;
    ogv_system *system = heap_array(1, sizeof *system);
    system->plan = plan;
    system->sim = sim_create(error);
    if (!system->sim) {
        ogv_system_destroy(system);
        return NULL;
    }
    system->chip = sim_chip(system->sim);
    system->chip->clock_hz = plan->clock_hz;
    sim_set_ticks(system->sim, registry_ticks());
    struct build build = { system, plan, NULL, NULL, error };
    build.units = heap_array(plan->unit_count, sizeof *build.units);
    build.names = heap_array(plan->unit_count, sizeof *build.names);
    bool good = build_all(&build);
    free(build.units);
    free(build.names);
    if (!good) {
        ogv_system_destroy(system);
        return NULL;
    }
    plan_export(plan, &system->exported);
    system_build_hash(system);
    system_set_options(system, &(struct sim_options){ .watchdog = WATCHDOG_DEFAULT });
    return system;
}

void ogv_system_destroy(ogv_system *system)
{
    if (!system)
        return;
    sim_destroy(system->sim);
    plan_destroy(system->plan);
    text_fini(&system->exported);
    free(system);
}

/* ---- Running ---- */

void system_set_options(ogv_system *system, const struct sim_options *options)
{
    system->options = *options;
    sim_set_options(system->sim, options);
}

void ogv_system_set_threads(ogv_system *system, uint32_t threads)
{
    system->options.threads = threads;
    sim_set_options(system->sim, &system->options);
}

static void system_name_unit(void *context, const struct unit *unit, char *buffer, size_t size)
{
    plan_path(((ogv_system *)context)->plan, unit->number, buffer, size);
}

static void system_explain_hang(ogv_system *system, enum sim_end end, struct ogv_error *error)
{
    struct text report = { 0 };
    unsigned long long now = (unsigned long long)system->chip->now;
    if (end == SIM_DEADLOCK)
        text_add(&report, "deadlock at cycle %llu: work is left, but no unit will ever wake\n",
                 now);
    else
        text_add(&report, "no progress for %llu cycles (livelock?), stopped at cycle %llu\n",
                 (unsigned long long)system->options.watchdog, now);
    hang_report(system->chip, system_name_unit, system, &report);
    while (report.length && report.chars[report.length - 1] == '\n')
        report.chars[--report.length] = 0;
    error_hang(error, "%s", text_get(&report));
    text_fini(&report);
}

enum sim_end system_run(ogv_system *system, cycle until, struct sim_poll poll,
                        struct ogv_error *error)
{
    enum sim_end end = sim_run(system->sim, until, poll);
    if (end == SIM_DEADLOCK || end == SIM_LIVELOCK)
        system_explain_hang(system, end, error);
    return end;
}

enum ogv_end ogv_system_run(ogv_system *system, uint64_t until, struct ogv_error *error)
{
    switch (system_run(system, until, (struct sim_poll){ 0 }, error)) {
    case SIM_FINISHED:
        return OGV_END_FINISHED;
    case SIM_REACHED:
        return OGV_END_REACHED;
    default:
        return OGV_END_FAILED;
    }
}

enum ogv_end ogv_system_step(ogv_system *system, uint64_t cycles, struct ogv_error *error)
{
    cycle now = system->chip->now;
    return ogv_system_run(system, cycles > NEVER - now ? NEVER : now + cycles, error);
}

cycle system_cycles(const ogv_system *system)
{
    return system->chip->ended ? system->chip->ended_at : system->chip->now;
}

uint64_t ogv_system_cycle(const ogv_system *system)
{
    return system_cycles(system);
}

void system_settle(ogv_system *system)
{
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        struct unit *unit = system->chip->units[n];
        const struct unit_type *type = registry_type(unit->type);
        if (type->report)
            type->report(unit, clock_own(unit->clock, system->chip->now));
    }
}

/* ---- Checkpoints ---- */

void system_arch_hash(const ogv_system *system, char digits[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    hash_add_text(hash, text_get(&system->exported));
    hash_finish(hash, digits);
}

bool ogv_system_checkpoint(ogv_system *system, const char *file, struct ogv_error *error)
{
    struct checkpoint checkpoint = { .text = system->exported.chars,
                                     .text_length = system->exported.length,
                                     .now = system->chip->now };
    memcpy(checkpoint.build, system->build, sizeof checkpoint.build);
    return checkpoint_write(file, &checkpoint, system->chip->arena, error);
}

static ogv_system *system_rebuild(const char *file, const struct checkpoint *checkpoint,
                                  struct ogv_error *error)
{
    ogv_arch *arch =
        arch_parse(file, checkpoint->text, checkpoint->text_length, ARCH_WITH_FILES, error);
    ogv_system *system = arch ? ogv_system_create(arch, error) : NULL;
    ogv_arch_destroy(arch);
    if (!system)
        return NULL;
    bool good = !strcmp(system->build, checkpoint->build);
    if (!good)
        error_user(error,
                   "%s: was written by another build of the simulator, or with other unit "
                   "libraries; only the same can resume it",
                   file);
    good = good && checkpoint_restore(file, checkpoint, system->chip->arena, error);
    if (!good) {
        ogv_system_destroy(system);
        return NULL;
    }
    return system;
}

ogv_system *ogv_system_resume(const char *file, struct ogv_error *error)
{
    struct checkpoint checkpoint;
    if (!checkpoint_open(file, &checkpoint, error))
        return NULL;
    ogv_system *system = system_rebuild(file, &checkpoint, error);
    free(checkpoint.text);
    return system;
}
