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
#define STEADY_LEAST   0.2  /* of the work that the steady time must hold, to tell anything */
#define FOLLOWED_LEAST 0.25 /* of the work of first pieces, behind them, to tell how it goes on */
#define EMPTYING       0.7 /* of the work of a small sample: from there on ever more threads are idle */
#define KNOWN_SLACK    0.02 /* of a counter, within which it counts what is known */
#define CLOCK_SLACK    1e-3 /* what grows as evenly as time counts time */

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

/* Where cycles went. */
static bool stat_is_of_time(const struct unit_type *type, const char *stat)
{
    for (const struct account_row *row = type->accounts; row && row->words; row++)
        if (word_is(row->stat, stat))
            return true;
    return false;
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
            .time = stat_is_of_time(type, type->stats[i].name),
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

typedef double value_at(const void *context, u32 point);

static double span_of(const struct span *span, value_at *at, const void *context)
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

    double share; /* of a part beside all of the memory: see full_share */
};

/* At each point of the steady time: at one of them anything may be what time is. */
static bool counts_time(const struct growth *growth, double end)
{
    const u32 *bounds = growth->span.steady->bounds;
    double rate = end / growth->part->sample->cycles;
    bool even = true;
    for (u32 i = 0; i <= BLOCKS; i++) {
        double time = rate * column_time(&growth->column, bounds[i]);
        even = even && fabs(column_at(&growth->column, bounds[i]) - time) <= CLOCK_SLACK * time;
    }
    return even;
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
    if (once && rule->combine == SUM && !counts_time(growth, end))
        return shared_extend(growth, steady, end);
    double whole = end + growth->left * steady;
    return rule->combine == SUM ? whole * growth->part->machine : whole;
}

/* ---- A part beside all of the memory ---- */

/* What counts what is known, but for what depends on time: of the whole; else NAN. */
static double known_extend(const struct part *part, double end)
{
    for (u32 i = 0; i < KNOWN; i++) {
        const struct known *known = &part->known[i];
        if (known->own > 0 && fabs(end - known->own) < KNOWN_SLACK * known->own)
            return end * known->all / known->own;
    }
    return NAN;
}

/* Instructions of the sample besides its pieces: what threads do before and after. */
static double work_besides(const struct rules *rules, const struct part *part)
{
    double own = part->known[0].own;
    return own > 0 ? work_at(rules, part->sample, part->sample->points - 1) - own : 0;
}

/* Instructions of the whole: each thread of all begins once. */
static double work_extend(const struct rules *rules, const struct part *part)
{
    return part->known[0].all + work_besides(rules, part) * part->machine;
}

/* A value when so much work was done. */
static double value_reach(const struct growth *growth, value_at *at, double reached)
{
    const struct column *column = &growth->column;
    u32 point = work_reach(column->rules, column->sample, 0, reached);
    double work = point ? column_work(column, point - 1) : 0;
    double value = point ? at(column, point - 1) : 0;
    double way = fmin(1, (reached - work) / (column_work(column, point) - work));
    return reached > 0 ? value + way * (at(column, point) - value) : 0;
}

/* What a value grows by for an instruction, from one point of the work to another. */
static double value_rate(const struct growth *growth, value_at *at, double from, double to)
{
    return (value_reach(growth, at, to) - value_reach(growth, at, from)) / (to - from);
}

/* The work of what threads do before their pieces. */
static double begin_work(const struct growth *growth)
{
    return fmax(0, work_besides(growth->column.rules, growth->part));
}

/* What a value grew by while the part was busy: without what threads do before their pieces, and
 * with what is done after the last piece is given out, when ever fewer have work, at the rate just
 * before. */
static double sample_busy(const struct growth *growth, value_at *at)
{
    const struct column *column = &growth->column;
    const struct steady *steady = growth->span.steady;
    u32 last = steady->bounds[BLOCKS], before = steady->bounds[BLOCKS - BLOCKS / 4];
    double work = column_work(column, last), end = column_work(column, column->sample->points - 1);
    double rate = (at(column, last) - at(column, before)) / (work - column_work(column, before));
    return at(column, last) - value_reach(growth, at, begin_work(growth)) + (end - work) * rate;
}

/* The same as it would be without the block of the steady time that is left out. */
static double sample_busy_without(const struct growth *growth, value_at *at)
{
    struct span all = { growth->span.steady, NO_BLOCK };
    double busy = sample_busy(growth, at), whole = span_of(&all, at, &growth->column);
    if (growth->span.omitted == NO_BLOCK || !(whole > 0))
        return busy;
    double without = span_of(&growth->span, at, &growth->column);
    return busy * without / whole * BLOCKS / (BLOCKS - 1);
}

/* How long the part would have been busy, had it been full from the first piece on, as a share of
 * how long it was. All threads begin at once, with empty caches: until they have done their first
 * pieces, work takes longer than later, which comes once, whatever the size of the frame. A
 * beginning that is faster than what follows is what the frame shows there. */
static double full_share(const struct growth *growth)
{
    const struct part *part = growth->part;
    const u32 *bounds = growth->span.steady->bounds;
    double firsts = part->known[0].own * fmin(1, part->threads / part->pieces);
    double begin = begin_work(growth), full = begin + firsts;
    double end = fmin(full + firsts, column_work(&growth->column, bounds[BLOCKS]));
    if (!(end - full > FOLLOWED_LEAST * firsts))
        return 1;
    double extra = firsts * (value_rate(growth, column_time, begin, full) -
                             value_rate(growth, column_time, full, end));
    return 1 - fmax(0, extra) / sample_busy(growth, column_time);
}

/* Of what took the requests of all that were counted, or of a part of those who made them. It is a
 * sample of the frame at any time. */
static double sample_extend(const struct rules *rules, const struct growth *growth, u32 cell)
{
    const struct part *part = growth->part;
    const struct stat_rule *rule = &rules->of[cell];
    double end = sample_at(part->sample, part->sample->points - 1)[cell];
    double machine = rule->combine == SUM && !rule->shared ? part->machine : 1;
    double known = known_extend(part, end);
    if (counts_time(growth, end))
        return end * growth->cycles / part->sample->cycles * machine;
    if (rule->shared)
        return end * part->frame;
    if (rule->work && part->known[0].own > 0)
        return work_extend(rules, part) * end /
               work_at(rules, part->sample, part->sample->points - 1);
    if (!isnan(known))
        return known;
    double share = rule->time ? growth->share : 1;
    return (end + (part->work - 1) * share * sample_busy_without(growth, column_at)) * machine;
}

static void cells_extend(const struct rules *rules, struct growth *growth, double *cells)
{
    const struct sample *sample = growth->part->sample;
    const double *end = sample_at(sample, sample->points - 1);
    for (u32 i = 0; i < rules->cells; i++) {
        growth->column.cell = i;
        if (rules->of[i].scale != WORK || rules->of[i].combine == MAX)
            continue;
        cells[i] = growth->part->haunted ? sample_extend(rules, growth, i)
                                         : cell_extend(growth, &rules->of[i], end[i]);
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
    growth.share = part->haunted ? full_share(&growth) : 1;
    double busy = part->haunted ? growth.share * fmin(sample_busy_without(&growth, column_time),
                                                      sample->cycles)
                                : growth.full * span_of(&growth.span, column_time, &growth.column);
    growth.cycles = sample->cycles + (part->work - 1) * busy;
    cells_extend(rules, &growth, cells);
    return growth.cycles;
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
