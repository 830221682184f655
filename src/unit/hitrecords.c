/* hitrecords.c - keeps the closest hit of each ray in memory, behind a small cache: one slice of
 * the hit record updater of Dual Streaming (Shkurko et al. 2017).
 *
 * A store is compared with the record that is there, and the closer of the two is kept; a load is
 * answered with it. Records that are not in the cache are read from memory first; stores and loads
 * for them meanwhile wait with the record, not before it. One request is taken per cycle, users in
 * turn, and answered `latency` cycles later, or so long after its record has come. A record that
 * was changed is written back when another takes its place.
 *
 * A request whose set has no place, because all of them wait for memory, stays with its user, who
 * is looked at first from then on. With `on_chip` all records stay here, and memory is not asked.
 *
 * Always true: requests taken = answers given + nodes in use; what a record had is in memory before
 * it is read again, because requests to memory leave in order. */
#include <math.h>

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/stream_role.h"
#include "unit/parts/array.h"
#include "unit/parts/published.h"
#include "unit/shipped_customs.h"

#include "ogive/stream.h"

#define HITRECORDS_OUTBOX 4 /* requests to memory: a miss takes two */

/* clang-format off */
#define HITRECORDS_PARAMS(P)                                                                       \
    P(bytes, size, 2 * KiB, 16, 1 * GiB, "capacity; a record has 16 bytes")                        \
    P(number, ways, 8, 1, 64, "ways of a set; the one used longest ago gives way")                 \
    P(cycles, latency, 4, 1, 1000, "cycles from taking a request to its answer, if it is there")   \
    P(number, depth, 128, 1, 65536, "requests that may be inside at once")                         \
    P(flag, on_chip, 0, 0, 1, "an ideal slice: all records stay in it, memory is not asked")

#define HITRECORDS_STATS(S)                                                                        \
    S(stores, "requests", SUM, WORK, "hits compared with their record")                            \
    S(closer, "requests", SUM, WORK, "of these, those that became the record")                     \
    S(loads, "requests", SUM, WORK, "records asked for")                                           \
    S(misses, "requests", SUM, WORK, "requests whose record was not here")                         \
    S(joined, "requests", SUM, WORK, "requests whose record was on its way")                       \
    S(fetched, "records", SUM, WORK, "records read from memory")                                   \
    S(written_back, "records", SUM, WORK, "records written to memory")                             \
    S(crowded, "events", SUM, WORK, "times that a request began to wait for a place in its set")   \
    S(slice_cycles, "cycles", SUM, RATE, "cycles")                                                 \
    S(busy, "cycles", SUM, WORK, "cycles in which a request was taken")

#define HITRECORDS_RATIOS(R)                                                                       \
    R(miss_rate, misses, busy, "", "share of requests whose record was not here")                  \
    R(utilisation, busy, slice_cycles, "", "share of cycles in which a request was taken")

#define HITRECORDS_ENERGY(E)                                                                       \
    E(access, busy, COST_DERIVED, "by size, as a cache")                                           \
    E(compare, stores, PJ_FP_COMPARE, "SimTRaX, 65 nm")

#define HITRECORDS_PORTS(T)                                                                        \
    T(users, SERVES, SOME, "who stores and loads hits")                                            \
    T(memory, ASKS, MAYBE, "where the records lie")
/* clang-format on */

#define RECORD_BYTES      sizeof(struct rt_hit)

enum record_state { RECORD_EMPTY, RECORD_COMING, RECORD_CLEAN, RECORD_CHANGED };

struct record {
    u64 number; /* in the memory behind this slice */
    struct rt_hit hit;
    u64 used; /* for the choice of who gives way */
    u32 first_waiting, last_waiting;
    u8 state;
};

/* A request that was taken. */
struct record_node {
    struct message message;
    cycle at; /* when its answer leaves */
    u32 user, next;
};

struct hitrecords {
    struct unit base;
    UNIT_FIELDS(HITRECORDS)
    struct record *records; /* [set][way] */
    struct record_node *nodes;
    u32 *answers; /* ring of nodes in the order of leaving */
    u64 answer_head, answer_tail;
    struct message outbox[HITRECORDS_OUTBOX];
    u32 outbox_head, outbox_count;
    u64 sets, clock;
    u32 free, turn;
    bool waits; /* the user whose turn it is was refused */
};

