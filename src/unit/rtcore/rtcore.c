/* rtcore.c - an RT core: finds the closest hits of the rays that cores send it.
 *
 * As Haydel et al. 2025 describe it. In a cycle it takes sectors from memory, takes a new ray if a
 * slot is free, begins the next step of the ray that has been ready longest (fetch a node, fetch a
 * block of primitives, drop an entry behind the best hit, or be done), sends requests to memory,
 * puts rays whose data has come into the pipes, and gives a hit back.
 *
 * What nodes and primitives mean, and in which order a ray visits them, is shared with host and
 * device code (rt_walk.h, rt/format.h); here is when. See rtcore.h for the phases of a ray. */
#include "unit/rtcore/receive.h"
#include "unit/rtcore/step.h"

#include "rt/format.h"

/* ---- Accounting ---- */

void rtcore_trace(struct rtcore *u, const struct rtcore_slot *slot, enum rtcore_phase phase)
{
    static const u8 reasons[PHASES] = {
#define TRACE_PHASE(S, name, NAME, help) [PHASE_##NAME] = RAY_TRACE_##NAME,
        RTCORE_PHASES(TRACE_PHASE, )
#undef TRACE_PHASE
    };
    u32 number = rtcore_slot_number(u, slot);
    if (phase != PHASE_FREE)
        ray_trace_enter(u->traces, number, reasons[phase]);
    else
        ray_trace_end(
            u->traces, number,
            &(struct ray_outcome){ slot->hit, slot->nodes, slot->triangles, slot->broken },
            u->w.users.at[u->senders[number].user].out);
}

/* The phase that most rays are in, the first of several, as LOAD_NONE has it; 0 if there are none.
 */
static u32 phase_of_most(const struct rtcore *u)
{
    int16_t most = 0;
    for (u32 i = 0; i < sizeof u->load / sizeof *u->load; i++)
        most = u->load[i] > most ? u->load[i] : most;
    return (u32)most % LOAD_ONE;
}

/* Cycles before `now` in which no step was begun; the rays are still as the last cycle left them.
 */
static void idle_charge(struct rtcore *u, cycle now)
{
    u->idle[phase_of_most(u)] += now - u->idle_since;
    u->idle_since = now;
}

static void idle_report(struct rtcore *u)
{
    u->s.idle_empty = u->idle[0];
    for (u32 phase = 0; phase < PHASES; phase++)
        u->s.idle[phase] = u->idle[LOAD_NONE(phase)];
}

static void phases_report(struct rtcore *u, cycle now)
{
    u->s.ray_cycles = 0;
    for (u32 phase = 0; phase < PHASES; phase++) {
        u->s.wait[phase] = u->time[phase] + (u64)(u->load[phase] / LOAD_ONE) * now;
        u->s.ray_cycles += u->s.wait[phase];
    }
}

static void tally_report(struct rtcore *u)
{
    const struct rtcore_tally *tally = &u->tally;
    u->s.nodes = u->s.slots_node = tally->nodes;
    u->s.blocks = tally->blocks;
    u->s.slots_block = tally->blocks + tally->numbers;
    u->s.culled = u->s.slots_cull = tally->culled;
    u->s.bytes = tally->nodes * u->plan.node_bytes + tally->blocks * u->plan.block_bytes +
                 tally->numbers * sizeof(u32);
    u->s.boxes = tally->tests * node_formats[u->p.nodes]->width;
    u->s.triangles = tally->triangles;
    u->s.requests = tally->requests;
    u->s.box_busy = u->box.busy;
    u->s.triangle_busy = u->triangle.busy;
}

static void rtcore_report(struct unit *unit, cycle now)
{
    struct rtcore *u = (struct rtcore *)unit;
    phases_report(u, now);
    tally_report(u);
    if (now > u->idle_since)
        idle_charge(u, now);
    idle_report(u);
    u->s.slots = u->p.schedule * now;
    u->s.slots_used = u->plan.by_warp ? u->tally.warps
                                      : u->s.slots_node + u->s.slots_block + u->s.slots_cull +
                                            u->s.slots_stack + u->s.slots_end;
    u->s.box_cycles = u->p.box_pipes * now;
    u->s.triangle_cycles = u->p.triangle_pipes * now;
    u->s.slot_cycles = u->p.rays * now;
}

/* ---- Leaving pipes ---- */

