/* past.h - copies of the whole machine at some cycles, so that it can be brought back to any.
 *
 * All state of a chip is in its arena, and runs are deterministic: the machine at a cycle is the
 * last copy before it, run on from there. Copies share the pages that did not change between them.
 * When they take more memory than allowed, the one goes whose neighbours are nearest, by how long
 * ago they were; the first stays. */
#ifndef DEBUG_PAST_H
#define DEBUG_PAST_H

#include "base/arena.h"
#include "ogive/types.h"

struct moment {
    cycle at;
    struct moment_page *pages; /* in rising order */
    u32 count;
};

struct past {
    struct arena *arena;
    u64 limit_bytes, bytes;
    struct moment *moments; /* in rising order of cycles */
    u32 count;
    double cost_seconds; /* of the last copy */
};

void past_init(struct past *past, struct arena *arena, u64 limit_bytes);
void past_fini(struct past *past);

/* Keeps the machine as it is now, at cycle `at`; instead of a copy of that cycle, if there is one.
 */
void past_keep(struct past *past, cycle at);

/* The number of the last copy at or before a cycle; NOBODY: none. */
u32 past_find(const struct past *past, cycle at);

/* Makes the machine what it was then. */
void past_restore(struct past *past, u32 number);

#endif
