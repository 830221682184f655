/* forest.c - trees with many leaves on hilly ground: a few kinds, each standing many times.
 *
 * A tree is a trunk, branches (tubes of five sides) and leaves (two triangles, folded along the
 * middle) about the branches' ends. Trees are the scene's instances: turned, larger or smaller.
 * What trees do not use goes into the ground. */
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"
#include "rt/generators/patches.h"

enum { EARTH, BARK, BIRCH, FIRST_LEAF };

static const struct material materials[] = {
    { "earth", { 0.24f, 0.26f, 0.12f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "bark", { 0.26f, 0.18f, 0.12f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "birch", { 0.66f, 0.62f, 0.55f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "oak leaf", { 0.16f, 0.34f, 0.07f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "beech leaf", { 0.28f, 0.42f, 0.08f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "autumn leaf", { 0.62f, 0.34f, 0.06f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "maple leaf", { 0.55f, 0.14f, 0.05f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
};

#define KINDS    4
#define SIDES    5
#define RINGS    3 /* of a tube: segments */
#define BRANCHES 14

/* Trees a side, and branches, by how many triangles there are. */
struct plan {
    u32 side, branches;
    u64 leaves; /* of a tree */
    double spacing;
};

static void tube_build(const double from[3], const double to[3], double thick, double thin,
                       struct growth *growth)
{
    u32 first = growth->mesh.vertex_count;
    for (u32 ring = 0; ring <= RINGS; ring++)
        for (u32 side = 0; side < SIDES; side++) {
            double t = (double)ring / RINGS, radius = thick + (thin - thick) * t, at[3];
            for (u32 i = 0; i < 3; i++)
                at[i] = from[i] + (to[i] - from[i]) * t;
            /* Branches sag in the middle. */
            at[1] -= t * (1 - t) * 0.3 * fabs(to[0] - from[0] + to[2] - from[2]);
            double turn = (double)side / SIDES;
            growth_vertex(growth, (float)(at[0] + radius * exact_cos(turn)), (float)at[1],
                          (float)(at[2] + radius * exact_sin(turn)));
        }
    for (u32 ring = 0; ring < RINGS; ring++)
        for (u32 side = 0; side < SIDES; side++) {
            u32 a = first + ring * SIDES + side, b = first + ring * SIDES + (side + 1) % SIDES;
            growth_triangle(growth, a, b, b + SIDES);
            growth_triangle(growth, a, b + SIDES, a + SIDES);
        }
}

static void leaf_build(const double at[3], double size, u64 *state, struct growth *growth)
{
    double turn = random_real(state), tilt = random_between(state, -0.16, 0.16);
    double along[3] = { exact_cos(turn) * exact_cos(tilt), exact_sin(tilt),
                        exact_sin(turn) * exact_cos(tilt) };
    double across[3] = { -exact_sin(turn), random_between(state, -0.5, 0.5), exact_cos(turn) };
    const double corners[4][2] = { { 0, 0 }, { 0.5, 0.35 }, { 1, 0 }, { 0.5, -0.35 } };
    u32 first = growth->mesh.vertex_count;
    for (u32 i = 0; i < 4; i++) {
        double point[3];
        for (u32 k = 0; k < 3; k++)
            point[k] = at[k] + size * (corners[i][0] * along[k] + corners[i][1] * across[k]);
        if (i % 2)
            point[1] += 0.12 * size;
        growth_vertex(growth, (float)point[0], (float)point[1], (float)point[2]);
    }
    growth_triangle(growth, first, first + 1, first + 2);
    growth_triangle(growth, first, first + 2, first + 3);
}

/* Leaves lie in a cloud about the end of a branch, denser outside. */
static void cloud_point(const double centre[3], double radius, u64 *state, double out[3])
{
    double z = random_between(state, -1, 1), turn = random_real(state), r = sqrt(1 - z * z);
    double away = radius * sqrt(random_between(state, 0.15, 1));
    out[0] = centre[0] + away * r * exact_cos(turn);
    out[1] = centre[1] + 0.75 * away * z;
    out[2] = centre[2] + away * r * exact_sin(turn);
}

static void tree_build(const struct plan *plan, u32 kind, u64 seed, struct growth *growth)
{
    u64 state = seed + kind * 77;
    double tall = random_between(&state, 6, 9), clouds[BRANCHES + 1][3], radius[BRANCHES + 1];
    const double foot[3] = { 0, -0.6, 0 }, top[3] = { 0, tall * 0.86, 0 };
    growth->material = kind == 1 ? BIRCH : BARK;
    tube_build(foot, top, 0.28, 0.08, growth);
    for (u32 i = 0; i < plan->branches; i++) {
        double rise = 0.3 + 0.6 * i / plan->branches,
               turn = 0.382 * i + random_between(&state, 0, 0.1);
        double reach = tall * (0.42 - 0.3 * rise) * random_between(&state, 0.8, 1.2);
        const double from[3] = { 0, tall * rise * 0.86, 0 };
        clouds[i][0] = reach * exact_cos(turn);
        clouds[i][1] = tall * (rise + 0.16);
        clouds[i][2] = reach * exact_sin(turn);
        radius[i] = tall * (0.21 - 0.1 * rise);
        tube_build(from, clouds[i], 0.1, 0.03, growth);
    }
    clouds[plan->branches][0] = clouds[plan->branches][2] = 0;
    clouds[plan->branches][1] = tall * 0.95;
    radius[plan->branches] = tall * 0.14;
    double size = 20 / sqrt((double)plan->leaves + 1);
    size = size < 0.05 ? 0.05 : size > 0.9 ? 0.9 : size;
    growth->material = (u16)(FIRST_LEAF + kind);
    for (u64 i = 0; i < plan->leaves && !growth->wrong; i++) {
        u64 cloud = random_below(&state, plan->branches + 1);
        double at[3];
        cloud_point(clouds[cloud], radius[cloud], &state, at);
        leaf_build(at, size * random_between(&state, 0.7, 1.3), &state, growth);
    }
}

static double ground_height(double x, double z, u64 seed)
{
    return 7 * noise(x / 40, z / 40, seed) + 1.2 * noise(x / 9, z / 9, seed + 1) - 4;
}

/* p[0]: half its edge, p[1]: the seed. */
static void shape_ground(const struct patch *patch, double u, double v, double out[3])
{
    out[0] = (2 * u - 1) * patch->p[0];
    out[2] = (2 * v - 1) * patch->p[0];
    out[1] = ground_height(out[0], out[2], (u64)patch->p[1]);
}

static struct plan plan_make(u64 triangles)
{
    struct plan plan = { .side = triangles < 5000     ? 3
                                 : triangles < 300000 ? 7
                                                      : 16,
                         .branches = triangles < 60000 ? 1 : BRANCHES,
                         .spacing = 6 };
    u64 trees = (u64)plan.side * plan.side, wood = (plan.branches + 1) * 2 * SIDES * RINGS;
    plan.leaves = (triangles * 19 / 20 / trees - wood) / 2;
    return plan;
}

static void tree_place(struct making *making, const struct plan *plan, const struct mesh *tree,
                       u32 kind, double x, double z, u64 *state)
{
    double turn = random_real(state), size = random_between(state, 0.75, 1.25);
    x += plan->spacing * random_between(state, -0.32, 0.32);
    z += plan->spacing * random_between(state, -0.32, 0.32);
    float c = (float)(size * exact_cos(turn)), s = (float)(size * exact_sin(turn));
    u64 seed = making->seed % 1000000;
    const float transform[3][4] = { { c, 0, s, (float)x },
                                    { 0, (float)size, 0, (float)ground_height(x, z, seed) },
                                    { -s, 0, c, (float)z } };
    if (making->scene)
        scene_add_instance(making->scene, kind, making->growth.mesh.triangle_count, transform);
    growth_place(&making->growth, tree, transform);
}

/* All trees of one kind. */
static void kind_place(struct making *making, const struct plan *plan, const struct mesh *tree,
                       u32 kind)
{
    u64 state = making->seed + 0xf07e57;
    double middle = (plan->side - 1) / 2.0;
    for (u32 row = 0; row < plan->side; row++)
        for (u32 column = 0; column < plan->side; column++) {
            u32 chosen = (u32)random_below(&state, KINDS);
            u64 own = random_next(&state);
            if (chosen == kind)
                tree_place(making, plan, tree, kind, (column - middle) * plan->spacing,
                           (row - middle) * plan->spacing, &own);
        }
}

static void forest_make(struct making *making)
{
    struct plan plan = plan_make(making->triangles);
    for (u32 kind = 0; kind < KINDS; kind++) {
        struct growth tree = { 0 };
        tree_build(&plan, kind, making->seed, &tree);
        kind_place(making, &plan, &tree.mesh, kind);
        if (tree.wrong)
            making->growth.wrong = tree.wrong;
        if (making->scene)
            scene_add_part(making->scene, &tree.mesh);
        growth_fini(&tree);
    }
    struct patches patches = { 0 };
    struct patch ground = { .shape = shape_ground,
                            .p = { plan.side * plan.spacing, (double)(making->seed % 1000000) },
                            .width = 1,
                            .height = 1,
                            .material = EARTH };
    patches_add(&patches, &ground);
    u64 used = making->growth.mesh.triangle_count;
    patches_build(&patches, making->triangles > used ? making->triangles - used : 2,
                  &making->growth);
}

GENERATOR_TYPE(forest, "trees with many leaves, as instances, on hilly ground", 2000000, materials,
               forest_make)
