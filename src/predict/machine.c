/* machine.c - see machine.h. */
#include "predict/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wall.h"
#include "predict/sharing.h"
#include "run/load.h"
#include "run/pieces.h"

#define FACTOR_MOST  16 /* that is chosen by itself */

/* ---- The part ---- */

#define MADE_UP_MOST 1.1 /* by clocks, in a part that is chosen by itself */

/* The largest that leaves whole SMs and, but for a little, whole channels of memory. */
static bool factor_smallest_part(const ogv_arch *arch, struct scaled *scaled,
                                 struct ogv_error *error)
{
    struct ogv_error ignored;
    for (u32 factor = FACTOR_MOST; factor > 1; factor--) {
        if (!arch_scale(arch, factor, scaled, &ignored))
            continue;
        if (scaled->made_up <= MADE_UP_MOST)
            return true;
        scaled_fini(scaled);
    }
    return arch_scale(arch, 1, scaled, error);
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
    bool good = text && file_write(machine->part_file, text, strlen(text), error);
    machine->part = good ? plan_create(scaled->arch, error) : NULL;
    free(text);
    return machine->part;
}

static bool part_open(const struct predict_options *options, struct prediction *prediction,
                      struct machine *machine, struct ogv_error *error)
{
    struct scaled *scaled = &machine->scaled;
    if (!part_make(options, machine->arch, scaled, error))
        return false;
    prediction->factor = scaled->factor;
    prediction->machine = scaled->factor > 1 ? 1 / scaled->share : 1;
    return true;
}

/* With so much of the shared caches of the whole. */
static bool part_finish(struct prediction *prediction, struct machine *machine, double capacity,
                        struct ogv_error *error)
{
    struct scaled *scaled = &machine->scaled;
    bool keeps = scaled->factor > 1 && capacity > scaled->share;
    prediction->capacity = keeps ? capacity : scaled->factor > 1 ? scaled->share : 1;
    return (!keeps || scale_keep(machine->arch, capacity, scaled, error)) &&
           part_write(prediction->folder, scaled, machine, error);
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
    return folder_create(prediction->folder, error) &&
           part_open(options, prediction, machine, error);
}

void machine_close(struct machine *machine)
{
    scaled_fini(&machine->scaled);
    plan_destroy(machine->part);
    free(machine->part_file);
    ogv_arch_destroy(machine->arch);
    *machine = (struct machine){ 0 };
}

/* ---- The work ---- */

#define STRETCHES      3
#define STRETCHES_WORK 2.5 /* times as many pieces as are simulated */

static bool stretch_has(u32 block, u32 blocks, u32 length)
{
    u32 stretch = (u32)((u64)block * STRETCHES / blocks);
    u64 middle = (2 * (u64)stretch + 1) * blocks / (2 * STRETCHES), from = middle - length / 2;
    return block >= from && block < from + length;
}

/* What is counted: pieces of the first groups, as tiles_make deals blocks to them, everywhere in
 * the picture; and, to learn what SMs share, stretches without gaps. `length` is that of a stretch,
 * in blocks; 0: none. */
static struct pieces pieces_deal(u32 all, u32 groups, u32 wanted, u32 length)
{
    struct pieces pieces = { .numbers = heap_array((size_t)all + 1, sizeof *pieces.numbers) };
    u32 blocks = (all + TILE_BLOCK - 1) / TILE_BLOCK;
    for (u32 i = 0; i < all; i++)
        if (i / TILE_BLOCK % groups < wanted || stretch_has(i / TILE_BLOCK, blocks, length))
            pieces.numbers[pieces.count++] = i;
    return pieces;
}

static double share_simulated(const struct predict_options *options)
{
    return options->share > 0 ? options->share : options->method.share;
}

/* As many groups as are asked for, or are simulated. */
static u32 groups_counted(const struct predict_options *options, u32 groups)
{
    double runs = fmax(1, ceil(share_simulated(options) * groups - 1e-9)) * options->repeats;
    double wanted = options->counted > 0 ? ceil(options->counted * groups - 1e-9) : runs;
    return (u32)fmin(groups, fmax(1, wanted));
}

/* Where the number of pieces is known beforehand, and only their sum is wanted. */
static bool pieces_can_be_few(const struct predict_options *options, const struct machine *machine)
{
    return options->method.distribution == CHOICE_STRATA &&
           options->method.division == DIVISION_BLOCKS && machine->with_world;
}

/* Whether the part's shared caches are to be as large as sharing says. */
static bool capacity_is_open(const struct predict_options *options, const struct machine *machine)
{
    return !(options->capacity > 0) && options->method.sharing && machine->scaled.factor > 1;
}

/* As many blocks as a stretch has of those that are counted to learn what SMs share. */
static u32 stretch_length(const struct predict_options *options, const struct machine *machine)
{
    u32 blocks = (machine->world.width * machine->world.height + TILE_BLOCK - 1) / TILE_BLOCK;
    double wanted = STRETCHES_WORK * share_simulated(options) * blocks;
    bool open = pieces_can_be_few(options, machine) && capacity_is_open(options, machine);
    return open ? (u32)(fmin(wanted, blocks) / STRETCHES) : 0;
}

