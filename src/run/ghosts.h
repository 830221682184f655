/* ghosts.h - what SMs that are not simulated ask of shared caches.
 *
 * A few SMs of a machine, simulated alone, have its memory for themselves: nobody drives their
 * lines out, has fetched lines that they need, or keeps DRAM busy. So the rays and loads of all
 * pieces of work, which are known (visit_lists), go through a machine without cycles: SMs take
 * blocks of pieces in order, threads load and trace one ray after the other, an RT core has so many
 * rays at a time and each in turn makes a visit, which takes a ray alone as long as one of many,
 * and an L1 says what of it is asked of the shared caches. Requests of pieces that are simulated
 * are then marked (UNIT_GHOST_TURN), so that the others keep pace with them. What programs store
 * passes L1s by. */
#ifndef RUN_GHOSTS_H
#define RUN_GHOSTS_H

#include "arch/system.h"
#include "run/functional.h"

/* Of an SM, as far as it matters. */
struct ghost_shape {
    u32 sms;                      /* of the machine */
    u32 threads;                  /* that trace */
    u32 rays;                     /* at a time */
    u32 sets, ways, line, sector; /* of the L1; bytes */

    /* The same of the shared caches nearest to the memory, taken as one; 0 sets: not known. */
    u32 shared_sets, shared_ways, shared_line;
};

/* False: the machine has no RT cores behind L1s of their own, with shared caches behind these. */
bool ghost_shape_find(const ogv_system *system, struct ghost_shape *shape);

/* Requests of all, those of pieces that will be simulated among them. */
struct ghosts {
    u32 *requests; /* see unit_ghosts; sectors from the beginning of the world on */
    u16 *blocks;   /* whose they are */
    u64 count;
    u64 visits; /* that rays made for them */
    struct {
        u64 count, visits; /* of turns before the last block was given */
    } full;
    u32 shared;     /* from this sector on there is what several pieces read */
    u32 last_block; /* in which the last ray of all ends, if a visit takes every ray as long */
};

#define GHOST_BLOCKS_MOST (UINT32_C(1) << 16)

struct ghost_source {
    const struct visit_lists *lists;
    u32 block; /* pieces that an SM takes at a time */
    struct ghost_shape shape;
    u32 lines_skipped; /* one less than a power of two, with which the lines of L1s that are looked
                        * at have no bit in common */
};

static inline bool ghost_line_counts(const struct ghost_source *source, u32 number)
{
    return !(number & source->lines_skipped);
}

struct ghosts ghosts_make(const struct ghost_source *source);
void ghosts_fini(struct ghosts *ghosts);

/* What shared caches miss of a request if the pieces that were counted are a sample, of the share
 * `counted`, of all: as a share of what they miss if there are no others. Others bring lines that
 * these need, so it is at most 1. The sample is one by chance, of units of so many pieces. */
double ghosts_missed_by_all(const struct ghost_source *source, const struct ghosts *ghosts,
                            u32 unit, double counted);

/* What a run is to know of them. */
struct ghosts_around {
    const struct ghosts *all;
    const bool *own; /* by block: it is simulated */
    double missed;   /* see ghosts_missed_by_all */
};

/* To the shared caches of a chip whose world begins at that address, before the first cycle. */
bool ghosts_give(ogv_system *system, const struct ghosts_around *around, u64 world,
                 struct ogv_error *error);

#endif
