/* scratchpad.c - memory that the cores of one SM share, in banks.
 *
 * Words of `word` bytes are dealt out to the banks in turn. A bank executes one request per cycle;
 * a request of several words needs all their banks at once. Requests for the same bank wait for
 * each other, users in turn. Where another unit gives the banks to one warp's access at a time
 * (`granted`), all requests that have arrived execute. Answers come `latency` cycles after
 * execution. Always true: requests in = answers out + requests inside. */
#include <string.h>

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/unit.h"
#include "unit/parts/array.h"
#include "unit/parts/atomic.h"
#include "unit/parts/published.h"

#define SCRATCHPAD_PARAMS(P)                                           \
    P(bytes, size, 64 * KiB, 64, 16 * MiB, "capacity")                 \
    P(number, banks, 32, 1, 64, "banks")                               \
    P(bytes, word, 4, 4, 32, "bytes of one bank's word")               \
    P(cycles, latency, 20, 1, 1000, "cycles from execution to answer") \
    P(flag, granted, 0, 0, 1,                                          \
      "a unit `lsu` sees to conflicts: no request waits for a bank, none for another of its user")

/* Requests of one user that may come in a cycle, where the banks are granted: a warp's. */
#define SCRATCHPAD_BURST 64

#define SCRATCHPAD_STATS(S)                                                                 \
    S(reads, "requests", SUM, WORK, "loads executed")                                       \
    S(writes, "requests", SUM, WORK, "stores executed")                                     \
    S(atomics, "requests", SUM, WORK, "atomic operations executed")                         \
    S(conflicts, "requests", SUM, WORK, "request-cycles waited because the bank was taken") \
    S(faults, "requests", SUM, WORK, "requests beyond the end")

#define SCRATCHPAD_RATIOS(R)

#define SCRATCHPAD_ENERGY(E)                                                        \
    E(read, reads, PJ_BANKED_WORD, "a word from 4 KiB in 32 banks; SimTRaX, 65 nm") \
    E(write, writes, PJ_BANKED_WORD, "as reads")                                    \
    E(atomic, atomics, 2 * PJ_BANKED_WORD + PJ_INT_ADD, "a read, an integer addition, a write")

#define SCRATCHPAD_PORTS(T) T(users, SERVES, SOME, "cores")

struct scratchpad_item {
    cycle at;
    u32 user;
    struct message message;
};

struct scratchpad {
    struct unit base;
    UNIT_FIELDS(SCRATCHPAD)
    u8 *data;
    struct reservations reservations;
    struct scratchpad_item *inside; /* ring */
    u64 head, tail, depth;
    u32 turn;
};

static bool scratchpad_init(struct unit *unit, struct ogv_error *error)
{
    struct scratchpad *u = (struct scratchpad *)unit;
    u64 users = u->p.granted ? u->w.users.count * SCRATCHPAD_BURST : u->p.banks;
    u->depth = users * (u->p.latency + 1);
    u->data = unit_alloc(unit, u->p.size, 1, error);
    u->inside = u->data ? unit_alloc(unit, u->depth, sizeof *u->inside, error) : NULL;
    return u->inside;
}

static void scratchpad_execute(struct scratchpad *u, struct message *request)
{
    u64 address = request->address;
    u32 kind = request->kind & MEMORY_KIND;
    bool fits = address < u->p.size && request->size_bytes <= u->p.size - address &&
                request->size_bytes <= MESSAGE_DATA_BYTES &&
                (kind != MEMORY_AMO || atomic_fits(request));
    if (!fits) {
        request->kind = MEMORY_FAULT;
        u->s.faults++;
    } else if (kind == MEMORY_AMO) {
        atomic_execute(&u->base, &u->reservations, request, u->data + address);
        u->s.atomics++;
    } else if (kind == MEMORY_WRITE) {
        for (u32 i = 0; i < request->size_bytes; i++)
            if (request->mask >> i & 1)
                u->data[address + i] = request->data.byte[i];
        atomic_written(&u->reservations, address);
        u->s.writes++;
    } else if (kind == MEMORY_READ) {
        memcpy(request->data.byte, u->data + address, request->size_bytes);
        u->s.reads++;
    }
}

static void scratchpad_answer(struct scratchpad *u, cycle now)
{
    while (u->head != u->tail) {
        const struct scratchpad_item *oldest = &u->inside[u->head % u->depth];
        struct link *out = u->w.users.at[oldest->user].out;
        if (oldest->at > now || !link_can_push(out))
            return;
        *link_push(out) = oldest->message;
        u->head++;
        unit_release(&u->base, 1);
    }
}

