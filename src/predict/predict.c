/* predict.c - see predict.h: rounds of runs, and what they tell together. */
#include "predict/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wall.h"
#include "predict/interval.h"
#include "predict/machine.h"
#include "predict/sample.h"

#define ROUNDS_MOST 64
#define WARM        0.5 /* of a sample's work: from there on it tells what more takes, */
#define FULL        0.2 /* or, where memory is warmed by all, from there on */

/* What a part and a sample cannot tell, however long they run: waits between SMs, and, of a part
 * that has the memory for itself, what SMs that are not there would have brought into it or driven
 * out. One standard deviation, fitted to errors of eight scenes on two machines by earlier versions
 * (docs/prediction.md). */
static const double model_errors[][3] = {
    { [FIGURE_OF_WORK] = 0.05, [FIGURE_OF_TIME] = 0.12, [FIGURE_OF_MEMORY] = 0.40 }, /* alone */
    { [FIGURE_OF_WORK] = 0.05, [FIGURE_OF_TIME] = 0.07, [FIGURE_OF_MEMORY] = 0.15 }, /* haunted */
};

struct predicting {
    const struct predict_options *options;
    struct prediction *prediction;
    struct machine machine;
    struct crew_orders orders;
    struct rules rules;
    double *costs; /* by tile */
    double work;   /* of the frame */
    struct colours colours;
    struct sample *samples; /* by run */
    u32 sample_count;
    double begun;
};

/* ---- Which runs ---- */

/* Shares of the regression stand at equal distances. */
#define REGRESSION_SHARES 3

static double share_of_regression(double share, u32 repeat)
{
    return share * (2 + repeat % REGRESSION_SHARES) / (1 + REGRESSION_SHARES);
}

/* What a run has: of its group, or of the frame. */
static double share_of_run(const struct predicting *predicting, u32 group, u32 repeat)
{
    const struct predict_options *options = predicting->options;
    const struct method *method = &options->method;
    double share = options->share;
    if (method->warm_share && !(share > 0))
        return zatel_share(&predicting->prediction->tiles, &predicting->colours, group,
                           method->public_code);
    share = share > 0 ? share : method->share;
    share = share > 0 ? share : 1.0 / predicting->prediction->factor;
    if (method->extrapolation == EXTRAPOLATION_EXPONENTIAL)
        return share_of_regression(share, repeat);
    return share;
}

static void run_add(struct predicting *predicting, u32 group, u32 repeat, double share)
{
    struct prediction *prediction = predicting->prediction;
    const struct method *method = &predicting->options->method;
    const struct tiles *tiles = &prediction->tiles;
    struct choosing choosing = { .distribution = method->distribution,
                                 .share = method->groups ? share : fmin(1, share * tiles->groups),
                                 .repeat = method->groups ? repeat : repeat / prediction->counted,
                                 .seed = predicting->options->seed,
                                 .public_code = method->public_code,
                                 .tiles = tiles,
                                 .costs = predicting->costs,
                                 .colours = &predicting->colours };
    struct part_run run = { .group = group, .share = share };
    double work = 0;
    run.tiles = tiles_choose(&choosing, group, &run.tile_count);
    for (u32 i = 0; i < run.tile_count; i++) {
        run.pieces += tile_size(tiles, run.tiles[i]);
        work += predicting->costs[run.tiles[i]];
    }
    run.all = run.pieces == prediction->pieces;
    run.work = method->by_work
                   ? predicting->work / prediction->machine / work
                   : (double)prediction->pieces / prediction->machine / (double)run.pieces;
    run.name = text_format("group-%u-repeat-%u", group + 1, choosing.repeat + 1);
    struct part_runs *runs = &prediction->runs;
    runs->of = heap_append(runs->of, runs->count, sizeof *runs->of);
    runs->of[runs->count++] = run;
    prediction->simulated += run.pieces;
}

/* A run never has more than what falls to its part; a larger share is that of several runs. Beside
 * all of the memory it has no less either: the others keep pace with it. */
