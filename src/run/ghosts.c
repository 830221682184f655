/* ghosts.c - see ghosts.h. */
#include "run/ghosts.h"

#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "base/error.h"
#include "base/text.h"
#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/program.h"
#include "ogive/tracer.h"
#include "run/figures.h"
#include "unit/explain.h"
#include "unit/registry.h"

/* ---- The shape of an SM ---- */

static u32 param_of(const struct plan_unit *unit, const char *name, u32 otherwise)
{
    u32 number;
    if (!explain_param(unit->type, name, &number))
        return otherwise;
    return (u32)explain_number(&unit->type->params[number], unit->values[number]);
}

static bool unit_tells(const struct plan_unit *unit, u32 figure)
{
    const struct figure_row *row = unit->type->figures;
    char name[128];
    for (; row && row->figure; row++) {
        figure_name(unit->type, row, unit->values, name, sizeof name);
        if (!strcmp(name, run_figure_names[figure]))
            return true;
    }
    return false;
}

static void shape_add(const struct plan_domain *domain, const struct plan_unit *unit,
                      struct ghost_shape *shape)
{
    if (unit_traces_rays(unit->type)) {
        shape->sms = domain->count;
        shape->rays = unit->count * param_of(unit, "rays", 1);
    } else if (unit_tells(unit, FIGURE_l1_hit_rate)) {
        u32 size = param_of(unit, "size", 0);
        shape->ways = param_of(unit, "ways", 1);
        shape->line = param_of(unit, "line", MEMORY_SECTOR);
        shape->sector = param_of(unit, "sector", MEMORY_SECTOR);
        shape->sets = size / shape->ways / shape->line;
    }
}

/* Of an SM. */
static u32 shape_threads(const ogv_system *system, const struct ghost_shape *shape)
{
    u64 threads = 0;
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (unit_runs_programs(registry_type(system->chip->units[i]->type)))
            threads += registry_harts(system->chip->units[i]);
    return (u32)max_u64(threads / shape->sms, shape->rays);
}

bool ghost_shape_find(const ogv_system *system, struct ghost_shape *shape)
{
    const struct plan *plan = system->plan;
    bool shared = false;
    *shape = (struct ghost_shape){ 0 };
    for (u32 i = 0; i < plan->domain_count; i++) {
        const struct plan_domain *domain = &plan->domains[i];
        struct ghost_shape found = { 0 };
        for (u32 k = 0; k < domain->unit_count; k++) {
            shape_add(domain, &domain->units[k], &found);
            shared = shared || unit_tells(&domain->units[k], FIGURE_l2_hit_rate);
        }
        if (found.sms)
            *shape = found;
    }
    bool good = shape->sms && shape->rays && shape->sets && shared;
    shape->threads = good ? shape_threads(system, shape) : 0;
    return good;
}

/* ---- A machine without time ---- */

struct ghost_thread {
    const u32 *at, *end; /* the visit that is next in its list */
    u32 block;
};

struct ghost_sm {
    u32 turn;                     /* in the RT core */
    u64 *lines;                   /* [set][way] of the L1, the newest first: number and sectors */
    struct ghost_thread *threads; /* of which these wait with a ray, in a ring, */
    u32 *queue;
    u64 head, tail;
    u32 *tracing; /* and these are in the RT core */
    u32 tracing_count;
    u64 next, end; /* pieces of its block */
};

#define SECTOR_BITS 32 /* of an entry of an L1; the number of the line is above */
#define LINE_NONE   ((UINT64_C(1) << SECTOR_BITS) - 1)

struct ghost_machine {
    const struct ghost_source *source;
    const struct visit_lists *lists;
    const struct ghost_shape *shape;
    u32 line_bits, sector_bits;
    struct ghost_sm *sms;
    u64 given; /* pieces */
    struct ghosts ghosts;
    u64 room;
};

static void ghost_add(struct ghost_machine *machine, u64 address, u32 block)
{
    struct ghosts *ghosts = &machine->ghosts;
    if (ghosts->count == machine->room) {
        machine->room = machine->room ? 2 * machine->room : 1024;
        ghosts->sectors = heap_grow(ghosts->sectors, machine->room, sizeof *ghosts->sectors);
        ghosts->blocks = heap_grow(ghosts->blocks, machine->room, sizeof *ghosts->blocks);
    }
    ghosts->blocks[ghosts->count] = (u16)block;
    ghosts->sectors[ghosts->count++] = (u32)(address / MEMORY_SECTOR);
}

/* Sectors that are not there are asked for. */
static void line_use(struct ghost_machine *machine, struct ghost_sm *sm, u64 number, u32 sectors,
                     u32 block)
{
    const struct ghost_shape *shape = machine->shape;
    u64 *set = &sm->lines[(u32)number % shape->sets * shape->ways], entry;
    u32 way = 0;
    while (way + 1 < shape->ways && set[way] >> SECTOR_BITS != number)
        way++;
    entry = set[way] >> SECTOR_BITS == number ? set[way] : number << SECTOR_BITS;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = entry | sectors;
    u64 address = number * shape->line;
    for (u32 left = sectors & ~(u32)entry; left; left &= left - 1)
        for (u32 i = 0; i < shape->sector; i += MEMORY_SECTOR)
            ghost_add(machine, address + (u32)__builtin_ctz(left) * shape->sector + i, block);
}

