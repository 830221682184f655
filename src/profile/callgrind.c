/* callgrind.c - a profile in the format of Callgrind, which KCachegrind opens.
 *
 * Format: Valgrind's manual, "Callgrind Format Specification". Positions are lines; events are the
 * measure asked for, then every reason that occurred, then energy in whole picojoules. A node of
 * the tree is written as its function's own lines, then its calls with their inclusive costs;
 * readers add up what has the same name. Readers take a call that never happened for none at all,
 * so an inlined function counts as called once. */
#include <stdlib.h>
#include <string.h>

#include "profile/tree.h"

struct names {
    const char **items;
    u32 count;
};

struct callgrind {
    const struct profile_tree *tree;
    struct text *out;
    struct names files, functions;
    u32 reasons; /* that occurred, as bits */
};

/* The first time a name is written out, then only its number. */
static void name_add(struct callgrind *view, const char *key, struct names *names, const char *name)
{
    u32 i = 0;
    while (i < names->count && strcmp(names->items[i], name))
        i++;
    if (i < names->count) {
        text_add(view->out, "%s=(%u)\n", key, i + 1);
        return;
    }
    names->items = heap_append(names->items, names->count, sizeof *names->items);
    names->items[names->count++] = name;
    text_add(view->out, "%s=(%u) %s\n", key, i + 1, name);
}

static void costs_add(struct callgrind *view, u32 line, double cost,
                      const struct profile_counts *counts)
{
    text_add(view->out, "%u %.0f", line, cost);
    for (u32 bits = view->reasons; bits; bits &= bits - 1)
        text_add(view->out, " %llu", (unsigned long long)counts->cycles[__builtin_ctz(bits)]);
    if (view->tree->profile->has_energy)
        text_add(view->out, " %.0f", counts->picojoules);
    text_add(view->out, "\n");
}

static const char *file_or_unknown(const char *file)
{
    return file ? file : "???";
}

static void calls_add(struct callgrind *view, const struct tree_node *node)
{
    const struct tree_node *nodes = view->tree->nodes;
    for (u32 i = node->child; i != PATH_NONE; i = nodes[i].next) {
        const struct tree_node *callee = &nodes[i];
        if (!(callee->inclusive > 0))
            continue;
        if (callee->call_file)
            name_add(view, "fi", &view->files, callee->call_file);
        name_add(view, "cfi", &view->files, file_or_unknown(callee->file));
        name_add(view, "cfn", &view->functions, callee->function);
        text_add(view->out, "calls=%llu 0\n", (unsigned long long)max_u64(callee->calls, 1));
        costs_add(view, callee->call_line, callee->inclusive, &callee->counts_inclusive);
    }
}

struct by_node {
    const struct tree_item **items;
    u32 count, next;
};

static int node_order(const void *a, const void *b)
{
    const struct tree_item *x = *(const struct tree_item *const *)a;
    const struct tree_item *y = *(const struct tree_item *const *)b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->sample->pc > y->sample->pc) - (x->sample->pc < y->sample->pc);
}

static void node_add(struct callgrind *view, u32 number, struct by_node *rest)
{
    const struct tree_node *node = &view->tree->nodes[number];
    while (rest->next < rest->count && rest->items[rest->next]->node < number)
        rest->next++; /* of functions that were left out */
    if (!(node->inclusive > 0))
        return;
    const char *file = file_or_unknown(node->file);
    text_add(view->out, "\n");
    name_add(view, "fl", &view->files, file);
    name_add(view, "fn", &view->functions, node->function);
    for (; rest->next < rest->count && rest->items[rest->next]->node == number; rest->next++) {
        const struct tree_item *item = rest->items[rest->next];
        const char *here = file_or_unknown(item->file);
        if (strcmp(here, file))
            name_add(view, "fi", &view->files, here);
        file = here;
        costs_add(view, item->line, profile_cost(view->tree->measure, item->sample),
                  &item->sample->counts);
    }
    calls_add(view, node);
}

static void head_add(struct callgrind *view)
{
    const struct profile_tree *tree = view->tree;
    text_add(view->out,
             "# callgrind format\nversion: 1\ncreator: ogive %s\ncmd: %s\npositions: line\n",
             OGV_VERSION, tree->profile->program);
    text_add(view->out, "event: measure : %s\nevents: measure", tree->measure->name);
    for (u32 bits = view->reasons; bits; bits &= bits - 1) {
        char name[64];
        text_add(view->out, " %s",
                 profile_reason_name((u32)__builtin_ctz(bits), name, sizeof name));
    }
    bool energy = tree->profile->has_energy;
    text_add(view->out, "%s\nsummary:", energy ? " energy_pJ" : "");
    struct text *out = view->out;
    text_add(out, " %.0f", tree->nodes[0].inclusive);
    for (u32 bits = view->reasons; bits; bits &= bits - 1)
        text_add(out, " %llu",
                 (unsigned long long)tree->nodes[0].counts_inclusive.cycles[__builtin_ctz(bits)]);
    if (energy)
        text_add(out, " %.0f", tree->nodes[0].counts_inclusive.picojoules);
    text_add(out, "\n");
}

void view_callgrind(const struct profile_tree *tree, struct text *out)
{
    struct callgrind view = { .tree = tree, .out = out };
    struct by_node rest = { .count = tree->profile->sample_count };
    rest.items = heap_array((size_t)rest.count + 1, sizeof *rest.items);
    for (u32 i = 0; i < rest.count; i++)
        rest.items[i] = &tree->items[i];
    qsort(rest.items, rest.count, sizeof *rest.items, node_order);
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        if (tree->nodes[0].counts_inclusive.cycles[i])
            view.reasons |= UINT32_C(1) << i;
    head_add(&view);
    for (u32 i = 1; i < tree->node_count; i++)
        node_add(&view, i, &rest);
    free(rest.items);
    free(view.files.items);
    free(view.functions.items);
}