static inline u32 pipe_take(struct rtcore_pipe *pipe)
{
    u32 slot = pipe->inside[pipe->head & pipe->mask].slot;
    pipe->head = --pipe->count ? pipe->head + 1 : 0;
    pipe->leaves = pipe->count ? pipe->inside[pipe->head & pipe->mask].at : NEVER;
    return slot;
}

/* Out of a pipe, it waits for its next step. While nobody else does, the first that leaves in a
 * usual RT core has its turn in the same cycle: it stays in its phase until then. */
STRAIGHT void ray_leave(struct rtcore *u, struct rtcore_slot *slot, enum rtcore_phase phase,
                        struct rtcore_slot **first, cycle now, bool usual)
{
    if (usual && !*first && !u->ready.count) {
        *first = slot;
        return;
    }
    rtcore_move(u, slot, phase, PHASE_SCHEDULE, now);
    queue_push(u, &u->ready, rtcore_slot_number(u, slot));
}

/* Sends what the stack has no room for, then the ray may go on. */
STRAIGHT void box_leave(struct rtcore *u, struct rtcore_slot *slot, struct rtcore_slot **first,
                        cycle now, bool usual)
{
    rtcore_assume(u, usual);
    if (!u->plan.spills || !slot->spilling) {
        ray_leave(u, slot, PHASE_BOX, first, now, usual);
        return;
    }
    rtcore_enter(u, slot, PHASE_STACK_FETCH, now);
    rtcore_spill_send(u, slot);
}

/* The ray that goes on at once; NULL: those that are ready are in their queue. */
STRAIGHT struct rtcore_slot *pipes_leave(struct rtcore *u, cycle now, bool usual)
{
    struct rtcore_slot *first = NULL;
    while (u->box.leaves <= now)
        box_leave(u, &u->slots[pipe_take(&u->box)], &first, now, usual);
    rtcore_assume(u, usual);
    while (u->triangle.leaves <= now)
        ray_leave(u, &u->slots[pipe_take(&u->triangle)], PHASE_TRIANGLE, &first, now, usual);
    return first;
}

/* ---- Time ---- */

/* When a pipe takes the next that waits. */
static cycle pipe_next(const struct rtcore_pipe *pipe, cycle now)
{
    cycle next = NEVER;
    for (u32 i = 0; i < pipe->pipes && pipe->waiting.count; i++)
        next = min_u64(next, pipe->free[i]);
    return max_u64(next, now + 1);
}

/* A link that has no room, and a message that is on its way or behind one that was popped, wake by
 * themselves; but in chip cycles, of which one may have several of a unit's own. Prefetches may
 * have come after the last request was sent. Where no ray was taken, all that are there wait for a
 * slot or for room; `asked`: there may be any. */
STRAIGHT cycle rtcore_next(struct rtcore *u, bool asked, bool taken, cycle now)
{
    if (u->ready.count || u->done.count)
        return now + 1;
    if (asked && (taken || rtcore_has_room(u)) && rtcore_users_any(u) && rtcore_users_more(u))
        return now + 1;
    if (u->outbox_count && (u->base.clocked || u->plan.prefetches))
        return now + 1;
    if (u->base.clocked && ports_arrived(&u->w.memory, 0) != NOBODY)
        return now + 1;
    cycle next = min_u64(u->box.leaves, u->triangle.leaves);
    if (u->box.waiting.count || u->triangle.waiting.count)
        next = min_u64(next, min_u64(pipe_next(&u->box, now), pipe_next(&u->triangle, now)));
    return next;
}

/* Whether there may be anything for a tick to do behind its steps, but for what rtcore_next knows.
 */
static inline bool rtcore_has_more(const struct rtcore *u)
{
    return u->outbox_count | u->box.waiting.count | u->triangle.waiting.count | u->done.count;
}

/* What few ticks have to do: the rest of one, and when the next is. */
STRAIGHT cycle rtcore_tick_more(struct rtcore *u, bool asked, bool taken, cycle now, bool usual)
{
    bool sends = false;
    if (u->outbox_count)
        sends = u->sent_at == now ? u->sent_any : rtcore_send(u, now);
    if (u->box.waiting.count || u->triangle.waiting.count)
        rtcore_pipes_enter(u, now);
    if (u->done.count) {
        rtcore_answer(u, now);
        asked = true; /* perhaps, as there may be room for those that were refused */
    }
    rtcore_assume(u, usual);
    if (u->stream) {
        rtcore_stream_send(u, now);
        sends |= rtcore_stream_busy(u);
        asked = true;
    }
    return sends ? now + 1 : rtcore_next(u, asked, taken, now);
}

