/* fingerprint.c - see fingerprint.h. */
#include "explore/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "rt/scene_file.h"
#include "run/world.h"

static bool ends_with(const char *text, const char *const *endings)
{
    size_t length = strlen(text);
    for (u32 i = 0; endings[i]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && !strcmp(text + length - ending, endings[i]))
            return true;
    }
    return false;
}

static bool file_add(struct hash *hash, const char *path, struct ogv_error *error)
{
    char digits[HASH_TEXT_BYTES];
    if (!hash_file(path, digits))
        return error_user(error, "%s: cannot be read", path);
    hash_add_text(hash, digits);
    return true;
}

/* What is no plain file is left out. */
static void file_visit(void *context, const char *name, const char *path)
{
    if (!file_is_plain(path))
        return;
    hash_add_text(context, name);
    file_add(context, path, NULL);
}

static void shipped_add(struct hash *hash, const char *below)
{
    char *folder = shipped_find(below);
    if (folder)
        folder_list(folder, "", file_visit, hash);
    free(folder);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? text_format("%.*s", (int)(slash - path) + (slash == path), path)
                 : heap_copy(".");
}

/* ---- Programs ---- */

static void headers_add(struct hash *hash, const char *source)
{
    static const char *const endings[] = { ".h", ".hpp", ".def", ".inc" };
    char *folder = folder_of(source);
    for (u32 i = 0; i < sizeof endings / sizeof *endings; i++)
        folder_list(folder, endings[i], file_visit, hash);
    free(folder);
}

bool program_fingerprint(const char *program, char digits[HASH_TEXT_BYTES], struct ogv_error *error)
{
    static const char *const sources[] = { ".c", ".cpp", ".cc", ".cxx", NULL };
    bool file = program && strchr(program, '/'), source = file && ends_with(program, sources);
    struct hash *hash = hash_create();
    const char *name = file ? strrchr(program, '/') + 1 : program;
    hash_add_text(hash, name ? name : "");
    bool good = !file || file_add(hash, program, error);
    if (source)
        headers_add(hash, program);
    if (!file || source) {
        shipped_add(hash, "programs");
        shipped_add(hash, "programs/runtime");
        shipped_add(hash, "programs/kernels");
        shipped_add(hash, "include/ogive");
    }
    hash_finish(hash, digits);
    if (!good)
        *digits = 0;
    return good;
}

/* ---- Scenes ---- */

/* Materials and buffers lie in files of their own, under names that only the mesh knows. */
static bool mesh_add(struct hash *hash, const char *mesh, struct ogv_error *error)
{
    static const char *const others[] = { ".mtl", ".bin" };
    static const char *const several[] = { ".obj", ".obj.xz", ".gltf", NULL };
    if (!file_add(hash, mesh, error))
        return false;
    char *folder = folder_of(mesh);
    for (u32 i = 0; i < sizeof others / sizeof *others && ends_with(mesh, several); i++)
        folder_list(folder, others[i], file_visit, hash);
    free(folder);
    return true;
}

static bool camera_check(const struct scene_file *file, const char *camera, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    if (!camera || !file->camera_count)
        return true;
    nearest_init(&nearest, camera);
    for (u32 i = 0; i < file->camera_count; i++) {
        if (!strcmp(file->cameras[i].name, camera))
            return true;
        nearest_offer(&nearest, file->cameras[i].name);
    }
    return error_user(error, "the scene has no camera '%s'%s", camera,
                      nearest_hint(&nearest, hint, sizeof hint));
}

static bool description_add(struct hash *hash, const char *path, const char *camera,
                            struct ogv_error *error)
{
    struct scene_file file;
    bool good = file_add(hash, path, error) && scene_file_read(&file, path, error);
    if (good) {
        good =
            camera_check(&file, camera, error) && (!file.mesh || mesh_add(hash, file.mesh, error));
        scene_file_free(&file);
    }
    return good;
}

bool scene_fingerprint(const char *scene, const char *camera, char digits[HASH_TEXT_BYTES],
                       struct ogv_error *error)
{
    static const char *const descriptions[] = { ".yaml", ".yml", NULL };
    const char *name = scene ? scene : SCENE_DEFAULT;
    char *below = text_format("scenes/%s.yaml", name);
    char *path = strchr(name, '/') ? heap_copy(name) : shipped_find(below);
    struct hash *hash = hash_create();
    bool good = path ? (ends_with(path, descriptions) ? description_add(hash, path, camera, error)
                                                      : mesh_add(hash, path, error))
                     : error_user(error, "there is no scene '%s'", name);
    hash_finish(hash, digits);
    if (!good)
        *digits = 0;
    free(below);
    free(path);
    return good;
}
