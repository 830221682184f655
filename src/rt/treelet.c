/* treelet.c - see treelet.h.
 *
 * As Aila and Karras do (Architecture Considerations for Tracing Incoherent Rays, 2010, section 4):
 * from the leaves up, the best treelet is found that could begin at each node. It grows from the
 * node by opening, of the nodes at its edge (the cut), the one with the greatest area for its
 * bytes, as long as one fits; whenever the cost is the least so far, the size is remembered. The
 * cost is the area of the root plus the costs of the treelets that begin at the cut: how often a
 * random ray enters one. A small constant per treelet keeps them from being many and nearly empty.
 *
 * A subtree that fits into one treelet is one. So only few nodes need a search, and the time is
 * nearly linear in the number of nodes. Children have higher numbers than their parents (see
 * bvh_build): a loop over numbers from the last to the first meets children first. */
#include "rt/treelet.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* As large a part of the root's area as makes all treelets together cost a tenth of it. */
#define CONSTANT_SHARE 0.1

struct item {
    u32 first_child; /* nodes: one after the other */
    u8 children;
    u16 blocks;
    u32 opened; /* nodes of the best treelet that begins here; 0: the whole subtree */
    u32 subtree_nodes;
    u64 subtree_blocks, subtree; /* bytes */
    float area;                  /* relative to the root's */
    double cost;                 /* of the best partition of the subtree */
};

/* A node at the edge of a growing treelet. */
struct edge {
    double worth;
    u32 node;
};

struct growth {
    struct edge *heap; /* the greatest worth first; then the lowest number */
    u32 *left;         /* of the edge, those that did not fit */
    u32 *nodes;        /* inside, in the order of opening */
    u32 heap_count, left_count, node_count;
    u64 block_count;
};

struct partition {
    const struct bvh *bvh;
    struct item *items;
    u64 size;
    double constant;
    struct growth growth;
};

/* ---- The tree ---- */

static double box_area(const struct box *box)
{
    double x = (double)box->high[0] - (double)box->low[0];
    double y = (double)box->high[1] - (double)box->low[1];
    double z = (double)box->high[2] - (double)box->low[2];
    return x * y + y * z + z * x;
}

u64 treelet_bytes_of(const struct bvh *bvh, u64 nodes, u64 blocks)
{
    u64 bytes = nodes * bvh->nodes_format->bytes, slot = bvh->primitives_format->bytes;
    return blocks ? ((bytes + slot - 1) / slot + blocks) * slot : bytes;
}

static void item_read(struct partition *partition, u32 number, double root_area)
{
    const struct bvh *bvh = partition->bvh;
    struct item *item = &partition->items[number];
    struct wide_node node;
    bvh_node_decode(bvh, number, &node);
    for (u32 i = 0; i < node.count; i++) {
        u32 ref = node.children[i].ref;
        if (rt_ref_is_leaf(ref)) {
            item->blocks = (u16)(item->blocks + rt_ref_count(ref));
            continue;
        }
        item->first_child = item->children ? item->first_child : ref;
        item->children++;
        partition->items[ref].area =
            root_area > 0 ? (float)(box_area(&node.children[i].box) / root_area) : 0;
    }
}

static bool partition_read(struct partition *partition, struct ogv_error *error)
{
    const struct bvh *bvh = partition->bvh;
    double root_area = box_area(&bvh->bounds);
    u64 most = 0;
    partition->items[0].area = 1;
    for (u32 i = 0; i < bvh->node_count; i++) {
        item_read(partition, i, root_area);
        most = max_u64(most, treelet_bytes_of(bvh, 1, partition->items[i].blocks));
    }
    if (most > partition->size)
        return error_user(
            error,
            "treelets of %llu bytes are too small: a node of this tree takes %llu bytes "
            "with its blocks of triangles",
            (unsigned long long)partition->size, (unsigned long long)most);
    for (u64 i = bvh->node_count; i-- > 0;) {
        struct item *item = &partition->items[i];
        item->subtree_nodes = 1;
        item->subtree_blocks = item->blocks;
        for (u32 k = 0; k < item->children; k++) {
            item->subtree_nodes += partition->items[item->first_child + k].subtree_nodes;
            item->subtree_blocks += partition->items[item->first_child + k].subtree_blocks;
        }
        item->subtree = treelet_bytes_of(bvh, item->subtree_nodes, item->subtree_blocks);
    }
    partition->constant =
        CONSTANT_SHARE * (double)partition->size / (double)partition->items[0].subtree;
    return true;
}

/* ---- The edge ---- */

