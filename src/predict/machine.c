/* machine.c - see machine.h. */
#include "predict/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/scale.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wall.h"
#include "ogive/random.h"
#include "predict/balance.h"
#include "run/load.h"
#include "run/pieces.h"

#define FACTOR_MOST  16 /* that is chosen by itself */

/* ---- The part ---- */

#define MADE_UP_MOST 1.25 /* by clocks, in a part that is chosen by itself */

/* How far a part is from what its factor says, since SMs are whole. */
static double factor_rounding(u32 factor, double share)
{
    return fabs(log(factor * share));
}

/* The smallest part that has whole SMs and, but for what a clock can make up for, whole channels of
 * memory; of factors that leave the same SMs the one that says best how many. */
static bool factor_smallest_part(const ogv_arch *arch, struct scaled *scaled,
                                 struct ogv_error *error)
{
    struct ogv_error ignored;
    u32 best = 1;
    double share = 1;
    for (u32 factor = 2; factor <= FACTOR_MOST; factor++) {
        if (!arch_scale(arch, factor, scaled, &ignored))
            continue;
        bool smaller = scaled->share < share;
        bool nearer =
            scaled->share == share && factor_rounding(factor, share) < factor_rounding(best, share);
        if (scaled->made_up <= MADE_UP_MOST && (smaller || nearer)) {
            best = factor;
            share = scaled->share;
        }
        scaled_fini(scaled);
    }
    return arch_scale(arch, best, scaled, error);
}

static bool part_make(const struct predict_options *options, const ogv_arch *arch,
                      struct scaled *scaled, struct ogv_error *error)
{
    u32 factor = options->factor;
    if (!factor && !options->method.divisor)
        return factor_smallest_part(arch, scaled, error);
    if (!factor)
        factor = scale_factor_largest(arch, error);
    return factor && arch_scale(arch, factor, scaled, error);
}

static bool part_write(const char *folder, const struct scaled *scaled, struct machine *machine,
                       struct ogv_error *error)
{
    char *text = ogv_arch_export(scaled->arch, error);
    machine->part_file = text_format("%s/part.yaml", folder);
    bool good = text && folder_create(folder, error) &&
                file_write(machine->part_file, text, strlen(text), error);
    machine->part = good ? plan_create(scaled->arch, error) : NULL;
    free(text);
    return machine->part;
}

/* ---- The rest of it ---- */

/* As many groups as are asked for, or are simulated. */
static u32 groups_counted(const struct predict_options *options, u32 groups)
{
    double share = options->share > 0 ? options->share : options->method.share;
    double runs = fmax(1, ceil(share * groups - SHARE_SLACK)) * options->repeats;
    double wanted = options->counted > 0 ? ceil(options->counted * groups - 1e-9) : runs;
    return (u32)fmin(groups, fmax(1, wanted));
}

/* Where the number of pieces is known beforehand, and only their sum is wanted. */
static bool pieces_can_be_few(const struct predict_options *options, const struct machine *machine)
{
    return options->method.distribution == CHOICE_STRATA &&
           options->method.division == DIVISION_BLOCKS && machine->with_world;
}

/* Whether it is known what the rest of the machine asks of shared caches. */
static bool rest_is_known(const struct predict_options *options, const struct machine *machine)
{
    const struct world_options *world = &machine->world;
    return !options->alone && !(options->capacity > 0) && options->method.capacity >= 1 &&
           pieces_can_be_few(options, machine) && !world->treelet_bytes && !world->software &&
           !world->streams;
}

#define PATHS_MOST    0x1p20 /* whose visits are kept in memory */
#define COUNTED_LEAST 0.25   /* of the frame with the usual turns, if nobody says how much */

static double paths_all(const struct machine *machine)
{
    const struct world_options *world = &machine->world;
    return (double)world->width * world->height * fmax(1, world->samples);
}

/* Of the frame: as much as is asked for, or as falls to a smaller share of the part, or as tells
 * enough. */
static double share_counted(const struct predict_options *options, const struct machine *machine,
                            const struct haunting *haunting, u32 factor)
{
    double pieces = (double)machine->world.width * machine->world.height;
    double threads = (double)haunting->shape.threads * haunting->shape.sms;
    double counted = options->counted > 0 ? options->counted : options->share * factor;
    if (!(counted > 0))
        counted = fmin(PATHS_MOST / paths_all(machine),
                       fmax(COUNTED_LEAST / TURNS_USUAL, threads / pieces) * options->turns);
    return fmin(1, counted);
}

/* One SM, beside all of the memory, which the requests of the others go to. */
static bool part_haunt(const struct predict_options *options, const struct machine *machine,
                       struct prediction *prediction, struct scaled *scaled)
{
    struct ogv_error ignored;
    struct haunting *haunting = &prediction->haunting;
    if (!rest_is_known(options, machine) || !ghost_shape_find(prediction->system, &haunting->shape))
        return false;
    u32 factor = options->factor ? options->factor : haunting->shape.sms;
    haunting->counted = share_counted(options, machine, haunting, factor);
    return haunting->counted * paths_all(machine) <= PATHS_MOST * (1 + SHARE_SLACK) && factor > 1 &&
           arch_scale_working(machine->arch, factor, scaled, &ignored);
}

