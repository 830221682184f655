/* limiter.c - passes requests on to memory, `rate` bytes per cycle at most, and answers back.
 *
 * A request of n bytes takes the way for n / rate cycles, rounded up; the next one waits in the
 * link. There are two types that differ in their rows only: `limiter` explains itself, `mute` does
 * not. Always true: a request is in a link or has been passed on. */
#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/unit.h"

#define LIMITER_PARAMS(P) P(number, rate, 1, 1, 64, "bytes passed on per cycle")

#define LIMITER_STATS(S)                            \
    S(bytes, "bytes", SUM, WORK, "bytes passed on") \
    S(refused, "cycles", SUM, WORK, "cycles that a request waited before its turn")

#define LIMITER_RATIOS(R)

#define LIMITER_PORTS(T)              \
    T(users, SERVES, ONE, "who asks") \
    T(memory, ASKS, ONE, "who answers")

#define LIMITER_BODY                                                                    \
    {                                                                                   \
        struct unit base;                                                               \
        UNIT_FIELDS(LIMITER)                                                            \
        cycle free;  /* when the next request may pass */                               \
        cycle since; /* when the oldest request was first seen; NEVER: there is none */ \
    }

struct limiter LIMITER_BODY;
struct mute LIMITER_BODY;

static bool limiter_init(struct unit *unit, struct ogv_error *error)
{
    (void)error;
    ((struct limiter *)unit)->since = NEVER;
    return true;
}

static void limiter_answer(struct limiter *u)
{
    struct link *in = u->w.memory.at[0].in, *out = u->w.users.at[0].out;
    while (link_peek(in) && link_can_push(out)) {
        *link_push(out) = *link_peek(in);
        link_pop(in);
        unit_progress(&u->base);
    }
}

static void limiter_pass(struct limiter *u, const struct message *request, cycle now)
{
    u64 bytes = max_u64(request->size_bytes, 1);
    *link_push(u->w.memory.at[0].out) = *request;
    u->s.bytes += bytes;
    u->s.refused += now - u->since;
    u->free = now + (bytes + u->p.rate - 1) / u->p.rate;
    u->since = NEVER;
    link_pop(u->w.users.at[0].in);
    unit_progress(&u->base);
}

static cycle limiter_tick(struct unit *unit, cycle now)
{
    struct limiter *u = (struct limiter *)unit;
    const struct link *in = u->w.users.at[0].in;
    limiter_answer(u);
    const struct message *request = link_peek(in);
    if (request && u->since == NEVER)
        u->since = now;
    if (request && u->free <= now && link_can_push(u->w.memory.at[0].out))
        limiter_pass(u, request, now);
    return link_peek(in) && u->free > now ? u->free : NEVER;
}

static struct link *limiter_toward(struct unit *unit, u64 *address)
{
    (void)address;
    return ((struct limiter *)unit)->w.memory.at[0].out;
}

static const struct resource_row limiter_resource_rows[] = {
    { .name = "bandwidth",
      .kind = RESOURCE_WORK,
      .capacity = "rate",
      .used = "bytes",
      .held = "refused" },
    { 0 },
};

UNIT_TYPE(limiter, LIMITER, "bandwidth limiter", .init = limiter_init, .tick = limiter_tick,
          .toward = limiter_toward, .resources = limiter_resource_rows)
UNIT_TYPE(mute, LIMITER, "bandwidth limiter that explains nothing", .init = limiter_init,
          .tick = limiter_tick, .toward = limiter_toward)

OGIVE_UNITS(&unit_type_limiter, &unit_type_mute)