static bool edge_before(const struct edge *a, const struct edge *b)
{
    return a->worth != b->worth ? a->worth > b->worth : a->node < b->node;
}

static void edge_add(const struct partition *partition, struct growth *growth, u32 node)
{
    const struct item *item = &partition->items[node];
    double bytes = (double)min_u64(item->subtree, partition->size);
    struct edge edge = { ((double)item->area + partition->constant) / bytes, node };
    u32 at = growth->heap_count++;
    for (; at && edge_before(&edge, &growth->heap[(at - 1) / 2]); at = (at - 1) / 2)
        growth->heap[at] = growth->heap[(at - 1) / 2];
    growth->heap[at] = edge;
}

static u32 edge_take(struct growth *growth)
{
    struct edge *heap = growth->heap, last = heap[--growth->heap_count];
    u32 node = heap[0].node, at = 0, count = growth->heap_count;
    for (;;) {
        u32 child = 2 * at + 1;
        if (child + 1 < count && edge_before(&heap[child + 1], &heap[child]))
            child++;
        if (child >= count || !edge_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return node;
}

/* ---- Growing ---- */

static void growth_open(const struct partition *partition, struct growth *growth, u32 node)
{
    const struct item *item = &partition->items[node];
    growth->nodes[growth->node_count++] = node;
    growth->block_count += item->blocks;
    for (u32 i = 0; i < item->children; i++)
        edge_add(partition, growth, item->first_child + i);
}

static void growth_begin(const struct partition *partition, struct growth *growth, u32 root)
{
    growth->heap_count = growth->left_count = growth->node_count = 0;
    growth->block_count = 0;
    growth_open(partition, growth, root);
}

static bool growth_has_room(const struct partition *partition, const struct growth *growth,
                            u32 node)
{
    u64 blocks = growth->block_count + partition->items[node].blocks;
    return treelet_bytes_of(partition->bvh, growth->node_count + 1, blocks) <= partition->size;
}

/* Opens the best node that fits; false if none does. Says which. */
static bool growth_step(const struct partition *partition, struct growth *growth, u32 *opened)
{
    while (growth->heap_count) {
        u32 node = edge_take(growth);
        if (growth_has_room(partition, growth, node)) {
            growth_open(partition, growth, node);
            *opened = node;
            return true;
        }
        growth->left[growth->left_count++] = node;
    }
    return false;
}

static double children_cost(const struct partition *partition, u32 node)
{
    const struct item *item = &partition->items[node];
    double cost = 0;
    for (u32 i = 0; i < item->children; i++)
        cost += partition->items[item->first_child + i].cost;
    return cost;
}

/* The best treelet that begins at a node, when those of the nodes below are known. */
static void item_settle(struct partition *partition, u32 root)
{
    struct item *item = &partition->items[root];
    struct growth *growth = &partition->growth;
    double own = (double)item->area + partition->constant;
    item->opened = 0;
    item->cost = own;
    if (item->subtree <= partition->size)
        return;
    double cut = children_cost(partition, root);
    u32 opened;
    growth_begin(partition, growth, root);
    item->opened = 1;
    item->cost = own + cut;
    while (growth_step(partition, growth, &opened)) {
        cut += children_cost(partition, opened) - partition->items[opened].cost;
        if (own + cut < item->cost) {
            item->cost = own + cut;
            item->opened = growth->node_count;
        }
    }
}

/* ---- Treelets ---- */

static int number_order(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

/* The edge of the growth, by number: brothers stay together. */
static u32 growth_cut(struct growth *growth)
{
    while (growth->heap_count)
        growth->left[growth->left_count++] = growth->heap[--growth->heap_count].node;
    if (growth->left_count)
        qsort(growth->left, growth->left_count, sizeof *growth->left, number_order);
    return growth->left_count;
}

static int area_order(const void *a, const void *b, void *context)
{
    const struct item *items = context;
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    if (items[x].area != items[y].area)
        return items[x].area > items[y].area ? -1 : 1;
    return (x > y) - (x < y);
}

static bool treelet_has(const struct treelets *treelets, u32 number, u32 node)
{
    return treelets->of_node[node] == number;
}

/* Children of a node together, those of the node with the greatest area first. */
static void treelet_order(const struct partition *partition, struct treelets *treelets, u32 number)
{
    const struct treelet *treelet = &treelets->items[number];
    u32 *nodes = partition->growth.nodes, *order = treelets->order + treelet->first_node;
    *order++ = treelet->root;
    qsort_r(nodes + 1, treelet->node_count - 1, sizeof *nodes, area_order, partition->items);
    for (u32 i = 0; i < treelet->node_count; i++) {
        const struct item *item = &partition->items[nodes[i]];
        for (u32 k = 0; k < item->children; k++)
            if (treelet_has(treelets, number, item->first_child + k))
                *order++ = item->first_child + k;
    }
}

/* Grows the treelet of this root to the size that was found best, and fills in its header. */
static void treelet_fill(struct partition *partition, struct treelets *treelets, u32 number,
                         u32 first_node)
{
    struct treelet *treelet = &treelets->items[number];
    struct growth *growth = &partition->growth;
    u32 wanted = partition->items[treelet->root].opened, opened;
    growth_begin(partition, growth, treelet->root);
    while (growth->node_count != wanted && growth_step(partition, growth, &opened))
        ;
    treelet->first_node = first_node;
    treelet->node_count = growth->node_count;
    treelet->block_count = (u32)growth->block_count;
    treelet->bytes = (u32)treelet_bytes_of(partition->bvh, growth->node_count, growth->block_count);
    for (u32 i = 0; i < growth->node_count; i++)
        treelets->of_node[growth->nodes[i]] = number;
    treelet_order(partition, treelets, number);
}

/* The treelets that begin where this one ends. */
static void treelet_children(struct partition *partition, struct treelets *treelets, u32 number)
{
    u32 cut = growth_cut(&partition->growth);
    treelets->items[number].first_child = treelets->count;
    treelets->items[number].child_count = cut;
    for (u32 i = 0; i < cut; i++)
        treelets->items[treelets->count++] = (struct treelet){
            .root = partition->growth.left[i],
            .parent = number,
            .depth = treelets->items[number].depth + 1,
        };
}

static void treelets_fill(struct partition *partition, struct treelets *treelets)
{
    u32 first_node = 0;
    treelets->count = 1;
    treelets->items[0] = (struct treelet){ .root = 0 };
    for (u32 i = 0; i < treelets->count; i++) {
        treelet_fill(partition, treelets, i, first_node);
        treelet_children(partition, treelets, i);
        first_node += treelets->items[i].node_count;
    }
    for (u32 i = treelets->count; i-- > 0;) {
        struct treelet *treelet = &treelets->items[i];
        treelet->subtree++;
        treelets->cost += (double)partition->items[treelet->root].area;
        if (i)
            treelets->items[treelet->parent].subtree += treelet->subtree;
    }
}

static void growth_init(struct growth *growth, const struct partition *partition)
{
    u64 nodes = partition->size / partition->bvh->nodes_format->bytes + 1;
    u64 edges = nodes * RT_CHILDREN_MAX;
    growth->heap = heap_array(edges, sizeof *growth->heap);
    growth->left = heap_array(edges, sizeof *growth->left);
    growth->nodes = heap_array(nodes, sizeof *growth->nodes);
}

static void partition_fini(struct partition *partition)
{
    free(partition->items);
    free(partition->growth.heap);
    free(partition->growth.left);
    free(partition->growth.nodes);
}

static void partition_solve(struct partition *partition, struct treelets *treelets)
{
    u64 nodes = partition->bvh->node_count;
    growth_init(&partition->growth, partition);
    for (u64 i = nodes; i-- > 0;)
        item_settle(partition, (u32)i);
    treelets->size = (u32)partition->size;
    treelets->items = heap_array(nodes, sizeof *treelets->items);
    treelets->of_node = heap_array(nodes, sizeof *treelets->of_node);
    treelets->order = heap_array(nodes, sizeof *treelets->order);
    memset(treelets->of_node, UINT8_MAX, nodes * sizeof *treelets->of_node);
    treelets_fill(partition, treelets);
    treelets->items = heap_grow(treelets->items, treelets->count, sizeof *treelets->items);
}

bool treelets_build(const struct bvh *bvh, u64 size, struct treelets *treelets,
                    struct ogv_error *error)
{
    struct partition partition = { .bvh = bvh, .size = size };
    *treelets = (struct treelets){ 0 };
    if (!rt_treelet_bytes_fit(size))
        return error_user(error,
                          "treelets of %llu bytes: the size is a power of two from %u to %u bytes",
                          (unsigned long long)size, RT_TREELET_BYTES_MIN, RT_TREELET_BYTES_MAX);
    partition.items = heap_array(bvh->node_count, sizeof *partition.items);
    bool good = partition_read(&partition, error);
    if (good)
        partition_solve(&partition, treelets);
    partition_fini(&partition);
    return good;
}

void treelets_free(struct treelets *treelets)
{
    free(treelets->items);
    free(treelets->of_node);
    free(treelets->order);
    *treelets = (struct treelets){ 0 };
}
