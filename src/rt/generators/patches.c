/* patches.c - see patches.h.
 *
 * The fineness (cells per length) is found by halving an interval, so that the total is just below
 * what is wanted; then patch after patch is divided somewhat more finely while that still fits. */
#include "rt/generators/patches.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "rt/generators/exact.h"

struct division {
    u32 u, v;
};

void patches_add(struct patches *patches, const struct patch *patch)
{
    patches->items = heap_append(patches->items, patches->count, sizeof *patches->items);
    struct patch *added = &patches->items[patches->count++];
    *added = *patch;
    if (added->turn_cos == 0 && added->turn_sin == 0)
        added->turn_cos = 1;
}

/* ---- How finely ---- */

static u32 cells_of(double length, double fineness, u32 least, u32 multiple)
{
    double wanted = floor(length * fineness + 0.5);
    u32 cells = wanted < 1 ? 1 : wanted > 100000 ? 100000 : (u32)wanted;
    if (multiple && cells >= multiple)
        cells -= cells % multiple;
    return cells < least ? least : cells;
}

static struct division patch_division(const struct patch *patch, double fineness)
{
    return (struct division){
        cells_of(patch->width, fineness, patch->least_u, patch->multiple_u),
        cells_of(patch->height, fineness, patch->least_v, patch->multiple_v),
    };
}

static u64 division_triangles(struct division division)
{
    return 2 * (u64)division.u * division.v;
}

static u64 patches_triangles(const struct patches *patches, double fineness)
{
    u64 sum = 0;
    for (u32 i = 0; i < patches->count; i++)
        sum += division_triangles(patch_division(&patches->items[i], fineness));
    return sum;
}

u64 patches_least(const struct patches *patches)
{
    return patches_triangles(patches, 0);
}