static void round_plan(struct predicting *predicting, u32 round)
{
    const struct method *method = &predicting->options->method;
    const struct prediction *prediction = predicting->prediction;
    if (method->groups) {
        for (u32 group = 0; group < prediction->factor; group++)
            run_add(predicting, group, round, share_of_run(predicting, group, round));
        return;
    }
    double share = share_of_run(predicting, 0, round), parts = share * prediction->factor;
    u32 runs = (u32)fmax(1, prediction->haunted ? floor(parts + 0.5) : ceil(parts - SHARE_SLACK));
    double own = prediction->haunted ? 1.0 / prediction->factor : share / runs;
    for (u32 i = 0; i < runs; i++) {
        u32 repeat = round * runs + i;
        run_add(predicting, repeat % prediction->counted, repeat, own);
    }
}

static bool round_run(struct predicting *predicting, u32 first, struct ogv_error *error)
{
    const struct predict_listener *listener = &predicting->options->listener;
    struct prediction *prediction = predicting->prediction;
    if (listener->begin)
        listener->begin(listener->context, "simulating");
    if (!runs_do(&predicting->orders, &prediction->runs, first, error))
        return false;
    predicting->samples =
        heap_grow(predicting->samples, prediction->runs.count, sizeof *predicting->samples);
    for (u32 i = first; i < prediction->runs.count; i++) {
        char *folder = run_folder(&predicting->orders, &prediction->runs.of[i]);
        bool good = sample_read(folder, predicting->machine.part, &predicting->samples[i], error);
        predicting->sample_count = i + 1;
        free(folder);
        if (!good)
            return false;
    }
    return true;
}

/* ---- What they tell ---- */

/* One of the estimates with something left out; run UINT32_MAX: nothing is. */
struct omission {
    u32 run, block;
};

struct telling {
    const struct predicting *predicting;
    const struct part *parts;
    const struct steady *steady;
    struct omission omitted;
    double *cells, *sum, *values; /* rooms: of cells, of cells, of figures */
};

static void values_add(const struct whole *whole, const double *values, u32 count, double *mean)
{
    for (u32 i = 0; i < whole->count; i++)
        mean[i] += (values[i] - mean[i]) / (count + 1);
}

/* Three shares of the same group stand for one value at the whole share. */
static void regression_make(const struct telling *telling, double *mean)
{
    const struct prediction *prediction = telling->predicting->prediction;
    const struct whole *whole = &prediction->whole;
    u32 groups = prediction->method.groups ? prediction->factor : 1, count = 0;
    double *values[REGRESSION_SHARES];
    for (u32 i = 0; i < REGRESSION_SHARES; i++)
        values[i] = heap_array(whole->count, sizeof **values);
    memset(mean, 0, whole->count * sizeof *mean);
    for (u32 g = 0; g < groups; g++) {
        if (telling->omitted.run == g)
            continue;
        for (u32 s = 0; s < REGRESSION_SHARES; s++) {
            u32 run = s * groups + g;
            double cycles = estimate_part(&telling->predicting->rules, &telling->parts[run],
                                          &telling->steady[run], NO_BLOCK, telling->cells);
            whole_figures(whole, telling->cells, cycles, values[s]);
        }
        double first = prediction->runs.of[g].share;
        double step = prediction->runs.of[groups + g].share - first;
        for (u32 i = 0; i < whole->count; i++) {
            double three[] = { values[0][i], values[1][i], values[2][i] };
            telling->values[i] = exponential_extend(three, first, step);
        }
        values_add(whole, telling->values, count++, mean);
    }
    for (u32 i = 0; i < REGRESSION_SHARES; i++)
        free(values[i]);
}

/* Figures of the whole into `mean`. */
static void estimate_make(const struct telling *telling, double *mean)
{
    const struct predicting *predicting = telling->predicting;
    const struct prediction *prediction = predicting->prediction;
    const struct whole *whole = &prediction->whole;
    u32 count = 0;
    double cycles = 0;
    memset(telling->sum, 0, predicting->rules.cells * sizeof *telling->sum);
    memset(mean, 0, whole->count * sizeof *mean);
    for (u32 i = 0; i < prediction->runs.count; i++) {
        bool touched = telling->omitted.run == i;
        if (touched && telling->omitted.block == NO_BLOCK)
            continue;
        double own = estimate_part(&predicting->rules, &telling->parts[i], &telling->steady[i],
                                   touched ? telling->omitted.block : NO_BLOCK, telling->cells);
        estimate_add(&predicting->rules, telling->cells, count, telling->sum);
        if (prediction->method.mean_figures) {
            whole_figures(whole, telling->cells, own, telling->values);
            values_add(whole, telling->values, count, mean);
        }
        cycles += (own - cycles) / (count + 1);
        count++;
    }
    if (!prediction->method.mean_figures)
        whole_figures(whole, telling->sum, cycles, mean);
}

