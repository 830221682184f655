/* sfu.c - shared functional unit: pipelines that cores take turns to use.
 *
 * The instruction's result was computed when it issued; this unit only keeps time. Up to `width`
 * requests are taken per cycle, from the cores in turn; one taken at cycle t is answered at
 * t + latency; a pipeline takes a new one every `interval` cycles.
 * Always true: requests in = answers out + requests inside. */
#include "ogive/explain.h"
#include "ogive/unit.h"
#include "unit/parts/published.h"

/* What a pipeline computes, and its area. */
#define SFU_OPERATIONS(C, with)                                                  \
    C(any, with, COST_UNKNOWN)                                                   \
    C(fp_add, with, MM2_FP_ADD)                                                  \
    C(fp_mul, with, MM2_FP_MUL)                                                  \
    C(fp_fma, with, MM2_FP_MUL + MM2_FP_ADD)                                     \
    C(fp_compare, with, MM2_FP_COMPARE)                                          \
    C(fp_convert, with, MM2_FP_CONVERT)                                          \
    C(fp_div, with, MM2_FP_DIV)                                                  \
    C(fp_divsqrt, with, 2 * MM2_FP_DIV) /* FPINV creates a divider and a root */ \
    C(int_mul, with, MM2_INT_MUL)                                                \
    C(int_muldiv, with, MM2_INT_MUL + MM2_FP_DIV)
#define SFU_OPERATION_AREA(name, with, area) area,

#define SFU_PARAMS(P)                                                         \
    P(number, width, 1, 1, 64, "pipelines")                                   \
    P(cycles, latency, 1, 1, 512, "cycles from request to answer")            \
    P(cycles, interval, 1, 1, 512, "cycles between requests of one pipeline") \
    P(choice, operation, "any", UNIT_CHOICES(SFU_OPERATIONS), 0,              \
      "what a pipeline computes; only its area depends on this")

#define SFU_STATS(S)                                          \
    S(issued, "requests", SUM, WORK, "instructions executed") \
    S(busy, "cycles", SUM, WORK, "pipeline-cycles in which no new request could be taken")

#define SFU_RATIOS(R)

#define SFU_ENERGY(E) \
    E(request, issued, 0.0, "what a request computes is charged to the core, by class")

#define SFU_PORTS(T) T(users, SERVES, SOME, "cores that share this unit")

struct sfu_item {
    cycle at; /* when it may leave */
    u32 user;
    struct message message;
};

struct sfu {
    struct unit base;
    UNIT_FIELDS(SFU)
    cycle free[64];          /* by pipeline: when it takes the next request */
    struct sfu_item *inside; /* ring, in the order of taking */
    u64 head, tail;
    u64 depth;
    u32 turn;
};

static bool sfu_init(struct unit *unit, struct ogv_error *error)
{
    struct sfu *u = (struct sfu *)unit;
    u->depth = u->p.width * (u->p.latency + 1);
    u->inside = unit_alloc(unit, u->depth, sizeof *u->inside, error);
    return u->inside;
}

static void sfu_answer(struct sfu *u, cycle now)
{
    while (u->head != u->tail) {
        const struct sfu_item *oldest = &u->inside[u->head % u->depth];
        struct link *out = u->w.users.at[oldest->user].out;
        if (oldest->at > now || !link_can_push(out))
            return;
        *link_push(out) = oldest->message;
        u->head++;
        unit_release(&u->base, 1);
    }
}

static u32 sfu_next_user(struct sfu *u)
{
    u32 user = ports_arrived(&u->w.users, u->turn);
    return user == NOBODY ? ports_arrived(&u->w.users, 0) : user;
}

/* True if a request is left that could not be taken. */
static bool sfu_take(struct sfu *u, cycle now)
{
    for (u64 pipe = 0; pipe < u->p.width; pipe++) {
        if (u->free[pipe] > now)
            continue;
        u32 user = sfu_next_user(u);
        if (user == NOBODY || u->tail - u->head == u->depth)
            return user != NOBODY;
        struct link *in = u->w.users.at[user].in;
        u->inside[u->tail++ % u->depth] =
            (struct sfu_item){ now + u->p.latency, user, *link_peek(in) };
        link_pop(in);
        unit_hold(&u->base, 1);
        u->turn = user + 1;
        u->free[pipe] = now + u->p.interval;
        u->s.issued++;
        u->s.busy += u->p.interval;
    }
    return sfu_next_user(u) != NOBODY;
}

static cycle sfu_tick(struct unit *unit, cycle now)
{
    struct sfu *u = (struct sfu *)unit;
    sfu_answer(u, now);
    bool left = sfu_take(u, now);
    cycle next = left ? now + 1 : NEVER;
    if (u->head == u->tail)
        return next;
    const struct sfu_item *oldest = &u->inside[u->head % u->depth];
    if (oldest->at > now)
        return min_u64(next, oldest->at);
    return link_can_push(u->w.users.at[oldest->user].out) ? now + 1 : next;
}

static void sfu_costs(const struct unit *unit, struct unit_costs *costs)
{
    static const double areas[] = { SFU_OPERATIONS(SFU_OPERATION_AREA, ) };
    const struct sfu *u = (const struct sfu *)unit;
    double area = areas[u->p.operation];
    costs->area = area < 0 ? COST_UNKNOWN : area * (double)u->p.width;
}

static const struct resource_row sfu_resource_rows[] = {
    { .name = "pipelines",
      .kind = RESOURCE_WORK,
      .capacity = "width",
      .used = "busy",
      .held = "users_room + users_answer" },
    { 0 },
};

UNIT_TYPE(
    sfu, SFU, "shared functional unit", .init = sfu_init, .tick = sfu_tick, UNIT_ENERGY(SFU),
    .costs = sfu_costs,
    .area_help = "pipelines times that of their `operation`; SimTRaX, 65 nm; unknown for `any`",
    .resources = sfu_resource_rows)
