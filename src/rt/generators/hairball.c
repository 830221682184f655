/* hairball.c - thin curved tubes that leave a core in all directions: the worst case for boxes
 * around triangles.
 *
 * A hair is a tube of three sides. It goes outwards and winds about its way; its thickness falls to
 * a third at the tip. What does not make up a whole hair goes into the core. */
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"
#include "rt/generators/patches.h"

enum { CORE, FIRST_HAIR };

static const struct material materials[] = {
    { "core", { 0.25f, 0.18f, 0.14f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "chestnut", { 0.5f, 0.27f, 0.13f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "auburn", { 0.62f, 0.34f, 0.16f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "straw", { 0.75f, 0.56f, 0.3f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
};

#define SIDES  3
#define CORE_R 0.45

struct hair {
    double out[3], side[3], other[3]; /* at right angles to one another, of length 1 */
    double length, curl, winds, phase, thick;
};

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (u32 i = 0; i < 3; i++)
        v[i] /= length;
}

static struct hair hair_make(u64 *state, u64 hairs)
{
    struct hair hair = { 0 };
    double z = random_between(state, -1, 1), turn = random_real(state), r = sqrt(1 - z * z);
    hair.out[0] = r * exact_cos(turn);
    hair.out[1] = z;
    hair.out[2] = r * exact_sin(turn);
    u32 least = 0;
    for (u32 i = 1; i < 3; i++)
        least = fabs(hair.out[i]) < fabs(hair.out[least]) ? i : least;
    double axis[3] = { 0 };
    axis[least] = 1;
    cross(hair.out, axis, hair.side);
    normalise(hair.side);
    cross(hair.out, hair.side, hair.other);
    hair.length = random_between(state, 1.1, 1.6);
    hair.curl = random_between(state, 0.1, 0.35);
    hair.winds = random_between(state, 0.5, 2.5);
    hair.phase = random_real(state);
    hair.thick = 0.35 / sqrt((double)hairs);
    if (hair.thick > 0.03)
        hair.thick = 0.03;
    return hair;
}

static void hair_point(const struct hair *hair, double t, u32 corner, double out[3])
{
    double along = CORE_R * 0.9 + t * hair->length, bend = hair->curl * t * sqrt(t);
    double turn = hair->phase + hair->winds * t;
    double thick = hair->thick * (1 - 0.67 * t), around = (double)corner / SIDES;
    double u = bend * exact_cos(turn) + thick * exact_cos(around);
    double v = bend * exact_sin(turn) + thick * exact_sin(around);
    for (u32 i = 0; i < 3; i++)
        out[i] = hair->out[i] * along + hair->side[i] * u + hair->other[i] * v;
}

static void hair_build(const struct hair *hair, u32 segments, struct growth *growth)
{
    u32 first = growth->mesh.vertex_count;
    for (u32 i = 0; i <= segments; i++)
        for (u32 corner = 0; corner < SIDES; corner++) {
            double at[3];
            hair_point(hair, (double)i / segments, corner, at);
            growth_vertex(growth, (float)at[0], (float)at[1], (float)at[2]);
        }
    for (u32 i = 0; i < segments; i++)
        for (u32 corner = 0; corner < SIDES; corner++) {
            u32 a = first + i * SIDES + corner, b = first + i * SIDES + (corner + 1) % SIDES;
            growth_triangle(growth, a, b, b + SIDES);
            growth_triangle(growth, a, b + SIDES, a + SIDES);
        }
}

static void hairball_make(struct making *making)
{
    u64 state = making->seed + 0x4a17;
    u32 segments = making->triangles < 20000 ? 6 : making->triangles < 400000 ? 16 : 32;
    u64 each = 2 * SIDES * segments, hairs = making->triangles * 19 / 20 / each;
    struct growth *growth = &making->growth;
    for (u64 i = 0; i < hairs && !growth->wrong; i++) {
        struct hair hair = hair_make(&state, hairs);
        growth->material = (u16)(FIRST_HAIR + random_below(&state, 3));
        hair_build(&hair, segments, growth);
    }
    struct patches core = { 0 };
    const double centre[3] = { 0, 0, 0 }, axes[3] = { CORE_R, CORE_R, CORE_R };
    patches_add_ellipsoid(&core, centre, axes, CORE, 1);
    patches_build(&core, making->triangles - hairs * each, growth);
}

GENERATOR_TYPE(hairball, "thin curved tubes in all directions", 1000000, materials, hairball_make)
