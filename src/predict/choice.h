/* choice.h - which tiles are simulated, of those that could be.
 *
 * Uniform, linear and fifth are Zatel's: each colour of the heat map gets a part of the tiles, by
 * how many pixels have it, times how warm it is, to the first or fifth power; tiles of a colour are
 * drawn at random. Strata are ours: stretches of tiles that follow each other, in the order of what
 * they cost, every m-th of them, so that cheap and dear ones are there as often as in the frame.
 * Stretches, since neighbours share what caches hold; within one, tiles are done in order, as in
 * the frame. */
#ifndef PREDICT_CHOICE_H
#define PREDICT_CHOICE_H

#include "predict/colours.h"
#include "predict/tiles.h"

enum distribution { CHOICE_UNIFORM, CHOICE_LINEAR, CHOICE_FIFTH, CHOICE_STRATA };
#define DISTRIBUTIONS 4
extern const char *const distribution_names[DISTRIBUTIONS + 1]; /* the last is NULL */

struct choosing {
    enum distribution distribution;
    double share; /* of the pieces of the group, above 0, up to 1 */
    u32 repeat;   /* other tiles in each, as long as there are any */
    u64 seed;
    bool public_code; /* as Zatel's public code has it, not its paper */
    const struct tiles *tiles;
    const double *costs;           /* by tile; NAN: not known, and not to be chosen */
    const struct colours *colours; /* of pieces; of Zatel's alone */
};

#define TILES_ALL UINT32_MAX

/* Tiles of a group, or of all (TILES_ALL), in the order in which they are to be done; the caller
 * frees. There is one at least. */
u32 *tiles_choose(const struct choosing *choosing, u32 group, u32 *count);

/* How much of a group Zatel would simulate: its paper has 0.3 to 0.6, more where it is cold; its
 * code half of how warm it is, 0.05 to 0.6. */
double zatel_share(const struct tiles *tiles, const struct colours *colours, u32 group,
                   bool public_code);

#endif
