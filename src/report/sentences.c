/* sentences.c - see sentences.h. All names in them are those that the units themselves gave. */
#include "report/sentences.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The share of cycles after the end of the work from which on it is worth a word. */
#define TAIL  0.25
/* The least share that is worth a word. */
#define LEAST 0.0005

static double percent(double share)
{
    return 100 * share;
}

static void word_add(struct bottleneck *found, char *sentence)
{
    found->words = heap_grow(found->words, found->word_count + 1, sizeof *found->words);
    found->words[found->word_count++] = sentence;
}

/* ---- Resources ---- */

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

static void resource_describe(const struct resource *resource, struct text *text)
{
    double share = isnan(resource->utilisation) ? 0 : resource->utilisation;
    if (resource->kind == RESOURCE_UNEXPLAINED)
        text_add(text, "Not explained: its type declares no resources");
    else if (resource->row && resource->row->words)
        text_add(text, "%.1f%% %s", percent(share), resource->row->words);
    else if (resource->kind == RESOURCE_DELAY)
        text_add(text, "Latency");
    else if (isnan(resource->utilisation))
        text_add(text, "How busy it was is not known");
    else
        text_add(text, "%.1f%% %s: %s", percent(share),
                 resource->kind == RESOURCE_ROOM ? "in use" : "busy", how_busy(resource));
}

static void resource_explain(struct resource *resource)
{
    struct text text = { 0 };
    resource_describe(resource, &text);
    if (resource->waiting >= LEAST)
        text_add(&text, "; %.1f%% of the waiting passed here", percent(resource->waiting));
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

/* Nothing works at its limit, as far as is known. */
static void latency_explain(struct bottleneck *found, const struct resource *closest)
{
    bool all = all_is_explained(found);
    word_add(found, text_format("Nothing %sworked at its limit (the %s of %s came closest, "
                                "%.1f%%)%s.",
                                all ? "" : "that is explained ", closest->name,
                                closest->group->name, percent(closest->utilisation),
                                all ? ": the run was limited by latency, and by how much was under "
                                      "way at once"
                                    : ""));
    const struct resource *room = bottleneck_busiest(found, RESOURCE_ROOM);
    if (room && room->utilisation >= 0.5)
        word_add(found,
                 text_format("The %s of %s were %.1f%% in use: more of them may hide more latency.",
                             room->name, room->group->name, percent(room->utilisation)));
}

static void limit_explain(struct bottleneck *found)
{
    const struct resource *work = bottleneck_busiest(found, RESOURCE_WORK);
    if (!work)
        return;
    if (resource_at_limit(work))
        word_add(found, text_format("The limit was the %s of %s, %.1f%% busy: more of that, or "
                                    "less work for it, is what would help.",
                                    work->name, work->group->name, percent(work->utilisation)));
    else
        latency_explain(found, work);
}

static void unexplained_explain(struct bottleneck *found)
{
    for (u32 i = 0; i < found->resource_count; i++) {
        const struct resource *resource = &found->resources[i];
        if (resource->kind != RESOURCE_UNEXPLAINED)
            continue;
        struct text text = { 0 };
        text_add(&text, "%s is not explained", resource->group->name);
        if (resource->waiting >= LEAST)
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
    causes->list = heap_grow(causes->list, causes->count + 1, sizeof *causes->list);
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
    u32 said = 0, last = 0;
    if (causes->count)
        qsort(causes->list, causes->count, sizeof *causes->list, cause_compare);
    while (last < causes->count && causes->list[last].share >= LEAST * whole)
        last++;
    for (; said < last; said++)
        text_add(&text, "%s%.1f%% %sfor %s",
                 !said              ? ""
                 : said + 1 == last ? " and "
                                    : ", ",
                 percent(causes->list[said].share / whole), said ? "" : "was ",
                 causes->list[said].words);
    if (said)
        word_add(found, text_format("Of their waiting, %s.", text_get(&text)));
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
             text_format("%s of %s got on in %.1f%% of their cycles, waited in %.1f%%, and "
                         "had ended in %.1f%%.",
                         who, group->name, percent(waited->worked / waited->whole),
                         percent(waits / waited->whole), percent(waited->over / waited->whole)));
    if (waited->over >= TAIL * waited->whole)
        word_add(found, text_format("For a large part of the run many %c%s of %s had nothing left "
                                    "to do: more work, or work that is divided more evenly, would "
                                    "use the chip better.",
                                    tolower((unsigned char)*who), who + 1, group->name));
    free(who);
    if (waits > 0)
        causes_explain(result, number, waits, found);
}

/* Of those that others wait for: the first parts of their tree. */
static void tree_explain(const struct stall *tree, struct bottleneck *found)
{
    struct text text = { 0 };
    for (u32 i = 0; i < tree->part_count; i++)
        if (tree->parts[i].value >= LEAST * tree->value)
            text_add(&text, "%s%.1f%% %s", text.length ? ", " : "",
                     percent(tree->parts[i].value / tree->value), tree->parts[i].label);
    if (text.length)
        word_add(found, text_format("Of the %s: %s.", tree->label, text_get(&text)));
    text_fini(&text);
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
        resource_explain(&found->resources[i]);
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
