/* writes.h - notices what changes watched memory other than a thread's own store: what units send
 * to memory by themselves, and atomic operations, which are executed where the data lives.
 *
 * A sector of memory is followed from all cores to where it is stored. The units on these ways are
 * its keepers: after each of their ticks, what they hold of the sector is compared with before.
 * Whoever else has a link to a keeper is an outsider, of whose messages the new ones are looked at.
 * A core that does not say what its threads execute is one, too. */
#ifndef DEBUG_WRITES_H
#define DEBUG_WRITES_H

#include "arch/system.h"
#include "ogive/memory.h"

/* Something that happened to a sector in the last cycle. */
struct write_event {
    struct unit *unit; /* who did it, */
    u32 thread;        /* and for which hardware thread; NOBODY: for none */
    u64 address;       /* of the first byte, as the chip counts */
    u64 length;
    bool reads;  /* it asks for the bytes, */
    bool writes; /* or brings others, or */
    bool may;    /* what is kept there has changed, which others may not notice */
};

#define WRITE_EVENTS_MAX 16 /* kept of one cycle */

struct writes {
    ogv_system *system;
    struct keeper *keepers;
    struct outsider *outsiders;
    u32 keeper_count, outsider_count;
    u8 *concerns; /* by number of a unit: it is a keeper or an outsider */
    struct write_event events[WRITE_EVENTS_MAX];
    u32 event_count;
};

void writes_init(struct writes *writes, ogv_system *system);
void writes_fini(struct writes *writes);

/* From now on these bytes of shared memory, or of scratchpads, are looked at, too. */
void writes_add(struct writes *writes, u64 address, u64 length);
/* None are. */
void writes_clear(struct writes *writes);

/* From how things are now. */
void writes_begin(struct writes *writes);

/* After a tick of a unit that it concerns: adds events. */
void writes_look(struct writes *writes, const struct unit *unit);

#endif
