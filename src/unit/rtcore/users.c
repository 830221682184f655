/* users.c - rays that cores send to an RT core, and the hits that they get back.
 *
 * Slots are given in turn over the users. One that had to wait for a slot is marked, and begins the
 * next turn when there is one: those that come later cannot pass it.
 * Always true: a warp is in the list of free ones, or has rays that have not left. */
#include <string.h>

#include "unit/rtcore/rtcore.h"

/* ---- Rays in ---- */

void rtcore_slot_begin(struct rtcore *u, u32 number, const struct rt_ray *ray)
{
    struct rtcore_slot *slot = &u->slots[number];
    slot->ray = *ray;
    slot->slab = rt_slab_make(&slot->ray);
    slot->hit = rt_hit_none(&slot->ray);
    slot->best = slot->hit.t;
    rt_walk_begin(&slot->walk, &u->stacks[number * u->p.stack], (u32)u->p.stack);
    slot->leaf = 0;
    slot->awaited = slot->spilling = 0;
    slot->spilled = 0;
    slot->nodes = slot->blocks = slot->triangles = 0;
    slot->over = rt_ray_is_empty(&slot->ray);
    slot->asked = slot->broken = slot->named = false;
}

static void slot_fill(struct rtcore *u, u32 number, u32 user, const struct message *request)
{
    struct rtcore_slot *slot = &u->slots[number];
    struct rt_ray ray = tracer_ray(request);
    rtcore_slot_begin(u, number, &ray);
    slot->kind = (u8)request->kind;
    slot->any = request->kind == MESSAGE_TRACE_ANY;
    u->sources[number] = request->source;
    u->senders[number] = (struct rtcore_sender){ u->taken++, user, request->tag };
}

/* The warp that is being filled with rays of a user. */
static u32 *warp_open(struct rtcore *u, u32 user)
{
    return u->opens ? &u->opens[user] : &u->open;
}

/* Whether a ray can join the warp that is being filled. */
static bool ray_joins(struct rtcore *u, u32 user, u32 source)
{
    u32 open = *warp_open(u, user), size = (u32)u->p.warp;
    return open != NOBODY && (!u->opens || u->sources[open * size] / size == source / size);
}

/* A slot for a new ray, in the warp that is being filled or another one; there must be room. A ray
 * that may stay after its end is alone in its warp. */
static u32 slot_take(struct rtcore *u, u32 user, u32 source, bool alone)
{
    u32 *open = warp_open(u, user);
    bool joins = !alone && ray_joins(u, user, source);
    u32 warp = joins ? *open : queue_pop(u, &u->free) / (u32)u->p.warp;
    struct rtcore_warp *at = &u->warps[warp];
    u32 number = warp * (u32)u->p.warp + at->joined++;
    at->busy++;
    at->here++;
    if (!alone)
        *open = at->joined < u->p.warp ? warp : NOBODY;
    return number;
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
    if (*warp_open(u, u->senders[first].user) == warp)
        *warp_open(u, u->senders[first].user) = NOBODY;
    rtcore_users_note(u);
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
    bool alone = request->kind == MESSAGE_TRACE_START;
    u32 number = slot_take(u, user, request->source, alone);
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
    u->sources[ticket] = request->source;
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
    if (__builtin_expect(u->stream || rtcore_stream_is_call(request), false))
        return rtcore_stream_take(u, user);
    bool direct = request->kind == MESSAGE_TRACE_START || request->kind == MESSAGE_TRACE_WAIT;
    if (direct && !link_can_push(u->w.users.at[user].out))
        return false;
    if (!direct && !u->free.count && !ray_joins(u, user, request->source)) {
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

/* The first user >= from with a request that may be taken, or NOBODY. */
static u32 user_arrived(const struct rtcore *u, u32 from)
{
    const struct ports *users = &u->w.users;
    for (u32 word = from / 64; word < u->user_words; word++) {
        u64 bits = rtcore_users_hopeful(u, word);
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
    u32 words = u->user_words, first = from / 64;
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

bool rtcore_users_more(const struct rtcore *u)
{
    return user_arrived(u, 0) != NOBODY;
}

bool rtcore_accept(struct rtcore *u, cycle now)
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
    rtcore_users_note(u);
    return taken;
}

/* ---- Hits out ---- */

static void hit_write(const struct rtcore *u, u32 number, struct message *answer)
{
    answer->tag = u->senders[number].tag;
    answer->source = u->sources[number];
    answer->kind = u->slots[number].kind;
    tracer_hit(answer, &u->slots[number].hit);
}

_Static_assert(sizeof((struct rtcore *)0)->s.nodes_log2 == RTCORE_BUCKETS * sizeof(u64),
               "one counter per bucket");

static u32 bucket_of(u64 value)
{
    u32 bucket = value ? 63 - (u32)__builtin_clzll(value) : 0;
    return bucket < RTCORE_BUCKETS ? bucket : RTCORE_BUCKETS - 1;
}

/* As far as they were asked for. */
static u64 ray_bytes(const struct rtcore *u, const struct rtcore_slot *slot)
{
    return (u64)slot->nodes * u->plan.node_bytes + (u64)slot->blocks * u->plan.block_bytes +
           (slot->named ? sizeof(u32) : 0);
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
    u->s.bytes_log2[bucket_of(ray_bytes(u, slot))]++;
}

void rtcore_answer(struct rtcore *u, cycle now)
{
    for (u64 given = 0; given < u->p.answers && u->done.count; given++) {
        u32 number = u->done.head;
        struct rtcore_slot *slot = &u->slots[number];
        struct link *out = u->w.users.at[u->senders[number].user].out;
        if (!link_can_push(out))
            return;
        hit_write(u, number, link_push(out));
        queue_pop(u, &u->done);
        ray_count(u, slot);
        u->started -= slot->kind == MESSAGE_TRACE_START;
        rtcore_enter(u, slot, PHASE_FREE, now);
        slot_leave(u, number);
        rtcore_users_note(u);
        unit_release(&u->base, 1);
        unit_progress(&u->base);
    }
}
