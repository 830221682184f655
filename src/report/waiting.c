/* waiting.c - see waiting.h. Groups are gone through in an order in which each comes behind all
 * that wait for it; those that wait for each other in a circle pass nothing on. */
#include "report/waiting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit/explain.h"

/* ---- Accounts ---- */

bool group_accounts(const struct result_group *group)
{
    return group->explained && group->explained->first_count;
}

bool account_is_leaf(const struct explained *explained, u32 row)
{
    return row + 1 == explained->account_count ||
           explained->accounts[row + 1].depth <= explained->accounts[row].depth;
}

double account_value(const struct result_group *group, u32 row)
{
    const char *stat = group->explained->accounts[row].stat;
    return stat ? result_stat(group, stat) : 0;
}

/* The cycles of the rows without parts of the first tree that are charged so; or of all. */
static double account_sum(const struct result_group *group, enum account_charge charge)
{
    const struct explained *explained = group->explained;
    double sum = 0;
    for (u32 i = 0; i < explained->first_count; i++)
        if (account_is_leaf(explained, i) &&
            (charge == ACCOUNT_PARTS || explained->accounts[i].charge == charge))
            sum += account_value(group, i);
    return sum;
}

static void group_count(const struct result_group *group, struct waited *waited)
{
    waited->own = heap_array(group->explained->resource_count + 1, sizeof *waited->own);
    waited->whole = group->explained->accounts[0].stat ? account_value(group, 0)
                                                       : account_sum(group, ACCOUNT_PARTS);
    waited->worked = account_sum(group, ACCOUNT_WORK);
    waited->over = account_sum(group, ACCOUNT_OVER);
}

static double group_waiting(const struct waited *waited)
{
    return fmax(waited->whole - waited->worked - waited->over, 0);
}

/* ---- Who waits for whom ---- */

static bool charge_is_other(enum account_charge charge)
{
    return charge == ACCOUNT_ROOM || charge == ACCOUNT_ANSWER;
}

/* The group that a row waited for, or EXPLAINED_NONE. */
static u32 row_target(const struct result_group *group, u32 row)
{
    return charge_is_other(group->explained->accounts[row].charge) ? group->awaits[row]
                                                                   : EXPLAINED_NONE;
}

/* How many rows of others wait for each group; the caller frees. */
static u32 *waiters_count(const struct result *result, struct waiting *waiting)
{
    u32 *waiters = heap_array(result->group_count + 1, sizeof *waiters);
    for (u32 g = 0; g < result->group_count; g++) {
        const struct result_group *group = &result->groups[g];
        for (u32 i = 0; group_accounts(group) && i < group->explained->first_count; i++) {
            u32 target = row_target(group, i);
            if (target == EXPLAINED_NONE)
                continue;
            waiters[target]++;
            waiting->groups[target].awaited = true;
        }
    }
    return waiters;
}

static void roots_find(const struct result *result, struct waiting *waiting)
{
    for (u32 g = 0; g < result->group_count; g++) {
        const struct result_group *group = &result->groups[g];
        struct waited *waited = &waiting->groups[g];
        if (!group_accounts(group))
            continue;
        group_count(group, waited);
        waited->root = !waited->awaited && waited->whole > 0;
        if (waited->root)
            waiting->cycles += group_waiting(waited) * group_chip_cycles(result, group);
    }
}

/* ---- From group to group ---- */

static void row_charge(const struct result_group *group, u32 row, struct waiting *waiting,
                       struct waited *waited)
{
    const struct explained_account *account = &group->explained->accounts[row];
    double share = waited->passes * account_value(group, row);
    u32 target = row_target(group, row);
    if (account->charge == ACCOUNT_MEMORY)
        waiting->memory += share;
    else if (target != EXPLAINED_NONE && account->charge == ACCOUNT_ROOM)
        waiting->groups[target].room += share;
    else if (target != EXPLAINED_NONE)
        waiting->groups[target].answer += share;
    else if ((account->charge == ACCOUNT_OWN || charge_is_other(account->charge)) &&
             account->at != EXPLAINED_NONE)
        waited->own[account->at] += share;
}

/* Of a group whose waiting has all arrived. */
static void group_pass_on(const struct result *result, u32 number, struct waiting *waiting)
{
    const struct result_group *group = &result->groups[number];
    struct waited *waited = &waiting->groups[number];
    if (waited->root && waiting->cycles > 0)
        waited->passes = group_chip_cycles(result, group) / waiting->cycles;
    else if (waited->whole > 0)
        waited->passes = (waited->room + waited->answer) / waited->whole;
    for (u32 i = 0; i < group->explained->first_count; i++)
        if (account_is_leaf(group->explained, i))
            row_charge(group, i, waiting, waited);
}

