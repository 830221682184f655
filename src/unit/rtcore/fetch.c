/* fetch.c - an RT core's way to memory: sectors of nodes, primitives and stacks.
 *
 * Requests leave in the order in which they were made, one per port and cycle. Those for stacks
 * always take the same port for the same slot, so that what was written is there when it is read
 * back.
 * Always true: a place has at most one request that is no prefetch, which is in exactly one of: the
 * outbox, under way, or (coalesced) the list of another one that is under way or in the outbox. */
#include <string.h>

#include "unit/rtcore/receive.h"

#define SECTORS_MAX (RTCORE_DATA_BYTES / MEMORY_SECTOR)

/* ---- Requests ---- */

static bool shared_init(struct rtcore *u, u32 buckets, struct ogv_error *error)
{
    u->shared = unit_alloc(&u->base, u->p.rays * RTCORE_SECTORS, sizeof *u->shared, error);
    u->buckets = u->shared ? unit_alloc(&u->base, buckets, sizeof *u->buckets, error) : NULL;
    u->bucket_mask = buckets - 1;
    for (u32 i = 0; u->buckets && i < buckets; i++)
        u->buckets[i] = PLACE_NONE;
    return u->buckets;
}

bool rtcore_fetch_init(struct rtcore *u, struct ogv_error *error)
{
    /* For each slot its data, and as many prefetches. */
    u32 places = (u32)power_of_two_above(u->p.rays * SECTORS_MAX * 2);
    u->outbox = unit_alloc(&u->base, places, sizeof *u->outbox, error);
    u->outbox_mask = (u16)(places - 1);
    return u->outbox && (!u->plan.coalesces || shared_init(u, places, error));
}

static struct rtcore_request *outbox_first(const struct rtcore *u)
{
    return &u->outbox[u->outbox_head & u->outbox_mask];
}

static void outbox_put(struct rtcore *u, struct rtcore_request request)
{
    u->outbox[(u->outbox_head + u->outbox_count++) & u->outbox_mask] = request;
}

static void outbox_pop(struct rtcore *u)
{
    u->outbox_head = --u->outbox_count ? (u16)(u->outbox_head + 1) : 0;
}

/* ---- Coalescing ---- */

static u32 *bucket_of(struct rtcore *u, u64 address)
{
    u64 mixed = address / MEMORY_SECTOR * UINT64_C(0x9e3779b97f4a7c15);
    return &u->buckets[mixed >> 32 & u->bucket_mask];
}

static bool may_share(const struct rtcore *u, u32 one, u32 other)
{
    return u->p.coalesce == COALESCE_all ||
           place_slot(one) / u->p.warp == place_slot(other) / u->p.warp;
}

/* Joins a request for the same sector that was not answered yet; or lets others join this one. */
static bool place_joins(struct rtcore *u, u32 place, u64 address)
{
    struct rtcore_shared *shared = &u->shared[place];
    u32 *bucket = bucket_of(u, address);
    *shared = (struct rtcore_shared){ address, PLACE_NONE, *bucket };
    for (u32 other = *bucket; other != PLACE_NONE; other = u->shared[other].chain) {
        if (u->shared[other].address != address || !may_share(u, place, other))
            continue;
        shared->next = u->shared[other].next;
        u->shared[other].next = place;
        u->s.coalesced++;
        return true;
    }
    *bucket = place;
    return false;
}

static void place_leaves(struct rtcore *u, u32 place)
{
    u32 *link = bucket_of(u, u->shared[place].address);
    while (*link != place)
        link = &u->shared[*link].chain;
    *link = u->shared[place].chain;
}

/* Asks for those sectors that no other ray has asked for. */
static void request_share(struct rtcore *u, const struct rtcore_request *request)
{
    struct rtcore_request one = *request;
    one.sectors = 1;
    for (u32 i = 0; i < request->sectors; i++, one.place++, one.address += MEMORY_SECTOR)
        if (!place_joins(u, one.place, one.address))
            outbox_put(u, one);
}

void rtcore_fetch_any(struct rtcore *u, u32 number, u64 address, u32 bytes)
{
    struct rtcore_request request = request_read(number, address, bytes);
    if (u->traces)
        ray_trace_fetch(u->traces, number, address, bytes);
    if (u->plan.coalesces)
        request_share(u, &request);
    else
        outbox_put(u, request);
}

void rtcore_fetch_rest(struct rtcore *u, struct rtcore_request rest, u32 sent, cycle now)
{
    u->tally.requests -= rest.sectors;
    outbox_put(u, rest);
    u->sent_at = now;
    u->sent_any = sent;
}

