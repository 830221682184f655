/* rtcore.c - an RT core: finds the closest hits of the rays that cores send it.
 *
 * As Haydel et al. 2025 describe it. In a cycle it takes sectors from memory, takes a new ray if a
 * slot is free, begins the next step of the ray that has been ready longest (fetch a node, fetch a
 * block of primitives, drop an entry behind the best hit, or be done), sends requests to memory,
 * puts rays whose data has come into the pipes, and gives a hit back.
 *
 * What nodes and primitives mean, and in which order a ray visits them, is shared with host and
 * device code (rt_walk.h, rt/format.h); here is when. See rtcore.h for the phases of a ray. */
#include "unit/rtcore/rtcore.h"

#include <string.h>

#include "ogive/memory.h"
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

/* The phase that most rays are in, the first of several; PHASES if there are none. */
static u32 phase_of_most(const struct rtcore *u)
{
    int16_t most = 0;
    for (u32 i = 0; i < sizeof u->load / sizeof *u->load; i++)
        most = u->load[i] > most ? u->load[i] : most;
    return most < LOAD_ONE ? PHASES : LOAD_NONE((u32)most % LOAD_ONE);
}

/* Cycles before `now` in which no step was begun; the rays are still as the last cycle left them.
 */
static void idle_charge(struct rtcore *u, cycle now)
{
    if (now <= u->idle_since)
        return;
    u32 why = phase_of_most(u);
    *(why == PHASES ? &u->s.idle_empty : &u->s.idle[why]) += now - u->idle_since;
    u->idle_since = now;
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
}

static void rtcore_report(struct unit *unit, cycle now)
{
    struct rtcore *u = (struct rtcore *)unit;
    phases_report(u, now);
    tally_report(u);
    idle_charge(u, now);
    u->s.slots = u->p.schedule * now;
    u->s.box_cycles = u->p.box_pipes * now;
    u->s.triangle_cycles = u->p.triangle_pipes * now;
    u->s.slot_cycles = u->p.rays * now;
}

/* ---- Rays in ---- */

static void slot_fill(struct rtcore *u, u32 number, u32 user, const struct message *request)
{
    struct rtcore_slot *slot = &u->slots[number];
    slot->ray = tracer_ray(request);
    slot->slab = rt_slab_make(&slot->ray);
    slot->hit = rt_hit_none(&slot->ray);
    rt_walk_begin(&slot->walk, &u->stacks[number * u->p.stack], (u32)u->p.stack);
    slot->leaf = 0;
    slot->awaited = slot->spilling = 0;
    slot->spilled = 0;
    slot->nodes = slot->triangles = slot->bytes = 0;
    slot->source = request->source;
    slot->kind = (u8)request->kind;
    slot->any = request->kind == MESSAGE_TRACE_ANY;
    slot->over = rt_ray_is_empty(&slot->ray);
    slot->asked = slot->broken = slot->named = false;
    u->senders[number] = (struct rtcore_sender){ u->taken++, user, request->tag };
}

/* A slot for a new ray, in the warp that is being filled; there must be room. A ray that may stay
 * after its end is alone in its warp. */
static u32 slot_take(struct rtcore *u, bool alone)
{
    bool joins = !alone && u->open != NOBODY;
    u32 warp = joins ? u->open : queue_pop(u, &u->free) / (u32)u->p.warp;
    struct rtcore_warp *at = &u->warps[warp];
    u32 number = warp * (u32)u->p.warp + at->joined++;
    at->busy++;
    at->here++;
    if (!alone)
        u->open = at->joined < u->p.warp ? warp : NOBODY;
    return number;
}

static bool rtcore_has_room(const struct rtcore *u)
{
    return u->free.count || u->open != NOBODY;
}

static u32 words_of(const struct rtcore *u)
{
    return (u->w.users.count + 63) / 64;
}

/* The slot is free again when its warp is. */
static void slot_leave(struct rtcore *u, u32 number)
{
    u32 warp = number / (u32)u->p.warp;
    if (--u->warps[warp].here)
        return;
    u->warps[warp].joined = 0;
    queue_push(u, &u->free, warp * (u32)u->p.warp);
}

/* A hit that nobody asks for any more does not keep the chip from its end. */
void rtcore_done(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u32 warp = rtcore_slot_number(u, slot) / (u32)u->p.warp, first = warp * (u32)u->p.warp;
    struct rtcore_warp *at = &u->warps[warp];
    rtcore_enter(u, slot, PHASE_WARP, now);
    if (--at->busy)
        return;
    if (u->open == warp)
        u->open = NOBODY;
    for (u32 i = first; i < first + at->joined; i++) {
        bool held = u->slots[i].kind == MESSAGE_TRACE_START && !u->slots[i].asked;
        rtcore_enter(u, &u->slots[i], held ? PHASE_HELD : PHASE_ANSWER, now);
        if (held)
            unit_release(&u->base, 1);
        else
            queue_push(u, &u->done, i);
    }
}