static void bytes_use(struct ghost_machine *machine, struct ghost_sm *sm, u64 address, u32 bytes,
                      u32 block)
{
    u32 line_bits = machine->line_bits, sector_bits = machine->sector_bits;
    u64 last = address + bytes - 1, in_line = (UINT64_C(1) << line_bits) - 1;
    for (u64 number = address >> line_bits; number <= last >> line_bits; number++) {
        u64 begin = number == address >> line_bits ? address & in_line : 0;
        u64 end = number == last >> line_bits ? last & in_line : in_line;
        u64 sectors =
            (UINT64_C(2) << (end >> sector_bits)) - (UINT64_C(1) << (begin >> sector_bits));
        line_use(machine, sm, number, (u32)sectors, block);
    }
}

static void ghost_visit(struct ghost_machine *machine, struct ghost_sm *sm, u32 visit, u32 block)
{
    const struct visit_lists *lists = machine->lists;
    u64 number = visit & ~BVH_LIST_BLOCK;
    if (visit & BVH_LIST_BLOCK)
        bytes_use(machine, sm, lists->blocks + number * lists->block_bytes, lists->block_bytes,
                  block);
    else
        bytes_use(machine, sm, lists->nodes + number * lists->node_bytes, lists->node_bytes, block);
}

/* The next piece with a ray, of its SM's block or of the next; false: there is none. */
static bool thread_begin(struct ghost_machine *machine, struct ghost_sm *sm,
                         struct ghost_thread *thread)
{
    const struct visit_lists *lists = machine->lists;
    do {
        if (sm->next == sm->end) {
            sm->next = machine->given;
            machine->given = min_u64(machine->given + machine->source->block, lists->count);
            sm->end = machine->given;
        }
        if (sm->next == sm->end)
            return false;
        const struct visit_list *list = &lists->of[sm->next];
        *thread = (struct ghost_thread){ list->visits, list->visits + list->count,
                                         (u32)(sm->next / machine->source->block) };
        sm->next++;
    } while (thread->at == thread->end);
    return true;
}

static void ray_queue(const struct ghost_machine *machine, struct ghost_sm *sm, u32 thread)
{
    sm->queue[sm->tail++ % machine->shape->threads] = thread;
}

/* One visit of one of its rays, in turn; false: it has none. */
static bool sm_step(struct ghost_machine *machine, struct ghost_sm *sm)
{
    while (sm->tracing_count < machine->shape->rays && sm->head != sm->tail)
        sm->tracing[sm->tracing_count++] = sm->queue[sm->head++ % machine->shape->threads];
    if (!sm->tracing_count)
        return false;
    sm->turn = sm->turn + 1 < sm->tracing_count ? sm->turn + 1 : 0;
    u32 slot = sm->turn, number = sm->tracing[slot];
    struct ghost_thread *thread = &sm->threads[number];
    u32 visit = *thread->at++;
    if (visit != BVH_LIST_END) {
        ghost_visit(machine, sm, visit, thread->block);
        return true;
    }
    sm->tracing[slot] = sm->tracing[--sm->tracing_count];
    if (thread->at < thread->end || thread_begin(machine, sm, thread))
        ray_queue(machine, sm, number);
    return true;
}

static void sms_make(struct ghost_machine *machine)
{
    const struct ghost_shape *shape = machine->shape;
    u64 lines = (u64)shape->sets * shape->ways;
    machine->sms = heap_array(shape->sms, sizeof *machine->sms);
    for (u32 i = 0; i < shape->sms; i++) {
        struct ghost_sm *sm = &machine->sms[i];
        sm->lines = heap_array(lines, sizeof *sm->lines);
        sm->threads = heap_array(shape->threads, sizeof *sm->threads);
        sm->queue = heap_array(shape->threads, sizeof *sm->queue);
        sm->tracing = heap_array(shape->rays, sizeof *sm->tracing);
        for (u64 k = 0; k < lines; k++)
            sm->lines[k] = LINE_NONE << SECTOR_BITS;
    }
}

static void sms_free(struct ghost_machine *machine)
{
    for (u32 i = 0; i < machine->shape->sms; i++) {
        free(machine->sms[i].lines);
        free(machine->sms[i].threads);
        free(machine->sms[i].queue);
        free(machine->sms[i].tracing);
    }
    free(machine->sms);
}

