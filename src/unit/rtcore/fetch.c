/* fetch.c - an RT core's way to memory: sectors of nodes, primitives and stacks.
 *
 * Requests leave in the order in which they were made, one per port and cycle. Those for stacks
 * always take the same port for the same slot, so that what was written is there when it is read
 * back.
 * Always true: a request is in exactly one of: the free list, the outbox, under way, or (coalesced)
 * the list of another one that is under way or in the outbox. */
#include <string.h>

#include "ogive/memory.h"
#include "unit/rtcore/rtcore.h"

#define SECTORS_MAX (RTCORE_DATA_BYTES / MEMORY_SECTOR)

/* ---- Requests ---- */

static bool buckets_init(struct rtcore *u, u32 places, struct ogv_error *error)
{
    if (u->p.coalesce == COALESCE_none)
        return true;
    u->buckets = unit_alloc(&u->base, places, sizeof *u->buckets, error);
    u->bucket_mask = places - 1;
    for (u32 i = 0; u->buckets && i < places; i++)
        u->buckets[i] = REQUEST_NONE;
    return u->buckets;
}

bool rtcore_fetch_init(struct rtcore *u, struct ogv_error *error)
{
    /* For each slot its data, and as many prefetches. */
    u32 count = (u32)u->p.rays * SECTORS_MAX * 2, places = (u32)power_of_two_above(count);
    u->requests = unit_alloc(&u->base, count, sizeof *u->requests, error);
    u->outbox = u->requests ? unit_alloc(&u->base, places, sizeof *u->outbox, error) : NULL;
    if (!u->outbox || !buckets_init(u, places, error))
        return false;
    u->outbox_mask = places - 1;
    for (u32 i = 0; i < count; i++)
        u->requests[i].next = i + 1 < count ? i + 1 : REQUEST_NONE;
    return true;
}

static u32 request_make(struct rtcore *u, u64 address, enum memory_kind kind, u32 slot, u32 sector)
{
    u32 number = u->first_free;
    struct rtcore_request *request = &u->requests[number];
    u->first_free = request->next;
    *request = (struct rtcore_request){
        .address = address,
        .next = REQUEST_NONE,
        .slot = (u16)slot,
        .kind = (u8)kind,
        .sector = (u8)sector,
    };
    return number;
}

static void request_free(struct rtcore *u, u32 number)
{
    u->requests[number].next = u->first_free;
    u->first_free = number;
}

static void outbox_put(struct rtcore *u, u32 number)
{
    u->outbox[(u->outbox_head + u->outbox_count++) & u->outbox_mask] = number;
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
           u->requests[one].slot / u->p.warp == u->requests[other].slot / u->p.warp;
}

/* Joins a request for the same sector that was not answered yet; or lets others join this one. */
static bool request_joins(struct rtcore *u, u32 number)
{
    struct rtcore_request *request = &u->requests[number];
    u32 *bucket = bucket_of(u, request->address);
    for (u32 other = *bucket; other != REQUEST_NONE; other = u->requests[other].chain) {
        if (u->requests[other].address != request->address || !may_share(u, number, other))
            continue;
        request->next = u->requests[other].next;
        u->requests[other].next = number;
        u->s.coalesced++;
        return true;
    }
    request->chain = *bucket;
    *bucket = number;
    return false;
}

static void request_leaves(struct rtcore *u, u32 number)
{
    u32 *place = bucket_of(u, u->requests[number].address);
    while (*place != number)
        place = &u->requests[*place].chain;
    *place = u->requests[number].chain;
}

/* ---- Asking ---- */

