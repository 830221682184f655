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
#include "run/ghost_set.h"
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

/* Of all caches that are alike, as one. */
static void shape_add_shared(const struct plan_domain *domain, const struct plan_unit *unit,
                             struct ghost_shape *shape)
{
    u64 size = (u64)param_of(unit, "size", 0) * unit->count * domain->count;
    shape->shared_ways = param_of(unit, "ways", 1);
    shape->shared_line = param_of(unit, "line", MEMORY_SECTOR);
    shape->shared_sets = (u32)(size / shape->shared_ways / shape->shared_line);
    if (shape->shared_ways > GHOST_WAYS_MOST || shape->shared_line > 32 * MEMORY_SECTOR)
        shape->shared_sets = 0;
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
    struct ghost_shape all = { 0 };
    bool shared = false;
    *shape = (struct ghost_shape){ 0 };
    for (u32 i = 0; i < plan->domain_count; i++) {
        const struct plan_domain *domain = &plan->domains[i];
        struct ghost_shape found = { 0 };
        for (u32 k = 0; k < domain->unit_count; k++) {
            shape_add(domain, &domain->units[k], &found);
            if (!unit_tells(&domain->units[k], FIGURE_l2_hit_rate))
                continue;
            shape_add_shared(domain, &domain->units[k], &all);
            shared = true;
        }
        if (found.sms)
            *shape = found;
    }
    shape->shared_sets = all.shared_sets;
    shape->shared_ways = all.shared_ways;
    shape->shared_line = all.shared_line;
    bool good = shape->sms && shape->rays && shape->sets && shape->ways <= GHOST_WAYS_MOST &&
                shape->line <= 32 * MEMORY_SECTOR && shared;
    shape->threads = good ? shape_threads(system, shape) : 0;
    return good;
}

/* ---- A machine without time ---- */

#define TURN_VISITS  16 /* that a full SM makes in a row */
#define VISIT_TIME   (UINT64_C(1) << 32)
#define VISITS_AHEAD 4 /* of which the list is fetched into the caches of the host */

struct ghost_thread {
    const u32 *at, *end; /* the visit that is next in its list */
    u32 block;
};

struct ghost_sm {
    u64 time; /* that its visits have taken, each in as many parts as there were rays */
    u32 turn; /* in the RT core */
    struct ghost_set *sets;
    struct ghost_thread *threads; /* of which these wait with a ray, in a ring, */
    u32 *queue;
    u64 head, tail;
    u32 *tracing; /* and these are in the RT core */
    u32 tracing_count;
    u64 next, end; /* pieces of its block */
};

struct ghost_machine {
    const struct ghost_source *source;
    const struct visit_lists *lists;
    const struct ghost_shape *shape;
    u32 line_pieces;
    struct ghost_sm *sms;
    u64 given;     /* pieces */
    bool emptying; /* some SM has no more pieces */
    u64 last;      /* when the last ray until now has ended */
    struct ghosts ghosts;
    u64 room;
};

static void ghost_add(struct ghost_machine *machine, u32 request, u32 block)
{
    struct ghosts *ghosts = &machine->ghosts;
    if (ghosts->count == machine->room) {
        machine->room = machine->room ? 2 * machine->room : 1024;
        ghosts->requests = heap_grow(ghosts->requests, machine->room, sizeof *ghosts->requests);
        ghosts->blocks = heap_grow(ghosts->blocks, machine->room, sizeof *ghosts->blocks);
    }
    ghosts->blocks[ghosts->count] = (u16)block;
    ghosts->requests[ghosts->count++] = request;
}

