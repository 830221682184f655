/* energy.c - what every unit costs, settled once from the architecture file and the published
 * numbers; then joules from counters, as often as somebody asks.
 *
 * An unknown cost is carried along as NAN up to a sum, which leaves it out and is marked as
 * lacking. */
#include "arch/energy.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

#define PICO  1e-12
#define MILLI 1e-3

/* ---- What units cost ---- */

static void costs_published(const struct unit *unit, const struct unit_type *type,
                            struct unit_costs *costs)
{
    costs->leakage = costs->area = COST_UNKNOWN;
    for (u32 i = 0; i < energies_count(type); i++)
        costs->energy[i] = type->energy[i].picojoules;
    if (type->costs)
        type->costs(unit, costs);
}

/* What is given holds as it is; what is published is scaled. */
static double cost_choose(const struct plan_cost *given, double published, double scale)
{
    double value = given->given ? given->value : published;
    if (!given->given && value >= 0)
        value *= scale;
    return value < 0 ? NAN : value;
}

static void line_init(struct energy_line *line, const struct plan_unit *unit, u32 index,
                      double published, double scale)
{
    const struct energy_row *row = &unit->type->energy[index];
    line->row = row;
    line->counter = stat_index(unit->type, row->counter);
    line->given = unit->costs[index].given;
    if (row->picojoules == COST_COUNTED)
        line->picojoules = published == COST_UNKNOWN ? NAN : 1;
    else
        line->picojoules = cost_choose(&unit->costs[index], published, scale);
}

/* All copies of a line of the file have the same parameters: the first stands for them. */
static void group_init(struct energy_group *group, const ogv_system *system,
                       const struct plan_domain *domain, const struct plan_unit *unit,
                       const struct technology_scale *scale)
{
    struct unit_costs costs;
    u32 count = energies_count(unit->type);
    costs_published(system->chip->units[plan_number(domain, 0, unit, 0)], unit->type, &costs);
    group->units = stats_group(domain, unit);
    group->copies = (u64)domain->count * unit->count;
    group->line_count = count;
    group->lines = heap_array((size_t)count + 1, sizeof *group->lines);
    for (u32 i = 0; i < count; i++)
        line_init(&group->lines[i], unit, i, costs.energy[i], scale->energy);
    group->leakage_mw = cost_choose(&unit->costs[count], costs.leakage, scale->leakage);
    group->area_mm2 = cost_choose(&unit->costs[count + 1], costs.area, scale->area);
    group->silent = !unit->type->energy;
}

struct energy_model *energy_create(const ogv_system *system)
{
    const struct plan *plan = system->plan;
    struct energy_model *model = heap_array(1, sizeof *model);
    model->technology = plan->technology;
    model->scale = technology_scale(&plan->technology);
    model->clock_hz = (double)plan->clock_hz;
    for (u32 d = 0; d < plan->domain_count; d++) {
        const struct plan_domain *domain = &plan->domains[d];
        model->groups = heap_grow(model->groups, (size_t)model->group_count + domain->unit_count,
                                  sizeof *model->groups);
        for (u32 u = 0; u < domain->unit_count; u++)
            group_init(&model->groups[model->group_count++], system, domain, &domain->units[u],
                       &model->scale);
    }
    return model;
}

void energy_destroy(struct energy_model *model)
{
    for (u32 i = 0; model && i < model->group_count; i++)
        free(model->groups[i].lines);
    if (model)
        free(model->groups);
    free(model);
}

/* ---- What counters make of it ---- */

double energy_line_use(const struct energy_line *line, const u64 *sums)
{
    u64 events = sums[line->counter];
    return events ? (double)events * line->picojoules * PICO : 0;
}

struct energy_use energy_group_use(const struct energy_group *group, const u64 *sums,
                                   double seconds)
{
    struct energy_use use = { .lacking = group->silent };
    for (u32 i = 0; i < group->line_count; i++) {
        double joules = energy_line_use(&group->lines[i], sums);
        use.lacking = use.lacking || isnan(joules);
        use.known = use.known || !isnan(group->lines[i].picojoules);
        use.events += isnan(joules) ? 0 : joules;
    }
    if (isnan(group->leakage_mw))
        use.lacking = true;
    else
        use.leakage = group->leakage_mw * MILLI * (double)group->copies * seconds;
    use.known = use.known || !isnan(group->leakage_mw);
    return use;
}

void energy_add(struct energy_use *sum, struct energy_use part)
{
    sum->events += part.events;
    sum->leakage += part.leakage;
    sum->known = sum->known || part.known;
    sum->lacking = sum->lacking || part.lacking;
}

void energy_sums(const ogv_system *system, const struct energy_group *group, u64 *sums)
{
    const struct stat_group *units = &group->units;
    for (u32 i = 0; i < stats_count(units->unit->type); i++)
        sums[i] = stats_sum(system, units, i);
}

double energy_area(const struct energy_model *model, bool *lacking)
{
    double area = NAN;
    *lacking = false;
    for (u32 i = 0; i < model->group_count; i++) {
        const struct energy_group *group = &model->groups[i];
        if (isnan(group->area_mm2))
            *lacking = true;
        else
            area = (isnan(area) ? 0 : area) + group->area_mm2 * (double)group->copies;
    }
    return area;
}

struct energy_total energy_total(ogv_system *system, const struct energy_model *model, cycle cycles)
{
    struct energy_total total = { .seconds = (double)cycles / model->clock_hz };
    system_settle(system);
    for (u32 i = 0; i < model->group_count; i++) {
        const struct energy_group *group = &model->groups[i];
        u64 *sums = heap_array((size_t)stats_count(group->units.unit->type) + 1, sizeof *sums);
        energy_sums(system, group, sums);
        energy_add(&total.use, energy_group_use(group, sums, total.seconds));
        free(sums);
    }
    total.area_mm2 = energy_area(model, &total.area_lacking);
    return total;
}
