/* layout.c - where nodes and blocks lie, and bvh_build. Trees in treelets begin here like others;
 * treelet_layout.c moves them.
 *
 * The wide tree is a set of choices in the binary one until here. Nodes are numbered in two parts.
 * The first TOP_NODES are visited breadth first: these are what nearly every ray needs, and they
 * lie together. The subtrees below follow one after the other, each depth first: a node's children
 * get the next free numbers when it is visited, then the first child's subtree comes, then the
 * second's. Blocks are numbered by the same visits. Caches hardly care (docs/bvh.md has numbers);
 * but subtrees are independent, so they are counted in parallel, then encoded in parallel, each
 * into its own place, and what is near in the tree is in the same page of memory.
 *
 * The order does not depend on the number of threads: what is a subtree does not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "base/wall.h"
#include "base/words.h"
#include "rt/binary.h"
#include "rt/parallel.h"
#include "rt/treelet.h"

#define TOP_NODES          512 /* visited before the subtrees */
#define BUILD_PART         0.8 /* of all the work, for progress: see build.c */

#define NAME(name, unused) #name,
const char *const bvh_builder_names[] = { RT_BUILDERS(NAME, ) NULL };

/* A node still to be visited. */
struct pending {
    const struct binary_node *node;
    double area;
    u32 number, level;
};

/* What a visit of part of the tree uses up and finds. */
struct tally {
    u64 nodes, blocks, leaves, references, children;
    u64 depth; /* levels from the root */
    double cost;
};

struct layout {
    const struct mesh *mesh;
    const struct bvh_options *options;
    struct binary_rules rules;
    struct bvh *bvh;
    bool encoding;            /* else only counting */
    struct pending *subtrees; /* by task */
    struct tally *tallies;    /* by task: what the subtree has below its root */
    struct tally *places;     /* by task: what lies before it */
    u32 subtree_count, done;
};

/* Nodes that wait, in order of their visits: taken from the front at the top of the tree, from the
 * back in a subtree. */
struct waiting {
    struct pending *items;
    size_t first, count, capacity;
};

static void waiting_add(struct waiting *waiting, struct pending item)
{
    if (waiting->count == waiting->capacity) {
        waiting->capacity = waiting->capacity ? 2 * waiting->capacity : 256;
        waiting->items = heap_grow(waiting->items, waiting->capacity, sizeof *waiting->items);
    }
    waiting->items[waiting->count++] = item;
}

/* ---- One node ---- */

/* Encodes the triangles of a leaf into its blocks. */
static void leaf_encode(const struct layout *layout, u64 first, const u32 *triangles, u32 count,
                        u32 blocks)
{
    const struct primitive_format *format = layout->options->primitives;
    u8 *out = (u8 *)layout->bvh->blocks + first * format->bytes;
    u32 done = 0;
    memset(out, 0, (size_t)blocks * format->bytes);
    for (u32 i = 0; i < blocks; i++, out += format->bytes)
        done += format->encode(layout->mesh, triangles + done, count - done, out);
    if (done != count)
        ogv_bug("%u triangles did not fit into %u blocks", count, blocks);
    if (layout->bvh->numbers)
        memcpy(layout->bvh->numbers + first, triangles, count * sizeof *triangles);
}

/* Takes the blocks after those of the tally. */
static u32 leaf_visit(const struct layout *layout, const struct binary_child *child,
                      struct tally *tally)
{
    u32 triangles[BINARY_LEAF_MAX];
    u32 blocks = binary_leaf_blocks(child->ref);
    u64 first = tally->blocks;
    tally->leaves++;
    tally->blocks += blocks;
    if (!layout->encoding)
        return 0;
    u32 count = binary_leaf_triangles(child->ref, triangles);
    leaf_encode(layout, first, triangles, count, blocks);
    tally->references += count;
    tally->cost += binary_area(&layout->rules, &child->box) * count;
    return rt_ref_leaf((u32)first, blocks);
}

static void node_encode(const struct layout *layout, const struct wide_node *node, u64 number)
{
    const struct node_format *format = layout->options->nodes;
    u8 *out = (u8 *)layout->bvh->nodes + number * format->bytes;
    memset(out, 0, format->bytes);
    format->encode(node, out);
}

/* Visits a node: its children take the numbers after those of the tally; those that are nodes are
 * left in `inner`, and their number is returned. */
