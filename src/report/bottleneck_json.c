/* bottleneck_json.c - what limited a run, as JSON and as bottleneck.json. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/what_if.h"

static json_t *share_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_json(const char *text)
{
    json_t *string = text ? json_string(text) : NULL;
    return string ? string : json_null();
}

static json_t *stall_json(const struct stall *stall)
{
    json_t *object = json_object(), *parts = json_array();
    json_object_set_new(object, "name", json_string(stall->name));
    json_object_set_new(object, "label", json_string(stall->label));
    json_object_set_new(object, "cycles",
                        stall->value < 9e15 ? json_integer((json_int_t)stall->value)
                                            : json_real(stall->value));
    for (u32 i = 0; i < stall->part_count; i++)
        json_array_append_new(parts, stall_json(&stall->parts[i]));
    json_object_set_new(object, "parts", parts);
    if (stall->type) {
        json_object_set_new(object, "type", json_string(stall->type));
        json_object_set_new(object, "first", json_boolean(stall->first));
    }
    return object;
}

/* The statistics that what was used is made of. */
static json_t *uses_json(const struct resource *resource)
{
    json_t *uses = json_array();
    const struct formula *used = resource->row ? resource->row->used : NULL;
    for (u32 i = 0; used && i < used->step_count; i++)
        if (used->steps[i].name && group_counts(resource->group, used->steps[i].name))
            json_array_append_new(uses, json_string(used->steps[i].name));
    return uses;
}

/* The formula of what was used as steps on a stack: numbers, names of statistics, signs. */
static json_t *used_json(const struct resource *resource)
{
    json_t *steps = json_array();
    const struct formula *used = resource->row ? resource->row->used : NULL;
    for (u32 i = 0; used && i < used->step_count; i++) {
        const struct formula_step *step = &used->steps[i];
        if (formula_sign(step->sign))
            json_array_append_new(steps, json_string(formula_sign(step->sign)));
        else if (!step->name)
            json_array_append_new(steps, json_real(step->number));
        else if (group_counts(resource->group, step->name))
            json_array_append_new(steps, json_string(step->name));
        else
            json_array_append_new(steps, json_real(group_number(resource->group, step->name)));
    }
    return steps;
}

static json_t *resource_json(const struct resource *resource)
{
    static const char *const kinds[] = { "work", "room", "delay", "delay", "unexplained" };
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(resource->name));
    json_object_set_new(object, "group", json_string(resource->group->name));
    json_object_set_new(object, "kind", json_string(kinds[resource->kind]));
    json_object_set_new(object, "utilisation", share_json(resource->utilisation));
    json_object_set_new(object, "waiting", share_json(resource->waiting));
    json_object_set_new(object, "uses", uses_json(resource));
    json_object_set_new(object, "used", used_json(resource));
    json_object_set_new(object, "capacity_per_cycle", share_json(resource->per_cycle));
    json_object_set_new(object, "at_limit", json_boolean(resource_at_limit(resource)));
    json_object_set_new(object, "try", text_json(resource_try(resource)));
    json_object_set_new(object, "sentence", json_string(resource->sentence));
    return object;
}

/* Null: nothing is known to try. */
static json_t *what_if_json(const struct what_if *what_if)
{
    if (!what_if->resource)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "group", json_string(what_if->resource->group->name));
    json_object_set_new(object, "resource", json_string(what_if->resource->name));
    json_object_set_new(object, "setting", json_string(what_if->setting));
    json_object_set_new(object, "command", text_json(what_if->command));
    return object;
}

json_t *bottleneck_json(const struct bottleneck *bottleneck)
{
    json_t *object = json_object(), *trees = json_array();
    json_t *resources = json_array(), *words = json_array();
    for (u32 i = 0; i < bottleneck->word_count; i++)
        json_array_append_new(words, json_string(bottleneck->words[i]));
    for (u32 i = 0; i < bottleneck->resource_count; i++)
        json_array_append_new(resources, resource_json(&bottleneck->resources[i]));
    for (u32 i = 0; i < bottleneck->tree_count; i++)
        json_array_append_new(trees, stall_json(&bottleneck->trees[i]));
    json_object_set_new(object, "words", words);
    json_object_set_new(object, "what_if", what_if_json(&bottleneck->what_if));
    json_object_set_new(object, "resources", resources);
    json_object_set_new(object, "trees", trees);
    return object;
}

bool bottleneck_write(const struct result *result, const struct bottleneck *bottleneck,
                      struct ogv_error *error)
{
    char *path = text_format("%s/bottleneck.json", result->folder);
    json_t *object = bottleneck_json(bottleneck);
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    bool good = text ? file_write(path, text, strlen(text), error)
                     : error_system(error, "%s: cannot be put into JSON", path);
    free(text);
    json_decref(object);
    free(path);
    return good;
}
