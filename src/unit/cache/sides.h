/* sides.h - a cache in two halves, on two sides of a chip.
 *
 * Users with even numbers are on one side, the others on the other. What a side's users have asked
 * for last, as much as `near` bytes, is on their side; whatever else they find in the cache is on
 * the other one, and answers from there take `far` further cycles, after which it is on theirs. A
 * write takes the line away from the other side. Atomic operations execute where both sides meet,
 * which is as far. Only time is kept here: there is one copy of the data, so that all users see the
 * same. Always true: answers from afar leave a bank in the order in which they were asked for. */
#ifndef UNIT_CACHE_SIDES_H
#define UNIT_CACHE_SIDES_H

#include "ogive/unit.h"
#include "unit/cache/mshr.h"

#define SIDES_PARAMS(P)                                                                      \
    P(bytes, near, 0, 0, 1 * GiB,                                                            \
      "capacity of each side of the chip, near to every second user; 0: all is near to all") \
    P(cycles, far, 0, 0, 100000, "further cycles of an answer from the other side")

#define SIDES_STATS(S) \
    S(far_hits, "requests", SUM, WORK, "of the hits, those from the other side of the chip")

#define SIDES_WAYS 16

struct cache;

struct cache_sides {
    u64 *lines; /* [side][set][SIDES_WAYS] numbers and one, the last used first; 0: none */
    u32 sets;   /* of a side */
    struct cache_list *late; /* [bank] answers from afar; NULL: there is one side */
};

bool sides_init(struct cache *u, struct ogv_error *error);

/* A user asks for a line: it is on the user's side from now on. Whether it was before. */
bool sides_touch(struct cache *u, u32 user, u64 number);

/* A user writes to a line. */
void sides_write(struct cache *u, u32 user, u64 number);

/* As cache_answer, later by `far` cycles. */
struct message *sides_answer(struct cache *u, u32 bank, u32 user, cycle now);

#endif
