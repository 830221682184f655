/* treelet_layout.c - a tree moved into treelets, as ogive/rt_treelet.h describes them.
 *
 * Nodes and blocks are copied as they were encoded, so boxes and triangles stay what they are to
 * the last bit; only what nodes know of where their children lie is written anew. Children of a
 * node in the same treelet have slots one after the other, so have the blocks of its leaves, and
 * treelets that begin at children of a node have numbers one after the other: what nodes on a grid
 * need. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/treelet.h"

struct moving {
    const struct bvh *from;
    struct bvh *to;
    const struct treelets *treelets;
    struct rt_inside in;
    u32 *numbers; /* by old number of a node: the new one */
};

/* Numbers of nodes and blocks have so many bits, of which slots take some. */
static bool moving_fits(const struct moving *moving, struct ogv_error *error)
{
    u64 count = moving->treelets->count;
    u64 nodes = (u64)RT_REF_LAST >> moving->in.node_bits;
    u64 blocks = (UINT64_C(1) << RT_REF_BLOCK_BITS) >> moving->in.block_bits;
    u64 most = min_u64(nodes, blocks);
    return count <= most ||
           error_user(error,
                      "the tree has %llu treelets of %u bytes; with %s nodes and %s primitives "
                      "there can be %llu of them",
                      (unsigned long long)count, moving->to->treelet_bytes,
                      moving->to->nodes_format->name, moving->to->primitives_format->name,
                      (unsigned long long)most);
}

static void numbers_make(struct moving *moving)
{
    const struct treelets *treelets = moving->treelets;
    for (u32 t = 0; t < treelets->count; t++)
        for (u32 i = 0; i < treelets->items[t].node_count; i++)
            moving->numbers[treelets->order[treelets->items[t].first_node + i]] =
                (t << moving->in.node_bits) + i;
}

/* The blocks of a leaf to those from `number` on. */
static u32 leaf_move(const struct moving *moving, u32 ref, u32 number)
{
    const struct bvh *from = moving->from, *to = moving->to;
    u32 first = rt_ref_first(ref), count = rt_ref_count(ref);
    memcpy(bvh_block(to, number), bvh_block(from, first),
           (u64)count * to->primitives_format->bytes);
    if (to->numbers)
        memcpy(to->numbers + number, from->numbers + first, count * sizeof *to->numbers);
    return rt_ref_leaf(number, count);
}

/* A node, and its leaves from block `*block` on. */
static void node_move(const struct moving *moving, u32 old, u32 *block)
{
    const struct node_format *format = moving->to->nodes_format;
    u8 *out = bvh_node(moving->to, moving->numbers[old]);
    u32 refs[RT_CHILDREN_MAX];
    struct wide_node node;
    bvh_node_decode(moving->from, old, &node);
    for (u32 i = 0; i < node.count; i++) {
        u32 ref = node.children[i].ref;
        refs[i] = rt_ref_is_leaf(ref) ? leaf_move(moving, ref, *block) : moving->numbers[ref];
        *block += rt_ref_is_leaf(ref) ? rt_ref_count(ref) : 0;
    }
    memcpy(out, bvh_node(moving->from, old), format->bytes);
    format->move(&moving->in, refs, out);
}

static void treelet_move(struct moving *moving, u32 number)
{
    const struct treelet *treelet = &moving->treelets->items[number];
    u32 slot = moving->to->primitives_format->bytes;
    u32 nodes = treelet->node_count * moving->to->nodes_format->bytes;
    u32 block = (number << moving->in.block_bits) + (nodes + slot - 1) / slot;
    moving->in.treelet = number;
    for (u32 i = 0; i < treelet->node_count; i++)
        node_move(moving, moving->treelets->order[treelet->first_node + i], &block);
    moving->to->treelets[number] = (struct rt_treelet){
        .first_child = treelet->first_child,
        .child_count = treelet->child_count,
        .bytes = treelet->bytes,
        .depth = treelet->depth,
        .subtree = treelet->subtree,
        .parent = treelet->parent,
    };
}

static bool tree_move(struct moving *moving, struct ogv_error *error)
{
    if (!moving_fits(moving, error) || !bvh_allocate(moving->to, error))
        return false;
    struct bvh_bytes bytes = bvh_bytes(moving->to);
    memset(moving->to->nodes, 0, bytes.nodes);
    if (bytes.numbers)
        memset(moving->to->numbers, 0, bytes.numbers);
    moving->numbers = heap_array(moving->from->node_count, sizeof *moving->numbers);
    numbers_make(moving);
    for (u32 i = 0; i < moving->treelets->count; i++)
        treelet_move(moving, i);
    free(moving->numbers);
    moving->to->statistics.bytes = bytes.nodes + bytes.numbers + bytes.headers;
    moving->to->statistics.treelet_visits = moving->treelets->cost;
    return true;
}

bool treelets_lay_out(struct bvh *bvh, u32 size, struct ogv_error *error)
{
    struct treelets treelets;
    if (!treelets_build(bvh, size, &treelets, error))
        return false;
    struct bvh to = *bvh;
    to.nodes = to.blocks = to.numbers = NULL;
    to.treelet_bytes = size;
    to.treelet_count = treelets.count;
    struct moving moving = { .from = bvh, .to = &to, .treelets = &treelets };
    moving.in = bvh_inside(&to);
    bool good = tree_move(&moving, error);
    treelets_free(&treelets);
    bvh_free(good ? bvh : &to);
    if (good)
        *bvh = to;
    return good;
}
