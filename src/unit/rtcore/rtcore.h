/* rtcore.h - the RT core, for its own files: rtcore.c (time), users.c (rays in and out), schedule.c
 * (which ray goes next, and the pipes), fetch.c (memory), receive.h (answers from it), stream.c
 * (rays held by treelet). What can be set and what is counted is in lists.h.
 *
 * A ray in a slot is in exactly one phase at any time, and every ray-cycle is charged to one:
 *
 *   schedule        ready, waits for its turn
 *   node_fetch      its node is on its way
 *   box_queue, box  waits for the box pipe; in it
 *   block_fetch     its block of primitives is on its way
 *   triangle_queue, triangle
 *   stack_fetch     its stack entries that were spilled are on their way back
 *   warp            done, waits for the others of its warp
 *   answer          done, or to go on in another treelet: waits for its turn to leave
 *   held            done, started with `trace_start` and not yet waited for
 *
 * Always true: the sum of these is the number of slots in use, summed over all cycles. */
#ifndef UNIT_RTCORE_RTCORE_H
#define UNIT_RTCORE_RTCORE_H

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/ray_trace.h"
#include "ogive/rt_box.h"
#include "ogive/rt_formats.h"
#include "ogive/rt_ray.h"
#include "ogive/rt_treelet.h"
#include "ogive/rt_walk.h"
#include "ogive/tracer.h"
#include "ogive/unit.h"
#include "unit/rtcore/lists.h"

/* What is called seldom does not make the usual way longer. */
#define SELDOM   __attribute__((noinline))
#define STRAIGHT static inline __attribute__((always_inline))

#define RTCORE_DATA_BYTES \
    320 /* the longest node or block, wherever it starts in its first sector */
#define RTCORE_BUCKETS 16
#define RTCORE_SPILL   4 /* stack entries in a sector */

/* The deepest stack there is, in whole sectors. */
#define RTCORE_SPILL_BYTES \
    ((RT_LEVELS * (RT_CHILDREN_MAX - 1) + RTCORE_SPILL - 1) / RTCORE_SPILL * RTCORE_SPILL * 8)

enum rtcore_policy { RTCORE_POLICIES(UNIT_CHOICE_VALUE, POLICY_) };
enum rtcore_overflow { RTCORE_OVERFLOWS(UNIT_CHOICE_VALUE, OVERFLOW_) };
enum rtcore_joins { RTCORE_JOINS(UNIT_CHOICE_VALUE, JOINS_) };
enum rtcore_stream_mode { RTCORE_STREAMS(UNIT_CHOICE_VALUE, STREAM_) };
enum rtcore_coalesce { RTCORE_COALESCES(UNIT_CHOICE_VALUE, COALESCE_) };

/* The order of the wait_ and idle_ statistics. */
enum rtcore_phase {
#define RTCORE_PHASE(S, name, NAME, help) PHASE_##NAME,
    RTCORE_PHASES(RTCORE_PHASE, )
#undef RTCORE_PHASE
        PHASES,
    PHASE_FREE = PHASES,
};

/* A ray. By cache lines of the host: what every step looks at with the walk, two; what tests of
 * boxes look at; what tests of triangles do, and the rest. */
struct rtcore_slot {
    u32 leaf;   /* what is left of the leaf being visited, with the block on its way; 0: nothing */
    float best; /* distance of the hit, so that a visit of a node need not look there */
    u32 nodes;
    u8 phase;
    u8 awaited; /* sectors that are to come or to be sent */
    u8 data_at; /* where in the data the node or block begins */
    bool over;  /* its next step is its end: broken, named, empty, or any hit is enough */
    struct rt_walk walk;
    struct rt_slab slab;
    struct rt_hit hit;
    struct rt_ray ray;
    u32 blocks, triangles;
    u16 spilled; /* stack entries in memory */
    u8 spilling; /* sectors of the data that are stack entries to be sent */
    u8 kind;     /* of the request that brought it */
    bool any;    /* the first hit is good enough */
    bool asked;  /* started, and waited for since */
    bool broken; /* met a fault */
    bool named;  /* the hit has its triangle's number instead of its block's, or asks for it */
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct rtcore_slot, slab) == 128 && sizeof(struct rtcore_slot) == 256,
               "four cache lines");