void rtcore_fetch_seldom(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes,
                         cycle now)
{
    rtcore_fetch(u, slot, address, bytes, now);
}

/* ---- Prefetching ---- */

void rtcore_prefetch(struct rtcore *u, u64 address, u32 bytes)
{
    struct rtcore_request request = request_read(0, address, bytes);
    request.kind = MEMORY_PREFETCH;
    if (u->prefetching + request.sectors > u->p.rays * SECTORS_MAX)
        return;
    outbox_put(u, request);
    u->prefetching += request.sectors;
}

/* ---- Stacks in memory ---- */

static u64 spill_address(const struct rtcore *u, const struct rtcore_slot *slot, u32 entries)
{
    u64 base = u->tree.spill + (u64)rtcore_slot_number(u, slot) * RTCORE_SPILL_BYTES;
    return base + entries * sizeof(struct rt_child);
}

/* The node that lay in the data has been tested: its place is free. */
void rtcore_spill_make_room(struct rtcore *u, struct rtcore_slot *slot, u32 count)
{
    struct rt_walk *walk = &slot->walk;
    u8 *data = rtcore_data(u, rtcore_slot_number(u, slot));
    while (walk->held + count > walk->capacity) {
        struct rt_child *out = (struct rt_child *)(void *)(data + slot->spilling++ * MEMORY_SECTOR);
        for (u32 i = 0; i < RTCORE_SPILL; i++, walk->held--)
            out[i] = walk->stack[(walk->top + walk->capacity - walk->held + 1) % walk->capacity];
    }
}

void rtcore_spill_send(struct rtcore *u, struct rtcore_slot *slot)
{
    u32 number = rtcore_slot_number(u, slot);
    slot->awaited = slot->spilling;
    if (u->traces)
        ray_trace_fetch(u->traces, number, spill_address(u, slot, slot->spilled),
                        slot->spilling * MEMORY_SECTOR);
    outbox_put(u, (struct rtcore_request){
                      .address = spill_address(u, slot, slot->spilled),
                      .place = number * RTCORE_SECTORS,
                      .kind = MEMORY_WRITE,
                      .sectors = slot->spilling,
                      .stack = true,
                  });
    slot->spilled = (u16)(slot->spilled + slot->spilling * RTCORE_SPILL);
    slot->spilling = 0;
}

void rtcore_refill(struct rtcore *u, struct rtcore_slot *slot)
{
    u32 number = rtcore_slot_number(u, slot);
    slot->spilled = (u16)(slot->spilled - RTCORE_SPILL);
    slot->awaited = 1;
    u64 address = spill_address(u, slot, slot->spilled);
    struct rtcore_request request = request_read(number, address, MEMORY_SECTOR);
    request.stack = true;
    if (u->traces)
        ray_trace_fetch(u->traces, number, address, MEMORY_SECTOR);
    outbox_put(u, request);
}

/* ---- Sending ---- */

/* A ray whose stack entries are all on their way may go on. */
static void spill_sent(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.spills++;
    unit_hold(&u->base, 1);
    if (--slot->awaited)
        return;
    rtcore_data_used(u, rtcore_slot_number(u, slot));
    rtcore_ready(u, slot, now);
}

static void write_send(struct rtcore *u, const struct rtcore_request *request,
                       struct message *message, cycle now)
{
    message->kind = (u16)(u->plan.read_kind - MEMORY_READ + MEMORY_WRITE);
    message->tag = PLACE_NONE;
    message->mask = UINT32_MAX;
    u32 number = place_slot(request->place);
    memcpy(message->data.byte, rtcore_data(u, number) + place_offset(request->place),
           MEMORY_SECTOR);
    spill_sent(u, &u->slots[number], now);
}

/* It says for whom it is with the source of the first slot. */
static void prefetch_send(struct rtcore *u, struct message *message)
{
    message->kind = MEMORY_PREFETCH;
    message->tag = PLACE_NONE;
    u->s.prefetches++;
    u->prefetching--;
}

static void request_send(struct rtcore *u, struct rtcore_request *request, struct link *out,
                         cycle now)
{
    struct message *message = link_push(out);
    read_send(message, request->address, request->place, u->sources[place_slot(request->place)],
              u->plan.read_kind);
    u->tally.requests++;
    if (u->traces && request->kind != MEMORY_PREFETCH)
        ray_trace_sent(u->traces, place_slot(request->place));
    if (request->kind == MEMORY_WRITE)
        write_send(u, request, message, now);
    else if (request->kind == MEMORY_PREFETCH)
        prefetch_send(u, message);
    request->address += MEMORY_SECTOR;
    request->place++;
    request->sectors--;
}