/* Everything that can be left out: a block of each run that was full, or else a run. */
static struct omission *omissions_list(const struct telling *telling, u32 *count)
{
    const struct prediction *prediction = telling->predicting->prediction;
    bool regression = prediction->method.extrapolation == EXTRAPOLATION_EXPONENTIAL;
    u32 runs = regression ? prediction->factor : prediction->runs.count;
    struct omission *list = heap_array((size_t)runs * BLOCKS + 1, sizeof *list);
    *count = 0;
    for (u32 i = 0; i < runs; i++) {
        bool blocks = !regression && telling->steady[i].found;
        for (u32 b = 0; b < (blocks ? BLOCKS : 1); b++)
            list[(*count)++] = (struct omission){ i, blocks ? b : NO_BLOCK };
    }
    if (*count == 1)
        *count = 0;
    return list;
}

typedef void estimator(const struct telling *telling, double *mean);

/* Where there is nothing to leave out, nothing is known of how far it may be off but the least. */
static void intervals_make(struct telling *telling, estimator *make)
{
    struct prediction *prediction = telling->predicting->prediction;
    u32 figures = prediction->whole.count, count;
    struct omission *list = omissions_list(telling, &count);
    double *others = heap_array((size_t)count * figures + 1, sizeof *others);
    double *column = heap_array((size_t)count + 1, sizeof *column);
    for (u32 i = 0; i < count; i++) {
        telling->omitted = list[i];
        make(telling, &others[(size_t)i * figures]);
    }
    for (u32 f = 0; f < figures; f++) {
        double value = prediction->values[f];
        for (u32 i = 0; i < count; i++)
            column[i] = others[(size_t)i * figures + f];
        double chance = student_limit(count) * jackknife_error(column, count);
        double share =
            prediction->exact ? 0 : model_errors[prediction->haunted][prediction->whole.kinds[f]];
        double model = student_limit(UINT32_MAX) * share * fabs(value);
        double width = sqrt(chance * chance + model * model);
        if (f == 0)
            prediction->chance = chance / value;
        struct interval interval = interval_around(value, width, prediction->whole.shares[f]);
        prediction->low[f] = interval.low;
        prediction->high[f] = interval.high;
    }
    free(list);
    free(others);
    free(column);
}

/* What the run's pieces take, and what all do. */
static void known_fill(const struct predicting *predicting, const struct part_run *run,
                       struct known known[KNOWN])
{
    const struct prediction *prediction = predicting->prediction;
    const struct cost *cost = &prediction->cost;
    struct work all = cost_sum(cost), own = { 0 };
    bool *mine = heap_array(prediction->tiles.count + 1, sizeof *mine);
    u32 *tile = tiles_of_pieces(&prediction->tiles, prediction->pieces);
    double frame = (double)prediction->pieces / (double)cost->work.count;
    for (u32 i = 0; i < run->tile_count; i++)
        mine[run->tiles[i]] = true;
    for (u64 i = 0; i < cost->work.count; i++)
        if (mine[tile[cost_number(cost, i)]])
            work_add(&own, &cost->work.pieces[i]);
    u32 i = 0;
#define KNOWN_FILL(name, help) \
    known[i++] = (struct known){ (double)own.name, (double)all.name * frame };
    FUNCTIONAL_WORK(KNOWN_FILL)
#undef KNOWN_FILL
    free(mine);
    free(tile);
}

/* Of a part beside all of the memory. */
static double part_threads(const struct prediction *prediction)
{
    const struct ghost_shape *shape = &prediction->haunting.shape;
    return (double)shape->threads * shape->sms / prediction->machine;
}

