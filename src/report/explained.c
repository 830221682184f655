/* explained.c - reads `explained` of stats.json, `awaits` and `numbers` of run.json, and checks
 * that everything that is named there is there. */
#include "report/explained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "unit/explain.h"

#define ROWS_MAX  1024
#define DEPTH_MAX 16

/* ---- One type ---- */

struct explaining {
    const struct result *result;
    const char *type;
    struct ogv_error *error;
};

static bool type_wrong(const struct explaining *explaining)
{
    return error_user(explaining->error, "%s/stats.json: explained.%s is not what a run writes",
                      explaining->result->folder, explaining->type);
}

/* A text or null. */
static bool text_read(const json_t *row, const char *key, const char **text)
{
    const json_t *value = json_object_get(row, key);
    *text = json_string_value(value);
    return *text || json_is_null(value);
}

static bool formula_read(const struct explaining *explaining, const json_t *row, const char *key,
                         struct formula **formula)
{
    const char *text;
    struct ogv_error why;
    if (!text_read(row, key, &text))
        return type_wrong(explaining);
    *formula = text ? formula_parse(text, &why) : NULL;
    return *formula || !text ||
           error_user(explaining->error, "%s/stats.json: explained.%s: %s",
                      explaining->result->folder, explaining->type, why.message);
}

static bool word_read(const json_t *row, const char *key, const char *const *words, u32 count,
                      u32 *found)
{
    const char *word = json_string_value(json_object_get(row, key));
    for (*found = 0; word && *found < count; ++*found)
        if (!strcmp(words[*found], word))
            return true;
    return false;
}

static bool is_users(const char *name)
{
    return !strcmp(name, RESOURCE_USERS_ROOM) || !strcmp(name, RESOURCE_USERS_ANSWER);
}

static bool formula_has_users(const struct formula *formula)
{
    for (u32 i = 0; formula && i < formula->step_count; i++)
        if (formula->steps[i].name && is_users(formula->steps[i].name))
            return true;
    return false;
}

static bool resource_read(const struct explaining *explaining, const json_t *row,
                          struct explained_resource *resource)
{
    u32 kind;
    resource->name = json_string_value(json_object_get(row, "name"));
    if (!resource->name || !text_read(row, "words", &resource->words) ||
        !word_read(row, "kind", resource_kind_names, RESOURCE_KINDS, &kind))
        return type_wrong(explaining);
    resource->kind = (enum resource_kind)kind;
    if (!formula_read(explaining, row, "capacity", &resource->capacity) ||
        !formula_read(explaining, row, "used", &resource->used) ||
        !formula_read(explaining, row, "held", &resource->held))
        return false;
    resource->users = formula_has_users(resource->held);
    return true;
}

static bool at_read(const json_t *row, struct explained *explained, u32 *at)
{
    const char *name;
    *at = EXPLAINED_NONE;
    if (!text_read(row, "at", &name))
        return false;
    for (u32 i = 0; name && i < explained->resource_count; i++) {
        if (strcmp(explained->resources[i].name, name))
            continue;
        explained->resources[i].charged = true;
        *at = i;
        return true;
    }
    return !name;
}

static bool account_read(const struct explaining *explaining, const json_t *row,
                         struct explained *explained)
{
    struct explained_account *account = &explained->accounts[explained->account_count];
    json_int_t depth = json_integer_value(json_object_get(row, "depth"));
    json_int_t most = explained->account_count ? (json_int_t)account[-1].depth + 1 : 0;
    u32 charge;
    account->words = json_string_value(json_object_get(row, "words"));
    if (depth < 0 || depth > most || depth > DEPTH_MAX || !account->words ||
        !text_read(row, "stat", &account->stat) || !text_read(row, "rest", &account->rest) ||
        !word_read(row, "charge", account_charge_names, ACCOUNT_CHARGES, &charge) ||
        !at_read(row, explained, &account->at))
        return type_wrong(explaining);
    account->depth = (u32)depth;
    account->charge = (enum account_charge)charge;
    explained->account_count++;
    if (depth && explained->first_count + 1 == explained->account_count)
        explained->first_count++;
    else if (explained->account_count == 1)
        explained->first_count = 1;
    return true;
}

static bool type_read(const struct explaining *explaining, const json_t *object,
                      struct explained *explained)
{
    const json_t *resources = json_object_get(object, "resources");
    const json_t *accounts = json_object_get(object, "accounts"), *row;
    size_t i;
    if (!json_is_array(resources) || !json_is_array(accounts) ||
        json_array_size(resources) > ROWS_MAX || json_array_size(accounts) > ROWS_MAX)
        return type_wrong(explaining);
    explained->type = explaining->type;
    explained->memory = json_is_true(json_object_get(object, "leads_to_memory"));
    explained->resources = heap_array(json_array_size(resources) + 1, sizeof *explained->resources);
    explained->accounts = heap_array(json_array_size(accounts) + 1, sizeof *explained->accounts);
    json_array_foreach(resources, i, row)
    {
        if (!resource_read(explaining, row, &explained->resources[explained->resource_count++]))
            return false;
    }
    json_array_foreach(accounts, i, row)
    {
        if (!account_read(explaining, row, explained))
            return false;
    }
    return true;
}

/* ---- One group ---- */

bool group_counts(const struct result_group *group, const char *name)
{
    return json_is_number(json_object_get(group->stats, name));
}

static bool group_has_number(const struct result_group *group, const char *name)
{
    const json_t *number = json_object_get(group->numbers, name);
    return json_is_number(number) && isfinite(json_number_value(number));
}

double group_number(const struct result_group *group, const char *name)
{
    return json_number_value(json_object_get(group->numbers, name));
}

