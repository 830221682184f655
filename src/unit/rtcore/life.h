/* life.h - the lives of some rays of an RT core: every wait, with its reason and its time.
 *
 * A life begins when the core sends the ray and ends when its hit is back there. Which rays are
 * kept is decided by a hash of the ray's number: those with the smallest ranks stay. So there are
 * as many as there is room for, spread evenly over however many will come, and the same ones in
 * every run. A ray that is crowded out by one of a smaller rank is forgotten, events and all.
 *
 * All times are cycles of the chip's clock. All state lies in the arena: checkpoints have it.
 *
 * Always true: the events of a life follow each other without gaps; `cycles` has those of all
 * events, also of those for which there was no room, and adds up to the time since its beginning
 * less the event that is open. */
#ifndef UNIT_RTCORE_LIFE_H
#define UNIT_RTCORE_LIFE_H

#include "unit/rtcore/rtcore.h"

/* X(name, NAME, help). The phases of a ray in its slot, with what comes before and after, and with
 * what a fetch waits for told apart: *_port until its last request has left, *_fetch from then on.
 */
#define LIFE_REASONS(X)                                                             \
    X(sent, SENT, "on its way from the core")                                       \
    X(queued, QUEUED, "at the RT core, before a slot was free")                     \
    X(schedule, SCHEDULE, "ready, before its turn")                                 \
    X(node_port, NODE_PORT, "for a port to memory, to ask for a node")              \
    X(node_fetch, NODE_FETCH, "for a node from memory")                             \
    X(box_queue, BOX_QUEUE, "for a box pipe")                                       \
    X(box, BOX, "in a box pipe")                                                    \
    X(block_port, BLOCK_PORT, "for a port to memory, to ask for primitives")        \
    X(block_fetch, BLOCK_FETCH, "for a block of primitives from memory")            \
    X(triangle_queue, TRIANGLE_QUEUE, "for a triangle pipe")                        \
    X(triangle, TRIANGLE, "in a triangle pipe")                                     \
    X(stack_port, STACK_PORT, "for a port to memory, to send or ask for its stack") \
    X(stack_fetch, STACK_FETCH, "for stack entries from memory")                    \
    X(warp, WARP, "done, for the others of its warp")                               \
    X(answer, ANSWER, "done, before its hit left")                                  \
    X(held, HELD, "done, for the program to ask for its hit")                       \
    X(returned, RETURNED, "its hit on the way to the core")

enum life_reason {
#define LIFE_REASON(name, NAME, help) LIFE_##NAME,
    LIFE_REASONS(LIFE_REASON)
#undef LIFE_REASON
        LIFE_REASON_COUNT,
};

struct life_event {
    cycle begin, cycles;
    u64 address; /* of the node, block or stack entries, if `bytes` */
    u32 bytes;
    u8 reason; /* enum life_reason */
    u8 missed; /* of a fetch: caches that did not have all of it */
};

#define LIFE_BLOCK_EVENTS 31
#define LIFE_NONE         UINT32_MAX

/* Events of one life. */
struct life_block {
    struct life_event events[LIFE_BLOCK_EVENTS];
    u32 next; /* of the same life, or of those that are free; LIFE_NONE: no more */
};

struct life {
    u64 number, rank;
    struct rt_ray ray;
    struct rt_hit hit; /* once it is known */
    cycle begin;
    cycle end;              /* once it has ended */
    struct life_event open; /* what goes on */
    cycle sent;             /* when the last request of the open event left; NEVER: none has */
    u64 cycles[LIFE_REASON_COUNT];
    u32 slot;
    u32 source;      /* hart that asked */
    u32 first, last; /* blocks of events */
    u32 event_count; /* in them */
    u32 lost;        /* events for which there was no room */
    u32 nodes, triangles;
    u8 kind; /* enum custom_message */
    bool ended, broken;
};

struct rtcore_lives {
    struct life *lives;
    u32 *heap;    /* numbers of lives, the one of the largest rank first */
    u32 *by_slot; /* the life of the ray in each slot, or LIFE_NONE */
    struct life_block *blocks;
    u32 count, limit;
    u32 block_count, block_limit; /* used at least once; in all */
    u32 first_free;               /* of those used before */
};

/* Keeps up to `limit` lives, 1 or more, from now on. */
bool rtcore_keep_lives(struct unit *unit, u32 limit, struct ogv_error *error);

/* Copies the events, with those of an open one as far as `now`, and says how many there are: at
 * most event_count + 2. `cycles` gets the sums by reason. */
u32 life_events(const struct rtcore_lives *all, const struct life *life, cycle now,
                struct life_event *events, u64 cycles[LIFE_REASON_COUNT]);

/* ---- For the RT core, if it keeps lives ---- */

/* A ray was put into a slot; its request is still the oldest of the link that brought it. */
void life_begin(struct rtcore *u, struct rtcore_slot *slot);

/* The ray comes into a phase; PHASE_FREE: its hit leaves. */
void life_enter(struct rtcore *u, struct rtcore_slot *slot, enum rtcore_phase phase);

/* What the open event fetches or sends; a request for it leaves; an answer has come, from behind
 * that many caches. */
void life_fetch(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes);
void life_sent(struct rtcore *u, const struct rtcore_slot *slot);
void life_arrived(struct rtcore *u, const struct rtcore_slot *slot, u32 missed);

#endif
