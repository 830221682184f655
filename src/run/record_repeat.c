/* record_repeat.c - see record_repeat.h.
 *
 * What to try comes from the rows of a type: of a resource that is used up, the last parameter that
 * its capacity names is doubled, or the number of units where the capacity is fixed; of one that
 * only takes time, the first number of cycles that `held` names is halved. */
#include "run/record_repeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/formula.h"
#include "base/text.h"
#include "run/pieces.h"
#include "unit/explain.h"
#include "unit/quantity.h"
#include "unit/registry.h"

/* ---- The same again ---- */

/* What is not valid UTF-8 becomes null, and nobody can repeat the run from its file. */
static void word_add(json_t *words, const char *word)
{
    json_t *string = json_string(word);
    json_array_append_new(words, string ? string : json_null());
}

/* An option with what it is given; NULL: it was not. */
static void option_add(json_t *words, const char *name, const char *value)
{
    if (!value)
        return;
    word_add(words, name);
    word_add(words, value);
}

static void number_add(json_t *words, const char *name, u64 number, u64 otherwise)
{
    char *text = text_format("%llu", (unsigned long long)number);
    option_add(words, name, number != otherwise ? text : NULL);
    free(text);
}

static void point_add(json_t *words, const char *name, const float point[3])
{
    char *text =
        text_format("%.9g,%.9g,%.9g", (double)point[0], (double)point[1], (double)point[2]);
    option_add(words, name, text);
    free(text);
}

static void view_add(json_t *words, const struct camera *view)
{
    char *fov = text_format("%.9g", (double)view->fov_degrees);
    point_add(words, "--eye", view->eye);
    point_add(words, "--target", view->target);
    point_add(words, "--up", view->up);
    option_add(words, "--fov", fov);
    free(fov);
}

static void size_add(json_t *words, const struct world_options *world)
{
    char *size = text_format("%ux%u", world->width, world->height);
    bool usual = world->width == WORLD_SIDE_DEFAULT && world->height == WORLD_SIDE_DEFAULT;
    option_add(words, "--size", usual ? NULL : size);
    free(size);
}

static void treelets_add(json_t *words, u32 bytes)
{
    char *size = text_format("%uB", bytes);
    option_add(words, "--treelets", bytes ? size : NULL);
    free(size);
}

static void world_add(json_t *words, const struct world_options *world)
{
    option_add(words, "--scene", world->scene);
    number_add(words, "--triangles", world->generator.triangles, 0);
    option_add(words, "--camera", world->camera);
    if (world->view)
        view_add(words, world->view);
    option_add(words, "--rays", world->traced ? ray_kind_names[world->rays] : NULL);
    size_add(words, world);
    number_add(words, "--samples", world->samples, WORLD_SAMPLES_DEFAULT);
    number_add(words, "--bounces", world->bounces, WORLD_BOUNCES_DEFAULT);
    number_add(words, "--seed", world->seed, WORLD_SEED_DEFAULT);
    option_add(words, "--builder", world->builder_given ? bvh_builder_names[world->builder] : NULL);
    option_add(words, "--nodes", world->nodes ? world->nodes->name : NULL);
    option_add(words, "--primitives", world->primitives ? world->primitives->name : NULL);
    treelets_add(words, world->treelet_bytes);
    if (world->software && !world->streams)
        word_add(words, "--software");
    if (world->heatmap)
        word_add(words, "--heatmap");
}

static bool word_is_there(const json_t *words, const char *word)
{
    size_t i;
    json_t *other;
    json_array_foreach(words, i, other)
    {
        if (json_is_string(other) && !strcmp(json_string_value(other), word))
            return true;
    }
    return false;
}

/* The shared objects that the chip's types come from. */
static void libraries_add(json_t *words, const struct plan *plan)
{
    for (u32 d = 0; d < plan->domain_count; d++) {
        for (u32 u = 0; u < plan->domains[d].unit_count; u++) {
            const char *file = registry_file(plan->domains[d].units[u].type_index);
            if (file && !word_is_there(words, file))
                option_add(words, "--load", file);
        }
    }
}

