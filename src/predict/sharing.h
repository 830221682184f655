/* sharing.h - how large the shared caches of a part must be to miss as often as those of the whole.
 *
 * SMs of the whole bring lines into shared caches that others need, and drive out lines that others
 * have brought: with all of the capacity a part misses too seldom, with its own share of it too
 * often. Where between them it has to be is worked out without time, with what rays visited as it
 * was counted: caches of SMs and the shared ones with their sets, ways and sectors; as many rays
 * under way as there are room for, which take turns, one visit each. The whole machine does
 * stretches of the frame, the part its own pieces. Only what rays read is looked at. */
#ifndef PREDICT_SHARING_H
#define PREDICT_SHARING_H

#include "arch/system.h"
#include "run/cost.h"

/* What of a machine this takes, as its descriptors say. */
struct cache_shape {
    u64 bytes;
    u32 ways, line, sector;
};

struct sharing_machine {
    u32 sms;     /* of the whole: caches that serve one place alone */
    u32 threads; /* of one of them */
    u32 rays;    /* under way in one of them */
    struct cache_shape own, shared;
};

/* False if it has no such caches or does not trace rays. */
bool sharing_machine_of(ogv_system *system, struct sharing_machine *machine);

struct sharing {
    struct sharing_machine machine;
    const struct cost *cost;
    u32 part_sms;
    const u32 *whole,
        *part; /* pieces, as numbers of what was counted, in the order of being done */
    u64 whole_count, part_count;
    u32 stretches; /* without gaps, of the same length, that the whole's are */
};

struct shared_cache {
    double capacity; /* as a share of the whole's; NAN if the pieces are too few to tell */
    double misses;   /* how many times as often the whole still misses */
};

struct shared_cache sharing_find(const struct sharing *sharing);

#endif