/* What is used of a line and not there is asked for, sectors in a row together. */
static inline void line_use(struct ghost_machine *machine, struct ghost_sm *sm, u32 number,
                            u32 pieces, u32 block)
{
    if (!ghost_line_counts(machine->source, number))
        return;
    struct ghost_set *set = &sm->sets[number % machine->shape->sets];
    u32 lacking = ghost_set_use(set, machine->shape->ways, number, pieces);
    while (lacking) {
        u32 first = (u32)__builtin_ctz(lacking), count = 1;
        while (count < UNIT_GHOST_SECTORS && lacking >> first >> count & 1)
            count++;
        ghost_add(machine, unit_ghost(number * machine->line_pieces + first, count), block);
        lacking &= ~((UINT32_C(2) << (first + count - 1)) - 1);
    }
}

/* From one sector on to another, whole sectors of the L1. */
static inline void sectors_use(struct ghost_machine *machine, struct ghost_sm *sm, u64 first,
                               u64 last, u32 block)
{
    u32 line = machine->line_pieces, whole = machine->shape->sector / MEMORY_SECTOR;
    first &= ~(u64)(whole - 1);
    last |= whole - 1;
    for (u64 number = first / line; number <= last / line; number++) {
        u32 from = number == first / line ? (u32)(first % line) : 0;
        u32 to = number == last / line ? (u32)(last % line) : line - 1;
        line_use(machine, sm, (u32)number, (UINT32_C(2) << to) - (UINT32_C(1) << from), block);
    }
}

static inline void ghost_visit(struct ghost_machine *machine, struct ghost_sm *sm, u32 visit,
                               u32 block)
{
    const struct visit_lists *lists = machine->lists;
    bool of_block = visit & BVH_LIST_BLOCK;
    u32 bytes = of_block ? lists->block_bytes : lists->node_bytes;
    u64 first = (of_block ? lists->blocks : lists->nodes) + (u64)(visit & ~BVH_LIST_BLOCK) * bytes;
    sectors_use(machine, sm, first / MEMORY_SECTOR, (first + bytes - 1) / MEMORY_SECTOR, block);
}

static bool visit_is_load(u32 visit)
{
    return (visit & BVH_LIST_STORE) == BVH_LIST_LOAD;
}

static bool visit_is_store(u32 visit)
{
    return (visit & BVH_LIST_STORE) == BVH_LIST_STORE && visit != BVH_LIST_END;
}

/* L1s keep nothing of it. */
static void quarter_store(struct ghost_machine *machine, u32 quarter, u32 block)
{
    u32 sector = quarter / UNIT_GHOST_SECTORS;
    if (ghost_line_counts(machine->source, sector / machine->line_pieces))
        ghost_add(machine, unit_ghost_write(sector, quarter % UNIT_GHOST_SECTORS), block);
}

/* What the program loads and stores before its next ray; false: there is none in this piece. */
static bool thread_load(struct ghost_machine *machine, struct ghost_sm *sm,
                        struct ghost_thread *thread)
{
    for (; thread->at < thread->end; thread->at++) {
        u32 place = *thread->at & ~BVH_LIST_STORE;
        if (visit_is_store(*thread->at))
            quarter_store(machine, place, thread->block);
        else if (visit_is_load(*thread->at))
            sectors_use(machine, sm, place, place, thread->block);
        else
            break;
    }
    return thread->at < thread->end;
}

/* A thread that begins a piece. Of one that visits nothing there need not be a list. */
static struct ghost_thread thread_of(const struct ghost_machine *machine, u64 piece)
{
    const struct visit_list *list = &machine->lists->of[piece];
    struct ghost_thread thread = { .block = (u32)(piece / machine->source->block) };
    if (list->count) {
        thread.at = machine->lists->visits[list->runner] + list->first;
        thread.end = thread.at + list->count;
    }
    return thread;
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
        if (sm->next == sm->end) {
            if (!machine->emptying)
                machine->ghosts.full_count = machine->ghosts.count;
            machine->emptying = true;
            return false;
        }
        *thread = thread_of(machine, sm->next++);
    } while (!thread_load(machine, sm, thread));
    return true;
}