static void ray_begin(struct rtcore *u, u32 user, const struct message *request, cycle now)
{
    u32 number = slot_take(u, request->kind == MESSAGE_TRACE_START);
    slot_fill(u, number, user, request);
    if (u->traces)
        ray_trace_begin(u->traces, number, u->w.users.at[user].in);
    rtcore_ready(u, &u->slots[number], now);
    unit_hold(&u->base, 1);
}

/* A ticket is the number of the slot, or all ones if there is none to be had. One warp is never
 * given to rays that may stay after their end: with it, all others make progress. */
static void ray_start(struct rtcore *u, u32 user, const struct message *request, cycle now)
{
    bool room = u->free.count && u->started + 1 < u->p.rays / u->p.warp;
    u32 ticket = u->free.head;
    struct message *answer = link_push(u->w.users.at[user].out);
    *answer = *request;
    answer->data.dword[0] = room ? ticket : UINT64_MAX;
    u->s.refused += !room;
    if (!room)
        return;
    u->started++;
    ray_begin(u, user, request, now);
}

/* The answer to a wait for something that was not started is a miss. */
static void ray_wait(struct rtcore *u, u32 user, const struct message *request, cycle now)
{
    u64 ticket = request->data.dword[0];
    struct rtcore_slot *slot = ticket < u->p.rays ? &u->slots[ticket] : NULL;
    if (!slot || slot->phase == PHASE_FREE || slot->kind != MESSAGE_TRACE_START || slot->asked ||
        u->senders[ticket].user != user) {
        struct message *answer = link_push(u->w.users.at[user].out);
        *answer = *request;
        memset(&answer->data, 0xff, sizeof answer->data);
        return;
    }
    slot->asked = true;
    u->senders[ticket].tag = request->tag;
    slot->source = request->source;
    if (slot->phase != PHASE_HELD)
        return;
    unit_hold(&u->base, 1);
    rtcore_enter(u, slot, PHASE_ANSWER, now);
    queue_push(u, &u->done, (u32)ticket);
}

/* Deals with a user's oldest request; false if it must stay. */
static bool request_take(struct rtcore *u, u32 user, cycle now)
{
    struct link *in = u->w.users.at[user].in;
    const struct message *request = link_peek(in);
    bool direct = request->kind == MESSAGE_TRACE_START || request->kind == MESSAGE_TRACE_WAIT;
    if (direct && !link_can_push(u->w.users.at[user].out))
        return false;
    if (!direct && !rtcore_has_room(u)) {
        u->waiting[user / 64] |= UINT64_C(1) << (user % 64);
        return false;
    }
    u->waiting[user / 64] &= ~(UINT64_C(1) << (user % 64));
    if (request->kind == MESSAGE_TRACE_START)
        ray_start(u, user, request, now);
    else if (request->kind == MESSAGE_TRACE_WAIT)
        ray_wait(u, user, request, now);
    else
        ray_begin(u, user, request, now);
    link_pop(in);
    return true;
}

/* Users with a request, here or on its way, that may be taken. */
static u64 users_hopeful(const struct rtcore *u, u32 word)
{
    u64 pending = u->w.users.pending[word];
    return rtcore_has_room(u) ? pending : pending & ~u->waiting[word];
}

static bool users_any(const struct rtcore *u)
{
    for (u32 word = 0; word < words_of(u); word++)
        if (users_hopeful(u, word))
            return true;
    return false;
}

/* The first user >= from with a request that may be taken, or NOBODY. */
static u32 user_arrived(const struct rtcore *u, u32 from)
{
    const struct ports *users = &u->w.users;
    for (u32 word = from / 64; word < words_of(u); word++) {
        u64 bits = users_hopeful(u, word);
        if (word == from / 64)
            bits &= ~UINT64_C(0) << (from % 64);
        for (; bits; bits &= bits - 1) {
            u32 user = word * 64 + (u32)__builtin_ctzll(bits);
            if (link_peek(users->at[user].in))
                return user;
        }
    }
    return NOBODY;
}

static bool user_waits(const struct rtcore *u, u32 user)
{
    return u->waiting[user / 64] >> (user % 64) & 1;
}

