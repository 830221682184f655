/* barrier.c - lets threads go on when all of them have come.
 *
 * Each request is one arrival. When `arrivals` of them are here, the unit tells the `next` barrier
 * if it has one and waits for its answer; then all are answered as fast as their links take it.
 * Where more users ask than make a round, they take turns.
 * Always true: a request of one round is answered before any of the next round. */
#include "ogive/unit.h"
#include "unit/standard.h"

#define BARRIER_PARAMS(P) P(number, arrivals, 1, 1, 1048576, "requests that make a round complete")

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
    u64 here, released;
    cycle first; /* arrival of the round */
    u32 turn;    /* the user behind the last one of the round before */
    enum barrier_phase phase;
};

static bool barrier_init(struct unit *unit, struct ogv_error *error)
{
    struct barrier *u = (struct barrier *)unit;
    u->guests = unit_alloc(unit, u->p.arrivals, sizeof *u->guests, error);
    return u->guests;
}

/* Users in [from, to), in order. */
static void barrier_gather_range(struct barrier *u, u32 from, u32 to, cycle now)
{
    const struct ports *users = &u->w.users;
    for (u32 i = ports_pending(users, from); i < to && u->here < u->p.arrivals;
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
    if (u->here < u->p.arrivals)
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

UNIT_TYPE(barrier, BARRIER, "barrier", .init = barrier_init, .tick = barrier_tick,
          UNIT_ENERGY(BARRIER))