static u32 node_visit(const struct layout *layout, const struct pending *item, struct tally *tally,
                      struct pending *inner)
{
    struct binary_child children[RT_CHILDREN_MAX];
    struct wide_node wide;
    u32 count = binary_gather(&layout->rules, item->node, children), nodes = 0;
    tally->children += count;
    tally->cost += item->area;
    tally->depth = max_u64(tally->depth, item->level + 1);
    wide.count = count;
    for (u32 i = 0; i < count; i++) {
        wide.children[i].box = children[i].box;
        if (children[i].is_leaf) {
            wide.children[i].ref = leaf_visit(layout, &children[i], tally);
            continue;
        }
        wide.children[i].ref = (u32)tally->nodes;
        inner[nodes++] = (struct pending){
            .node = binary_node_at(children[i].ref),
            .area = binary_area(&layout->rules, &children[i].box),
            .number = (u32)tally->nodes++,
            .level = item->level + 1,
        };
    }
    if (layout->encoding)
        node_encode(layout, &wide, item->number);
    return nodes;
}

/* ---- The top, and subtrees ---- */

/* Breadth first; leaves in `waiting` the roots of the subtrees. */
static void top_visit(const struct layout *layout, struct waiting *waiting, struct tally *tally)
{
    struct pending inner[RT_CHILDREN_MAX];
    for (u32 visits = 0; visits < TOP_NODES && waiting->first < waiting->count; visits++) {
        struct pending item = waiting->items[waiting->first++];
        u32 nodes = node_visit(layout, &item, tally, inner);
        for (u32 i = 0; i < nodes; i++)
            waiting_add(waiting, inner[i]);
    }
}

/* Depth first, from a root that has its number already. */
static void subtree_visit(const struct layout *layout, const struct pending *root,
                          struct tally *tally)
{
    struct pending stack[RT_LEVELS * (RT_CHILDREN_MAX - 1) + 1], inner[RT_CHILDREN_MAX];
    u32 held = 0;
    stack[held++] = *root;
    while (held) {
        struct pending item = stack[--held];
        for (u32 i = node_visit(layout, &item, tally, inner); i-- > 0;)
            stack[held++] = inner[i];
    }
}

static void subtree_count(void *context, u32 index)
{
    struct layout *layout = context;
    subtree_visit(layout, &layout->subtrees[index], &layout->tallies[index]);
}

static void layout_progress(struct layout *layout)
{
    const struct bvh_options *options = layout->options;
    u32 done = __atomic_add_fetch(&layout->done, 1, __ATOMIC_RELAXED);
    if (options->progress && done % 64 == 0)
        options->progress(options->user,
                          BUILD_PART + (1 - BUILD_PART) * done / layout->subtree_count);
}

static void subtree_encode(void *context, u32 index)
{
    struct layout *layout = context;
    struct tally *tally = &layout->tallies[index];
    *tally = (struct tally){ .nodes = layout->places[index].nodes,
                             .blocks = layout->places[index].blocks };
    subtree_visit(layout, &layout->subtrees[index], tally);
    layout_progress(layout);
}

/* ---- All of it ---- */

/* Node 0 of a scene that is too small to have inner nodes. */
static void layout_small(struct layout *layout, binary_ref root, struct tally *total)
{
    struct wide_node node = { .count = root ? 1 : 0 };
    if (root) {
        struct binary_child child = { .box = layout->bvh->bounds, .ref = root, .is_leaf = true };
        node.children[0].box = child.box;
        node.children[0].ref = leaf_visit(layout, &child, total);
    }
    total->children = node.count;
    total->depth = 1;
    total->cost += binary_area(&layout->rules, &layout->bvh->bounds);
    if (layout->encoding)
        node_encode(layout, &node, 0);
}

static struct pending layout_root(const struct layout *layout, binary_ref root)
{
    return (struct pending){
        .node = binary_node_at(root),
        .area = binary_area(&layout->rules, &layout->bvh->bounds),
    };
}

static bool layout_count(struct layout *layout, binary_ref root, struct tally *total)
{
    struct waiting waiting = { 0 };
    *total = (struct tally){ .nodes = 1 };
    if (!root || binary_is_triangle(root)) {
        layout_small(layout, root, total);
        return true;
    }
    waiting_add(&waiting, layout_root(layout, root));
    top_visit(layout, &waiting, total);
    layout->subtree_count = (u32)(waiting.count - waiting.first);
    layout->subtrees = heap_array(layout->subtree_count + 1, sizeof *layout->subtrees);
    layout->tallies = heap_array(layout->subtree_count + 1, sizeof *layout->tallies);
    layout->places = heap_array(layout->subtree_count + 1, sizeof *layout->places);
    memcpy(layout->subtrees, waiting.items + waiting.first,
           layout->subtree_count * sizeof *layout->subtrees);
    free(waiting.items);
    if (!parallel_run(layout->options->threads, layout->subtree_count, subtree_count, layout))
        return false;
    for (u32 i = 0; i < layout->subtree_count; i++) {
        layout->places[i] = *total;
        total->nodes += layout->tallies[i].nodes;
        total->blocks += layout->tallies[i].blocks;
    }
    return true;
}