/* What is asked for only when a ray comes, goes or is chosen by its age. */
struct rtcore_sender {
    u64 number; /* rays taken before it */
    u32 user, tag;
};

/* Neighbouring slots whose rays come and go together; the first `joined` of them are in use. */
struct rtcore_warp {
    u16 joined;
    u16 busy; /* rays that are not done */
    u16 here; /* rays that have not left */
};

/* Slots in the order of coming, linked by `next`: no slot is in two queues. */
struct rtcore_queue {
    u16 head, tail, count;
};

/* A ray in a pipe and when it leaves. */
struct rtcore_work {
    cycle at;
    u32 slot;
};

/* Pipes of a kind. */
struct rtcore_pipe {
    struct rtcore_queue waiting;
    u16 pipes, latency;           /* as the parameters have them */
    u32 head, count, mask;        /* of what is inside */
    cycle leaves;                 /* when the first one inside does; NEVER: there is none */
    struct rtcore_work *inside;   /* ring in the order of leaving; starts over when it is empty */
    u64 busy;                     /* pipe-cycles */
    cycle free[RTCORE_PIPES_MAX]; /* by pipe: when it takes the next */
} __attribute__((aligned(64)));

/* Requests for sectors in a row that wait for ports. The place of one is its slot and the sector of
 * the slot's data, RTCORE_SECTORS to a slot: that is what its answer is known by. */
struct rtcore_request {
    u64 address; /* of the next one */
    u32 place;
    u8 kind; /* enum memory_kind */
    u8 sectors;
    bool stack; /* of stack entries */
};

#define RTCORE_SECTORS 16

/* That hold so many bytes, which begin at a place in the first of them. */
static inline u32 sectors_of(u32 at, u32 bytes)
{
    return (at + bytes + MEMORY_SECTOR - 1) / MEMORY_SECTOR;
}

/* For that many bytes, into the data of the slot. */
static inline struct rtcore_request request_read(u32 slot, u64 address, u32 bytes)
{
    u32 at = address % MEMORY_SECTOR;
    return (struct rtcore_request){
        .address = address - at,
        .place = slot * RTCORE_SECTORS,
        .kind = MEMORY_READ,
        .sectors = (u8)sectors_of(at, bytes),
    };
}

_Static_assert(RTCORE_SECTORS *MEMORY_SECTOR >= RTCORE_DATA_BYTES, "every sector has a place");

/* A place whose sector is under way, where requests are coalesced. */
struct rtcore_shared {
    u64 address;
    u32 next;  /* place that wants the same */
    u32 chain; /* in a bucket of those that others may join */
};

/* What is counted with every step. Statistics follow from it when they are read. */
struct rtcore_tally {
    u64 nodes, blocks; /* steps */
    u64 tests;         /* of nodes */
    u64 requests, triangles;
    u64 culled, numbers; /* steps, too */
    u64 warps;           /* scheduled as such */
};

#define KIND_NONE UINT16_MAX

/* What steps want to know of parameters and formats, in half a cache line. */
struct rtcore_plan {
    u8 nodes, primitives;
    bool in_order; /* who was ready first goes first */
    bool singly;   /* the same, with one step in a cycle */
    bool by_warp;  /* all ready rays of a warp begin their steps at once */
    bool culls, coalesces, spills, prefetches;
    bool usual;   /* rtcore_is_usual */
    bool near;    /* memory is in its own domain, behind up to 64 ports */
    bool pair;    /* the same behind two ports, whose answers take a cycle */
    bool at_once; /* it is, and a request for the tree may leave as its step is begun */
    u16 steps;    /* per cycle */
    u16 node_bytes, block_bytes;
    u16 data_bytes;  /* of a slot */
    u16 read_kind;   /* of messages, and of answers */
    u16 sector_kind; /* of answers that are sectors for one slot and no more; KIND_NONE: of none */
    u16 node_cycles; /* that a node takes a box pipe */
    u16 triangle_interval;
    u8 node_bits, block_bits; /* of slots of treelets */
};