/* Any request, from a port on. */
static SELDOM void requests_send(struct rtcore *u, u32 port, cycle now)
{
    struct rtcore_request *request = outbox_first(u);
    for (; u->outbox_count && port < u->w.memory.count; port++) {
        struct link *out = u->w.memory.at[port].out;
        if (request->stack && place_slot(request->place) % u->w.memory.count != port)
            continue;
        if (!link_can_push(out))
            continue;
        request_send(u, request, out, now);
        if (request->sectors)
            continue;
        outbox_pop(u);
        request = outbox_first(u);
    }
}

/* The short way for reads of the tree, which most are, and which nobody traces. The port that is
 * next. */
static inline u32 reads_send(struct rtcore *u)
{
    struct rtcore_request *request = outbox_first(u);
    u32 port, sent = sectors_send(u, request->address, request->place, request->sectors, &port);
    request->address += sent * MEMORY_SECTOR;
    request->place += sent;
    request->sectors = (u8)(request->sectors - sent);
    if (!request->sectors)
        outbox_pop(u);
    return port;
}

bool rtcore_send(struct rtcore *u, cycle now)
{
    const struct rtcore_request *request = outbox_first(u);
    u64 sent = u->tally.requests;
    bool plain = request->kind == MEMORY_READ && !request->stack && !u->traces;
    u32 port = __builtin_expect(plain, true) ? reads_send(u) : 0;
    if (u->outbox_count && port < u->w.memory.count)
        requests_send(u, port, now);
    return u->outbox_count && u->tally.requests != sent;
}

/* ---- Receiving ---- */

static void stack_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u32 number = rtcore_slot_number(u, slot);
    const u8 *data = rtcore_data(u, number);
    const struct rt_child *entries = (const struct rt_child *)(const void *)data;
    u->s.refills++;
    for (u32 i = 0; i < RTCORE_SPILL; i++)
        rt_walk_push(&slot->walk, entries[i]);
    rtcore_data_used(u, number);
    rtcore_ready(u, slot, now);
}

/* The number of the hit's triangle, unless there was a fault: the ray's next step is its end. */
static void end_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u32 number = rtcore_slot_number(u, slot);
    const u8 *data = rtcore_data(u, number);
    if (!slot->broken)
        memcpy(&slot->hit.triangle, data + slot->data_at, sizeof slot->hit.triangle);
    rtcore_data_used(u, number);
    rtcore_ready(u, slot, now);
}

void rtcore_other_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    if (slot->over)
        end_arrived(u, slot, now);
    else
        stack_arrived(u, slot, now);
}

static void place_watched(struct rtcore *u, u32 place, const struct message *answer, cycle now)
{
    struct rtcore_slot *slot = &u->slots[place_slot(place)];
    if ((answer->kind & MEMORY_KIND) == MEMORY_FAULT)
        slot->over = slot->broken = true;
    if (u->traces)
        ray_trace_arrived(u->traces, place_slot(place), answer->missed);
    place_answered(u, place, answer, now);
}

/* All who want the same have it at once. */
static void shared_answered(struct rtcore *u, const struct message *answer, cycle now)
{
    place_leaves(u, answer->tag);
    for (u32 place = answer->tag, next; place != PLACE_NONE; place = next) {
        next = u->shared[place].next;
        place_watched(u, place, answer, now);
    }
}

static bool answer_is_shared(const struct rtcore *u, const struct message *answer)
{
    return u->plan.coalesces && u->slots[place_slot(answer->tag)].phase != PHASE_STACK_FETCH;
}

void rtcore_take(struct rtcore *u, const struct message *answer, cycle now)
{
    if (answer->tag == PLACE_NONE) /* stack entries have been written */
        unit_release(&u->base, 1);
    else if (answer_is_shared(u, answer))
        shared_answered(u, answer, now);
    else
        place_watched(u, answer->tag, answer, now);
}

void rtcore_receive(struct rtcore *u, cycle now)
{
    for (u32 word = 0; word * 64 < u->w.memory.count; word++)
        for (u64 bits = u->w.memory.pending[word]; bits; bits &= bits - 1)
            port_receive(u, word * 64 + (u32)__builtin_ctzll(bits), now);
}
