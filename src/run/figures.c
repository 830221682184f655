/* figures.c - sums what units add to each figure, above and below the line. */
#include "run/figures.h"

#include <math.h>
#include <string.h>

#include "arch/stats.h"
#include "ogive/tracer.h"
#include "sim/clock.h"
#include "unit/explain.h"
#include "unit/registry.h"

struct sums {
    double above[FIGURES_COUNT], below[FIGURES_COUNT];
    bool added[FIGURES_COUNT], divided[FIGURES_COUNT];
    cycle cycles; /* of the chip */
};

/* A unit whose numbers are asked for by name. */
struct asked {
    const struct unit *unit;
    const struct unit_type *type;
    double cycles; /* of its own clock */
};

static const union param_value *unit_params(const struct asked *asked)
{
    return (const union param_value *)((const char *)asked->unit + asked->type->params_offset);
}

static double asked_value(void *context, const char *name)
{
    const struct asked *asked = context;
    const struct unit_type *type = asked->type;
    u32 number;
    for (u32 i = 0; type->stats[i].name; i++)
        if (!strcmp(type->stats[i].name, name))
            return (double)unit_stats(asked->unit)[i];
    if (explain_param(type, name, &number))
        return explain_number(&type->params[number], unit_params(asked)[number]);
    return asked->cycles;
}

/* The rows of a type, read once for all its units. */
struct figure_formulas {
    const struct figure_row *row;
    struct formula *above, *below;
};

static bool figure_find(const char *name, u32 *figure)
{
    for (*figure = 0; *figure < FIGURES_COUNT; ++*figure)
        if (!strcmp(run_figure_names[*figure], name))
            return true;
    return false;
}

static void unit_add(struct sums *sums, const struct figure_formulas *formulas,
                     const struct unit *unit)
{
    struct asked asked = { unit, registry_type(unit->type), (double)sums->cycles };
    char name[128];
    u32 figure;
    if (unit->clocked)
        asked.cycles = (double)clock_own(unit->clock, sums->cycles);
    figure_name(asked.type, formulas->row, unit_params(&asked), name, sizeof name);
    if (!figure_find(name, &figure))
        return;
    sums->added[figure] = true;
    sums->above[figure] += formula_value(formulas->above, asked_value, &asked);
    if (!formulas->below)
        return;
    sums->divided[figure] = true;
    sums->below[figure] += formula_value(formulas->below, asked_value, &asked);
}

static void row_add(struct sums *sums, const ogv_system *system, u32 type,
                    const struct figure_row *row)
{
    struct figure_formulas formulas = { row, formula_parse(row->above, NULL),
                                        row->below ? formula_parse(row->below, NULL) : NULL };
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (system->chip->units[i]->type == type)
            unit_add(sums, &formulas, system->chip->units[i]);
    formula_free(formulas.above);
    formula_free(formulas.below);
}

static double figure_value(const struct sums *sums, u32 figure)
{
#define FIGURE_NOTHING(name, nothing) nothing,
    static const double nothing[] = { RUN_FIGURES(FIGURE_NOTHING) };
#undef FIGURE_NOTHING
    if (!sums->added[figure] || (sums->divided[figure] && !(sums->below[figure] > 0)))
        return nothing[figure];
    return sums->divided[figure] ? sums->above[figure] / sums->below[figure] : sums->above[figure];
}

struct figures figures_of(ogv_system *system, cycle cycles, u64 rays)
{
    struct sums sums = { .cycles = cycles };
    struct figures figures = { 0 };
    double seconds = (double)cycles / (double)system->plan->clock_hz;
    system_settle(system);
    for (u32 type = 0; type < registry_count(); type++)
        for (const struct figure_row *row = registry_type(type)->figures; row && row->figure; row++)
            row_add(&sums, system, type, row);
    for (u32 i = 0; i < FIGURES_COUNT; i++)
        figures.values[i] = figure_value(&sums, i);
    figures.rays =
        system_any(system, unit_traces_rays) ? system_total(system, unit_ray_stat) : rays;
    figures.mrays_per_s = seconds > 0 ? (double)figures.rays / seconds / 1e6 : 0;
    return figures;
}