struct rtcore {
    struct unit base;
    UNIT_FIELDS(RTCORE)

    /* By cache lines of the host, those that most ticks touch first: what says whether there is
     * anything to do; */
    cycle idle_since __attribute__((aligned(64))); /* no step was begun from here on, as is known */
    u16 *next;                                     /* by slot: the one behind it in its queue */
    struct rtcore_queue ready, done;
    struct rtcore_queue free; /* warps, by their first slot */
    u16 outbox_head, outbox_count, outbox_mask;
    struct rtcore_request *outbox; /* ring; starts over when it is empty */
    u32 open;                      /* the warp that new rays join; NOBODY: none, or by user */
    u32 user_words;                /* of bitmaps of users */
    u64 hopeless;                  /* the first of `waiting` while there is no room, else none */

    struct rtcore_pipe box, triangle;

    /* by phase, also PHASE_FREE: the cycles in which rays left it less those in which they came,
     * and how many are in it (LOAD_ONE, LOAD_NOBODY); */
    u64 time[PHASES + 1];
    int16_t load[16];
    u64 idle[16]; /* cycles in which no step was begun by that phase, as LOAD_NONE has it */

    struct rtcore_slot *slots;
    u8 *data;                  /* buffers of `data_bytes`, as many as slots */
    u32 *sources;              /* by slot: of its requests */
    struct ray_traces *traces; /* NULL: none are kept */
    struct tree_place tree;    /* RTCORE_SPILL_BYTES for the stack of each slot */
    u32 *treelets;             /* by slot: that of the node visited last; NULL: there are none */

    struct rtcore_plan plan;
    u32 last_ref;    /* node visited last, for grouping */
    cycle sent_at;   /* the last cycle in which a step's request was sent with it, in part, and */
    bool sent_any;   /* a port took something of it */
    u16 spare_count; /* of buffers that no slot has: */
    u16 *spare;      /* the one given back last is taken next, while the host's cache holds it */
    u16 *buffers; /* by slot: which cache line of `data` its buffer begins with, or BUFFER_NONE */
    struct rtcore_tally tally;

    /* and what is wanted when rays come and go. */
    struct rtcore_sender *senders; /* by slot */
    struct rt_child *stacks;       /* `stack` entries per slot */
    struct rtcore_warp *warps;
    u64 *waiting;                 /* by user: its oldest request was found to wait for a slot */
    u32 *opens;                   /* by user: the warp that its rays join; NULL: that is `open` */
    u64 taken;                    /* rays */
    u32 turn;                     /* the user that is looked at first */
    u32 started;                  /* warps of a ray of trace_start */
    u32 prefetching;              /* requests in the outbox that are prefetches */
    u32 bucket_mask;              /* where requests are coalesced: */
    u32 *buckets;                 /* places by address, and */
    struct rtcore_shared *shared; /* by place what is under way */
    struct rtcore_stream *stream; /* NULL: rays come from cores */
};

_Static_assert(offsetof(struct rtcore, box) % 64 == 0 && offsetof(struct rtcore, slots) % 64 == 0,
               "cache lines as above");

#define PLACE_NONE UINT32_MAX

/* What the RT cores of most chips are. Most ticks are made for it (rtcore_tick_usual). */
static inline bool rtcore_is_usual(const struct rtcore *u)
{
    return u->plan.pair && u->box.pipes == 1 && u->triangle.pipes == 1 && u->plan.singly &&
           u->plan.at_once && !u->plan.spills && !u->plan.prefetches && !u->stream &&
           !u->treelets && !u->traces && u->user_words == 1 && !u->base.clocked;
}

/* `usual` is a constant: what follows need not ask. */
STRAIGHT void rtcore_assume(const struct rtcore *u, bool usual)
{
    if (usual && !rtcore_is_usual(u))
        __builtin_unreachable();
}

static inline u32 rtcore_slot_number(const struct rtcore *u, const struct rtcore_slot *slot)
{
    return (u32)(slot - u->slots);
}

