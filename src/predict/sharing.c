/* sharing.c - see sharing.h. */
#include "predict/sharing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/figures.h"
#include "run/program.h"
#include "unit/explain.h"

#define BLOCK         32 /* pieces that a place takes at once */
#define TURNS         3  /* pieces of a stretch that each thread does, or there are fewer threads */
#define WARM          0.5  /* of a stretch: from there on it is counted */
#define CAPACITY_STEP 0.75 /* from one capacity that is tried to the next */

/* ---- Machines ---- */

static bool shape_of(const struct plan_unit *unit, struct cache_shape *shape)
{
    static const char *const names[] = { "size", "ways", "line", "sector" };
    double values[4];
    for (u32 i = 0; i < 4; i++) {
        u32 number;
        if (!explain_param(unit->type, names[i], &number))
            return false;
        values[i] = explain_number(&unit->type->params[number], unit->values[number]);
    }
    *shape = (struct cache_shape){ (u64)values[0], (u32)values[1], (u32)values[2], (u32)values[3] };
    return shape->sector && shape->line / shape->sector <= 32;
}

static bool unit_adds_to(const struct plan_unit *unit, enum figure figure)
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

static double param_of(void *context, const char *name)
{
    const struct plan_unit *unit = context;
    u32 number;
    return explain_param(unit->type, name, &number)
               ? explain_number(&unit->type->params[number], unit->values[number])
               : 0;
}

/* How many can stay in a unit at once: its first resource of that kind. */
static u32 room_of(const struct plan_unit *unit)
{
    const struct resource_row *row = unit->type->resources;
    while (row && row->name && (row->kind != RESOURCE_ROOM || !row->capacity))
        row++;
    if (!row || !row->name)
        return 0;
    struct formula *capacity = formula_parse(row->capacity, NULL);
    double room = formula_value(capacity, param_of, (void *)unit);
    formula_free(capacity);
    return (u32)fmax(0, room);
}

static void unit_take(const struct plan_domain *domain, const struct plan_unit *unit,
                      struct sharing_machine *machine)
{
    u32 copies = domain->count * unit->count;
    if (unit_adds_to(unit, FIGURE_l1_hit_rate) && shape_of(unit, &machine->own))
        machine->sms = copies;
    if (unit_adds_to(unit, FIGURE_l2_hit_rate) && shape_of(unit, &machine->shared))
        machine->shared.bytes *= copies;
    if (unit->type->rays)
        machine->rays = room_of(unit);
}

bool sharing_machine_of(ogv_system *system, struct sharing_machine *machine)
{
    const struct plan *plan = system->plan;
    *machine = (struct sharing_machine){ 0 };
    for (u32 d = 0; d < plan->domain_count; d++)
        for (u32 u = 0; u < plan->domains[d].unit_count; u++)
            unit_take(&plan->domains[d], &plan->domains[d].units[u], machine);
    if (machine->sms)
        machine->threads = (u32)(program_harts(system) / machine->sms);
    return machine->sms && machine->threads && machine->rays && machine->shared.bytes;
}

/* ---- A cache without time ---- */

struct model_cache {
    u32 sets, ways, line, sector;
    u64 *tags; /* line + 1 by set and way; 0: empty */
    u64 *used; /* when, in accesses */
    u32 *here; /* bit i: sector i of the line is */
    u64 now;
};

static struct model_cache cache_make(const struct cache_shape *shape, double capacity)
{
    struct model_cache cache = { .ways = shape->ways,
                                 .line = shape->line,
                                 .sector = shape->sector };
    cache.sets = (u32)fmax(1, capacity * (double)shape->bytes / shape->ways / shape->line + 0.5);
    size_t lines = (size_t)cache.sets * cache.ways;
    cache.tags = heap_array(lines, sizeof *cache.tags);
    cache.used = heap_array(lines, sizeof *cache.used);
    cache.here = heap_array(lines, sizeof *cache.here);
    return cache;
}

static void cache_free(struct model_cache *cache)
{
    free(cache->tags);
    free(cache->used);
    free(cache->here);
}

