/* lsu.c - load/store unit of an SM: gives the L1, the scratchpad and the cache of constants to one
 * access of a warp each at a time.
 *
 * A sub-core asks with one message for a whole access and sends its requests to the structure
 * itself once it is granted; so this unit keeps time only, and what it guards should be wide enough
 * not to be a limit of its own. An access has its structure for as many cycles as the data need
 * passes through the banks, the tags need look-ups, or its sectors need turns, but no less than
 * `interval`. Sub-cores take turns at each structure.
 *
 * What stores and atomics send below has one way out of the SM. It takes longer than the L1, which
 * others use meanwhile: a write is granted the L1 while no more than `write_queue` cycles of that
 * way are taken by those before it. The sub-cores whose writes wait for it take turns as well.
 *
 * Always true: accesses asked for = accesses granted + accesses that wait; a structure is never
 * granted twice within the cycles that an access has it; the way below is taken for exactly
 * `busy_below` cycles by all that was granted. */
#include "unit/lsu.h"

#include "ogive/explain.h"
#include "ogive/messages.h"
#include "ogive/unit.h"

#define LSU_LATCHES(C, with) C(structure, with) C(user, with) C(sm, with)

#define LSU_PARAMS(P)                                                                             \
    P(choice, latch, "structure", UNIT_CHOICES(LSU_LATCHES), 0,                                   \
      "where accesses wait: at each structure, where they pass those that wait for another; one " \
      "behind the other, for each sub-core; one at a time is under way in the whole SM")          \
    P(number, depth, 4, 1, 64, "accesses of one sub-core that wait, at each place")               \
    P(cycles, interval, 1, 1, 64, "cycles from one access to the L1 to the next, at least")       \
    P(cycles, scratch_interval, 1, 1, 64, "the same for the scratchpad")                          \
    P(cycles, constant_interval, 1, 1, 64, "the same for constants")                              \
    P(flag, conflicts, 1, 0, 1, "an access to the L1 takes a cycle for each pass over its banks") \
    P(number, lookups, 4, 0, 64,                                                                  \
      "lines that the L1 looks up per cycle; 4: an H200's five lines take two cycles; 0: all")    \
    P(flag, scratch_greedy, 0, 0, 1,                                                              \
      "a sub-core keeps its turn at the scratchpad while it has accesses that wait")              \
    P(number, sectors, 0, 0, 64, "sectors that go to the L1 per cycle; 0: as many as there are")  \
    P(cycles, write_sector, 0, 0, 64,                                                             \
      "cycles of the way below for each sector of a store or atomic (H200: 1); 0: takes no time") \
    P(cycles, write_head, 0, 0, 64,                                                               \
      "further cycles for each line of them, unless whole sectors are stored (H200: 1)")          \
    P(cycles, write_queue, 64, 0, 65536, "cycles of that way for which others may wait (assumed)")

#define LSU_STATS(S)                                                                          \
    S##_ARRAY(accesses, LSU_ACCESSES) S##_ARRAY(busy, LSU_BUSY) S##_ARRAY(waited, LSU_WAITED) \
        S(conflicts, "cycles", SUM, WORK, "passes over banks beyond the first of an access")  \
            S(lookups, "cycles", SUM, WORK, "further cycles of the L1 for looking up lines")  \
                S(busy_below, "cycles", SUM, WORK, "cycles of the way below that writes took")

#define LSU_ACCESSES(S)                                                  \
    S(accesses_l1, "accesses", SUM, WORK, "accesses of warps to the L1") \
    S(accesses_scratch, "accesses", SUM, WORK, "to the scratchpad")      \
    S(accesses_constant, "accesses", SUM, WORK, "to constants")
#define LSU_BUSY(S)                                                                  \
    S(busy_l1, "cycles", SUM, WORK, "cycles in which the L1 was given to an access") \
    S(busy_scratch, "cycles", SUM, WORK, "the same for the scratchpad")              \
    S(busy_constant, "cycles", SUM, WORK, "the same for constants")
#define LSU_WAITED(S)                                                                 \
    S(waited_l1, "cycles", SUM, WORK, "access-cycles waited for the L1")              \
    S(waited_scratch, "cycles", SUM, WORK, "access-cycles waited for the scratchpad") \
    S(waited_constant, "cycles", SUM, WORK, "access-cycles waited for constants")

