/* bottleneck.c - lists what a chip has of every kind, each with how busy it was and its share of
 * the waiting; then says in words what limited the run. */
#include "report/bottleneck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/stalls.h"
#include "report/waiting.h"

/* The share of thread-cycles after the end of the program from which on it is worth a word. */
#define TAIL 0.25

/* What the parts of the search share. */
struct search {
    const struct result *result;
    struct bottleneck *found;
    struct waiting waiting;
    const struct stall *threads, *rays; /* NULL: none */
    double rt;                          /* share of the threads' waiting that was for RT cores */
    double memory;                      /* share of all waiting that was for memory */
};

/* ---- Resources ---- */

static struct resource *resource_add(struct search *search, const struct result_group *group,
                                     const char *name, enum resource_kind kind, double per_unit)
{
    struct bottleneck *found = search->found;
    found->resources =
        heap_grow(found->resources, found->resource_count + 1, sizeof *found->resources);
    struct resource *resource = &found->resources[found->resource_count++];
    double speed = group->clock_hz / search->result->clock_hz;
    *resource = (struct resource){ .group = group,
                                   .name = heap_copy(name),
                                   .kind = kind,
                                   .per_cycle = per_unit * group->copies * speed,
                                   .utilisation = NAN,
                                   .waiting = NAN };
    return resource;
}

/* Fills in how busy it was. `waiting` counts only if somebody's waiting was counted. */
static void resource_settle(const struct search *search, struct resource *resource, double waiting)
{
    double used = 0, whole = resource->per_cycle * search->result->cycles;
    for (u32 i = 0; i < RESOURCE_USES && resource->uses[i]; i++)
        used += result_stat(resource->group, resource->uses[i]);
    if (whole > 0 && resource->uses[0])
        resource->utilisation = fmin(used / whole, 1);
    if (search->waiting.threads > 0 || search->rays)
        resource->waiting = fmax(waiting, 0);
}

/* The share of all waiting that rays spent in phases. */
static double phase_share(const struct search *search, const char *queue, const char *inside)
{
    if (!search->rays)
        return 0;
    double value = stall_value(search->rays, queue) + stall_value(search->rays, inside);
    return search->rt * value / search->rays->value;
}

static double request_share(const struct search *search, double time)
{
    double whole = search->waiting.requests;
    return whole > 0 ? search->memory * time / whole : 0;
}

static void core_resources(struct search *search, const struct result_group *core)
{
    struct resource *issue = resource_add(search, core, "issue slots", RESOURCE_WORK, 1);
    issue->uses[0] = "active";
    resource_settle(search, issue, search->waiting.passed);
    struct resource *own = resource_add(search, core, "own pipelines", RESOURCE_DELAY, 0);
    resource_settle(search, own, search->waiting.in_core);
}

static void sfu_resources(struct search *search, const struct result_group *sfu)
{
    u32 number = (u32)(sfu - search->result->groups);
    struct resource *pipes =
        resource_add(search, sfu, "pipelines", RESOURCE_WORK, result_param(sfu, "width"));
    pipes->uses[0] = "busy";
    resource_settle(search, pipes, search->waiting.by_unit[number]);
}

static void rtcore_resources(struct search *search, const struct result_group *rt)
{
    struct resource *slots =
        resource_add(search, rt, "ray slots", RESOURCE_ROOM, result_param(rt, "rays"));
    slots->uses[0] = "ray_cycles";
    resource_settle(search, slots, search->waiting.rt_room);
    struct resource *turns =
        resource_add(search, rt, "schedule slots", RESOURCE_WORK, result_param(rt, "schedule"));
    static const char *const steps[RESOURCE_USES] = { "slots_node", "slots_block", "slots_cull",
                                                      "slots_stack", "slots_end" };
    memcpy(turns->uses, steps, sizeof steps);
    resource_settle(search, turns, phase_share(search, "wait_schedule", ""));
    struct resource *box =
        resource_add(search, rt, "box pipes", RESOURCE_WORK, result_param(rt, "box_pipes"));
    box->uses[0] = "box_busy";
    resource_settle(search, box, phase_share(search, "wait_box_queue", "wait_box"));
    struct resource *triangle = resource_add(search, rt, "triangle pipes", RESOURCE_WORK,
                                             result_param(rt, "triangle_pipes"));
    triangle->uses[0] = "triangle_busy";
    resource_settle(search, triangle, phase_share(search, "wait_triangle_queue", "wait_triangle"));
    struct resource *answers =
        resource_add(search, rt, "answers", RESOURCE_WORK, result_param(rt, "answers"));
    answers->uses[0] = "rays";
    answers->uses[1] = "empty";
    resource_settle(search, answers, phase_share(search, "wait_answer", "wait_warp"));
}

