/* atomic.h - atomic memory operations, for the units in which data lives.
 *
 * A load-reserved is answered with a stamp of its sector, the same one for all threads until
 * anybody writes there; a store-conditional brings the stamp back and fails if it is not the
 * sector's any more. So however many threads try, the first of them to store succeeds, whoever
 * looks at the sector meanwhile by atomics that change nothing. Only sectors with a stamp are
 * remembered. Where there is no room for another one, a load-reserved gets none, and its
 * store-conditional will fail; but every now and then an old stamp is given up, in case its thread
 * never stores. The longer nobody succeeds, the more seldom that happens: a stamp then lasts until
 * its store-conditional comes, however long that takes. That a thread has one reservation only, and
 * loses it with its next store-conditional, is its core's business. */
#ifndef UNIT_PARTS_ATOMIC_H
#define UNIT_PARTS_ATOMIC_H

#include "ogive/link.h"

#define RESERVATIONS_MAX 64

struct reservation {
    u64 sector; /* address / MEMORY_SECTOR */
    u64 stamp;  /* 0: none, the row is free */
};

struct reservations {
    struct reservation rows[RESERVATIONS_MAX];
    u64 stamps;   /* ever given */
    u32 count;    /* rows in use */
    u32 refused;  /* how many found no row since one was given up */
    u32 patience; /* how many will, before the next one is; 0 at the beginning */
    u32 next;     /* which one gives way next */
    u32 source;   /* the thread whose operation was executed last, and */
    u64 executed; /* how many were */
};

/* Whether a MEMORY_AMO request is one that can be executed. */
bool atomic_fits(const struct message *request);

/* Executes a MEMORY_AMO request on the bytes it names, which the unit holds, and turns it into its
 * answer. True if the bytes were written. */
bool atomic_execute(struct unit *unit, struct reservations *reservations, struct message *request,
                    u8 *bytes);

/* To be called for every other write. */
void atomic_written(struct reservations *reservations, u64 address);

#endif