#define LSU_RATIOS(R)                                                                \
    R(passes_l1, busy_l1, accesses_l1, "cycles", "cycles that an access has the L1") \
    R(passes_scratch, busy_scratch, accesses_scratch, "cycles",                      \
      "cycles that an access has the scratchpad")

#define LSU_ENERGY(E) \
    E(access, accesses_l1, 0.0, "what an access moves is charged to the L1 and the scratchpad")

#define LSU_PORTS(T) T(users, SERVES, SOME, "sub-cores")

enum lsu_latch { LSU_LATCHES(UNIT_CHOICE_VALUE, LATCH_) };

struct lsu_access {
    cycle at; /* when it came */
    struct message message;
};

/* Where accesses of one sub-core wait, in order. */
struct lsu_line {
    u32 first, count;
    struct lsu_access *accesses; /* [depth], a ring */
};

struct lsu {
    struct unit base;
    UNIT_FIELDS(LSU)
    struct lsu_line *lines; /* [user][structure]; only the first of each user if they keep order */
    cycle free[LSU_STRUCTURES]; /* when it can be granted again */
    u32 turn[LSU_STRUCTURES];
    cycle below;    /* when the way below has sent all that was granted */
    u32 write_turn; /* the sub-core from which on the next write is granted */
    u32 waiting;
};

static bool lsu_init(struct unit *unit, struct ogv_error *error)
{
    struct lsu *u = (struct lsu *)unit;
    u64 lines = (u64)u->w.users.count * LSU_STRUCTURES;
    u->lines = unit_alloc(unit, lines, sizeof *u->lines, error);
    for (u64 i = 0; u->lines && i < lines; i++) {
        u->lines[i].accesses = unit_alloc(unit, u->p.depth, sizeof(struct lsu_access), error);
        if (!u->lines[i].accesses)
            return false;
    }
    return u->lines;
}

/* ---- Waiting ---- */

static struct lsu_line *line_of(const struct lsu *u, u32 user, u64 structure)
{
    return &u->lines[user * LSU_STRUCTURES + (u->p.latch == LATCH_structure ? structure : 0)];
}

static void lsu_take(struct lsu *u, u32 user, cycle now)
{
    struct link *in = u->w.users.at[user].in;
    for (const struct message *ask; (ask = link_peek(in)); link_pop(in)) {
        struct lsu_line *line = line_of(u, user, ask->address);
        if (line->count == u->p.depth)
            return;
        u64 last = (line->first + line->count++) % u->p.depth;
        line->accesses[last] = (struct lsu_access){ now, *ask };
        u->waiting++;
        unit_hold(&u->base, 1);
    }
}

static void lsu_receive(struct lsu *u, cycle now)
{
    const struct ports *users = &u->w.users;
    for (u32 i = ports_pending(users, 0); i != NOBODY; i = ports_pending(users, i + 1))
        lsu_take(u, i, now);
}

/* ---- The way below ---- */

/* For how many cycles an access takes the way below. */
static u64 below_time(const struct lsu *u, const struct message *ask)
{
    return ask->data.word[LSU_WRITES] * u->p.write_sector +
           ask->data.word[LSU_HEADS] * u->p.write_head;
}

static bool below_has_room(const struct lsu *u, cycle now)
{
    return u->below <= now + u->p.write_queue;
}

static void below_take(struct lsu *u, u32 user, const struct message *ask, cycle now)
{
    u64 time = below_time(u, ask);
    if (!time)
        return;
    u->below = max_u64(u->below, now) + time;
    u->write_turn = (user + 1) % u->w.users.count;
    u->s.busy_below += time;
}

/* ---- Granting ---- */

static u64 parts(u64 whole, u64 each)
{
    return each ? (whole + each - 1) / each : 1;
}

/* For how many cycles the access uses the structure. */
static u64 lsu_passes(struct lsu *u, const struct message *ask)
{
    bool l1 = ask->address == LSU_L1;
    u64 banks = l1 && !u->p.conflicts ? 1 : ask->data.word[LSU_CONFLICTS];
    u->s.conflicts += banks - 1;
    if (!l1)
        return banks;
    u64 tags = parts(ask->data.word[LSU_LINES], u->p.lookups);
    u64 passes = max_u64(max_u64(banks, tags), parts(ask->data.word[LSU_SECTORS], u->p.sectors));
    u->s.lookups += tags > banks ? tags - banks : 0;
    return passes;
}

