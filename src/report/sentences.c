/* sentences.c - see sentences.h. All names in them are those that the units themselves gave. */
#include "report/sentences.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/what_if.h"

/* The share of cycles after the end of the work from which on it is worth a word. */
#define TAIL 0.25
/* Causes of less than this share of the waiting are left to the table. */
#define SAID 0.01

static double percent(double share)
{
    return 100 * share;
}

static void word_add(struct bottleneck *found, char *sentence)
{
    found->words = heap_append(found->words, found->word_count, sizeof *found->words);
    found->words[found->word_count++] = sentence;
}

/* ---- Resources ---- */

static const char *how_busy(const struct resource *resource)
{
    if (resource->kind == RESOURCE_ROOM)
        return resource_at_limit(resource)                   ? "Others waited for room"
               : resource->utilisation >= RESOURCE_HALF_USED ? "More than half full"
                                                             : "Room to spare";
    return resource_at_limit(resource)    ? "At its limit"
           : resource->utilisation >= 0.5 ? "Busy"
           : resource->utilisation >= 0.1 ? "Not a limit"
                                          : "Hardly used";
}

static void amount_add(struct text *text, double amount)
{
    text_add(text, amount >= 100 ? "%.0f" : "%.3g", amount);
}

/* What one of the units had in its own cycles: the two columns beside this are shares. */
static void resource_amount(const struct result *result, const struct resource *resource,
                            struct text *text)
{
    double scale = group_chip_cycles(result, resource->group) / resource->group->copies;
    text_add(text, "%s: on average ", how_busy(resource));
    amount_add(text, resource->used * scale);
    text_add(text, " of ");
    amount_add(text, resource->per_cycle * scale);
    text_add(text, resource->kind == RESOURCE_ROOM ? " in use" : " per cycle");
    if (resource->group->copies > 1)
        text_add(text, " in each of %u units", resource->group->copies);
}

static void resource_describe(const struct result *result, const struct resource *resource,
                              struct text *text)
{
    if (resource->kind == RESOURCE_UNEXPLAINED)
        text_add(text, "Not explained: its type declares no resources");
    else if (resource->row && resource->row->words)
        text_add(text, "%.1f%% %s",
                 percent(isnan(resource->utilisation) ? 0 : resource->utilisation),
                 resource->row->words);
    else if (!isnan(resource->latency_cycles))
        text_add(text, "%.0f cycle%s there and as many back", resource->latency_cycles,
                 resource->latency_cycles == 1 ? "" : "s");
    else if (resource->kind == RESOURCE_DELAY)
        text_add(text, "Only takes time: it cannot be full");
    else if (isnan(resource->utilisation))
        text_add(text, "How much of it was used is not known");
    else
        resource_amount(result, resource, text);
}

static void resource_explain(const struct result *result, struct resource *resource)
{
    const char *setting = resource_try(resource);
    struct text text = { 0 };
    resource_describe(result, resource, &text);
    if (setting && (resource_at_limit(resource) || resource->waiting >= SAID))
        text_add(&text, "; to try: %s", setting);
    text_add(&text, ".");
    resource->sentence = heap_copy(text_get(&text));
    text_fini(&text);
}

/* ---- The limit ---- */

static bool all_is_explained(const struct bottleneck *found)
{
    for (u32 i = 0; i < found->resource_count; i++)
        if (found->resources[i].kind == RESOURCE_UNEXPLAINED)
            return false;
    return true;
}

/* ", and 24.9% of the waiting ..." of a sentence about a resource, if that is known. */
static void waiting_say(const struct resource *resource, const char *how, struct text *text)
{
    if (resource->waiting >= SHARE_LEAST)
        text_add(text, ", and %.1f%% of the waiting was %s", percent(resource->waiting), how);
}

/* The first of the ranking works at its limit, or is full. */
static void reached_explain(struct bottleneck *found, const struct resource *first)
{
    struct text text = { 0 };
    const char *group = first->group->name;
    if (first->kind == RESOURCE_WORK)
        text_add(&text, "The limit was the %s of %s: %.1f%% busy", first->name, group,
                 percent(first->utilisation));
    else
        text_add(
            &text,
            "The limit was latency, with too few %s to hide it: those of %s were %.1f%% in use",
            first->name, group, percent(first->utilisation));
    waiting_say(first, first->kind == RESOURCE_WORK ? "there" : "for room in them", &text);
    text_add(&text, ".");
    word_add(found, heap_copy(text_get(&text)));
    text_fini(&text);
}

