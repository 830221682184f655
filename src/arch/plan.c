/* plan.c - from the tree to the plan: names, counts, clocks, parameters.
 *
 * Reads top down. The first thing that does not fit is reported with its place and the nearest
 * thing that would. */
#include "arch/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "unit/quantity.h"
#include "unit/registry.h"

#define COPIES_MAX       65536
#define UNITS_MAX        1000000
#define CLOCK_DEFAULT_HZ (1 * GHz)
#define CLOCK_MAX_HZ     (100 * GHz)

bool key_unknown(const struct node *node, const char *where, const char *const *known,
                 struct ogv_error *error)
{
    struct nearest nearest;
    struct text all = { 0 };
    char hint[300];
    nearest_init(&nearest, node->key);
    for (; *known; known++) {
        nearest_offer(&nearest, *known);
        text_add(&all, "%s%s", all.length ? ", " : "; it takes ", *known);
    }
    const char *words = nearest_hint(&nearest, hint, sizeof hint);
    place_error(error, node->born, "unknown key '%s' in %s%s", node->key, where,
                *words ? words : text_get(&all));
    text_fini(&all);
    return false;
}

bool node_expect(const struct node *node, enum node_kind kind, struct ogv_error *error)
{
    if (node->kind == kind)
        return true;
    if (node->kind == NODE_TEXT && !*node->text)
        return place_error(error, node->place, "'%s' is empty, it must be %s", node->key,
                           node_kind_name(kind));
    return place_error(error, node->place, "'%s' must be %s, not %s", node->key,
                       node_kind_name(kind), node_kind_name(node->kind));
}

/* Names become parts of paths. */
bool name_check(const char *name, struct place place, const char *what, struct ogv_error *error)
{
    bool good = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c; c++)
        good = good && (isalnum((unsigned char)*c) || *c == '_' || *c == '-');
    if (good && strlen(name) <= 64)
        return true;
    return place_error(error, place,
                       "'%.80s' cannot name a %s: letters, digits, '_' and '-' only, starting with "
                       "a letter, at most 64",
                       name, what);
}

static bool read_quantity(const struct node *node, enum param_type type, u64 smallest, u64 largest,
                          u64 *value, struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    struct param_row param = {
        .name = node->key, .type = type, .smallest.integer = smallest, .largest.integer = largest
    };
    union param_value read;
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    if (!param_read(&param, node->text, &read, why))
        return place_error(error, node->place, "%s: %s", node->key, why);
    *value = read.integer;
    return true;
}

/* Optional `count:` and `clock:` of a domain or unit. */
static bool read_count(const struct node *map, u32 *count, struct ogv_error *error)
{
    const struct node *node = node_get(map, "count");
    u64 value = 1;
    if (node && !read_quantity(node, PARAM_NUMBER, 1, COPIES_MAX, &value, error))
        return false;
    *count = (u32)value;
    return true;
}

static bool read_clock(const struct node *map, u64 inherited, u64 *clock, struct ogv_error *error)
{
    const struct node *node = node_get(map, "clock");
    *clock = inherited;
    return !node || read_quantity(node, PARAM_HERTZ, 1, CLOCK_MAX_HZ, clock, error);
}

static bool param_unknown(struct region *region, const struct plan_unit *unit,
                          const struct node *node, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[300];
    nearest_init(&nearest, node->key);
    nearest_offer(&nearest, "type");
    nearest_offer(&nearest, "count");
    nearest_offer(&nearest, "clock");
    for (const struct param_row *param = unit->type->params; param->name; param++)
        nearest_offer(&nearest, param->name);
    costs_offer(unit->type, &nearest, region);
    const char *words = nearest_hint(&nearest, hint, sizeof hint);
    if (*words)
        return place_error(error, node->born, "a %s has no parameter '%s'%s", unit->type->name,
                           node->key, words);
    return place_error(error, node->born, "a %s has no parameter '%s'; `ogive units %s` lists them",
                       unit->type->name, node->key, unit->type->name);
}