/* The banks that a request needs. */
static u64 scratchpad_banks(const struct scratchpad *u, const struct message *message)
{
    u64 first = message->address / u->p.word, bytes = message->size_bytes ? message->size_bytes : 1;
    u64 words = (message->address % u->p.word + bytes - 1) / u->p.word + 1, banks = 0;
    for (u64 i = 0; i < words && i < u->p.banks; i++)
        banks |= UINT64_C(1) << ((first + i) % u->p.banks);
    return banks;
}

static void scratchpad_begin(struct scratchpad *u, u32 user, cycle now)
{
    struct link *in = u->w.users.at[user].in;
    struct scratchpad_item *item = &u->inside[u->tail++ % u->depth];
    *item = (struct scratchpad_item){ now + u->p.latency, user, *link_peek(in) };
    scratchpad_execute(u, &item->message);
    link_pop(in);
    unit_hold(&u->base, 1);
}

/* Users in [from, to); `taken` has a bit for each bank that works already. True if one must wait.
 */
static bool scratchpad_take(struct scratchpad *u, u32 from, u32 to, u64 *taken, cycle now)
{
    const struct ports *users = &u->w.users;
    bool left = false;
    for (u32 i = ports_pending(users, from); i < to; i = ports_pending(users, i + 1)) {
        const struct message *message = link_peek(users->at[i].in);
        if (!message)
            continue;
        u64 banks = scratchpad_banks(u, message);
        if (*taken & banks || u->tail - u->head == u->depth) {
            u->s.conflicts += (*taken & banks) != 0;
            left = true;
            continue;
        }
        if (!*taken)
            u->turn = i + 1; /* whoever goes first now is the last next time */
        *taken |= banks;
        scratchpad_begin(u, i, now);
    }
    return left;
}

/* All that have arrived. True if there was no room for one. */
static bool scratchpad_take_all(struct scratchpad *u, u32 first, cycle now)
{
    const struct ports *users = &u->w.users;
    for (u32 n = 0; n < users->count; n++) {
        u32 i = (first + n) % users->count;
        for (; link_peek(users->at[i].in); scratchpad_begin(u, i, now)) {
            if (u->tail - u->head == u->depth) {
                u->turn = i;
                return true;
            }
        }
    }
    return false;
}

static cycle scratchpad_tick(struct unit *unit, cycle now)
{
    struct scratchpad *u = (struct scratchpad *)unit;
    u64 taken = 0;
    scratchpad_answer(u, now);
    u32 first = u->turn % u->w.users.count;
    bool left = u->p.granted ? scratchpad_take_all(u, first, now)
                             : scratchpad_take(u, first, u->w.users.count, &taken, now);
    if (!u->p.granted)
        left = scratchpad_take(u, 0, first, &taken, now) || left;
    cycle next = left ? now + 1 : NEVER;
    if (u->head == u->tail)
        return next;
    const struct scratchpad_item *oldest = &u->inside[u->head % u->depth];
    return oldest->at > now ? min_u64(next, oldest->at) : next;
}

static void scratchpad_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct scratchpad *u = (const struct scratchpad *)unit;
    costs->area = array_area_mm2(u->p.size);
    costs->leakage = MW_PER_KIB * (double)u->p.size / (double)KiB;
}

static const struct resource_row scratchpad_resource_rows[] = {
    { .name = "banks",
      .kind = RESOURCE_WORK,
      .capacity = "banks",
      .used = "reads + writes + atomics",
      .held = "users_room + users_answer" },
    { 0 },
};

static u8 *scratchpad_local(struct unit *unit, u64 address, u64 *length)
{
    struct scratchpad *u = (struct scratchpad *)unit;
    if (address >= u->p.size)
        return NULL;
    *length = u->p.size - address;
    return u->data + address;
}

static u32 scratchpad_served(const struct unit *unit, u64 *executed)
{
    const struct reservations *reservations = &((const struct scratchpad *)unit)->reservations;
    *executed = reservations->executed;
    return reservations->source;
}

UNIT_TYPE(scratchpad, SCRATCHPAD, "shared memory in banks", .init = scratchpad_init,
          .tick = scratchpad_tick, .local = scratchpad_local, UNIT_ENERGY(SCRATCHPAD),
          .costs = scratchpad_costs, .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
          .area_help = "by size, as a cache", .resources = scratchpad_resource_rows,
          .served = scratchpad_served)
