/* headway.c - counts rays or pieces of work against what there is to do, and guesses the rest
 * from the speed so far. */
#include "run/headway.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "arch/stats.h"
#include "base/text.h"
#include "base/wall.h"
#include "ogive/tracer.h"
#include "unit/core/core.h"
#include "unit/registry.h"

/* ---- What there is to do ---- */

static void find_dispensers(struct headway *headway)
{
    const struct chip *chip = headway->record->system->chip;
    int core = registry_find("core"), dispenser = registry_find("threads");
    bool *known = heap_array(chip->unit_count, sizeof *known);
    headway->dispensers = heap_array(chip->unit_count, sizeof *headway->dispensers);
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct unit *from = chip->links[i]->writer;
        if (from->type != dispenser || chip->links[i]->reader->type != core || known[from->number])
            continue;
        known[from->number] = true;
        headway->dispensers[headway->dispenser_count++] = from->number;
    }
    free(known);
}

static void count_threads(void *context, struct unit *unit)
{
    *(u64 *)context += ((struct core *)unit)->p.threads;
}

/* Shipped programs take a number per pixel or ray; what others do with theirs is not known. */
static u64 pieces_of(const struct record *record)
{
    const struct world *world = record->world;
    if (!world || !record->program || strpbrk(record->program, "./"))
        return 0;
    return record->world_options->traced ? world->header.ray_count
                                         : (u64)world->header.width * world->header.height;
}

void headway_init(struct headway *headway, const struct record *record)
{
    *headway = (struct headway){ .record = record, .first_share = NAN };
    find_dispensers(headway);
    host_units(record->system, "core", count_threads, &headway->threads);
    headway->pieces = headway->dispenser_count ? pieces_of(record) : 0;
    headway->started = headway->looked = wall_clock();
    headway->looked_at = record->system->chip->now;
}

void headway_fini(struct headway *headway)
{
    free(headway->dispensers);
    *headway = (struct headway){ 0 };
}

/* ---- What is done ---- */

static u64 pieces_done(const struct headway *headway)
{
    u64 given = 0;
    for (u32 i = 0; i < headway->dispenser_count; i++) {
        const struct unit *unit = headway->record->system->chip->units[headway->dispensers[i]];
        given += unit_stats(unit)[stat_index(registry_type(unit->type), "given")];
    }
    given = given > headway->threads ? given - headway->threads : 0;
    return min_u64(given, headway->pieces);
}

static void count_work(const struct headway *headway, struct run_progress *progress)
{
    const struct record *record = headway->record;
    bool traced = record->world && record->world_options->traced;
    bool counted = system_any(record->system, unit_traces_rays);
    if (counted)
        progress->rays = system_total(record->system, unit_ray_stat);
    if (counted && traced) {
        progress->rays_in_all = record->world->rays.real;
    } else if (traced) {
        progress->rays = pieces_done(headway);
        progress->rays_in_all = headway->pieces;
    } else {
        progress->pixels = pieces_done(headway);
        progress->pixels_in_all = headway->pieces;
    }
}

/* By the work that is left, or by the cycles. */
static void guess_rest(struct headway *headway, struct run_progress *progress)
{
    progress->share = progress->seconds_left = NAN;
    if (progress->rays_in_all)
        progress->share = (double)progress->rays / (double)progress->rays_in_all;
    else if (progress->pixels_in_all)
        progress->share = (double)progress->pixels / (double)progress->pixels_in_all;
    if (isnan(headway->first_share))
        headway->first_share = progress->share;
    double since = progress->share - headway->first_share;
    if (since > 0)
        progress->seconds_left = progress->wall_seconds * (1 - progress->share) / since;
    if (progress->target == NEVER || !progress->target)
        return;
    double cycles = (double)(progress->target - progress->now) / progress->cycles_per_second;
    double share = (double)progress->now / (double)progress->target;
    if (isfinite(cycles) && !(cycles > progress->seconds_left))
        progress->seconds_left = cycles;
    if (!(share < progress->share))
        progress->share = share;
}

void headway_look(struct headway *headway, struct run_progress *progress)
{
    const struct record *record = headway->record;
    double wall = wall_clock(), span = wall - headway->looked;
    cycle now = record->system->chip->now;
    *progress = (struct run_progress){
        .record = record,
        .now = now,
        .target = record->options->stop_after,
        .simulated_seconds = (double)now / (double)record->system->plan->clock_hz,
        .wall_seconds = wall - headway->started,
    };
    if (span > 0)
        progress->cycles_per_second = (double)(now - headway->looked_at) / span;
    headway->looked = wall;
    headway->looked_at = now;
    count_work(headway, progress);
    guess_rest(headway, progress);
}
