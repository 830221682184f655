/* spheres.c - many spheres of stone, metal and glass lie about on a chequered floor.
 *
 * They are put down one by one where there is room, the large ones first. */
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"
#include "rt/generators/patches.h"

enum { LIGHT, DARK, METAL, GOLD, GLASS, FIRST_COLOUR };

static const struct material materials[] = {
    { "light floor", { 0.75f, 0.72f, 0.66f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "dark floor", { 0.12f, 0.13f, 0.15f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "metal", { 0.92f, 0.92f, 0.93f }, { 0 }, SURFACE_MIRROR, 1.5f },
    { "gold", { 0.95f, 0.7f, 0.3f }, { 0 }, SURFACE_MIRROR, 1.5f },
    { "glass", { 0.97f, 0.99f, 0.98f }, { 0 }, SURFACE_GLASS, 1.5f },
    { "coral", { 0.8f, 0.25f, 0.18f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "teal", { 0.08f, 0.42f, 0.45f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "ochre", { 0.75f, 0.5f, 0.12f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "chalk", { 0.8f, 0.8f, 0.78f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "violet", { 0.32f, 0.16f, 0.48f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
};

#define MATERIALS (sizeof materials / sizeof *materials)
#define FIELD     10.0
#define BALLS     64
#define TRIES     400

struct ball {
    double x, z, radius;
};

static bool ball_fits(const struct ball *balls, u32 count, struct ball ball)
{
    for (u32 i = 0; i < count; i++) {
        double dx = ball.x - balls[i].x, dz = ball.z - balls[i].z;
        /* Two balls on a floor touch where this is four times the product of their radii. */
        if (dx * dx + dz * dz < 4.1 * ball.radius * balls[i].radius)
            return false;
    }
    return true;
}

static void spheres_make(struct making *making)
{
    struct patches patches = { 0 };
    struct ball balls[BALLS];
    u64 state = making->seed + 0x5be7e5;
    const double corner[3] = { -FIELD, 0, -FIELD };
    struct patch floor = patch_flat(corner, 0, 2 * FIELD, 2, 2 * FIELD, LIGHT, 0.15);
    floor.other = DARK;
    floor.multiple_u = floor.multiple_v = making->triangles < 4000 ? 4 : 20;
    floor.least_u = floor.least_v = floor.multiple_u;
    patches_add(&patches, &floor);
    for (u32 count = 0, tries = 0; count < BALLS && tries < TRIES; tries++) {
        double radius = count < 5 ? 1.4 : count < 20 ? 0.7 : 0.32;
        double reach = count < 5 ? 3.5 : FIELD - 3;
        struct ball ball = { random_between(&state, -reach, reach),
                             random_between(&state, -reach, reach),
                             radius * random_between(&state, 0.85, 1.15) };
        if (!ball_fits(balls, count, ball))
            continue;
        const double at[3] = { ball.x, ball.radius, ball.z };
        const double axes[3] = { ball.radius, ball.radius, ball.radius };
        u16 material = (u16)(METAL + (count < 5 ? count : random_below(&state, MATERIALS - METAL)));
        patches_add_ellipsoid(&patches, at, axes, material, 1);
        balls[count++] = ball;
    }
    patches_build(&patches, making->triangles, &making->growth);
}

GENERATOR_TYPE(spheres, "spheres of stone, metal and glass on a chequered floor", 200000, materials,
               spheres_make)
