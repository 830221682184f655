/* tiles.c - see tiles.h. */
#include "predict/tiles.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"

const char *const division_names[DIVISIONS + 1] = { "blocks", "fine", "coarse", NULL };

/* ---- Rectangles ---- */

struct cells {
    u32 columns, rows; /* of rectangles */
    u32 cell_width, cell_height;
};

static u32 divide_up(u32 value, u32 by)
{
    return (value + by - 1) / by;
}

/* As nearly square as the number allows, with the longer side along that of the picture. */
static struct cells cells_make(u32 groups, const struct picture *picture)
{
    u32 small = 1;
    for (u32 i = 1; i * i <= groups; i++)
        if (groups % i == 0)
            small = i;
    u32 large = groups / small;
    bool upright = picture->height >= picture->width;
    struct cells cells = { upright ? small : large, upright ? large : small, 0, 0 };
    cells.cell_width = divide_up(picture->width, cells.columns);
    cells.cell_height = divide_up(picture->height, cells.rows);
    return cells;
}

/* ---- Tiles ---- */

/* Where pieces go while tiles are made. */
struct layout {
    u32 *tile;  /* by piece */
    u32 *group; /* by tile */
    u32 count;
};

static void blocks_lay(u32 pieces, u32 groups, struct layout *layout)
{
    for (u32 i = 0; i < pieces; i++)
        layout->tile[i] = i / TILE_BLOCK;
    layout->count = divide_up(pieces, TILE_BLOCK);
    for (u32 i = 0; i < layout->count; i++)
        layout->group[i] = i % groups;
}

/* Tile (x, y) goes to the group i with (i + x + y) mod K = 0. */
static void fine_lay(u32 pieces, u32 groups, const struct picture *picture, struct layout *layout)
{
    u32 columns = divide_up(picture->width, TILE_WIDTH);
    u32 rows = divide_up(picture->height, TILE_HEIGHT);
    for (u32 i = 0; i < pieces; i++) {
        u32 x = picture->pixels[i] % picture->width, y = picture->pixels[i] / picture->width;
        layout->tile[i] = y / TILE_HEIGHT * columns + x / TILE_WIDTH;
    }
    layout->count = columns * rows;
    for (u32 i = 0; i < layout->count; i++)
        layout->group[i] = (groups - (i % columns + i / columns) % groups) % groups;
}

/* Tiles begin anew in each rectangle. */
static void coarse_lay(u32 pieces, u32 groups, const struct picture *picture, struct layout *layout)
{
    struct cells cells = cells_make(groups, picture);
    u32 columns = divide_up(cells.cell_width, TILE_WIDTH);
    u32 rows = divide_up(cells.cell_height, TILE_HEIGHT);
    for (u32 i = 0; i < pieces; i++) {
        u32 x = picture->pixels[i] % picture->width, y = picture->pixels[i] / picture->width;
        u32 cell = y / cells.cell_height * cells.columns + x / cells.cell_width;
        u32 inside =
            y % cells.cell_height / TILE_HEIGHT * columns + x % cells.cell_width / TILE_WIDTH;
        layout->tile[i] = cell * columns * rows + inside;
    }
    layout->count = groups * columns * rows;
    for (u32 i = 0; i < layout->count; i++)
        layout->group[i] = i / (columns * rows);
}

/* Tiles without pieces, beyond the border, are left out. */
static void tiles_gather(u32 pieces, const struct layout *layout, struct tiles *tiles)
{
    u32 *ends = heap_array((size_t)layout->count + 1, sizeof *ends);
    u32 *names = heap_array((size_t)layout->count + 1, sizeof *names);
    for (u32 i = 0; i < pieces; i++)
        ends[layout->tile[i]]++;
    for (u32 i = 0, begin = 0; i < layout->count; i++) {
        if (!ends[i])
            continue;
        names[i] = tiles->count;
        tiles->group[tiles->count] = layout->group[i];
        tiles->starts[tiles->count++] = begin;
        begin += ends[i];
    }
    tiles->starts[tiles->count] = pieces;
    for (u32 i = 0; i < tiles->count; i++)
        ends[i] = tiles->starts[i];
    for (u32 i = 0; i < pieces; i++)
        tiles->pieces[ends[names[layout->tile[i]]]++] = i;
    free(ends);
    free(names);
}

bool tiles_make(enum division division, u32 groups, u32 pieces, const struct picture *picture,
                struct tiles *tiles, struct ogv_error *error)
{
    *tiles = (struct tiles){ .groups = groups };
    if (division != DIVISION_BLOCKS && !picture->width)
        return error_user(error,
                          "--division %s: the pieces of this program's work are no pixels of a "
                          "picture; 'blocks' divides those of any program",
                          division_names[division]);
    u64 room = (u64)pieces + (u64)groups * (picture->width + picture->height + 4);
    struct layout layout = { heap_array((size_t)pieces + 1, sizeof *layout.tile),
                             heap_array(room, sizeof *layout.group), 0 };
    if (division == DIVISION_BLOCKS)
        blocks_lay(pieces, groups, &layout);
    else if (division == DIVISION_FINE)
        fine_lay(pieces, groups, picture, &layout);
    else
        coarse_lay(pieces, groups, picture, &layout);
    tiles->group = heap_array((size_t)layout.count + 1, sizeof *tiles->group);
    tiles->starts = heap_array((size_t)layout.count + 1, sizeof *tiles->starts);
    tiles->pieces = heap_array((size_t)pieces + 1, sizeof *tiles->pieces);
    tiles_gather(pieces, &layout, tiles);
    free(layout.tile);
    free(layout.group);
    return true;
}

void tiles_fini(struct tiles *tiles)
{
    free(tiles->group);
    free(tiles->starts);
    free(tiles->pieces);
    *tiles = (struct tiles){ 0 };
}

u32 *tiles_of_pieces(const struct tiles *tiles, u64 pieces)
{
    u32 *tile = heap_array(pieces + 1, sizeof *tile);
    for (u32 i = 0; i < tiles->count; i++)
        for (u32 p = tiles->starts[i]; p < tiles->starts[i + 1]; p++)
            tile[tiles->pieces[p]] = i;
    return tile;
}
