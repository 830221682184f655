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
        heap_grow(found->resources, found->resource_count + 1, sizeof *found->resources);
    struct resource *resource = &found->resources[found->resource_count++];
    *resource = (struct resource){
        .group = group, .name = heap_copy(name), .kind = kind, .utilisation = NAN, .waiting = NAN
    };
    return resource;
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
    if (whole > 0 && row->used)
        resource->utilisation = fmax(fmin(group_value(of, row->used) / whole, 1), 0);
    resource->waiting = waiting_at(result, &search->waiting, group, number);
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

static void link_add(void *context, const struct result_group *from, const struct result_group *to,
                     double cycles)
{
    struct search *search = context;
    char *name = text_format("links to %s", to->name);
    struct resource *resource = resource_add(search->found, from, name, RESOURCE_DELAY);
    free(name);
    if (search->waiting.cycles > 0)
        resource->waiting = waiting_requests(&search->waiting, cycles);
}

bool resource_at_limit(const struct resource *resource)
{
    return resource->kind == RESOURCE_WORK && resource->utilisation >= RESOURCE_AT_LIMIT;
}

/* Larger first; what is not known comes last. */
static int number_compare(double a, double b)
{
    a = isnan(a) ? -1 : a;
    b = isnan(b) ? -1 : b;
    return a == b ? 0 : a > b ? -1 : 1;
}

/* What works at its limit bounds the run, however the waiting is divided: it comes first, the
 * busiest before others. Then most waiting first, then the busiest. */
static int resource_compare(const void *left, const void *right)
{
    const struct resource *a = left, *b = right;
    bool limit_a = resource_at_limit(a), limit_b = resource_at_limit(b);
    if (limit_a != limit_b)
        return limit_a ? -1 : 1;
    int busy = number_compare(a->utilisation, b->utilisation);
    int wait = number_compare(a->waiting, b->waiting);
    int first = limit_a ? busy : wait, second = limit_a ? wait : busy;
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
    free(bottleneck);
}