#define BUFFER_NONE UINT16_MAX
#define BUFFER_UNIT 64

_Static_assert(RTCORE_RAYS_MAX *(RTCORE_DATA_BYTES / BUFFER_UNIT) < BUFFER_NONE &&
                   RTCORE_DATA_BYTES % BUFFER_UNIT == 0,
               "every buffer has a number");

/* What is fetched for a ray: from the first sector on until it is used, a slot has a buffer. */
static inline u8 *rtcore_data(struct rtcore *u, u32 number)
{
    u16 *buffer = &u->buffers[number];
    if (*buffer == BUFFER_NONE)
        *buffer = u->spare[--u->spare_count];
    return u->data + (size_t)*buffer * BUFFER_UNIT;
}

static inline void rtcore_data_used(struct rtcore *u, u32 number)
{
    u->spare[u->spare_count++] = u->buffers[number];
    u->buffers[number] = BUFFER_NONE;
}

/* ---- Phases ---- */

/* A ray in a phase. The low bits put phases with as many rays in order, the first one above. */
#define LOAD_ONE         16
#define LOAD_NONE(phase) (LOAD_ONE - 1 - (phase))
#define LOAD_NOBODY      (PHASES + 1) /* stands behind the phases, before any that has a ray */

_Static_assert(LOAD_NONE(PHASES) > 0 && LOAD_NOBODY < 16 &&
                   (RTCORE_RAYS_MAX + 1) * LOAD_ONE < INT16_MAX,
               "loads fit");

/* For traces: PHASE_FREE: its hit leaves. */
void rtcore_trace(struct rtcore *u, const struct rtcore_slot *slot, enum rtcore_phase phase);

/* Where a node or block lies. */
static inline u64 rtcore_node_address(const struct rtcore *u, u32 ref)
{
    u32 number = rt_ref_node(ref), bytes = u->plan.node_bytes;
    return u->tree.nodes +
           (u->treelets ? rt_slot_offset(number, u->plan.node_bits, (u32)u->p.treelets, bytes)
                        : (u64)number * bytes);
}

static inline u64 rtcore_block_address(const struct rtcore *u, u32 ref)
{
    u32 number = rt_ref_first(ref), bytes = u->plan.block_bytes;
    return u->tree.blocks +
           (u->treelets ? rt_slot_offset(number, u->plan.block_bits, (u32)u->p.treelets, bytes)
                        : (u64)number * bytes);
}

/* From a phase that whoever calls this knows. */
static inline void rtcore_move(struct rtcore *u, struct rtcore_slot *slot, enum rtcore_phase from,
                               enum rtcore_phase to, cycle now)
{
    u->time[from] += now;
    u->time[to] -= now;
    u->load[from] = (int16_t)(u->load[from] - LOAD_ONE);
    u->load[to] = (int16_t)(u->load[to] + LOAD_ONE);
    slot->phase = (u8)to;
    if (__builtin_expect(u->traces != NULL, false))
        rtcore_trace(u, slot, to);
}

static inline void rtcore_enter(struct rtcore *u, struct rtcore_slot *slot, enum rtcore_phase phase,
                                cycle now)
{
    rtcore_move(u, slot, (enum rtcore_phase)slot->phase, phase, now);
}

/* ---- Queues ---- */
static inline void queue_push(struct rtcore *u, struct rtcore_queue *queue, u32 slot)
{
    if (queue->count++)
        u->next[queue->tail] = (u16)slot;
    else
        queue->head = (u16)slot;
    queue->tail = (u16)slot;
}

static inline u32 queue_pop(struct rtcore *u, struct rtcore_queue *queue)
{
    u32 slot = queue->head;
    queue->head = u->next[slot];
    queue->count--;
    return slot;
}

/* Out of the middle: the one behind that one. */
static inline u32 queue_pop_behind(struct rtcore *u, struct rtcore_queue *queue, u32 before)
{
    u32 slot = u->next[before];
    u->next[before] = u->next[slot];
    if (queue->tail == slot)
        queue->tail = (u16)before;
    queue->count--;
    return slot;
}

