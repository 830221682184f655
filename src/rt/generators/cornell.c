/* cornell.c - the box of Goral et al. 1984 ("Modeling the interaction of light between diffuse
 * surfaces"), in the measures of Cornell's later data: a white room 5.5 wide, a red and a green
 * wall, a lamp, a tall block, and spheres of metal and of glass instead of the short one. */
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"
#include "rt/generators/patches.h"

enum { WHITE, RED, GREEN, LAMP, METAL, GLASS };

static const struct material materials[] = {
    { "white", { 0.73f, 0.73f, 0.71f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "red", { 0.63f, 0.06f, 0.05f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "green", { 0.14f, 0.45f, 0.09f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "lamp", { 0.78f, 0.78f, 0.78f }, { 17.0f, 12.0f, 6.5f }, SURFACE_DIFFUSE, 1.5f },
    { "metal", { 0.9f, 0.88f, 0.82f }, { 0 }, SURFACE_MIRROR, 1.5f },
    { "glass", { 0.98f, 0.99f, 0.98f }, { 0 }, SURFACE_GLASS, 1.5f },
};

#define SIDE 5.5

static void add_flat(struct patches *patches, double x, double y, double z, u32 axis_u, double u,
                     u32 axis_v, double v, u16 material)
{
    const double at[3] = { x, y, z };
    struct patch patch = patch_flat(at, axis_u, u, axis_v, v, material, 1);
    patches_add(patches, &patch);
}

static void add_room(struct patches *patches)
{
    add_flat(patches, 0, 0, 0, 0, SIDE, 2, SIDE, WHITE);
    add_flat(patches, 0, SIDE, 0, 0, SIDE, 2, SIDE, WHITE);
    add_flat(patches, 0, 0, SIDE, 0, SIDE, 1, SIDE, WHITE);
    add_flat(patches, SIDE, 0, 0, 2, SIDE, 1, SIDE, RED);
    add_flat(patches, 0, 0, 0, 2, SIDE, 1, SIDE, GREEN);
    add_flat(patches, 2.13, SIDE - 0.01, 2.27, 0, 1.3, 2, 1.05, LAMP);
}

/* A block that stands turned: five sides, without the bottom. */
static void add_block(struct patches *patches, double x, double z, double turn, double side,
                      double height, u16 material)
{
    double half = side / 2;
    const double starts[5][3] = { { -half, 0, -half },
                                  { -half, 0, half },
                                  { -half, 0, -half },
                                  { half, 0, -half },
                                  { -half, height, -half } };
    static const u32 axes[5][2] = { { 0, 1 }, { 0, 1 }, { 2, 1 }, { 2, 1 }, { 0, 2 } };
    for (u32 i = 0; i < 5; i++) {
        double rise = axes[i][1] == 1 ? height : side;
        struct patch patch = patch_flat(starts[i], axes[i][0], side, axes[i][1], rise, material, 1);
        patch.turn_cos = exact_cos(turn);
        patch.turn_sin = exact_sin(turn);
        patch.at[0] = x;
        patch.at[2] = z;
        patches_add(patches, &patch);
    }
}

static void cornell_make(struct making *making)
{
    struct patches patches = { 0 };
    u64 state = making->seed;
    /* With the seed 0 everything stands where it belongs. */
    double shift = making->seed ? random_between(&state, -0.25, 0.25) : 0;
    const double glass_at[3] = { 1.45 + shift, 0.85, 1.7 }, glass[3] = { 0.85, 0.85, 0.85 };
    const double metal_at[3] = { 3.75, 3.3 + 0.7, 3.55 + shift }, metal[3] = { 0.7, 0.7, 0.7 };
    add_room(&patches);
    add_block(&patches, 3.75, 3.55 + shift, -0.048, 1.65, 3.3, WHITE);
    patches_add_ellipsoid(&patches, glass_at, glass, GLASS, 4);
    patches_add_ellipsoid(&patches, metal_at, metal, METAL, 4);
    patches_build(&patches, making->triangles, &making->growth);
}

GENERATOR_TYPE(cornell, "the Cornell box, with a metal and a glass sphere", 10000, materials,
               cornell_make)
