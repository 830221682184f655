/* lamps.c - finds the triangles that glow and sums their power one after the other, so that a
 * number up to the last sum chooses one. */
#include "rt/lamps.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* Radiance as the eye sees it. */
static float triangle_glow(const struct scene *scene, u32 triangle)
{
    u32 number = scene->mesh.materials ? scene->mesh.materials[triangle] : 0;
    const float *glow = scene->materials[number < scene->material_count ? number : 0].emission;
    return 0.2126f * glow[0] + 0.7152f * glow[1] + 0.0722f * glow[2];
}

static float triangle_area(const struct mesh *mesh, u32 triangle)
{
    const u32 *corners = mesh->triangles[triangle];
    float a[3], b[3], square = 0;
    for (u32 i = 0; i < 3; i++) {
        a[i] = mesh->vertices[corners[1]][i] - mesh->vertices[corners[0]][i];
        b[i] = mesh->vertices[corners[2]][i] - mesh->vertices[corners[0]][i];
    }
    for (u32 i = 0; i < 3; i++) {
        u32 j = (i + 1) % 3, k = (i + 2) % 3;
        float n = a[j] * b[k] - a[k] * b[j];
        square += n * n;
    }
    return 0.5f * sqrtf(square);
}

void lamps_find(const struct scene *scene, struct lamps *lamps)
{
    const struct mesh *mesh = &scene->mesh;
    *lamps = (struct lamps){ 0 };
    for (u32 i = 0; i < mesh->triangle_count; i++)
        lamps->count += triangle_glow(scene, i) > 0;
    lamps->triangles = heap_array(lamps->count, sizeof *lamps->triangles);
    lamps->sums = heap_array(lamps->count, sizeof *lamps->sums);
    for (u32 i = 0, lamp = 0; i < mesh->triangle_count; i++) {
        float glow = triangle_glow(scene, i);
        if (!(glow > 0))
            continue;
        lamps->power += glow * triangle_area(mesh, i);
        lamps->triangles[lamp] = i;
        lamps->sums[lamp++] = lamps->power;
    }
}

void lamps_free(struct lamps *lamps)
{
    free(lamps->triangles);
    free(lamps->sums);
    *lamps = (struct lamps){ 0 };
}
