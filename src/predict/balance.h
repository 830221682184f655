/* balance.h - which tiles fall to a part, so that it has its share of everything at any time.
 *
 * In the whole machine an SM gets about every n-th block, and which one is up to chance. So of
 * blocks that follow each other the part is given the one with which the sums of what is known of
 * its blocks stay nearest to its share of those of all. The block that ends last falls to the part,
 * since the frame is over when the last SM is. */
#ifndef PREDICT_BALANCE_H
#define PREDICT_BALANCE_H

#include "predict/tiles.h"

/* What is known of a tile. */
enum aspect {
    ASPECT_INSTRUCTIONS,
    ASPECT_RAYS,
    ASPECT_NODES,
    ASPECT_BLOCKS,
    ASPECT_REQUESTS,
    ASPECTS
};

struct aspects {
    double of[ASPECTS];
};

struct known_tiles {
    const u32 *tiles; /* rising */
    const struct aspects *aspects;
    u32 count;
    u32 last; /* of them: the one that ends last of all, which the first group gets */
};

/* Deals each `groups` of these in a row anew: the first group is the balanced one. */
void tiles_balance(struct tiles *tiles, const struct known_tiles *known);

#endif
