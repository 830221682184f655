/* growth.c - see growth.h. Arrays double when they are full; what they take beyond their contents
 * is given back at the end. */
#include "rt/growth.h"

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

static u64 growth_limit(const struct growth *growth)
{
    return growth->limit ? growth->limit : memory_there_is();
}

static u64 bytes_of(u64 vertices, u64 triangles)
{
    return vertices * sizeof(float[3]) + triangles * (sizeof(u32[3]) + sizeof(u16)) +
           MESH_SPARE_BYTES;
}

bool growth_expect(const struct growth *growth, u64 vertices, u64 triangles, const char *name,
                   struct ogv_error *error)
{
    if (vertices > COUNT_MAX || triangles > COUNT_MAX)
        return error_user(error, "%s: has %llu %s; there can be %u at most", name,
                          (unsigned long long)(vertices > COUNT_MAX ? vertices : triangles),
                          vertices > COUNT_MAX ? "vertices" : "triangles", COUNT_MAX);
    double need = (double)bytes_of(vertices, triangles), have = (double)growth_limit(growth);
    if (need > have)
        return error_system(error,
                            "%s: is too large: %llu vertices and %llu triangles need %.1f GiB of "
                            "memory, there are %.1f GiB",
                            name, (unsigned long long)vertices, (unsigned long long)triangles,
                            need / (double)GiB, have / (double)GiB);
    return true;
}

static bool growth_fail(struct growth *growth, const char *wrong)
{
    if (!growth->wrong)
        growth->wrong = wrong;
    return false;
}

/* More room in an array, by doubling. */
static bool growth_grow(struct growth *growth, void *array, u32 *room, size_t size)
{
    if (*room == COUNT_MAX)
        return growth_fail(growth, "has more than 4294967294 vertices or triangles");
    u64 wanted = min_u64(*room ? 2 * (u64)*room : FIRST_ROOM, COUNT_MAX);
    void **place = array;
    void *larger = realloc(*place, wanted * size + MESH_SPARE_BYTES);
    if (!larger)
        return growth_fail(growth, "is too large for the memory of this machine");
    *place = larger;
    *room = (u32)wanted;
    return true;
}

/* Before an array grows. */
static bool growth_may_grow(struct growth *growth)
{
    if (growth->wrong)
        return false;
    if (bytes_of(growth->mesh.vertex_count, growth->mesh.triangle_count) > growth_limit(growth))
        return growth_fail(growth, "is too large for the memory of this machine");
    return true;
}

/* Looked at now and then. */
static bool growth_goes_on(struct growth *growth, u32 count)
{
    if (count % STOP_STEP == 0 && stop_asked())
        growth_fail(growth, "making or reading it was interrupted");
    return !growth->wrong;
}

u32 growth_vertex(struct growth *growth, float x, float y, float z)
{
    struct mesh *mesh = &growth->mesh;
    if (!growth_goes_on(growth, mesh->vertex_count))
        return 0;
    if (mesh->vertex_count == growth->vertex_room &&
        !(growth_may_grow(growth) &&
          growth_grow(growth, &mesh->vertices, &growth->vertex_room, sizeof *mesh->vertices)))
        return 0;
    float *vertex = mesh->vertices[mesh->vertex_count];
    vertex[0] = x;
    vertex[1] = y;
    vertex[2] = z;
    return mesh->vertex_count++;
}

/* A mesh of one material keeps no list of them. */
static bool growth_add_materials(struct growth *growth)
{
    growth->mesh.materials = calloc(growth->triangle_room, sizeof *growth->mesh.materials);
    return growth->mesh.materials ||
           growth_fail(growth, "is too large for the memory of this machine");
}

static bool growth_grow_triangles(struct growth *growth)
{
    struct mesh *mesh = &growth->mesh;
    u32 room = growth->triangle_room;
    if (!growth_may_grow(growth) ||
        !growth_grow(growth, &mesh->triangles, &room, sizeof *mesh->triangles))
        return false;
    u32 also = growth->triangle_room;
    if (mesh->materials && !growth_grow(growth, &mesh->materials, &also, sizeof *mesh->materials))
        return false;
    growth->triangle_room = room;
    return true;
}

void growth_triangle(struct growth *growth, u32 a, u32 b, u32 c)
{
    struct mesh *mesh = &growth->mesh;
    if (!growth_goes_on(growth, mesh->triangle_count))
        return;
    if (mesh->triangle_count == growth->triangle_room && !growth_grow_triangles(growth))
        return;
    if (growth->material && !mesh->materials && !growth_add_materials(growth))
        return;
    u32 *triangle = mesh->triangles[mesh->triangle_count];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    if (mesh->materials)
        mesh->materials[mesh->triangle_count] = growth->material;
    mesh->triangle_count++;
}

static bool growth_fits(struct growth *growth, const struct mesh *mesh)
{
    u64 vertices = (u64)growth->mesh.vertex_count + mesh->vertex_count;
    u64 triangles = (u64)growth->mesh.triangle_count + mesh->triangle_count;
    if (vertices > COUNT_MAX || triangles > COUNT_MAX)
        return growth_fail(growth, "has more than 4294967294 vertices or triangles");
    return !growth->wrong;
}

void growth_place(struct growth *growth, const struct mesh *mesh, const float transform[3][4])
{
    u32 first = growth->mesh.vertex_count;
    u16 own = growth->material;
    if (!growth_fits(growth, mesh))
        return;
    for (u32 i = 0; i < mesh->vertex_count; i++) {
        float at[3];
        transform_point(transform, mesh->vertices[i], at);
        growth_vertex(growth, at[0], at[1], at[2]);
    }
    for (u32 i = 0; i < mesh->triangle_count; i++) {
        const u32 *corners = mesh->triangles[i];
        growth->material = mesh->materials ? mesh->materials[i] : own;
        growth_triangle(growth, first + corners[0], first + corners[1], first + corners[2]);
    }
    growth->material = own;
}

static void array_trim(void *array, u64 bytes)
{
    void **place = array;
    void *smaller = *place ? realloc(*place, bytes + MESH_SPARE_BYTES) : NULL;
    if (smaller)
        *place = smaller;
}

bool growth_finish(struct growth *growth, const char *name, struct mesh *mesh,
                   struct ogv_error *error)
{
    struct mesh *made = &growth->mesh;
    bool good = !growth->wrong || error_system(error, "%s: %s", name, growth->wrong);
    if (!good || !mesh_check(made, name, error)) {
        growth_fini(growth);
        return false;
    }
    array_trim(&made->vertices, made->vertex_count * sizeof *made->vertices);
    array_trim(&made->triangles, made->triangle_count * sizeof *made->triangles);
    if (made->materials)
        array_trim(&made->materials, made->triangle_count * sizeof *made->materials);
    *mesh = *made;
    *growth = (struct growth){ 0 };
    return true;
}

void growth_fini(struct growth *growth)
{
    mesh_free(&growth->mesh);
    *growth = (struct growth){ 0 };
}
