/* ray_trace.c - keeps the rays of the smallest ranks in a heap, the largest rank on top, and their
 * events in blocks of one pool. */
#include "ogive/ray_trace.h"

#include <string.h>

#include "ogive/random.h"

#define BLOCKS_PER_TRACE 8  /* on average: a ray visits some tens of nodes, four events each */
#define BLOCKS_MORE      32 /* for a few that visit more */

static bool traces_allocate(struct ray_traces *all, struct unit *unit, u32 slots,
                            struct ogv_error *error)
{
    u64 places = max_u64(all->limit, 1);
    all->traces = unit_alloc(unit, places, sizeof *all->traces, error);
    all->heap = all->traces ? unit_alloc(unit, places, sizeof *all->heap, error) : NULL;
    all->by_slot = all->heap ? unit_alloc(unit, slots, sizeof *all->by_slot, error) : NULL;
    all->blocks =
        all->by_slot ? unit_alloc(unit, all->block_limit, sizeof *all->blocks, error) : NULL;
    return all->blocks;
}

struct ray_traces *ray_traces_create(struct unit *unit, u32 slots, u32 limit,
                                     struct ogv_error *error)
{
    struct ray_traces *all = unit_alloc(unit, 1, sizeof *all, error);
    if (!all)
        return NULL;
    all->unit = unit;
    all->limit = limit;
    all->block_limit = limit * BLOCKS_PER_TRACE + BLOCKS_MORE;
    all->first_free = RAY_TRACE_NONE;
    if (!traces_allocate(all, unit, slots, error))
        return NULL;
    for (u32 i = 0; i < slots; i++)
        all->by_slot[i] = RAY_TRACE_NONE;
    return all;
}

/* ---- Which rays ---- */

static bool heap_before(const struct ray_traces *all, u32 a, u32 b)
{
    return all->traces[all->heap[a]].rank > all->traces[all->heap[b]].rank;
}

static void heap_swap(struct ray_traces *all, u32 a, u32 b)
{
    u32 kept = all->heap[a];
    all->heap[a] = all->heap[b];
    all->heap[b] = kept;
}

static void heap_rise(struct ray_traces *all, u32 at)
{
    for (; at && heap_before(all, at, (at - 1) / 2); at = (at - 1) / 2)
        heap_swap(all, at, (at - 1) / 2);
}

static void heap_sink(struct ray_traces *all, u32 at)
{
    for (u32 child; (child = 2 * at + 1) < all->count; at = child) {
        if (child + 1 < all->count && heap_before(all, child + 1, child))
            child++;
        if (!heap_before(all, child, at))
            return;
        heap_swap(all, at, child);
    }
}

static void trace_forget(struct ray_traces *all, u32 number)
{
    const struct ray_trace *trace = &all->traces[number];
    if (trace->first != RAY_TRACE_NONE) {
        all->blocks[trace->last].next = all->first_free;
        all->first_free = trace->first;
    }
    if (!trace->ended)
        all->by_slot[trace->slot] = RAY_TRACE_NONE;
}

/* The number of a trace for a ray of this rank; RAY_TRACE_NONE if it is not to be kept. */
static u32 trace_take(struct ray_traces *all, u64 rank)
{
    bool full = all->count == all->limit;
    if (full && (!all->limit || rank > all->traces[all->heap[0]].rank))
        return RAY_TRACE_NONE;
    u32 number = full ? all->heap[0] : all->count;
    if (full)
        trace_forget(all, number);
    all->traces[number] =
        (struct ray_trace){ .rank = rank, .first = RAY_TRACE_NONE, .last = RAY_TRACE_NONE };
    if (full) {
        heap_sink(all, 0);
    } else {
        all->heap[all->count] = number;
        heap_rise(all, all->count++);
    }
    return number;
}

/* ---- Events ---- */

/* RAY_TRACE_NONE: there are no more. Memory is first touched when it is needed. */
static u32 block_take(struct ray_traces *all)
{
    u32 block = all->first_free;
    if (block != RAY_TRACE_NONE)
        all->first_free = all->blocks[block].next;
    else if (all->block_count < all->block_limit)
        block = all->block_count++;
    return block;
}

static struct ray_trace_event *event_place(struct ray_traces *all, struct ray_trace *trace)
{
    u32 within = trace->event_count % RAY_TRACE_BLOCK_EVENTS;
    if (within)
        return &all->blocks[trace->last].events[within];
    u32 block = block_take(all);
    if (block == RAY_TRACE_NONE)
        return NULL;
    all->blocks[block].next = RAY_TRACE_NONE;
    if (trace->first == RAY_TRACE_NONE)
        trace->first = block;
    else
        all->blocks[trace->last].next = block;
    trace->last = block;
    return &all->blocks[block].events[0];
}

/* After the first event without room there are no more, so that there are no gaps. */
static void event_keep(struct ray_traces *all, struct ray_trace *trace,
                       const struct ray_trace_event *event)
{
    struct ray_trace_event *place = trace->lost ? NULL : event_place(all, trace);
    trace->cycles[event->reason] += event->cycles;
    if (!place) {
        trace->lost++;
        return;
    }
    *place = *event;
    trace->event_count++;
}

static u32 event_add(struct ray_trace_event events[2], u32 count, struct ray_trace_event event,
                     u8 reason, cycle from, cycle to)
{
    event.begin = from;
    event.cycles = to - from;
    event.reason = reason;
    if (event.cycles)
        events[count++] = event;
    return count;
}