json_t *repeat_record(const struct record *record)
{
    const struct run_options *options = record->options;
    json_t *words = json_array();
    if (!options->arch || options->resume) {
        json_decref(words);
        return json_null();
    }
    word_add(words, options->arch);
    libraries_add(words, record->system->plan);
    for (u32 i = 0; i < options->setting_count; i++)
        option_add(words, "--set", options->settings[i]);
    option_add(words, "--program", options->program);
    option_add(words, "--pieces", options->pieces ? options->pieces->path : NULL);
    if (record->world)
        world_add(words, options->world);
    number_add(words, "--stop-after", options->stop_after, NEVER);
    return words;
}

/* ---- What to change ---- */

static json_t *setting_json(const struct plan_domain *domain, const struct plan_unit *unit,
                            const struct param_row *param, u64 value)
{
    struct text text = { 0 };
    text_add(&text, "%s.%s.%s=", domain->name, unit->name, param->name);
    param_write(&text, param, (union param_value){ .integer = value });
    json_t *setting = json_string(text_get(&text));
    text_fini(&text);
    return setting;
}

/* The last parameter of a product is what there are several of in the others: of slices of MSHRs,
 * the MSHRs. */
static json_t *more_of(const struct plan_domain *domain, const struct plan_unit *unit,
                       const struct formula *capacity)
{
    const struct param_row *last = NULL;
    bool named = false;
    u32 number = 0, at;
    for (u32 i = 0; capacity && i < capacity->step_count; i++) {
        const char *name = capacity->steps[i].name;
        named = named || name;
        if (!name || !explain_param(unit->type, name, &at))
            continue;
        number = at;
        last = &unit->type->params[number];
    }
    if (capacity && !named)
        return json_sprintf("%s.%s.count=%u", domain->name, unit->name, 2 * unit->count);
    if (!last || last->type == PARAM_REAL ||
        unit->values[number].integer > last->largest.integer / 2)
        return json_null();
    return setting_json(domain, unit, last, 2 * unit->values[number].integer);
}

static json_t *less_of(const struct plan_domain *domain, const struct plan_unit *unit,
                       const struct formula *held)
{
    for (u32 i = 0; held && i < held->step_count; i++) {
        u32 number;
        if (!held->steps[i].name || !explain_param(unit->type, held->steps[i].name, &number) ||
            unit->type->params[number].type != PARAM_CYCLES)
            continue;
        u64 half = unit->values[number].integer / 2;
        if (half < 1 || half < unit->type->params[number].smallest.integer)
            return json_null();
        return setting_json(domain, unit, &unit->type->params[number], half);
    }
    return json_null();
}

static json_t *try_record(const struct plan_domain *domain, const struct plan_unit *unit,
                          const struct resource_row *row)
{
    json_t *object = json_object();
    struct formula *capacity = row->capacity ? formula_parse(row->capacity, NULL) : NULL;
    struct formula *held = row->held ? formula_parse(row->held, NULL) : NULL;
    json_object_set_new(object, "more", more_of(domain, unit, capacity));
    json_object_set_new(object, "less", less_of(domain, unit, held));
    formula_free(capacity);
    formula_free(held);
    return object;
}

static void line_try(json_t *tries, const struct plan_domain *domain, const struct plan_unit *unit)
{
    char *name = text_format("%s.%s", domain->name, unit->name);
    json_t *object = json_object();
    for (const struct resource_row *row = unit->type->resources; row && row->name; row++)
        json_object_set_new(object, row->name, try_record(domain, unit, row));
    json_object_set_new(tries, name, object);
    free(name);
}

static json_t *link_try(const struct plan_link *link)
{
    if (!link->name || link->latency < 2)
        return json_null();
    return json_sprintf("%s.latency=%u cycles", link->name, link->latency / 2);
}

json_t *tries_record(const struct plan *plan)
{
    json_t *tries = json_object(), *links = json_array();
    for (u32 d = 0; d < plan->domain_count; d++)
        for (u32 u = 0; u < plan->domains[d].unit_count; u++)
            line_try(tries, &plan->domains[d], &plan->domains[d].units[u]);
    for (u32 i = 0; i < plan->link_count; i++)
        json_array_append_new(links, link_try(&plan->links[i]));
    json_object_set_new(tries, "links", links);
    return tries;
}
