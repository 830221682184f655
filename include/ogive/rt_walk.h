/* rt_walk.h - the order in which a ray visits a tree, with a short stack and a restart trail.
 *
 * For host and device code and for the RT core, whatever the format of the nodes. A traversal is
 *
 *     rt_walk_begin(&walk, stack, capacity);
 *     while (rt_walk_next(&walk, hit.t, &entry))
 *         if it is culled:  nothing to do
 *         if it is a leaf:  test its primitives, perhaps hit.t becomes smaller
 *         else:             test the children's boxes; rt_walk_children(&walk, children, count)
 *
 * The stack holds `capacity` entries. If it overflows, the oldest entries are dropped; the trail
 * still knows of them, and when the stack is empty the walk restarts at the root and goes down
 * again to the first child that was not finished (Laine 2010; for wide nodes Vaidyanathan et al.
 * 2019).
 *
 * The trail is, per level of the tree, how many children of the node on the current path are
 * finished, and whether the one in progress is the last. Children are sorted by the distance at
 * which the ray enters them, and a hit found meanwhile can only take children away from the end of
 * that order: those finished are always its beginning. So leaves are visited in exactly the order
 * of a full stack, whatever the capacity. */
#ifndef OGIVE_RT_WALK_H
#define OGIVE_RT_WALK_H

#include <stdint.h>

#include "ogive/rt_compiler.h"

/* What an entry or a child refers to: an inner node by its number; or a leaf, `count` (1 to 16)
 * blocks of primitives from the block `first` on. Node 0 is the root. */
#define RT_REF_LEAF       UINT32_C(0x80000000)
#define RT_REF_LAST       UINT32_C(0x40000000) /* in stack entries: the farthest of its siblings */
#define RT_REF_BLOCK_BITS 26
#define RT_LEAF_MAX       16 /* blocks */

RT_FUNCTION uint32_t rt_ref_leaf(uint32_t first, uint32_t count)
{
    return RT_REF_LEAF | (count - 1) << RT_REF_BLOCK_BITS | first;
}

RT_FUNCTION int rt_ref_is_leaf(uint32_t ref)
{
    return ref >> 31 != 0;
}

RT_FUNCTION uint32_t rt_ref_node(uint32_t ref)
{
    return ref & (RT_REF_LAST - 1);
}

RT_FUNCTION uint32_t rt_ref_first(uint32_t ref)
{
    return ref & ((UINT32_C(1) << RT_REF_BLOCK_BITS) - 1);
}

RT_FUNCTION uint32_t rt_ref_count(uint32_t ref)
{
    return (ref >> RT_REF_BLOCK_BITS & (RT_LEAF_MAX - 1)) + 1;
}

/* A child whose box the ray enters at distance t. */
struct rt_child {
    float t;
    uint32_t ref;
};

#define RT_CHILDREN_MAX 8
#define RT_LEVELS       63 /* inner nodes on any path from the root; leaves are at most on level 63 */

struct rt_walk {
    struct rt_child *stack; /* ring of `capacity` */
    uint32_t capacity, held, top;
    uint32_t level;    /* of the node visited last; the root's is 0 */
    int32_t replay;    /* after a restart: the deepest level whose trail still tells the way */
    uint32_t restarts; /* for statistics */
    uint8_t fresh;     /* the top of the stack is the first child of the node visited last */
    uint8_t begun;
    uint8_t taken[RT_LEVELS]; /* by level: children finished before the one in progress */
    uint64_t last;            /* by level: the one in progress is the last */
};

RT_FUNCTION void rt_walk_begin(struct rt_walk *walk, struct rt_child *stack, uint32_t capacity)
{
    walk->stack = stack;
    walk->capacity = capacity;
    walk->held = 0;
    walk->top = 0;
    walk->level = 0;
    walk->replay = -1;
    walk->restarts = 0;
    walk->fresh = 0;
    walk->begun = 0;
    walk->last = 0;
}

RT_FUNCTION void rt_walk_push(struct rt_walk *walk, struct rt_child entry)
{
    walk->top = walk->top + 1 == walk->capacity ? 0 : walk->top + 1;
    walk->stack[walk->top] = entry;
    walk->held += walk->held < walk->capacity;
}

RT_FUNCTION struct rt_child rt_walk_pop(struct rt_walk *walk)
{
    struct rt_child entry = walk->stack[walk->top];
    walk->top = walk->top ? walk->top - 1 : walk->capacity - 1;
    walk->held--;
    return entry;
}

/* By distance; children at the same distance stay in the order in which the node has them. */
RT_FUNCTION void rt_children_sort(struct rt_child *children, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct rt_child child = children[i];
        uint32_t at = i;
        for (; at && children[at - 1].t > child.t; at--)
            children[at] = children[at - 1];
        children[at] = child;
    }
}

/* The node visited last has these children that the ray enters before its best hit, in the order
 * of the node. Sorts them. */
RT_FUNCTION void rt_walk_children(struct rt_walk *walk, struct rt_child *children, uint32_t count)
{
    uint32_t level = walk->level;
    uint32_t taken = (int32_t)level <= walk->replay ? walk->taken[level] : 0;
    walk->taken[level] = (uint8_t)taken;
    walk->last &= ~(UINT64_C(1) << level);
    walk->fresh = count > taken;
    if (!walk->fresh)
        return;
    rt_children_sort(children, count);
    children[count - 1].ref |= RT_REF_LAST;
    for (uint32_t i = count; i-- > taken;)
        rt_walk_push(walk, children[i]);
}

enum rt_visit {
    RT_VISIT_END,     /* the walk is over */
    RT_VISIT_ENTRY,   /* *entry is to be visited */
    RT_VISIT_CULLED,  /* *entry lies behind the best hit */
    RT_VISIT_RESTART, /* *entry is the root once more */
};

/* What comes next, given the distance of the best hit so far. */
RT_FUNCTION enum rt_visit rt_walk_next(struct rt_walk *walk, float best, struct rt_child *entry)
{
    const struct rt_child root = { 0, 0 };
    uint32_t level = walk->level;
    if (!walk->begun) {
        walk->begun = 1;
        *entry = root;
        return RT_VISIT_ENTRY;
    }
    if (!walk->fresh) {
        uint64_t open = ~walk->last & ((UINT64_C(1) << level) - 1);
        if (!open)
            return RT_VISIT_END;
        level = rt_highest_bit(open);
        walk->taken[level]++;
        walk->replay = -1;
        if (!walk->held) {
            walk->replay = (int32_t)level;
            walk->level = 0;
            walk->restarts++;
            *entry = root;
            return RT_VISIT_RESTART;
        }
    }
    *entry = rt_walk_pop(walk);
    if (entry->ref & RT_REF_LAST)
        walk->last |= UINT64_C(1) << level;
    entry->ref &= ~RT_REF_LAST;
    walk->level = level + 1;
    walk->fresh = 0;
    return entry->t > best ? RT_VISIT_CULLED : RT_VISIT_ENTRY;
}

#endif
