/* bottleneck.c - lists the resources of all groups, each with how busy it was and its share of the
 * waiting, what limits first. */
#include "report/bottleneck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/sentences.h"
#include "report/stalls.h"
#include "report/waiting.h"
#include "report/what_if.h"

/* What the parts of the search share. */
struct search {
    const struct result *result;
    struct bottleneck *found;
    struct waiting waiting;
};

static struct resource *resource_add(struct bottleneck *found, const struct result_group *group,
                                     const char *name, enum resource_kind kind)
{
    found->resources =
        heap_append(found->resources, found->resource_count, sizeof *found->resources);
    struct resource *resource = &found->resources[found->resource_count++];
    *resource = (struct resource){
        .group = group,
        .name = heap_copy(name),
        .kind = kind,
        .utilisation = NAN,
        .used = NAN,
        .waiting = NAN,
        .latency_cycles = NAN,
    };
    return resource;
}

/* A setting that the run wrote down for somebody to try; NULL: none. */
static const char *try_find(const struct search *search, const struct resource *resource,
                            const char *how)
{
    const json_t *tries = json_object_get(search->result->run, "tries");
    const json_t *group = json_object_get(tries, resource->group->name);
    return json_string_value(json_object_get(json_object_get(group, resource->name), how));
}

static void row_add(struct search *search, u32 group, u32 number)
{
    const struct result *result = search->result;
    const struct result_group *of = &result->groups[group];
    const struct explained_resource *row = &of->explained->resources[number];
    if (row->kind == RESOURCE_LINKS)
        return;
    struct resource *resource = resource_add(search->found, of, row->name, row->kind);
    resource->row = row;
    resource->per_cycle = fmax(group_capacity(result, of, row), 0);
    double whole = resource->per_cycle * result->cycles;
    if (whole > 0 && row->used) {
        resource->utilisation = fmax(fmin(group_value(of, row->used) / whole, 1), 0);
        resource->used = resource->utilisation * resource->per_cycle;
    }
    resource->waiting = waiting_at(result, &search->waiting, group, number);
    resource->more = try_find(search, resource, "more");
    resource->less = try_find(search, resource, "less");
}

/* A group that others wait for, or that requests for memory pass, should say what limits it. */
static void unexplained_add(struct search *search, u32 group)
{
    const struct result_group *of = &search->result->groups[group];
    const struct waited *waited = &search->waiting.groups[group];
    if (!of->explained || of->explained->resource_count || of->explained->account_count ||
        !(of->explained->memory || waited->awaited))
        return;
    struct resource *resource =
        resource_add(search->found, of, "not explained", RESOURCE_UNEXPLAINED);
    if (waited->awaited && search->waiting.cycles > 0)
        resource->waiting = waited->room + waited->answer;
}

static void link_add(void *context, const struct waited_link *link)
{
    struct search *search = context;
    const json_t *tries = json_object_get(search->result->run, "tries");
    char *name = text_format("links to %s", link->to->name);
    struct resource *resource = resource_add(search->found, link->from, name, RESOURCE_DELAY);
    free(name);
    resource->latency_cycles = link->latency_cycles;
    resource->less =
        json_string_value(json_array_get(json_object_get(tries, "links"), link->number));
    if (search->waiting.cycles > 0)
        resource->waiting = waiting_requests(&search->waiting, link->cycles);
}

/* Who waits for what could also be faster waits for its latency, whatever else is done there. */
static bool work_is_at_limit(const struct resource *resource)
{
    bool waited = resource->waiting >= RESOURCE_WORK_WAITING && !resource->less;
    return resource->utilisation >= (waited ? RESOURCE_HALF_USED : RESOURCE_AT_LIMIT);
}

static bool room_is_full(const struct resource *resource)
{
    bool waited = resource->waiting >= RESOURCE_ROOM_WAITING;
    return resource->waiting >= SHARE_LEAST &&
           resource->utilisation >= (waited ? RESOURCE_HALF_USED : RESOURCE_FULL);
}

bool resource_at_limit(const struct resource *resource)
{
    return (resource->kind == RESOURCE_WORK && work_is_at_limit(resource)) ||
           (resource->kind == RESOURCE_ROOM && room_is_full(resource));
}

/* Larger first; what is not known comes last. */
static int number_compare(double a, double b)
{
    a = isnan(a) ? -1 : a;
    b = isnan(b) ? -1 : b;
    return a == b ? 0 : a > b ? -1 : 1;
}

/* 0: works at its limit; 1: is full; 2: neither. */
static int resource_rank(const struct resource *resource)
{
    return !resource_at_limit(resource) ? 2 : resource->kind == RESOURCE_WORK ? 0 : 1;
}

/* What works at its limit bounds the run, however the waiting is divided: it comes first, the
 * busiest before others. What is full comes next: with more of it, more waits would pass at once.
 * Then most waiting first, then the busiest. */
static int resource_compare(const void *left, const void *right)
{
    const struct resource *a = left, *b = right;
    int rank = resource_rank(a);
    if (rank != resource_rank(b))
        return rank - resource_rank(b);
    int busy = number_compare(a->utilisation, b->utilisation);
    int wait = number_compare(a->waiting, b->waiting);
    int first = rank ? wait : busy, second = rank ? busy : wait;
    if (first || second)
        return first ? first : second;
    int order = strcmp(a->group->name, b->group->name);
    return order ? order : strcmp(a->name, b->name);
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

struct bottleneck *bottleneck_find(const struct result *result)
{
    struct bottleneck *found = heap_array(1, sizeof *found);
    struct search search = { .result = result, .found = found };
    found->tree_count = stalls_find(result, &found->trees);
    waiting_find(result, &search.waiting);
    for (u32 g = 0; g < result->group_count; g++) {
        const struct explained *explained = result->groups[g].explained;
        for (u32 i = 0; explained && i < explained->resource_count; i++)
            row_add(&search, g, i);
        unexplained_add(&search, g);
    }
    links_visit(result, link_add, &search);
    if (found->resource_count)
        qsort(found->resources, found->resource_count, sizeof *found->resources, resource_compare);
    what_if_find(result, found);
    sentences_add(result, &search.waiting, found);
    waiting_fini(result, &search.waiting);
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
    free(bottleneck->what_if.command);
    free(bottleneck);
}
