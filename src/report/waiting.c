/* waiting.c - charges the cycles that threads waited to the units that they waited for, and the
 * time of memory requests to the caches, links and DRAM that they passed. */
#include "report/waiting.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"

#define MESSAGE_BYTES 32

/* ---- Threads ---- */

/* The value that a core's table of instructions has for a name, up to the next comma. */
static bool table_value(const char *table, const char *name, size_t length, char *value,
                        size_t size)
{
    for (const char *at = table; *at; at += strcspn(at, ","), at += *at == ',') {
        while (isspace((unsigned char)*at))
            at++;
        if (strncmp(at, name, length) || (at[length] != ':' && name[length - 1] != '.'))
            continue;
        at += strcspn(at, ":,");
        if (*at != ':')
            continue;
        at++;
        while (isspace((unsigned char)*at))
            at++;
        size_t long_as = strcspn(at, ",");
        if (long_as >= size)
            return false;
        memcpy(value, at, long_as);
        value[long_as] = 0;
        return true;
    }
    return false;
}

static const struct result_group *unit_beside(const struct result *result,
                                              const struct result_group *core, const char *unit)
{
    char *name = text_format("%.*s.%s", (int)strcspn(core->name, "."), core->name, unit);
    const struct result_group *group = result_find(result, name);
    free(name);
    return group;
}

/* The RT core that one of the custom instructions goes to. */
static const struct result_group *custom_target(const struct result *result,
                                                const struct result_group *core)
{
    const struct result_group *other = NULL;
    const char *table = result_words(core, "execute");
    char value[64];
    for (const char *at = strstr(table, "custom."); at; at = strstr(at + 1, "custom.")) {
        const struct result_group *unit = table_value(at, "custom.", 7, value, sizeof value)
                                              ? unit_beside(result, core, value)
                                              : NULL;
        if (unit && !strcmp(unit->type, "rtcore"))
            return unit;
        if (unit)
            other = unit;
    }
    return other;
}

/* The unit that executes a class of instructions; NULL: the core itself. */
static const struct result_group *class_target(const struct result *result,
                                               const struct result_group *core, const char *class)
{
    char value[64];
    if (!strncmp(class, "custom", 6))
        return custom_target(result, core);
    if (!table_value(result_words(core, "execute"), class, strlen(class), value, sizeof value))
        return NULL;
    return unit_beside(result, core, value);
}

static bool class_is_memory(const char *class)
{
    return !strcmp(class, "load") || !strcmp(class, "store") || !strcmp(class, "atomic") ||
           !strcmp(class, "fence");
}

static void class_charge(const struct result *result, const struct result_group *core,
                         const char *class, double hazard, double busy, struct waiting *waiting)
{
    const struct result_group *unit = class_target(result, core, class);
    if (class_is_memory(class)) {
        waiting->memory += hazard + busy;
    } else if (unit && !strcmp(unit->type, "rtcore")) {
        waiting->rt_time += hazard;
        waiting->rt_room += busy;
    } else if (unit) {
        waiting->by_unit[unit - result->groups] += hazard + busy;
    } else {
        waiting->in_core += hazard + busy;
    }
}

static void core_charge(const struct result *result, const struct result_group *core,
                        struct waiting *waiting)
{
    const char *name;
    json_t *row;
    json_object_foreach((json_t *)core->rows, name, row)
    {
        if (strncmp(name, "hazard_", 7))
            continue;
        char *busy = text_format("busy_%s", name + 7);
        class_charge(result, core, name + 7, result_stat(core, name), result_stat(core, busy),
                     waiting);
        free(busy);
    }
    waiting->passed += result_stat(core, "passed");
    waiting->memory += result_stat(core, "fetch") + result_stat(core, "fence");
    waiting->threads +=
        result_stat(core, "cycles") - result_stat(core, "issued") - result_stat(core, "halted");
}

static void waiting_share(const struct result *result, struct waiting *waiting)
{
    double whole = waiting->threads > 0 ? waiting->threads : 1;
    waiting->passed /= whole;
    waiting->in_core /= whole;
    waiting->memory /= whole;
    waiting->rt_room /= whole;
    waiting->rt_time /= whole;
    for (u32 i = 0; i < result->group_count; i++)
        waiting->by_unit[i] /= whole;
}

/* ---- Memory requests ---- */

/* From cycles of a unit to cycles of the chip. */
static double chip_cycles(const struct result *result, const struct result_group *group)
{
    return result->clock_hz / group->clock_hz;
}