static u32 params_count(const struct unit_type *type)
{
    u32 count = 0;
    while (type->params[count].name)
        count++;
    return count;
}

/* A map as the text "key: value, key: value". */
static bool table_text(struct plan *plan, const struct node *map, const char **text,
                       struct ogv_error *error)
{
    struct text joined = { 0 };
    bool good = true;
    for (u32 i = 0; i < map->count && good; i++) {
        const struct node *item = map->items[i];
        good = node_expect(item, NODE_TEXT, error);
        if (good && strpbrk(item->key, ",:{}\"\\#")) {
            good =
                place_error(error, item->born, "'%s' cannot be a key of %s", item->key, map->key);
        } else if (good && (!*item->text || strpbrk(item->text, ",:{}\"\\#"))) {
            good = place_error(error, item->place, "'%s' cannot be a value of %s", item->text,
                               map->key);
        }
        if (good)
            text_add(&joined, "%s%s: %s", i ? ", " : "", item->key, item->text);
    }
    *text = region_copy(&plan->region, text_get(&joined), joined.length);
    text_fini(&joined);
    return good;
}

static bool param_text(struct plan *plan, const struct param_row *param, const struct node *node,
                       const char **text, struct ogv_error *error)
{
    if (param->type == PARAM_TABLE && node->kind == NODE_MAP)
        return table_text(plan, node, text, error);
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    *text = region_copy(&plan->region, node->text, strlen(node->text));
    return true;
}

static bool read_param(struct plan *plan, struct plan_unit *unit, const struct node *node,
                       struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    for (u32 i = 0; unit->type->params[i].name; i++) {
        const struct param_row *param = &unit->type->params[i];
        if (strcmp(param->name, node->key))
            continue;
        const char *text;
        if (!param_text(plan, param, node, &text, error))
            return false;
        if (param_read(param, text, &unit->values[i], why))
            return true;
        return place_error(error, node->place, "%s: %s", param->name, why);
    }
    bool found;
    bool good = plan_read_cost(unit, node, &found, error);
    return found ? good : param_unknown(&plan->region, unit, node, error);
}

static bool read_params(struct plan *plan, struct plan_unit *unit, const struct node *map,
                        struct ogv_error *error)
{
    u32 count = params_count(unit->type);
    unit->values = region_alloc(&plan->region, count, sizeof *unit->values);
    unit->costs = region_alloc(&plan->region, costs_count(unit->type), sizeof *unit->costs);
    for (u32 i = 0; i < count; i++)
        unit->values[i] = param_default(&unit->type->params[i]);
    for (u32 i = 0; i < map->count; i++) {
        const char *key = map->items[i]->key;
        bool reserved = !strcmp(key, "type") || !strcmp(key, "count") || !strcmp(key, "clock");
        if (!reserved && !read_param(plan, unit, map->items[i], error))
            return false;
    }
    return true;
}

static bool read_type(struct plan_unit *unit, const struct node *map, struct ogv_error *error)
{
    const struct node *type = node_get(map, "type");
    if (!type)
        return place_error(error, map->born, "unit '%s' has no `type:`; `ogive units` lists them",
                           unit->name);
    if (!node_expect(type, NODE_TEXT, error))
        return false;
    int index = registry_find(type->text);
    if (index >= 0) {
        unit->type_index = (u16)index;
        unit->type = registry_type((u32)index);
        return true;
    }
    struct nearest nearest;
    char hint[300];
    nearest_init(&nearest, type->text);
    for (u32 i = 0; i < registry_count(); i++)
        nearest_offer(&nearest, registry_type(i)->name);
    const char *words = nearest_hint(&nearest, hint, sizeof hint);
    return place_error(error, type->place, "there is no unit type '%.80s'%s%s", type->text, words,
                       *words ? "" : "; `ogive units` lists them");
}

static struct place plan_place(struct plan *plan, struct place place)
{
    place.file = region_copy(&plan->region, place.file, strlen(place.file));
    return place;
}