/* Returns for how many cycles the structure is taken. */
static u64 lsu_grant(struct lsu *u, u32 user, u32 structure, cycle now)
{
    struct lsu_line *line = line_of(u, user, structure);
    struct lsu_access *access = &line->accesses[line->first];
    const u64 intervals[] = { u->p.interval, u->p.scratch_interval, u->p.constant_interval };
    u64 passes = lsu_passes(u, &access->message);
    u64 span = max_u64(passes, intervals[structure]);
    access->message.data.word[LSU_PASSES] = (u32)passes;
    *link_push(u->w.users.at[user].out) = access->message;
    below_take(u, user, &access->message, now);
    u->s.accesses[structure]++;
    u->s.busy[structure] += span;
    u->s.waited[structure] += now - access->at;
    line->first = (u32)((line->first + 1) % u->p.depth);
    line->count--;
    u->waiting--;
    unit_release(&u->base, 1);
    return span;
}

/* The access of a sub-core that is the next for a structure, or NULL. One latch in the SM is for
 * whatever comes next. */
static const struct lsu_access *lsu_next(const struct lsu *u, u32 user, u32 structure)
{
    const struct lsu_line *line = line_of(u, user, structure);
    const struct lsu_access *access = line->count ? &line->accesses[line->first] : NULL;
    if (!access || u->p.latch == LATCH_sm || access->message.address == structure)
        return access;
    return NULL;
}

/* The sub-core whose write goes below next, of those that have one first in line; NOBODY. */
static u32 lsu_writer(const struct lsu *u, u32 structure)
{
    u32 users = u->w.users.count;
    for (u32 i = 0; i < users; i++) {
        u32 user = (u->write_turn + i) % users;
        const struct lsu_access *access = lsu_next(u, user, structure);
        if (access && below_time(u, &access->message))
            return user;
    }
    return NOBODY;
}

/* Whether a sub-core's access can have its structure, apart from others that want it. */
static bool lsu_may_grant(const struct lsu *u, u32 user, const struct lsu_access *access,
                          u32 structure, cycle now)
{
    if (!link_can_push(u->w.users.at[user].out))
        return false;
    return !below_time(u, &access->message) ||
           (below_has_room(u, now) && lsu_writer(u, structure) == user);
}

static void lsu_serve(struct lsu *u, u32 structure, cycle now)
{
    u32 users = u->w.users.count;
    for (u32 i = 0; i < users && u->free[structure] <= now; i++) {
        u32 user = (u->turn[structure] + i) % users;
        const struct lsu_access *access = lsu_next(u, user, structure);
        if (!access || !lsu_may_grant(u, user, access, structure, now))
            continue;
        bool keeps = u->p.scratch_greedy && structure == LSU_SCRATCH;
        u->turn[structure] = keeps ? user : (user + 1) % users;
        u->free[structure] = now + lsu_grant(u, user, (u32)access->message.address, now);
    }
}

static cycle lsu_tick(struct unit *unit, cycle now)
{
    struct lsu *u = (struct lsu *)unit;
    u32 structures = u->p.latch == LATCH_sm ? 1 : LSU_STRUCTURES;
    cycle next = NEVER;
    lsu_receive(u, now);
    u32 waiting = u->waiting;
    for (u32 i = 0; i < structures && u->waiting; i++) {
        lsu_serve(u, i, now);
        next = u->free[i] > now ? min_u64(next, u->free[i]) : next;
    }
    if (u->waiting && !below_has_room(u, now))
        next = min_u64(next, u->below - u->p.write_queue);
    if (u->waiting < waiting) /* what was behind those that are gone can be looked at */
        return u->waiting || ports_any(&u->w.users) ? now + 1 : NEVER;
    return u->waiting ? next : NEVER;
}

static const struct resource_row lsu_resource_rows[] = {
    { .name = "L1",
      .kind = RESOURCE_WORK,
      .capacity = "1",
      .used = "busy_l1",
      .held = "users_room" },
    { .name = "scratchpad", .kind = RESOURCE_WORK, .capacity = "1", .used = "busy_scratch" },
    { .name = "constants", .kind = RESOURCE_WORK, .capacity = "1", .used = "busy_constant" },
    { .name = "way below", .kind = RESOURCE_WORK, .capacity = "1", .used = "busy_below" },
    { 0 },
};

UNIT_TYPE(lsu, LSU, "load/store unit of an SM: who has the L1, the scratchpad and constants",
          .init = lsu_init, .tick = lsu_tick, UNIT_ENERGY(LSU), .resources = lsu_resource_rows)
