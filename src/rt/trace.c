/* trace.c - bvh_trace: rays through a tree on the host, a function per pair of formats.
 *
 * With a short stack, and in treelets, the walk is that of rt_walk.h. With a full one there is
 * nothing to restart, so the trail is left away: the same nodes and blocks in the same order, in
 * half the time. */
#include "ogive/rt_trace.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "rt/bvh.h"
#include "rt/nodes.h"

/* Entries that a path of RT_LEVELS nodes can leave on a stack, and the root. */
#define STACK_FULL (RT_LEVELS * (RT_CHILDREN_MAX - 1) + 1)

/* Puts a child onto the stack among its siblings from `first` on, which are sorted as by
 * rt_children_sort with the farthest first. Of those at the same distance it is the first one of
 * its node, or the last. */
RT_INLINE void stack_insert(struct rt_child *stack, u32 first, u32 held, struct rt_child child,
                            bool before)
{
    for (; held > first && (before ? stack[held - 1].t < child.t : stack[held - 1].t <= child.t);
         held--)
        stack[held] = stack[held - 1];
    stack[held] = child;
}

/* The number of the lowest bit set, by branches: the processor guesses them, and is well into the
 * test of the child before the test of its parent, a chain of some fifty cycles, has ended. The
 * empty statement keeps the compiler from computing the number instead. */
RT_INLINE u32 lane_guess(u32 mask)
{
    u32 lane = 0;
    for (u32 i = 0; i < RT_CHILDREN_MAX; i++) {
        if (mask >> i & 1) {
            lane = i;
            __asm__("" : "+r"(lane));
            break;
        }
    }
    return lane;
}

static __attribute__((noinline)) void list_grow(struct bvh_list *list)
{
    list->room = list->room ? 2 * list->room : 1024;
    list->visits = heap_grow(list->visits, list->room, sizeof *list->visits);
}

RT_INLINE void list_add(struct bvh_list *list, u32 visit)
{
    if (__builtin_expect(list->count == list->room, 0))
        list_grow(list);
    list->visits[list->count++] = visit;
}

void bvh_list_add(struct bvh_list *list, u32 visit)
{
    list_add(list, visit);
}

RT_INLINE void list_add_leaf(struct bvh_list *list, u32 ref)
{
    for (u32 i = 0; i < rt_ref_count(ref); i++)
        list_add(list, BVH_LIST_BLOCK | (rt_ref_first(ref) + i));
}

/* The nearest child is not pushed and popped again, and most nodes have but one or two that are
 * entered. Every child that is entered is fetched into the caches at once. */
