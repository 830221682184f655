/* edit.c - architectures from calls, and single settings by path.
 *
 * Both change the same tree that files are read into, so that whatever checks a file checks them
 * too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/text.h"

static struct place call_place(ogv_arch *arch, const char *what)
{
    return (struct place){ region_copy(&arch->region, what, strlen(what)), 0, 0 };
}

ogv_arch *ogv_arch_create(const char *name, struct ogv_error *error)
{
    ogv_arch *arch = heap_array(1, sizeof *arch);
    (void)error;
    struct place place = call_place(arch, name);
    arch->root = node_new(&arch->region, NODE_MAP, place);
    node_put(&arch->region, arch->root, "name", node_text(&arch->region, name, place));
    return arch;
}

/* The map or list under a key, made if it is not there; NULL if something else is. */
static struct node *node_demand(ogv_arch *arch, struct node *map, const char *key,
                                enum node_kind kind)
{
    struct node *found = node_get(map, key);
    if (!found) {
        found = node_new(&arch->region, kind, map->place);
        node_put(&arch->region, map, key, found);
    }
    return found->kind == kind ? found : NULL;
}

static void put_count(ogv_arch *arch, struct node *map, u32 count, struct place place)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", count);
    node_put(&arch->region, map, "count", node_text(&arch->region, digits, place));
}

bool ogv_arch_add_domain(ogv_arch *arch, const char *domain, uint32_t count,
                         struct ogv_error *error)
{
    struct node *domains = node_demand(arch, arch->root, "domains", NODE_MAP);
    if (!domains)
        return error_user(error, "`domains` is not a map, so '%s' cannot be added", domain);
    if (node_get(domains, domain))
        return error_user(error, "there is a domain '%s' already", domain);
    struct place place = call_place(arch, domain);
    struct node *map = node_new(&arch->region, NODE_MAP, place);
    put_count(arch, map, count, place);
    node_put(&arch->region, map, "units", node_new(&arch->region, NODE_MAP, place));
    node_put(&arch->region, domains, domain, map);
    return true;
}

static struct node *domain_find(const ogv_arch *arch, const char *domain)
{
    const struct node *domains = node_get(arch->root, "domains");
    struct node *found = domains && domains->kind == NODE_MAP ? node_get(domains, domain) : NULL;
    return found && found->kind == NODE_MAP ? found : NULL;
}

bool ogv_arch_add_unit(ogv_arch *arch, const char *domain, const char *unit, const char *type,
                       uint32_t count, struct ogv_error *error)
{
    struct node *map = domain_find(arch, domain);
    if (!map)
        return error_user(error, "there is no domain '%s'", domain);
    struct node *units = node_demand(arch, map, "units", NODE_MAP);
    if (!units)
        return error_user(error, "`units` of '%s' is not a map, so '%s' cannot be added", domain,
                          unit);
    if (node_get(units, unit))
        return error_user(error, "there is a unit '%s.%s' already", domain, unit);
    char *path = text_format("%s.%s", domain, unit);
    struct place place = call_place(arch, path);
    free(path);
    struct node *settings = node_new(&arch->region, NODE_MAP, place);
    node_put(&arch->region, settings, "type", node_text(&arch->region, type, place));
    put_count(arch, settings, count, place);
    node_put(&arch->region, units, unit, settings);
    return true;
}

bool ogv_arch_add_link(ogv_arch *arch, const char *from, const char *to, const char *options,
                       struct ogv_error *error)
{
    char *key = text_format("%s -> %s", from, to);
    struct place place = call_place(arch, key);
    struct node *links = node_demand(arch, arch->root, "links", NODE_LIST);
    struct node *value = NULL;
    if (!links)
        place_error(error, place, "cannot be added: `links` is not a list");
    else if (options && *options)
        value = tree_parse(&arch->region, &arch_words, key, options, strlen(options), error);
    else
        value = node_new(&arch->region, NODE_MAP, place);
    if (value) {
        struct node *link = node_new(&arch->region, NODE_MAP, place);
        node_put(&arch->region, link, key, value);
        node_append(&arch->region, links, link);
    }
    free(key);
    return value;
}

/* ---- Settings by path ---- */

struct setting {
    ogv_arch *arch;
    struct node *value;
    struct place place;
};

/* The options of the i-th link, and the name among them; false if it has none. */
static bool link_name(const struct node *links, u32 i, struct node **options, const char **name)
{
    const struct node *link = links->items[i];
    *options = link->kind == NODE_MAP && link->count == 1 ? link->items[0] : NULL;
    const struct node *own =
        *options && (*options)->kind == NODE_MAP ? node_get(*options, "name") : NULL;
    *name = own && own->kind == NODE_TEXT ? own->text : NULL;
    return *name;
}

