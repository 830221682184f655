/* schedule.c - which ray goes next, and what the pipes make of it.
 *
 * A pipe's tests are computed when a ray enters it, and count when it leaves. */
#include "ogive/memory.h"
#include "rt/format.h"
#include "unit/rtcore/rtcore.h"

/* ---- Choosing ---- */

static struct rtcore_slot *ready_at(struct rtcore *u, u32 place)
{
    return &u->slots[u->ready.slots[(u->ready.head + place) & u->ready.mask]];
}

/* The node that a ray would visit next, if it has not begun or has one on its stack. */
static u32 ray_next_ref(const struct rtcore_slot *slot)
{
    if (!slot->walk.begun)
        return 0;
    if (slot->leaf || !slot->walk.held)
        return RT_REF_LEAF;
    return slot->walk.stack[slot->walk.top].ref & ~RT_REF_LAST;
}

static u32 choose(struct rtcore *u)
{
    u32 best = 0;
    if (u->p.policy == POLICY_fcfs)
        return 0;
    for (u32 i = 0; i < u->ready.count; i++) {
        const struct rtcore_slot *slot = ready_at(u, i);
        if (u->p.policy == POLICY_oldest && slot->number < ready_at(u, best)->number)
            best = i;
        if (u->p.policy == POLICY_grouped && !(u->last_ref & RT_REF_LEAF) &&
            ray_next_ref(slot) == u->last_ref)
            return i;
    }
    return best;
}

/* Takes one out of the middle; those before it move up. */
static u32 ready_take(struct rtcore *u, u32 place)
{
    struct rtcore_queue *ready = &u->ready;
    u16 chosen = ready->slots[(ready->head + place) & ready->mask];
    for (; place; place--)
        ready->slots[(ready->head + place) & ready->mask] =
            ready->slots[(ready->head + place - 1) & ready->mask];
    queue_pop(ready);
    return chosen;
}

/* ---- The next step of a ray ---- */

void rtcore_ready(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    rtcore_enter(u, slot, PHASE_SCHEDULE, now);
    queue_push(&u->ready, rtcore_slot_number(u, slot));
}

static void ray_end(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.slots_end++;
    rtcore_done(u, slot, now);
}

static void node_begin(struct rtcore *u, struct rtcore_slot *slot, u32 ref, cycle now)
{
    u32 bytes = node_formats[u->p.nodes]->bytes;
    u->s.slots_node++;
    u->s.nodes++;
    slot->nodes++;
    u->last_ref = ref;
    rtcore_enter(u, slot, PHASE_NODE_FETCH, now);
    rtcore_fetch(u, slot, u->tree.nodes + (u64)rt_ref_node(ref) * bytes, bytes);
}

/* The leaf's first block; the rest is for the next turns. */
static void block_begin(struct rtcore *u, struct rtcore_slot *slot, u32 leaf, cycle now)
{
    u32 bytes = primitive_formats[u->p.primitives]->bytes;
    u32 first = rt_ref_first(leaf), count = rt_ref_count(leaf);
    u->s.slots_block++;
    u->s.blocks++;
    slot->block = first;
    slot->leaf = count > 1 ? rt_ref_leaf(first + 1, count - 1) : 0;
    rtcore_enter(u, slot, PHASE_BLOCK_FETCH, now);
    rtcore_fetch(u, slot, u->tree.blocks + (u64)first * bytes, bytes);
}

static void stack_begin(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.slots_stack++;
    rtcore_enter(u, slot, PHASE_STACK_FETCH, now);
    rtcore_refill(u, slot);
}

/* A walk is over. Where blocks do not hold their triangles' numbers, the hit's is fetched. */
static void walk_end(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    bool numbers = primitive_formats[u->p.primitives]->numbers;
    if (!numbers || slot->named || slot->broken || slot->hit.triangle == RT_NOTHING) {
        ray_end(u, slot, now);
        return;
    }
    slot->named = true;
    u->s.slots_block++;
    rtcore_enter(u, slot, PHASE_BLOCK_FETCH, now);
    rtcore_fetch(u, slot, u->tree.numbers + (u64)slot->hit.triangle * sizeof(u32), sizeof(u32));
}

static void ray_step(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    struct rt_child entry;
    bool empty = !slot->walk.begun && rt_ray_is_empty(&slot->ray);
    if (empty || slot->broken || slot->named || (slot->any && slot->hit.triangle != RT_NOTHING)) {
        walk_end(u, slot, now);
        return;
    }
    if (slot->leaf) {
        block_begin(u, slot, slot->leaf, now);
        return;
    }
    if (slot->spilled && !slot->walk.held) {
        stack_begin(u, slot, now);
        return;
    }
    enum rt_visit visit = rt_walk_next(&slot->walk, slot->hit.t, &entry);
    if (visit == RT_VISIT_END) {
        walk_end(u, slot, now);
    } else if (visit == RT_VISIT_CULLED && u->p.pop_cull) {
        u->s.slots_cull++;
        u->s.culled++;
        rtcore_ready(u, slot, now);
    } else if (rt_ref_is_leaf(entry.ref)) {
        block_begin(u, slot, entry.ref, now);
    } else {
        node_begin(u, slot, entry.ref, now);
    }
}

