/* blocks.c - the block scheduler of an SM: gives thread blocks to warps, and is their barrier.
 *
 * Each warp asks for work (ogv_launch). When all have come, the grid begins: blocks come from the
 * `next` unit, as many as the SM has room for by registers, threads, blocks and shared memory, and
 * as there are warps that wait. A block begins `start` cycles after its number has come, at most
 * one per cycle. Its warps go to the users in turn, first to the one with most warps that wait:
 * where all wait, warp i to sub-core i mod 4. A warp that asks again has ended its part; when all
 * of a block's have, its place is free. When the next unit says that the grid is over, all warps
 * are told.
 *
 * Blocks of a grid are alike, so that the n-th place has the n-th part of the shared memory.
 *
 * At a block's barrier, threads are counted; `barrier` cycles and `barrier_warp` for each warp
 * after the last has come, all go on.
 *
 * Always true: a warp that has asked waits, or is one of a block; the blocks here, those that come
 * and those that are asked for never are more than there is room for. */
#include "ogive/explain.h"
#include "ogive/unit.h"
#include "unit/registry.h"
#include "unit/shipped_customs.h"

#define BLOCKS_MAX      256
#define REGISTERS_USUAL 32

/* CUDA's occupancy calculator: registers are given to a warp 256 at a time (8 to each of 32
 * threads); shared memory in units of 256 bytes, on Turing. */
#define REGISTERS_UNIT  8
#define SHARED_UNIT     256

#define BLOCKS_PARAMS(P)                                                                          \
    P(number, registers, 65536, 1, 16 * MiB, "registers of the SM, of 32 bits")                   \
    P(number, threads, 2048, 1, 65536, "threads that can be in blocks at once")                   \
    P(number, blocks, 32, 1, BLOCKS_MAX, "blocks at once")                                        \
    P(bytes, shared, 64 * KiB, 0, 16 * MiB, "memory for blocks to share")                         \
    P(cycles, start, 20, 0, 100000, "cycles from a block's number to its first thread; assumed")  \
    P(cycles, barrier, 0, 0, 10000, "cycles from the last thread's arrival at a block's barrier") \
    P(cycles, barrier_warp, 0, 0, 1000, "and for each warp of the block")

#define BLOCKS_STATS(S)                                                                         \
    S(started, "blocks", SUM, WORK, "blocks begun")                                             \
    S(resident, "cycles", SUM, WORK, "cycles of blocks from their first thread to their last")  \
    S(barriers, "rounds", SUM, WORK, "times that all threads of a block had come to a barrier") \
    S(waited, "cycles", SUM, WORK, "cycles from a barrier's first arrival to its last")         \
    S##_ARRAY(limited, BLOCKS_LIMITED)

/* What there is least of, in the order of enum blocks_limit. */
#define BLOCKS_LIMITED(S)                                                         \
    S(by_blocks, "grids", SUM, WORK, "grids of which no more blocks fit: blocks") \
    S(by_threads, "grids", SUM, WORK, "the same: threads")                        \
    S(by_registers, "grids", SUM, WORK, "the same: registers")                    \
    S(by_shared, "grids", SUM, WORK, "the same: shared memory")

enum blocks_limit { BY_BLOCKS, BY_THREADS, BY_REGISTERS, BY_SHARED, LIMITS };

#define BLOCKS_RATIOS(R) R(life, resident, started, "cycles", "from a block's start to its end")

#define BLOCKS_ENERGY(E) E(block, started, COST_UNKNOWN, "no number is published")

#define BLOCKS_PORTS(T)                 \
    T(users, SERVES, SOME, "sub-cores") \
    T(next, ASKS, ONE, "the chip's `grid`, where blocks come from")

/* A warp whose message is not answered yet. */
struct blocks_guest {
    struct message message;
    u32 user, place;
};

/* A block that runs. */
struct blocks_place {
    u64 block;
    cycle began;
    u64 warps;   /* that have begun */
    u64 left;    /* their threads that have not ended */
    u64 arrived; /* threads at its barrier */
    cycle first; /* when the first of them came */
    cycle opens; /* NEVER: not known */
    bool used;
};

/* A number that has come, and when it may begin. */
struct blocks_coming {
    u64 block;
    cycle at;
};

enum blocks_phase { GATHERING, RUNNING, LEAVING };

struct blocks {
    struct unit base;
    UNIT_FIELDS(BLOCKS)
    u64 harts; /* of all users */
    struct blocks_guest *waiting, *at_barrier, *leaving;
    u32 waiting_count, at_barrier_count, leaving_count;
    u32 *free; /* [user] warps that wait */
    struct blocks_place *places;
    struct blocks_coming *coming; /* ring */
    u64 coming_head, coming_count;
    u64 starting; /* the place whose warps begin, if one does */
    u32 turn;     /* user that its next warp goes to */
    bool begins;
    enum blocks_phase phase;
    u64 come; /* threads, while a grid has not begun */
    u64 grid; /* number of the grid */
    u64 verdict;