/* A link that has a `name:` can be set like a unit: "noc.latency". */
static struct node *link_find(const struct node *links, const char *wanted)
{
    struct node *options;
    const char *name;
    for (u32 i = 0; links && links->kind == NODE_LIST && i < links->count; i++)
        if (link_name(links, i, &options, &name) && !strcmp(name, wanted))
            return options;
    return NULL;
}

/* `known` is the map of domains or units, `links` the list beside it; both may be missing. */
static bool setting_unknown(const struct setting *setting, const char *what, const char *name,
                            const struct node *known, const struct node *links,
                            struct ogv_error *error)
{
    struct nearest nearest;
    struct node *options;
    const char *offer;
    char hint[300];
    if (strchr(name, '['))
        return place_error(error, setting->place,
                           "a setting holds for all copies; leave [...] out of '%s'", name);
    nearest_init(&nearest, name);
    for (u32 i = 0; known && known->kind == NODE_MAP && i < known->count; i++)
        nearest_offer(&nearest, known->items[i]->key);
    for (u32 i = 0; links && links->kind == NODE_LIST && i < links->count; i++)
        if (link_name(links, i, &options, &offer))
            nearest_offer(&nearest, offer);
    return place_error(error, setting->place, "there is no %s '%s'%s", what, name,
                       nearest_hint(&nearest, hint, sizeof hint));
}

/* The rest of the path within a domain: "count", "clock", "UNIT.PARAMETER", "LINK.OPTION". */
static bool setting_in_domain(const struct setting *setting, const char *domain, char *rest,
                              struct ogv_error *error)
{
    struct node *map = domain_find(setting->arch, domain);
    struct node *target = map, *units = node_get(map, "units");
    char *dot = strchr(rest, '.');
    if (!dot && units && units->kind == NODE_MAP && node_get(units, rest))
        return place_error(error, setting->place,
                           "'%s' is a unit; name one of its parameters, as in %s.%s.count", rest,
                           domain, rest);
    if (dot) {
        *dot = 0;
        target = units && units->kind == NODE_MAP ? node_get(units, rest) : NULL;
        if (!target)
            target = link_find(node_get(map, "links"), rest);
        if (!target || target->kind != NODE_MAP)
            return setting_unknown(setting, "unit or named link", rest, units,
                                   node_get(map, "links"), error);
        rest = dot + 1;
    }
    node_put(&setting->arch->region, target, rest, setting->value);
    return true;
}

static bool setting_apply(const struct setting *setting, char *path, struct ogv_error *error)
{
    ogv_arch *arch = setting->arch;
    char *dot = strchr(path, '.');
    if (!strcmp(path, "extends"))
        return place_error(error, setting->place, "`extends` can only stand in a file");
    if (!dot && domain_find(arch, path))
        return place_error(error, setting->place,
                           "'%s' is a domain; name a part of it, as in %s.count", path, path);
    if (!dot) {
        node_put(&arch->region, arch->root, path, setting->value);
        return true;
    }
    *dot = 0;
    if (domain_find(arch, path))
        return setting_in_domain(setting, path, dot + 1, error);
    struct node *link = link_find(node_get(arch->root, "links"), path);
    if (!link && !strcmp(path, "technology"))
        link = node_demand(arch, arch->root, path, NODE_MAP);
    if (!link)
        return setting_unknown(setting, "domain or named link", path,
                               node_get(arch->root, "domains"), node_get(arch->root, "links"),
                               error);
    node_put(&arch->region, link, dot + 1, setting->value);
    return true;
}

bool ogv_arch_set(ogv_arch *arch, const char *path, const char *value, struct ogv_error *error)
{
    char *what = text_format("setting %s=%s", path, value);
    struct place place = call_place(arch, what);
    free(what);
    struct setting setting = { arch, node_text(&arch->region, value, place), place };
    if (!*path || *path == '.' || path[strlen(path) - 1] == '.' || strstr(path, ".."))
        return place_error(error, place,
                           "a setting is written PATH=VALUE, as in sm.l1.size=128KiB");
    char *parts = heap_copy(path);
    bool applied = setting_apply(&setting, parts, error);
    free(parts);
    return applied;
}

bool arch_apply_settings(ogv_arch *arch, const char *const *settings, u32 count,
                         struct ogv_error *error)
{
    bool good = true;
    for (u32 i = 0; i < count && good; i++) {
        char *path = heap_copy(settings[i]);
        char *equals = strchr(path, '=');
        if (equals)
            *equals = 0;
        good = equals ? ogv_arch_set(arch, path, equals + 1, error)
                      : error_user(error, "setting %s: write PATH=VALUE, as in sm.l1.size=128KiB",
                                   path);
        free(path);
    }
    return good;
}