bool rtcore_schedule(struct rtcore *u, cycle now)
{
    u64 slots = min_u64(u->p.schedule, u->ready.count);
    for (u64 i = 0; i < slots; i++)
        ray_step(u, &u->slots[ready_take(u, choose(u))], now);
    return slots;
}

/* ---- Pipes ---- */

/* Kept in the order of leaving: those that leave later move back. */
static void pipe_put(struct rtcore_pipe *pipe, u32 slot, cycle at)
{
    u32 place = pipe->head + pipe->count++;
    for (; place != pipe->head && pipe->inside[(place - 1) & pipe->mask].at > at; place--)
        pipe->inside[place & pipe->mask] = pipe->inside[(place - 1) & pipe->mask];
    pipe->inside[place & pipe->mask] = (struct rtcore_work){ at, slot };
}

static struct rtcore_slot *pipe_take(struct rtcore *u, struct rtcore_pipe *pipe, cycle now)
{
    if (!pipe->count || pipe->inside[pipe->head & pipe->mask].at > now)
        return NULL;
    u32 slot = pipe->inside[pipe->head & pipe->mask].slot;
    pipe->head++;
    pipe->count--;
    return &u->slots[slot];
}

/* Sends what the stack has no room for, then the ray may go on. */
static void box_leave(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    if (!slot->spilling) {
        rtcore_ready(u, slot, now);
        return;
    }
    rtcore_enter(u, slot, PHASE_STACK_FETCH, now);
    rtcore_spill_send(u, slot);
}

void rtcore_pipes_leave(struct rtcore *u, cycle now)
{
    struct rtcore_slot *slot;
    while ((slot = pipe_take(u, &u->box, now)))
        box_leave(u, slot, now);
    while ((slot = pipe_take(u, &u->triangle, now)))
        rtcore_ready(u, slot, now);
}

/* The children of a node; how many cycles that takes a pipe. */
static u64 box_test(struct rtcore *u, struct rtcore_slot *slot)
{
    const struct node_format *format = node_formats[u->p.nodes];
    struct rt_child children[RT_CHILDREN_MAX];
    u32 count = format->test(slot->data + slot->data_at, &slot->slab, slot->hit.t, children);
    u->s.boxes += format->width;
    slot->broken |= slot->walk.level >= RT_LEVELS;
    if (slot->broken)
        return u->p.box_interval;
    if (u->p.overflow == OVERFLOW_spill)
        rtcore_spill_make_room(u, slot, count);
    rt_walk_children(&slot->walk, children, count);
    if (u->p.prefetch && count > 1 && !rt_ref_is_leaf(children[1].ref))
        rtcore_prefetch(u, u->tree.nodes + (u64)rt_ref_node(children[1].ref) * format->bytes,
                        format->bytes);
    u64 passes = (format->width + u->p.box_width - 1) / u->p.box_width;
    return max_u64(passes, u->p.box_interval);
}

static u64 triangle_test(struct rtcore *u, struct rtcore_slot *slot)
{
    const struct primitive_format *format = primitive_formats[u->p.primitives];
    u32 tested = format->test(slot->data + slot->data_at, slot->block, &slot->ray, &slot->hit);
    u->s.triangles += tested;
    slot->triangles += tested;
    return max_u64(tested, 1) * u->p.triangle_interval;
}

static void box_enter(struct rtcore *u, cycle now)
{
    for (u64 pipe = 0; pipe < u->p.box_pipes && u->box.waiting.count; pipe++) {
        if (u->box.free[pipe] > now)
            continue;
        u32 number = queue_pop(&u->box.waiting);
        struct rtcore_slot *slot = &u->slots[number];
        u64 taken = box_test(u, slot);
        u->box.free[pipe] = now + taken;
        u->s.box_busy += taken;
        rtcore_enter(u, slot, PHASE_BOX, now);
        pipe_put(&u->box, number, now + taken - 1 + u->p.box_latency);
    }
}

static void triangle_enter(struct rtcore *u, cycle now)
{
    for (u64 pipe = 0; pipe < u->p.triangle_pipes && u->triangle.waiting.count; pipe++) {
        if (u->triangle.free[pipe] > now)
            continue;
        u32 number = queue_pop(&u->triangle.waiting);
        struct rtcore_slot *slot = &u->slots[number];
        u64 taken = triangle_test(u, slot);
        u->triangle.free[pipe] = now + taken;
        u->s.triangle_busy += taken;
        rtcore_enter(u, slot, PHASE_TRIANGLE, now);
        pipe_put(&u->triangle, number, now + taken - 1 + u->p.triangle_latency);
    }
}

void rtcore_pipes_enter(struct rtcore *u, cycle now)
{
    box_enter(u, now);
    triangle_enter(u, now);
}