static void ray_queue(const struct ghost_machine *machine, struct ghost_sm *sm, u32 thread)
{
    sm->queue[sm->tail++ % machine->shape->threads] = thread;
}

/* One visit of one of its rays, in turn; false: it has none. */
static inline bool sm_step(struct ghost_machine *machine, struct ghost_sm *sm)
{
    while (sm->tracing_count < machine->shape->rays && sm->head != sm->tail)
        sm->tracing[sm->tracing_count++] = sm->queue[sm->head++ % machine->shape->threads];
    if (!sm->tracing_count)
        return false;
    sm->turn = sm->turn + 1 < sm->tracing_count ? sm->turn + 1 : 0;
    u32 slot = sm->turn, number = sm->tracing[slot];
    struct ghost_thread *thread = &sm->threads[number];
    u32 visit = *thread->at++;
    u32 soon = slot + VISITS_AHEAD < sm->tracing_count ? slot + VISITS_AHEAD : 0;
    __builtin_prefetch(sm->threads[sm->tracing[soon]].at);
    if (visit != BVH_LIST_END) {
        machine->ghosts.full_visits += !machine->emptying;
        sm->time += VISIT_TIME / sm->tracing_count;
        ghost_visit(machine, sm, visit, thread->block);
        return true;
    }
    if (sm->time >= machine->last) {
        machine->last = sm->time;
        machine->ghosts.last_block = thread->block;
    }
    sm->tracing[slot] = sm->tracing[--sm->tracing_count];
    if (thread_load(machine, sm, thread) || thread_begin(machine, sm, thread))
        ray_queue(machine, sm, number);
    return true;
}

/* Up to that time; false: it has no ray. */
static bool sm_go_on(struct ghost_machine *machine, struct ghost_sm *sm, u64 now)
{
    while (sm->time <= now)
        if (!sm_step(machine, sm))
            return false;
    return true;
}

static void sms_make(struct ghost_machine *machine)
{
    const struct ghost_shape *shape = machine->shape;
    machine->sms = heap_array(shape->sms, sizeof *machine->sms);
    for (u32 i = 0; i < shape->sms; i++) {
        struct ghost_sm *sm = &machine->sms[i];
        sm->sets = heap_array(shape->sets, sizeof *sm->sets);
        sm->threads = heap_array(shape->threads, sizeof *sm->threads);
        sm->queue = heap_array(shape->threads, sizeof *sm->queue);
        sm->tracing = heap_array(shape->rays, sizeof *sm->tracing);
        for (u32 k = 0; k < shape->sets; k++)
            ghost_set_init(&sm->sets[k], shape->ways);
    }
}

static void sms_free(struct ghost_machine *machine)
{
    for (u32 i = 0; i < machine->shape->sms; i++) {
        free(machine->sms[i].sets);
        free(machine->sms[i].threads);
        free(machine->sms[i].queue);
        free(machine->sms[i].tracing);
    }
    free(machine->sms);
}

/* What comes before the nodes in a world belongs to pieces, but for a header. */
static u32 scene_first(const struct visit_lists *lists)
{
    return (u32)(lists->nodes / MEMORY_SECTOR);
}

struct ghosts ghosts_make(const struct ghost_source *source)
{
    const struct ghost_shape *shape = &source->shape;
    struct ghost_machine machine = { .source = source,
                                     .lists = source->lists,
                                     .shape = shape,
                                     .line_pieces = shape->line / MEMORY_SECTOR,
                                     .ghosts.shared = scene_first(source->lists) };
    sms_make(&machine);
    for (u32 thread = 0; thread < shape->threads; thread++)
        for (u32 i = 0; i < shape->sms; i++)
            if (thread_begin(&machine, &machine.sms[i], &machine.sms[i].threads[thread]))
                ray_queue(&machine, &machine.sms[i], thread);
    bool any = true;
    for (u64 now = 0; any; now += VISIT_TIME / shape->rays * TURN_VISITS) {
        any = false;
        for (u32 i = 0; i < shape->sms; i++)
            any = sm_go_on(&machine, &machine.sms[i], now) || any;
    }
    sms_free(&machine);
    return machine.ghosts;
}

