/* rt_trace.h - software traversal of a tree, for host and device code.
 *
 *     RT_TRACE_DEFINE(trace, bvh6c, tri64)
 *
 * defines, for the node format bvh6c of rt_node.h and the primitive format tri64 of rt_primitive.h,
 *
 *     struct rt_hit trace(const struct rt_tree *tree, const struct rt_ray *ray,
 *                         struct rt_child *stack, uint32_t capacity, int any,
 *                         struct rt_visits *visits);
 *
 * which walks with a stack of `capacity` >= 1 entries (rt_walk.h: any capacity gives the same hit)
 * and returns the closest hit, or with `any` the first one found. `visits` may be NULL; else what
 * was done is added to it.
 *
 * On a simulated core with 1 KiB of private memory a stack of 16 entries leaves room for the rest:
 *
 *     struct rt_child stack[16];
 *     struct rt_hit hit = trace(&tree, &ray, stack, 16, 0, NULL);
 *
 * RT_TRACE_TREELETS_DEFINE is for trees in treelets (rt_treelet.h) of as many bytes as its last
 * argument says; both pointers of the tree are to the first treelet.
 */
#ifndef OGIVE_RT_TRACE_H
#define OGIVE_RT_TRACE_H

#include "ogive/rt_node.h"
#include "ogive/rt_primitive.h"
#include "ogive/rt_walk.h"

/* Where a tree lies. `numbers`: see rt_tri36; NULL for formats that do not need it. Where it is
 * needed, a hit is known by its block until the walk is over: of equal ones the first block's. */
struct rt_tree {
    const void *nodes, *blocks;
    const uint32_t *numbers;
};

struct rt_visits {
    uint64_t nodes, blocks, triangles, culled, restarts;
};

/* What walks of both kinds do differently, by the name of the kind. Trees without treelets are
 * arrays: */
#define RT_PLAIN_BLOCKS(primitives, treelet_bytes) \
    const struct rt_##primitives *blocks = (const struct rt_##primitives *)tree->blocks
#define RT_PLAIN_BLOCK(primitives) &blocks[block]
#define RT_PLAIN_NODES(format, primitives, treelet_bytes) \
    const struct rt_##format *nodes = (const struct rt_##format *)tree->nodes
#define RT_PLAIN_NODE(format) const struct rt_##format *node = &nodes[rt_ref_node(entry.ref)]
#define RT_PLAIN_TEST(format) rt_##format##_test(node, &slab, hit.t, children)

/* In treelets, numbers are of slots; a leaf lies in one treelet. */
#define RT_TREELETS_BLOCKS(primitives, treelet_bytes) \
    const char *blocks =                              \
        (const char *)tree->blocks +                  \
        rt_tree_offset(rt_ref_first(ref), treelet_bytes, sizeof(struct rt_##primitives))
#define RT_TREELETS_BLOCK(primitives) \
    (const struct rt_##primitives *)(const void *)blocks + (block - rt_ref_first(ref))
#define RT_TREELETS_NODES(format, primitives, treelet_bytes) \
    const uint32_t bytes = treelet_bytes;                    \
    struct rt_inside in =                                    \
        rt_inside_make(bytes, sizeof(struct rt_##format), sizeof(struct rt_##primitives))
#define RT_TREELETS_NODE(format)                                                                 \
    const uint32_t number = rt_ref_node(entry.ref);                                              \
    const struct rt_##format *node =                                                             \
        (const struct rt_##format *)(const void *)((const char *)tree->nodes +                   \
                                                   rt_tree_offset(number, bytes, sizeof *node)); \
    in.treelet = number >> in.node_bits
#define RT_TREELETS_TEST(format)         rt_##format##_test_in(node, &slab, hit.t, &in, children)

/* Tests the blocks of a leaf; says how many triangles were tested. */
#define RT_LEAF_DEFINE(name, primitives) RT_LEAF_AS(name, primitives, RT_PLAIN, 0)

#define RT_LEAF_AS(name, primitives, IN, treelet_bytes)                                           \
    RT_INLINE uint32_t name(const struct rt_tree *tree, uint32_t ref, const struct rt_shear *ray, \
                            struct rt_hit *hit)                                                   \
    {                                                                                             \
        IN##_BLOCKS(primitives, treelet_bytes);                                                   \
        uint32_t block = rt_ref_first(ref), end = block + rt_ref_count(ref), triangles = 0;       \
        for (; block < end; block++)                                                              \
            triangles += rt_##primitives##_test(IN##_BLOCK(primitives), block, ray, hit);         \
        return triangles;                                                                         \
    }

#define RT_TRACE_DEFINE(name, format, primitives) RT_TRACE_AS(name, format, primitives, RT_PLAIN, 0)
#define RT_TRACE_TREELETS_DEFINE(name, format, primitives, treelet_bytes) \
    RT_TRACE_AS(name, format, primitives, RT_TREELETS, treelet_bytes)

#define RT_TRACE_AS(name, format, primitives, IN, treelet_bytes)                         \
    RT_LEAF_AS(name##_leaf, primitives, IN, treelet_bytes)                               \
    RT_FUNCTION struct rt_hit name(const struct rt_tree *tree, const struct rt_ray *ray, \
                                   struct rt_child *stack, uint32_t capacity, int any,   \
                                   struct rt_visits *visits)                             \
    {                                                                                    \
        IN##_NODES(format, primitives, treelet_bytes);                                   \
        struct rt_slab slab = rt_slab_make(ray);                                         \
        struct rt_shear shear = rt_shear_make(ray);                                      \
        struct rt_hit hit = rt_hit_none(ray);                                            \
        struct rt_visits done = { 0, 0, 0, 0, 0 };                                       \
        struct rt_child children[RT_CHILDREN_MAX], entry;                                \
        struct rt_walk walk;                                                             \
        enum rt_visit visit;                                                             \
        rt_walk_begin(&walk, stack, capacity);                                           \
        while (!(any && hit.triangle != RT_NOTHING) &&                                   \
               (visit = rt_walk_next(&walk, hit.t, &entry)) != RT_VISIT_END) {           \
            if (visit == RT_VISIT_CULLED) {                                              \
                done.culled++;                                                           \
            } else if (rt_ref_is_leaf(entry.ref)) {                                      \
                done.blocks += rt_ref_count(entry.ref);                                  \
                done.triangles += name##_leaf(tree, entry.ref, &shear, &hit);            \
            } else {                                                                     \
                IN##_NODE(format);                                                       \
                done.nodes++;                                                            \
                rt_walk_children(&walk, children, IN##_TEST(format));                    \
            }                                                                            \
        }                                                                                \
        if (visits) {                                                                    \
            visits->nodes += done.nodes;                                                 \
            visits->blocks += done.blocks;                                               \
            visits->triangles += done.triangles;                                         \
            visits->culled += done.culled;                                               \
            visits->restarts += walk.restarts;                                           \
        }                                                                                \
        if (tree->numbers && hit.triangle != RT_NOTHING)                                 \
            hit.triangle = tree->numbers[hit.triangle];                                  \
        return hit;                                                                      \
    }

#endif