static bool hitrecords_init(struct unit *unit, struct ogv_error *error)
{
    struct hitrecords *u = (struct hitrecords *)unit;
    u64 records = u->p.size / RECORD_BYTES;
    u->sets = records / u->p.ways;
    if (!u->sets)
        return unit_refuse(error, "size: %llu bytes are less than a set of %llu ways of 16 bytes",
                           (unsigned long long)u->p.size, (unsigned long long)u->p.ways);
    if (!u->p.on_chip && !u->w.memory.count)
        return unit_refuse(error, "has no memory; link it to one, or set on_chip: true");
    u->records = unit_alloc(unit, u->sets * u->p.ways, sizeof *u->records, error);
    u->nodes = u->records ? unit_alloc(unit, u->p.depth, sizeof *u->nodes, error) : NULL;
    u->answers = u->nodes ? unit_alloc(unit, u->p.depth, sizeof *u->answers, error) : NULL;
    for (u32 i = 0; u->answers && i < u->p.depth; i++)
        u->nodes[i].next = i + 1 < u->p.depth ? i + 1 : NOBODY;
    return u->answers;
}

static u64 address_local(const struct hitrecords *u, u64 address)
{
    const struct route *route = &u->w.users.route;
    return route->interleave ? route_local(route, address) : address;
}

static bool hitrecords_place(struct unit *unit, const struct stream_place *place,
                             struct ogv_error *error)
{
    struct hitrecords *u = (struct hitrecords *)unit;
    const struct route *route = &u->w.users.route;
    u64 bytes = place->ray_count * RECORD_BYTES, ways = route->interleave ? route->ways : 1;
    u64 most = bytes / ways + (route->interleave ? route->interleave : 0);
    if (u->p.on_chip && most > u->sets * u->p.ways * RECORD_BYTES)
        return unit_refuse(
            error, "size: the hits of %llu rays stay here (on_chip), which takes %llu KiB",
            (unsigned long long)place->ray_count, (unsigned long long)(most / KiB + 1));
    return true;
}

/* ---- Answers ---- */

static const struct rt_hit hit_nothing = { INFINITY, 0, 0, RT_NOTHING };

/* Who collects a hit leaves the record as it was at first, for another ray of that number. */
static void node_answer(struct hitrecords *u, u32 node, struct record *record, cycle now)
{
    struct record_node *at = &u->nodes[node];
    if (at->message.kind == MESSAGE_STREAM_HIT_LOAD)
        memcpy(at->message.data.real, &record->hit, RECORD_BYTES);
    if (at->message.kind == MESSAGE_STREAM_HIT_LOAD && at->message.mask &&
        record->hit.triangle != RT_NOTHING) {
        record->hit = hit_nothing;
        record->state = RECORD_CHANGED;
    }
    at->at = now + u->p.latency;
    u->answers[u->answer_tail++ % u->p.depth] = node;
}

static void answers_leave(struct hitrecords *u, cycle now)
{
    while (u->answer_head != u->answer_tail) {
        u32 number = u->answers[u->answer_head % u->p.depth];
        struct record_node *node = &u->nodes[number];
        struct link *out = u->w.users.at[node->user].out;
        if (node->at > now || !link_can_push(out))
            return;
        *link_push(out) = node->message;
        u->answer_head++;
        node->next = u->free;
        u->free = number;
        unit_release(&u->base, 1);
        unit_progress(&u->base);
    }
}

/* ---- Memory ---- */

static struct message *outbox_add(struct hitrecords *u)
{
    return &u->outbox[(u->outbox_head + u->outbox_count++) % HITRECORDS_OUTBOX];
}

static void record_write_back(struct hitrecords *u, const struct record *record)
{
    struct message *request = outbox_add(u);
    *request = (struct message){
        .kind = MEMORY_WRITE,
        .address = record->number * RECORD_BYTES,
        .size_bytes = RECORD_BYTES,
        .mask = (1 << RECORD_BYTES) - 1,
    };
    memcpy(request->data.real, &record->hit, RECORD_BYTES);
    u->s.written_back++;
}

