/* past.h - copies of the whole machine at some cycles, so that it can be brought back to any.
 *
 * All state of a chip is in its arena, and runs are deterministic: the machine at a cycle is the
 * last copy before it, run on from there. Copies share the pages that did not change between them.
 * When they take more memory than allowed, the oldest go to the disk (spill.h); when there is no
 * room for that either, the one goes whose neighbours are nearest, by how long ago they were; the
 * first stays. */
#ifndef DEBUG_PAST_H
#define DEBUG_PAST_H

#include "base/arena.h"
#include "debug/spill.h"
#include "ogive/types.h"

struct moment {
    cycle at;
    struct moment_page *pages; /* in rising order */
    u32 count;
    bool spilled; /* all that can be of it is on the disk */
};

struct past {
    struct arena *arena;
    u64 limit_bytes, bytes; /* of memory */
    struct spill spill;
    struct moment *moments; /* in rising order of cycles */
    u32 count;
    double cost_seconds; /* of the last copy */
};

/* `folder`: where a file may be made for what memory has no room for, of that many bytes. */
void past_init(struct past *past, struct arena *arena, u64 limit_bytes, const char *folder,
               u64 disk_bytes);
void past_fini(struct past *past);

/* Keeps the machine as it is now, at cycle `at`; instead of a copy of that cycle, if there is one.
 */
void past_keep(struct past *past, cycle at);

/* The number of the last copy at or before a cycle; NOBODY: none. */
u32 past_find(const struct past *past, cycle at);

/* Makes the machine what it was then. False: the disk has failed, and nothing was changed; this
 * copy and others there are gone. */
bool past_restore(struct past *past, u32 number);

#endif