static bool work_count(const struct predict_options *options, const struct machine *machine,
                       struct prediction *prediction, struct ogv_error *error)
{
    const struct run_options *run = options->run;
    u32 pixels = machine->world.width * machine->world.height;
    bool few = pieces_can_be_few(options, machine);
    u32 length = stretch_length(options, machine);
    prediction->counted = few ? groups_counted(options, prediction->factor) : prediction->factor;
    struct pieces pieces =
        pieces_deal(few ? pixels : 0, prediction->factor, prediction->counted, length);
    struct world_options world = machine->world;
    world.threads = options->threads;
    struct cost_options asked = { .program = run->program,
                                  .arguments = run->arguments,
                                  .argument_count = run->argument_count,
                                  .world = &world,
                                  .world_given = run->world_given,
                                  .pieces = few ? &pieces : NULL,
                                  .trails = length,
                                  .threads = options->threads,
                                  .progress = options->listener.progress,
                                  .context = options->listener.context };
    double wall = wall_clock(), work = work_clock();
    if (options->listener.begin)
        options->listener.begin(options->listener.context, "counting");
    bool good = cost_count(prediction->system, &asked, &prediction->cost, error);
    prediction->counting_seconds = wall_clock() - wall;
    prediction->counting_work_seconds = work_clock() - work;
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
    u32 *tile = heap_array(prediction->pieces + 1, sizeof *tile);
    for (u32 i = 0; i < tiles->count; i++) {
        costs[i] = NAN;
        for (u32 p = tiles->starts[i]; p < tiles->starts[i + 1]; p++)
            tile[tiles->pieces[p]] = i;
    }
    for (u64 i = 0; i < cost->work.count; i++) {
        u32 of = tile[cost_number(cost, i)];
        costs[of] = (isnan(costs[of]) ? 0 : costs[of]) + (double)work_steps(&cost->work.pieces[i]);
    }
    free(tile);
}

double *piece_costs(const struct prediction *prediction)
{
    const struct cost *cost = &prediction->cost;
    double *costs = heap_array(prediction->pieces + 1, sizeof *costs);
    for (u64 i = 0; i < cost->work.count; i++)
        costs[cost_number(cost, i)] = (double)work_steps(&cost->work.pieces[i]);
    return costs;
}

/* Of the frame, by that of the groups of which all was counted. */
static double work_of_frame(const struct prediction *prediction)
{
    const struct cost *cost = &prediction->cost;
    struct work sum = { 0 };
    u64 count = 0;
    for (u64 i = 0; i < cost->work.count; i++) {
        if (cost_number(cost, i) / TILE_BLOCK % prediction->factor >= prediction->counted)
            continue;
        work_add(&sum, &cost->work.pieces[i]);
        count++;
    }
    return (double)work_steps(&sum) * (double)prediction->pieces / (double)count;
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
    *work = work_of_frame(prediction);
    if (!tiles_make(options->method.division, prediction->factor, (u32)prediction->pieces, &picture,
                    &prediction->tiles, error))
        return false;
    *costs = heap_array((size_t)prediction->tiles.count + 1, sizeof **costs);
    tiles_cost(prediction, *costs);
    return true;
}

/* ---- What of shared caches the part has ---- */

/* By number of a piece: which of those counted it is. */
static u32 *counted_find(const struct prediction *prediction)
{
    const struct cost *cost = &prediction->cost;
    u32 *found = heap_array(prediction->pieces + 1, sizeof *found);
    for (u64 i = 0; i < cost->work.count; i++)
        found[cost_number(cost, i)] = (u32)i;
    return found;
}

static u32 *stretches_list(const struct prediction *prediction, u32 length, const u32 *counted,
                           u64 *count)
{
    u32 *list = heap_array(prediction->pieces + 1, sizeof *list);
    u32 blocks = (u32)(prediction->pieces + TILE_BLOCK - 1) / TILE_BLOCK;
    *count = 0;
    for (u32 i = 0; i < prediction->pieces; i++)
        if (stretch_has(i / TILE_BLOCK, blocks, length))
            list[(*count)++] = counted[i];
    return list;
}

static u32 *sample_list(const struct prediction *prediction, const u32 *counted, u64 *count)
{
    const struct part_run *run = &prediction->runs.of[0];
    const struct tiles *tiles = &prediction->tiles;
    u32 *list = heap_array(run->pieces + 1, sizeof *list);
    *count = 0;
    for (u32 t = 0; t < run->tile_count; t++)
        for (u32 p = tiles->starts[run->tiles[t]]; p < tiles->starts[run->tiles[t] + 1]; p++)
            list[(*count)++] = counted[tiles->pieces[p]];
    return list;
}

static struct shared_cache capacity_find(const struct predict_options *options,
                                         const struct machine *machine,
                                         const struct prediction *prediction)
{
    struct sharing sharing = { .cost = &prediction->cost, .stretches = STRETCHES };
    if (!prediction->cost.work.trails || !sharing_machine_of(prediction->system, &sharing.machine))
        return (struct shared_cache){ NAN, 1 };
    u32 *counted = counted_find(prediction);
    u32 *part = sample_list(prediction, counted, &sharing.part_count);
    u32 *whole =
        stretches_list(prediction, stretch_length(options, machine), counted, &sharing.whole_count);
    sharing.part = part;
    sharing.whole = whole;
    sharing.part_sms = (u32)fmax(1, machine->scaled.share * sharing.machine.sms + 0.5);
    struct shared_cache found = sharing_find(&sharing);
    free(counted);
    free(part);
    free(whole);
    return found;
}

bool machine_part(const struct predict_options *options, struct machine *machine,
                  struct prediction *prediction, struct ogv_error *error)
{
    double usual = options->capacity > 0 ? options->capacity : options->method.capacity;
    double wall = wall_clock(), work = work_clock();
    struct shared_cache found = capacity_find(options, machine, prediction);
    prediction->misses = found.misses;
    prediction->counting_seconds += wall_clock() - wall;
    prediction->counting_work_seconds += work_clock() - work;
    return part_finish(prediction, machine, isnan(found.capacity) ? usual : found.capacity, error);
}