static void record_fetch(struct hitrecords *u, const struct record *record)
{
    *outbox_add(u) = (struct message){
        .kind = MEMORY_READ,
        .address = record->number * RECORD_BYTES,
        .size_bytes = RECORD_BYTES,
        .tag = (u32)(record - u->records),
    };
    u->s.fetched++;
}

static bool outbox_send(struct hitrecords *u)
{
    if (!u->outbox_count || !link_can_push(u->w.memory.at[0].out))
        return false;
    *link_push(u->w.memory.at[0].out) = u->outbox[u->outbox_head];
    u->outbox_head = (u->outbox_head + 1) % HITRECORDS_OUTBOX;
    u->outbox_count--;
    return true;
}

/* ---- Records ---- */

/* Of equal ones the smaller number, as in rt_triangle.h: the order of comparing does not matter. */
static bool hit_closer(const struct rt_hit *hit, const struct rt_hit *than)
{
    return hit->t < than->t || (hit->t == than->t && hit->triangle < than->triangle);
}

/* Compares a store; a load only looks. */
static void record_compare(struct hitrecords *u, struct record *record,
                           const struct message *request)
{
    struct rt_hit hit;
    memcpy(&hit, request->data.real, sizeof hit);
    if (request->kind != MESSAGE_STREAM_HIT || !hit_closer(&hit, &record->hit))
        return;
    record->hit = hit;
    u->s.closer++;
    record->state = RECORD_CHANGED;
}

/* What waited is compared in the order in which it came. */
static void record_arrive(struct hitrecords *u, const struct message *answer, cycle now)
{
    struct record *record = &u->records[answer->tag];
    memcpy(&record->hit, answer->data.real, RECORD_BYTES);
    record->state = RECORD_CLEAN;
    for (u32 node = record->first_waiting; node != NOBODY;) {
        u32 next = u->nodes[node].next;
        record_compare(u, record, &u->nodes[node].message);
        node_answer(u, node, record, now);
        node = next;
    }
}

static bool memory_receive(struct hitrecords *u, cycle now)
{
    struct link *in = u->w.memory.count ? u->w.memory.at[0].in : NULL;
    const struct message *answer = in ? link_peek(in) : NULL;
    if (!answer)
        return false;
    if ((answer->kind & MEMORY_KIND) == MEMORY_READ)
        record_arrive(u, answer, now);
    link_pop(in);
    return true;
}

/* The place of a record; if it is not there, of the one that gives way; NULL: none can. */
static struct record *record_find(struct hitrecords *u, u64 number)
{
    if (u->p.on_chip)
        return &u->records[number % (u->sets * u->p.ways)];
    struct record *set = &u->records[number % u->sets * u->p.ways], *oldest = NULL;
    for (u64 i = 0; i < u->p.ways; i++) {
        if (set[i].state != RECORD_EMPTY && set[i].number == number)
            return &set[i];
        if (set[i].state != RECORD_COMING && (!oldest || set[i].used < oldest->used))
            oldest = &set[i];
    }
    return oldest;
}

/* Makes a place the one of a record, which is then on its way. */
static void record_begin(struct hitrecords *u, struct record *record, u64 number)
{
    u->s.misses++;
    if (record->state == RECORD_CHANGED)
        record_write_back(u, record);
    record->number = number;
    record->state = RECORD_COMING;
    record->first_waiting = record->last_waiting = NOBODY;
    record_fetch(u, record);
}

static void record_await(struct hitrecords *u, struct record *record, u32 node)
{
    u->nodes[node].next = NOBODY;
    if (record->first_waiting == NOBODY)
        record->first_waiting = node;
    else
        u->nodes[record->last_waiting].next = node;
    record->last_waiting = node;
}

/* On chip, a record that nobody has touched has nothing hit. */
static void record_open(struct record *record, u64 number)
{
    if (record->state != RECORD_EMPTY)
        return;
    record->number = number;
    record->hit = hit_nothing;
    record->state = RECORD_CLEAN;
}

/* ---- Requests ---- */

