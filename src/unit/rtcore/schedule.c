/* schedule.c - which ray goes next, and what the pipes make of it.
 *
 * A pipe's tests are computed when a ray enters it, and count when it leaves. */
#include "unit/rtcore/node.h"
#include "unit/rtcore/step.h"

/* ---- Choosing ---- */

/* The node that a ray would visit next, if it has not begun or has one on its stack. */
static u32 ray_next_ref(const struct rtcore_slot *slot)
{
    if (!slot->walk.begun)
        return 0;
    if (slot->leaf || !slot->walk.held)
        return RT_REF_LEAF;
    return slot->walk.stack[slot->walk.top].ref & ~RT_REF_LAST;
}

/* Whether a ray would visit the node that was visited last. */
static bool ray_is_grouped(const struct rtcore *u, u32 slot)
{
    return !(u->last_ref & RT_REF_LEAF) && ray_next_ref(&u->slots[slot]) == u->last_ref;
}

/* Whether a ray goes before another one that was ready earlier. */
static bool ray_goes_before(const struct rtcore *u, u32 slot, u32 other)
{
    if (u->p.policy == POLICY_oldest)
        return u->senders[slot].number < u->senders[other].number;
    return u->p.policy == POLICY_grouped && ray_is_grouped(u, slot) && !ray_is_grouped(u, other);
}

static SELDOM u32 ready_choose(struct rtcore *u)
{
    u32 best = u->ready.head, before = NOBODY;
    for (u32 i = 1, last = best; i < u->ready.count; i++, last = u->next[last]) {
        if (!ray_goes_before(u, u->next[last], best))
            continue;
        best = u->next[last];
        before = last;
    }
    return before == NOBODY ? queue_pop(u, &u->ready) : queue_pop_behind(u, &u->ready, before);
}

static inline u32 ready_take(struct rtcore *u)
{
    return u->plan.in_order ? queue_pop(u, &u->ready) : ready_choose(u);
}

/* Of the warps with a ready ray the one whose first ray came to the core first. */
static u32 ready_warp(const struct rtcore *u)
{
    u32 size = (u32)u->p.warp, best = u->ready.head / size;
    for (u32 i = 1, slot = u->ready.head; i < u->ready.count; i++) {
        slot = u->next[slot];
        if (u->senders[slot / size * size].number < u->senders[best * size].number)
            best = slot / size;
    }
    return best;
}

static void ready_take_warp(struct rtcore *u, struct rtcore_queue *taken)
{
    u32 warp = ready_warp(u);
    u->tally.warps++;
    for (u32 i = u->ready.count; i; i--) {
        u32 slot = queue_pop(u, &u->ready);
        queue_push(u, slot / u->p.warp == warp ? taken : &u->ready, slot);
    }
}

/* ---- Steps of few ---- */

static void ray_end(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.slots_end++;
    if (u->stream)
        rtcore_stream_done(u, slot, now);
    else
        rtcore_done(u, slot, now);
}

void rtcore_stack_begin(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.slots_stack++;
    rtcore_enter(u, slot, PHASE_STACK_FETCH, now);
    rtcore_refill(u, slot);
}

/* A walk is over. Where blocks do not hold their triangles' numbers, the hit's is fetched. */
void rtcore_walk_end(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    bool numbers = primitive_formats[u->plan.primitives]->numbers;
    if (!numbers || slot->named || slot->broken || slot->hit.triangle == RT_NOTHING) {
        ray_end(u, slot, now);
        return;
    }
    slot->over = slot->named = true;
    u->tally.numbers++;
    rtcore_enter(u, slot, PHASE_BLOCK_FETCH, now);
    rtcore_fetch(u, slot, u->tree.numbers + (u64)slot->hit.triangle * sizeof(u32), sizeof(u32),
                 now);
}

/* ---- All steps of a cycle ---- */

/* A ray that is ready again at once has to wait for the next cycle. */
static SELDOM void warps_step(struct rtcore *u, cycle now)
{
    struct rtcore_queue taken = { 0 };
    for (u64 i = u->plan.steps; i && u->ready.count; i--)
        ready_take_warp(u, &taken);
    while (taken.count)
        ray_step(u, &u->slots[queue_pop(u, &taken)], now, false);
}

