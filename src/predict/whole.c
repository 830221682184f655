/* whole.c - see whole.h. Counters of a line are spread evenly over its units: rows of figures add
 * and multiply them, so that their sum is that of any other spreading. */
#include "predict/whole.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "ogive/explain.h"
#include "ogive/program.h"
#include "ogive/tracer.h"
#include "result/stats_source.h"
#include "result/tally.h"
#include "run/figures.h"
#include "unit/explain.h"

/* X(name, what it depends on) */
#define SUMMARY_FIRST(X)       \
    X(cycles, TIME)            \
    X(simulated_seconds, TIME) \
    X(instructions, WORK)      \
    X(ipc, TIME)               \
    X(frames_per_s, TIME)      \
    X(rays, WORK)              \
    X(mrays_per_s, TIME)

#define SUMMARY_LAST(X)     \
    X(l1_miss_rate, WORK)   \
    X(l2_miss_rate, MEMORY) \
    X(energy_j, TIME)       \
    X(power_w, TIME)        \
    X(mrays_per_j, TIME)    \
    X(nj_per_ray, TIME)

enum {
#define SUMMARY_VALUE(name, kind) SUMMARY_##name,
    SUMMARY_FIRST(SUMMARY_VALUE) SUMMARY_RUN,
    SUMMARY_BEFORE_LAST = SUMMARY_RUN + FIGURES_COUNT - 1,
    SUMMARY_LAST(SUMMARY_VALUE) SUMMARY_COUNT
#undef SUMMARY_VALUE
};

/* ---- Names ---- */

/* By what fractions are called. */
static bool name_is_share(const char *name)
{
    const char *last = strrchr(name, '_');
    return last &&
           (!strcmp(last, "_rate") || !strcmp(last, "_share") || !strcmp(last, "_efficiency"));
}

static void name_add(struct whole *whole, char *name, enum figure_kind kind)
{
    whole->kinds = heap_grow(whole->kinds, whole->count + 1, sizeof *whole->kinds);
    whole->kinds[whole->count] = (u8)kind;
    whole->names = heap_grow(whole->names, whole->count + 1, sizeof *whole->names);
    whole->shares = heap_grow(whole->shares, whole->count + 1, sizeof *whole->shares);
    whole->names[whole->count] = name;
    whole->shares[whole->count++] = name_is_share(name);
}

static char *group_name(const struct stat_group *group, const char *stat)
{
    return text_format("%s.%s.%s", group->domain->name, group->unit->name, stat);
}

static bool group_is_shared(const struct stat_group *group)
{
    for (u32 i = 0; i < group->domain->unit_count; i++)
        if (unit_runs_programs(group->domain->units[i].type) ||
            unit_traces_rays(group->domain->units[i].type))
            return false;
    return true;
}

static const char *stat_measure(const struct unit_type *type, const char *name)
{
    const struct stat_row *stat = type->stats;
    while (strcmp(stat->name, name))
        stat++;
    return stat->measure;
}

static enum figure_kind stat_kind(const struct stat_group *group, const char *measure)
{
    if (group_is_shared(group))
        return FIGURE_OF_MEMORY;
    return strcmp(measure, "cycles") ? FIGURE_OF_WORK : FIGURE_OF_TIME;
}

/* Figures of a summary that such units add to. */
static void memory_mark(void *context, const struct stat_group *group, u32 cell)
{
    struct whole *whole = context;
    const struct plan_unit *unit = group->unit;
    const struct figure_row *row = unit->type->figures;
    char name[128];
    (void)cell;
    for (; row && row->figure && group_is_shared(group); row++) {
        figure_name(unit->type, row, unit->values, name, sizeof name);
        u32 figure = whole_find(whole, name);
        if (figure != UINT32_MAX)
            whole->kinds[figure] = FIGURE_OF_MEMORY;
    }
}

static void ratios_name(void *context, const struct stat_group *group, u32 cell)
{
    const struct ratio_row *ratio = group->unit->type->ratios;
    (void)cell;
    for (; ratio->name; ratio++)
        name_add(context, group_name(group, ratio->name),
                 stat_kind(group, stat_measure(group->unit->type, ratio->above)));
}

static void stats_name(void *context, const struct stat_group *group, u32 cell)
{
    const struct stat_row *stat = group->unit->type->stats;
    (void)cell;
    for (; stat->name; stat++)
        name_add(context, group_name(group, stat->name), stat_kind(group, stat->measure));
}

