/* life.c - keeps the rays of the smallest ranks in a heap, the largest rank on top, and their
 * events in blocks of one pool. */
#include "unit/rtcore/life.h"

#include <string.h>

#include "ogive/random.h"

#define BLOCKS_PER_LIFE 8  /* on average: a ray visits some tens of nodes, four events each */
#define BLOCKS_MORE     32 /* for a few that visit more */

bool rtcore_keep_lives(struct unit *unit, u32 limit, struct ogv_error *error)
{
    struct rtcore *u = (struct rtcore *)unit;
    u32 blocks = limit * BLOCKS_PER_LIFE + BLOCKS_MORE;
    struct rtcore_lives *made = unit_alloc(unit, 1, sizeof *made, error);
    if (!made)
        return false;
    made->lives = unit_alloc(unit, limit, sizeof *made->lives, error);
    made->heap = made->lives ? unit_alloc(unit, limit, sizeof *made->heap, error) : NULL;
    made->by_slot = made->heap ? unit_alloc(unit, u->p.rays, sizeof *made->by_slot, error) : NULL;
    made->blocks = made->by_slot ? unit_alloc(unit, blocks, sizeof *made->blocks, error) : NULL;
    if (!made->blocks)
        return false;
    made->limit = limit;
    made->block_limit = blocks;
    made->first_free = LIFE_NONE;
    for (u32 i = 0; i < u->p.rays; i++)
        made->by_slot[i] = LIFE_NONE;
    u->lives = made;
    return true;
}

/* ---- Which rays ---- */

static bool heap_before(const struct rtcore_lives *all, u32 a, u32 b)
{
    return all->lives[all->heap[a]].rank > all->lives[all->heap[b]].rank;
}

static void heap_swap(struct rtcore_lives *all, u32 a, u32 b)
{
    u32 kept = all->heap[a];
    all->heap[a] = all->heap[b];
    all->heap[b] = kept;
}

static void heap_rise(struct rtcore_lives *all, u32 at)
{
    for (; at && heap_before(all, at, (at - 1) / 2); at = (at - 1) / 2)
        heap_swap(all, at, (at - 1) / 2);
}

static void heap_sink(struct rtcore_lives *all, u32 at)
{
    for (u32 child; (child = 2 * at + 1) < all->count; at = child) {
        if (child + 1 < all->count && heap_before(all, child + 1, child))
            child++;
        if (!heap_before(all, child, at))
            return;
        heap_swap(all, at, child);
    }
}

static void life_forget(struct rtcore_lives *all, u32 number)
{
    const struct life *life = &all->lives[number];
    if (life->first != LIFE_NONE) {
        all->blocks[life->last].next = all->first_free;
        all->first_free = life->first;
    }
    if (!life->ended)
        all->by_slot[life->slot] = LIFE_NONE;
}

/* The number of a life for a ray of this rank; LIFE_NONE if it is not to be kept. */
static u32 life_take(struct rtcore_lives *all, u64 rank)
{
    bool full = all->count == all->limit;
    if (full && rank > all->lives[all->heap[0]].rank)
        return LIFE_NONE;
    u32 number = full ? all->heap[0] : all->count;
    if (full)
        life_forget(all, number);
    all->lives[number] = (struct life){ .rank = rank, .first = LIFE_NONE, .last = LIFE_NONE };
    if (full) {
        heap_sink(all, 0);
    } else {
        all->heap[all->count] = number;
        heap_rise(all, all->count++);
    }
    return number;
}

/* ---- Events ---- */

/* LIFE_NONE: there are no more. Memory is first touched when it is needed. */
static u32 block_take(struct rtcore_lives *all)
{
    u32 block = all->first_free;
    if (block != LIFE_NONE)
        all->first_free = all->blocks[block].next;
    else if (all->block_count < all->block_limit)
        block = all->block_count++;
    return block;
}

static struct life_event *event_place(struct rtcore_lives *all, struct life *life)
{
    u32 within = life->event_count % LIFE_BLOCK_EVENTS;
    if (within)
        return &all->blocks[life->last].events[within];
    u32 block = block_take(all);
    if (block == LIFE_NONE)
        return NULL;
    all->blocks[block].next = LIFE_NONE;
    if (life->first == LIFE_NONE)
        life->first = block;
    else
        all->blocks[life->last].next = block;
    life->last = block;
    return &all->blocks[block].events[0];
}

/* After the first event without room there are no more, so that there are no gaps. */
static void event_keep(struct rtcore_lives *all, struct life *life, const struct life_event *event)
{
    struct life_event *place = life->lost ? NULL : event_place(all, life);
    life->cycles[event->reason] += event->cycles;
    if (!place) {
        life->lost++;
        return;
    }
    *place = *event;
    life->event_count++;
}

static u32 event_add(struct life_event events[2], u32 count, struct life_event event, u8 reason,
                     cycle from, cycle to)
{
    event.begin = from;
    event.cycles = to - from;
    event.reason = reason;
    if (event.cycles)
        events[count++] = event;
    return count;
}

