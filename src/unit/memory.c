/* memory.c - memory with a fixed latency: a stand-in where DRAM timing does not matter.
 *
 * Takes up to `width` requests per cycle from its users in turn, answers each `latency` cycles
 * later, in the order in which it took them. The data is held here. A request beyond `size` is
 * answered as a fault. Always true: requests = answers + requests inside. */
#include "ogive/explain.h"
#include "unit/parts/store.h"

#define MEMORY_PARAMS(P)                                                               \
    P(bytes, size, 1 * MiB, 64, 16 * GiB, "capacity of this unit")                     \
    P(cycles, latency, 100, 1, 100000, "cycles from taking a request to answering it") \
    P(number, width, 1, 1, 64, "requests taken and answers given per cycle")           \
    P(number, depth, 256, 1, 65536, "requests that may be inside at once")

#define MEMORY_STATS(S)                                                       \
    S(reads, "requests", SUM, WORK, "reads taken")                            \
    S(writes, "requests", SUM, WORK, "writes taken")                          \
    S(atomics, "requests", SUM, WORK, "atomic operations executed")           \
    S(faults, "requests", SUM, WORK, "requests beyond the end of the memory") \
    S(bytes_read, "bytes", SUM, WORK, "data answered")                        \
    S(bytes_written, "bytes", SUM, WORK, "data taken")                        \
    S##_ARRAY(read_for, PURPOSE_READS) S##_ARRAY(written_for, PURPOSE_WRITES)

#define MEMORY_RATIOS(R)

#define MEMORY_ENERGY(E)                                                                         \
    E(read, reads, COST_UNKNOWN, "stands for no memory in particular; `dram` knows its devices") \
    E(write, writes, COST_UNKNOWN, "as reads")                                                   \
    E(atomic, atomics, COST_UNKNOWN, "as reads")

#define MEMORY_PORTS(T) T(users, SERVES, SOME, "who may ask")

struct memory {
    struct unit base;
    UNIT_FIELDS(MEMORY)
    struct store store;
    struct slot *answers; /* ring; `at` is when one may leave */
    u32 *askers;          /* which user gets it */
    u64 head, tail;
    u32 turn;
};

static u64 memory_holds(const struct unit *unit)
{
    return ((const struct memory *)unit)->p.size;
}

static bool memory_init(struct unit *unit, struct ogv_error *error)
{
    struct memory *u = (struct memory *)unit;
    if (!store_init(&u->store, unit, u->p.size, &u->w.users.route, error))
        return false;
    u->answers = unit_alloc(unit, u->p.depth, sizeof *u->answers, error);
    u->askers = u->answers ? unit_alloc(unit, u->p.depth, sizeof *u->askers, error) : NULL;
    return u->askers;
}

/* Turns a request into its answer. */
static void memory_execute(struct memory *u, struct message *request)
{
    u64 address = store_local(&u->store, request->address);
    enum purpose purpose = purposes_find(&u->store.purposes, address);
    u32 written = store_execute(&u->store, request);
    switch (request->kind & MEMORY_KIND) {
    case MEMORY_FENCE:
        break;
    case MEMORY_FAULT:
        u->s.faults++;
        break;
    case MEMORY_WRITE:
        u->s.writes++;
        u->s.bytes_written += written;
        u->s.written_for[purpose] += written;
        break;
    case MEMORY_AMO:
        u->s.atomics++;
        break;
    default:
        u->s.reads++;
        u->s.bytes_read += request->size_bytes;
        u->s.read_for[purpose] += request->size_bytes;
    }
}

static u8 *memory_stored(struct unit *unit, u64 address, u64 *length)
{
    return store_find(&((struct memory *)unit)->store, address, length);
}

static bool memory_mark(struct unit *unit, u64 address, u64 bytes, enum purpose purpose)
{
    return store_mark(&((struct memory *)unit)->store, address, bytes, purpose);
}

static void memory_take_from(struct memory *u, u32 user, cycle now)
{
    struct link *in = u->w.users.at[user].in;
    if ((link_peek(in)->kind & MEMORY_KIND) == MEMORY_PREFETCH) {
        link_pop(in); /* there is nowhere nearer to bring it to */
        return;
    }
    struct slot *answer = &u->answers[u->tail % u->p.depth];
    u->askers[u->tail++ % u->p.depth] = user;
    *answer = (struct slot){ now + u->p.latency, *link_peek(in) };
    memory_execute(u, &answer->message);
    link_pop(in);
    unit_hold(&u->base, 1);
    u->turn = user + 1;
}

/* Of the users in [from, to), in order; each gives at most one request per cycle. */
static void memory_take_range(struct memory *u, u32 from, u32 to, cycle now, u64 *left)
{
    const struct ports *users = &u->w.users;
    for (u32 i = ports_pending(users, from); i < to; i = ports_pending(users, i + 1)) {
        if (*left == 0 || u->tail - u->head == u->p.depth)
            return;
        if (!link_peek(users->at[i].in))
            continue;
        memory_take_from(u, i, now);
        --*left;
    }
}

/* Users in turn, starting behind the one served last. */
static void memory_take(struct memory *u, cycle now)
{
    u32 first = u->turn;
    u64 left = u->p.width;
    memory_take_range(u, first, u->w.users.count, now, &left);
    memory_take_range(u, 0, first, now, &left);
}

static void memory_answer(struct memory *u, cycle now)
{
    for (u64 given = 0; given < u->p.width && u->head != u->tail; given++) {
        const struct slot *oldest = &u->answers[u->head % u->p.depth];
        struct link *out = u->w.users.at[u->askers[u->head % u->p.depth]].out;
        if (oldest->at > now || !link_can_push(out))
            return;
        *link_push(out) = oldest->message;
        u->head++;
        unit_release(&u->base, 1);
        unit_progress(&u->base);
    }
}

/* Whether a user's request has arrived and can be taken in the next cycle. */
static bool memory_wanted(const struct memory *u)
{
    if (u->tail - u->head == u->p.depth)
        return false;
    const struct ports *users = &u->w.users;
    for (u32 i = ports_pending(users, 0); i != NOBODY; i = ports_pending(users, i + 1))
        if (link_peek(users->at[i].in))
            return true;
    return false;
}

static cycle memory_tick(struct unit *unit, cycle now)
{
    struct memory *u = (struct memory *)unit;
    memory_answer(u, now);
    memory_take(u, now);
    if (memory_wanted(u))
        return now + 1;
    if (u->head == u->tail)
        return NEVER;
    const struct slot *oldest = &u->answers[u->head % u->p.depth];
    if (oldest->at > now)
        return oldest->at;
    return link_can_push(u->w.users.at[u->askers[u->head % u->p.depth]].out) ? now + 1 : NEVER;
}

static const struct resource_row memory_resource_rows[] = {
    { .name = "bandwidth",
      .kind = RESOURCE_WORK,
      .capacity = "width",
      .used = "reads + writes + atomics",
      .held = "reads * latency" },
    { 0 },
};

static u32 memory_served(const struct unit *unit, u64 *executed)
{
    const struct reservations *reservations = &((const struct memory *)unit)->store.reservations;
    *executed = reservations->executed;
    return reservations->source;
}

UNIT_TYPE(memory, MEMORY, "fixed-latency memory", .init = memory_init, .tick = memory_tick,
          .stored = memory_stored, .mark = memory_mark, .holds = memory_holds, UNIT_ENERGY(MEMORY),
          .resources = memory_resource_rows, .scales = "width depth", .served = memory_served)
