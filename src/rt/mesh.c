/* mesh.c - checks that a mesh can be used, every coordinate a number and every corner a vertex;
 * its bounds and size. */
#include "rt/mesh.h"

#include <math.h>
#include <stdlib.h>

bool mesh_check_vertices(const struct mesh *mesh, const char *name, struct ogv_error *error)
{
    for (u32 i = 0; i < mesh->vertex_count; i++)
        for (u32 axis = 0; axis < 3; axis++)
            if (!isfinite(mesh->vertices[i][axis]))
                return error_user(
                    error, "%s: the %c coordinate of vertex %u (of %u, from 0) is not a number",
                    name, "xyz"[axis], i, mesh -> vertex_count);
    return true;
}

bool mesh_check(const struct mesh *mesh, const char *name, struct ogv_error *error)
{
    if (!mesh->triangle_count)
        return error_user(error, "%s: has no triangles", name);
    if (!mesh_check_vertices(mesh, name, error))
        return false;
    for (u32 i = 0; i < mesh->triangle_count; i++)
        for (u32 corner = 0; corner < 3; corner++)
            if (mesh->triangles[i][corner] >= mesh->vertex_count)
                return error_user(
                    error, "%s: triangle %u (of %u, from 0) refers to vertex %u, but there are %u",
                    name, i, mesh->triangle_count, mesh->triangles[i][corner], mesh->vertex_count);
    return true;
}

struct box mesh_bounds(const struct mesh *mesh)
{
    struct box box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (u32 i = 0; i < mesh->vertex_count; i++)
        for (u32 axis = 0; axis < 3; axis++) {
            float at = mesh->vertices[i][axis];
            box.low[axis] = at < box.low[axis] ? at : box.low[axis];
            box.high[axis] = at > box.high[axis] ? at : box.high[axis];
        }
    return box;
}

void transform_point(const float transform[3][4], const float point[3], float out[3])
{
    for (u32 i = 0; i < 3; i++) {
        const float *row = transform[i];
        out[i] = row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3];
    }
}

u64 mesh_bytes(const struct mesh *mesh)
{
    u64 each = sizeof *mesh->triangles + (mesh->materials ? sizeof *mesh->materials : 0);
    return mesh->vertex_count * sizeof *mesh->vertices + mesh->triangle_count * each;
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->materials);
    *mesh = (struct mesh){ 0 };
}