static SELDOM cycle rtcore_tick_more_usual(struct rtcore *u, cycle now)
{
    return rtcore_tick_more(u, false, false, now, true);
}

/* The next step of a ray, if one is ready; notes whether. */
STRAIGHT void rays_step(struct rtcore *u, struct rtcore_slot *first, cycle now, bool usual)
{
    bool begun = first || u->ready.count;
    rtcore_assume(u, usual);
    if (begun && __builtin_expect(u->plan.singly, true))
        ray_step(u, first ? first : &u->slots[queue_pop(u, &u->ready)], now, usual);
    else if (begun)
        rtcore_schedule(u, now);
    u->idle_since = now + begun;
}

/* The part of a tick that begins when users are looked at. */
STRAIGHT cycle rtcore_tick_asked(struct rtcore *u, struct rtcore_slot *first, cycle now, bool usual)
{
    bool asked = rtcore_users_any(u);
    bool taken = asked && rtcore_accept(u, now);
    rays_step(u, first, now, usual);
    return rtcore_tick_more(u, asked, taken, now, usual);
}

static SELDOM cycle rtcore_tick_asked_usual(struct rtcore *u, struct rtcore_slot *first, cycle now)
{
    return rtcore_tick_asked(u, first, now, true);
}

/* The first cycle in which answers are there, as far as nobody else sees to it: what is on its way
 * to a pair of ports has come by the next. */
STRAIGHT cycle rtcore_next_answer(const struct rtcore *u, cycle now)
{
    return u->w.memory.pending_word ? now + 1 : NEVER;
}

/* The same where no user may be asked for anything. */
STRAIGHT cycle rtcore_tick_alone(struct rtcore *u, struct rtcore_slot *first, cycle now)
{
    rays_step(u, first, now, true);
    if (__builtin_expect(rtcore_has_more(u), false))
        return min_u64(rtcore_tick_more_usual(u, now), rtcore_next_answer(u, now));
    if (u->ready.count || u->w.memory.pending_word)
        return now + 1;
    return min_u64(u->box.leaves, u->triangle.leaves);
}

static SELDOM cycle rtcore_tick_any(struct rtcore *u, cycle now)
{
    if (now > u->idle_since)
        idle_charge(u, now);
    rtcore_receive(u, now);
    struct rtcore_slot *first = pipes_leave(u, now, false);
    if (u->stream)
        rtcore_stream_receive(u, now);
    return rtcore_tick_asked(u, first, now, false);
}

static SELDOM cycle rtcore_tick_usual(struct rtcore *u, cycle now)
{
    rtcore_assume(u, true);
    if (now > u->idle_since)
        idle_charge(u, now);
    rtcore_receive_pair(u, now);
    rtcore_assume(u, true);
    struct rtcore_slot *first = pipes_leave(u, now, true);
    if (__builtin_expect(!(u->w.users.pending_word & ~u->hopeless), true))
        return rtcore_tick_alone(u, first, now);
    return min_u64(rtcore_tick_asked_usual(u, first, now), rtcore_next_answer(u, now));
}

static cycle rtcore_tick(struct unit *unit, cycle now)
{
    struct rtcore *u = (struct rtcore *)unit;
    return u->plan.usual ? rtcore_tick_usual(u, now) : rtcore_tick_any(u, now);
}

/* ---- Starting ---- */

/* Of the rays inside, all but the first of each pipe came within the latency, one in a cycle. */
static bool pipe_init(struct rtcore *u, struct rtcore_pipe *pipe, u64 pipes, u64 latency,
                      struct ogv_error *error)
{
    u32 places = (u32)power_of_two_above(min_u64(u->p.rays, pipes * (latency + 1)));
    pipe->inside = unit_alloc(&u->base, places, sizeof *pipe->inside, error);
    pipe->mask = places - 1;
    pipe->pipes = (u16)pipes;
    pipe->latency = (u16)latency;
    pipe->leaves = NEVER;
    return pipe->inside;
}