static void groups_pass_on(const struct result *result, struct waiting *waiting, u32 *waiters)
{
    u32 *line = heap_array(result->group_count + 1, sizeof *line), count = 0;
    for (u32 g = 0; g < result->group_count; g++)
        if (group_accounts(&result->groups[g]) && !waiters[g])
            line[count++] = g;
    for (u32 next = 0; next < count; next++) {
        const struct result_group *group = &result->groups[line[next]];
        group_pass_on(result, line[next], waiting);
        for (u32 i = 0; i < group->explained->first_count; i++) {
            u32 target = row_target(group, i);
            if (target != EXPLAINED_NONE && !--waiters[target] &&
                group_accounts(&result->groups[target]))
                line[count++] = target;
        }
    }
    free(line);
}

/* ---- Memory ---- */

static bool on_the_way(const struct result_group *group)
{
    return group->explained && group->explained->memory && !group_accounts(group);
}

static double group_held(const struct result *result, const struct result_group *group, u32 row)
{
    const struct explained_resource *resource = &group->explained->resources[row];
    if (!resource->held || resource->users)
        return 0;
    return fmax(group_value(group, resource->held), 0) * group_chip_cycles(result, group);
}

static double group_held_all(const struct result *result, const struct result_group *group)
{
    double sum = 0;
    for (u32 i = 0; i < group->explained->resource_count; i++)
        sum += group_held(result, group, i);
    return sum;
}

static bool group_has_users_row(const struct result_group *group)
{
    for (u32 i = 0; i < group->explained->resource_count; i++)
        if (group->explained->resources[i].users)
            return true;
    return false;
}

static double group_requests(const struct result_group *group)
{
    double sum = 0;
    for (u32 i = 0; i < group->explained->resource_count; i++)
        if (group->explained->resources[i].kind == RESOURCE_LINKS &&
            group->explained->resources[i].used)
            sum += group_value(group, group->explained->resources[i].used);
    return fmax(sum, 0);
}

/* False: it is not on the way to memory. */
static bool link_read(const struct result *result, const json_t *line, struct waited_link *link)
{
    const char *from = json_string_value(json_object_get(line, "from"));
    const char *to = json_string_value(json_object_get(line, "to"));
    link->from = from ? result_find(result, from) : NULL;
    link->to = to ? result_find(result, to) : NULL;
    link->latency_cycles = json_number_value(json_object_get(line, "latency_cycles"));
    if (!link->from || !link->to || !on_the_way(link->from) ||
        !json_is_true(json_object_get(line, "asks")) || !(link->latency_cycles >= 0))
        return false;
    link->cycles = group_requests(link->from) * 2 * link->latency_cycles;
    return true;
}

void links_visit(const struct result *result,
                 void (*visit)(void *context, const struct waited_link *link), void *context)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(result->run, "links"), i, line)
    {
        struct waited_link link = { .number = (u32)i };
        if (link_read(result, line, &link))
            visit(context, &link);
    }
}

static void link_add(void *context, const struct waited_link *link)
{
    *(double *)context += link->cycles;
}

/* Who waits for a unit on the way to memory waits for memory, unless that says otherwise. */
static void memory_find(const struct result *result, struct waiting *waiting)
{
    for (u32 g = 0; g < result->group_count; g++) {
        const struct result_group *group = &result->groups[g];
        if (!on_the_way(group))
            continue;
        waiting->requests += group_held_all(result, group);
        if (group->explained->resource_count && !group_has_users_row(group))
            waiting->memory += waiting->groups[g].room + waiting->groups[g].answer;
    }
    links_visit(result, link_add, &waiting->requests);
}

/* ---- All ---- */

void waiting_find(const struct result *result, struct waiting *waiting)
{
    *waiting = (struct waiting){
        .groups = heap_array(result->group_count + 1, sizeof *waiting->groups),
    };
    u32 *waiters = waiters_count(result, waiting);
    roots_find(result, waiting);
    groups_pass_on(result, waiting, waiters);
    memory_find(result, waiting);
    free(waiters);
}

void waiting_fini(const struct result *result, struct waiting *waiting)
{
    for (u32 g = 0; g < result->group_count; g++)
        free(waiting->groups[g].own);
    free(waiting->groups);
}

double waiting_requests(const struct waiting *waiting, double cycles)
{
    return waiting->requests > 0 ? waiting->memory * cycles / waiting->requests : 0;
}

static double users_value(void *context, const char *name)
{
    const struct waited *waited = context;
    return !strcmp(name, RESOURCE_USERS_ROOM) ? waited->room : waited->answer;
}

double waiting_at(const struct result *result, const struct waiting *waiting, u32 group,
                  u32 resource)
{
    const struct result_group *of = &result->groups[group];
    const struct explained_resource *row = &of->explained->resources[resource];
    const struct waited *waited = &waiting->groups[group];
    if (!(waiting->cycles > 0) || (!row->held && !row->charged))
        return NAN;
    if (row->users)
        return fmax(formula_value(row->held, users_value, (void *)(uintptr_t)waited), 0);
    if (row->charged && waited->own && !row->held)
        return waited->own[resource];
    double held = group_held(result, of, resource);
    if (group_accounts(of))
        return waited->passes * held / group_chip_cycles(result, of);
    if (on_the_way(of))
        return waiting_requests(waiting, held);
    double all = group_held_all(result, of);
    return all > 0 ? (waited->room + waited->answer) * held / all : 0;
}