    /* Of the grid. */
    u64 blocks, threads, shared, width, warps;
    u64 room; /* places */
    u64 asked, here, ended_untold;
    u64 untold; /* warps that are to leave: the first that wait; others are at the next launch */
};

static bool blocks_init(struct unit *unit, struct ogv_error *error)
{
    struct blocks *u = (struct blocks *)unit;
    for (u32 i = 0; i < u->w.users.count; i++)
        u->harts += registry_harts(u->w.users.at[i].in->writer);
    if (!u->harts)
        return unit_refuse(error, "nobody who runs programs is linked here");
    return (u->waiting = unit_alloc(unit, u->harts, sizeof *u->waiting, error)) &&
           (u->at_barrier = unit_alloc(unit, u->harts, sizeof *u->at_barrier, error)) &&
           (u->leaving = unit_alloc(unit, u->harts, sizeof *u->leaving, error)) &&
           (u->free = unit_alloc(unit, u->w.users.count, sizeof *u->free, error)) &&
           (u->places = unit_alloc(unit, u->p.blocks, sizeof *u->places, error)) &&
           (u->coming = unit_alloc(unit, u->p.blocks, sizeof *u->coming, error));
}

/* ---- Answers ---- */

/* To a guest, which leaves its list in order; false: there is no room. */
static bool guest_answer(struct blocks *u, struct blocks_guest *list, u32 *count, u32 index,
                         u64 first, u64 second)
{
    struct link *out = u->w.users.at[list[index].user].out;
    if (!link_can_push(out))
        return false;
    struct message *answer = link_push(out);
    *answer = list[index].message;
    answer->data.dword[0] = first;
    answer->data.dword[1] = second;
    for (u32 i = index + 1; i < *count; i++)
        list[i - 1] = list[i];
    --*count;
    unit_release(&u->base, 1);
    return true;
}

static bool warp_answer(struct blocks *u, u32 index, u64 first, u64 second)
{
    u32 user = u->waiting[index].user;
    if (!guest_answer(u, u->waiting, &u->waiting_count, index, first, second))
        return false;
    u->free[user]--;
    return true;
}

/* ---- A grid begins and ends ---- */

static u64 units_of(u64 amount, u64 unit)
{
    return (amount + unit - 1) / unit;
}

/* How many blocks there is room for, and what there is least of. */
static u64 grid_room(const struct blocks *u, u64 registers, enum blocks_limit *least)
{
    u64 lanes = u->warps * u->width;
    u64 each = units_of(registers ? registers : REGISTERS_USUAL, REGISTERS_UNIT) * REGISTERS_UNIT;
    u64 room[LIMITS] = {
        [BY_BLOCKS] = u->p.blocks,
        [BY_THREADS] = min_u64(u->p.threads, u->harts) / lanes,
        [BY_REGISTERS] = u->p.registers / (each * lanes),
        [BY_SHARED] = u->shared ? u->p.shared / u->shared : u->p.blocks,
    };
    *least = BY_BLOCKS;
    for (u32 i = 1; i < LIMITS; i++)
        if (room[i] < room[*least])
            *least = i;
    return room[*least];
}

static void grid_over(struct blocks *u)
{
    u->phase = LEAVING;
    u->untold = u->waiting_count;
}

static void grid_begin(struct blocks *u)
{
    const struct message *message = &u->waiting[0].message;
    const u64 *data = message->data.dword;
    enum blocks_limit least;
    u->blocks = (u32)data[0];
    u->threads = max_u64(data[0] >> 32 & 0xffff, 1);
    u->width = max_u64(message->mask, 1);
    u->warps = units_of(u->threads, u->width);
    u->shared = units_of((u32)data[1], SHARED_UNIT) * SHARED_UNIT;
    u->room = grid_room(u, data[0] >> 48, &least);
    u->s.limited[least]++;
    u->come = u->asked = u->here = 0;
    u->phase = RUNNING;
    u->verdict = BLOCKS_REFUSED;
    if (!u->room)
        grid_over(u);
}

static void grid_leave(struct blocks *u)
{
    while (u->untold && warp_answer(u, 0, u->verdict, 0))
        u->untold--;
    if (!u->untold)
        u->phase = GATHERING;
}

/* ---- Blocks come ---- */

