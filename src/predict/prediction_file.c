/* prediction_file.c - what a prediction leaves behind: stats.json as of a run, and how it was made.
 *
 * Where the whole frame was simulated on the whole machine, stats.json is that of the run. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/image.h"
#include "base/text.h"
#include "predict/predict.h"
#include "result/stats_source.h"
#include "result/tally.h"

#define DIGITS JSON_REAL_PRECISION(12)

static json_t *json_known(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Counters are whole, as those of a run. */
static json_t *json_count(double value)
{
    return isfinite(value) && fabs(value) < 9e18 ? json_integer((json_int_t)llround(value))
                                                 : json_known(value);
}

static bool json_write(json_t *object, const char *folder, const char *name,
                       struct ogv_error *error)
{
    char *path = text_format("%s/%s", folder, name);
    char *text = json_dumps(object, JSON_INDENT(1) | DIGITS);
    bool good = text ? file_write(path, text, strlen(text), error)
                     : error_system(error, "%s: cannot be put into JSON", path);
    free(text);
    free(path);
    return good;
}

/* ---- stats.json ---- */

static bool figure_is_count(const char *name)
{
    static const char *const counts[] = { "cycles", "instructions", "rays", "dram_read_bytes",
                                          "dram_write_bytes" };
    for (u32 i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(counts[i], name))
            return true;
    return false;
}

static json_t *summary_json(const struct prediction *prediction)
{
    const struct whole *whole = &prediction->whole;
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string("predicted"));
    for (u32 i = 0; i < whole->summary; i++) {
        double value = prediction->values[i];
        json_object_set_new(object, whole->names[i],
                            figure_is_count(whole->names[i]) ? json_count(value)
                                                             : json_known(value));
    }
    return object;
}

struct grouping {
    const struct prediction *prediction;
    json_t *groups, *units;
    u32 ratio, stat;
};

static void group_add(void *context, const struct stat_group *group, u32 cell)
{
    struct grouping *grouping = context;
    const struct unit_type *type = group->unit->type;
    const double *values = grouping->prediction->values;
    json_t *object = json_object();
    char path[256], *plain = text_format("%s.%s", group->domain->name, group->unit->name);
    (void)cell;
    stats_group_path(group, path, sizeof path);
    json_object_set_new(object, "type", json_string(type->name));
    for (u32 i = 0; type->stats[i].name; i++)
        json_object_set_new(object, type->stats[i].name, json_count(values[grouping->stat++]));
    json_object_set_new(grouping->units, plain, json_copy(object));
    for (u32 i = 0; type->ratios[i].name; i++)
        json_object_set_new(object, type->ratios[i].name, json_known(values[grouping->ratio++]));
    json_object_set_new(grouping->groups, path, object);
    free(plain);
}

static json_t *intervals_json(const struct prediction *prediction)
{
    json_t *object = json_object();
    for (u32 i = 0; i < prediction->whole.count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "low", json_known(prediction->low[i]));
        json_object_set_new(row, "high", json_known(prediction->high[i]));
        json_object_set_new(object, prediction->whole.names[i], row);
    }
    return object;
}

/* `part` is stats.json of one of the runs, whose types are those of the whole. */
static json_t *stats_json(const struct prediction *prediction, const json_t *part)
{
    const struct whole *whole = &prediction->whole;
    struct grouping grouping = { prediction, json_object(), json_object(), whole->summary,
                                 whole->summary + whole->ratios };
    tally_groups(whole->plan, group_add, &grouping);
    json_t *object = json_object();
    json_object_set_new(object, "summary", summary_json(prediction));
    json_object_set_new(object, "groups", grouping.groups);
    json_object_set_new(object, "units", grouping.units);
    json_object_set_new(object, "types", json_copy(json_object_get(part, "types")));
    return object;
}

static bool stats_write(const struct prediction *prediction, struct ogv_error *error)
{
    char *folder = text_format("%s/runs/%s", prediction->folder, prediction->runs.of[0].name);
    json_t *part = run_file_load(folder, "stats.json", error);
    free(folder);
    if (!part)
        return false;
    json_t *stats = prediction->exact ? json_incref(part) : stats_json(prediction, part);
    json_object_set_new(stats, "intervals", intervals_json(prediction));
    bool good = json_write(stats, prediction->folder, "stats.json", error);
    json_decref(stats);
    json_decref(part);
    return good;
}

/* ---- prediction.json ---- */

static json_t *runs_json(const struct prediction *prediction)
{
    json_t *list = json_array();
    for (u32 i = 0; i < prediction->runs.count; i++) {
        const struct part_run *run = &prediction->runs.of[i];
        json_t *row = json_object();
        json_object_set_new(row, "folder", json_sprintf("runs/%s", run->name));
        json_object_set_new(row, "pieces", json_integer((json_int_t)run->pieces));
        json_object_set_new(row, "work_factor", json_real(run->work));
        json_array_append_new(list, row);
    }
    return list;
}

