/* estimate.c - see estimate.h. */
#include "predict/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ogive/program.h"
#include "result/tally.h"
#include "run/figures.h"
#include "unit/explain.h"

const char *const extrapolation_names[EXTRAPOLATIONS + 1] = { "affine", "linear", "exponential",
                                                              NULL };

#define FULL_FROM \
    0.25 /* of the work of a sample: by then the first pieces of all threads are done */
#define STEADY_LEAST 0.2 /* of the work that the steady time must hold, to tell anything */
#define EMPTYING     0.7 /* of the work of a small sample: from there on ever more threads are idle */
#define CLOCK_SLACK  1e-3 /* what grows as evenly as time counts time */

/* ---- Rules ---- */

static bool word_is(const char *word, const char *name)
{
    return word && !strcmp(word, name);
}

static double one_stat(void *context, const char *name)
{
    return word_is(context, name);
}

/* What a statistic adds to the requests to caches behind those of the SMs. */
static double stat_demand(const struct plan_unit *unit, char *stat)
{
    const struct figure_row *row = unit->type->figures;
    double demand = 0;
    char name[128];
    for (; row && row->figure; row++) {
        figure_name(unit->type, row, unit->values, name, sizeof name);
        if (strcmp(name, run_figure_names[FIGURE_l2_hit_rate]))
            continue;
        struct formula *requests = formula_parse(row->below, NULL);
        demand += formula_value(requests, one_stat, stat);
        formula_free(requests);
    }
    return demand;
}

/* Neither works nor hands out work. */
static bool domain_serves(const struct plan_domain *domain)
{
    for (u32 i = 0; i < domain->unit_count; i++)
        if (unit_runs_programs(domain->units[i].type) || unit_traces_rays(domain->units[i].type) ||
            unit_hands_out_pieces(domain->units[i].type))
            return false;
    return true;
}