static void next_send(struct blocks *u, u32 kind)
{
    struct message *message = link_push(u->w.next.at[0].out);
    *message = (struct message){ .kind = (u16)kind, .size_bytes = 16 };
    message->data.dword[0] = u->blocks;
    message->data.dword[1] = u->grid;
}

static bool blocks_can_ask(const struct blocks *u)
{
    u64 coming = u->asked + u->coming_count;
    u64 rest = u->begins ? u->warps - u->places[u->starting].warps : 0;
    return u->phase == RUNNING && u->verdict != BLOCKS_DONE && u->here + coming < u->room &&
           (coming + 1) * u->warps + rest <= u->waiting_count;
}

/* Tells of ended blocks before it asks for others. */
static void blocks_ask(struct blocks *u)
{
    struct link *out = u->w.next.at[0].out;
    for (; u->ended_untold && link_can_push(out); u->ended_untold--)
        next_send(u, MESSAGE_BLOCK_END);
    for (; blocks_can_ask(u) && link_can_push(out); u->asked++)
        next_send(u, MESSAGE_BLOCK_ASK);
}

static void blocks_receive(struct blocks *u, cycle now)
{
    struct link *in = u->w.next.at[0].in;
    for (const struct message *answer; (answer = link_peek(in)); link_pop(in)) {
        u64 block = answer->data.dword[0];
        u->asked--;
        if (block == BLOCKS_DONE) {
            u->verdict = BLOCKS_DONE;
            continue;
        }
        u64 at = (u->coming_head + u->coming_count++) % u->p.blocks;
        u->coming[at] = (struct blocks_coming){ block, now + u->p.start };
    }
    if (u->phase == RUNNING && u->verdict == BLOCKS_DONE && !u->asked) {
        grid_over(u);
        u->grid++;
    }
}

/* The user with most warps that wait. */
static u32 user_freest(const struct blocks *u)
{
    u32 best = 0;
    for (u32 i = 1; i < u->w.users.count; i++)
        if (u->free[i] > u->free[best])
            best = i;
    return best;
}

static u32 waiting_of(const struct blocks *u, u32 user)
{
    for (u32 i = 0; i < u->waiting_count; i++)
        if (u->waiting[i].user == user)
            return i;
    return NOBODY;
}

/* Goes on with the warps of the block that begins, as far as links have room. */
static void warps_begin(struct blocks *u)
{
    struct blocks_place *place = &u->places[u->starting];
    u64 shared = u->starting * u->shared;
    for (; place->warps < u->warps; place->warps++, u->turn = (u->turn + 1) % u->w.users.count) {
        while (!u->free[u->turn])
            u->turn = (u->turn + 1) % u->w.users.count;
        u32 guest = waiting_of(u, u->turn);
        u64 threads = max_u64(u->waiting[guest].message.mask, 1);
        if (!warp_answer(u, guest, place->block | (u->starting + 1) << 32,
                         place->warps * u->width | shared << 32))
            return;
        place->left += threads;
    }
    u->begins = false;
}

static void block_start(struct blocks *u, cycle now)
{
    struct blocks_coming *coming = &u->coming[u->coming_head];
    if (u->begins || !u->coming_count || coming->at > now)
        return;
    for (u->starting = 0; u->places[u->starting].used;)
        u->starting++;
    u->places[u->starting] =
        (struct blocks_place){ .used = true, .block = coming->block, .began = now, .opens = NEVER };
    u->coming_head = (u->coming_head + 1) % u->p.blocks;
    u->coming_count--;
    u->here++;
    u->s.started++;
    u->begins = true;
    u->turn = user_freest(u);
}

/* ---- Warps come ---- */

/* The threads of a warp have ended their part of a block. */
static void place_leave(struct blocks *u, u64 number, u64 threads, cycle now)
{
    struct blocks_place *place = &u->places[number];
    place->left -= min_u64(threads, place->left);
    if (place->left || (u->begins && u->starting == number))
        return;
    place->used = false;
    u->s.resident += now - place->began;
    u->here--;
    u->ended_untold++;
}

static void warp_asks(struct blocks *u, const struct blocks_guest *guest, cycle now)
{
    u64 threads = max_u64(guest->message.mask, 1);
    u->waiting[u->waiting_count++] = *guest;
    u->free[guest->user]++;
    if (guest->place < u->p.blocks && u->places[guest->place].used)
        place_leave(u, guest->place, threads, now);
    else if ((u->come += threads) == u->harts && u->phase == GATHERING)
        grid_begin(u);
}