struct ghosts ghosts_make(const struct ghost_source *source)
{
    const struct ghost_shape *shape = &source->shape;
    struct ghost_machine machine = { .source = source,
                                     .lists = source->lists,
                                     .shape = shape,
                                     .line_bits = (u32)__builtin_ctz(shape->line),
                                     .sector_bits = (u32)__builtin_ctz(shape->sector) };
    sms_make(&machine);
    for (u32 thread = 0; thread < shape->threads; thread++)
        for (u32 i = 0; i < shape->sms; i++)
            if (thread_begin(&machine, &machine.sms[i], &machine.sms[i].threads[thread]))
                ray_queue(&machine, &machine.sms[i], thread);
    bool any = true;
    while (any) {
        any = false;
        for (u32 i = 0; i < shape->sms; i++)
            any = sm_step(&machine, &machine.sms[i]) || any;
    }
    sms_free(&machine);
    return machine.ghosts;
}

void ghosts_fini(struct ghosts *ghosts)
{
    free(ghosts->sectors);
    free(ghosts->blocks);
    *ghosts = (struct ghosts){ 0 };
}

/* ---- To the caches ---- */

/* No link between machine and memory deals out less at a time. */
#define PAGE 4096

struct haunted {
    struct unit *unit;
    struct unit_ghosts *ghosts;
    u32 *sectors;
    u64 count;
};

struct giving {
    ogv_system *system;
    u64 world;
    u32 first, last; /* sectors of the tree, from there on */
    u32 *pages;      /* number of the cache that has it, and 1; 0: not known */
    struct haunted *caches;
    u32 cache_count;
    struct unit *found;
};

/* The first is the one nearest to the memory. */
static void cache_note(void *context, struct unit *unit, u64 address)
{
    struct giving *giving = context;
    (void)address;
    if (!giving->found && registry_type(unit->type)->haunt)
        giving->found = unit;
}

static u32 page_find(struct giving *giving, u64 page)
{
    giving->found = NULL;
    host_follow(giving->system, page * PAGE, cache_note, giving);
    u32 i = 0;
    while (i < giving->cache_count && giving->caches[i].unit != giving->found)
        i++;
    if (i == giving->cache_count) {
        giving->caches = heap_append(giving->caches, i, sizeof *giving->caches);
        giving->caches[giving->cache_count++] = (struct haunted){ .unit = giving->found };
    }
    return i + 1;
}

/* Its cache, for a request of the list. */
static u32 cache_of(struct giving *giving, u64 address)
{
    u32 *page = &giving->pages[(address - giving->world + giving->world % PAGE) / PAGE];
    if (!*page)
        *page = page_find(giving, address / PAGE);
    return *page - 1;
}

static u64 address_of(const struct giving *giving, u32 sector)
{
    return giving->world + (u64)sector * MEMORY_SECTOR;
}

static bool caches_prepare(struct giving *giving, struct ogv_error *error)
{
    struct arena *arena = giving->system->chip->arena;
    for (u32 i = 0; i < giving->cache_count; i++) {
        struct haunted *cache = &giving->caches[i];
        cache->ghosts = arena_alloc(arena, sizeof *cache->ghosts, 64);
        cache->sectors = arena_alloc(arena, cache->count * sizeof *cache->sectors, 64);
        if (!cache->ghosts || !cache->sectors)
            return error_user(error, "requests of the rest of the machine are too many for the "
                                     "state of this chip");
        *cache->ghosts =
            (struct unit_ghosts){ .first = address_of(giving, giving->first) / MEMORY_SECTOR,
                                  .last = address_of(giving, giving->last) / MEMORY_SECTOR,
                                  .sectors = cache->sectors };
    }
    return true;
}

/* Where in the world the tree is, as far as rays visit it. */
static void tree_find(struct giving *giving, const struct ghosts *ghosts)
{
    giving->first = UINT32_MAX;
    for (u64 i = 0; i < ghosts->count; i++) {
        giving->first = (u32)min_u64(giving->first, ghosts->sectors[i]);
        giving->last = (u32)max_u64(giving->last, ghosts->sectors[i]);
    }
}

bool ghosts_give(ogv_system *system, const struct ghosts_around *around, u64 world,
                 struct ogv_error *error)
{
    const struct ghosts *ghosts = around->all;
    struct giving giving = { .system = system, .world = world };
    tree_find(&giving, ghosts);
    giving.pages = heap_array((u64)giving.last * MEMORY_SECTOR / PAGE + 2, sizeof *giving.pages);
    for (u64 i = 0; i < ghosts->count; i++) {
        u32 cache = cache_of(&giving, address_of(&giving, ghosts->sectors[i]));
        giving.caches[cache].count++;
    }
    bool good = caches_prepare(&giving, error);
    for (u64 i = 0; good && i < ghosts->count; i++) {
        u64 address = address_of(&giving, ghosts->sectors[i]);
        struct unit_ghosts *to = giving.caches[cache_of(&giving, address)].ghosts;
        giving.caches[cache_of(&giving, address)].sectors[to->count++] =
            (u32)(address / MEMORY_SECTOR) | (around->own[ghosts->blocks[i]] ? UNIT_GHOST_TURN : 0);
    }
    for (u32 i = 0; good && i < giving.cache_count; i++)
        if (giving.caches[i].unit)
            registry_type(giving.caches[i].unit->type)
                ->haunt(giving.caches[i].unit, giving.caches[i].ghosts);
    free(giving.pages);
    free(giving.caches);
    return good;
}