static void cache_resources(struct search *search, const struct result_group *cache)
{
    double slices = result_param(cache, "slices");
    double banks = slices * result_param(cache, "banks") * result_param(cache, "ports");
    struct resource *bandwidth = resource_add(search, cache, "bandwidth", RESOURCE_WORK, banks);
    bandwidth->uses[0] = "reads";
    bandwidth->uses[1] = "writes";
    bandwidth->uses[2] = "atomics";
    resource_settle(search, bandwidth,
                    request_share(search, cache_queue_time(search->result, cache)));
    struct resource *latency = resource_add(search, cache, "latency", RESOURCE_DELAY, 0);
    resource_settle(search, latency,
                    request_share(search, cache_access_time(search->result, cache)));
    struct resource *mshrs =
        resource_add(search, cache, "MSHRs", RESOURCE_ROOM, slices * result_param(cache, "mshrs"));
    mshrs->uses[0] = "occupancy";
    resource_settle(search, mshrs, request_share(search, cache_room_time(search->result, cache)));
}

static void dram_resources(struct search *search, const struct result_group *dram)
{
    const struct result *result = search->result;
    double cycles = result->cycles > 0 ? result->cycles : 1;
    double requests = result_stat(dram, "row_hits") + result_stat(dram, "row_misses") +
                      result_stat(dram, "row_conflicts");
    struct resource *bus = resource_add(search, dram, "data bus", RESOURCE_WORK, 0);
    bus->per_cycle = result_stat(dram, "bus_cycles") / cycles;
    bus->uses[0] = "bus_busy";
    resource_settle(search, bus, request_share(search, dram_time(result, dram, "queue_cycles")));
    struct resource *rows = resource_add(search, dram, "rows in conflict", RESOURCE_DELAY, 0);
    rows->per_cycle = requests / cycles;
    rows->uses[0] = "row_conflicts";
    resource_settle(search, rows, request_share(search, dram_time(result, dram, "service_cycles")));
    struct resource *controller = resource_add(search, dram, "controller", RESOURCE_DELAY, 0);
    resource_settle(search, controller,
                    request_share(search, dram_time(result, dram, "controller_cycles")));
}

static void memory_resources(struct search *search, const struct result_group *memory)
{
    struct resource *width =
        resource_add(search, memory, "bandwidth", RESOURCE_WORK, result_param(memory, "width"));
    width->uses[0] = "reads";
    width->uses[1] = "writes";
    width->uses[2] = "atomics";
    double time = result_stat(memory, "reads") * result_param(memory, "latency");
    resource_settle(search, width, request_share(search, time));
}

static void crossbar_resources(struct search *search, const struct result_group *crossbar)
{
    struct resource *room = resource_add(search, crossbar, "requests under way", RESOURCE_ROOM, 1);
    room->uses[0] = "full";
    resource_settle(search, room, search->waiting.by_unit[crossbar - search->result->groups]);
}

static void other_resources(struct search *search, const struct result_group *group)
{
    double share = search->waiting.by_unit[group - search->result->groups];
    if (share > 0)
        resource_settle(search, resource_add(search, group, "answers", RESOURCE_DELAY, 0), share);
}

static void group_resources(struct search *search, const struct result_group *group)
{
    static const struct {
        const char *type;
        void (*find)(struct search *search, const struct result_group *group);
    } kinds[] = {
        { "core", core_resources },         { "sfu", sfu_resources },
        { "cache", cache_resources },       { "rtcore", rtcore_resources },
        { "dram", dram_resources },         { "memory", memory_resources },
        { "crossbar", crossbar_resources },
    };
    for (u32 i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].type, group->type))
            continue;
        kinds[i].find(search, group);
        return;
    }
    other_resources(search, group);
}

static void link_resources(struct search *search)
{
    double latency;
    const char *to;
    size_t i;
    json_t *link;
    json_array_foreach(json_object_get(search->result->run, "links"), i, link)
    {
        const struct result_group *from = link_cache(search->result, link, &latency, &to);
        if (!from)
            continue;
        char *name = text_format("links to %s", to);
        struct resource *resource = resource_add(search, from, name, RESOURCE_DELAY, 0);
        free(name);
        resource_settle(search, resource, request_share(search, link_time(from, latency)));
    }
}

