/* receive.h - the straight way of an answer from memory: a sector of a node or block, for one ray.
 *
 * It goes to the ray's data, and with the last one the ray goes on to its test. Everything else
 * (faults, sectors that rays share, stacks, the last step of a ray, rays that are traced) leaves it
 * for fetch.c. */
#ifndef UNIT_RTCORE_RECEIVE_H
#define UNIT_RTCORE_RECEIVE_H

#include "unit/rtcore/rtcore.h"

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
    __builtin_prefetch(&slot->walk.last);
    __builtin_prefetch(&slot->slab);
    __builtin_prefetch(&slot->hit);
    __builtin_prefetch(&slot->walk.stack[slot->walk.top]);
}

/* A sector for the slot. */
static inline void place_answered(struct rtcore *u, u32 place, const struct message *answer,
                                  cycle now)
{
    u32 number = place_slot(place);
    struct rtcore_slot *slot = &u->slots[number];
    u8 *data = rtcore_data(u, number);
    memcpy(data + place_offset(place), answer->data.byte, MEMORY_SECTOR);
    if (--slot->awaited)
        slot_expect(slot);
    else
        data_arrived(u, slot, number, data, now);
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

/* From one of the RT core's own domain (rtcore_plan), whose clock is the chip's. When the next one
 * there arrives, if one was taken; else the reader is woken for it. */
STRAIGHT cycle port_receive_near(struct rtcore *u, const struct port *port, cycle now)
{
    struct link *in = port->in;
    link_is_within(in);
    const struct message *answer = link_peek_held(in, now);
    if (!answer)
        return NEVER;
    answer_take(u, answer, now);
    link_is_within(in);
    return link_pop_only(in, now);
}

/* Takes an answer from each port of a usual RT core. When the next one of these arrives, as far as
 * nobody else sees to it. */
STRAIGHT cycle rtcore_receive_near(struct rtcore *u, cycle now)
{
    cycle next = NEVER;
    for (u64 bits = u->w.memory.pending[0]; bits; bits &= bits - 1)
        next =
            min_u64(next, port_receive_near(u, &u->w.memory.at[(u32)__builtin_ctzll(bits)], now));
    return next;
}

#endif