static void tally_add(struct tally *total, const struct tally *part)
{
    total->leaves += part->leaves;
    total->references += part->references;
    total->children += part->children;
    total->depth = max_u64(total->depth, part->depth);
    total->cost += part->cost;
}

/* Numbers are as counted before. */
static bool layout_encode(struct layout *layout, binary_ref root, struct tally *total)
{
    struct waiting waiting = { 0 };
    layout->encoding = true;
    *total = (struct tally){ .nodes = 1 };
    if (!root || binary_is_triangle(root)) {
        layout_small(layout, root, total);
        return true;
    }
    waiting_add(&waiting, layout_root(layout, root));
    top_visit(layout, &waiting, total);
    free(waiting.items);
    if (!parallel_run(layout->options->threads, layout->subtree_count, subtree_encode, layout))
        return false;
    for (u32 i = 0; i < layout->subtree_count; i++)
        tally_add(total, &layout->tallies[i]);
    return true;
}

static bool layout_allocate(struct layout *layout, const struct tally *total,
                            struct ogv_error *error)
{
    if (total->nodes > RT_REF_LAST - 1 || total->blocks > UINT64_C(1) << RT_REF_BLOCK_BITS)
        return error_user(error,
                          "the tree has %llu nodes and %llu blocks of primitives; there can be "
                          "%u nodes and %u blocks: a format with more triangles to a block, or a "
                          "builder without spatial splits, needs fewer",
                          (unsigned long long)total->nodes, (unsigned long long)total->blocks,
                          RT_REF_LAST - 1, 1u << RT_REF_BLOCK_BITS);
    layout->bvh->node_count = total->nodes;
    layout->bvh->block_count = total->blocks;
    return bvh_allocate(layout->bvh, error);
}

static void layout_describe(const struct layout *layout, const struct tally *total)
{
    struct bvh *bvh = layout->bvh;
    struct bvh_statistics *s = &bvh->statistics;
    u32 triangles = layout->mesh->triangle_count;
    s->nodes = bvh->node_count;
    s->blocks = bvh->block_count;
    s->leaves = total->leaves;
    s->references = total->references;
    s->depth = total->depth;
    struct bvh_bytes bytes = bvh_bytes(bvh);
    s->bytes = bytes.nodes + bytes.blocks + bytes.numbers + bytes.headers;
    s->sah_cost = total->cost / binary_area(&layout->rules, &bvh->bounds);
    s->children = (double)total->children / (double)bvh->node_count;
    s->duplication = triangles ? (double)total->references / triangles : 1;
}

static bool layout_make(struct layout *layout, const struct binary *binary, struct ogv_error *error)
{
    struct tally total;
    if (!layout_count(layout, binary_root(binary), &total))
        return stop_error(error, "building the tree");
    if (!layout_allocate(layout, &total, error))
        return false;
    if (!layout_encode(layout, binary_root(binary), &total))
        return stop_error(error, "building the tree");
    layout_describe(layout, &total);
    return true;
}

struct bvh_options bvh_options_default(void)
{
    return (struct bvh_options){
        .nodes = node_format_find("bvh6c", NULL),
        .primitives = primitive_format_find("tri64", NULL),
        .builder = BVH_spatial,
    };
}

bool bvh_builder_find(const char *name, enum bvh_builder *builder, struct ogv_error *error)
{
    u32 found;
    bool good = words_find("builder", name, bvh_builder_names, BVH_BUILDERS, &found, error);
    *builder = (enum bvh_builder)found;
    return good;
}

static bool bvh_make(struct layout *layout, struct ogv_error *error)
{
    double begun = wall_clock();
    struct bvh_statistics *s = &layout->bvh->statistics;
    struct binary *binary = binary_build(layout->mesh, layout->options, &layout->rules, error);
    if (!binary)
        return false;
    double built = wall_clock();
    bool good = layout_make(layout, binary, error);
    s->build_seconds = built - begun;
    s->encode_seconds = wall_clock() - built;
    binary_free(binary);
    return good;
}

bool bvh_build(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh,
               struct ogv_error *error)
{
    struct layout layout = { .mesh = mesh, .options = options, .bvh = bvh };
    *bvh = (struct bvh){ .nodes_format = options->nodes, .primitives_format = options->primitives };
    if (mesh->triangle_count)
        bvh->bounds = mesh_bounds(mesh);
    layout.rules = binary_rules_make(mesh, options, bvh->bounds);
    bool good = bvh_make(&layout, error) &&
                (!options->treelet_bytes || treelets_lay_out(bvh, options->treelet_bytes, error));
    free(layout.subtrees);
    free(layout.tallies);
    free(layout.places);
    if (!good)
        bvh_free(bvh);
    else if (options->progress)
        options->progress(options->user, 1);
    return good;
}