double cache_access_time(const struct result *result, const struct result_group *cache)
{
    double hits = result_stat(cache, "hits"), lookups = result_stat(cache, "lookups");
    double missed = lookups > hits ? lookups - hits : 0;
    double cycles = hits * result_param(cache, "latency") +
                    missed * (result_param(cache, "lookup") + result_param(cache, "fill"));
    return cycles * chip_cycles(result, cache);
}

double cache_queue_time(const struct result *result, const struct result_group *cache)
{
    double cycles = result_stat(cache, "bank_conflicts") + result_stat(cache, "answer_stalls") +
                    result_stat(cache, "order_stalls") + result_stat(cache, "fence_stalls");
    return cycles * chip_cycles(result, cache);
}

double cache_room_time(const struct result *result, const struct result_group *cache)
{
    double cycles = result_stat(cache, "mshr_stalls") + result_stat(cache, "merge_stalls") +
                    result_stat(cache, "way_stalls") + result_stat(cache, "pass_stalls") +
                    result_stat(cache, "below_stalls");
    return cycles * chip_cycles(result, cache);
}

double dram_time(const struct result *result, const struct result_group *dram, const char *stat)
{
    return result_stat(dram, stat) * chip_cycles(result, dram);
}

double link_time(const struct result_group *from, double latency)
{
    double bytes = result_stat(from, "bytes_fetched") + result_stat(from, "bytes_sent");
    return bytes / MESSAGE_BYTES * 2 * latency;
}

/* "sm.l1" of "sm.l1.next", "l1", "rt[*2]"; false if it is too long. */
static bool end_name(const char *text, size_t length, const char *within, char *name, size_t size)
{
    char *plain = text_format("%.*s", (int)length, text);
    plain[strcspn(plain, " \t\r\n")] = 0;
    path_plain(plain, "", plain, length + 1);
    const char *end = plain;
    path_name_cut(&end);
    if (!*within && *end == '.') {
        end++;
        path_name_cut(&end);
    }
    int used =
        snprintf(name, size, "%s%s%.*s", within, *within ? "." : "", (int)(end - plain), plain);
    free(plain);
    return used >= 0 && (size_t)used < size;
}

const struct result_group *link_cache(const struct result *result, const json_t *link,
                                      double *latency, const char **to)
{
    char name[256];
    const char *text = json_string_value(json_object_get(link, "link"));
    const char *within = json_string_value(json_object_get(link, "within"));
    const char *arrow = text ? strstr(text, "->") : NULL;
    *latency = json_number_value(json_object_get(link, "latency_cycles"));
    if (!arrow || !within || !(*latency >= 0))
        return NULL;
    const char *end = arrow + 2 + strspn(arrow + 2, " ");
    if (!end_name(end, strlen(end), within, name, sizeof name))
        return NULL;
    const struct result_group *target = result_find(result, name);
    if (!end_name(text, (size_t)(arrow - text), within, name, sizeof name))
        return NULL;
    const struct result_group *from = result_find(result, name);
    if (!from || !target || strcmp(from->type, "cache"))
        return NULL;
    *to = target->name;
    return from;
}

static double requests_time(const struct result *result)
{
    double sum = 0, latency;
    const char *to;
    size_t i;
    json_t *link;
    for (u32 g = 0; g < result->group_count; g++) {
        const struct result_group *group = &result->groups[g];
        if (!strcmp(group->type, "cache"))
            sum += cache_access_time(result, group) + cache_queue_time(result, group) +
                   cache_room_time(result, group);
        if (!strcmp(group->type, "dram"))
            sum += dram_time(result, group, "controller_cycles") +
                   dram_time(result, group, "queue_cycles") +
                   dram_time(result, group, "service_cycles");
        if (!strcmp(group->type, "memory"))
            sum += result_stat(group, "reads") * result_param(group, "latency");
    }
    json_array_foreach(json_object_get(result->run, "links"), i, link)
    {
        const struct result_group *from = link_cache(result, link, &latency, &to);
        sum += from ? link_time(from, latency) : 0;
    }
    return sum;
}

void waiting_find(const struct result *result, struct waiting *waiting)
{
    *waiting = (struct waiting){ .by_unit = heap_array(result->group_count + 1, sizeof(double)) };
    for (u32 i = 0; i < result->group_count; i++)
        if (!strcmp(result->groups[i].type, "core"))
            core_charge(result, &result->groups[i], waiting);
    waiting_share(result, waiting);
    waiting->requests = requests_time(result);
}

void waiting_fini(struct waiting *waiting)
{
    free(waiting->by_unit);
}