/* The first user from `from` on, in a circle, that waits for a slot, or NOBODY. */
static u32 user_waiting(const struct rtcore *u, u32 from)
{
    u32 words = words_of(u), first = from / 64;
    u64 behind = ~UINT64_C(0) << (from % 64);
    for (u32 i = 0; i <= words; i++) {
        u32 word = (first + i) % words;
        u64 bits = u->waiting[word] & (i == 0 ? behind : i == words ? ~behind : ~UINT64_C(0));
        if (bits)
            return word * 64 + (u32)__builtin_ctzll(bits);
    }
    return NOBODY;
}

/* Whoever has waited for a slot begins the next turn, until it has one: others that need none, or
 * come just in time, cannot take its place. */
static void turn_move(struct rtcore *u, u32 last)
{
    if (user_waits(u, u->turn))
        return;
    u32 waiting = user_waiting(u, u->turn);
    if (waiting != NOBODY)
        u->turn = waiting;
    else if (last != NOBODY)
        u->turn = last + 1 < u->w.users.count ? last + 1 : 0;
}

/* In turn over the users, one of each at most. Whether any was taken. */
static bool rtcore_accept(struct rtcore *u, cycle now)
{
    u32 turn = u->turn, last = NOBODY;
    u64 taken = 0;
    for (u32 half = 0; half < 2; half++) {
        u32 end = half ? turn : u->w.users.count;
        for (u32 next = half ? 0 : turn; taken < u->p.accepts;) {
            u32 user = user_arrived(u, next);
            if (user >= end)
                break;
            next = user + 1;
            if (!request_take(u, user, now))
                continue;
            taken++;
            last = user;
        }
    }
    turn_move(u, last);
    return taken;
}

/* ---- Hits out ---- */

static void hit_write(struct message *answer, const struct rtcore_slot *slot, u32 tag)
{
    answer->tag = tag;
    answer->source = slot->source;
    answer->kind = slot->kind;
    tracer_hit(answer, &slot->hit);
}

_Static_assert(sizeof((struct rtcore *)0)->s.nodes_log2 == RTCORE_BUCKETS * sizeof(u64),
               "one counter per bucket");

static u32 bucket_of(u64 value)
{
    u32 bucket = value ? 63 - (u32)__builtin_clzll(value) : 0;
    return bucket < RTCORE_BUCKETS ? bucket : RTCORE_BUCKETS - 1;
}

static void ray_count(struct rtcore *u, const struct rtcore_slot *slot)
{
    bool empty = rt_ray_is_empty(&slot->ray);
    u->s.empty += empty;
    u->s.rays += !empty;
    u->s.hits += slot->hit.triangle != RT_NOTHING;
    u->s.faults += slot->broken;
    u->s.restarts += slot->walk.restarts;
    if (empty)
        return;
    u->s.nodes_log2[bucket_of(slot->nodes)]++;
    u->s.triangles_log2[bucket_of(slot->triangles)]++;
    u->s.bytes_log2[bucket_of(slot->bytes)]++;
}

static void rtcore_answer(struct rtcore *u, cycle now)
{
    for (u64 given = 0; given < u->p.answers && u->done.count; given++) {
        u32 number = u->done.head;
        struct rtcore_slot *slot = &u->slots[number];
        struct link *out = u->w.users.at[u->senders[number].user].out;
        if (!link_can_push(out))
            return;
        hit_write(link_push(out), slot, u->senders[number].tag);
        queue_pop(u, &u->done);
        ray_count(u, slot);
        u->started -= slot->kind == MESSAGE_TRACE_START;
        rtcore_enter(u, slot, PHASE_FREE, now);
        slot_leave(u, number);
        unit_release(&u->base, 1);
        unit_progress(&u->base);
    }
}

/* ---- Time ---- */

static cycle pipe_next(const struct rtcore_pipe *pipe, u64 pipes, cycle now)
{
    cycle next = pipe->leaves;
    for (u64 i = 0; i < pipes && pipe->waiting.count; i++)
        next = min_u64(next, pipe->free[i]);
    return max_u64(next, now + 1);
}

/* A link that has no room, and a message that is on its way, wake by themselves. Where no request
 * was taken, all that are there wait for a slot or for room. */
static cycle rtcore_next(struct rtcore *u, bool taken, cycle now)
{
    bool more = u->ready.count || u->outbox_count || u->done.count ||
                ((taken || rtcore_has_room(u)) && users_any(u) && user_arrived(u, 0) != NOBODY) ||
                ports_arrived(&u->w.memory, 0) != NOBODY;
    if (more)
        return now + 1;
    return min_u64(pipe_next(&u->box, u->p.box_pipes, now),
                   pipe_next(&u->triangle, u->p.triangle_pipes, now));
}