/* Nothing that is known has reached a limit: the time passed where the waiting was. */
static void latency_explain(struct bottleneck *found, const struct resource *first)
{
    const struct resource *closest = bottleneck_busiest(found, RESOURCE_WORK);
    bool all = all_is_explained(found), waited = first->waiting >= SHARE_LEAST;
    struct text text = { 0 };
    if (waited && all)
        text_add(&text,
                 "The limit was latency: the largest share of the waiting, %.1f%%, was at the %s "
                 "of %s, and nothing",
                 percent(first->waiting), first->name, first->group->name);
    else
        text_add(&text, "No limit was found: nothing%s", all ? "" : " that is explained");
    text_add(&text, " was full or worked at its limit");
    if (closest)
        text_add(&text, " (the %s of %s came closest, %.1f%% busy)", closest->name,
                 closest->group->name, percent(closest->utilisation));
    text_add(&text, "%s.", waited ? "" : ", and no unit says what it waited for");
    word_add(found, heap_copy(text_get(&text)));
    text_fini(&text);
}

static void limit_explain(struct bottleneck *found)
{
    const struct resource *first = found->resource_count ? &found->resources[0] : NULL;
    if (!first)
        return;
    if (resource_at_limit(first))
        reached_explain(found, first);
    else
        latency_explain(found, first);
}

static void unexplained_explain(struct bottleneck *found)
{
    for (u32 i = 0; i < found->resource_count; i++) {
        const struct resource *resource = &found->resources[i];
        if (resource->kind != RESOURCE_UNEXPLAINED)
            continue;
        struct text text = { 0 };
        text_add(&text, "%s is not explained", resource->group->name);
        if (resource->waiting >= SHARE_LEAST)
            text_add(&text, ", and %.1f%% of the waiting was for it", percent(resource->waiting));
        text_add(&text, ": its type, %s, declares no resources, so the limit may be there unseen.",
                 resource->group->type);
        word_add(found, heap_copy(text_get(&text)));
        text_fini(&text);
    }
}

/* ---- Who waited, and for what ---- */

/* Something that a group waited for. */
struct cause {
    double share;
    char *words;
};

struct causes {
    struct cause *list;
    u32 count;
};

static void cause_add(struct causes *causes, double share, char *words)
{
    for (u32 i = 0; i < causes->count; i++) {
        if (strcmp(causes->list[i].words, words))
            continue;
        causes->list[i].share += share;
        free(words);
        return;
    }
    causes->list = heap_append(causes->list, causes->count, sizeof *causes->list);
    causes->list[causes->count++] = (struct cause){ share, words };
}

static int cause_compare(const void *left, const void *right)
{
    const struct cause *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->words, b->words);
}

static void row_cause(const struct result *result, const struct result_group *group, u32 row,
                      struct causes *causes)
{
    const struct explained_account *account = &group->explained->accounts[row];
    bool others = account->charge == ACCOUNT_ROOM || account->charge == ACCOUNT_ANSWER;
    u32 target = others ? group->awaits[row] : EXPLAINED_NONE;
    double value = account_value(group, row);
    if (account->charge == ACCOUNT_MEMORY)
        cause_add(causes, value, heap_copy("memory"));
    else if (target != EXPLAINED_NONE)
        cause_add(causes, value, heap_copy(result->groups[target].name));
    else if ((others || account->charge == ACCOUNT_OWN) && account->at != EXPLAINED_NONE)
        cause_add(causes, value,
                  text_format("the %s of %s", group->explained->resources[account->at].name,
                              group->name));
}

static void causes_say(struct causes *causes, double whole, struct bottleneck *found)
{
    struct text text = { 0 };
    u32 last = 0;
    if (causes->count)
        qsort(causes->list, causes->count, sizeof *causes->list, cause_compare);
    while (last < causes->count && causes->list[last].share >= SAID * whole)
        last++;
    for (u32 i = 0; i < last; i++)
        text_add(&text, "%s%s (%.1f%%)",
                 !i              ? ""
                 : i + 1 == last ? " and "
                                 : ", ",
                 causes->list[i].words, percent(causes->list[i].share / whole));
    if (last)
        word_add(found, text_format("They waited for %s.", text_get(&text)));
    text_fini(&text);
}

