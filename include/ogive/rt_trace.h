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

/* Tests the blocks of a leaf; says how many triangles were tested. */
#define RT_LEAF_DEFINE(name, primitives)                                                          \
    RT_INLINE uint32_t name(const struct rt_tree *tree, uint32_t ref, const struct rt_shear *ray, \
                            struct rt_hit *hit)                                                   \
    {                                                                                             \
        const struct rt_##primitives *blocks = (const struct rt_##primitives *)tree->blocks;      \
        uint32_t block = rt_ref_first(ref), end = block + rt_ref_count(ref), triangles = 0;       \
        for (; block < end; block++)                                                              \
            triangles += rt_##primitives##_test(&blocks[block], block, ray, hit);                 \
        return triangles;                                                                         \
    }

#define RT_TRACE_DEFINE(name, format, primitives)                                        \
    RT_LEAF_DEFINE(name##_leaf, primitives)                                              \
    RT_FUNCTION struct rt_hit name(const struct rt_tree *tree, const struct rt_ray *ray, \
                                   struct rt_child *stack, uint32_t capacity, int any,   \
                                   struct rt_visits *visits)                             \
    {                                                                                    \
        const struct rt_##format *nodes = (const struct rt_##format *)tree->nodes;       \
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
                const struct rt_##format *node = &nodes[rt_ref_node(entry.ref)];         \
                done.nodes++;                                                            \
                rt_walk_children(&walk, children,                                        \
                                 rt_##format##_test(node, &slab, hit.t, children));      \
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