/* Which of the sectors of a line were not there; they are then. The least recently used leaves. */
static u32 cache_read(struct model_cache *cache, u64 line, u32 sectors)
{
    size_t first = (size_t)(line % cache->sets) * cache->ways, oldest = first;
    cache->now++;
    for (size_t i = first; i < first + cache->ways; i++) {
        if (cache->tags[i] == line + 1) {
            u32 missing = sectors & ~cache->here[i];
            cache->here[i] |= sectors;
            cache->used[i] = cache->now;
            return missing;
        }
        oldest = cache->used[i] < cache->used[oldest] ? i : oldest;
    }
    cache->tags[oldest] = line + 1;
    cache->here[oldest] = sectors;
    cache->used[oldest] = cache->now;
    return sectors;
}

/* ---- Places with rays under way ---- */

struct model_thread {
    u32 piece; /* UINT32_MAX: none */
    u64 at;    /* in its trail */
};

struct model_sm {
    struct model_cache cache;
    struct model_thread *threads;
    u32 *waiting; /* ring of threads whose ray is to begin */
    u32 first, held;
    u32 *rays; /* threads whose rays are under way */
    u32 under_way;
    u64 next, end; /* of the pieces of its block */
};

struct model {
    const struct sharing *sharing;
    struct model_sm *sms;
    u32 sm_count, threads;
    struct model_cache shared;
    const u32 *list;
    u64 count, given;     /* pieces */
    u64 stretch;          /* pieces without a gap */
    double asked, missed; /* of the shared cache, in sectors, in the time that counts */
};

static u32 piece_take(struct model *model, struct model_sm *sm)
{
    if (sm->next == sm->end) {
        sm->next = model->given;
        sm->end = model->given = min_u64(model->count, model->given + BLOCK);
    }
    return sm->next < sm->end ? model->list[sm->next++] : UINT32_MAX;
}

/* To the end of the line if it has anything left to trace. */
static void thread_wait(struct model *model, struct model_sm *sm, u32 number)
{
    struct model_thread *thread = &sm->threads[number];
    const struct trail *trails = model->sharing->cost->work.trails;
    while (thread->piece != UINT32_MAX && thread->at >= trails[thread->piece].count)
        *thread = (struct model_thread){ piece_take(model, sm), 0 };
    if (thread->piece != UINT32_MAX)
        sm->waiting[(sm->first + sm->held++) % model->threads] = number;
}

static void sm_fill(const struct model *model, struct model_sm *sm)
{
    while (sm->held && sm->under_way < model->sharing->machine.rays) {
        sm->rays[sm->under_way++] = sm->waiting[sm->first];
        sm->first = (sm->first + 1) % model->threads;
        sm->held--;
    }
}

static void bytes_read(struct model *model, struct model_sm *sm, u64 address, u64 bytes)
{
    const struct model_cache *own = &sm->cache;
    u64 first = address / own->sector, end = (address + bytes + own->sector - 1) / own->sector;
    u32 per_line = own->line / own->sector;
    bool counts = (double)(model->given % model->stretch) >= WARM * (double)model->stretch;
    while (first < end) {
        u64 line = first / per_line, stop = min_u64(end, (line + 1) * per_line);
        u32 bits = (u32)((UINT64_C(1) << (stop - first)) - 1) << first % per_line;
        u32 asked = cache_read(&sm->cache, line, bits);
        u32 missed = asked ? cache_read(&model->shared, line, asked) : 0;
        model->asked += counts ? __builtin_popcount(asked) : 0;
        model->missed += counts ? __builtin_popcount(missed) : 0;
        first = stop;
    }
}

static void ref_read(struct model *model, struct model_sm *sm, u32 ref)
{
    const struct cost_tree *tree = &model->sharing->cost->tree;
    if (rt_ref_is_leaf(ref))
        bytes_read(model, sm, tree->blocks + (u64)rt_ref_first(ref) * tree->block_bytes,
                   (u64)rt_ref_count(ref) * tree->block_bytes);
    else
        bytes_read(model, sm, tree->nodes + (u64)rt_ref_node(ref) * tree->node_bytes,
                   tree->node_bytes);
}

