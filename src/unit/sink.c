/* sink.c - takes messages and measures how old they are; may be slow on purpose.
 *
 * One message per cycle, from its links in turn; after each a pause of 0 to `pause` cycles, so that
 * links fill up behind it. Always true: latency >= received (a message is at least one cycle old).
 */
#include "ogive/random.h"
#include "ogive/unit.h"

#define SINK_PARAMS(P)                                                \
    P(cycles, pause, 0, 0, 1000000,                                   \
      "longest pause after a message; each is random from 0 to this") \
    P(number, seed, 1, 0, UINT64_MAX, "of the random numbers; each copy of a sink differs")

#define SINK_STATS(S)                                                                       \
    S(received, "messages", SUM, WORK, "messages taken")                                    \
    S(latency, "cycles", SUM, WORK, "chip cycles from birth to arrival, over all messages") \
    S(latency_max, "cycles", MAX, FIXED, "the longest of these")                            \
    S(checksum, "hash", SUM, FIXED, "over the messages in order, so that a swapped pair shows")

#define SINK_RATIOS(R) R(latency_mean, latency, received, "cycles", "average age of a message")

#define SINK_PORTS(T)  T(in, RECEIVES, SOME, "where messages come from")

struct sink {
    struct unit base;
    UNIT_FIELDS(SINK)
    u64 random;
    cycle ready; /* end of the pause */
    u32 turn;
};

static bool sink_init(struct unit *unit, struct ogv_error *error)
{
    struct sink *u = (struct sink *)unit;
    (void)error;
    u->random = u->p.seed * UINT64_C(0xd1342543de82ef95) + unit->ordinal;
    return true;
}

static struct link *sink_pick(struct sink *u)
{
    u32 way = ports_arrived(&u->w.in, u->turn);
    if (way == NOBODY)
        way = ports_arrived(&u->w.in, 0);
    if (way == NOBODY)
        return NULL;
    u->turn = way + 1;
    return u->w.in.at[way].in;
}

static void sink_take(struct sink *u, struct link *link)
{
    const struct message *message = link_peek(link);
    cycle age = u->base.domain->now - message->data.dword[0];
    u->s.received++;
    u->s.latency += age;
    u->s.latency_max = max_u64(u->s.latency_max, age);
    u->s.checksum = (u->s.checksum ^ message->tag ^ message->address) * UINT64_C(0x100000001b3);
    link_pop(link);
    unit_progress(&u->base);
}

static cycle sink_tick(struct unit *unit, cycle now)
{
    struct sink *u = (struct sink *)unit;
    if (now < u->ready)
        return u->ready;
    struct link *link = sink_pick(u);
    if (!link)
        return NEVER;
    sink_take(u, link);
    u->ready = now + 1 + random_below(&u->random, u->p.pause + 1);
    return u->ready;
}

UNIT_TYPE(sink, SINK, "traffic sink", .init = sink_init, .tick = sink_tick)