/* Or a part of all that there is, which has the memory for itself. */
static bool part_divide(const struct predict_options *options, const struct machine *machine,
                        struct scaled *scaled, struct ogv_error *error)
{
    double capacity = options->capacity > 0 ? options->capacity : options->method.capacity;
    return part_make(options, machine->arch, scaled, error) &&
           (scaled->factor == 1 || capacity <= scaled->share ||
            scale_keep(machine->arch, capacity, scaled, error));
}

static bool part_open(const struct predict_options *options, struct prediction *prediction,
                      struct machine *machine, struct ogv_error *error)
{
    struct scaled scaled = { 0 };
    prediction->haunted = part_haunt(options, machine, prediction, &scaled);
    bool good = prediction->haunted || part_divide(options, machine, &scaled, error);
    prediction->factor = scaled.factor;
    prediction->machine = scaled.factor > 1 ? 1 / scaled.share : 1;
    prediction->counted =
        prediction->haunted ? scaled.factor : groups_counted(options, scaled.factor);
    good = good && part_write(prediction->folder, &scaled, machine, error);
    scaled_fini(&scaled);
    return good;
}

static char *folder_choose(const struct predict_options *options, const char *name)
{
    return options->out ? heap_copy(options->out)
                        : text_format("results/predict-%s-%s", options->method.name, name);
}

bool machine_open(const struct predict_options *options, struct prediction *prediction,
                  struct machine *machine, struct ogv_error *error)
{
    const struct run_options *run = options->run;
    *machine = (struct machine){ .world = *run->world };
    machine->arch = ogv_arch_load(run->arch, error);
    if (!machine->arch ||
        !arch_apply_settings(machine->arch, run->settings, run->setting_count, error))
        return false;
    prediction->system = ogv_system_create(machine->arch, error);
    if (!prediction->system || !load_choose_world(prediction->system, &machine->world,
                                                  run->world_given, &machine->with_world, error))
        return false;
    prediction->folder = folder_choose(options, prediction->system->plan->name);
    prediction->whole = whole_of(prediction->system, machine->with_world && !machine->world.traced);
    return part_open(options, prediction, machine, error);
}

void machine_close(struct machine *machine)
{
    plan_destroy(machine->part);
    free(machine->part_file);
    ogv_arch_destroy(machine->arch);
    *machine = (struct machine){ 0 };
}

/* ---- The work ---- */

/* Those of the first groups, as tiles_make deals blocks to them: everywhere in the picture. */
static void pieces_deal(u32 all, u32 groups, u32 wanted, struct pieces *pieces)
{
    *pieces = (struct pieces){ .numbers = heap_array((size_t)all + 1, sizeof *pieces->numbers) };
    for (u32 i = 0; i < all; i++)
        if (i / TILE_BLOCK % groups < wanted)
            pieces->numbers[pieces->count++] = i;
}

/* Blocks that are counted together: side by side in a picture, two of them write whole sectors. */
#define UNIT_BLOCKS 2
#define UNIT_PIECES (UNIT_BLOCKS * TILE_BLOCK)

/* The n-th unit is one by chance of the n-th part of the picture, as many parts as units are
 * wanted; whole units but for the last one of all. */
static void pieces_sample(u32 all, double share, u64 random, struct pieces *pieces)
{
    u32 units = (all + UNIT_PIECES - 1) / UNIT_PIECES;
    double part = share < 1 ? 1 / share : 1;
    *pieces = (struct pieces){ .numbers = heap_array((size_t)all + 1, sizeof *pieces->numbers) };
    for (u32 n = 0; floor(n * part) < units; n++) {
        u32 first = (u32)floor(n * part), end = (u32)fmin(units, floor((n + 1) * part));
        u32 unit = first + (u32)random_below(&random, end - first);
        for (u32 i = unit * UNIT_PIECES; i < min_u64((unit + 1) * UNIT_PIECES, all); i++)
            pieces->numbers[pieces->count++] = i;
    }
}

/* What all pieces together ask of shared caches. */
static void rest_ask(const struct visit_lists *lists, struct prediction *prediction)
{
    double wall = wall_clock(), work = work_clock();
    struct haunting *haunting = &prediction->haunting;
    struct ghost_source source = { lists, TILE_BLOCK, haunting->shape, 0 };
    haunting->ghosts = ghosts_make(&source);
    haunting->missed =
        ghosts_missed_by_all(&source, &haunting->ghosts, UNIT_PIECES, haunting->counted);
    haunting->numbers = prediction->cost.numbers;
    haunting->count = prediction->cost.work.count;
    prediction->counting_seconds += wall_clock() - wall;
    prediction->counting_work_seconds += work_clock() - work;
}