/* The ray waits for its next step. */
static inline void rtcore_ready(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    rtcore_enter(u, slot, PHASE_SCHEDULE, now);
    queue_push(u, &u->ready, rtcore_slot_number(u, slot));
}

/* ---- users.c ---- */

static inline bool rtcore_has_room(const struct rtcore *u)
{
    return u->free.count || u->open != NOBODY;
}

/* To be said after users were refused or rays came or went: which users the next tick need not look
 * at, of up to 64. */
static inline void rtcore_users_note(struct rtcore *u)
{
    u->hopeless = rtcore_has_room(u) ? 0 : u->waiting[0];
}

/* Users with a request, here or on its way, that may be taken. */
static inline u64 rtcore_users_hopeful(const struct rtcore *u, u32 word)
{
    u64 pending = u->w.users.pending[word];
    return rtcore_has_room(u) ? pending : pending & ~u->waiting[word];
}

static inline bool rtcore_users_any(const struct rtcore *u)
{
    u64 any = rtcore_users_hopeful(u, 0);
    for (u32 word = 1; word < u->user_words; word++)
        any |= rtcore_users_hopeful(u, word);
    return any;
}

/* Whether there is a request that has arrived and may be taken. */
bool rtcore_users_more(const struct rtcore *u);

/* Takes new rays, in turn over the users, one of each at most. Whether any was taken. */
bool rtcore_accept(struct rtcore *u, cycle now);

/* Gives hits back. */
void rtcore_answer(struct rtcore *u, cycle now);

/* The ray's hit is known; it leaves with its warp. */
void rtcore_done(struct rtcore *u, struct rtcore_slot *slot, cycle now);

/* Puts a ray into a slot that is free, to begin at the root. */
void rtcore_slot_begin(struct rtcore *u, u32 number, const struct rt_ray *ray);

/* ---- stream.c; all but the first two in stream mode only ---- */
bool rtcore_stream_init(struct rtcore *u, struct ogv_error *error);

/* Whether it is about rays that are held elsewhere. */
static inline bool rtcore_stream_is_call(const struct message *request)
{
    return request->kind == MESSAGE_STREAM_STORE || request->kind == MESSAGE_STREAM_HIT_LOAD;
}

/* Deals with a user's request: passes it on, or declines what cannot be done. False: it waits. */
bool rtcore_stream_take(struct rtcore *u, u32 user);

/* Takes a message from the holder; sends one; whether there is one to send. */
void rtcore_stream_receive(struct rtcore *u, cycle now);
void rtcore_stream_send(struct rtcore *u, cycle now);
bool rtcore_stream_busy(const struct rtcore *u);

/* A ray is about to visit an entry; true if it leaves instead. */
bool rtcore_stream_entry(struct rtcore *u, struct rtcore_slot *slot, enum rt_visit visit,
                         struct rt_child *entry, cycle now);

/* It enters so many children of the node on its level. */
void rtcore_stream_children(struct rtcore *u, struct rtcore_slot *slot, u32 count);

/* It has come to its end. */
void rtcore_stream_done(struct rtcore *u, struct rtcore_slot *slot, cycle now);

/* ---- schedule.c ---- */

/* Begins the next steps of ready rays. */
void rtcore_schedule(struct rtcore *u, cycle now);

/* What the ray in the slot of that number asked for has come, and lies there: it enters a pipe, or
 * waits for one. */
void rtcore_node_arrived(struct rtcore *u, u32 number, const u8 *data, cycle now);
void rtcore_block_arrived(struct rtcore *u, u32 number, const u8 *data, cycle now);

/* Puts what waits into the pipes. */
void rtcore_pipes_enter(struct rtcore *u, cycle now);

/* ---- fetch.c ---- */
bool rtcore_fetch_init(struct rtcore *u, struct ogv_error *error);

static inline void read_send(struct message *message, u64 address, u32 place, u32 source, u16 kind)
{
    message->address = address;
    message->tag = place;
    message->source = source;
    message->missed = 0;
    message->kind = kind;
    message->size_bytes = MEMORY_SECTOR;
}

