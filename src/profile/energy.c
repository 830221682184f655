/* energy.c - what issuing an instruction costs, for profiles.
 *
 * Only what every issue of an instruction costs alike is laid to it: fetching, registers, and
 * computing by class. What memory and other units make of a request is theirs. */
#include <math.h>
#include <string.h>

#include "arch/energy.h"
#include "ogive/program.h"
#include "profile/profile.h"

/* A class of unknown cost still fetches and uses registers. A type that cannot say leaves all of
 * them unknown. */
static void group_costs(const struct energy_group *group, double pj[CLASS_COUNT])
{
    double (*issue_pj)(const double *, u32) = group->units.unit->type->programs->issue_pj;
    double energy[UNIT_ENERGIES_MAX] = { 0 };
    for (u32 i = 0; i < group->line_count; i++)
        energy[i] = group->lines[i].picojoules;
    for (u32 class = 0; class < CLASS_COUNT; class ++) {
        double cost = issue_pj ? issue_pj(energy, class) : NAN;
        pj[class] = issue_pj && isnan(cost) ? issue_pj(energy, CLASS_ILLEGAL) : cost;
    }
}

bool profile_issue_costs(const ogv_system *system, double pj[CLASS_COUNT])
{
    struct energy_model *model = energy_create(system);
    bool any = false, same = true;
    memset(pj, 0, CLASS_COUNT * sizeof *pj);
    for (u32 i = 0; i < model->group_count; i++) {
        double costs[CLASS_COUNT];
        if (!unit_runs_programs(model->groups[i].units.unit->type))
            continue;
        group_costs(&model->groups[i], costs);
        for (u32 class = 0; class < CLASS_COUNT; class ++)
            same = same && !isnan(costs[class]) && (!any || costs[class] == pj[class]);
        memcpy(pj, costs, sizeof costs);
        any = true;
    }
    energy_destroy(model);
    if (any && same)
        return true;
    memset(pj, 0, CLASS_COUNT * sizeof *pj);
    return false;
}
