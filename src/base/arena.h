/* arena.h - all simulation state in one place, at one address, for ever.
 *
 * An arena is a large reservation of address space at a fixed address, handed out from the bottom
 * up and never given back piecemeal. Everything in it may point to everything else in it and to
 * nothing outside. So the bytes [base, base + used) are the whole state: written to a file and read
 * back at the same address, they go on where they stopped.
 *
 * A process may hold several arenas; each takes one of ARENA_SLOTS fixed places. Memory comes
 * zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "ogive/ogive.h"
#include "ogive/types.h"

#define ARENA_SLOTS      8
#define ARENA_SLOT_BYTES (32 * GiB)
#define ARENA_PAGE       4096

/* Lies at the arena's own base. */
struct arena {
    u64 slot;
    u64 used;
    void *root;           /* where the owner finds everything else */
    u64 aside, aside_end; /* what is left of the newest block of arena_alloc_aside */
    u64 taken;            /* bytes that were asked for, without what lies idle between them, */
    u64 taken_aside;      /* and of these by arena_alloc_aside */
};

/* Takes the lowest free slot. */
struct arena *arena_create(struct ogv_error *error);
void arena_destroy(struct arena *arena);

/* NULL when the reservation is exhausted or the size is absurd. `align` is a power of two. */
void *arena_alloc(struct arena *arena, u64 size, u64 align);

/* The same for what is seldom touched. It comes from blocks of its own, so that what is touched all
 * the time lies close together: in few cache lines, and above all in few pages. */
void *arena_alloc_aside(struct arena *arena, u64 size, u64 align);

/* Visits all that is not zero, from the bottom up: runs of pages of ARENA_PAGE bytes with anything
 * in them, as long as they can be; the last one ends with `used`. Where the kernel tells, pages
 * that were never touched are not looked at, so that an arena costs what it holds and not what was
 * set aside. A visit that returns false is the last one. */
typedef bool arena_visitor(void *context, u64 start, u64 length);
bool arena_visit(const struct arena *arena, arena_visitor *visit, void *context);

/* Makes everything zero and untouched again, its own header included. */
void arena_clear(struct arena *arena);

#endif
