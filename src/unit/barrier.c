/* barrier.c - lets threads go on when all of them have come.
 *
 * Each request is one arrival. When all that make a round are here, the unit tells the `next`
 * barrier if it has one and waits for its answer; then all are answered as fast as their links take
 * it. How many make a round follows from who is linked here, unless `arrivals` says it; where more
 * users ask than make a round, they take turns.
 * Always true: a request of one round is answered before any of the next round. */
#include <stdlib.h>

#include "base/text.h"
#include "ogive/explain.h"
#include "ogive/unit.h"
#include "unit/registry.h"
#include "unit/shipped_customs.h"

#define ARRIVALS_MAX 1048576
#define NAMED_MAX    4 /* of those that have not come, in a report */

#define BARRIER_PARAMS(P)                   \
    P(number, arrivals, 0, 0, ARRIVALS_MAX, \
      "requests that make a round complete (0: one of each thread of the units linked here)")

#define BARRIER_STATS(S)                                      \
    S(rounds, "rounds", SUM, WORK, "times that all had come") \
    S(waited, "cycles", SUM, WORK, "cycles from a round's first arrival to its last")

#define BARRIER_RATIOS(R)

#define BARRIER_ENERGY(E) E(round, rounds, COST_UNKNOWN, "no number is published")

#define BARRIER_PORTS(T)                     \
    T(users, SERVES, SOME, "who waits here") \
    T(next, ASKS, MAYBE, "barrier of several barriers")

struct barrier_guest {
    struct message message;
    u32 user;
};

enum barrier_phase { GATHERING, ASKING, WAITING, RELEASING };

struct barrier {
    struct unit base;
    UNIT_FIELDS(BARRIER)
    struct barrier_guest *guests;
    u64 complete; /* requests that make a round */
    u64 here, released;
    cycle first; /* arrival of the round */
    u32 turn;    /* the user behind the last one of the round before */
    enum barrier_phase phase;
};

/* ---- Who comes ---- */

/* To the next one, a barrier is one that waits. */
static u64 barrier_harts(const struct unit *unit)
{
    (void)unit;
    return 1;
}

static const struct unit *barrier_user(const struct barrier *u, u32 user)
{
    return u->w.users.at[user].in->writer;
}

static bool barrier_count(struct barrier *u, struct ogv_error *error)
{
    u->complete = u->p.arrivals;
    if (u->complete)
        return true;
    for (u32 i = 0; i < u->w.users.count; i++) {
        u64 harts = registry_harts(barrier_user(u, i));
        if (!harts)
            return unit_refuse(error, "how many come through '%s' cannot be said; set `arrivals`",
                               ports_peer(&u->w.users, i));
        u->complete += harts;
    }
    return u->complete <= ARRIVALS_MAX ||
           unit_refuse(error, "%llu threads come here; at most %d are possible",
                       (unsigned long long)u->complete, ARRIVALS_MAX);
}

static bool barrier_init(struct unit *unit, struct ogv_error *error)
{
    struct barrier *u = (struct barrier *)unit;
    if (!barrier_count(u, error))
        return false;
    u->guests = unit_alloc(unit, u->complete, sizeof *u->guests, error);
    return u->guests;
}

/* ---- Rounds ---- */

/* Users in [from, to), in order. */
static void barrier_gather_range(struct barrier *u, u32 from, u32 to, cycle now)
{
    const struct ports *users = &u->w.users;
    for (u32 i = ports_pending(users, from); i < to && u->here < u->complete;
         i = ports_pending(users, i + 1)) {
        const struct message *message = link_peek(users->at[i].in);
        if (!message)
            continue;
        if (!u->here)
            u->first = now;
        u->guests[u->here++] = (struct barrier_guest){ *message, i };
        u->turn = i + 1;
        link_pop(users->at[i].in);
        unit_hold(&u->base, 1);
    }
}

static void barrier_gather(struct barrier *u, cycle now)
{
    u32 turn = u->turn;
    barrier_gather_range(u, turn, u->w.users.count, now);
    barrier_gather_range(u, 0, turn, now);
    if (u->here < u->complete)
        return;
    u->s.rounds++;
    u->s.waited += now - u->first;
    u->phase = u->w.next.count ? ASKING : RELEASING;
}

static void barrier_ask(struct barrier *u)
{
    struct link *out = u->w.next.at[0].out;
    if (!link_can_push(out))
        return;
    struct message *request = link_push(out);
    request->kind = MESSAGE_BARRIER;
    request->size_bytes = 0;
    request->tag = 0;
    u->phase = WAITING;
}

static void barrier_wait(struct barrier *u)
{
    struct link *in = u->w.next.at[0].in;
    if (!link_peek(in))
        return;
    link_pop(in);
    u->phase = RELEASING;
}

static void barrier_release(struct barrier *u)
{
    while (u->released < u->here) {
        const struct barrier_guest *guest = &u->guests[u->released];
        struct link *out = u->w.users.at[guest->user].out;
        if (!link_can_push(out))
            return;
        *link_push(out) = guest->message;
        u->released++;
        unit_release(&u->base, 1);
    }
    u->here = u->released = 0;
    u->phase = GATHERING;
}

static cycle barrier_tick(struct unit *unit, cycle now)
{
    struct barrier *u = (struct barrier *)unit;
    if (u->phase == WAITING)
        barrier_wait(u);
    if (u->phase == RELEASING)
        barrier_release(u);
    if (u->phase == GATHERING)
        barrier_gather(u, now);
    if (u->phase == ASKING)
        barrier_ask(u);
    return u->phase == RELEASING && !u->released ? now + 1 : NEVER;
}

/* ---- When nothing moves any more ---- */

/* "waits for sm[2].core[0] (1 of 2), sm[2].core[1] and 3 more" */
static void barrier_name_missing(const struct barrier *u, struct unit_words *words)
{
    u32 missing = 0;
    u64 *here = heap_array(u->w.users.count, sizeof *here);
    for (u64 i = 0; i < u->here; i++)
        here[u->guests[i].user]++;
    for (u32 i = 0; i < u->w.users.count; i++) {
        u64 harts = max_u64(registry_harts(barrier_user(u, i)), 1);
        if (here[i] >= harts || ++missing > NAMED_MAX)
            continue;
        unit_say(words, missing == 1 ? "; waits for " : ", ");
        unit_say_path(words, barrier_user(u, i));
        if (here[i])
            unit_say(words, " (%llu of %llu)", (unsigned long long)here[i],
                     (unsigned long long)harts);
    }
    free(here);
    if (missing > NAMED_MAX)
        unit_say(words, " and %u more", missing - NAMED_MAX);
    if (!missing)
        unit_say(words, "; that is everybody who is linked here: `arrivals` is too large");
}

static void barrier_waits(const struct unit *unit, struct unit_words *words)
{
    const struct barrier *u = (const struct barrier *)unit;
    if (u->phase != GATHERING || !u->here)
        return;
    unit_say(words, "%llu of %llu have come", (unsigned long long)u->here,
             (unsigned long long)u->complete);
    barrier_name_missing(u, words);
}

static const struct resource_row barrier_resource_rows[] = {
    { .name = "answers", .kind = RESOURCE_DELAY, .held = "users_room + users_answer" },
    { 0 },
};

UNIT_TYPE(barrier, BARRIER, "barrier", .init = barrier_init, .tick = barrier_tick,
          .harts = barrier_harts, .waits = barrier_waits, UNIT_ENERGY(BARRIER),
          .resources = barrier_resource_rows, .scales = "arrivals")