static void warp_arrives(struct blocks *u, const struct blocks_guest *guest, cycle now)
{
    struct blocks_place *place = &u->places[guest->place];
    u->at_barrier[u->at_barrier_count++] = *guest;
    if (!place->arrived)
        place->first = now;
    place->arrived += max_u64(guest->message.mask, 1);
    if (place->arrived < u->threads)
        return;
    place->opens = now + u->p.barrier + u->warps * u->p.barrier_warp;
    u->s.barriers++;
    u->s.waited += now - place->first;
}

/* A program can send what ogv_launch does not: more messages than it has threads, or a barrier of
 * no block. Those are not answered. */
static bool guest_may_come(const struct blocks *u, const struct blocks_guest *guest, bool barrier)
{
    bool runs = guest->place < u->p.blocks && u->places[guest->place].used;
    return u->waiting_count + u->at_barrier_count + u->leaving_count < u->harts &&
           (runs || !barrier);
}

static void users_receive(struct blocks *u, cycle now)
{
    const struct ports *users = &u->w.users;
    for (u32 i = ports_arrived(users, 0); i != NOBODY; i = ports_arrived(users, i + 1)) {
        struct blocks_guest guest = { *link_peek(users->at[i].in), i, 0 };
        bool barrier = guest.message.kind == MESSAGE_BLOCK_BARRIER;
        guest.place = (u32)(guest.message.data.dword[barrier ? 0 : 1] >> 32) - 1;
        link_pop(users->at[i].in);
        if (!guest_may_come(u, &guest, barrier))
            continue;
        unit_hold(&u->base, 1);
        if (barrier)
            warp_arrives(u, &guest, now);
        else
            warp_asks(u, &guest, now);
    }
}

/* ---- Barriers ---- */

/* All that have come leave; until links have taken them, they stand in a list of their own. */
static void barrier_open(struct blocks *u, u32 number)
{
    struct blocks_place *place = &u->places[number];
    u32 stay = 0;
    for (u32 i = 0; i < u->at_barrier_count; i++) {
        struct blocks_guest *guest = &u->at_barrier[i];
        if (guest->place == number)
            u->leaving[u->leaving_count++] = *guest;
        else
            u->at_barrier[stay++] = *guest;
    }
    u->at_barrier_count = stay;
    place->arrived = 0;
    place->opens = NEVER;
}

static void barriers_open(struct blocks *u, cycle now)
{
    for (u32 i = 0; i < u->p.blocks && u->at_barrier_count; i++)
        if (u->places[i].used && u->places[i].opens <= now)
            barrier_open(u, i);
    for (u32 i = 0; i < u->leaving_count;)
        i += !guest_answer(u, u->leaving, &u->leaving_count, i, 0, 0);
}

static cycle barriers_next(const struct blocks *u)
{
    cycle next = NEVER;
    for (u32 i = 0; i < u->p.blocks && u->at_barrier_count; i++)
        if (u->places[i].used)
            next = min_u64(next, u->places[i].opens);
    return next;
}

/* ---- A cycle ---- */

static cycle blocks_tick(struct unit *unit, cycle now)
{
    struct blocks *u = (struct blocks *)unit;
    blocks_receive(u, now);
    users_receive(u, now);
    barriers_open(u, now);
    block_start(u, now);
    if (u->begins)
        warps_begin(u);
    blocks_ask(u);
    if (u->phase == LEAVING)
        grid_leave(u);
    cycle next = barriers_next(u);
    if (u->coming_count && !u->begins)
        next = min_u64(next, u->coming[u->coming_head].at);
    if (ports_arrived(&u->w.users, 0) != NOBODY)
        next = now;
    return max_u64(next, now + 1);
}

/* ---- When nothing moves any more ---- */

static void blocks_waits(const struct unit *unit, struct unit_words *words)
{
    const struct blocks *u = (const struct blocks *)unit;
    if (u->phase == GATHERING && u->come)
        unit_say(words, "%llu of %llu threads have come to a launch", (unsigned long long)u->come,
                 (unsigned long long)u->harts);
    for (u32 i = 0; u->phase == RUNNING && i < u->p.blocks; i++) {
        const struct blocks_place *place = &u->places[i];
        if (!place->used || !place->arrived)
            continue;
        unit_say(words, "%llu of the %llu threads of block %llu have come to its barrier",
                 (unsigned long long)place->arrived, (unsigned long long)u->threads,
                 (unsigned long long)place->block);
        return;
    }
}

static const struct resource_row blocks_resource_rows[] = {
    { .name = "answers", .kind = RESOURCE_DELAY, .held = "users_room + users_answer" },
    { 0 },
};

UNIT_TYPE(blocks, BLOCKS, "block scheduler of an SM", .init = blocks_init, .tick = blocks_tick,
          .waits = blocks_waits, UNIT_ENERGY(BLOCKS), .resources = blocks_resource_rows)
