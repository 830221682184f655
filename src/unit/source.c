/* source.c - a traffic source: sends numbered messages at random or regular times to random or
 * consecutive addresses.
 *
 * A message carries its number in `tag` (modulo 2^32) and the chip cycle of its birth in
 * data.dword[0]. It is born when it is due; while no link has room it waits, and the source with
 * it, so that lateness adds up. Always true: sent <= messages; the source holds one item of work
 * until the last message has left. */
#include "ogive/random.h"
#include "ogive/unit.h"

#define SOURCE_TIMINGS(C, with)  C(regular, with) C(random, with)
#define SOURCE_PATTERNS(C, with) C(linear, with) C(random, with)

#define SOURCE_PARAMS(P)                                                                 \
    P(number, messages, 1000, 0, UINT64_MAX, "messages to send; 0: without end")         \
    P(cycles, gap, 1, 1, 1000000, "cycles from one message to the next, on average")     \
    P(choice, timing, "random", UNIT_CHOICES(SOURCE_TIMINGS), 0,                         \
      "gaps all alike, or from 1 to 2 x gap - 1")                                        \
    P(choice, pattern, "random", UNIT_CHOICES(SOURCE_PATTERNS), 0, "order of addresses") \
    P(bytes, span, 1 * MiB, 64, 1024 * GiB, "addresses lie in [0, span)")                \
    P(bytes, step, 64, 1, 1 * GiB, "addresses are multiples of this")                    \
    P(number, seed, 1, 0, UINT64_MAX, "of the random numbers; each copy of a source differs")

#define SOURCE_STATS(S)                             \
    S(sent, "messages", SUM, WORK, "messages sent") \
    S(blocked, "cycles", SUM, WORK, "cycles in which a message was due and no link had room")

#define SOURCE_RATIOS(R)

#define SOURCE_PORTS(T) T(out, SENDS, SOME, "where to; by address, or to each in turn")

enum source_timing { SOURCE_TIMINGS(UNIT_CHOICE_VALUE, TIMING_) };
enum source_pattern { SOURCE_PATTERNS(UNIT_CHOICE_VALUE, PATTERN_) };

struct source {
    struct unit base;
    UNIT_FIELDS(SOURCE)
    u64 random;
    u64 address; /* of the next message */
    cycle due;
    cycle counted; /* cycles up to here are in `blocked`, while blocked */
    u32 turn;
    bool blocked;
};

static void source_plan(struct source *u, cycle now)
{
    u64 steps = u->p.span / u->p.step;
    u64 step = u->p.pattern == PATTERN_linear ? u->s.sent % steps : random_below(&u->random, steps);
    u64 wait =
        u->p.timing == TIMING_regular ? u->p.gap : 1 + random_below(&u->random, 2 * u->p.gap - 1);
    u->address = step * u->p.step;
    u->due = now + wait;
}

static bool source_init(struct unit *unit, struct ogv_error *error)
{
    struct source *u = (struct source *)unit;
    if (u->p.step > u->p.span)
        return unit_refuse(error, "step (%llu B) is larger than span (%llu B)",
                           (unsigned long long)u->p.step, (unsigned long long)u->p.span);
    u->random = u->p.seed * UINT64_C(0x9e3779b97f4a7c15) + unit->ordinal;
    source_plan(u, 0);
    unit_hold(unit, 1);
    return true;
}

static struct link *source_link(struct source *u)
{
    u32 way = u->w.out.route.interleave ? route_way(&u->w.out.route, u->address) : u->turn;
    return u->w.out.at[way].out;
}

static void source_report(struct unit *unit, cycle now)
{
    struct source *u = (struct source *)unit;
    if (!u->blocked)
        return;
    u->s.blocked += now - u->counted;
    u->counted = now;
}

static void source_send(struct source *u, struct link *link, cycle now)
{
    struct message *message = link_push(link);
    message->address = u->address;
    message->tag = (u32)u->s.sent;
    message->source = u->base.ordinal;
    message->kind = 0;
    message->size_bytes = 8;
    message->data.dword[0] = u->base.domain->now;
    u->s.sent++;
    u->turn = (u->turn + 1) % u->w.out.count;
    unit_progress(&u->base);
    if (u->s.sent == u->p.messages)
        unit_release(&u->base, 1);
    source_plan(u, now);
}

static cycle source_tick(struct unit *unit, cycle now)
{
    struct source *u = (struct source *)unit;
    if (u->p.messages && u->s.sent == u->p.messages)
        return NEVER;
    if (now < u->due)
        return u->due;
    struct link *link = source_link(u);
    if (!link_can_push(link)) {
        if (!u->blocked)
            u->counted = now;
        u->blocked = true;
        return NEVER;
    }
    source_report(unit, now);
    u->blocked = false;
    source_send(u, link, now);
    return u->p.messages && u->s.sent == u->p.messages ? NEVER : u->due;
}

UNIT_TYPE(source, SOURCE, "traffic source", .init = source_init, .tick = source_tick,
          .report = source_report)