static bool made_write(const struct prediction *prediction, struct ogv_error *error)
{
    const struct method *method = &prediction->method;
    json_t *object = json_object();
    double pieces = (double)prediction->pieces;
    json_object_set_new(object, "method", json_string(method->name));
    json_object_set_new(object, "division", json_string(division_names[method->division]));
    json_object_set_new(object, "distribution",
                        json_string(distribution_names[method->distribution]));
    json_object_set_new(object, "extrapolation",
                        json_string(extrapolation_names[method->extrapolation]));
    json_object_set_new(object, "factor", json_integer(prediction->factor));
    json_object_set_new(object, "parts_of_machine", json_real(prediction->machine));
    json_object_set_new(object, "share", json_real((double)prediction->simulated / pieces));
    json_object_set_new(object, "alone", json_boolean(!prediction->haunted));
    json_object_set_new(object, "counted", json_real((double)prediction->cost.work.count / pieces));
    json_object_set_new(object, "pieces", json_integer((json_int_t)prediction->pieces));
    json_object_set_new(object, "simulated", json_integer((json_int_t)prediction->simulated));
    json_object_set_new(object, "filled", json_boolean(prediction->filled));
    json_object_set_new(object, "counting_work_seconds",
                        json_real(prediction->counting_work_seconds));
    json_object_set_new(object, "work_seconds", json_real(prediction->work_seconds));
    json_object_set_new(object, "wall_seconds", json_real(prediction->wall_seconds));
    json_object_set_new(object, "runs", runs_json(prediction));
    bool good = json_write(object, prediction->folder, "prediction.json", error);
    json_decref(object);
    return good;
}

/* ---- The pixels ---- */

#define DIM 48 /* of 255: what was not simulated */

static void pixels_mark(const struct prediction *prediction, const u32 *places, u8 *image)
{
    const struct tiles *tiles = &prediction->tiles;
    for (u32 r = 0; r < prediction->runs.count; r++) {
        const struct part_run *run = &prediction->runs.of[r];
        for (u32 t = 0; t < run->tile_count; t++) {
            u32 tile = run->tiles[t];
            for (u32 p = tiles->starts[tile]; p < tiles->starts[tile + 1]; p++)
                memset(&image[4 * (size_t)places[tiles->pieces[p]]], 255, 4);
        }
    }
}

static bool chosen_write(const struct prediction *prediction, struct ogv_error *error)
{
    const struct cost *cost = &prediction->cost;
    size_t pixels = (size_t)cost->width * cost->height;
    if (!cost->pixels)
        return true;
    u32 *places = heap_array(prediction->pieces + 1, sizeof *places);
    u8 *image = heap_array(pixels, 4);
    for (u64 i = 0; i < cost->work.count; i++)
        places[cost_number(cost, i)] = cost->pixels[i];
    for (size_t i = 0; i < 4 * pixels; i++)
        image[i] = i % 4 == 3 ? 255 : DIM;
    pixels_mark(prediction, places, image);
    char *path = text_format("%s/chosen.png", prediction->folder);
    bool good = image_write(path, image, cost->width, cost->height, error);
    free(path);
    free(image);
    free(places);
    return good;
}

bool prediction_write(const struct prediction *prediction, struct ogv_error *error)
{
    return stats_write(prediction, error) && made_write(prediction, error) &&
           chosen_write(prediction, error);
}

/* ---- Beside the whole ---- */

double figure_error(double predicted, double truth)
{
    if (!isfinite(predicted) || !isfinite(truth))
        return NAN;
    return truth != 0 ? fabs(predicted - truth) / fabs(truth) : predicted != 0 ? INFINITY : 0;
}

static json_t *figures_json(const struct prediction *prediction, const double *truth)
{
    json_t *object = json_object();
    for (u32 i = 0; i < prediction->whole.count; i++) {
        double value = prediction->values[i];
        if (!isfinite(value) || !isfinite(truth[i]))
            continue;
        json_t *row = json_object();
        json_object_set_new(row, "predicted", json_known(value));
        json_object_set_new(row, "low", json_known(prediction->low[i]));
        json_object_set_new(row, "high", json_known(prediction->high[i]));
        json_object_set_new(row, "true", json_known(truth[i]));
        json_object_set_new(row, "relative_error", json_known(figure_error(value, truth[i])));
        json_object_set_new(object, prediction->whole.names[i], row);
    }
    return object;
}

static double summary_number(const json_t *stats, const char *name)
{
    return json_number_value(json_object_get(json_object_get(stats, "summary"), name));
}

static bool speedup_find(const struct prediction *prediction, const char *folder,
                         struct evaluation *evaluation, struct ogv_error *error)
{
    json_t *stats = run_file_load(folder, "stats.json", error);
    if (!stats)
        return false;
    evaluation->speedup_processor_time =
        summary_number(stats, "work_seconds") / prediction->work_seconds;
    evaluation->speedup_wall_time =
        summary_number(stats, "wall_seconds") / prediction->wall_seconds;
    bool finished = !strcmp(
        json_string_value(json_object_get(json_object_get(stats, "summary"), "status")) ?: "",
        "finished");
    json_decref(stats);
    return finished || error_user(error, "%s: is no run that has finished", folder);
}

bool prediction_evaluate(const struct prediction *prediction, const char *folder,
                         struct evaluation *evaluation, struct ogv_error *error)
{
    const struct whole *whole = &prediction->whole;
    *evaluation = (struct evaluation){ .truth = heap_array(whole->count, sizeof(double)) };
    if (!whole_read(whole, folder, evaluation->truth, error) ||
        !speedup_find(prediction, folder, evaluation, error))
        return false;
    json_t *object = json_object();
    json_object_set_new(object, "figures", figures_json(prediction, evaluation->truth));
    json_object_set_new(object, "speedup_processor_time",
                        json_known(evaluation->speedup_processor_time));
    json_object_set_new(object, "speedup_wall_time", json_known(evaluation->speedup_wall_time));
    json_object_set_new(object, "share",
                        json_real((double)prediction->simulated / (double)prediction->pieces));
    bool good = json_write(object, prediction->folder, "evaluation.json", error);
    json_decref(object);
    return good;
}

void evaluation_fini(struct evaluation *evaluation)
{
    free(evaluation->truth);
    *evaluation = (struct evaluation){ 0 };
}