#define TRACE_FULL(name, format, primitives)                                                       \
    RT_INLINE struct rt_child name##_child(                                                        \
        const struct rt_tree *tree, const struct rt_##format *node, const float *t, u32 lane)      \
    {                                                                                              \
        struct rt_child child = { t[lane], rt_##format##_ref(node, lane) };                        \
        if (rt_ref_is_leaf(child.ref))                                                             \
            __builtin_prefetch((const struct rt_##primitives *)tree->blocks +                      \
                               rt_ref_first(child.ref));                                           \
        else                                                                                       \
            __builtin_prefetch((const struct rt_##format *)tree->nodes + child.ref);               \
        return child;                                                                              \
    }                                                                                              \
    RT_INLINE struct rt_hit name##_walk(const struct rt_tree *tree, const struct rt_ray *ray,      \
                                        bool any, struct rt_visits *visits, struct bvh_list *list) \
    {                                                                                              \
        const struct rt_##format *nodes = tree->nodes;                                             \
        struct rt_slab slab = rt_slab_make(ray);                                                   \
        struct rt_shear shear = rt_shear_make(ray);                                                \
        struct rt_hit hit = rt_hit_none(ray);                                                      \
        struct rt_visits done = { 0 };                                                             \
        struct rt_child stack[STACK_FULL + RT_CHILDREN_MAX], entry = { 0 };                        \
        float t[RT_CHILDREN_MAX];                                                                  \
        u32 held = 0;                                                                              \
        for (;;) {                                                                                 \
            while (!rt_ref_is_leaf(entry.ref)) {                                                   \
                const struct rt_##format *node = &nodes[entry.ref];                                \
                u32 mask = rt_##format##_enter(node, &slab, hit.t, t), first = held;               \
                done.nodes++;                                                                      \
                if (list)                                                                          \
                    list_add(list, entry.ref);                                                     \
                if (!mask)                                                                         \
                    goto next;                                                                     \
                entry = name##_child(tree, node, t, lane_guess(mask));                             \
                while (mask &= mask - 1) {                                                         \
                    struct rt_child child = name##_child(tree, node, t, (u32)__builtin_ctz(mask)); \
                    if (child.t < entry.t) {                                                       \
                        stack_insert(stack, first, held++, entry, true);                           \
                        entry = child;                                                             \
                    } else {                                                                       \
                        stack_insert(stack, first, held++, child, false);                          \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            done.blocks += rt_ref_count(entry.ref);                                                \
            if (list)                                                                              \
                list_add_leaf(list, entry.ref);                                                    \
            done.triangles += name##_leaf(tree, entry.ref, &shear, &hit);                          \
            if (any && hit.triangle != RT_NOTHING)                                                 \
                break;                                                                             \
        next:                                                                                      \
            while (held && stack[held - 1].t > hit.t) {                                            \
                held--;                                                                            \
                done.culled++;                                                                     \
            }                                                                                      \
            if (!held)                                                                             \
                break;                                                                             \
            entry = stack[--held];                                                                 \
        }                                                                                          \
        *visits = done;                                                                            \
        if (tree->numbers && hit.triangle != RT_NOTHING)                                           \
            hit.triangle = tree->numbers[hit.triangle];                                            \
        return hit;                                                                                \
    }                                                                                              \
    static struct rt_hit name(const struct rt_tree *tree, const struct rt_ray *ray, bool any,      \
                              struct rt_visits *visits)                                            \
    {                                                                                              \
        return name##_walk(tree, ray, any, visits, NULL);                                          \
    }                                                                                              \
    static struct rt_hit name##_listed(const struct rt_tree *tree, const struct rt_ray *ray,       \
                                       bool any, struct rt_visits *visits, struct bvh_list *list)  \
    {                                                                                              \
        return name##_walk(tree, ray, any, visits, list);                                          \
    }

typedef struct rt_hit full_function(const struct rt_tree *tree, const struct rt_ray *ray, bool any,
                                    struct rt_visits *visits);
typedef struct rt_hit listed_function(const struct rt_tree *tree, const struct rt_ray *ray,
                                      bool any, struct rt_visits *visits, struct bvh_list *list);
typedef struct rt_hit short_function(const struct rt_tree *tree, const struct rt_ray *ray,
                                     struct rt_child *stack, u32 capacity, int any,
                                     struct rt_visits *visits);

/* Every pair of formats. */
#define PAIRS(P)             RT_PRIMITIVE_FORMATS(NODES, P)
#define NODES(primitives, P) RT_NODE_FORMATS(P, primitives)

/* A tree in treelets of a size that is known when it is walked. */
struct host_tree {
    struct rt_tree tree; /* first: a pointer to it is one to all */
    u32 treelet_bytes;
};

#define TREELET_BYTES(tree) (((const struct host_tree *)(const void *)(tree))->treelet_bytes)

#define DEFINE(format, primitives)                                                 \
    RT_TRACE_DEFINE(short_##format##_##primitives, format, primitives)             \
    RT_TRACE_TREELETS_DEFINE(treelets_##format##_##primitives, format, primitives, \
                             TREELET_BYTES(tree))                                  \
    RT_LEAF_DEFINE(full_##format##_##primitives##_leaf, primitives)                \
    TRACE_FULL(full_##format##_##primitives, format, primitives)
PAIRS(DEFINE)

#define ROW(format, primitives)              \
    { &format##_format,                      \
      &primitives##_format,                  \
      full_##format##_##primitives,          \
      full_##format##_##primitives##_listed, \
      short_##format##_##primitives,         \
      treelets_##format##_##primitives },

static const struct {
    const struct node_format *nodes;
    const struct primitive_format *primitives;
    full_function *full;
    listed_function *listed;
    short_function *brief, *treelets;
} pairs[] = { PAIRS(ROW) };

static u32 pair_find(const struct bvh *bvh)
{
    u32 i = 0;
    while (pairs[i].nodes != bvh->nodes_format || pairs[i].primitives != bvh->primitives_format)
        if (++i == sizeof pairs / sizeof pairs[0])
            ogv_bug("no traversal for %s with %s", bvh->nodes_format->name,
                    bvh->primitives_format->name);
    return i;
}

static void visits_add(struct bvh_visits *visits, const struct rt_visits *done)
{
    visits->nodes += done->nodes;
    visits->blocks += done->blocks;
    visits->triangles += done->triangles;
    visits->culled += done->culled;
    visits->restarts += done->restarts;
}

struct rt_hit bvh_trace(const struct bvh *bvh, const struct rt_ray *ray, u32 stack, bool any,
                        struct bvh_visits *visits)
{
    struct host_tree host = { { bvh->nodes, bvh->blocks, bvh->numbers }, bvh->treelet_bytes };
    const struct rt_tree *tree = &host.tree;
    struct rt_child entries[STACK_FULL];
    struct rt_visits done = { 0 };
    struct rt_hit hit = rt_hit_none(ray);
    u32 pair = pair_find(bvh);
    if (rt_ray_is_empty(ray))
        return hit;
    bool full = !stack || stack >= STACK_FULL;
    if (bvh->treelet_bytes)
        hit = pairs[pair].treelets(tree, ray, entries, full ? STACK_FULL : stack, any, &done);
    else if (full)
        hit = pairs[pair].full(tree, ray, any, &done);
    else
        hit = pairs[pair].brief(tree, ray, entries, stack, any, &done);
    if (visits)
        visits_add(visits, &done);
    return hit;
}

struct rt_hit bvh_trace_listed(const struct bvh *bvh, const struct rt_ray *ray, bool any,
                               struct bvh_visits *visits, struct bvh_list *list)
{
    struct rt_tree tree = { bvh->nodes, bvh->blocks, bvh->numbers };
    struct rt_visits done = { 0 };
    if (rt_ray_is_empty(ray))
        return rt_hit_none(ray);
    struct rt_hit hit = pairs[pair_find(bvh)].listed(&tree, ray, any, &done, list);
    bvh_list_add(list, BVH_LIST_END);
    visits_add(visits, &done);
    return hit;
}
