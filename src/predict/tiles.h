/* tiles.h - the pieces of a program's work put together into tiles, and the tiles dealt to groups,
 * one for each part of the chip.
 *
 * Blocks are pieces with numbers in a row, as many as a warp has threads or as an SM takes at once:
 * a block of the part meets the same L1 as it would in the whole. Fine and coarse divisions are
 * those of Zatel (Rasul et al., ISPASS 2024): tiles of 32 x 2 pixels dealt along diagonals, or by
 * the rectangle that they lie in. Every piece is in one tile. */
#ifndef PREDICT_TILES_H
#define PREDICT_TILES_H

#include "ogive/ogive.h"
#include "ogive/types.h"

enum division { DIVISION_BLOCKS, DIVISION_FINE, DIVISION_COARSE };
#define DIVISIONS 3
extern const char *const division_names[DIVISIONS + 1]; /* the last is NULL */

#define TILE_BLOCK  32 /* pieces */
#define TILE_WIDTH  32 /* pixels */
#define TILE_HEIGHT 2

/* The picture that pieces are pixels of; width 0: there is none. */
struct picture {
    const u32 *pixels; /* by piece: row * width + column; each once */
    u32 width, height;
};

struct tiles {
    u32 count, groups;
    u32 *group;  /* by tile */
    u32 *starts; /* by tile, and one more: where its pieces begin */
    u32 *pieces; /* numbers, tile after tile, rising within one */
};

/* Of so many pieces. Fine and coarse need a picture with as many pixels. */
bool tiles_make(enum division division, u32 groups, u32 pieces, const struct picture *picture,
                struct tiles *tiles, struct ogv_error *error);
void tiles_fini(struct tiles *tiles);

/* The tile of each piece; the caller frees. */
u32 *tiles_of_pieces(const struct tiles *tiles, u64 pieces);

static inline u32 tile_size(const struct tiles *tiles, u32 tile)
{
    return tiles->starts[tile + 1] - tiles->starts[tile];
}

#endif
