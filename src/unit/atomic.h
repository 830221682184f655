/* atomic.h - atomic memory operations, for the units in which data lives.
 *
 * A load-reserved notes who may store, once for each thread. Any write to the same sector, by
 * anyone, takes that away; so do the thread's next load-reserved or store-conditional, and a lack
 * of room to remember it. A store-conditional without its note fails. */
#ifndef UNIT_ATOMIC_H
#define UNIT_ATOMIC_H

#include "ogive/link.h"

#define RESERVATIONS_MAX 64

struct reservation {
    u64 sector; /* address / MEMORY_SECTOR */
    u32 source;
    bool taken;
};

struct reservations {
    struct reservation rows[RESERVATIONS_MAX];
    u32 count;   /* how many are taken */
    u32 refused; /* how many found no place */
    u32 next;    /* which one gives way next */
};

/* Executes a MEMORY_AMO request on the bytes it names and turns it into its answer. True if the
 * bytes were changed. */
bool atomic_execute(struct reservations *reservations, struct message *request, u8 *bytes);

/* To be called for every other write. */
void atomic_written(struct reservations *reservations, u64 address);

#endif