/* ---- In words ---- */

static const char *how_busy(const struct resource *resource)
{
    if (resource->kind == RESOURCE_ROOM)
        return resource->utilisation >= 0.9   ? "full nearly all the time"
               : resource->utilisation >= 0.5 ? "more than half full on average"
                                              : "with room to spare";
    return resource->utilisation >= 0.9   ? "at its limit"
           : resource->utilisation >= 0.7 ? "near its limit"
           : resource->utilisation >= 0.3 ? "busy, with something in reserve"
                                          : "far from its limit";
}

static void resource_explain(struct resource *resource)
{
    struct text text = { 0 };
    const char *use = resource->kind == RESOURCE_ROOM ? "in use" : "busy";
    if (!strcmp(resource->name, "rows in conflict"))
        text_add(&text, "%.1f%% of requests found another row open",
                 100 * (isnan(resource->utilisation) ? 0 : resource->utilisation));
    else if (isnan(resource->utilisation))
        text_add(&text, "Takes its time, with no limit of its own");
    else
        text_add(&text, "%.1f%% %s: %s", 100 * resource->utilisation, use, how_busy(resource));
    if (resource->waiting >= 0.0005)
        text_add(&text, "; %.1f%% of the waiting passed here", 100 * resource->waiting);
    text_add(&text, ".");
    resource->sentence = heap_copy(text_get(&text));
    text_fini(&text);
}

static void word_add(struct bottleneck *found, char *sentence)
{
    found->words = heap_grow(found->words, found->word_count + 1, sizeof *found->words);
    found->words[found->word_count++] = sentence;
}

static void threads_explain(struct search *search)
{
    const struct stall *all = search->threads;
    if (!all)
        return;
    double issued = stall_value(all, "issued"), halted = stall_value(all, "halted");
    word_add(search->found,
             text_format("Threads issued instructions in %.1f%% of their cycles, waited in %.1f%%, "
                         "and had ended in %.1f%%.",
                         100 * issued / all->value, 100 * search->waiting.threads / all->value,
                         100 * halted / all->value));
    if (halted >= TAIL * all->value)
        word_add(
            search->found,
            heap_copy("For a large part of the run many threads had nothing left to do: more "
                      "work, or work that is divided more evenly, would use the chip better."));
    const struct waiting *w = &search->waiting;
    double other = 0;
    for (u32 i = 0; i < search->result->group_count; i++)
        other += w->by_unit[i];
    word_add(search->found,
             text_format("Of their waiting, %.1f%% was for RT cores, %.1f%% for memory, %.1f%% for "
                         "other units, %.1f%% for results of the core itself, and %.1f%% for their "
                         "turn to issue.",
                         100 * search->rt, 100 * w->memory, 100 * other, 100 * w->in_core,
                         100 * w->passed));
}

static void rays_explain(struct search *search)
{
    const struct stall *all = search->rays;
    if (!all)
        return;
    word_add(search->found,
             text_format("Rays in RT cores spent %.1f%% of their time waiting for memory, %.1f%% "
                         "on box tests, %.1f%% on triangle tests, %.1f%% ready before their turn, "
                         "and %.1f%% done but not gone.",
                         100 * stall_value(all, "memory") / all->value,
                         100 * stall_value(all, "box tests") / all->value,
                         100 * stall_value(all, "triangle tests") / all->value,
                         100 * stall_value(all, "wait_schedule") / all->value,
                         100 * stall_value(all, "done") / all->value));
}

const struct resource *bottleneck_busiest(const struct bottleneck *found, enum resource_kind kind)
{
    const struct resource *best = NULL;
    for (u32 i = 0; i < found->resource_count; i++) {
        const struct resource *resource = &found->resources[i];
        if (resource->kind == kind && !isnan(resource->utilisation) &&
            (!best || resource->utilisation > best->utilisation))
            best = resource;
    }
    return best;
}

