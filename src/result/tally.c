/* tally.c - walks the groups of a plan with the number of each one's first cell: to add counters
 * up, and to take a former tally off a later one. */
#include "result/tally.h"

#include <string.h>

u32 tally_groups(const struct plan *plan, tally_visitor *visit, void *context)
{
    u32 cell = 0;
    for (u32 d = 0; d < plan->domain_count; d++) {
        for (u32 u = 0; u < plan->domains[d].unit_count; u++) {
            struct stat_group group = stats_group(&plan->domains[d], &plan->domains[d].units[u]);
            if (visit)
                visit(context, &group, cell);
            cell += stats_count(group.unit->type);
        }
    }
    return cell;
}

struct gathering {
    const ogv_system *system;
    u64 *cells;
};

static void group_gather(void *context, const struct stat_group *group, u32 cell)
{
    const struct gathering *gathering = context;
    const struct unit_type *type = group->unit->type;
    u64 *sums = &gathering->cells[cell];
    u32 count = stats_count(type);
    memset(sums, 0, count * sizeof *sums);
    for (u32 d = 0; d < group->domain_count; d++) {
        for (u32 c = 0; c < group->unit_count; c++) {
            u32 number = plan_number(group->domain, d, group->unit, c);
            const u64 *values = unit_stats(gathering->system->chip->units[number]);
            for (u32 i = 0; i < count; i++)
                sums[i] = type->stats[i].combine == MAX ? max_u64(sums[i], values[i])
                                                        : sums[i] + values[i];
        }
    }
}

void tally_take(ogv_system *system, u64 *cells)
{
    struct gathering gathering = { system, cells };
    system_settle(system);
    tally_groups(system->plan, group_gather, &gathering);
}

struct growing {
    const u64 *now, *before;
    u64 *grown;
};

static void group_grow(void *context, const struct stat_group *group, u32 cell)
{
    const struct growing *growing = context;
    const struct stat_row *rows = group->unit->type->stats;
    for (u32 i = 0; rows[i].name; i++, cell++)
        growing->grown[cell] = rows[i].combine == MAX ? growing->now[cell]
                                                      : growing->now[cell] - growing->before[cell];
}

void tally_grown(const struct plan *plan, const u64 *now, const u64 *before, u64 *grown)
{
    struct growing growing = { now, before, grown };
    tally_groups(plan, group_grow, &growing);
}

struct stat_value tally_stat(const struct stat_group *group, const u64 *cells, u32 index)
{
    u64 copies = (u64)group->domain_count * group->unit_count;
    if (group->unit->type->stats[index].combine == MEAN)
        return (struct stat_value){ .defined = true,
                                    .real = (double)cells[index] / (double)copies };
    return (struct stat_value){ true, true, cells[index], (double)cells[index] };
}
