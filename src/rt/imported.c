/* imported.c - see imported.h.
 *
 * The file is a header, then the materials, the instances, and the meshes: the scene's first, then
 * one per part, each as its own header and arrays. After an error it is a header and the message.
 */
#include "rt/imported.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/* Another version of the program may be asked to import. The number goes up with each change of
 * what follows. */
#define MAGIC "ogive import 1\n"

struct header {
    char magic[16];
    u32 material_bytes, instance_bytes; /* of one */
    u32 material_count, instance_count, part_count;
    u32 error_kind; /* 0: none */
};

struct mesh_header {
    u32 vertex_count, triangle_count;
    u64 has_materials;
};

/* ---- Writing ---- */

static bool mesh_write(int file, const struct mesh *mesh)
{
    struct mesh_header header = { mesh->vertex_count, mesh->triangle_count, !!mesh->materials };
    return descriptor_write(file, &header, sizeof header) &&
           descriptor_write(file, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices) &&
           descriptor_write(file, mesh->triangles,
                            mesh->triangle_count * sizeof *mesh->triangles) &&
           (!mesh->materials || descriptor_write(file, mesh->materials,
                                                 mesh->triangle_count * sizeof *mesh->materials));
}

static bool scene_write(int file, const struct scene *scene)
{
    u64 materials = scene->material_count * sizeof *scene->materials;
    u64 instances = scene->instance_count * sizeof *scene->instances;
    bool good = descriptor_write(file, scene->materials, materials) &&
                descriptor_write(file, scene->instances, instances) &&
                mesh_write(file, &scene->mesh);
    for (u32 i = 0; good && i < scene->part_count; i++)
        good = mesh_write(file, &scene->parts[i]);
    return good;
}

bool imported_write(int file, const struct scene *scene, const struct ogv_error *error)
{
    struct header header = { .material_bytes = sizeof *scene->materials,
                             .instance_bytes = sizeof *scene->instances };
    if (scene) {
        header.material_count = scene->material_count;
        header.instance_count = scene->instance_count;
        header.part_count = scene->part_count;
    } else {
        header.error_kind = error->kind;
    }
    if (!descriptor_write(file, &header, sizeof header) ||
        !(scene ? scene_write(file, scene)
                : descriptor_write(file, error->message, sizeof error->message)))
        return false;
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    return pwrite(file, &header, sizeof header, 0) == (ssize_t)sizeof header;
}

/* ---- Reading ---- */

struct reading {
    int file;
    u64 left; /* bytes of the file */
    const char *path;
    struct ogv_error *error;
};

static bool reading_fail(const struct reading *reading, const char *what)
{
    return error_system(reading->error, "%s: cannot be imported: %s", reading->path, what);
}

static bool reading_take(struct reading *reading, void *to, u64 bytes)
{
    if (bytes > reading->left || !descriptor_read(reading->file, to, bytes))
        return reading_fail(reading, "the importer's answer is incomplete");
    reading->left -= bytes;
    return true;
}

/* An array that the caller frees; NULL with a message if the file has not as much. */
static void *reading_array(struct reading *reading, u64 count, u64 size)
{
    u64 bytes = count * size;
    void *array = bytes <= reading->left ? malloc(bytes + MESH_SPARE_BYTES) : NULL;
    if (array && reading_take(reading, array, bytes))
        return array;
    if (!array)
        reading_fail(reading, bytes <= reading->left ? "no memory for it"
                                                     : "the importer's answer is incomplete");
    free(array);
    return NULL;
}

static bool reading_mesh(struct reading *reading, struct mesh *mesh, u32 material_count)
{
    struct mesh_header header;
    if (!reading_take(reading, &header, sizeof header))
        return false;
    mesh->vertices = reading_array(reading, header.vertex_count, sizeof *mesh->vertices);
    mesh->triangles = reading_array(reading, header.triangle_count, sizeof *mesh->triangles);
    if (header.has_materials)
        mesh->materials = reading_array(reading, header.triangle_count, sizeof *mesh->materials);
    if (!mesh->vertices || !mesh->triangles || (header.has_materials && !mesh->materials))
        return false;
    mesh->vertex_count = header.vertex_count;
    mesh->triangle_count = header.triangle_count;
    for (u32 i = 0; mesh->materials && i < mesh->triangle_count; i++)
        if (mesh->materials[i] >= material_count)
            return error_user(
                reading->error, "%s: triangle %u (of %u, from 0) has material %u of %u",
                reading->path, i, mesh->triangle_count, mesh->materials[i], material_count);
    return mesh_check(mesh, reading->path, reading->error);
}

