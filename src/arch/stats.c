/* stats.c - statistics of a chip, added up over groups of units, found by path, and as one
 * digest.
 *
 * Nothing is kept here: every answer is made from the units' own counters when it is asked for. */
#include "arch/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "unit/registry.h"

u32 stats_count(const struct unit_type *type)
{
    u32 count = 0;
    while (type->stats[count].name)
        count++;
    return count;
}

u32 ratios_count(const struct unit_type *type)
{
    u32 count = 0;
    while (type->ratios[count].name)
        count++;
    return count;
}

const u64 *unit_stats(const struct unit *unit)
{
    const char *bytes = (const char *)unit + registry_type(unit->type)->stats_offset;
    return (const u64 *)(const void *)bytes;
}

struct stat_group stats_group(const struct plan_domain *domain, const struct plan_unit *unit)
{
    return (struct stat_group){ domain, unit, 0, domain->count, 0, unit->count };
}

void stats_group_path(const struct stat_group *group, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s.%s%s", group->domain->name, group->domain->count > 1 ? "[*]" : "",
             group->unit->name, group->unit->count > 1 ? "[*]" : "");
}

/* Sum and largest of one statistic over a group. */
static void group_fold(const ogv_system *system, const struct stat_group *group, u32 index,
                       u64 *sum, u64 *largest)
{
    *sum = *largest = 0;
    for (u32 d = 0; d < group->domain_count; d++) {
        for (u32 c = 0; c < group->unit_count; c++) {
            u32 number = plan_number(group->domain, group->domain_first + d, group->unit,
                                     group->unit_first + c);
            u64 value = unit_stats(system->chip->units[number])[index];
            *sum += value;
            *largest = max_u64(*largest, value);
        }
    }
}

u64 stats_sum(const ogv_system *system, const struct stat_group *group, u32 index)
{
    u64 sum, largest;
    group_fold(system, group, index, &sum, &largest);
    return sum;
}

static struct stat_value value_divide(u64 above, u64 below)
{
    return (struct stat_value){ .defined = below != 0,
                                .real = below ? (double)above / (double)below : 0 };
}

u32 stat_index(const struct unit_type *type, const char *name)
{
    for (u32 i = 0; type->stats[i].name; i++)
        if (!strcmp(type->stats[i].name, name))
            return i;
    ogv_bug("unit type %s: a list names '%s', which is no statistic", type->name, name);
}

struct stat_value stats_ratio(const struct unit_type *type, u32 ratio, const u64 *sums)
{
    const struct ratio_row *row = &type->ratios[ratio];
    return value_divide(sums[stat_index(type, row->above)], sums[stat_index(type, row->below)]);
}

struct stat_value stats_combine(const ogv_system *system, const struct stat_group *group, u32 index)
{
    const struct unit_type *type = group->unit->type;
    u32 stats = stats_count(type);
    u64 sum, largest, above, below;
    if (index >= stats) {
        const struct ratio_row *row = &type->ratios[index - stats];
        group_fold(system, group, stat_index(type, row->above), &above, &largest);
        group_fold(system, group, stat_index(type, row->below), &below, &largest);
        return value_divide(above, below);
    }
    group_fold(system, group, index, &sum, &largest);
    switch (type->stats[index].combine) {
    case MAX:
        return (struct stat_value){ true, true, largest, (double)largest };
    case MEAN:
        return value_divide(sum, (u64)group->domain_count * group->unit_count);
    default:
        return (struct stat_value){ true, true, sum, (double)sum };
    }
}

u64 system_total(ogv_system *system, const char *(*stat)(const struct unit_type *type))
{
    u64 sum = 0;
    system_settle(system);
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        const struct unit *unit = system->chip->units[n];
        const struct unit_type *type = registry_type(unit->type);
        const char *name = stat(type);
        sum += name ? unit_stats(unit)[stat_index(type, name)] : 0;
    }
    return sum;
}

bool system_any(const ogv_system *system, bool (*has)(const struct unit_type *type))
{
    for (u32 n = 0; n < system->chip->unit_count; n++)
        if (has(registry_type(system->chip->units[n]->type)))
            return true;
    return false;
}

/* ---- By path ---- */

/* Cuts "name[index]." off the front; the index is -1 where all copies are meant. */
static bool path_step(const char **path, char *name, size_t size, i64 *index)
{
    struct path_word word = path_name_cut(path), inside;
    u64 copy;
    if (!word.length || !path_word_copy(word, name, size))
        return false;
    *index = -1;
    if (path_index_cut(path, &inside) && !path_word_is_all(inside)) {
        if (!path_word_number(inside, &copy) || copy > UINT32_MAX)
            return false;
        *index = (i64)copy;
    }
    return *(*path)++ == '.';
}

static bool path_unknown(const char *path, const char *what, const struct nearest *nearest,
                         struct ogv_error *error)
{
    char hint[300];
    return error_user(error, "%s: there is no %s '%s'%s", path, what, nearest->typed,
                      nearest_hint(nearest, hint, sizeof hint));
}

static bool copies_choose(const char *path, const char *name, i64 index, u32 count, u32 *first,
                          u32 *chosen, struct ogv_error *error)
{
    *first = index < 0 ? 0 : (u32)index;
    *chosen = index < 0 ? count : 1;
    if (index < (i64)count)
        return true;
    return error_user(error, "%s: there is no %s[%lld], they are numbered 0 to %u", path, name,
                      (long long)index, count - 1);
}