static bool name_missing(const struct result *result, const struct result_group *group,
                         const char *row, const char *name, struct ogv_error *error)
{
    return error_user(error, "%s: %s has no '%s', which '%s' of the type %s is made of",
                      result->folder, group->name, name, row, group->type);
}

static bool formula_check(const struct result *result, const struct result_group *group,
                          const char *row, const struct formula *formula, struct ogv_error *error)
{
    for (u32 i = 0; formula && i < formula->step_count; i++) {
        const char *name = formula->steps[i].name;
        if (name && !group_counts(group, name) && !group_has_number(group, name))
            return name_missing(result, group, row, name, error);
    }
    return true;
}

static bool group_check(const struct result *result, const struct result_group *group,
                        struct ogv_error *error)
{
    const struct explained *explained = group->explained;
    for (u32 i = 0; i < explained->resource_count; i++) {
        const struct explained_resource *row = &explained->resources[i];
        if (!formula_check(result, group, row->name, row->capacity, error) ||
            !formula_check(result, group, row->name, row->used, error) ||
            (!row->users && !formula_check(result, group, row->name, row->held, error)))
            return false;
    }
    for (u32 i = 0; i < explained->account_count; i++) {
        const struct explained_account *row = &explained->accounts[i];
        if (row->stat && !group_counts(group, row->stat))
            return name_missing(result, group, row->words, row->stat, error);
    }
    return true;
}

static bool awaits_read(const struct result *result, struct result_group *group,
                        struct ogv_error *error)
{
    const struct explained *explained = group->explained;
    const json_t *map = json_object_get(json_object_get(result->run, "awaits"), group->name);
    group->awaits = heap_array(explained->account_count + 1, sizeof *group->awaits);
    for (u32 i = 0; i < explained->account_count; i++) {
        const struct explained_account *row = &explained->accounts[i];
        const json_t *name = row->stat ? json_object_get(map, row->stat) : NULL;
        const struct result_group *target =
            json_is_string(name) ? result_find(result, json_string_value(name)) : NULL;
        if (name && !target)
            return error_user(error, "%s/run.json: awaits.%s is not what a run writes",
                              result->folder, group->name);
        group->awaits[i] = target ? (u32)(target - result->groups) : EXPLAINED_NONE;
    }
    return true;
}

static bool group_read(struct result *result, struct result_group *group, struct ogv_error *error)
{
    group->numbers = json_object_get(json_object_get(result->run, "numbers"), group->name);
    for (u32 i = 0; i < result->explained_count; i++)
        if (!strcmp(result->explained[i].type, group->type))
            group->explained = &result->explained[i];
    return !group->explained ||
           (group_check(result, group, error) && awaits_read(result, group, error));
}

bool explained_read(struct result *result, struct ogv_error *error)
{
    json_t *types = json_object_get(result->stats, "explained"), *object;
    struct explaining explaining = { result, "", error };
    if (types && !json_is_object(types))
        return type_wrong(&explaining);
    result->explained = heap_array(json_object_size(types) + 1, sizeof *result->explained);
    json_object_foreach(types, explaining.type, object)
    {
        if (!type_read(&explaining, object, &result->explained[result->explained_count++]))
            return false;
    }
    for (u32 i = 0; i < result->group_count; i++)
        if (!group_read(result, &result->groups[i], error))
            return false;
    return true;
}

void explained_close(struct result *result)
{
    for (u32 t = 0; t < result->explained_count; t++) {
        struct explained *explained = &result->explained[t];
        for (u32 i = 0; i < explained->resource_count; i++) {
            formula_free(explained->resources[i].capacity);
            formula_free(explained->resources[i].used);
            formula_free(explained->resources[i].held);
        }
        free(explained->resources);
        free(explained->accounts);
    }
    free(result->explained);
    for (u32 i = 0; i < result->group_count; i++)
        free(result->groups[i].awaits);
}

/* ---- Values ---- */

struct asked {
    const struct result_group *group;
    double (*stat)(void *context, const char *name);
    void *context;
};

static double asked_value(void *context, const char *name)
{
    const struct asked *asked = context;
    return group_counts(asked->group, name) ? asked->stat(asked->context, name)
                                            : group_number(asked->group, name);
}

double group_value_of(const struct result_group *group, const struct formula *formula,
                      double (*stat)(void *context, const char *name), void *context)
{
    struct asked asked = { group, stat, context };
    return formula_value(formula, asked_value, &asked);
}

static double group_stat(void *context, const char *name)
{
    return result_stat(context, name);
}

double group_value(const struct result_group *group, const struct formula *formula)
{
    return group_value_of(group, formula, group_stat, (void *)(uintptr_t)group);
}

double group_chip_cycles(const struct result *result, const struct result_group *group)
{
    return result->clock_hz / group->clock_hz;
}

/* Where both have a name, a capacity means the parameter. */
static double capacity_value(void *context, const char *name)
{
    const struct result_group *group = context;
    return group_has_number(group, name) ? group_number(group, name) : result_stat(group, name);
}

static bool capacity_is_counted(const struct result_group *group, const struct formula *capacity)
{
    for (u32 i = 0; i < capacity->step_count; i++)
        if (capacity->steps[i].name && !group_has_number(group, capacity->steps[i].name))
            return true;
    return false;
}

double group_capacity(const struct result *result, const struct result_group *group,
                      const struct explained_resource *resource)
{
    if (!resource->capacity)
        return 0;
    double capacity = formula_value(resource->capacity, capacity_value, (void *)(uintptr_t)group);
    if (capacity_is_counted(group, resource->capacity))
        return capacity / (result->cycles > 0 ? result->cycles : 1);
    return capacity * group->copies / group_chip_cycles(result, group);
}