static bool read_unit(struct plan *plan, const struct plan_domain *domain, struct plan_unit *unit,
                      const struct node *map, struct ogv_error *error)
{
    unit->name = region_copy(&plan->region, map->key, strlen(map->key));
    unit->place = plan_place(plan, map->born);
    return name_check(map->key, map->born, "unit", error) && node_expect(map, NODE_MAP, error) &&
           read_type(unit, map, error) && read_count(map, &unit->count, error) &&
           read_clock(map, domain->clock_hz, &unit->clock_hz, error) &&
           read_params(plan, unit, map, error);
}

static bool read_units(struct plan *plan, struct plan_domain *domain, const struct node *units,
                       struct ogv_error *error)
{
    u64 size = 0;
    domain->units = region_alloc(&plan->region, units->count, sizeof *domain->units);
    domain->unit_count = units->count;
    for (u32 i = 0; i < units->count; i++) {
        struct plan_unit *unit = &domain->units[i];
        if (!read_unit(plan, domain, unit, units->items[i], error))
            return false;
        unit->offset = (u32)size;
        size += unit->count;
        if (plan->unit_count + size * domain->count > UNITS_MAX)
            return place_error(error, unit->place, "with '%s' the chip has more than %d units",
                               unit->name, UNITS_MAX);
    }
    domain->size = (u32)size;
    domain->first = plan->unit_count;
    plan->unit_count += domain->size * domain->count;
    return true;
}

static bool read_domain(struct plan *plan, struct plan_domain *domain, const struct node *map,
                        struct ogv_error *error)
{
    static const char *const known[] = { "count", "clock", "units", "links", NULL };
    domain->name = region_copy(&plan->region, map->key, strlen(map->key));
    domain->place = plan_place(plan, map->born);
    if (!name_check(map->key, map->born, "domain", error) || !node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < map->count; i++) {
        const char *const *k = known;
        while (*k && strcmp(*k, map->items[i]->key))
            k++;
        if (!*k)
            return key_unknown(map->items[i], "a domain", known, error);
    }
    const struct node *units = node_get(map, "units");
    if (!units)
        return place_error(error, domain->place, "domain '%s' has no `units:`", domain->name);
    if (!node_expect(units, NODE_MAP, error))
        return false;
    if (!units->count)
        return place_error(error, units->born, "domain '%s' has no units", domain->name);
    return read_count(map, &domain->count, error) &&
           read_clock(map, plan->clock_hz, &domain->clock_hz, error) &&
           read_units(plan, domain, units, error);
}

static bool read_link_list(struct plan *plan, const struct plan_domain *domain,
                           const struct node *map, struct ogv_error *error)
{
    const struct node *links = node_get(map, "links");
    if (!links)
        return true;
    if (!node_expect(links, NODE_LIST, error))
        return false;
    for (u32 i = 0; i < links->count; i++)
        if (!plan_read_link(plan, domain, links->items[i], error))
            return false;
    return true;
}

static bool read_domains(struct plan *plan, const struct node *root, struct ogv_error *error)
{
    const struct node *domains = node_get(root, "domains");
    if (!domains)
        return place_error(error, root->place, "there are no `domains:`, so nothing to build");
    if (!node_expect(domains, NODE_MAP, error))
        return false;
    plan->domains = region_alloc(&plan->region, domains->count, sizeof *plan->domains);
    for (u32 i = 0; i < domains->count; i++) {
        if (!read_domain(plan, &plan->domains[i], domains->items[i], error))
            return false;
        plan->domain_count++;
    }
    if (!domains->count)
        return place_error(error, domains->born, "`domains:` is empty, so nothing to build");
    for (u32 i = 0; i < domains->count; i++)
        if (!read_link_list(plan, &plan->domains[i], domains->items[i], error))
            return false;
    return read_link_list(plan, NULL, root, error);
}

static bool read_unit_path(struct plan *plan, const struct node *path, struct ogv_error *error)
{
    struct ogv_error why;
    if (path->kind != NODE_TEXT)
        return place_error(error, path->place,
                           "`unit_path` takes the name of a shared object or a list of them");
    /* The whole path: an exported plan must mean the same file wherever it is read. */
    char *file = registry_load(path->text, &why);
    if (!file)
        return place_error(error, path->place, "%s", why.message);
    plan->unit_paths =
        region_grow(&plan->region, plan->unit_paths, plan->unit_path_count, sizeof(char *));
    plan->unit_paths[plan->unit_path_count++] = region_copy(&plan->region, file, strlen(file));
    free(file);
    return true;
}

