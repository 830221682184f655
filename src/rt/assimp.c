/* assimp.c - see assimp.h.
 *
 * Assimp's scene is a tree of nodes with transforms; a node may show any of the scene's meshes, and
 * a mesh may be shown by many nodes. The tree becomes a list of instances in the order of their
 * meshes; each mesh is then converted once, and placed as often as it is shown. Besides Assimp's
 * own data and the result, memory holds one mesh of the file.
 *
 * Every index that Assimp returns is checked before it is used. */
#include "rt/assimp.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "base/text.h"
#include "rt/assimp_files.h"
#include "rt/growth.h"

#define DEPTH_MAX 1024

struct import {
    const char *path;
    const struct aiScene *from;
    struct scene *to;
    struct instance *instances; /* .part: the mesh in `from` */
    u32 instance_count;
    struct growth growth;
    struct ogv_error *error;
};

/* ---- Reading ---- */

/* Only shape matters: what else tells vertices apart is taken away, so that they can be joined. */
static struct aiPropertyStore *settings_create(void)
{
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (!settings)
        return NULL;
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_RVC_FLAGS,
                               aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                   aiComponent_COLORS | aiComponent_TEXCOORDS |
                                   aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                   aiComponent_TEXTURES);
    return settings;
}

/* The ending before .xz, by which Assimp tells what it is. */
static void hint_write(const char *path, char hint[16])
{
    size_t length = strlen(path) - strlen(".xz");
    size_t start = length;
    while (start && path[start - 1] != '.' && path[start - 1] != '/')
        start--;
    snprintf(hint, 16, "%.*s", (int)(length - start), path + start);
}

static const struct aiScene *packed_read(const char *path, unsigned steps,
                                         const struct aiPropertyStore *settings,
                                         struct ogv_error *error)
{
    char hint[16];
    size_t length;
    hint_write(path, hint);
    u8 *bytes = source_read(path, min_u64(memory_there_is() / 2, INT32_MAX), &length, error);
    if (!bytes)
        return NULL;
    const struct aiScene *scene = aiImportFileFromMemoryWithProperties(
        (const char *)bytes, (unsigned)length, steps, hint, settings);
    free(bytes);
    if (!scene)
        error_user(error, "%s: cannot be imported: %s", path, aiGetErrorString());
    return scene;
}

static const struct aiScene *plain_read(const char *path, unsigned steps,
                                        const struct aiPropertyStore *settings,
                                        struct ogv_error *error)
{
    struct assimp_files files;
    assimp_files_init(&files);
    const struct aiScene *scene = aiImportFileExWithProperties(path, steps, &files.io, settings);
    if (files.refused.kind) {
        aiReleaseImport(scene);
        error_user(error, "%s: cannot be imported: %s", path, files.refused.message);
        return NULL;
    }
    if (!scene)
        error_user(error, "%s: cannot be imported: %s", path, aiGetErrorString());
    return scene;
}

static const struct aiScene *scene_read(const char *path, struct ogv_error *error)
{
    unsigned steps = aiProcess_Triangulate | aiProcess_RemoveComponent;
    struct aiPropertyStore *settings = settings_create();
    if (!settings) {
        error_system(error, "%s: cannot be imported: no memory", path);
        return NULL;
    }
    const struct aiScene *scene = source_is_packed(path) ? packed_read(path, steps, settings, error)
                                                         : plain_read(path, steps, settings, error);
    aiReleasePropertyStore(settings);
    return scene;
}

static bool faces_check(const char *path, const struct aiMesh *mesh, struct ogv_error *error)
{
    for (u32 i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        for (u32 k = 0; k < face->mNumIndices; k++)
            if (face->mIndices[k] >= mesh->mNumVertices)
                return error_user(error,
                                  "%s: face %u (of %u, from 0) refers to vertex %u, but there are "
                                  "%u",
                                  path, i, mesh->mNumFaces, face->mIndices[k], mesh->mNumVertices);
    }
    return true;
}