void ghosts_fini(struct ghosts *ghosts)
{
    free(ghosts->requests);
    free(ghosts->blocks);
    *ghosts = (struct ghosts){ 0 };
}

/* ---- To the caches ---- */

/* No link between machine and memory deals out less at a time. */
#define PAGE 4096

struct haunted {
    struct unit *unit;
    struct unit_ghosts *ghosts;
    u32 *requests;
    u64 count;
};

struct giving {
    ogv_system *system;
    u64 world;
    u32 last;   /* sector that is asked for, from the beginning of the world on */
    u32 *pages; /* number of the cache that has it, and 1; 0: not known */
    struct haunted *caches;
    u32 cache_count;
    u32 brought; /* of unit_ghosts, */
    u32 shared;  /* and its sector, as `last` is */
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
static u32 cache_of(struct giving *giving, u32 request)
{
    u64 offset = (u64)unit_ghost_sector(request) * MEMORY_SECTOR + giving->world % PAGE;
    u32 *page = &giving->pages[offset / PAGE];
    if (!*page)
        *page = page_find(giving, giving->world / PAGE + offset / PAGE);
    return *page - 1;
}

static bool caches_prepare(struct giving *giving, struct ogv_error *error)
{
    struct arena *arena = giving->system->chip->arena;
    for (u32 i = 0; i < giving->cache_count; i++) {
        struct haunted *cache = &giving->caches[i];
        cache->ghosts = arena_alloc(arena, sizeof *cache->ghosts, 64);
        cache->requests = arena_alloc(arena, cache->count * sizeof *cache->requests, 64);
        if (!cache->ghosts || !cache->requests)
            return error_user(error, "requests of the rest of the machine are too many for the "
                                     "state of this chip");
        *cache->ghosts =
            (struct unit_ghosts){ .first = giving->world / MEMORY_SECTOR,
                                  .last = giving->world / MEMORY_SECTOR + giving->last,
                                  .requests = cache->requests,
                                  .brought = giving->brought,
                                  .shared = giving->world / MEMORY_SECTOR + giving->shared };
    }
    return true;
}

bool ghosts_give(ogv_system *system, const struct ghosts_around *around, u64 world,
                 struct ogv_error *error)
{
    const struct ghosts *ghosts = around->all;
    struct giving giving = { .system = system,
                             .world = world,
                             .shared = ghosts->shared,
                             .brought = (u32)((1 - around->missed) * UINT32_MAX) };
    for (u64 i = 0; i < ghosts->count; i++)
        giving.last = (u32)max_u64(giving.last, unit_ghost_sector(ghosts->requests[i]) +
                                                    unit_ghost_count(ghosts->requests[i]) - 1);
    giving.pages = heap_array((u64)giving.last * MEMORY_SECTOR / PAGE + 2, sizeof *giving.pages);
    for (u64 i = 0; i < ghosts->count; i++) {
        u32 cache = cache_of(&giving, ghosts->requests[i]);
        giving.caches[cache].count++;
    }
    bool good = caches_prepare(&giving, error);
    for (u64 i = 0; good && i < ghosts->count; i++) {
        u32 request = ghosts->requests[i];
        struct haunted *to = &giving.caches[cache_of(&giving, request)];
        to->requests[to->ghosts->count++] =
            request | (around->own[ghosts->blocks[i]] ? UNIT_GHOST_TURN : 0);
    }
    for (u32 i = 0; good && i < giving.cache_count; i++)
        if (giving.caches[i].unit)
            registry_type(giving.caches[i].unit->type)
                ->haunt(giving.caches[i].unit, giving.caches[i].ghosts);
    free(giving.pages);
    free(giving.caches);
    return good;
}