static bool rtcore_fits(const struct rtcore *u, struct ogv_error *error)
{
    u32 node = node_formats[u->p.nodes]->bytes, block = primitive_formats[u->p.primitives]->bytes;
    u32 longest = node > block ? node : block;
    if (longest + 32 > RTCORE_DATA_BYTES)
        return unit_refuse(error, "nodes or primitives of %u bytes do not fit", longest);
    if (u->p.rays % u->p.warp)
        return unit_refuse(error, "%u slots are not a whole number of warps of %u rays",
                           (u32)u->p.rays, (u32)u->p.warp);
    if (u->p.treelets && !rt_treelet_bytes_fit(u->p.treelets))
        return unit_refuse(
            error,
            "treelets of %llu bytes: the size is a power of two from %u to %u bytes, "
            "or 0",
            (unsigned long long)u->p.treelets, RT_TREELET_BYTES_MIN, RT_TREELET_BYTES_MAX);
    if (u->p.overflow == OVERFLOW_spill && u->p.stack < RT_CHILDREN_MAX + RTCORE_SPILL)
        return unit_refuse(error, "a stack of %u entries cannot spill; it takes at least %u",
                           (u32)u->p.stack, RT_CHILDREN_MAX + RTCORE_SPILL);
    return true;
}

/* Two ports, whose answers take a cycle. */
static bool ports_are_pair(const struct ports *ports)
{
    return ports->count == 2 && ports->at[0].in->latency == 1 && ports->at[1].in->latency == 1;
}