void rtcore_fetch(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes)
{
    u64 first = address / MEMORY_SECTOR, last = (address + bytes - 1) / MEMORY_SECTOR;
    slot->data_at = (u16)(address % MEMORY_SECTOR);
    slot->awaited = (u32)(last - first + 1);
    slot->bytes += bytes;
    u->s.bytes += bytes;
    if (__builtin_expect(u->traces != NULL, false))
        ray_trace_fetch(u->traces, rtcore_slot_number(u, slot), address, bytes);
    for (u32 i = 0; i < slot->awaited; i++) {
        u32 number = request_make(u, (first + i) * MEMORY_SECTOR, MEMORY_READ,
                                  rtcore_slot_number(u, slot), i);
        if (u->p.coalesce == COALESCE_none || !request_joins(u, number))
            outbox_put(u, number);
    }
}

void rtcore_prefetch(struct rtcore *u, u64 address, u32 bytes)
{
    u64 first = address / MEMORY_SECTOR, last = (address + bytes - 1) / MEMORY_SECTOR;
    if (u->prefetching + (last - first + 1) > u->p.rays * SECTORS_MAX)
        return;
    for (u64 sector = first; sector <= last; sector++) {
        outbox_put(u, request_make(u, sector * MEMORY_SECTOR, MEMORY_PREFETCH, 0, 0));
        u->prefetching++;
    }
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
    (void)u;
    while (walk->held + count > walk->capacity) {
        struct rt_child *out =
            (struct rt_child *)(void *)(slot->data + slot->spilling++ * MEMORY_SECTOR);
        for (u32 i = 0; i < RTCORE_SPILL; i++, walk->held--)
            out[i] = walk->stack[(walk->top + walk->capacity - walk->held + 1) % walk->capacity];
    }
}

void rtcore_spill_send(struct rtcore *u, struct rtcore_slot *slot)
{
    slot->awaited = slot->spilling;
    if (u->traces)
        ray_trace_fetch(u->traces, rtcore_slot_number(u, slot),
                        spill_address(u, slot, slot->spilled), slot->spilling * MEMORY_SECTOR);
    for (u32 i = 0; i < slot->spilling; i++) {
        u64 address = spill_address(u, slot, slot->spilled);
        slot->spilled += RTCORE_SPILL;
        outbox_put(u, request_make(u, address, MEMORY_WRITE, rtcore_slot_number(u, slot), i));
    }
    slot->spilling = 0;
}

void rtcore_refill(struct rtcore *u, struct rtcore_slot *slot)
{
    slot->spilled -= RTCORE_SPILL;
    slot->awaited = 1;
    u64 address = spill_address(u, slot, slot->spilled);
    if (u->traces)
        ray_trace_fetch(u->traces, rtcore_slot_number(u, slot), address, MEMORY_SECTOR);
    outbox_put(u, request_make(u, address, MEMORY_READ, rtcore_slot_number(u, slot), 0));
}

/* ---- Sending ---- */

static bool request_is_for_stack(const struct rtcore *u, const struct rtcore_request *request)
{
    return request->kind == MEMORY_WRITE ||
           (request->kind == MEMORY_READ && u->slots[request->slot].phase == PHASE_STACK_FETCH);
}

static void request_write(struct rtcore *u, u32 number, struct message *message)
{
    const struct rtcore_request *request = &u->requests[number];
    const struct rtcore_slot *slot = &u->slots[request->slot];
    bool bypass = u->p.bypass && request->kind != MEMORY_PREFETCH;
    message->address = request->address;
    message->size_bytes = MEMORY_SECTOR;
    message->kind = (u16)(request->kind | (bypass ? MEMORY_SKIP(1) : 0));
    message->tag = request->kind == MEMORY_READ ? number : REQUEST_NONE;
    message->source = slot->source;
    message->missed = 0;
    if (request->kind != MEMORY_WRITE)
        return;
    message->mask = UINT32_MAX;
    memcpy(message->data.byte, slot->data + request->sector * MEMORY_SECTOR, MEMORY_SECTOR);
}

/* A ray whose stack entries are all on their way may go on. */
static void spill_sent(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.spills++;
    unit_hold(&u->base, 1);
    if (--slot->awaited)
        return;
    rtcore_ready(u, slot, now);
}

