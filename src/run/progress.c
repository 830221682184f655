/* progress.c - counts rays or pieces of work against what there is to do, and guesses the rest
 * from the speed so far. */
#include "run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "arch/stats.h"
#include "base/text.h"
#include "base/wall.h"
#include "ogive/tracer.h"
#include "run/pieces.h"
#include "run/program.h"
#include "unit/registry.h"

/* ---- What there is to do ---- */

static const struct unit_type *type_of(const struct unit *unit)
{
    return registry_type(unit->type);
}

static void find_dispensers(struct progress_meter *meter)
{
    const struct chip *chip = meter->record->system->chip;
    bool *known = heap_array(chip->unit_count, sizeof *known);
    meter->dispensers = heap_array(chip->unit_count, sizeof *meter->dispensers);
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct unit *from = chip->links[i]->writer, *to = chip->links[i]->reader;
        if (!type_of(from)->pieces || !unit_runs_programs(type_of(to)) || known[from->number])
            continue;
        known[from->number] = true;
        meter->dispensers[meter->dispenser_count++] = from->number;
    }
    free(known);
}

/* Shipped programs take a number per pixel or ray; what others do with theirs is not known. */
static u64 pieces_of(const struct record *record)
{
    const struct world *world = record->world;
    if (!world || !record->program || strpbrk(record->program, "./"))
        return 0;
    if (record->options->pieces)
        return record->options->pieces->count;
    return record->world_options->traced ? world->header.ray_count
                                         : (u64)world->header.width * world->header.height;
}

void meter_init(struct progress_meter *meter, const struct record *record)
{
    *meter = (struct progress_meter){ .record = record, .first_share = NAN };
    find_dispensers(meter);
    meter->threads = program_harts(record->system);
    meter->pieces = meter->dispenser_count ? pieces_of(record) : 0;
    meter->started = meter->looked = wall_clock();
    meter->looked_at = record->system->chip->now;
}

void meter_fini(struct progress_meter *meter)
{
    free(meter->dispensers);
    *meter = (struct progress_meter){ 0 };
}

/* ---- What is done ---- */

static u64 pieces_done(const struct progress_meter *meter)
{
    u64 given = 0;
    for (u32 i = 0; i < meter->dispenser_count; i++) {
        const struct unit *unit = meter->record->system->chip->units[meter->dispensers[i]];
        given += unit_stats(unit)[stat_index(type_of(unit), type_of(unit)->pieces)];
    }
    given = given > meter->threads ? given - meter->threads : 0;
    return min_u64(given, meter->pieces);
}

static void count_work(const struct progress_meter *meter, struct run_progress *progress)
{
    const struct record *record = meter->record;
    bool traced = record->world && record->world_options->traced;
    bool counted = system_any(record->system, unit_traces_rays);
    if (counted)
        progress->rays = system_total(record->system, unit_ray_stat);
    if (counted && traced) {
        progress->rays_in_all = record->options->pieces ? meter->pieces : record->world->rays.real;
    } else if (traced) {
        progress->rays = pieces_done(meter);
        progress->rays_in_all = meter->pieces;
    } else {
        progress->pixels = pieces_done(meter);
        progress->pixels_in_all = meter->pieces;
    }
}

/* By the work that is left, or by the cycles. */
static void guess_rest(struct progress_meter *meter, struct run_progress *progress)
{
    progress->share = progress->seconds_left = NAN;
    if (progress->rays_in_all)
        progress->share = (double)progress->rays / (double)progress->rays_in_all;
    else if (progress->pixels_in_all)
        progress->share = (double)progress->pixels / (double)progress->pixels_in_all;
    if (isnan(meter->first_share))
        meter->first_share = progress->share;
    double since = progress->share - meter->first_share;
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

void meter_look(struct progress_meter *meter, struct run_progress *progress)
{
    const struct record *record = meter->record;
    double wall = wall_clock(), span = wall - meter->looked;
    cycle now = record->system->chip->now;
    *progress = (struct run_progress){
        .record = record,
        .now = now,
        .target = record->options->stop_after,
        .simulated_seconds = (double)now / (double)record->system->plan->clock_hz,
        .wall_seconds = wall - meter->started,
    };
    if (span > 0)
        progress->cycles_per_second = (double)(now - meter->looked_at) / span;
    meter->looked = wall;
    meter->looked_at = now;
    count_work(meter, progress);
    guess_rest(meter, progress);
}