static void plan_make(struct rtcore *u)
{
    const struct node_format *nodes = node_formats[u->p.nodes];
    u32 block = primitive_formats[u->p.primitives]->bytes;
    u32 longest = nodes->bytes > block ? nodes->bytes : block;
    u64 passes = (nodes->width + u->p.box_width - 1) / u->p.box_width;
    u->plan = (struct rtcore_plan){
        .nodes = (u8)u->p.nodes,
        .primitives = (u8)u->p.primitives,
        .in_order = u->p.policy == POLICY_fcfs,
        .by_warp = u->p.policy == POLICY_warp,
        .culls = u->p.pop_cull,
        .coalesces = u->p.coalesce != COALESCE_none,
        .spills = u->p.overflow == OVERFLOW_spill,
        .prefetches = u->p.prefetch,
        .steps = (u16)u->p.schedule,
        .node_bytes = (u16)nodes->bytes,
        .block_bytes = (u16)block,
        .data_bytes = (u16)((longest + 32 + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT),
        .read_kind = (u16)(MEMORY_READ | (u->p.bypass ? MEMORY_SKIP(1) : 0)),
        .node_cycles = (u16)max_u64(passes, u->p.box_interval),
        .triangle_interval = (u16)u->p.triangle_interval,
    };
    u->plan.singly = u->plan.in_order && u->plan.steps == 1;
    u->plan.near = u->w.memory.count <= 64 && ports_are_near(&u->w.memory);
    u->plan.at_once =
        u->plan.near && u->plan.steps == 1 && !u->plan.by_warp && !u->plan.coalesces && !u->traces;
    u->plan.pair = u->plan.near && ports_are_pair(&u->w.memory);
    u->plan.sector_kind = u->plan.coalesces || u->traces ? KIND_NONE : u->plan.read_kind;
    struct rt_inside in = rt_inside_make((u32)u->p.treelets, nodes->bytes, block);
    u->plan.node_bits = (u8)in.node_bits;
    u->plan.block_bits = (u8)in.block_bits;
}

static bool slots_init(struct rtcore *u, struct ogv_error *error)
{
    u64 rays = u->p.rays;
    u->slots = unit_alloc(&u->base, rays, sizeof *u->slots, error);
    u->data = u->slots ? unit_alloc(&u->base, rays, u->plan.data_bytes, error) : NULL;
    u->stacks = u->data ? unit_alloc(&u->base, rays * u->p.stack, sizeof *u->stacks, error) : NULL;
    u->senders = u->stacks ? unit_alloc(&u->base, rays, sizeof *u->senders, error) : NULL;
    u->warps = u->senders ? unit_alloc(&u->base, rays, sizeof *u->warps, error) : NULL;
    u->next = u->warps ? unit_alloc(&u->base, rays, sizeof *u->next, error) : NULL;
    u->sources = u->next ? unit_alloc(&u->base, rays, sizeof *u->sources, error) : NULL;
    u->spare = u->sources ? unit_alloc(&u->base, rays, sizeof *u->spare, error) : NULL;
    u->buffers = u->spare ? unit_alloc(&u->base, rays, sizeof *u->buffers, error) : NULL;
    if (u->buffers && u->p.treelets)
        u->treelets = unit_alloc(&u->base, rays, sizeof *u->treelets, error);
    if (!u->buffers || !u->treelets != !u->p.treelets)
        return false;
    for (u32 i = 0; i < rays; i++) {
        u->slots[i].phase = PHASE_FREE;
        u->buffers[i] = BUFFER_NONE;
        u->spare[u->spare_count++] = (u16)(i * u->plan.data_bytes / BUFFER_UNIT);
    }
    for (u32 i = 0; i < rays; i += (u32)u->p.warp)
        queue_push(u, &u->free, i);
    return true;
}

static bool users_init(struct rtcore *u, struct ogv_error *error)
{
    u->user_words = (u->w.users.count + 63) / 64;
    u->waiting = unit_alloc(&u->base, u->user_words, sizeof *u->waiting, error);
    if (!u->waiting || u->p.joins == JOINS_all)
        return u->waiting;
    u->opens = unit_alloc(&u->base, u->w.users.count, sizeof *u->opens, error);
    return u->opens;
}

static bool rtcore_init(struct unit *unit, struct ogv_error *error)
{
    struct rtcore *u = (struct rtcore *)unit;
    if (!rtcore_fits(u, error))
        return false;
    plan_make(u);
    if (!users_init(u, error) || !slots_init(u, error) ||
        !pipe_init(u, &u->box, u->p.box_pipes, u->p.box_latency, error) ||
        !pipe_init(u, &u->triangle, u->p.triangle_pipes, u->p.triangle_latency, error) ||
        !rtcore_fetch_init(u, error) || !rtcore_stream_init(u, error))
        return false;
    u->plan.usual = rtcore_is_usual(u);
    u->last_ref = RT_REF_LEAF;
    u->sent_at = NEVER;
    u->open = NOBODY;
    for (u32 i = 0; u->opens && i < u->w.users.count; i++)
        u->opens[i] = NOBODY;
    for (u32 phase = 0; phase <= PHASES; phase++)
        u->load[phase] = (int16_t)LOAD_NONE(phase);
    u->load[LOAD_NOBODY] = LOAD_ONE;
    return true;
}

/* ---- What the run asks and tells ---- */

static void rtcore_wants(const struct unit *unit, struct tree_wanted *wanted)
{
    const struct rtcore *u = (const struct rtcore *)unit;
    wanted->nodes = (u32)u->p.nodes;
    wanted->primitives = (u32)u->p.primitives;
    wanted->builder = (u32)u->p.builder;
    wanted->treelet_bytes = (u32)u->p.treelets;
    wanted->streams = (u32)u->p.stream; /* in the same order */
    wanted->spill_bytes = u->p.rays * RTCORE_SPILL_BYTES;
}

static struct tree_place *rtcore_tree(struct unit *unit)
{
    return &((struct rtcore *)unit)->tree;
}

static bool rtcore_follow(struct unit *unit, u32 limit, struct ogv_error *error)
{
    struct rtcore *u = (struct rtcore *)unit;
    if (u->stream) /* a ray is in many RT cores, one after the other */
        return true;
    u->traces = ray_traces_create(unit, (u32)u->p.rays, limit, error);
    u->plan.usual = u->plan.at_once = false;
    u->plan.sector_kind = KIND_NONE;
    return u->traces;
}

static const struct ray_traces *rtcore_followed(const struct unit *unit)
{
    return ((const struct rtcore *)unit)->traces;
}

static const struct ray_role rtcore_rays = {
    .rays = "rays",
    .wants = rtcore_wants,
    .tree = rtcore_tree,
    .follow = rtcore_follow,
    .followed = rtcore_followed,
};

UNIT_TYPE(rtcore, RTCORE, "RT core: traces rays through a tree in memory", .init = rtcore_init,
          .tick = rtcore_tick, .report = rtcore_report, .energy = rtcore_energy_rows,
          .costs = rtcore_costs, .rays = &rtcore_rays, .resources = rtcore_resource_rows,
          .accounts = rtcore_account_rows, .figures = rtcore_figure_rows,
          .area_help = "box and triangle pipes as multipliers, adders and comparators, slots as "
                       "register files; SimTRaX, 65 nm")