static double fineness_find(const struct patches *patches, u64 triangles)
{
    double low = 0, high = 1e6;
    for (u32 i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (patches_triangles(patches, middle) <= triangles)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct division *divisions_find(const struct patches *patches, u64 triangles)
{
    static const double finer[] = { 1.5, 1.2, 1.1, 1.05, 1.02, 1.01 };
    struct division *divisions = heap_array(patches->count, sizeof *divisions);
    double fineness = fineness_find(patches, triangles);
    u64 sum = 0;
    for (u32 i = 0; i < patches->count; i++) {
        divisions[i] = patch_division(&patches->items[i], fineness);
        sum += division_triangles(divisions[i]);
    }
    for (u32 k = 0; k < sizeof finer / sizeof *finer; k++)
        for (u32 i = 0; i < patches->count; i++) {
            struct division more = patch_division(&patches->items[i], fineness * finer[k]);
            u64 old = division_triangles(divisions[i]), new = division_triangles(more);
            if (new <= old || sum - old + new > triangles)
                continue;
            divisions[i] = more;
            sum += new - old;
        }
    return divisions;
}

/* ---- Triangles ---- */

static u32 patch_vertex(const struct patch *patch, double u, double v, struct growth *growth)
{
    double local[3];
    patch->shape(patch, u, v, local);
    double x = patch->turn_cos * local[0] + patch->turn_sin * local[2] + patch->at[0];
    double z = patch->turn_cos * local[2] - patch->turn_sin * local[0] + patch->at[2];
    return growth_vertex(growth, (float)x, (float)(local[1] + patch->at[1]), (float)z);
}

static u16 cell_material(const struct patch *patch, struct division division, u32 column, u32 row)
{
    if (!patch->other)
        return patch->material;
    u32 square = column * patch->multiple_u / division.u + row * patch->multiple_v / division.v;
    return square % 2 ? patch->other : patch->material;
}

static void patch_build(const struct patch *patch, struct division division, struct growth *growth)
{
    u32 columns = patch->closed ? division.u : division.u + 1;
    u32 first = growth->mesh.vertex_count;
    for (u32 row = 0; row <= division.v && !growth->wrong; row++)
        for (u32 column = 0; column < columns; column++)
            patch_vertex(patch, (double)column / division.u, (double)row / division.v, growth);
    for (u32 row = 0; row < division.v && !growth->wrong; row++)
        for (u32 column = 0; column < division.u; column++) {
            u32 next = patch->closed && column + 1 == division.u ? 0 : column + 1;
            u32 a = first + row * columns + column, b = first + row * columns + next;
            growth->material = cell_material(patch, division, column, row);
            growth_triangle(growth, a, b, b + columns);
            growth_triangle(growth, a, b + columns, a + columns);
        }
}

void patches_build(struct patches *patches, u64 triangles, struct growth *growth)
{
    struct division *divisions = divisions_find(patches, triangles);
    for (u32 i = 0; i < patches->count && !growth->wrong; i++)
        patch_build(&patches->items[i], divisions[i], growth);
    free(divisions);
    free(patches->items);
    *patches = (struct patches){ 0 };
}

/* ---- Shapes ---- */

void shape_flat(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    for (u32 i = 0; i < 3; i++)
        out[i] = p[i] + u * p[3 + i];
    out[(u32)p[6]] += v * p[7];
}

struct patch patch_flat(const double at[3], u32 axis_u, double length_u, u32 axis_v,
                        double length_v, u16 material, double fine)
{
    struct patch patch = { .shape = shape_flat,
                           .p = { at[0], at[1], at[2], 0, 0, 0, axis_v, length_v },
                           .width = fabs(length_u) * fine,
                           .height = fabs(length_v) * fine,
                           .material = material };
    patch.p[3 + axis_u] = length_u;
    return patch;
}

/* Where the profile is after the part v of its points. */
static void profile_at(const struct patch *patch, double v, double *radius, double *height)
{
    double place = v * (patch->profile_count - 1);
    u32 i = (u32)place;
    if (i > patch->profile_count - 2)
        i = patch->profile_count - 2;
    double rest = place - i;
    *radius = patch->profile[i][0] * (1 - rest) + patch->profile[i + 1][0] * rest;
    *height = patch->profile[i][1] * (1 - rest) + patch->profile[i + 1][1] * rest;
}

void shape_revolved(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    double radius, height;
    profile_at(patch, v, &radius, &height);
    if (p[0] > 0 && height > p[2] && height < p[3])
        radius -= p[1] * fabs(exact_sin(p[0] * u / 2));
    out[0] = radius * exact_cos(u);
    out[1] = height;
    out[2] = radius * exact_sin(u);
}

void shape_ellipsoid(const struct patch *patch, double u, double v, double out[3])
{
    u32 face = (u32)patch->p[0], axis = face / 2;
    double cube[3];
    cube[axis] = face % 2 ? 1 : -1;
    /* Tangents of equal angles make cells of nearly equal size. */
    cube[(axis + 1) % 3] = exact_sin((u - 0.5) / 4) / exact_cos((u - 0.5) / 4);
    cube[(axis + 2) % 3] = exact_sin((v - 0.5) / 4) / exact_cos((v - 0.5) / 4);
    double length = sqrt(cube[0] * cube[0] + cube[1] * cube[1] + cube[2] * cube[2]);
    for (u32 i = 0; i < 3; i++)
        out[i] = cube[i] / length * patch->p[1 + i];
}

void patches_add_ellipsoid(struct patches *patches, const double at[3], const double axes[3],
                           u16 material, double fine)
{
    for (u32 face = 0; face < 6; face++) {
        u32 axis = face / 2;
        struct patch patch = { .shape = shape_ellipsoid,
                               .p = { face, axes[0], axes[1], axes[2] },
                               .width = 1.6 * axes[(axis + 1) % 3] * fine,
                               .height = 1.6 * axes[(axis + 2) % 3] * fine,
                               .material = material,
                               .at = { at[0], at[1], at[2] } };
        patches_add(patches, &patch);
    }
}

void patches_add_box(struct patches *patches, const double low[3], const double high[3],
                     u16 material, double fine)
{
    for (u32 face = 0; face < 6; face++) {
        u32 axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double at[3] = { low[0], low[1], low[2] };
        if (face % 2)
            at[axis] = high[axis];
        struct patch patch =
            patch_flat(at, u, high[u] - low[u], v, high[v] - low[v], material, fine);
        patches_add(patches, &patch);
    }
}
