/* receive.h - the straight way of an answer from memory: a sector of a node or block, for one ray.
 *
 * It goes to the ray's data, and with the last one the ray goes on to its test. Everything else
 * (faults, sectors that rays share, stacks, the last step of a ray, rays that are traced) leaves it
 * for fetch.c. */
#ifndef UNIT_RTCORE_RECEIVE_H
#define UNIT_RTCORE_RECEIVE_H

#include "unit/rtcore/node.h"

/* ---- fetch.c ---- */

/* Any answer. */
void rtcore_take(struct rtcore *u, const struct message *answer, cycle now);

/* Takes an answer from each port, wherever memory is. */
void rtcore_receive(struct rtcore *u, cycle now);

/* All that a ray has asked for is there, which is neither a node nor a block of primitives. */
void rtcore_other_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now);

static inline u32 place_slot(u32 place)
{
    return place / RTCORE_SECTORS;
}

/* Where the sector lies in the data of its slot. */
static inline u32 place_offset(u32 place)
{
    return place % RTCORE_SECTORS * MEMORY_SECTOR;
}

/* All that a ray has asked for is there. */
static inline void data_arrived(struct rtcore *u, struct rtcore_slot *slot, u32 number,
                                const u8 *data, cycle now)
{
    if (__builtin_expect(slot->over, false))
        rtcore_other_arrived(u, slot, now);
    else if (slot->phase == PHASE_NODE_FETCH)
        rtcore_node_arrived(u, number, data, now);
    else if (slot->phase == PHASE_BLOCK_FETCH)
        rtcore_block_arrived(u, number, data, now);
    else
        rtcore_other_arrived(u, slot, now);
}

/* The rest is about to come: what the test will look at is on its way into the host's caches
 * meanwhile. */
static inline void slot_expect(const struct rtcore_slot *slot)
{
    bool block = slot->phase != PHASE_NODE_FETCH;
    _Static_assert(offsetof(struct rtcore_slot, hit) == offsetof(struct rtcore_slot, slab) + 64,
                   "boxes and triangles look at neighbouring lines");
    __builtin_prefetch(&slot->walk.last);
    __builtin_prefetch((const u8 *)&slot->slab + 64 * block);
    __builtin_prefetch(&slot->walk.stack[slot->walk.top]);
}

/* A sector for the slot; true: it was the last one. */
STRAIGHT bool slot_filled(struct rtcore *u, struct rtcore_slot *slot, u32 place,
                          const struct message *answer)
{
    u8 *data = rtcore_data(u, place_slot(place));
    memcpy(data + place_offset(place), answer->data.byte, MEMORY_SECTOR);
    if (!--slot->awaited)
        return true;
    slot_expect(slot);
    return false;
}

/* A sector for any slot. */
static inline void place_answered(struct rtcore *u, u32 place, const struct message *answer,
                                  cycle now)
{
    u32 number = place_slot(place);
    struct rtcore_slot *slot = &u->slots[number];
    if (slot_filled(u, slot, place, answer))
        data_arrived(u, slot, number, rtcore_data(u, number), now);
}

static inline void answer_take(struct rtcore *u, const struct message *answer, cycle now)
{
    if (__builtin_expect(answer->kind == u->plan.sector_kind, true))
        place_answered(u, answer->tag, answer, now);
    else
        rtcore_take(u, answer, now);
}

/* An answer from any port. */
static inline void port_receive(struct rtcore *u, u32 port, cycle now)
{
    cycle chip_now = u->base.domain->now;
    const struct message *answer = NULL;
    struct link *in = u->w.memory.at[port].in;
    if (ports_due(&u->w.memory, port))
        answer = link_peek_held(in, chip_now);
    if (!answer)
        return;
    answer_take(u, answer, now);
    link_pop_peeked(in, chip_now);
}

/* ---- A pair of ports (rtcore_is_usual) ---- */

/* All that a ray has asked for is there. */
STRAIGHT void slot_arrived(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u32 number = rtcore_slot_number(u, slot);
    const u8 *data = rtcore_data(u, number);
    rtcore_assume(u, true);
    if (!slot->over && slot->phase == PHASE_NODE_FETCH && node_is_straight(u, slot, now))
        node_straight(u, slot, number, data, now);
    else if (!slot->over && slot->phase == PHASE_BLOCK_FETCH && block_is_straight(u, now))
        triangle_enter(u, number, data, PHASE_BLOCK_FETCH, 0, now);
    else
        data_arrived(u, slot, number, data, now);
}

/* Few answers are faults. What has arrived before goes first. */
static SELDOM struct rtcore_slot *fault_take(struct rtcore *u, const struct message *answer,
                                             struct rtcore_slot *before, cycle now)
{
    if (before)
        slot_arrived(u, before, now);
    rtcore_take(u, answer, now);
    return NULL;
}

/* Takes an answer from one of them, if `pending`. The slot that has all its sectors with it; NULL:
 * none. */
STRAIGHT struct rtcore_slot *pair_receive(struct rtcore *u, u32 port, bool pending,
                                          struct rtcore_slot **before, cycle now)
{
    struct rtcore_slot *whole = NULL;
    if (!pending)
        return NULL;
    struct link *in = u->w.memory.at[port].in;
    link_is_within(in);
    const struct message *answer = link_peek_held(in, now);
    if (!answer)
        return NULL;
    if (__builtin_expect(answer->kind == u->plan.sector_kind, true)) {
        struct rtcore_slot *slot = &u->slots[place_slot(answer->tag)];
        whole = slot_filled(u, slot, answer->tag, answer) ? slot : NULL;
    } else {
        *before = fault_take(u, answer, *before, now);
    }
    link_is_within(in);
    link_pop_only(in, now);
    return whole;
}

/* Takes an answer from each port. What is left there has come by the next cycle. */
STRAIGHT void rtcore_receive_pair(struct rtcore *u, cycle now)
{
    u64 pending = u->w.memory.pending_word;
    struct rtcore_slot *none = NULL, *first = pair_receive(u, 0, pending & 1, &none, now);
    struct rtcore_slot *second = pair_receive(u, 1, pending & 2, &first, now);
    if (!first) {
        first = second;
        second = NULL;
    }
    for (; first; first = second, second = NULL)
        slot_arrived(u, first, now);
}

#endif
