/* tree.c - builds the tree of calls from a profile's paths, adds costs up from the
 * leaves, and orders children by them.
 *
 * Children stand behind their parents, so one pass backwards adds everything up. */
#include "profile/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define PROGRAM_MAX (1 * GiB)

static u32 node_below(struct profile_tree *tree, u32 parent, const struct frame *place,
                      const struct frame *caller)
{
    u32 *at = &tree->nodes[parent].child;
    while (*at != PATH_NONE && strcmp(tree->nodes[*at].function, place->function))
        at = &tree->nodes[*at].next;
    if (*at != PATH_NONE)
        return *at;
    u32 made = *at = tree->node_count++;
    tree->nodes = heap_append(tree->nodes, made, sizeof *tree->nodes);
    tree->nodes[made] = (struct tree_node){ .function = place->function,
                                            .file = place->file,
                                            .call_file = caller ? caller->file : NULL,
                                            .call_line = caller ? caller->line : 0,
                                            .inlined = place->inlined,
                                            .parent = parent,
                                            .child = PATH_NONE,
                                            .next = PATH_NONE };
    return made;
}

/* Down from `node` through the chain of places at an address. `caller` is where the outermost of
 * them was called from. */
static u32 node_follow(struct profile_tree *tree, u32 node, const struct frame *chain, u32 count,
                       const struct frame *caller)
{
    for (u32 i = count; i-- > 0;) {
        node = node_below(tree, node, &chain[i], caller);
        caller = &chain[i];
    }
    return node;
}

/* What a path adds below: the innermost function at its call, and that place. */
struct path_start {
    u32 node;
    struct frame caller;
    bool called;
};

static struct path_start path_start(struct profile_tree *tree, const struct path_start *starts,
                                    const struct profile_call *path)
{
    struct path_start start = { .node = 0 };
    if (path->parent == PATH_NONE || path->site == ADDRESS_NONE)
        return start;
    struct frame chain[FRAME_DEPTH_MAX];
    const struct path_start *above = &starts[path->parent];
    u32 count = places_find(tree->places, path->site, chain);
    start.node =
        node_follow(tree, above->node, chain, count, above->called ? &above->caller : NULL);
    start.caller = chain[0];
    start.called = true;
    return start;
}

/* Calls count at the function that is called, which is the outermost at its first address. */
static void path_count_calls(struct profile_tree *tree, const struct path_start *start,
                             const struct profile_call *path)
{
    struct frame chain[FRAME_DEPTH_MAX];
    if (path->function == ADDRESS_NONE || !path->calls)
        return;
    u32 count = places_find(tree->places, path->function, chain);
    u32 node =
        node_below(tree, start->node, &chain[count - 1], start->called ? &start->caller : NULL);
    tree->nodes[node].calls += path->calls;
}

static void tree_add_samples(struct profile_tree *tree, const struct path_start *starts)
{
    const struct profile *profile = tree->profile;
    struct frame chain[FRAME_DEPTH_MAX];
    for (u32 i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct path_start *start = &starts[sample->path];
        u32 count = places_find(tree->places, sample->pc, chain), top = start->node;
        if (profile->paths[sample->path].function == ADDRESS_NONE) {
            static const struct frame lost = { "[beyond the limit of call paths]", NULL, 0, false };
            top = node_below(tree, 0, &lost, NULL);
        }
        u32 node = node_follow(tree, top, chain, count, start->called ? &start->caller : NULL);
        tree->items[i] = (struct tree_item){ sample, chain[0].file, chain[0].line, node };
        tree->nodes[node].own += profile_cost(tree->measure, sample);
        counts_add(&tree->nodes[node].counts, &sample->counts);
    }
}

/* Children stand behind their parents, so going backwards adds each to a parent that still waits.
 */
static void tree_add_up(struct profile_tree *tree)
{
    for (u32 i = tree->node_count; i-- > 0;) {
        struct tree_node *node = &tree->nodes[i];
        node->inclusive += node->own;
        counts_add(&node->counts_inclusive, &node->counts);
        if (!i)
            break;
        tree->nodes[node->parent].inclusive += node->inclusive;
        counts_add(&tree->nodes[node->parent].counts_inclusive, &node->counts_inclusive);
    }
}

/* Insertion by cost, largest first; equal ones by name. */
static void tree_sort(struct profile_tree *tree, u32 parent)
{
    u32 rest = tree->nodes[parent].child, sorted = PATH_NONE;
    while (rest != PATH_NONE) {
        struct tree_node *node = &tree->nodes[rest];
        u32 next = node->next, *at = &sorted;
        while (*at != PATH_NONE && (tree->nodes[*at].inclusive > node->inclusive ||
                                    (!(tree->nodes[*at].inclusive < node->inclusive) &&
                                     strcmp(tree->nodes[*at].function, node->function) < 0)))
            at = &tree->nodes[*at].next;
        node->next = *at;
        *at = rest;
        rest = next;
    }
    tree->nodes[parent].child = sorted;
}

static void tree_build(struct profile_tree *tree)
{
    const struct profile *profile = tree->profile;
    tree->items = heap_array((size_t)profile->sample_count + 1, sizeof *tree->items);
    tree->nodes = heap_array(1, sizeof *tree->nodes);
    tree->nodes[0] = (struct tree_node){
        .function = "(all)", .parent = PATH_NONE, .child = PATH_NONE, .next = PATH_NONE
    };
    tree->node_count = 1;
    struct path_start *starts = heap_array((size_t)profile->path_count + 1, sizeof *starts);
    for (u32 i = 0; i < profile->path_count; i++) {
        starts[i] = path_start(tree, starts, &profile->paths[i]);
        path_count_calls(tree, &starts[i], &profile->paths[i]);
    }
    tree_add_samples(tree, starts);
    free(starts);
    tree_add_up(tree);
    for (u32 i = 0; i < tree->node_count; i++)
        tree_sort(tree, i);
}

static bool tree_load_program(struct profile_tree *tree, struct ogv_error *error)
{
    const char *path = tree->profile->program;
    char here[HASH_TEXT_BYTES];
    tree->file = (u8 *)file_read(path, PROGRAM_MAX, &tree->file_bytes, error);
    if (!tree->file)
        return false;
    struct hash *hash = hash_create();
    hash_add(hash, tree->file, tree->file_bytes);
    hash_finish(hash, here);
    if (strcmp(here, tree->profile->program_hash))
        return error_user(error, "%s: is another program than the one that was profiled", path);
    tree->places = places_create(tree->file, tree->file_bytes, error);
    return tree->places;
}

struct profile_tree *tree_create(const struct profile *profile,
                                 const struct profile_measure *measure, struct ogv_error *error)
{
    struct profile_tree *tree = heap_array(1, sizeof *tree);
    tree->profile = profile;
    tree->measure = measure;
    if (!tree_load_program(tree, error)) {
        tree_destroy(tree);
        return NULL;
    }
    tree_build(tree);
    return tree;
}

void tree_destroy(struct profile_tree *tree)
{
    if (!tree)
        return;
    places_destroy(tree->places);
    free(tree->file);
    free(tree->nodes);
    free(tree->items);
    free(tree);
}