/* One visit of every ray that is under way; false if there is none. */
static bool sm_turn(struct model *model, struct model_sm *sm)
{
    const struct trail *trails = model->sharing->cost->work.trails;
    sm_fill(model, sm);
    bool any = sm->under_way;
    for (u32 i = 0; i < sm->under_way;) {
        struct model_thread *thread = &sm->threads[sm->rays[i]];
        u32 ref = trails[thread->piece].refs[thread->at++];
        if (ref != TRAIL_END) {
            ref_read(model, sm, ref);
            i++;
            continue;
        }
        thread_wait(model, sm, sm->rays[i]);
        sm->rays[i] = sm->rays[--sm->under_way];
    }
    return any;
}

static void sm_begin(struct model *model, struct model_sm *sm)
{
    *sm = (struct model_sm){ .cache = cache_make(&model->sharing->machine.own, 1) };
    sm->threads = heap_array(model->threads, sizeof *sm->threads);
    sm->waiting = heap_array(model->threads, sizeof *sm->waiting);
    sm->rays = heap_array(model->sharing->machine.rays, sizeof *sm->rays);
}

static void sm_end(struct model_sm *sm)
{
    cache_free(&sm->cache);
    free(sm->threads);
    free(sm->waiting);
    free(sm->rays);
}

/* How much of what was asked of the shared cache was not there, once it was warm and as long as
 * there were pieces for all. */
static double model_misses(struct model *model, double capacity)
{
    model->shared = cache_make(&model->sharing->machine.shared, capacity);
    model->sms = heap_array(model->sm_count, sizeof *model->sms);
    model->given = 0;
    model->asked = model->missed = 0;
    for (u32 s = 0; s < model->sm_count; s++)
        sm_begin(model, &model->sms[s]);
    for (u32 t = 0; t < model->threads; t++)
        for (u32 s = 0; s < model->sm_count; s++) {
            model->sms[s].threads[t] =
                (struct model_thread){ piece_take(model, &model->sms[s]), 0 };
            thread_wait(model, &model->sms[s], t);
        }
    for (bool any = true; any && model->given < model->count;) {
        any = false;
        for (u32 s = 0; s < model->sm_count; s++)
            any |= sm_turn(model, &model->sms[s]);
    }
    for (u32 s = 0; s < model->sm_count; s++)
        sm_end(&model->sms[s]);
    free(model->sms);
    cache_free(&model->shared);
    return model->asked > 0 ? model->missed / model->asked : NAN;
}

/* ---- The capacity ---- */

/* As many as have TURNS pieces of each stretch, but enough for all rays. */
static u32 threads_of(const struct sharing *sharing)
{
    const struct sharing_machine *machine = &sharing->machine;
    double wanted = (double)sharing->whole_count / sharing->stretches / machine->sms / TURNS;
    return (u32)fmin(machine->threads, fmax(machine->rays, wanted));
}

/* Smaller ones are tried until the part misses as often as the whole does; between the last two, in
 * proportion. Where even all of it is too small, the rest is what others would have fetched. */
struct shared_cache sharing_find(const struct sharing *sharing)
{
    struct model model = { .sharing = sharing,
                           .sm_count = sharing->machine.sms,
                           .threads = threads_of(sharing),
                           .list = sharing->whole,
                           .count = sharing->whole_count,
                           .stretch = sharing->whole_count / sharing->stretches };
    if (model.stretch < (u64)model.threads * model.sm_count ||
        sharing->part_count < (u64)model.threads * sharing->part_sms)
        return (struct shared_cache){ NAN, 1 };
    double wanted = model_misses(&model, 1);
    double least = (double)sharing->part_sms / sharing->machine.sms;
    model.sm_count = sharing->part_sms;
    model.list = sharing->part;
    model.count = model.stretch = sharing->part_count;
    double capacity = 1, misses = model_misses(&model, capacity), before = misses, larger = 1;
    while (misses < wanted && capacity > least) {
        before = misses;
        larger = capacity;
        capacity = fmax(least, capacity * CAPACITY_STEP);
        misses = model_misses(&model, capacity);
    }
    if (isnan(wanted) || isnan(misses))
        return (struct shared_cache){ NAN, 1 };
    if (before < wanted && wanted < misses)
        return (struct shared_cache){
            capacity * pow(larger / capacity, (misses - wanted) / (misses - before)), 1
        };
    return (struct shared_cache){ capacity, wanted / misses };
}