static void request_count(struct hitrecords *u, const struct message *request)
{
    u->s.stores += request->kind == MESSAGE_STREAM_HIT;
    u->s.loads += request->kind == MESSAGE_STREAM_HIT_LOAD;
    u->s.busy++;
}

static u32 node_take(struct hitrecords *u, u32 user)
{
    u32 node = u->free;
    u->free = u->nodes[node].next;
    u->nodes[node].message = *link_peek(u->w.users.at[user].in);
    u->nodes[node].user = user;
    link_pop(u->w.users.at[user].in);
    unit_hold(&u->base, 1);
    return node;
}

/* Takes a user's oldest request; false: it must wait for a place in its set, or for the outbox. */
static bool request_take(struct hitrecords *u, u32 user, cycle now)
{
    const struct message *request = link_peek(u->w.users.at[user].in);
    u64 number = address_local(u, request->address) / RECORD_BYTES;
    struct record *record = record_find(u, number);
    if (u->p.on_chip)
        record_open(record, number);
    bool here = record && record->state != RECORD_EMPTY && record->number == number;
    if (!here && (!record || u->outbox_count + 2 > HITRECORDS_OUTBOX))
        return false;
    request_count(u, request);
    u32 node = node_take(u, user);
    if (!here)
        record_begin(u, record, number);
    else
        u->s.joined += record->state == RECORD_COMING;
    record->used = ++u->clock;
    if (record->state == RECORD_COMING) {
        record_await(u, record, node);
        return true;
    }
    record_compare(u, record, &u->nodes[node].message);
    node_answer(u, node, record, now);
    return true;
}

/* One request of the users in turn. Whoever was refused keeps the turn. */
static bool requests_take(struct hitrecords *u, cycle now)
{
    u32 users = u->w.users.count, first = NOBODY;
    for (u32 half = 0; half < 2 && u->free != NOBODY; half++) {
        u32 end = half ? u->turn : users;
        for (u32 i = ports_arrived(&u->w.users, half ? 0 : u->turn); i < end;
             i = ports_arrived(&u->w.users, i + 1)) {
            if (request_take(u, i, now)) {
                u->turn = first != NOBODY ? first : (i + 1) % users;
                u->waits = first != NOBODY;
                return true;
            }
            first = first == NOBODY ? i : first;
        }
    }
    if (first != NOBODY) {
        u->s.crowded += !u->waits;
        u->turn = first;
        u->waits = true;
    }
    return false;
}

static cycle hitrecords_tick(struct unit *unit, cycle now)
{
    struct hitrecords *u = (struct hitrecords *)unit;
    bool moved = memory_receive(u, now);
    answers_leave(u, now);
    moved |= requests_take(u, now);
    moved |= outbox_send(u);
    if (moved)
        return now + 1;
    if (u->answer_head == u->answer_tail)
        return NEVER;
    cycle leaves = u->nodes[u->answers[u->answer_head % u->p.depth]].at;
    return leaves > now ? leaves : NEVER;
}

static void hitrecords_report(struct unit *unit, cycle now)
{
    ((struct hitrecords *)unit)->s.slice_cycles = now;
}

static void hitrecords_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct hitrecords *u = (const struct hitrecords *)unit;
    costs->energy[0] = array_access_pj(u->p.size) * RECORD_BYTES / ARRAY_LINE_BYTES;
    costs->area = array_area_mm2(u->p.size);
    costs->leakage = MW_PER_KIB * (double)u->p.size / (double)KiB;
}

static const struct resource_row hitrecords_resource_rows[] = {
    { .name = "slice",
      .kind = RESOURCE_WORK,
      .capacity = "1",
      .used = "busy",
      .held = "users_room + users_answer" },
    { 0 },
};

static const struct stream_role hitrecords_streams = { .hits = true, .place = hitrecords_place };

UNIT_TYPE(hitrecords, HITRECORDS, "hit record updater, one slice", .init = hitrecords_init,
          .tick = hitrecords_tick, .report = hitrecords_report, UNIT_ENERGY(HITRECORDS),
          .costs = hitrecords_costs, .streams = &hitrecords_streams,
          .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
          .area_help = "by size, as a cache", .resources = hitrecords_resource_rows)
