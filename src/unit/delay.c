/* delay.c - a pipe: what goes in comes out the same, `latency` cycles later, in order, one per
 * cycle.
 *
 * A message taken at cycle t is sent on at t + latency or, if the link ahead is full then, as soon
 * as it is not. Up to `depth` messages are inside. Always true: messages in = messages out +
 * messages inside. */
#include "ogive/explain.h"
#include "ogive/unit.h"

#define DELAY_PARAMS(P)                                                                 \
    P(cycles, latency, 10, 1, 1000000, "cycles from taking a message to sending it on") \
    P(number, depth, 16, 1, 65536, "messages that may be inside at once")

#define DELAY_STATS(S)                                   \
    S(passed, "messages", SUM, WORK, "messages sent on") \
    S(full, "events", SUM, WORK, "times that the pipe was full after taking a message")

#define DELAY_RATIOS(R)

#define DELAY_ENERGY(E) E(message, passed, COST_UNKNOWN, "no number is published")

#define DELAY_PORTS(T)                               \
    T(in, RECEIVES, ONE, "where messages come from") \
    T(out, SENDS, ONE, "where they go")

struct delay {
    struct unit base;
    UNIT_FIELDS(DELAY)
    struct slot *pipe; /* ring; `at` is when a message may leave */
    u64 head, tail;
};

static bool delay_init(struct unit *unit, struct ogv_error *error)
{
    struct delay *u = (struct delay *)unit;
    u->pipe = unit_alloc(unit, u->p.depth, sizeof *u->pipe, error);
    return u->pipe;
}

static void delay_send(struct delay *u, cycle now)
{
    struct link *out = u->w.out.at[0].out;
    const struct slot *oldest = &u->pipe[u->head % u->p.depth];
    if (u->head == u->tail || oldest->at > now || !link_can_push(out))
        return;
    *link_push(out) = oldest->message;
    u->head++;
    u->s.passed++;
    unit_release(&u->base, 1);
}

static void delay_take(struct delay *u, cycle now)
{
    struct link *in = u->w.in.at[0].in;
    const struct message *message = link_peek(in);
    if (!message || u->tail - u->head == u->p.depth)
        return;
    u->pipe[u->tail++ % u->p.depth] = (struct slot){ now + u->p.latency, *message };
    u->s.full += u->tail - u->head == u->p.depth;
    link_pop(in);
    unit_hold(&u->base, 1);
}

static cycle delay_tick(struct unit *unit, cycle now)
{
    struct delay *u = (struct delay *)unit;
    delay_send(u, now);
    delay_take(u, now);
    if (u->head == u->tail)
        return NEVER;
    cycle leaves = u->pipe[u->head % u->p.depth].at;
    if (leaves > now)
        return leaves;
    return link_can_push(u->w.out.at[0].out) ? now + 1 : NEVER;
}

static const struct resource_row delay_resource_rows[] = {
    { .name = "pipe", .kind = RESOURCE_WORK, .capacity = "1", .used = "passed" },
    { 0 },
};

UNIT_TYPE(delay, DELAY, "fixed delay", .init = delay_init, .tick = delay_tick, UNIT_ENERGY(DELAY),
          .resources = delay_resource_rows)