static void parts_describe(const struct predicting *predicting, struct part *parts,
                           struct steady *steady)
{
    struct prediction *prediction = predicting->prediction;
    prediction->filled = true;
    for (u32 i = 0; i < prediction->runs.count; i++) {
        const struct part_run *run = &prediction->runs.of[i];
        parts[i] = (struct part){ .sample = &predicting->samples[i],
                                  .machine = prediction->machine,
                                  .haunted = prediction->haunted,
                                  .frame = (double)prediction->pieces /
                                           (double)prediction->cost.work.count,
                                  .work = run->work,
                                  .pieces = (double)run->pieces,
                                  .threads = part_threads(prediction),
                                  .warm = prediction->haunted ? FULL : WARM };
        if (prediction->haunted)
            known_fill(predicting, run, parts[i].known);
        steady[i] = steady_find(&predicting->rules, &parts[i]);
        prediction->filled = prediction->filled && steady[i].full;
        if (prediction->method.extrapolation != EXTRAPOLATION_AFFINE)
            steady[i].found = false;
    }
    prediction->exact =
        prediction->factor == 1 && prediction->runs.count == 1 && prediction->runs.of[0].all;
}

/* As many runs at a time as jobs: each goes to whoever is free first. */
static double wall_of(const struct predicting *predicting, u32 jobs)
{
    double *free_at = heap_array((size_t)jobs + 1, sizeof *free_at), last = 0;
    for (u32 i = 0; i < predicting->prediction->runs.count; i++) {
        u32 first = 0;
        for (u32 k = 1; k < jobs; k++)
            first = free_at[k] < free_at[first] ? k : first;
        free_at[first] += predicting->samples[i].wall_seconds;
        last = fmax(last, free_at[first]);
    }
    free(free_at);
    return last;
}

static void times_sum(const struct predicting *predicting)
{
    struct prediction *prediction = predicting->prediction;
    prediction->work_seconds = prediction->counting_work_seconds;
    for (u32 i = 0; i < prediction->runs.count; i++)
        prediction->work_seconds += predicting->samples[i].work_seconds;
    prediction->wall_seconds =
        prediction->counting_seconds + wall_of(predicting, predicting->options->jobs);
}

static void figures_tell(const struct predicting *predicting)
{
    struct prediction *prediction = predicting->prediction;
    u32 runs = prediction->runs.count, cells = predicting->rules.cells;
    struct part *parts = heap_array(runs, sizeof *parts);
    struct steady *steady = heap_array(runs, sizeof *steady);
    parts_describe(predicting, parts, steady);
    struct telling telling = { predicting,
                               parts,
                               steady,
                               { UINT32_MAX, NO_BLOCK },
                               heap_array((size_t)cells + 1, sizeof(double)),
                               heap_array((size_t)cells + 1, sizeof(double)),
                               heap_array(prediction->whole.count, sizeof(double)) };
    bool regression = prediction->method.extrapolation == EXTRAPOLATION_EXPONENTIAL;
    estimator *make = regression ? regression_make : estimate_make;
    make(&telling, prediction->values);
    intervals_make(&telling, make);
    times_sum(predicting);
    free(telling.cells);
    free(telling.sum);
    free(telling.values);
    free(steady);
    free(parts);
}

/* ---- Rounds ---- */

static bool rounds_enough(const struct predicting *predicting)
{
    const struct predict_options *options = predicting->options;
    const struct prediction *prediction = predicting->prediction;
    bool regression = options->method.extrapolation == EXTRAPOLATION_EXPONENTIAL;
    u32 least = regression ? REGRESSION_SHARES : options->repeats;
    if (prediction->rounds < least)
        return false;
    if (prediction->rounds >= ROUNDS_MOST || prediction->exact || regression ||
        prediction->simulated >= prediction->pieces)
        return true;
    double used = wall_clock() - predicting->begun;
    bool wide = options->error > 0 && prediction->chance > options->error;
    bool early =
        options->budget_seconds > 0 && used + used / prediction->rounds < options->budget_seconds;
    return options->error > 0 && options->budget_seconds > 0 ? !wide || !early : !wide && !early;
}

