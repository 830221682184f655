/* history.h - the series of a run in little memory, for whoever begins to watch late.
 *
 * When the room is used up, neighbouring intervals are put together: counters are added, largest
 * values stay the largest. Always true: all intervals that are kept are made of `merge` samples. */
#ifndef LIVE_HISTORY_H
#define LIVE_HISTORY_H

#include "arch/system.h"
#include "base/text.h"

#define HISTORY_BINS 512

struct history {
    u32 cells;   /* values of a sample (result/tally.h) */
    bool *keeps; /* by cell: the largest value, not the sum */
    cycle start;
    cycle *ends;
    u64 *values; /* [bins][cells] */
    u32 bins;
    u32 merge, pending; /* samples per bin; those that the next one has already */
    u64 *partial;       /* the next one */
    u32 generation;     /* how often bins were put together */
};

void history_init(struct history *history, const struct plan *plan, cycle start);
void history_fini(struct history *history);
void history_add(struct history *history, cycle end, const u64 *grown);

/* ---- Parts of it ---- */

/* The bins that somebody who has the first `from` of them does not have yet: all, if bins were put
 * together since. */
struct history_part {
    cycle start;
    u32 generation, merge, from, bins, cells;
    cycle *ends;
    u64 *values;
};

void history_part_copy(struct history_part *part, const struct history *history, u64 from,
                       u64 generation);
void history_part_fini(struct history_part *part);
void history_part_write(const struct history_part *part, struct text *json);

#endif