void rtcore_schedule(struct rtcore *u, cycle now)
{
    if (__builtin_expect(u->plan.by_warp, false)) {
        warps_step(u, now);
        return;
    }
    for (u64 i = min_u64(u->plan.steps, u->ready.count); i; i--)
        ray_step(u, &u->slots[ready_take(u)], now, false);
}

/* ---- Pipes ---- */

/* Puts the children of a node that the ray enters on its stack. */
static inline void node_visit(struct rtcore *u, struct rtcore_slot *slot, struct rt_child *children,
                              u32 count)
{
    if (u->plan.spills)
        rtcore_spill_make_room(u, slot, count);
    if (__builtin_expect(u->stream != NULL, false))
        rtcore_stream_children(u, slot, count);
    rt_walk_children(&slot->walk, children, count);
    if (u->plan.prefetches && count > 1 && !rt_ref_is_leaf(children[1].ref))
        rtcore_prefetch(u, rtcore_node_address(u, children[1].ref), u->plan.node_bytes);
}

/* How many cycles that takes a pipe. */
static inline u64 box_test(struct rtcore *u, struct rtcore_slot *slot, u32 number, const u8 *data)
{
    struct rt_child children[RT_CHILDREN_MAX];
    u32 count = node_test(u, slot, data, children);
    bool broken = slot->walk.level >= RT_LEVELS;
    u->tally.tests++;
    if (__builtin_expect(broken, false))
        slot->over = slot->broken = true;
    else
        node_visit(u, slot, children, count);
    if (!u->plan.spills || !slot->spilling)
        rtcore_data_used(u, number);
    return broken ? u->p.box_interval : u->plan.node_cycles;
}

/* The first pipe that takes something in this cycle, or NOBODY. */
static inline u32 pipe_free(const struct rtcore_pipe *pipe, cycle now)
{
    for (u32 i = 0; i < pipe->pipes; i++)
        if (pipe->free[i] <= now)
            return i;
    return NOBODY;
}

/* `data` is what was fetched for the slot of that number, which comes from that phase. */
static inline void box_enter(struct rtcore *u, u32 number, const u8 *data, enum rtcore_phase from,
                             u32 pipe, cycle now)
{
    struct rtcore_slot *slot = &u->slots[number];
    u64 taken = box_test(u, slot, number, data + slot->data_at);
    rtcore_move(u, slot, from, PHASE_BOX, now);
    pipe_enter(&u->box, pipe, number, taken, now);
}

/* A prefetch that a test asks for may leave in the next cycle at the earliest, so that the test is
 * left for the end of this one. */
void rtcore_node_arrived(struct rtcore *u, u32 number, const u8 *data, cycle now)
{
    bool waits = u->box.waiting.count || u->plan.prefetches;
    u32 pipe = waits ? NOBODY : pipe_free(&u->box, now);
    if (pipe != NOBODY) {
        box_enter(u, number, data, PHASE_NODE_FETCH, pipe, now);
        return;
    }
    rtcore_move(u, &u->slots[number], PHASE_NODE_FETCH, PHASE_BOX_QUEUE, now);
    queue_push(u, &u->box.waiting, number);
}

void rtcore_block_arrived(struct rtcore *u, u32 number, const u8 *data, cycle now)
{
    u32 pipe = u->triangle.waiting.count ? NOBODY : pipe_free(&u->triangle, now);
    if (__builtin_expect(pipe != NOBODY, true)) {
        triangle_enter(u, number, data, PHASE_BLOCK_FETCH, pipe, now);
        return;
    }
    rtcore_move(u, &u->slots[number], PHASE_BLOCK_FETCH, PHASE_TRIANGLE_QUEUE, now);
    queue_push(u, &u->triangle.waiting, number);
}

void rtcore_pipes_enter(struct rtcore *u, cycle now)
{
    for (u32 pipe; u->box.waiting.count && (pipe = pipe_free(&u->box, now)) != NOBODY;) {
        u32 number = queue_pop(u, &u->box.waiting);
        box_enter(u, number, rtcore_data(u, number), PHASE_BOX_QUEUE, pipe, now);
    }
    for (u32 pipe; u->triangle.waiting.count && (pipe = pipe_free(&u->triangle, now)) != NOBODY;) {
        u32 number = queue_pop(u, &u->triangle.waiting);
        triangle_enter(u, number, rtcore_data(u, number), PHASE_TRIANGLE_QUEUE, pipe, now);
    }
}
