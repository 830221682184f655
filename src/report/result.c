/* result.c - reads run.json and stats.json, checks their shape once, and answers by group from
 * then on. */
#include "report/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "report/explained.h"
#include "result/stats_source.h"

#define COPIES_MAX 10000000

static bool is_amount(const json_t *value)
{
    return json_is_null(value) || (json_is_number(value) && json_number_value(value) >= 0 &&
                                   isfinite(json_number_value(value)));
}

/* The path of a group or unit without what stands in brackets. */
static char *path_name(const char *path)
{
    char *name = heap_copy(path);
    path_plain(name, "", name, strlen(name) + 1);
    return name;
}

static bool wrong(const struct result *result, const char *file, const char *what,
                  struct ogv_error *error)
{
    return error_user(error, "%s/%s: %s is not what a run writes", result->folder, file, what);
}

static bool group_check(const struct result *result, const struct result_group *group,
                        struct ogv_error *error)
{
    const char *key;
    json_t *value;
    if (!group->type || !json_is_object(group->rows))
        return wrong(result, "stats.json", group->path, error);
    json_object_foreach((json_t *)group->stats, key, value)
    {
        if (strcmp(key, "type") && !is_amount(value))
            return error_user(error, "%s/stats.json: %s.%s is not a number", result->folder,
                              group->path, key);
    }
    json_object_foreach((json_t *)group->rows, key, value)
    {
        if (!json_is_object(value) || !json_is_string(json_object_get(value, "over_units")))
            return wrong(result, "stats.json", group->type, error);
    }
    return true;
}

static bool group_read(struct result *result, const char *path, json_t *stats,
                       struct ogv_error *error)
{
    struct result_group *group = &result->groups[result->group_count++];
    const json_t *types = json_object_get(result->stats, "types");
    group->path = path;
    group->name = path_name(path);
    group->stats = stats;
    group->type = json_string_value(json_object_get(stats, "type"));
    group->rows = group->type ? json_object_get(types, group->type) : NULL;
    group->params = json_object_get(json_object_get(result->run, "parameters"), group->name);
    if (!group_check(result, group, error))
        return false;
    json_int_t copies = json_integer_value(json_object_get(group->params, "copies"));
    group->clock_hz = json_number_value(json_object_get(group->params, "clock_hz"));
    if (copies < 1 || copies > COPIES_MAX || !(group->clock_hz > 0))
        return wrong(result, "run.json", group->name, error);
    group->copies = (u32)copies;
    return true;
}

/* One unit of a group has come; `last` is the group's unit before. */
static void unit_count(struct result_group *group, const char *path, const char **last, u32 *found)
{
    size_t domain = strcspn(path, ".");
    if (!*last || strncmp(path, *last, domain + 1) != 0)
        group->domain_copies++;
    *last = path;
    ++*found;
}

/* How many units there are of each group, and in how many copies of their domain. */
static bool units_count(struct result *result, struct ogv_error *error)
{
    const char *path, **last = heap_array(result->group_count + 1, sizeof *last);
    u32 *found = heap_array(result->group_count + 1, sizeof *found);
    struct result_group *group = NULL;
    json_t *value;
    bool good = true;
    json_object_foreach(json_object_get(result->stats, "units"), path, value)
    {
        char *name = path_name(path);
        if (!group || strcmp(group->name, name))
            group = (struct result_group *)result_find(result, name);
        free(name);
        good = good && group && json_is_object(value);
        if (!good)
            break;
        u32 index = (u32)(group - result->groups);
        unit_count(group, path, &last[index], &found[index]);
    }
    for (u32 i = 0; good && i < result->group_count; i++)
        good = found[i] == result->groups[i].copies;
    free(last);
    free(found);
    return good || wrong(result, "stats.json", "the list of units", error);
}

/* Whether it is a map of maps. */
static bool maps_check(const json_t *maps)
{
    const char *key;
    json_t *map;
    bool good = json_is_object(maps);
    json_object_foreach((json_t *)(uintptr_t)maps, key, map) good = good && json_is_object(map);
    return good;
}