/* Before vertices are joined: one that is not a number would be joined with any other. */
static bool meshes_check(const char *path, const struct aiScene *scene, struct ogv_error *error)
{
    for (u32 i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        struct mesh view = { .vertex_count = mesh->mNumVertices };
        view.vertices = (float(*)[3])mesh->mVertices;
        if (!view.vertices && view.vertex_count)
            return error_user(error, "%s: has a mesh without coordinates", path);
        if (!mesh_check_vertices(&view, path, error) || !faces_check(path, mesh, error))
            return false;
        if (scene->mNumMaterials && mesh->mMaterialIndex >= scene->mNumMaterials)
            return error_user(error, "%s: mesh %u (of %u, from 0) has material %u of %u", path, i,
                              scene->mNumMeshes, mesh->mMaterialIndex, scene->mNumMaterials);
    }
    return true;
}

static const struct aiScene *scene_join(const char *path, const struct aiScene *scene,
                                        struct ogv_error *error)
{
    if (!meshes_check(path, scene, error)) {
        aiReleaseImport(scene);
        return NULL;
    }
    /* Frees the scene if it fails. */
    scene = aiApplyPostProcessing(scene, aiProcess_JoinIdenticalVertices);
    if (!scene)
        error_system(error, "%s: cannot be imported: %s", path, aiGetErrorString());
    return scene;
}

/* ---- Materials ---- */

static void colour_read(const struct aiMaterial *from, const char *key, float colour[3])
{
    struct aiColor4D value;
    if (aiGetMaterialColor(from, key, 0, 0, &value) != aiReturn_SUCCESS)
        return;
    const float parts[] = { value.r, value.g, value.b };
    for (u32 i = 0; i < 3; i++)
        colour[i] = parts[i] >= 0 && parts[i] < 1e6f ? parts[i] : 0;
}