static void limit_explain(struct search *search)
{
    const struct resource *work = bottleneck_busiest(search->found, RESOURCE_WORK);
    const struct resource *room = bottleneck_busiest(search->found, RESOURCE_ROOM);
    bool full = room && room->utilisation >= 0.5;
    if (!work)
        return;
    if (work->utilisation >= RESOURCE_AT_LIMIT)
        word_add(
            search->found,
            text_format("The %s of %s worked in %.1f%% of their cycles: more of them, or less work "
                        "for them, is what would help.",
                        work->name, work->group->name, 100 * work->utilisation));
    else
        word_add(
            search->found,
            text_format("Nothing worked at its limit (the %s of %s came closest, %.1f%%): the run "
                        "was limited by latency, and by how much was under way at once.",
                        work->name, work->group->name, 100 * work->utilisation));
    if (full && work->utilisation < RESOURCE_AT_LIMIT)
        word_add(search->found,
                 text_format("The %s of %s were %.1f%% in use: more of them may hide more latency.",
                             room->name, room->group->name, 100 * room->utilisation));
}

/* ---- The whole ---- */

/* Most waiting first; then the busiest; then in the order of the architecture. */
static int resource_compare(const void *left, const void *right)
{
    const struct resource *a = left, *b = right;
    double wait_a = isnan(a->waiting) ? -1 : a->waiting,
           wait_b = isnan(b->waiting) ? -1 : b->waiting;
    double busy_a = isnan(a->utilisation) ? -1 : a->utilisation;
    double busy_b = isnan(b->utilisation) ? -1 : b->utilisation;
    if (wait_a != wait_b)
        return wait_a > wait_b ? -1 : 1;
    if (busy_a != busy_b)
        return busy_a > busy_b ? -1 : 1;
    int order = strcmp(a->group->name, b->group->name);
    return order ? order : strcmp(a->name, b->name);
}

static const struct stall *tree_find(const struct bottleneck *found, const char *name)
{
    for (u32 i = 0; i < found->tree_count; i++)
        if (!strcmp(found->trees[i].name, name))
            return &found->trees[i];
    return NULL;
}

/* Without cores, rays are all that waits. */
static void search_shares(struct search *search)
{
    waiting_find(search->result, &search->waiting);
    search->threads = tree_find(search->found, "cycles");
    search->rays = tree_find(search->found, "ray_cycles");
    search->rt = search->threads ? search->waiting.rt_room + search->waiting.rt_time : 1;
    search->memory = search->waiting.memory;
    if (search->rays)
        search->memory += search->rt * stall_value(search->rays, "memory") / search->rays->value;
}

struct bottleneck *bottleneck_find(const struct result *result)
{
    struct bottleneck *found = heap_array(1, sizeof *found);
    struct search search = { .result = result, .found = found };
    found->tree_count = stalls_find(result, &found->trees);
    search_shares(&search);
    for (u32 i = 0; i < result->group_count; i++)
        group_resources(&search, &result->groups[i]);
    link_resources(&search);
    if (found->resource_count)
        qsort(found->resources, found->resource_count, sizeof *found->resources, resource_compare);
    for (u32 i = 0; i < found->resource_count; i++)
        resource_explain(&found->resources[i]);
    limit_explain(&search);
    threads_explain(&search);
    rays_explain(&search);
    waiting_fini(&search.waiting);
    return found;
}

void bottleneck_free(struct bottleneck *bottleneck)
{
    if (!bottleneck)
        return;
    for (u32 i = 0; i < bottleneck->tree_count; i++)
        stall_fini(&bottleneck->trees[i]);
    for (u32 i = 0; i < bottleneck->resource_count; i++) {
        free(bottleneck->resources[i].name);
        free(bottleneck->resources[i].sentence);
    }
    for (u32 i = 0; i < bottleneck->word_count; i++)
        free(bottleneck->words[i]);
    free(bottleneck->trees);
    free(bottleneck->resources);
    free(bottleneck->words);
    free(bottleneck);
}

/* ---- As JSON ---- */

static json_t *share_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
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
    return object;
}

static json_t *resource_json(const struct resource *resource)
{
    static const char *const kinds[] = { "work", "room", "delay" };
    json_t *object = json_object(), *uses = json_array();
    for (u32 i = 0; i < RESOURCE_USES && resource->uses[i]; i++)
        json_array_append_new(uses, json_string(resource->uses[i]));
    json_object_set_new(object, "name", json_string(resource->name));
    json_object_set_new(object, "group", json_string(resource->group->name));
    json_object_set_new(object, "kind", json_string(kinds[resource->kind]));
    json_object_set_new(object, "utilisation", share_json(resource->utilisation));
    json_object_set_new(object, "waiting", share_json(resource->waiting));
    json_object_set_new(object, "uses", uses);
    json_object_set_new(object, "capacity_per_cycle", json_real(resource->per_cycle));
    json_object_set_new(object, "sentence", json_string(resource->sentence));
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