struct whole whole_of(const ogv_system *system, bool frame)
{
    struct whole whole = { .plan = system->plan, .energy = energy_create(system), .frame = frame };
#define SUMMARY_NAME(name, kind) name_add(&whole, heap_copy(#name), FIGURE_OF_##kind);
    SUMMARY_FIRST(SUMMARY_NAME)
    for (u32 i = 0; i < FIGURES_COUNT; i++)
        name_add(&whole, heap_copy(run_figure_names[i]), FIGURE_OF_WORK);
    SUMMARY_LAST(SUMMARY_NAME)
#undef SUMMARY_NAME
    whole.summary = whole.count;
    tally_groups(whole.plan, memory_mark, &whole);
    whole.kinds[SUMMARY_RUN + FIGURE_ipc_per_core] = FIGURE_OF_TIME;
    tally_groups(whole.plan, ratios_name, &whole);
    whole.ratios = whole.count - whole.summary;
    tally_groups(whole.plan, stats_name, &whole);
    return whole;
}

void whole_fini(struct whole *whole)
{
    for (u32 i = 0; i < whole->count; i++)
        free(whole->names[i]);
    free(whole->names);
    free(whole->shares);
    free(whole->kinds);
    if (whole->energy)
        energy_destroy(whole->energy);
    *whole = (struct whole){ 0 };
}

u32 whole_find(const struct whole *whole, const char *name)
{
    for (u32 i = 0; i < whole->count; i++)
        if (!strcmp(whole->names[i], name))
            return i;
    return UINT32_MAX;
}

/* ---- Figures of a summary ---- */

struct adding {
    const struct whole *whole;
    const double *cells;
    double cycles, *values;
    double instructions, rays;
    bool program, traces;
    double above[FIGURES_COUNT], below[FIGURES_COUNT];
    bool added[FIGURES_COUNT], divided[FIGURES_COUNT];
    u32 ratio;
};

/* A unit of a line, the mean of all. */
struct asked {
    const struct stat_group *group;
    const double *cells;
    double copies, cycles;
};

static double group_copies(const struct stat_group *group)
{
    return (double)group->domain->count * group->unit->count;
}

static double asked_value(void *context, const char *name)
{
    const struct asked *asked = context;
    const struct plan_unit *unit = asked->group->unit;
    u32 number;
    for (u32 i = 0; unit->type->stats[i].name; i++)
        if (!strcmp(unit->type->stats[i].name, name))
            return asked->cells[i] / asked->copies;
    if (explain_param(unit->type, name, &number))
        return explain_number(&unit->type->params[number], unit->values[number]);
    return asked->cycles;
}

static void row_add(struct adding *adding, struct asked *asked, const struct figure_row *row)
{
    const struct plan_unit *unit = asked->group->unit;
    char name[128];
    figure_name(unit->type, row, unit->values, name, sizeof name);
    for (u32 i = 0; i < FIGURES_COUNT; i++) {
        if (strcmp(run_figure_names[i], name))
            continue;
        struct formula *above = formula_parse(row->above, NULL);
        struct formula *below = row->below ? formula_parse(row->below, NULL) : NULL;
        adding->added[i] = true;
        adding->above[i] += asked->copies * formula_value(above, asked_value, asked);
        adding->divided[i] = adding->divided[i] || below;
        if (below)
            adding->below[i] += asked->copies * formula_value(below, asked_value, asked);
        formula_free(above);
        formula_free(below);
    }
}

static void group_add(void *context, const struct stat_group *group, u32 cell)
{
    struct adding *adding = context;
    const struct plan_unit *unit = group->unit;
    const struct unit_type *type = unit->type;
    const double *cells = &adding->cells[cell];
    double clock = (double)unit->clock_hz / (double)adding->whole->plan->clock_hz;
    struct asked asked = { group, cells, group_copies(group), adding->cycles * clock };
    for (const struct figure_row *row = type->figures; row && row->figure; row++)
        row_add(adding, &asked, row);
    for (u32 i = 0; type->stats[i].name; i++) {
        if (type->programs && !strcmp(type->programs->instructions, type->stats[i].name))
            adding->instructions += cells[i];
        if (type->rays && !strcmp(type->rays->rays, type->stats[i].name))
            adding->rays += cells[i];
    }
    adding->program = adding->program || type->programs;
    adding->traces = adding->traces || type->rays;
}

static double quotient(double above, double below)
{
    return below > 0 ? above / below : NAN;
}

static void run_figures_set(const struct adding *adding, double *values)
{
#define FIGURE_NOTHING(name, nothing) nothing,
    static const double nothing[] = { RUN_FIGURES(FIGURE_NOTHING) };
#undef FIGURE_NOTHING
    for (u32 i = 0; i < FIGURES_COUNT; i++) {
        bool lacks = !adding->added[i] || (adding->divided[i] && !(adding->below[i] > 0));
        values[SUMMARY_RUN + i] = lacks                ? nothing[i]
                                  : adding->divided[i] ? adding->above[i] / adding->below[i]
                                                       : adding->above[i];
    }
}

/* What was neither there nor on its way. */
static void misses_set(double *values)
{
    values[SUMMARY_l1_miss_rate] = 1 - values[SUMMARY_RUN + FIGURE_l1_hit_rate] -
                                   values[SUMMARY_RUN + FIGURE_l1_half_miss_rate];
    values[SUMMARY_l2_miss_rate] = 1 - values[SUMMARY_RUN + FIGURE_l2_hit_rate] -
                                   values[SUMMARY_RUN + FIGURE_l2_half_miss_rate];
}

