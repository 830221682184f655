/* unpacked.c - see unpacked.h. A file of the cache has the numbers of vertices and triangles, then
 * both. */
#include "rt/unpacked.h"

#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/source.h"
#include "rt/ply.h"

#define KIND "mesh"

struct header {
    u32 vertex_count, triangle_count;
};

/* The name of what this file is unpacked; false if it cannot be read. */
static bool unpacked_name(const char *path, char name[CACHE_NAME_BYTES])
{
    char digits[HASH_TEXT_BYTES];
    if (!hash_file(path, digits))
        return false;
    struct hash *key = cache_key(KIND);
    hash_add_text(key, digits);
    cache_name(key, KIND, name);
    return true;
}

static void arrays_of(const struct mesh *mesh, struct cache_part arrays[2])
{
    arrays[0] =
        (struct cache_part){ mesh->vertices, (u64)mesh->vertex_count * sizeof *mesh->vertices };
    arrays[1] =
        (struct cache_part){ mesh->triangles, (u64)mesh->triangle_count * sizeof *mesh->triangles };
}

static bool contents_take(struct cache_file *file, struct mesh *mesh)
{
    struct header header;
    struct cache_part arrays[2];
    if (!cache_take(file, &header, sizeof header))
        return false;
    mesh->vertex_count = header.vertex_count;
    mesh->triangle_count = header.triangle_count;
    arrays_of(mesh, arrays);
    if (file->left != arrays[0].length + arrays[1].length)
        return false;
    mesh->vertices = malloc(arrays[0].length + MESH_SPARE_BYTES);
    mesh->triangles = malloc(arrays[1].length + MESH_SPARE_BYTES);
    return mesh->vertices && mesh->triangles &&
           cache_take(file, mesh->vertices, arrays[0].length) &&
           cache_take(file, mesh->triangles, arrays[1].length);
}

static bool unpacked_take(const char *name, struct mesh *mesh)
{
    struct cache_file file;
    *mesh = (struct mesh){ 0 };
    if (!cache_open(&file, name))
        return false;
    bool taken = contents_take(&file, mesh);
    if (cache_close(&file) && taken && mesh_check(mesh, name, NULL))
        return true;
    mesh_free(mesh);
    return false;
}

static void unpacked_put(const char *name, const struct mesh *mesh)
{
    struct header header = { mesh->vertex_count, mesh->triangle_count };
    struct cache_part parts[3] = { { &header, sizeof header } };
    arrays_of(mesh, parts + 1);
    cache_put(name, parts, 3);
}

bool unpacked_load(const char *path, struct mesh *mesh, bool *other, struct ogv_error *error)
{
    char name[CACHE_NAME_BYTES], after[CACHE_NAME_BYTES];
    bool kept = source_is_packed(path) && cache_is_on() && unpacked_name(path, name);
    *other = false;
    if (kept && unpacked_take(name, mesh))
        return true;
    if (!ply_load(path, mesh, other, error))
        return false;
    /* Somebody may have written to the file while it was read. */
    if (kept && !*other && unpacked_name(path, after) && !strcmp(name, after))
        unpacked_put(name, mesh);
    return true;
}