/* Sends the first of these sectors, one to each port that has room. How many. */
static inline u32 sectors_send(struct rtcore *u, u64 address, u32 place, u32 sectors, u32 *port)
{
    const struct port *ports = u->w.memory.at;
    u32 source = u->sources[place / RTCORE_SECTORS], count = u->w.memory.count, sent = 0, at = 0;
    for (; sent != sectors && at != count; at++) {
        struct message *message = link_try_push(ports[at].out);
        if (__builtin_expect(!message, false))
            continue;
        read_send(message, address, place, source, u->plan.read_kind);
        address += MEMORY_SECTOR;
        place++;
        sent++;
    }
    u->tally.requests += sent;
    *port = at;
    return sent;
}

/* Any request; and what the ports did not take of one in the cycle in which it was made, which
 * waits in the outbox: all but so many of its sectors. */
void rtcore_fetch_any(struct rtcore *u, u32 number, u64 address, u32 bytes);
void rtcore_fetch_rest(struct rtcore *u, struct rtcore_request rest, u32 sent, cycle now);

/* The short way of a request that is the only one, to near memory: it does not wait in the outbox
 * to be sent in the same cycle. */
static inline void sectors_send_at_once(struct rtcore *u, u32 number, u64 address, u32 sectors,
                                        cycle now)
{
    const struct port *port = u->w.memory.at, *end = port + u->w.memory.count;
    u32 place = number * RTCORE_SECTORS, last = place + sectors, source = u->sources[number];
    cycle chip_now = u->base.domain->now;
    u->tally.requests += sectors;
    for (; port != end; port++) {
        link_is_within(port->out);
        struct message *message = link_try_push_within(port->out, chip_now);
        if (__builtin_expect(!message, false))
            continue;
        read_send(message, address, place, source, u->plan.read_kind);
        address += MEMORY_SECTOR;
        if (++place == last)
            return;
    }
    rtcore_fetch_rest(u,
                      (struct rtcore_request){ .address = address,
                                               .place = place,
                                               .kind = MEMORY_READ,
                                               .sectors = (u8)(last - place) },
                      sectors + place - last, now);
}

/* Asks for `bytes` bytes from `address` on, into the slot's data. */
static inline void rtcore_fetch(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes,
                                cycle now)
{
    u32 number = rtcore_slot_number(u, slot), at = address % MEMORY_SECTOR;
    u32 sectors = sectors_of(at, bytes);
    slot->data_at = (u8)at;
    slot->awaited = (u8)sectors;
    if (__builtin_expect(u->plan.at_once && !u->outbox_count, true))
        sectors_send_at_once(u, number, address - at, sectors, now);
    else
        rtcore_fetch_any(u, number, address, bytes);
}

/* The same, where most has a shorter way. */
void rtcore_fetch_seldom(struct rtcore *u, struct rtcore_slot *slot, u64 address, u32 bytes,
                         cycle now);

void rtcore_prefetch(struct rtcore *u, u64 address, u32 bytes);

/* Moves the oldest stack entries to the slot's data until there is room for `count` more; sends
 * them to memory; brings the last ones back. */
void rtcore_spill_make_room(struct rtcore *u, struct rtcore_slot *slot, u32 count);
void rtcore_spill_send(struct rtcore *u, struct rtcore_slot *slot);
void rtcore_refill(struct rtcore *u, struct rtcore_slot *slot);

/* Sends requests, of which there must be one, one to each port. True: there are more, and a port
 * may take the next one in the next cycle. Ports that have no room say when they do. */
bool rtcore_send(struct rtcore *u, cycle now);

/* ---- explain.c: what it has that rays wait for, and where their cycles went ---- */
extern const struct resource_row rtcore_resource_rows[];
extern const struct account_row rtcore_account_rows[];
extern const struct figure_row rtcore_figure_rows[];

/* ---- energy.c ---- */
extern const struct energy_row rtcore_energy_rows[];
void rtcore_costs(const struct unit *unit, struct unit_costs *costs);

#endif
