/* estimate.c - see estimate.h. */
#include "predict/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ogive/program.h"
#include "result/tally.h"

const char *const extrapolation_names[EXTRAPOLATIONS + 1] = { "affine", "linear", "exponential",
                                                              NULL };

#define FULL_FROM \
    0.25 /* of the work of a sample: by then the first pieces of all threads are done */
#define STEADY_LEAST 0.2 /* of the work that the steady time must hold, to tell anything */

/* ---- Rules ---- */

static bool word_is(const char *word, const char *name)
{
    return word && !strcmp(word, name);
}

static void rules_add(void *context, const struct stat_group *group, u32 cell)
{
    struct rules *rules = context;
    const struct unit_type *type = group->unit->type;
    for (u32 i = 0; type->stats[i].name; i++)
        rules->of[cell + i] = (struct stat_rule){
            .combine = (u8)type->stats[i].combine,
            .scale = (u8)type->stats[i].scale,
            .work = type->programs && word_is(type->programs->instructions, type->stats[i].name),
            .pieces = word_is(type->pieces, type->stats[i].name),
        };
}

struct rules rules_of(const struct plan *plan)
{
    struct rules rules = { .cells = tally_groups(plan, NULL, NULL) };
    rules.of = heap_array((size_t)rules.cells + 1, sizeof *rules.of);
    tally_groups(plan, rules_add, &rules);
    return rules;
}

void rules_fini(struct rules *rules)
{
    free(rules->of);
    *rules = (struct rules){ 0 };
}

/* ---- When a part was full ---- */

static double work_at(const struct rules *rules, const struct sample *sample, u32 point)
{
    double work = 0;
    for (u32 i = 0; i < rules->cells; i++)
        if (rules->of[i].work)
            work += sample_at(sample, point)[i];
    return work;
}

/* By the units that programs ask: the first line of the file that hands out pieces. */
static double pieces_at(const struct rules *rules, const struct sample *sample, u32 point)
{
    for (u32 i = 0; i < rules->cells; i++)
        if (rules->of[i].pieces)
            return sample_at(sample, point)[i];
    return 0;
}

/* The first point with so much work done, from `from` on. */
static u32 work_reach(const struct rules *rules, const struct sample *sample, u32 from, double work)
{
    u32 point = from;
    while (point + 1 < sample->points && work_at(rules, sample, point) < work)
        point++;
    return point;
}

struct steady steady_find(const struct rules *rules, const struct part *part)
{
    const struct sample *sample = part->sample;
    struct steady steady = { .found = false };
    double all = work_at(rules, sample, sample->points - 1);
    u32 first = work_reach(rules, sample, 0, FULL_FROM * all), last = 0;
    while (last + 1 < sample->points && pieces_at(rules, sample, last + 1) < part->pieces)
        last++;
    if (last < first + BLOCKS)
        return steady;
    double begin = work_at(rules, sample, first), end = work_at(rules, sample, last);
    steady.found = end - begin >= STEADY_LEAST * all;
    for (u32 i = 0; i <= BLOCKS; i++)
        steady.bounds[i] = work_reach(rules, sample, first, begin + (end - begin) * i / BLOCKS);
    for (u32 i = 0; i < BLOCKS; i++)
        steady.found = steady.found && steady.bounds[i] < steady.bounds[i + 1];
    return steady;
}

/* ---- One part ---- */

/* A value between two points, less what was within a block. */
struct span {
    const struct steady *steady;
    u32 omitted;
};

static double span_of(const struct span *span, double (*at)(const void *, u32), const void *context)
{
    const u32 *bounds = span->steady->bounds;
    double sum = at(context, bounds[BLOCKS]) - at(context, bounds[0]);
    if (span->omitted != NO_BLOCK)
        sum -= at(context, bounds[span->omitted + 1]) - at(context, bounds[span->omitted]);
    return sum;
}

struct column {
    const struct sample *sample;
    const struct rules *rules;
    u32 cell;
};

static double column_at(const void *context, u32 point)
{
    const struct column *column = context;
    return sample_at(column->sample, point)[column->cell];
}

static double column_work(const void *context, u32 point)
{
    const struct column *column = context;
    return work_at(column->rules, column->sample, point);
}

static double column_time(const void *context, u32 point)
{
    const struct column *column = context;
    return column->sample->times[point];
}

double estimate_part(const struct rules *rules, const struct part *part,
                     const struct steady *steady, u32 omitted, double *cells)
{
    const struct sample *sample = part->sample;
    const double *end = sample_at(sample, sample->points - 1);
    struct column column = { sample, rules, 0 };
    struct span span = { steady, omitted };
    double all = work_at(rules, sample, sample->points - 1), more = part->work - 1;
    /* How many times the growth within the steady time is still to come. */
    double left = steady->found ? more * all / span_of(&span, column_work, &column) : 0;
    for (u32 i = 0; i < rules->cells; i++) {
        const struct stat_rule *rule = &rules->of[i];
        column.cell = i;
        cells[i] = end[i];
        if (rule->scale != WORK || rule->combine == MAX)
            continue;
        cells[i] += steady->found ? left * span_of(&span, column_at, &column) : more * end[i];
        if (rule->combine == SUM)
            cells[i] *= part->machine;
    }
    return sample->cycles +
           (steady->found ? left * span_of(&span, column_time, &column) : more * sample->cycles);
}

/* ---- Several ---- */

double exponential_extend(const double values[3], double first, double step)
{
    double change = values[1] - values[0], steps = (1 - first) / step;
    double factor = change != 0 ? (values[2] - values[1]) / change : 1;
    if (!(factor > 0) || fabs(factor - 1) < 1e-9)
        return values[2] + (values[2] - values[0]) / 2 * (steps - 2);
    return values[0] + change * (pow(factor, steps) - 1) / (factor - 1);
}

void estimate_add(const struct rules *rules, const double *cells, u32 count, double *mean)
{
    for (u32 i = 0; i < rules->cells; i++)
        if (rules->of[i].combine == MAX)
            mean[i] = count ? fmax(mean[i], cells[i]) : cells[i];
        else
            mean[i] += (cells[i] - mean[i]) / (count + 1);
}
