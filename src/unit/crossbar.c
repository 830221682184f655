/* crossbar.c - every input to every output, one message per output and cycle, inputs served in
 * turn.
 *
 * The output is chosen by the message's address. An input shows only its oldest message (head of
 * line). Each output picks among the inputs that want it by round robin, so no input waits longer
 * than one turn of all others. Always true: input i stands in wants[o] exactly while its oldest
 * arrived message goes to output o. */
#include "ogive/unit.h"

#define CROSSBAR_PARAMS(P)

#define CROSSBAR_STATS(S)                                                         \
    S(moved, "messages", SUM, WORK, "messages passed from an input to an output") \
    S(conflicts, "messages", SUM, WORK, "message-cycles lost to another input at the same output")

#define CROSSBAR_RATIOS(R)

#define CROSSBAR_PORTS(T)           \
    T(in, RECEIVES, SOME, "inputs") \
    T(out, SENDS, SOME, "outputs; more than one must be linked `by: address`")

struct crossbar_output {
    struct bitset wants; /* inputs whose oldest message goes here */
    u32 waiting;         /* how many */
    struct rr_arbiter arbiter;
};

struct crossbar {
    struct unit base;
    UNIT_FIELDS(CROSSBAR)
    struct crossbar_output *outputs;
    struct bitset idle; /* inputs that stand in no output's wants */
    struct bitset busy; /* outputs that somebody wants */
};

static bool crossbar_init(struct unit *unit, struct ogv_error *error)
{
    struct crossbar *u = (struct crossbar *)unit;
    if (u->w.in.count > BITSET_MAX || u->w.out.count > BITSET_MAX)
        return unit_refuse(error, "has %u inputs and %u outputs; at most %d of each are possible",
                           u->w.in.count, u->w.out.count, BITSET_MAX);
    if (u->w.out.count > 1 && !u->w.out.route.interleave)
        return unit_refuse(error,
                           "has %u outputs, but its links do not say which address goes "
                           "where; add `by: address, interleave: ...` to the link",
                           u->w.out.count);
    u->outputs = unit_alloc(unit, u->w.out.count, sizeof *u->outputs, error);
    for (u32 i = 0; i < u->w.in.count; i++)
        bitset_add(&u->idle, i);
    return u->outputs;
}

/* Looks at the inputs whose oldest message is not known. */
static void crossbar_look(struct crossbar *u)
{
    const struct ports *in = &u->w.in;
    for (u32 i = ports_pending(in, 0); i != NOBODY; i = ports_pending(in, i + 1)) {
        const struct message *message = bitset_has(&u->idle, i) ? link_peek(in->at[i].in) : NULL;
        if (!message)
            continue;
        u32 way = u->w.out.count > 1 ? route_way(&u->w.out.route, message->address) : 0;
        bitset_remove(&u->idle, i);
        bitset_add(&u->outputs[way].wants, i);
        bitset_add(&u->busy, way);
        u->outputs[way].waiting++;
    }
}

static void crossbar_move(struct crossbar *u, u32 way)
{
    struct crossbar_output *output = &u->outputs[way];
    struct link *out = u->w.out.at[way].out;
    if (!link_can_push(out))
        return;
    u32 winner = rr_pick(&output->arbiter, &output->wants);
    struct link *in = u->w.in.at[winner].in;
    *link_push(out) = *link_peek(in);
    link_pop(in);
    bitset_remove(&output->wants, winner);
    bitset_add(&u->idle, winner);
    u->s.moved++;
    u->s.conflicts += --output->waiting;
    if (!output->waiting)
        bitset_remove(&u->busy, way);
}

static cycle crossbar_tick(struct unit *unit, cycle now)
{
    struct crossbar *u = (struct crossbar *)unit;
    crossbar_look(u);
    for (u32 o = bitset_first(&u->busy); o != NOBODY; o = bitset_next(&u->busy, o + 1))
        crossbar_move(u, o);
    for (u32 o = bitset_first(&u->busy); o != NOBODY; o = bitset_next(&u->busy, o + 1))
        if (link_can_push(u->w.out.at[o].out))
            return now + 1;
    return NEVER;
}

UNIT_TYPE(crossbar, CROSSBAR, "round-robin crossbar", .init = crossbar_init, .tick = crossbar_tick)