static bool find_domain(const ogv_system *system, const char *path, const char *name, i64 index,
                        struct stat_group *group, struct ogv_error *error)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < system->plan->domain_count; i++) {
        const struct plan_domain *domain = &system->plan->domains[i];
        nearest_offer(&nearest, domain->name);
        if (strcmp(domain->name, name))
            continue;
        group->domain = domain;
        return copies_choose(path, name, index, domain->count, &group->domain_first,
                             &group->domain_count, error);
    }
    return path_unknown(path, "domain", &nearest, error);
}

static bool find_unit(const char *path, const char *name, i64 index, struct stat_group *group,
                      struct ogv_error *error)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < group->domain->unit_count; i++) {
        const struct plan_unit *unit = &group->domain->units[i];
        nearest_offer(&nearest, unit->name);
        if (strcmp(unit->name, name))
            continue;
        group->unit = unit;
        return copies_choose(path, name, index, unit->count, &group->unit_first, &group->unit_count,
                             error);
    }
    return path_unknown(path, "unit", &nearest, error);
}

static bool find_stat(const char *path, const char *name, const struct stat_group *group,
                      u32 *index, struct ogv_error *error)
{
    const struct unit_type *type = group->unit->type;
    u32 stats = stats_count(type), all = stats + ratios_count(type);
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (*index = 0; *index < all; ++*index) {
        const char *known =
            *index < stats ? type->stats[*index].name : type->ratios[*index - stats].name;
        nearest_offer(&nearest, known);
        if (!strcmp(known, name))
            return true;
    }
    return path_unknown(path, "statistic", &nearest, error);
}

bool stats_find(const ogv_system *system, const char *path, struct stat_value *value,
                struct ogv_error *error)
{
    char domain[80], unit[80];
    const char *rest = path;
    i64 domain_copy, unit_copy;
    struct stat_group group;
    u32 index;
    if (!path_step(&rest, domain, sizeof domain, &domain_copy) ||
        !path_step(&rest, unit, sizeof unit, &unit_copy) || !*rest)
        return error_user(error,
                          "%s: a statistic is written DOMAIN.UNIT.NAME, as in "
                          "sm[3].l1.hits or sm[*].l1.hits",
                          path);
    if (!find_domain(system, path, domain, domain_copy, &group, error) ||
        !find_unit(path, unit, unit_copy, &group, error) ||
        !find_stat(path, rest, &group, &index, error))
        return false;
    *value = stats_combine(system, &group, index);
    return true;
}

bool ogv_system_stat(ogv_system *system, const char *path, double *value, struct ogv_error *error)
{
    struct stat_value found;
    system_settle(system);
    if (!stats_find(system, path, &found, error))
        return false;
    *value = found.real;
    return true;
}

void ogv_system_digest(ogv_system *system, char digest[33])
{
    char path[256];
    struct hash *hash = hash_create();
    system_settle(system);
    hash_add_u64(hash, system_cycles(system));
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        const struct unit *unit = system->chip->units[n];
        const struct unit_type *type = registry_type(unit->type);
        plan_path(system->plan, n, path, sizeof path);
        hash_add_text(hash, path);
        for (u32 i = 0; type->stats[i].name; i++) {
            hash_add_text(hash, type->stats[i].name);
            hash_add_u64(hash, unit_stats(unit)[i]);
        }
    }
    for (u32 i = 0; i < system->chip->link_count; i++)
        hash_add_u64(hash, system->chip->links[i]->tail);
    hash_finish(hash, digest);
}

/* ---- All of them ---- */

/* One of a group, or of a unit as a group of itself. */
static void stat_tell(const ogv_system *system, const struct stat_group *group, const char *path,
                      u32 index, ogv_stat_visit *visit, void *context)
{
    const struct unit_type *type = group->unit->type;
    u32 stats = stats_count(type);
    bool ratio = index >= stats;
    struct stat_value value = stats_combine(system, group, index);
    const struct stat_row *row = ratio ? NULL : &type->stats[index];
    const struct ratio_row *quotient = ratio ? &type->ratios[index - stats] : NULL;
    char *full = text_format("%s.%s", path, ratio ? quotient->name : row->name);
    struct ogv_stat stat = { .path = full,
                             .value = value.defined ? value.real : NAN,
                             .measure = ratio ? quotient->measure : row->measure,
                             .help = ratio ? quotient->help : row->help };
    visit(context, &stat);
    free(full);
}

static void group_tell(const ogv_system *system, const struct stat_group *group, const char *path,
                       ogv_stat_visit *visit, void *context)
{
    const struct unit_type *type = group->unit->type;
    for (u32 i = 0; i < stats_count(type) + ratios_count(type); i++)
        stat_tell(system, group, path, i, visit, context);
}

static void groups_tell(const ogv_system *system, ogv_stat_visit *visit, void *context)
{
    char path[256];
    for (u32 d = 0; d < system->plan->domain_count; d++) {
        const struct plan_domain *domain = &system->plan->domains[d];
        for (u32 i = 0; i < domain->unit_count; i++) {
            struct stat_group group = stats_group(domain, &domain->units[i]);
            stats_group_path(&group, path, sizeof path);
            group_tell(system, &group, path, visit, context);
        }
    }
}

static void units_tell(const ogv_system *system, ogv_stat_visit *visit, void *context)
{
    char path[256];
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        struct plan_spot spot = plan_locate(system->plan, n);
        struct stat_group alone = {
            spot.domain, spot.unit, spot.domain_copy, 1, spot.unit_copy, 1
        };
        plan_path(system->plan, n, path, sizeof path);
        group_tell(system, &alone, path, visit, context);
    }
}

void ogv_system_stats(ogv_system *system, enum ogv_grain grain, ogv_stat_visit *visit,
                      void *context)
{
    system_settle(system);
    if (grain == OGV_EACH_UNIT)
        units_tell(system, visit, context);
    else
        groups_tell(system, visit, context);
}
