/* node.h - a node or block that has come: its test, and the pipe that the ray enters with it. */
#ifndef UNIT_RTCORE_NODE_H
#define UNIT_RTCORE_NODE_H

#include "rt/format.h"
#include "unit/rtcore/rtcore.h"

/* ---- Pipes ---- */

/* Where one that leaves then belongs among those inside: those that leave later move back. */
static inline u32 pipe_place(struct rtcore_pipe *pipe, u32 place, cycle at)
{
    for (; place != pipe->head && pipe->inside[(place - 1) & pipe->mask].at > at; place--)
        pipe->inside[place & pipe->mask] = pipe->inside[(place - 1) & pipe->mask];
    return place;
}

/* Kept in the order of leaving, which for a single pipe is that of coming. */
static inline void pipe_put(struct rtcore_pipe *pipe, u32 slot, cycle at)
{
    u32 place = pipe->head + pipe->count++;
    if (__builtin_expect(pipe->pipes != 1, false))
        place = pipe_place(pipe, place, at);
    pipe->inside[place & pipe->mask] = (struct rtcore_work){ at, slot };
    pipe->leaves = min_u64(pipe->leaves, at);
}

static inline void pipe_enter(struct rtcore_pipe *pipe, u32 which, u32 slot, u64 taken, cycle now)
{
    pipe->free[which] = now + taken;
    pipe->busy += taken;
    pipe_put(pipe, slot, now + taken - 1 + pipe->latency);
}

/* ---- Any node ---- */

/* Those children of a node that the ray enters. */
static inline u32 node_test(struct rtcore *u, const struct rtcore_slot *slot, const u8 *data,
                            struct rt_child *children)
{
    const struct node_format *format = node_formats[u->plan.nodes];
    if (__builtin_expect(!u->treelets, true))
        return format->test(data, &slot->slab, slot->best, NULL, children);
    struct rt_inside in = { u->treelets[rtcore_slot_number(u, slot)], u->plan.node_bits,
                            u->plan.block_bits };
    return format->test(data, &slot->slab, slot->best, &in, children);
}

/* ---- Any block ---- */

static inline u64 triangle_test(struct rtcore *u, struct rtcore_slot *slot, u32 number,
                                const u8 *data)
{
    u32 block = rt_ref_first(slot->leaf), count = rt_ref_count(slot->leaf);
    u32 tested = primitive_formats[u->plan.primitives]->test(data, block, &slot->ray, &slot->hit);
    rtcore_data_used(u, number);
    u->tally.triangles += tested;
    slot->triangles += tested;
    slot->leaf = count > 1 ? rt_ref_leaf(block + 1, count - 1) : 0;
    slot->best = slot->hit.t;
    slot->over = slot->any && slot->hit.triangle != RT_NOTHING;
    return max_u64(tested, 1) * u->plan.triangle_interval;
}

/* `data` is what was fetched for the slot of that number, which comes from that phase. */
static inline void triangle_enter(struct rtcore *u, u32 number, const u8 *data,
                                  enum rtcore_phase from, u32 pipe, cycle now)
{
    struct rtcore_slot *slot = &u->slots[number];
    u64 taken = triangle_test(u, slot, number, data + slot->data_at);
    rtcore_move(u, slot, from, PHASE_TRIANGLE, now);
    pipe_enter(&u->triangle, pipe, number, taken, now);
}

/* ---- The straight way of a node ----
 *
 * In a usual RT core with one box pipe, which takes the ray at once. Children are written where
 * they will lie on the stack. In line, as every second tick begins one. */

/* The stack has room for all children that a node may have, in a row, and the walk is not on its
 * way down again after a restart, nor too deep. */
static inline bool walk_is_straight(const struct rt_walk *walk)
{
    return (int32_t)walk->level > walk->replay && walk->level < RT_LEVELS &&
           walk->held + RT_CHILDREN_MAX <= walk->capacity &&
           walk->top + RT_CHILDREN_MAX < walk->capacity;
}

/* A child moves as one word: one that was stored in halves and is loaded as a whole soon after
 * makes the host wait. */
static inline void child_move(struct rt_child *to, const struct rt_child *from)
{
    u64 both;
    memcpy(&both, from, sizeof both);
    memcpy(to, &both, sizeof both);
}

/* children_sort_back of the first two: which of them is nearer is anybody's guess, also the host's,
 * so that they move without a branch. */
static inline void children_sort_two(struct rt_child *children)
{
    struct rt_child both[2];
    bool moves = children[0].t <= children[1].t;
    child_move(&both[0], &children[moves]);
    child_move(&both[1], &children[!moves]);
    child_move(&children[0], &both[0]);
    child_move(&children[1], &both[1]);
}

/* The first child that is to be visited comes last. */
static inline void children_sort_back(struct rt_child *children, u32 count)
{
    children_sort_two(children);
    for (u32 i = 2; i < count; i++) {
        struct rt_child child;
        u32 at = i;
        child_move(&child, &children[i]);
        for (; at && children[at - 1].t <= child.t; at--)
            child_move(&children[at], &children[at - 1]);
        child_move(&children[at], &child);
    }
}

/* rt_walk_children of such a walk, for children that lie above the top of its stack. */
static inline void walk_keep(struct rt_walk *walk, struct rt_child *children, u32 count)
{
    u32 level = walk->level;
    walk->taken[level] = 0;
    walk->last &= ~(UINT64_C(1) << level);
    walk->fresh = count != 0;
    if (!count)
        return;
    if (count > 1)
        children_sort_back(children, count);
    children[0].ref |= RT_REF_LAST;
    walk->top += count;
    walk->held += count;
}

STRAIGHT bool node_is_straight(const struct rtcore *u, const struct rtcore_slot *slot, cycle now)
{
    rtcore_assume(u, true);
    return !u->box.waiting.count && u->box.free[0] <= now && walk_is_straight(&slot->walk);
}

/* `data` is what was fetched for the slot of that number. */
STRAIGHT void node_straight(struct rtcore *u, struct rtcore_slot *slot, u32 number, const u8 *data,
                            cycle now)
{
    struct rt_walk *walk = &slot->walk;
    struct rt_child *children = &walk->stack[walk->top + 1];
    rtcore_assume(u, true);
    walk_keep(walk, children, node_test(u, slot, data + slot->data_at, children));
    rtcore_assume(u, true);
    u->tally.tests++;
    rtcore_data_used(u, number);
    rtcore_move(u, slot, PHASE_NODE_FETCH, PHASE_BOX, now);
    rtcore_assume(u, true);
    pipe_enter(&u->box, 0, number, u->plan.node_cycles, now);
}

/* ---- The straight way of a block ---- */

STRAIGHT bool block_is_straight(const struct rtcore *u, cycle now)
{
    rtcore_assume(u, true);
    return !u->triangle.waiting.count && u->triangle.free[0] <= now;
}

#endif