/* Neither negative nor endless, and a number. */
static bool is_light(const float light[3])
{
    for (u32 i = 0; i < 3; i++)
        if (!(light[i] >= 0 && light[i] < INFINITY))
            return false;
    return true;
}

static bool materials_check(const struct reading *reading, const struct scene *scene)
{
    for (u32 i = 0; i < scene->material_count; i++) {
        const struct material *material = &scene->materials[i];
        if (!memchr(material->name, 0, sizeof material->name) || !is_light(material->colour) ||
            !is_light(material->emission) || (u32)material->surface > SURFACE_GLASS ||
            !isfinite(material->index))
            return error_user(reading->error, "%s: material %u (of %u, from 0) is none",
                              reading->path, i, scene->material_count);
    }
    return true;
}

static bool instance_fits(const struct scene *scene, const struct instance *instance)
{
    const float *transform = &instance->transform[0][0];
    for (u32 i = 0; i < 12; i++)
        if (!isfinite(transform[i]))
            return false;
    return instance->part < scene->part_count &&
           (u64)instance->first_triangle + scene->parts[instance->part].triangle_count <=
               scene->mesh.triangle_count;
}

static bool instances_check(const struct reading *reading, const struct scene *scene)
{
    for (u32 i = 0; i < scene->instance_count; i++)
        if (!instance_fits(scene, &scene->instances[i]))
            return error_user(reading->error, "%s: instance %u (of %u, from 0) shows nothing",
                              reading->path, i, scene->instance_count);
    return true;
}

static bool reading_parts(struct reading *reading, struct scene *scene, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        struct mesh part = { 0 };
        bool good = reading_mesh(reading, &part, scene->material_count);
        if (good)
            scene_add_part(scene, &part);
        mesh_free(&part);
        if (!good)
            return false;
    }
    return true;
}

static bool reading_scene(struct reading *reading, const struct header *header, struct scene *scene)
{
    if (!header->material_count || header->material_count > SCENE_MATERIALS_MAX)
        return error_user(reading->error, "%s: has %u materials; there can be 1 to %d",
                          reading->path, header->material_count, SCENE_MATERIALS_MAX);
    scene->materials = reading_array(reading, header->material_count, sizeof *scene->materials);
    scene->instances =
        scene->materials ? reading_array(reading, header->instance_count, sizeof *scene->instances)
                         : NULL;
    if (!scene->instances)
        return false;
    scene->material_count = header->material_count;
    scene->instance_count = header->instance_count;
    return materials_check(reading, scene) &&
           reading_mesh(reading, &scene->mesh, scene->material_count) &&
           reading_parts(reading, scene, header->part_count) && instances_check(reading, scene);
}

static bool reading_error(struct reading *reading, const struct header *header)
{
    char message[sizeof reading->error->message];
    if (!reading_take(reading, message, sizeof message))
        return false;
    message[sizeof message - 1] = 0;
    text_make_printable(message);
    return header->error_kind == OGV_ERROR_USER ? error_user(reading->error, "%s", message)
                                                : error_system(reading->error, "%s", message);
}

bool imported_read(int file, const char *path, struct scene *scene, struct ogv_error *error)
{
    struct reading reading = { .file = file, .path = path, .error = error };
    struct header header;
    struct stat status;
    if (fstat(file, &status) || lseek(file, 0, SEEK_SET))
        return reading_fail(&reading, "the importer's answer cannot be read");
    reading.left = (u64)status.st_size;
    if (!reading_take(&reading, &header, sizeof header))
        return false;
    if (memcmp(header.magic, MAGIC, sizeof MAGIC) ||
        header.material_bytes != sizeof *scene->materials ||
        header.instance_bytes != sizeof *scene->instances)
        return reading_fail(&reading, "the importer's answer is incomplete, or that of another "
                                      "version of this program");
    return header.error_kind ? reading_error(&reading, &header)
                             : reading_scene(&reading, &header, scene);
}