static bool read_unit_paths(struct plan *plan, const struct node *root, struct ogv_error *error)
{
    const struct node *paths = node_get(root, "unit_path");
    u32 count = !paths ? 0 : paths->kind == NODE_LIST ? paths->count : 1;
    for (u32 i = 0; i < count; i++)
        if (!read_unit_path(plan, paths->kind == NODE_LIST ? paths->items[i] : paths, error))
            return false;
    return true;
}

static bool read_words(struct plan *plan, const struct node *root, const char *key,
                       const char *otherwise, const char **words, struct ogv_error *error)
{
    const struct node *node = node_get(root, key);
    if (node && !node_expect(node, NODE_TEXT, error))
        return false;
    const char *text = node ? node->text : otherwise;
    *words = region_copy(&plan->region, text, strlen(text));
    return true;
}

static bool read_root(struct plan *plan, const struct node *root, struct ogv_error *error)
{
    static const char *const known[] = { "name",       "about",   "extends", "unit_path", "clock",
                                         "technology", "domains", "links",   NULL };
    for (u32 i = 0; i < root->count; i++) {
        const char *const *k = known;
        while (*k && strcmp(*k, root->items[i]->key))
            k++;
        if (!*k)
            return key_unknown(root->items[i], "an architecture", known, error);
    }
    return read_words(plan, root, "name", "unnamed", &plan->name, error) &&
           read_words(plan, root, "about", "", &plan->about, error) &&
           read_unit_paths(plan, root, error) &&
           read_clock(root, CLOCK_DEFAULT_HZ, &plan->clock_hz, error) &&
           plan_read_technology(plan, root, error) && read_domains(plan, root, error);
}

struct plan *plan_create(const ogv_arch *arch, struct ogv_error *error)
{
    struct plan *plan = heap_array(1, sizeof *plan);
    if (read_root(plan, arch->root, error) && plan_expand(plan, error))
        return plan;
    plan_destroy(plan);
    return NULL;
}

void plan_destroy(struct plan *plan)
{
    if (!plan)
        return;
    free(plan->edges);
    region_fini(&plan->region);
    free(plan);
}

bool ogv_arch_check(const ogv_arch *arch, struct ogv_error *error)
{
    ogv_system *system = ogv_system_create(arch, error);
    ogv_system_destroy(system);
    return system;
}

struct plan_spot plan_locate(const struct plan *plan, u32 number)
{
    const struct plan_domain *domain = plan->domains;
    while (number >= domain->first + domain->size * domain->count)
        domain++;
    struct plan_spot spot = { .domain = domain };
    spot.domain_copy = (number - domain->first) / domain->size;
    u32 place = (number - domain->first) % domain->size;
    spot.unit = domain->units;
    while (place >= spot.unit->offset + spot.unit->count)
        spot.unit++;
    spot.unit_copy = place - spot.unit->offset;
    return spot;
}

u32 plan_number(const struct plan_domain *domain, u32 domain_copy, const struct plan_unit *unit,
                u32 unit_copy)
{
    return domain->first + domain_copy * domain->size + unit->offset + unit_copy;
}

void plan_path(const struct plan *plan, u32 number, char *buffer, size_t size)
{
    struct plan_spot spot = plan_locate(plan, number);
    char domain_copy[16] = "", unit_copy[16] = "";
    if (spot.domain->count > 1)
        snprintf(domain_copy, sizeof domain_copy, "[%u]", spot.domain_copy);
    if (spot.unit->count > 1)
        snprintf(unit_copy, sizeof unit_copy, "[%u]", spot.unit_copy);
    snprintf(buffer, size, "%s%s.%s%s", spot.domain->name, domain_copy, spot.unit->name, unit_copy);
}