/* Older runs have none. Numbers are looked at where they are shown. */
static bool energy_check(const json_t *energy)
{
    const json_t *groups = json_object_get(energy, "groups");
    const json_t *missing = json_object_get(energy, "missing");
    const json_t *left_out = json_object_get(energy, "left_out");
    const char *path;
    json_t *group;
    if (!energy)
        return true;
    bool good = json_is_object(json_object_get(energy, "technology")) && maps_check(groups) &&
                json_is_array(missing) && json_is_array(left_out);
    json_object_foreach((json_t *)(uintptr_t)groups, path, group) good =
        good && maps_check(json_object_get(group, "events"));
    for (size_t i = 0; i < json_array_size(missing); i++)
        good = good && json_is_object(json_array_get(missing, i));
    return good;
}

static bool result_read(struct result *result, struct ogv_error *error)
{
    const char *path;
    json_t *stats;
    json_t *groups = json_object_get(result->stats, "groups");
    const json_t *summary = json_object_get(result->stats, "summary");
    result->cycles = json_number_value(json_object_get(summary, "cycles"));
    result->clock_hz = json_number_value(json_object_get(result->run, "clock_hz"));
    if (!json_is_object(groups) || !json_is_object(summary) || !(result->cycles >= 0))
        return wrong(result, "stats.json", "this", error);
    if (!(result->clock_hz > 0) || !json_is_string(json_object_get(result->run, "architecture")))
        return wrong(result, "run.json", "this", error);
    if (!energy_check(json_object_get(result->stats, "energy")))
        return wrong(result, "stats.json", "the energy", error);
    result->groups = heap_array(json_object_size(groups) + 1, sizeof *result->groups);
    json_object_foreach(groups, path, stats)
    {
        if (!group_read(result, path, stats, error))
            return false;
    }
    return units_count(result, error) && explained_read(result, error);
}

struct result *result_of(const char *folder, json_t *run, json_t *stats, struct ogv_error *error)
{
    struct result *result = heap_array(1, sizeof *result);
    result->folder = heap_copy(folder);
    result->run = run;
    result->stats = stats;
    if (run && stats && result_read(result, error))
        return result;
    result_close(result);
    return NULL;
}

struct result *result_open(const char *folder, struct ogv_error *error)
{
    json_t *run = run_file_load(folder, "run.json", error);
    json_t *stats = run ? run_file_load(folder, "stats.json", error) : NULL;
    return result_of(folder, run, stats, error);
}

void result_renew(struct result *result, json_t *groups, double cycles)
{
    for (u32 i = 0; i < result->group_count; i++) {
        struct result_group *group = &result->groups[i];
        const json_t *stats = json_object_get(groups, group->path);
        if (stats)
            group->stats = stats;
    }
    /* The paths stay those of the first object, which lives as long as the result. */
    json_object_set_new(result->stats, "now", groups);
    result->cycles = cycles;
}

void result_close(struct result *result)
{
    if (!result)
        return;
    explained_close(result);
    for (u32 i = 0; i < result->group_count; i++)
        free(result->groups[i].name);
    free(result->groups);
    json_decref(result->run);
    json_decref(result->stats);
    free(result->folder);
    free(result);
}

double result_stat(const struct result_group *group, const char *stat)
{
    const json_t *value = json_object_get(group->stats, stat);
    if (!json_is_number(value))
        ogv_bug("%s has no statistic '%s', and nobody has said so before", group->name, stat);
    return json_number_value(value);
}

const struct result_group *result_find(const struct result *result, const char *name)
{
    for (u32 i = 0; i < result->group_count; i++)
        if (!strcmp(result->groups[i].name, name))
            return &result->groups[i];
    return NULL;
}

void result_units(const struct result *result, const struct result_group *group,
                  void (*visit)(void *context, u32 copy, const json_t *stats), void *context)
{
    const char *path;
    json_t *value;
    u32 copy = 0;
    json_object_foreach(json_object_get(result->stats, "units"), path, value)
    {
        if (path_plain_is(path, group->name, strlen(group->name)))
            visit(context, copy++, value);
    }
}