/* The open event as far as `now`: 0 to 2 events. */
static u32 open_events(const struct life *life, cycle now, struct life_event events[2])
{
    struct life_event open = life->open;
    u32 count = 0;
    if (life->sent != NEVER && life->sent > open.begin) {
        struct life_event port = open;
        port.missed = 0;
        count = event_add(events, 0, port, open.reason - 1, open.begin, life->sent);
        open.begin = life->sent;
    }
    return event_add(events, count, open, open.reason, open.begin, now);
}

_Static_assert(LIFE_NODE_PORT == LIFE_NODE_FETCH - 1 && LIFE_BLOCK_PORT == LIFE_BLOCK_FETCH - 1 &&
                   LIFE_STACK_PORT == LIFE_STACK_FETCH - 1,
               "the port of a fetch stands before it");

static void life_turn(struct rtcore_lives *all, struct life *life, u8 reason, cycle now)
{
    struct life_event events[2];
    u32 count = open_events(life, now, events);
    for (u32 i = 0; i < count; i++)
        event_keep(all, life, &events[i]);
    bool same = reason == LIFE_BOX_QUEUE || reason == LIFE_BOX || reason == LIFE_TRIANGLE_QUEUE ||
                reason == LIFE_TRIANGLE; /* works on what was fetched */
    life->open = (struct life_event){ .begin = now,
                                      .reason = reason,
                                      .address = same ? life->open.address : 0,
                                      .bytes = same ? life->open.bytes : 0 };
    life->sent = NEVER;
}

u32 life_events(const struct rtcore_lives *all, const struct life *life, cycle now,
                struct life_event *events, u64 cycles[LIFE_REASON_COUNT])
{
    struct life_event open[2];
    u32 count = 0, more = life->ended ? 0 : open_events(life, now, open);
    memcpy(cycles, life->cycles, sizeof life->cycles);
    for (u32 block = life->first; count < life->event_count; block = all->blocks[block].next) {
        u32 part = (u32)min_u64(LIFE_BLOCK_EVENTS, life->event_count - count);
        memcpy(&events[count], all->blocks[block].events, part * sizeof *events);
        count += part;
    }
    for (u32 i = 0; i < more; i++) {
        cycles[open[i].reason] += open[i].cycles;
        if (!life->lost)
            events[count++] = open[i];
    }
    return count;
}

static struct life *life_of(const struct rtcore *u, const struct rtcore_slot *slot)
{
    u32 number = u->lives->by_slot[rtcore_slot_number(u, slot)];
    return number == LIFE_NONE ? NULL : &u->lives->lives[number];
}

/* ---- What the RT core tells ---- */

void life_begin(struct rtcore *u, struct rtcore_slot *slot)
{
    const struct link *in = u->w.users.at[slot->user].in;
    u64 state = ((u64)u->base.number << 40) + slot->number;
    u32 place = rtcore_slot_number(u, slot), number = life_take(u->lives, random_next(&state));
    u->lives->by_slot[place] = number;
    if (number == LIFE_NONE)
        return;
    struct life *life = &u->lives->lives[number];
    cycle there = link_slot(in, in->head)->at;
    life->number = slot->number;
    life->ray = slot->ray;
    life->slot = place;
    life->source = slot->source;
    life->kind = slot->kind;
    life->begin = there - in->latency;
    life->sent = NEVER;
    life->open = (struct life_event){ .begin = life->begin, .reason = LIFE_SENT };
    life_turn(u->lives, life, LIFE_QUEUED, there);
}

static void life_end(struct rtcore *u, const struct rtcore_slot *slot, struct life *life, cycle now)
{
    life->end = now + u->w.users.at[slot->user].out->latency;
    life_turn(u->lives, life, LIFE_RETURNED, now);
    life_turn(u->lives, life, LIFE_RETURNED, life->end);
    life->hit = slot->hit;
    life->nodes = slot->nodes;
    life->triangles = slot->triangles;
    life->broken = slot->broken;
    life->ended = true;
    u->lives->by_slot[life->slot] = LIFE_NONE;
}

void life_enter(struct rtcore *u, struct rtcore_slot *slot, enum rtcore_phase phase)
{
    static const u8 reasons[PHASES] = {
#define LIFE_PHASE(S, name, NAME, help) [PHASE_##NAME] = LIFE_##NAME,
        RTCORE_PHASES(LIFE_PHASE, )
#undef LIFE_PHASE
    };
    struct life *life = life_of(u, slot);
    cycle now = u->base.domain->now;
    if (!life)
        return;
    if (phase == PHASE_FREE)
        life_end(u, slot, life, now);
    else
        life_turn(u->lives, life, reasons[phase], now);
}

void life_fetch(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes)
{
    struct life *life = life_of(u, slot);
    if (!life)
        return;
    life->open.address = address;
    life->open.bytes = bytes;
}

void life_sent(struct rtcore *u, const struct rtcore_slot *slot)
{
    struct life *life = life_of(u, slot);
    if (life)
        life->sent = u->base.domain->now;
}

void life_arrived(struct rtcore *u, const struct rtcore_slot *slot, u32 missed)
{
    struct life *life = life_of(u, slot);
    if (life && missed > life->open.missed)
        life->open.missed = (u8)min_u64(missed, UINT8_MAX);
}