static bool rounds_do(struct predicting *predicting, struct ogv_error *error)
{
    struct prediction *prediction = predicting->prediction;
    bool regression = prediction->method.extrapolation == EXTRAPOLATION_EXPONENTIAL;
    do {
        u32 first = prediction->runs.count;
        round_plan(predicting, prediction->rounds);
        if (!round_run(predicting, first, error))
            return false;
        prediction->rounds++;
        if (!regression || prediction->rounds == REGRESSION_SHARES)
            figures_tell(predicting);
    } while (!rounds_enough(predicting));
    return true;
}

/* ---- All ---- */

static bool predicting_begin(struct predicting *predicting, struct ogv_error *error)
{
    const struct predict_options *options = predicting->options;
    struct prediction *prediction = predicting->prediction;
    if (!machine_open(options, prediction, &predicting->machine, error) ||
        !machine_count(options, &predicting->machine, prediction, &predicting->costs,
                       &predicting->work, error))
        return false;
    if (options->method.distribution != CHOICE_STRATA) {
        double *costs = piece_costs(prediction);
        predicting->colours = colours_make(costs, (u32)prediction->pieces, options->seed);
        free(costs);
    }
    u32 figures = prediction->whole.count;
    prediction->values = heap_array(figures, sizeof(double));
    prediction->low = heap_array(figures, sizeof(double));
    prediction->high = heap_array(figures, sizeof(double));
    predicting->rules = rules_of(prediction->whole.plan);
    predicting->orders =
        (struct crew_orders){ .folder = text_format("%s/runs", prediction->folder),
                              .arch = predicting->machine.part_file,
                              .usual = options->run,
                              .tiles = &prediction->tiles,
                              .haunting = prediction->haunted ? &prediction->haunting : NULL,
                              .jobs = options->jobs,
                              .progress = options->listener.progress,
                              .context = options->listener.context };
    return true;
}

bool predict(const struct predict_options *options, struct prediction *prediction,
             struct ogv_error *error)
{
    *prediction = (struct prediction){ .method = options->method };
    struct predicting predicting = { .options = options,
                                     .prediction = prediction,
                                     .begun = wall_clock() };
    bool good = predicting_begin(&predicting, error) && rounds_do(&predicting, error) &&
                prediction_write(prediction, error);
    for (u32 i = 0; i < predicting.sample_count; i++)
        sample_fini(&predicting.samples[i]);
    free(predicting.samples);
    free(predicting.costs);
    free(predicting.colours.of);
    free((char *)predicting.orders.folder);
    rules_fini(&predicting.rules);
    machine_close(&predicting.machine);
    if (!good)
        prediction_fini(prediction);
    return good;
}

char *prediction_whole(const struct predict_options *options, const struct prediction *prediction,
                       struct ogv_error *error)
{
    const struct predict_listener *listener = &options->listener;
    struct part_run run = { .name = heap_copy("whole"), .all = true };
    struct part_runs runs = { &run, 1 };
    char *arch = text_format("%s/whole.yaml", prediction->folder), *folder = NULL;
    const struct text *text = &prediction->system->exported;
    struct crew_orders orders = { .folder = prediction->folder,
                                  .arch = arch,
                                  .usual = options->run,
                                  .tiles = &prediction->tiles,
                                  .jobs = 1 };
    if (listener->begin)
        listener->begin(listener->context, "simulating the whole frame");
    if (file_write(arch, text_get(text), text->length, error) && runs_do(&orders, &runs, 0, error))
        folder = run_folder(&orders, &run);
    free(run.name);
    free(arch);
    return folder;
}

void prediction_fini(struct prediction *prediction)
{
    free(prediction->folder);
    free(prediction->values);
    free(prediction->low);
    free(prediction->high);
    whole_fini(&prediction->whole);
    cost_fini(&prediction->cost);
    ghosts_fini(&prediction->haunting.ghosts);
    tiles_fini(&prediction->tiles);
    part_runs_fini(&prediction->runs);
    ogv_system_destroy(prediction->system);
    *prediction = (struct prediction){ 0 };
}
