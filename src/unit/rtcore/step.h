/* step.h - the next step of a ray: it asks for a node or a block, or comes to its end. In line, as
 * most ticks begin one. */
#ifndef UNIT_RTCORE_STEP_H
#define UNIT_RTCORE_STEP_H

#include "unit/rtcore/rtcore.h"

/* ---- schedule.c: what few steps are ---- */

/* The stack has nothing left but what lies in memory. */
void rtcore_stack_begin(struct rtcore *u, struct rtcore_slot *slot, cycle now);

/* A walk is over. */
void rtcore_walk_end(struct rtcore *u, struct rtcore_slot *slot, cycle now);

/* ---- The next step of a ray; `usual` as for rtcore_assume ---- */

/* Where the node is; asks for it. */
STRAIGHT u64 node_begin(struct rtcore *u, struct rtcore_slot *slot, u32 ref, cycle now, bool usual)
{
    rtcore_assume(u, usual);
    u->tally.nodes++;
    slot->nodes++;
    if (!u->plan.singly) /* others do not look at it */
        u->last_ref = ref;
    rtcore_enter(u, slot, PHASE_NODE_FETCH, now);
    rtcore_assume(u, usual);
    if (u->treelets)
        u->treelets[rtcore_slot_number(u, slot)] = rt_ref_node(ref) >> u->plan.node_bits;
    return rtcore_node_address(u, ref);
}

/* The same for the leaf's first block; the rest is for the next turns. */
STRAIGHT u64 block_begin(struct rtcore *u, struct rtcore_slot *slot, u32 leaf, cycle now,
                         bool usual)
{
    rtcore_assume(u, usual);
    u->tally.blocks++;
    slot->blocks++;
    slot->leaf = leaf;
    rtcore_enter(u, slot, PHASE_BLOCK_FETCH, now);
    rtcore_assume(u, usual);
    return rtcore_block_address(u, leaf);
}

/* Asks both of a pair of ports, if they have room, for a sector each. */
STRAIGHT bool pair_send(struct rtcore *u, u32 number, u64 address, cycle now)
{
    struct link *first = u->w.memory.at[0].out, *second = u->w.memory.at[1].out;
    u32 place = number * RTCORE_SECTORS, source = u->sources[number];
    u16 kind = u->plan.read_kind;
    link_is_within(first);
    link_is_within(second);
    if (__builtin_expect(!link_has_room(first) || !link_has_room(second), false))
        return false;
    first->waiting = false;
    second->waiting = false;
    read_send(link_place(first, now + first->latency), address, place, source, kind);
    read_send(link_place(second, now + second->latency), address + MEMORY_SECTOR, place + 1, source,
              kind);
    u->tally.requests += 2;
    return true;
}

/* rtcore_fetch, mostly of two sectors. */
STRAIGHT void visit_fetch(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes,
                          cycle now, bool usual)
{
    u32 at = address % MEMORY_SECTOR;
    rtcore_assume(u, usual);
    if (usual && sectors_of(at, bytes) == 2 && !u->outbox_count &&
        pair_send(u, rtcore_slot_number(u, slot), address - at, now)) {
        slot->data_at = (u8)at;
        slot->awaited = 2;
        return;
    }
    if (usual)
        rtcore_fetch_seldom(u, slot, address, bytes, now);
    else
        rtcore_fetch(u, slot, address, bytes, now);
}

STRAIGHT void visit_begin(struct rtcore *u, struct rtcore_slot *slot, u32 ref, cycle now,
                          bool usual)
{
    bool leaf = rt_ref_is_leaf(ref);
    u64 address =
        leaf ? block_begin(u, slot, ref, now, usual) : node_begin(u, slot, ref, now, usual);
    rtcore_assume(u, usual);
    visit_fetch(u, slot, address, leaf ? u->plan.block_bytes : u->plan.node_bytes, now, usual);
}

STRAIGHT void ray_step(struct rtcore *u, struct rtcore_slot *slot, cycle now, bool usual)
{
    struct rt_child entry = { .ref = slot->leaf };
    rtcore_assume(u, usual);
    if (slot->over) {
        rtcore_walk_end(u, slot, now);
        return;
    }
    if (!entry.ref) {
        if (u->plan.spills && slot->spilled && !slot->walk.held) {
            rtcore_stack_begin(u, slot, now);
            return;
        }
        enum rt_visit visit = rt_walk_next(&slot->walk, slot->best, &entry);
        rtcore_assume(u, usual);
        if (__builtin_expect(u->stream != NULL, false) &&
            rtcore_stream_entry(u, slot, visit, &entry, now))
            return;
        if (visit == RT_VISIT_END) {
            rtcore_walk_end(u, slot, now);
            return;
        }
        if (visit == RT_VISIT_CULLED && u->plan.culls) {
            u->tally.culled++;
            rtcore_ready(u, slot, now);
            return;
        }
    }
    visit_begin(u, slot, entry.ref, now, usual);
}

#endif
