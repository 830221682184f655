/* relay.c - a unit type outside the tree: passes even messages to the left and odd ones to the
 * right.
 *
 * It has a parameter of every type that those in the tree do not use, and two ports that a link
 * must tell apart. Always true: left + right = messages taken. */
#include <string.h>

#include "ogive/unit.h"

#define RELAY_PARAMS(P)                                                                 \
    P(flag, swap, 0, 0, 1, "odd messages to the left instead")                          \
    P(bits, width, 16, 1, 4096, "of the wires")                                         \
    P(bandwidth, rate, UINT64_C(448000000000), 1, UINT64_MAX, "of the wires, together") \
    P(hertz, refresh, 60, 1, 1 * GHz, "how often")                                      \
    P(real, factor, 0.25, -1.0, 1.0, "of something")                                    \
    P(words, label, "none", 0, 64, "free text; `refuse` and `silent` end the building")

#define RELAY_STATS(S)                                     \
    S(left, "messages", SUM, WORK, "passed to the left")   \
    S(right, "messages", SUM, WORK, "passed to the right") \
    S(tag_max, "tag", MAX, FIXED, "largest tag seen")      \
    S(taken, "messages", MEAN, WORK, "messages per relay")

#define RELAY_RATIOS(R) R(balance, left, right, "1", "left ones for each right one")

#define RELAY_ENERGY(E) E(left, left, 2.5, "made up for this test")

#define RELAY_PORTS(T)                                \
    T(in, RECEIVES, SOME, "where messages come from") \
    T(left, SENDS, ONE, "where even ones go")         \
    T(right, SENDS, ONE, "where odd ones go")

struct relay {
    struct unit base;
    UNIT_FIELDS(RELAY)
};

static bool relay_init(struct unit *unit, struct ogv_error *error)
{
    const struct relay *u = (struct relay *)unit;
    if (!strcmp(u->p.label, "silent"))
        return false;
    if (!strcmp(u->p.label, "refuse"))
        return unit_refuse(error, "does not like its label '%s'", u->p.label);
    return true;
}

static cycle relay_tick(struct unit *unit, cycle now)
{
    struct relay *u = (struct relay *)unit;
    (void)now;
    for (u32 i = 0; i < u->w.in.count; i++) {
        struct link *in = u->w.in.at[i].in;
        const struct message *message = link_peek(in);
        if (!message)
            continue;
        bool left = (message->tag & 1) == u->p.swap;
        struct link *out = left ? u->w.left.at[0].out : u->w.right.at[0].out;
        if (!link_can_push(out))
            continue;
        u->s.left += left;
        u->s.right += !left;
        u->s.taken++;
        u->s.tag_max = max_u64(u->s.tag_max, message->tag);
        *link_push(out) = *message;
        link_pop(in);
        unit_progress(unit);
    }
    return NEVER;
}

UNIT_TYPE(relay, RELAY, "left-right relay", .init = relay_init, .tick = relay_tick,
          UNIT_ENERGY(RELAY))

OGIVE_UNITS(&unit_type_relay)
