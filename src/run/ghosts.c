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

/* ---- To the caches ---- */

void ghosts_fini(struct ghosts *ghosts)
{
    free(ghosts->requests);
    free(ghosts->blocks);
    *ghosts = (struct ghosts){ 0 };
}

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