static void rules_add(void *context, const struct stat_group *group, u32 cell)
{
    struct rules *rules = context;
    const struct unit_type *type = group->unit->type;
    bool shared = domain_serves(group->domain);
    for (u32 i = 0; type->stats[i].name; i++)
        rules->of[cell + i] = (struct stat_rule){
            .combine = (u8)type->stats[i].combine,
            .scale = (u8)type->stats[i].scale,
            .work = type->programs && word_is(type->programs->instructions, type->stats[i].name),
            .pieces = word_is(type->pieces, type->stats[i].name),
            .shared = shared,
            .demand = shared ? stat_demand(group->unit, (char *)type->stats[i].name) : 0,
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

/* From one share of its work on to a point. */
static struct steady steady_from(const struct rules *rules, const struct part *part, double warm,
                                 u32 last)
{
    const struct sample *sample = part->sample;
    struct steady steady = { .found = false };
    double all = work_at(rules, sample, sample->points - 1);
    u32 first = work_reach(rules, sample, 0, warm * all);
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

/* A small sample is warm later than it is full, or is never full: then its middle has to do, in
 * which it is neither filling nor empty. */
struct steady steady_find(const struct rules *rules, const struct part *part)
{
    const struct sample *sample = part->sample;
    double all = work_at(rules, sample, sample->points - 1);
    u32 last = 0;
    while (last + 1 < sample->points && pieces_at(rules, sample, last + 1) < part->pieces)
        last++;
    struct steady steady = steady_from(rules, part, part->warm, last);
    if (!steady.found)
        steady = steady_from(rules, part, part->warm / 2, last);
    steady.full = steady.found;
    if (!steady.found)
        steady =
            steady_from(rules, part, part->warm / 2, work_reach(rules, sample, 0, EMPTYING * all));
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

static double column_demand(const void *context, u32 point)
{
    const struct column *column = context;
    double demand = 0;
    for (u32 i = 0; i < column->rules->cells; i++)
        if (column->rules->of[i].demand > 0)
            demand += column->rules->of[i].demand * sample_at(column->sample, point)[i];
    return demand;
}

/* How a part's counters go on. */
struct growth {
    const struct part *part;
    struct span span;
    struct column column;
    double full;   /* how many times the steady time's work is that of the sample */
    double left;   /* how many times what grew within the steady time is still to come */
    double cycles; /* of the whole */
    double demand; /* at the end of the sample */
    double asked;  /* of the shared caches by the whole */
};

static bool counts_time(const struct growth *growth, double steady, double end)
{
    const struct sample *sample = growth->part->sample;
    double time = span_of(&growth->span, column_time, &growth->column);
    double rate = end / sample->cycles;
    return fabs(steady / time - rate) <= CLOCK_SLACK * rate;
}

/* Of a machine of several parts: what came on top of the usual in the beginning comes once. */
static double shared_extend(const struct growth *growth, double steady, double end)
{
    double per_request = steady / span_of(&growth->span, column_demand, &growth->column);
    double extra = end - per_request * growth->demand;
    return fmax(0, extra + per_request * growth->asked);
}

static double cell_extend(const struct growth *growth, const struct stat_rule *rule, double end)
{
    double steady = span_of(&growth->span, column_at, &growth->column);
    bool once = rule->shared && growth->part->machine > 1 && growth->demand > 0;
    if (once && rule->combine == SUM && !counts_time(growth, steady, end))
        return shared_extend(growth, steady, end);
    /* What is counted less is a sample of all: what SMs do, but for their time, is so many times
     * it. */
    bool sampled = growth->part->haunted && !counts_time(growth, steady, end);
    double whole = sampled ? end * growth->part->work : end + growth->left * steady;
    return rule->combine == SUM ? whole * growth->part->machine : whole;
}

/* Of what took the requests of all, as long as all do more of the same. */
static double memory_extend(const struct rules *rules, const struct growth *growth, u32 cell)
{
    const struct sample *sample = growth->part->sample;
    double end = sample_at(sample, sample->points - 1)[cell];
    if (rules->of[cell].scale != WORK || rules->of[cell].combine == MAX)
        return end;
    double steady = span_of(&growth->span, column_at, &growth->column);
    double demand = span_of(&growth->span, column_demand, &growth->column);
    if (!(demand > 0) || counts_time(growth, steady, end))
        return end + (growth->part->frame - 1) * growth->full * steady;
    return end + (growth->part->frame - 1) * growth->demand * steady / demand;
}

static void cells_extend(const struct rules *rules, struct growth *growth, double *cells)
{
    const struct sample *sample = growth->part->sample;
    const double *end = sample_at(sample, sample->points - 1);
    for (u32 i = 0; i < rules->cells; i++) {
        growth->column.cell = i;
        if (growth->part->haunted && rules->of[i].shared)
            cells[i] = memory_extend(rules, growth, i);
        else if (rules->of[i].scale == WORK && rules->of[i].combine != MAX)
            cells[i] = cell_extend(growth, &rules->of[i], end[i]);
    }
}

/* As if start and end grew with the rest. */
static double linear_extend(const struct rules *rules, const struct part *part, double *cells)
{
    for (u32 i = 0; i < rules->cells; i++)
        if (rules->of[i].scale != WORK || rules->of[i].combine == MAX)
            continue;
        else if (part->haunted && rules->of[i].shared)
            cells[i] *= part->frame;
        else
            cells[i] *= part->work * (rules->of[i].combine == SUM ? part->machine : 1);
    return part->sample->cycles * part->work;
}

double estimate_part(const struct rules *rules, const struct part *part,
                     const struct steady *steady, u32 omitted, double *cells)
{
    const struct sample *sample = part->sample;
    u32 last = sample->points - 1;
    memcpy(cells, sample_at(sample, last), rules->cells * sizeof *cells);
    if (!steady->found)
        return linear_extend(rules, part, cells);
    struct growth growth = { .part = part,
                             .span = { steady, omitted },
                             .column = { sample, rules, 0 } };
    growth.full = work_at(rules, sample, last) / span_of(&growth.span, column_work, &growth.column);
    growth.left = (part->work - 1) * growth.full;
    growth.demand = column_demand(&growth.column, last);
    growth.asked =
        part->machine *
        (growth.demand + growth.left * span_of(&growth.span, column_demand, &growth.column));
    cells_extend(rules, &growth, cells);
    return sample->cycles + growth.left * span_of(&growth.span, column_time, &growth.column);
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
