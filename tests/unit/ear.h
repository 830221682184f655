/* ear.h - what a mock neighbour has heard, and when. */
#ifndef TESTS_UNIT_EAR_H
#define TESTS_UNIT_EAR_H

#include "unit/bench_unit.h"

#define SAID_MAX 512

struct said {
    cycle at;
    struct message message;
};

struct ear {
    struct said said[SAID_MAX];
    u32 count;
};

/* Takes the message that has arrived; false if there is none. */
static inline bool hear(struct ear *ear, struct link *in, cycle now)
{
    const struct message *message = link_peek(in);
    if (!message)
        return false;
    assert_in_range(ear->count, 0, SAID_MAX - 1);
    ear->said[ear->count++] = (struct said){ now, *message };
    link_pop(in);
    return true;
}

/* The n-th of that kind. */
static inline const struct said *nth(const struct ear *ear, u16 kind, u32 n)
{
    for (u32 i = 0; i < ear->count; i++)
        if (ear->said[i].message.kind == kind && !n--)
            return &ear->said[i];
    fail_msg("message %u was not sent", kind);
    return ear->said;
}

static inline u32 count_of(const struct ear *ear, u16 kind)
{
    u32 count = 0;
    for (u32 i = 0; i < ear->count; i++)
        count += ear->said[i].message.kind == kind;
    return count;
}

#endif