static void request_sent(struct rtcore *u, u32 number, cycle now)
{
    const struct rtcore_request *request = &u->requests[number];
    u->s.requests++;
    if (__builtin_expect(u->traces != NULL, false) && request->kind != MEMORY_PREFETCH)
        ray_trace_sent(u->traces, request->slot);
    if (request->kind == MEMORY_READ)
        return;
    if (request->kind == MEMORY_WRITE) {
        spill_sent(u, &u->slots[request->slot], now);
    } else {
        u->s.prefetches++;
        u->prefetching--;
    }
    request_free(u, number);
}

void rtcore_send(struct rtcore *u, cycle now)
{
    const struct ports *memory = &u->w.memory;
    for (u32 port = 0; port < memory->count && u->outbox_count; port++) {
        u32 number = u->outbox[u->outbox_head & u->outbox_mask];
        const struct rtcore_request *request = &u->requests[number];
        if (request_is_for_stack(u, request) && request->slot % memory->count != port)
            continue;
        if (!link_can_push(memory->at[port].out))
            continue;
        request_write(u, number, link_push(memory->at[port].out));
        u->outbox_head++;
        u->outbox_count--;
        request_sent(u, number, now);
    }
}

/* ---- Receiving ---- */

static void stack_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    const struct rt_child *entries = (const struct rt_child *)(const void *)slot->data;
    u->s.refills++;
    for (u32 i = 0; i < RTCORE_SPILL; i++)
        rt_walk_push(&slot->walk, entries[i]);
    rtcore_ready(u, slot, now);
}

static void data_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u32 number = rtcore_slot_number(u, slot);
    if (slot->broken) { /* its next step is its end */
        rtcore_ready(u, slot, now);
    } else if (slot->phase == PHASE_STACK_FETCH) {
        stack_arrived(u, slot, now);
    } else if (slot->named) {
        memcpy(&slot->hit.triangle, slot->data + slot->data_at, sizeof slot->hit.triangle);
        rtcore_ready(u, slot, now);
    } else {
        bool node = slot->phase == PHASE_NODE_FETCH;
        rtcore_enter(u, slot, node ? PHASE_BOX_QUEUE : PHASE_TRIANGLE_QUEUE, now);
        queue_push(node ? &u->box.waiting : &u->triangle.waiting, number);
    }
}

static void request_answered(struct rtcore *u, u32 number, const struct message *answer, cycle now)
{
    const struct rtcore_request *request = &u->requests[number];
    struct rtcore_slot *slot = &u->slots[request->slot];
    if ((answer->kind & MEMORY_KIND) == MEMORY_FAULT)
        slot->broken = true;
    if (__builtin_expect(u->traces != NULL, false))
        ray_trace_arrived(u->traces, request->slot, answer->missed);
    memcpy(slot->data + request->sector * MEMORY_SECTOR, answer->data.byte, MEMORY_SECTOR);
    if (!--slot->awaited)
        data_arrived(u, slot, now);
    request_free(u, number);
}

static void answer_take(struct rtcore *u, const struct message *answer, cycle now)
{
    if (answer->tag == REQUEST_NONE) { /* stack entries have been written */
        unit_release(&u->base, 1);
        return;
    }
    bool shared = u->p.coalesce != COALESCE_none &&
                  u->slots[u->requests[answer->tag].slot].phase != PHASE_STACK_FETCH;
    if (shared)
        request_leaves(u, answer->tag);
    for (u32 number = answer->tag, next; number != REQUEST_NONE; number = next) {
        next = u->requests[number].next;
        request_answered(u, number, answer, now);
    }
}

void rtcore_receive(struct rtcore *u, cycle now)
{
    const struct ports *memory = &u->w.memory;
    for (u32 port = ports_pending(memory, 0); port != NOBODY;
         port = ports_pending(memory, port + 1)) {
        const struct message *answer = link_peek(memory->at[port].in);
        if (!answer)
            continue;
        answer_take(u, answer, now);
        link_pop(memory->at[port].in);
    }
}
