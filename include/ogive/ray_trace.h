/* ray_trace.h - the traces of some of a unit's rays: every wait, with its reason and its time.
 *
 * A trace begins when the core sends the ray and ends when its hit is back there. Which rays are
 * kept is decided by a hash of the ray's number: those with the smallest ranks stay. So there are
 * as many as there is room for, spread evenly over however many will come, and the same ones in
 * every run. A ray that is crowded out by one of a smaller rank is forgotten, events and all.
 *
 * A unit that traces rays makes a struct ray_traces when it is asked to follow some
 * (ray_role.follow of tracer.h), and tells it from then on of every ray that it takes, of every
 * change of what that waits for, and of its end. Rays are known by the slot of the unit that they
 * are in.
 *
 * All times are cycles of the chip's clock, which are taken from the unit's domain. All state lies
 * in the arena: checkpoints have it.
 *
 * Always true: the events of a trace follow each other without gaps; `cycles` has those of all
 * events, also of those for which there was no room, and adds up to the time since its beginning
 * less the event that is open. */
#ifndef OGIVE_RAY_TRACE_H
#define OGIVE_RAY_TRACE_H

#include "ogive/rt_ray.h"
#include "ogive/unit.h"

/* X(name, NAME, help). What a fetch waits for is told apart: *_port until its last request has
 * left, *_fetch from then on. A unit names the latter only. */
#define RAY_TRACE_REASONS(X)                                                        \
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

enum ray_trace_reason {
#define RAY_TRACE_REASON(name, NAME, help) RAY_TRACE_##NAME,
    RAY_TRACE_REASONS(RAY_TRACE_REASON)
#undef RAY_TRACE_REASON
        RAY_TRACE_REASON_COUNT,
};

struct ray_trace_event {
    cycle begin, cycles;
    u64 address; /* of the node, block or stack entries, if `bytes` */
    u32 bytes;
    u8 reason; /* enum ray_trace_reason */
    u8 missed; /* of a fetch: caches that did not have all of it */
};

#define RAY_TRACE_BLOCK_EVENTS 31
#define RAY_TRACE_NONE         UINT32_MAX

/* Events of one trace. */
struct ray_trace_block {
    struct ray_trace_event events[RAY_TRACE_BLOCK_EVENTS];
    u32 next; /* of the same trace, or of those that are free; RAY_TRACE_NONE: no more */
};

/* What came of a ray, and what it took. */
struct ray_outcome {
    struct rt_hit hit;
    u32 nodes, triangles; /* visited, tested */
    bool broken;          /* it was given up */
};

struct ray_trace {
    u64 number; /* rays that the unit took before it */
    u64 rank;
    struct rt_ray ray;
    struct ray_outcome outcome; /* once it has ended */
    cycle begin;
    cycle end;                   /* once it has ended */
    struct ray_trace_event open; /* what goes on */
    cycle sent;                  /* when the last request of the open event left; NEVER: none has */
    u64 cycles[RAY_TRACE_REASON_COUNT];
    u32 slot;
    u32 source;      /* hart that asked */
    u32 first, last; /* blocks of events */
    u32 event_count; /* in them */
    u32 lost;        /* events for which there was no room */
    u16 kind;        /* enum custom_message */
    bool ended;
};

struct ray_traces {
    const struct unit *unit;
    u64 taken; /* rays, kept or not */
    struct ray_trace *traces;
    u32 *heap;    /* numbers of traces, the one of the largest rank first */
    u32 *by_slot; /* the trace of the ray in each slot, or RAY_TRACE_NONE */
    struct ray_trace_block *blocks;
    u32 count, limit;
    u32 block_count, block_limit; /* used at least once; in all */
    u32 first_free;               /* of those used before */
};

/* Room for the traces of up to `limit` rays of a unit with that many slots; with a limit of 0, rays
 * are only counted. NULL with a message if there is no room. */
struct ray_traces *ray_traces_create(struct unit *unit, u32 slots, u32 limit,
                                     struct ogv_error *error);

/* A ray was put into a slot; its request is still the oldest message of the link that brought it.
 * Until the next call of ray_trace_enter it counts as queued. */
void ray_trace_begin(struct ray_traces *all, u32 slot, const struct link *from);

/* What the ray in a slot waits for, or does, from now on. */
void ray_trace_enter(struct ray_traces *all, u32 slot, enum ray_trace_reason reason);

/* What the open event fetches or sends; a request for it leaves; an answer has come, from behind
 * that many caches. */
void ray_trace_fetch(struct ray_traces *all, u32 slot, u64 address, u32 bytes);
void ray_trace_sent(struct ray_traces *all, u32 slot);
void ray_trace_arrived(struct ray_traces *all, u32 slot, u32 missed);

/* The ray's hit leaves now, on that link; the slot may be used again. */
void ray_trace_end(struct ray_traces *all, u32 slot, const struct ray_outcome *outcome,
                   const struct link *to);

/* Copies the events, with those of an open one as far as `now`, and says how many there are: at
 * most event_count + 2. `cycles` gets the sums by reason. */
u32 ray_trace_events(const struct ray_traces *all, const struct ray_trace *trace, cycle now,
                     struct ray_trace_event *events, u64 cycles[RAY_TRACE_REASON_COUNT]);

#endif