static void causes_explain(const struct result *result, u32 number, double whole,
                           struct bottleneck *found)
{
    const struct result_group *group = &result->groups[number];
    struct causes causes = { 0 };
    for (u32 i = 0; i < group->explained->first_count; i++)
        if (account_is_leaf(group->explained, i))
            row_cause(result, group, i, &causes);
    causes_say(&causes, whole, found);
    for (u32 i = 0; i < causes.count; i++)
        free(causes.list[i].words);
    free(causes.list);
}

/* "Threads" of "thread-cycles of all cores"; what else a tree is called stays as it is. */
static char *population(const struct result_group *group)
{
    const char *words = group->explained->accounts[0].words, *dash = strstr(words, "-cycles");
    if (!dash || dash == words)
        return heap_copy("Those");
    return text_format("%c%.*ss", toupper((unsigned char)*words), (int)(dash - words - 1),
                       words + 1);
}

static void root_explain(const struct result *result, const struct waiting *waiting, u32 number,
                         struct bottleneck *found)
{
    const struct result_group *group = &result->groups[number];
    const struct waited *waited = &waiting->groups[number];
    double waits = fmax(waited->whole - waited->worked - waited->over, 0);
    char *who = population(group);
    word_add(found,
             text_format("%s of %s made progress in %.1f%% of their cycles, waited in %.1f%%, and "
                         "had ended in %.1f%%.",
                         who, group->name, percent(waited->worked / waited->whole),
                         percent(waits / waited->whole), percent(waited->over / waited->whole)));
    free(who);
    if (waits > 0)
        causes_explain(result, number, waits, found);
    if (waited->over >= TAIL * waited->whole)
        word_add(found, text_format("Much of the run was its tail, in which %s had little left to "
                                    "do: more work, or work that is divided more evenly, would "
                                    "fill the chip better.",
                                    group->name));
}

static int part_compare(const void *left, const void *right)
{
    const struct stall *a = *(const struct stall *const *)left;
    const struct stall *b = *(const struct stall *const *)right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Of those that others wait for: the first parts of their tree, the largest first. */
static void tree_explain(const struct stall *tree, struct bottleneck *found)
{
    const struct stall **parts = heap_array(tree->part_count + 1, sizeof *parts);
    struct text text = { 0 };
    for (u32 i = 0; i < tree->part_count; i++)
        parts[i] = &tree->parts[i];
    if (tree->part_count)
        qsort(parts, tree->part_count, sizeof *parts, part_compare);
    for (u32 i = 0; i < tree->part_count; i++)
        if (parts[i]->value >= SAID * tree->value)
            text_add(&text, "%s%s (%.1f%%)", text.length ? "; " : "", parts[i]->label,
                     percent(parts[i]->value / tree->value));
    if (text.length)
        word_add(found, text_format("The %s went to: %s.", tree->label, text_get(&text)));
    text_fini(&text);
    free(parts);
}

static bool type_is_root(const struct result *result, const struct waiting *waiting,
                         const char *type)
{
    for (u32 g = 0; g < result->group_count; g++)
        if (waiting->groups[g].root && !strcmp(result->groups[g].type, type))
            return true;
    return false;
}

void sentences_add(const struct result *result, const struct waiting *waiting,
                   struct bottleneck *found)
{
    for (u32 i = 0; i < found->resource_count; i++)
        resource_explain(result, &found->resources[i]);
    limit_explain(found);
    unexplained_explain(found);
    for (u32 g = 0; g < result->group_count; g++)
        if (waiting->groups[g].root)
            root_explain(result, waiting, g, found);
    for (u32 i = 0; i < found->tree_count; i++)
        if (found->trees[i].first && !type_is_root(result, waiting, found->trees[i].type))
            tree_explain(&found->trees[i], found);
    if (!result->explained_count)
        word_add(found, heap_copy("What limited it is not known: the folder was written by a "
                                  "version whose units did not explain themselves. Run it again "
                                  "to see."));
}