/* The open event as far as `now`: 0 to 2 events. */
static u32 open_events(const struct ray_trace *trace, cycle now, struct ray_trace_event events[2])
{
    struct ray_trace_event open = trace->open;
    u32 count = 0;
    if (trace->sent != NEVER && trace->sent > open.begin) {
        struct ray_trace_event port = open;
        port.missed = 0;
        count = event_add(events, 0, port, open.reason - 1, open.begin, trace->sent);
        open.begin = trace->sent;
    }
    return event_add(events, count, open, open.reason, open.begin, now);
}

static bool reason_fetches(u8 reason)
{
    return reason == RAY_TRACE_NODE_FETCH || reason == RAY_TRACE_BLOCK_FETCH ||
           reason == RAY_TRACE_STACK_FETCH;
}

_Static_assert(RAY_TRACE_NODE_PORT == RAY_TRACE_NODE_FETCH - 1 &&
                   RAY_TRACE_BLOCK_PORT == RAY_TRACE_BLOCK_FETCH - 1 &&
                   RAY_TRACE_STACK_PORT == RAY_TRACE_STACK_FETCH - 1,
               "the port of a fetch stands before it");

static void trace_turn(struct ray_traces *all, struct ray_trace *trace, u8 reason, cycle now)
{
    struct ray_trace_event events[2];
    u32 count = open_events(trace, now, events);
    for (u32 i = 0; i < count; i++)
        event_keep(all, trace, &events[i]);
    bool same = reason == RAY_TRACE_BOX_QUEUE || reason == RAY_TRACE_BOX ||
                reason == RAY_TRACE_TRIANGLE_QUEUE ||
                reason == RAY_TRACE_TRIANGLE; /* works on what was fetched */
    trace->open = (struct ray_trace_event){ .begin = now,
                                            .reason = reason,
                                            .address = same ? trace->open.address : 0,
                                            .bytes = same ? trace->open.bytes : 0 };
    trace->sent = NEVER;
}

u32 ray_trace_events(const struct ray_traces *all, const struct ray_trace *trace, cycle now,
                     struct ray_trace_event *events, u64 cycles[RAY_TRACE_REASON_COUNT])
{
    struct ray_trace_event open[2];
    u32 count = 0, more = trace->ended ? 0 : open_events(trace, now, open);
    memcpy(cycles, trace->cycles, sizeof trace->cycles);
    for (u32 block = trace->first; count < trace->event_count; block = all->blocks[block].next) {
        u32 part = (u32)min_u64(RAY_TRACE_BLOCK_EVENTS, trace->event_count - count);
        memcpy(&events[count], all->blocks[block].events, part * sizeof *events);
        count += part;
    }
    for (u32 i = 0; i < more; i++) {
        cycles[open[i].reason] += open[i].cycles;
        if (!trace->lost)
            events[count++] = open[i];
    }
    return count;
}

static struct ray_trace *trace_in(const struct ray_traces *all, u32 slot)
{
    u32 number = all->by_slot[slot];
    return number == RAY_TRACE_NONE ? NULL : &all->traces[number];
}

static cycle now_of(const struct ray_traces *all)
{
    return all->unit->domain->now;
}

/* ---- What the unit tells ---- */

void ray_trace_begin(struct ray_traces *all, u32 slot, const struct link *from)
{
    const struct slot *request = link_oldest(from);
    u64 taken = all->taken++, state = ((u64)all->unit->number << 40) + taken;
    u32 number = trace_take(all, random_next(&state));
    all->by_slot[slot] = number;
    if (number == RAY_TRACE_NONE)
        return;
    struct ray_trace *trace = &all->traces[number];
    trace->number = taken;
    memcpy(&trace->ray, request->message.data.real, sizeof trace->ray);
    trace->slot = slot;
    trace->source = request->message.source;
    trace->kind = request->message.kind;
    trace->begin = request->at - from->latency;
    trace->sent = NEVER;
    trace->open = (struct ray_trace_event){ .begin = trace->begin, .reason = RAY_TRACE_SENT };
    trace_turn(all, trace, RAY_TRACE_QUEUED, request->at);
}

void ray_trace_enter(struct ray_traces *all, u32 slot, enum ray_trace_reason reason)
{
    struct ray_trace *trace = trace_in(all, slot);
    if (trace)
        trace_turn(all, trace, (u8)reason, now_of(all));
}

void ray_trace_fetch(struct ray_traces *all, u32 slot, u64 address, u32 bytes)
{
    struct ray_trace *trace = trace_in(all, slot);
    if (!trace)
        return;
    trace->open.address = address;
    trace->open.bytes = bytes;
}

void ray_trace_sent(struct ray_traces *all, u32 slot)
{
    struct ray_trace *trace = trace_in(all, slot);
    if (trace && reason_fetches(trace->open.reason))
        trace->sent = now_of(all);
}

void ray_trace_arrived(struct ray_traces *all, u32 slot, u32 missed)
{
    struct ray_trace *trace = trace_in(all, slot);
    if (trace && missed > trace->open.missed)
        trace->open.missed = (u8)min_u64(missed, UINT8_MAX);
}

void ray_trace_end(struct ray_traces *all, u32 slot, const struct ray_outcome *outcome,
                   const struct link *to)
{
    struct ray_trace *trace = trace_in(all, slot);
    if (!trace)
        return;
    trace->end = now_of(all) + to->latency;
    trace_turn(all, trace, RAY_TRACE_RETURNED, now_of(all));
    trace_turn(all, trace, RAY_TRACE_RETURNED, trace->end);
    trace->outcome = *outcome;
    trace->ended = true;
    all->by_slot[slot] = RAY_TRACE_NONE;
}
