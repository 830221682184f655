/* city.c - streets in a grid; houses of one to three storeys of blocks, with windows that stand out
 * from their walls; hills around.
 *
 * A block has five sides (no bottom), a window too. Windows are shared out among the walls by their
 * area; what is left goes into the ground. */
#include <stdlib.h>

#include "base/text.h"
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"
#include "rt/generators/patches.h"

enum { GROUND, STREET, WINDOW, LIT, FIRST_WALL };

static const struct material materials[] = {
    { "ground", { 0.32f, 0.36f, 0.24f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "street", { 0.22f, 0.22f, 0.23f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "window", { 0.35f, 0.45f, 0.55f }, { 0 }, SURFACE_MIRROR, 1.5f },
    { "lit window", { 0.8f, 0.7f, 0.5f }, { 2.4f, 1.7f, 0.8f }, SURFACE_DIFFUSE, 1.5f },
    { "sandstone", { 0.66f, 0.56f, 0.42f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "brick", { 0.5f, 0.25f, 0.18f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "concrete", { 0.55f, 0.55f, 0.54f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "plaster", { 0.78f, 0.74f, 0.66f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "slate", { 0.28f, 0.31f, 0.36f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
};

#define WALLS           5
#define PITCH           26.0 /* metres from street to street */
#define STREET_WIDTH    7.0
#define BLOCK_TRIANGLES 10

struct block {
    double low[3], high[3];
    u16 material;
};

struct city {
    struct block *blocks;
    u32 count;
};

/* Sides 0 to 3 go round; `out` (-1 or 1) is where the side `axis` looks. */
static void block_build(const struct block *block, struct growth *growth)
{
    u32 first = growth->mesh.vertex_count;
    growth->material = block->material;
    for (u32 i = 0; i < 8; i++)
        growth_vertex(growth, (float)(i & 1 ? block->high : block->low)[0],
                      (float)(i & 2 ? block->high : block->low)[1],
                      (float)(i & 4 ? block->high : block->low)[2]);
    static const u8 sides[5][4] = {
        { 0, 1, 3, 2 }, { 5, 4, 6, 7 }, { 4, 0, 2, 6 }, { 1, 5, 7, 3 }, { 2, 3, 7, 6 },
    };
    for (u32 i = 0; i < 5; i++) {
        growth_triangle(growth, first + sides[i][0], first + sides[i][1], first + sides[i][2]);
        growth_triangle(growth, first + sides[i][0], first + sides[i][2], first + sides[i][3]);
    }
}

static void city_add(struct city *city, const struct block *block)
{
    city->blocks = heap_append(city->blocks, city->count, sizeof *city->blocks);
    city->blocks[city->count++] = *block;
}

/* One lot: one to three blocks on top of one another, each smaller than the one below. */
static void city_add_house(struct city *city, double x, double z, double size, double tall,
                           u64 *state)
{
    struct block block = { .material = (u16)(FIRST_WALL + random_below(state, WALLS)) };
    u32 storeys = 1 + (u32)random_below(state, 3);
    double half = size / 2, bottom = -0.5;
    for (u32 i = 0; i < storeys; i++) {
        double top = (bottom > 0 ? bottom : 0) + tall * random_between(state, 0.4, 1.0) / (i + 1);
        double dx = half * random_between(state, 0.82, 0.97),
               dz = half * random_between(state, 0.82, 0.97);
        block =
            (struct block){ { x - dx, bottom, z - dz }, { x + dx, top, z + dz }, block.material };
        city_add(city, &block);
        bottom = top;
        half *= 0.75;
    }
}

static struct city city_plan(u32 side, u64 seed)
{
    struct city city = { 0 };
    u64 state = seed + 0xc17e;
    double middle = (side - 1) / 2.0, lot = (PITCH - STREET_WIDTH) / 2;
    for (u32 row = 0; row < side; row++)
        for (u32 column = 0; column < side; column++) {
            double cx = (column - middle) * PITCH, cz = (row - middle) * PITCH;
            double away = sqrt(cx * cx + cz * cz) / (PITCH * (middle + 1));
            double tall = 7 + 52 * (1 - away > 0 ? (1 - away) * (1 - away) : 0);
            for (u32 i = 0; i < 4; i++)
                city_add_house(&city, cx + (i % 2 ? 0.5 : -0.5) * lot,
                               cz + (i / 2 ? 0.5 : -0.5) * lot, lot, tall, &state);
        }
    return city;
}

/* ---- Windows ---- */

static double wall_length(const struct block *block, u32 side)
{
    u32 axis = side < 2 ? 0 : 2;
    return block->high[axis] - block->low[axis];
}

static double wall_bottom(const struct block *block)
{
    return block->low[1] > 0 ? block->low[1] : 0;
}

/* Sides 0 and 1 look along z, 2 and 3 along x. */
static void window_build(const struct block *block, u32 side, double u, double v, double width,
                         double height, u16 material, struct growth *growth)
{
    u32 along = side < 2 ? 0 : 2, out = 2 - along;
    struct block window = { .material = material };
    window.low[along] = block->low[along] + u;
    window.high[along] = window.low[along] + width;
    window.low[1] = wall_bottom(block) + v;
    window.high[1] = window.low[1] + height;
    double face = side % 2 ? block->high[out] : block->low[out];
    window.low[out] = side % 2 ? face - 0.05 : face - 0.15;
    window.high[out] = side % 2 ? face + 0.15 : face + 0.05;
    block_build(&window, growth);
}

/* Rows and columns for about this many; says how many it made. */
static u64 wall_build(const struct block *block, u32 side, double windows, u64 *state,
                      struct growth *growth)
{
    double length = wall_length(block, side), height = block->high[1] - wall_bottom(block);
    double columns = floor(sqrt(windows * length / height) + 0.5);
    columns = columns < 1 ? 1 : columns;
    double rows = floor(windows / columns + random_real(state));
    double step_u = length / (columns + 0.5), step_v = rows > 0 ? height / (rows + 0.5) : 1;
    for (double row = 0; row < rows; row++)
        for (double column = 0; column < columns; column++) {
            u16 material = random_below(state, 9) ? WINDOW : LIT;
            window_build(block, side, step_u * (column + 0.5), step_v * (row + 0.45), step_u * 0.5,
                         step_v * 0.6, material, growth);
        }
    return (u64)(rows * columns);
}

static u64 windows_build(const struct city *city, u64 windows, u64 seed, struct growth *growth)
{
    u64 state = seed + 0x817d0, made = 0;
    double area = 0, left = (double)windows;
    for (u32 i = 0; i < city->count; i++)
        for (u32 side = 0; side < 4; side++)
            area += wall_length(&city->blocks[i], side) *
                    (city->blocks[i].high[1] - wall_bottom(&city->blocks[i]));
    for (u32 i = 0; i < city->count; i++)
        for (u32 side = 0; side < 4; side++) {
            const struct block *block = &city->blocks[i];
            double own = wall_length(block, side) * (block->high[1] - wall_bottom(block));
            double share = (left - (double)made) * own / area;
            area -= own;
            if (made < windows)
                made += wall_build(block, side, share > 0 ? share : 0, &state, growth);
        }
    return made;
}

/* ---- The ground ---- */

/* p[0]: half its edge, p[1]: half the town's, p[2]: the seed. Flat under the town. */
static void shape_hills(const struct patch *patch, double u, double v, double out[3])
{
    double x = (2 * u - 1) * patch->p[0], z = (2 * v - 1) * patch->p[0];
    double beyond = fmax(fabs(x), fabs(z)) / patch->p[1] - 1;
    double rise = beyond > 0 ? beyond / (beyond + 0.6) : 0;
    u64 seed = (u64)patch->p[2];
    double hills = noise(x / 90, z / 90, seed) * 60 + noise(x / 30, z / 30, seed + 1) * 14;
    out[0] = x;
    out[1] = rise * hills - 0.01;
    out[2] = z;
}

static void ground_build(u32 side, u64 triangles, u64 seed, struct growth *growth)
{
    struct patches patches = { 0 };
    double half = PITCH * side / 2;
    const double corner[3] = { -half, 0, -half };
    struct patch street = patch_flat(corner, 0, 2 * half, 2, 2 * half, STREET, 0.001);
    struct patch hills = { .shape = shape_hills,
                           .p = { 4 * half, half, (double)(seed % 1000000) },
                           .width = 1,
                           .height = 1.07,
                           .least_u = 4,
                           .least_v = 4,
                           .material = GROUND };
    patches_add(&patches, &street);
    patches_add(&patches, &hills);
    patches_build(&patches, triangles, growth);
}

static void city_make(struct making *making)
{
    struct growth *growth = &making->growth;
    u32 side = making->triangles < 5000 ? 2 : making->triangles < 100000 ? 5 : 9;
    struct city city = city_plan(side, making->seed);
    for (u32 i = 0; i < city.count; i++)
        block_build(&city.blocks[i], growth);
    u64 built = (u64)city.count * BLOCK_TRIANGLES, rest = making->triangles - built;
    u64 windows = rest * 4 / 5 / BLOCK_TRIANGLES;
    built += windows_build(&city, windows, making->seed, growth) * BLOCK_TRIANGLES;
    ground_build(side, making->triangles - built, making->seed, growth);
    free(city.blocks);
}

GENERATOR_TYPE(city, "streets, houses with windows, hills around", 500000, materials, city_make)