static bool work_count(const struct predict_options *options, const struct machine *machine,
                       struct prediction *prediction, struct ogv_error *error)
{
    const struct run_options *run = options->run;
    struct pieces pieces = { 0 };
    struct visit_lists lists = { 0 };
    u32 pixels = machine->world.width * machine->world.height;
    bool few = pieces_can_be_few(options, machine);
    if (!few)
        prediction->counted = prediction->factor;
    else if (prediction->haunted)
        pieces_sample(pixels, prediction->haunting.counted, options->seed, &pieces);
    else
        pieces_deal(pixels, prediction->factor, prediction->counted, &pieces);
    struct world_options world = machine->world;
    world.threads = options->threads;
    struct cost_options counting = { .program = run->program,
                                     .arguments = run->arguments,
                                     .argument_count = run->argument_count,
                                     .world = &world,
                                     .world_given = run->world_given,
                                     .pieces = few ? &pieces : NULL,
                                     .lists = prediction->haunted ? &lists : NULL,
                                     .threads = options->threads,
                                     .progress = options->listener.progress,
                                     .context = options->listener.context };
    if (options->listener.begin)
        options->listener.begin(options->listener.context, "counting");
    bool good = cost_count(prediction->system, &counting, &prediction->cost, error);
    prediction->counting_seconds = prediction->cost.work.wall_seconds;
    prediction->counting_work_seconds = prediction->cost.work.work_seconds;
    if (good && prediction->haunted)
        rest_ask(&lists, prediction);
    visit_lists_fini(&lists);
    prediction->pieces = few ? pixels : prediction->cost.work.count;
    pieces_fini(&pieces);
    return good;
}

static bool cost_write(const struct prediction *prediction, struct ogv_error *error)
{
    char *table = text_format("%s/cost.csv", prediction->folder);
    char *picture = text_format("%s/cost.png", prediction->folder);
    bool good = cost_write_table(&prediction->cost, table, error) &&
                (!prediction->cost.pixels || cost_write_picture(&prediction->cost, picture, error));
    free(table);
    free(picture);
    return good;
}

static void tiles_cost(const struct prediction *prediction, double *costs)
{
    const struct tiles *tiles = &prediction->tiles;
    const struct cost *cost = &prediction->cost;
    u32 *tile = tiles_of_pieces(tiles, prediction->pieces);
    for (u32 i = 0; i < tiles->count; i++)
        costs[i] = NAN;
    for (u64 i = 0; i < cost->work.count; i++) {
        u32 of = tile[cost_number(cost, i)];
        costs[of] = (isnan(costs[of]) ? 0 : costs[of]) + (double)work_steps(&cost->work.pieces[i]);
    }
    free(tile);
}

/* So that what falls to the part is its share of what all do. */
static void part_balance(struct prediction *prediction)
{
    const struct haunting *haunting = &prediction->haunting;
    u32 count = (u32)((haunting->count + TILE_BLOCK - 1) / TILE_BLOCK);
    struct aspects *aspects = heap_array((size_t)count + 1, sizeof *aspects);
    u32 *tiles = heap_array((size_t)count + 1, sizeof *tiles);
    for (u64 i = 0; i < haunting->count; i++) {
        const struct work *work = &prediction->cost.work.pieces[i];
        double *of = aspects[i / TILE_BLOCK].of;
        tiles[i / TILE_BLOCK] = haunting->numbers[i] / TILE_BLOCK;
        of[ASPECT_INSTRUCTIONS] += (double)work->instructions;
        of[ASPECT_RAYS] += (double)work->rays;
        of[ASPECT_NODES] += (double)work->nodes;
        of[ASPECT_BLOCKS] += (double)work->blocks;
    }
    for (u64 i = 0; i < haunting->ghosts.count; i++)
        aspects[haunting->ghosts.blocks[i]].of[ASPECT_REQUESTS] +=
            unit_ghost_count(haunting->ghosts.requests[i]);
    struct known_tiles known = { tiles, aspects, count, haunting->ghosts.last_block };
    tiles_balance(&prediction->tiles, &known);
    free(aspects);
    free(tiles);
}

double *piece_costs(const struct prediction *prediction)
{
    const struct cost *cost = &prediction->cost;
    double *costs = heap_array(prediction->pieces + 1, sizeof *costs);
    for (u64 i = 0; i < cost->work.count; i++)
        costs[cost_number(cost, i)] = (double)work_steps(&cost->work.pieces[i]);
    return costs;
}

bool machine_count(const struct predict_options *options, const struct machine *machine,
                   struct prediction *prediction, double **costs, double *work,
                   struct ogv_error *error)
{
    const struct cost *cost = &prediction->cost;
    *costs = NULL;
    if (!work_count(options, machine, prediction, error) || !cost_write(prediction, error))
        return false;
    struct picture picture = { cost->pixels, cost->width, cost->height };
    struct work sum = cost_sum(cost);
    *work = (double)work_steps(&sum) * (double)prediction->pieces / (double)cost->work.count;
    if (!tiles_make(options->method.division, prediction->factor, (u32)prediction->pieces, &picture,
                    &prediction->tiles, error))
        return false;
    if (prediction->haunted)
        part_balance(prediction);
    *costs = heap_array((size_t)prediction->tiles.count + 1, sizeof **costs);
    tiles_cost(prediction, *costs);
    return true;
}
