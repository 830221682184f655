/* builder.c - see builder.h. Arrays double when they are full; what they take beyond their contents
 * is given back at the end. */
#include "rt/builder.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/stop.h"

#define COUNT_MAX  (UINT32_MAX - 1)
#define FIRST_ROOM 1024
#define STOP_STEP  16384 /* vertices or triangles */

u64 memory_there_is(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (u64)pages * (u64)bytes : UINT64_MAX;
}

static u64 builder_limit(const struct builder *builder)
{
    return builder->limit ? builder->limit : memory_there_is();
}

static u64 bytes_of(u64 vertices, u64 triangles)
{
    return vertices * sizeof(float[3]) + triangles * (sizeof(u32[3]) + sizeof(u16)) +
           MESH_SPARE_BYTES;
}

bool builder_expect(const struct builder *builder, u64 vertices, u64 triangles, const char *name,
                    struct ogv_error *error)
{
    if (vertices > COUNT_MAX || triangles > COUNT_MAX)
        return error_user(error, "%s: has %llu %s; there can be %u at most", name,
                          (unsigned long long)(vertices > COUNT_MAX ? vertices : triangles),
                          vertices > COUNT_MAX ? "vertices" : "triangles", COUNT_MAX);
    double need = (double)bytes_of(vertices, triangles), have = (double)builder_limit(builder);
    if (need > have)
        return error_system(error,
                            "%s: is too large: %llu vertices and %llu triangles need %.1f GiB of "
                            "memory, there are %.1f GiB",
                            name, (unsigned long long)vertices, (unsigned long long)triangles,
                            need / (double)GiB, have / (double)GiB);
    return true;
}

static bool builder_fail(struct builder *builder, const char *wrong)
{
    if (!builder->wrong)
        builder->wrong = wrong;
    return false;
}

/* More room in an array, by doubling. */
static bool builder_grow(struct builder *builder, void *array, u32 *room, size_t size)
{
    if (*room == COUNT_MAX)
        return builder_fail(builder, "has more than 4294967294 vertices or triangles");
    u64 wanted = min_u64(*room ? 2 * (u64)*room : FIRST_ROOM, COUNT_MAX);
    void **place = array;
    void *larger = realloc(*place, wanted * size + MESH_SPARE_BYTES);
    if (!larger)
        return builder_fail(builder, "is too large for the memory of this machine");
    *place = larger;
    *room = (u32)wanted;
    return true;
}

/* Before an array grows. */
static bool builder_may_grow(struct builder *builder)
{
    if (builder->wrong)
        return false;
    if (bytes_of(builder->mesh.vertex_count, builder->mesh.triangle_count) > builder_limit(builder))
        return builder_fail(builder, "is too large for the memory of this machine");
    return true;
}

/* Looked at now and then. */
static bool builder_goes_on(struct builder *builder, u32 count)
{
    if (count % STOP_STEP == 0 && stop_asked())
        builder_fail(builder, "making or reading it was interrupted");
    return !builder->wrong;
}

u32 builder_vertex(struct builder *builder, float x, float y, float z)
{
    struct mesh *mesh = &builder->mesh;
    if (!builder_goes_on(builder, mesh->vertex_count))
        return 0;
    if (mesh->vertex_count == builder->vertex_room &&
        !(builder_may_grow(builder) &&
          builder_grow(builder, &mesh->vertices, &builder->vertex_room, sizeof *mesh->vertices)))
        return 0;
    float *vertex = mesh->vertices[mesh->vertex_count];
    vertex[0] = x;
    vertex[1] = y;
    vertex[2] = z;
    return mesh->vertex_count++;
}

/* A mesh of one material keeps no list of them. */
static bool builder_add_materials(struct builder *builder)
{
    builder->mesh.materials = calloc(builder->triangle_room, sizeof *builder->mesh.materials);
    return builder->mesh.materials ||
           builder_fail(builder, "is too large for the memory of this machine");
}

static bool builder_grow_triangles(struct builder *builder)
{
    struct mesh *mesh = &builder->mesh;
    u32 room = builder->triangle_room;
    if (!builder_may_grow(builder) ||
        !builder_grow(builder, &mesh->triangles, &room, sizeof *mesh->triangles))
        return false;
    u32 also = builder->triangle_room;
    if (mesh->materials && !builder_grow(builder, &mesh->materials, &also, sizeof *mesh->materials))
        return false;
    builder->triangle_room = room;
    return true;
}

void builder_triangle(struct builder *builder, u32 a, u32 b, u32 c)
{
    struct mesh *mesh = &builder->mesh;
    if (!builder_goes_on(builder, mesh->triangle_count))
        return;
    if (mesh->triangle_count == builder->triangle_room && !builder_grow_triangles(builder))
        return;
    if (builder->material && !mesh->materials && !builder_add_materials(builder))
        return;
    u32 *triangle = mesh->triangles[mesh->triangle_count];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    if (mesh->materials)
        mesh->materials[mesh->triangle_count] = builder->material;
    mesh->triangle_count++;
}

static bool builder_fits(struct builder *builder, const struct mesh *mesh)
{
    u64 vertices = (u64)builder->mesh.vertex_count + mesh->vertex_count;
    u64 triangles = (u64)builder->mesh.triangle_count + mesh->triangle_count;
    if (vertices > COUNT_MAX || triangles > COUNT_MAX)
        return builder_fail(builder, "has more than 4294967294 vertices or triangles");
    return !builder->wrong;
}

void builder_place(struct builder *builder, const struct mesh *mesh, const float transform[3][4])
{
    u32 first = builder->mesh.vertex_count;
    u16 own = builder->material;
    if (!builder_fits(builder, mesh))
        return;
    for (u32 i = 0; i < mesh->vertex_count; i++) {
        float at[3];
        transform_point(transform, mesh->vertices[i], at);
        builder_vertex(builder, at[0], at[1], at[2]);
    }
    for (u32 i = 0; i < mesh->triangle_count; i++) {
        const u32 *corners = mesh->triangles[i];
        builder->material = mesh->materials ? mesh->materials[i] : own;
        builder_triangle(builder, first + corners[0], first + corners[1], first + corners[2]);
    }
    builder->material = own;
}

static void array_trim(void *array, u64 bytes)
{
    void **place = array;
    void *smaller = *place ? realloc(*place, bytes + MESH_SPARE_BYTES) : NULL;
    if (smaller)
        *place = smaller;
}

bool builder_finish(struct builder *builder, const char *name, struct mesh *mesh,
                    struct ogv_error *error)
{
    struct mesh *made = &builder->mesh;
    bool good = !builder->wrong || error_system(error, "%s: %s", name, builder->wrong);
    if (!good || !mesh_check(made, name, error)) {
        builder_fini(builder);
        return false;
    }
    array_trim(&made->vertices, made->vertex_count * sizeof *made->vertices);
    array_trim(&made->triangles, made->triangle_count * sizeof *made->triangles);
    if (made->materials)
        array_trim(&made->materials, made->triangle_count * sizeof *made->materials);
    *mesh = *made;
    *builder = (struct builder){ 0 };
    return true;
}

void builder_fini(struct builder *builder)
{
    mesh_free(&builder->mesh);
    *builder = (struct builder){ 0 };
}