/* Each part is called when there is something for it to do. */
static cycle rtcore_tick(struct unit *unit, cycle now)
{
    struct rtcore *u = (struct rtcore *)unit;
    idle_charge(u, now);
    if (ports_any(&u->w.memory))
        rtcore_receive(u, now);
    if (u->box.leaves <= now || u->triangle.leaves <= now)
        rtcore_pipes_leave(u, now);
    bool taken = users_any(u) && rtcore_accept(u, now);
    bool begun = u->ready.count;
    if (begun)
        rtcore_schedule(u, now);
    if (u->outbox_count)
        rtcore_send(u, now);
    if (u->box.waiting.count || u->triangle.waiting.count)
        rtcore_pipes_enter(u, now);
    if (u->done.count)
        rtcore_answer(u, now);
    u->idle_since = now + begun;
    return rtcore_next(u, taken, now);
}

/* ---- Starting ---- */

static bool pipe_init(struct rtcore *u, struct rtcore_pipe *pipe, struct ogv_error *error)
{
    u32 places = (u32)power_of_two_above(u->p.rays);
    pipe->inside = unit_alloc(&u->base, places, sizeof *pipe->inside, error);
    pipe->mask = (u16)(places - 1);
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
    if (u->p.overflow == OVERFLOW_spill && u->p.stack < RT_CHILDREN_MAX + RTCORE_SPILL)
        return unit_refuse(error, "a stack of %u entries cannot spill; it takes at least %u",
                           (u32)u->p.stack, RT_CHILDREN_MAX + RTCORE_SPILL);
    return true;
}

static void plan_make(struct rtcore *u)
{
    const struct node_format *nodes = node_formats[u->p.nodes];
    u32 block = primitive_formats[u->p.primitives]->bytes;
    u32 longest = nodes->bytes > block ? nodes->bytes : block;
    u64 passes = (nodes->width + u->p.box_width - 1) / u->p.box_width;
    u->plan = (struct rtcore_plan){
        .node_bytes = (u16)nodes->bytes,
        .block_bytes = (u16)block,
        .data_bytes = (u16)((longest + 32 + 63) / 64 * 64),
        .read_kind = (u16)(MEMORY_READ | (u->p.bypass ? MEMORY_SKIP(1) : 0)),
        .node_cycles = (u32)max_u64(passes, u->p.box_interval),
        .coalesces = u->p.coalesce != COALESCE_none,
        .spills = u->p.overflow == OVERFLOW_spill,
        .prefetches = u->p.prefetch,
    };
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
    if (!u->next)
        return false;
    for (u32 i = 0; i < rays; i++)
        u->slots[i].phase = PHASE_FREE;
    for (u32 i = 0; i < rays; i += (u32)u->p.warp)
        queue_push(u, &u->free, i);
    return true;
}

static bool rtcore_init(struct unit *unit, struct ogv_error *error)
{
    struct rtcore *u = (struct rtcore *)unit;
    if (!rtcore_fits(u, error))
        return false;
    plan_make(u);
    u->waiting = unit_alloc(unit, words_of(u), sizeof *u->waiting, error);
    if (!u->waiting || !slots_init(u, error) || !pipe_init(u, &u->box, error) ||
        !pipe_init(u, &u->triangle, error) || !rtcore_fetch_init(u, error))
        return false;
    u->last_ref = RT_REF_LEAF;
    u->open = NOBODY;
    for (u32 phase = 0; phase <= PHASES; phase++)
        u->load[phase] = (int16_t)LOAD_NONE(phase);
    return true;
}

/* ---- What the run asks and tells ---- */

static void rtcore_wants(const struct unit *unit, struct tree_wanted *wanted)
{
    const struct rtcore *u = (const struct rtcore *)unit;
    wanted->nodes = (u32)u->p.nodes;
    wanted->primitives = (u32)u->p.primitives;
    wanted->builder = (u32)u->p.builder;
    wanted->spill_bytes = u->p.rays * RTCORE_SPILL_BYTES;
}

static struct tree_place *rtcore_tree(struct unit *unit)
{
    return &((struct rtcore *)unit)->tree;
}

static bool rtcore_follow(struct unit *unit, u32 limit, struct ogv_error *error)
{
    struct rtcore *u = (struct rtcore *)unit;
    u->traces = ray_traces_create(unit, (u32)u->p.rays, limit, error);
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