static void material_convert(const struct aiMaterial *from, struct material *to)
{
    struct aiString name;
    *to = (struct material){ .colour = { 0.7f, 0.7f, 0.7f }, .index = 1.5f };
    if (aiGetMaterialString(from, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        snprintf(to->name, sizeof to->name, "%.31s", name.data);
    colour_read(from, "$clr.diffuse", to->colour);
    colour_read(from, "$clr.base", to->colour);
    colour_read(from, "$clr.emissive", to->emission);
    for (u32 i = 0; i < 3; i++)
        to->colour[i] = to->colour[i] > 1 ? 1 : to->colour[i];
}

static bool import_materials(struct import *import)
{
    u32 count = import->from->mNumMaterials;
    if (count > SCENE_MATERIALS_MAX)
        return error_user(import->error, "%s: has %u materials; there can be %d at most",
                          import->path, count, SCENE_MATERIALS_MAX);
    struct scene *scene = import->to;
    scene->material_count = count ? count : 1;
    scene->materials = heap_array(scene->material_count, sizeof *scene->materials);
    scene->materials[0] = material_default();
    for (u32 i = 0; i < count; i++)
        material_convert(import->from->mMaterials[i], &scene->materials[i]);
    return true;
}

/* ---- Instances ---- */

static void transform_convert(const struct aiMatrix4x4 *m, float out[3][4])
{
    const float rows[3][4] = { { m->a1, m->a2, m->a3, m->a4 },
                               { m->b1, m->b2, m->b3, m->b4 },
                               { m->c1, m->c2, m->c3, m->c4 } };
    memcpy(out, rows, sizeof rows);
}

static bool import_node(struct import *import, const struct aiNode *node,
                        const struct aiMatrix4x4 *above, u32 depth)
{
    struct aiMatrix4x4 here = *above;
    aiMultiplyMatrix4(&here, &node->mTransformation);
    if (depth > DEPTH_MAX)
        return error_user(import->error, "%s: nodes are nested more than %d deep", import->path,
                          DEPTH_MAX);
    for (u32 i = 0; i < node->mNumMeshes; i++) {
        if (node->mMeshes[i] >= import->from->mNumMeshes)
            return error_user(import->error, "%s: a node shows mesh %u, but there are %u",
                              import->path, node->mMeshes[i], import->from->mNumMeshes);
        import->instances =
            heap_append(import->instances, import->instance_count, sizeof *import->instances);
        struct instance *instance = &import->instances[import->instance_count++];
        instance->part = node->mMeshes[i];
        instance->first_triangle = 0;
        transform_convert(&here, instance->transform);
    }
    for (u32 i = 0; i < node->mNumChildren; i++)
        if (!import_node(import, node->mChildren[i], &here, depth + 1))
            return false;
    return true;
}

/* By mesh; instances of one mesh keep the order of their nodes, which is that of `first_triangle`
 * while they are sorted. */
static int instance_compare(const void *a, const void *b)
{
    const struct instance *one = a, *other = b;
    if (one->part != other->part)
        return one->part < other->part ? -1 : 1;
    return one->first_triangle < other->first_triangle ? -1 : 1;
}

static void import_sort(struct import *import)
{
    for (u32 i = 0; i < import->instance_count; i++)
        import->instances[i].first_triangle = i;
    if (import->instance_count)
        qsort(import->instances, import->instance_count, sizeof *import->instances,
              instance_compare);
}

/* ---- Meshes ---- */

static void part_build(const struct aiMesh *from, struct growth *part)
{
    for (u32 i = 0; i < from->mNumVertices; i++)
        growth_vertex(part, from->mVertices[i].x, from->mVertices[i].y, from->mVertices[i].z);
    for (u32 i = 0; i < from->mNumFaces; i++) {
        const struct aiFace *face = &from->mFaces[i];
        if (face->mNumIndices == 3)
            growth_triangle(part, face->mIndices[0], face->mIndices[1], face->mIndices[2]);
    }
}

/* Places the mesh of the instances from `at` on; says where those of the next one begin, or 0 with
 * a message. */
static u32 import_part(struct import *import, u32 at, bool keep)
{
    u32 number = import->instances[at].part, next = at;
    const struct aiMesh *from = import->from->mMeshes[number];
    struct scene *scene = import->to;
    struct growth building = { 0 };
    struct mesh part = { 0 };
    part_build(from, &building);
    bool empty = !building.mesh.triangle_count && !building.wrong;
    if (empty)
        growth_fini(&building);
    else if (!growth_finish(&building, import->path, &part, import->error))
        return 0;
    import->growth.material = import->from->mNumMaterials ? (u16)from->mMaterialIndex : 0;
    for (; next < import->instance_count && import->instances[next].part == number; next++) {
        struct instance *instance = &import->instances[next];
        if (empty)
            continue;
        if (keep)
            scene_add_instance(scene, scene->part_count, import->growth.mesh.triangle_count,
                               instance->transform);
        growth_place(&import->growth, &part, instance->transform);
    }
    if (keep && !empty)
        scene_add_part(scene, &part);
    mesh_free(&part);
    return next;
}

static bool import_convert(struct import *import, bool keep)
{
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    if (!import_materials(import))
        return false;
    if (import->from->mRootNode && !import_node(import, import->from->mRootNode, &identity, 0))
        return false;
    import_sort(import);
    for (u32 at = 0; at < import->instance_count;) {
        at = import_part(import, at, keep);
        if (!at)
            return false;
    }
    return growth_finish(&import->growth, import->path, &import->to->mesh, import->error);
}

bool assimp_load(const char *path, bool keep_instances, struct scene *scene,
                 struct ogv_error *error)
{
    struct import import = { .path = path, .to = scene, .error = error };
    import.from = scene_read(path, error);
    import.from = import.from ? scene_join(path, import.from, error) : NULL;
    if (!import.from)
        return false;
    bool good = import_convert(&import, keep_instances);
    aiReleaseImport(import.from);
    growth_fini(&import.growth);
    free(import.instances);
    return good;
}