/* ---- Energy ---- */

struct joules {
    const struct adding *adding;
    const struct energy_group *next; /* in the order of the plan, as groups are */
    struct energy_use use;
    double seconds;
};

static void group_joules(void *context, const struct stat_group *group, u32 cell)
{
    struct joules *joules = context;
    u32 stats = stats_count(group->unit->type);
    u64 *sums = heap_array((size_t)stats + 1, sizeof *sums);
    for (u32 i = 0; i < stats; i++)
        sums[i] = (u64)fmax(0, joules->adding->cells[cell + i] + 0.5);
    energy_add(&joules->use, energy_group_use(joules->next++, sums, joules->seconds));
    free(sums);
}

static void energy_set(const struct adding *adding, double seconds, double *values)
{
    const struct whole *whole = adding->whole;
    struct joules joules = { .adding = adding, .next = whole->energy->groups, .seconds = seconds };
    tally_groups(whole->plan, group_joules, &joules);
    double energy = joules.use.known ? joules.use.events + joules.use.leakage : NAN;
    values[SUMMARY_energy_j] = energy;
    values[SUMMARY_power_w] = quotient(energy, seconds);
    values[SUMMARY_mrays_per_j] = adding->rays > 0 ? adding->rays * 1e-6 / energy : NAN;
    values[SUMMARY_nj_per_ray] = adding->rays > 0 ? energy * 1e9 / adding->rays : NAN;
}

/* ---- Quotients of lines ---- */

static double stat_of(const struct unit_type *type, const double *cells, const char *name)
{
    for (u32 i = 0; type->stats[i].name; i++)
        if (!strcmp(type->stats[i].name, name))
            return cells[i];
    return NAN;
}

static void ratios_set(void *context, const struct stat_group *group, u32 cell)
{
    struct adding *adding = context;
    const struct unit_type *type = group->unit->type;
    const double *cells = &adding->cells[cell];
    for (const struct ratio_row *ratio = type->ratios; ratio->name; ratio++)
        adding->values[adding->whole->summary + adding->ratio++] =
            quotient(stat_of(type, cells, ratio->above), stat_of(type, cells, ratio->below));
}

void whole_figures(const struct whole *whole, const double *cells, double cycles, double *values)
{
    struct adding adding = { .whole = whole, .cells = cells, .cycles = cycles, .values = values };
    double seconds = cycles / (double)whole->plan->clock_hz;
    tally_groups(whole->plan, group_add, &adding);
    values[SUMMARY_cycles] = cycles;
    values[SUMMARY_simulated_seconds] = seconds;
    values[SUMMARY_instructions] = adding.program ? adding.instructions : NAN;
    values[SUMMARY_ipc] = adding.program ? quotient(adding.instructions, cycles) : NAN;
    values[SUMMARY_frames_per_s] = whole->frame ? quotient(1, seconds) : NAN;
    values[SUMMARY_rays] = adding.traces ? adding.rays : NAN;
    values[SUMMARY_mrays_per_s] = adding.traces ? quotient(adding.rays * 1e-6, seconds) : NAN;
    run_figures_set(&adding, values);
    misses_set(values);
    energy_set(&adding, seconds, values);
    tally_groups(whole->plan, ratios_set, &adding);
    memcpy(&values[whole->summary + whole->ratios], cells,
           (whole->count - whole->summary - whole->ratios) * sizeof *cells);
}

/* ---- Of a run ---- */

struct looking {
    const struct whole *whole;
    const json_t *groups;
    double *values;
    u32 ratio, stat;
};

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void group_look(void *context, const struct stat_group *group, u32 cell)
{
    struct looking *looking = context;
    const struct unit_type *type = group->unit->type;
    char path[256];
    (void)cell;
    stats_group_path(group, path, sizeof path);
    const json_t *object = json_object_get(looking->groups, path);
    for (u32 i = 0; type->ratios[i].name; i++)
        looking->values[looking->ratio++] = number_of(object, type->ratios[i].name);
    for (u32 i = 0; type->stats[i].name; i++)
        looking->values[looking->stat++] = number_of(object, type->stats[i].name);
}

bool whole_read(const struct whole *whole, const char *folder, double *values,
                struct ogv_error *error)
{
    json_t *stats = run_file_load(folder, "stats.json", error);
    if (!stats)
        return false;
    const json_t *summary = json_object_get(stats, "summary");
    struct looking looking = { whole, json_object_get(stats, "groups"), values, whole->summary,
                               whole->summary + whole->ratios };
    for (u32 i = 0; i < whole->summary; i++)
        values[i] = number_of(summary, whole->names[i]);
    misses_set(values);
    tally_groups(whole->plan, group_look, &looking);
    json_decref(stats);
    return true;
}
