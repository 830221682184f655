/* scene.c - finds scenes by name or path, loads a scene file or a bare mesh, and gives a bare
 * mesh the camera, sun and sky that it lacks. */
#include "rt/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "rt/import.h"
#include "rt/scene_file.h"

struct material material_default(void)
{
    return (struct material){ .name = "grey", .colour = { 0.7f, 0.7f, 0.7f }, .index = 1.5f };
}

void scene_add_part(struct scene *scene, struct mesh *part)
{
    scene->parts = heap_append(scene->parts, scene->part_count, sizeof *scene->parts);
    scene->parts[scene->part_count++] = *part;
    *part = (struct mesh){ 0 };
}

void scene_add_instance(struct scene *scene, u32 part, u32 first_triangle,
                        const float transform[3][4])
{
    scene->instances =
        heap_append(scene->instances, scene->instance_count, sizeof *scene->instances);
    struct instance *instance = &scene->instances[scene->instance_count++];
    instance->part = part;
    instance->first_triangle = first_triangle;
    memcpy(instance->transform, transform, sizeof instance->transform);
}

void scene_free(struct scene *scene)
{
    mesh_free(&scene->mesh);
    for (u32 i = 0; i < scene->part_count; i++)
        mesh_free(&scene->parts[i]);
    free(scene->parts);
    free(scene->instances);
    free(scene->materials);
    *scene = (struct scene){ 0 };
}

const struct camera *scene_camera(const struct scene *scene, const char *name,
                                  struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    if (!name)
        return &scene->cameras[0];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < scene->camera_count; i++) {
        if (!strcmp(scene->cameras[i].name, name))
            return &scene->cameras[i];
        nearest_offer(&nearest, scene->cameras[i].name);
    }
    const char *words = nearest_hint(&nearest, hint, sizeof hint);
    error_user(error, "the scene has no camera '%s'%s%s%s%s", name, words,
               *words ? "" : "; the first of those it has is '",
               *words ? "" : scene->cameras[0].name, *words ? "" : "'");
    return NULL;
}

/* ---- What a bare mesh lacks ---- */

/* Seen from the side, obliquely, and from somewhat above. */
void scene_see_all(struct scene *scene)
{
    struct box box = mesh_bounds(&scene->mesh);
    struct camera *camera = &scene->cameras[0];
    u32 up = scene->up[0] > 0 ? 0 : scene->up[2] > 0 ? 2 : 1;
    float from[3], radius = 0;
    from[up] = 0.4f;
    from[(up + 1) % 3] = 0.77f;
    from[(up + 2) % 3] = 0.5f;
    *camera = (struct camera){ .name = "all", .fov_degrees = 45 };
    camera->up[up] = 1;
    for (u32 i = 0; i < 3; i++) {
        float half = 0.5f * box.high[i] - 0.5f * box.low[i];
        radius = half > radius ? half : radius;
        camera->target[i] = box.low[i] + half;
    }
    /* Half the diagonal is at most sqrt(3) half edges; seen whole within 45 degrees from
     * sqrt(3) / sin(22.5 degrees) = 4.53 half edges away. */
    float distance = 4.53f * (radius > 0 ? radius : 1);
    for (u32 i = 0; i < 3; i++)
        camera->eye[i] = camera->target[i] + distance * from[i];
    scene->camera_count = 1;
}

void scene_light_default(struct scene *scene)
{
    struct light *sun = &scene->lights[0];
    u32 up = scene->up[0] > 0 ? 0 : scene->up[2] > 0 ? 2 : 1;
    *sun = (struct light){ .kind = LIGHT_SUN, .power = { 2.5f, 2.4f, 2.2f } };
    sun->at[up] = 0.8f;
    sun->at[(up + 1) % 3] = 0.45f;
    sun->at[(up + 2) % 3] = -0.4f;
    scene->light_count = 1;
    scene->sky = (struct sky){ { 0.8f, 0.85f, 0.9f }, { 0.35f, 0.5f, 0.8f } };
}

static void scene_name(struct scene *scene, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(scene->name, sizeof scene->name, "%.*s", (int)strcspn(name, "."), name);
}

/* ---- Finding ---- */

void scene_list(void (*visit)(void *context, const char *name, const char *path), void *context)
{
    char *folders[SHIPPED_MAX];
    u32 count = shipped_folders("scenes", folders);
    for (u32 i = 0; i < count; i++) {
        folder_list(folders[i], ".yaml", visit, context);
        free(folders[i]);
    }
}

static char *scene_shipped(const char *name)
{
    char *folders[SHIPPED_MAX], *found = NULL;
    u32 count = shipped_folders("scenes", folders);
    for (u32 i = 0; i < count; i++) {
        char *path = text_format("%s/%s.yaml", folders[i], name);
        if (!found && file_is_plain(path))
            found = heap_copy(path);
        free(path);
        free(folders[i]);
    }
    return found;
}

static char *scene_find(const char *what, struct ogv_error *error)
{
    static const struct shipped_kind kind = { "scene", "`ogive scenes` lists the shipped ones",
                                              scene_list };
    if (file_is_plain(what))
        return heap_copy(what);
    char *found = strchr(what, '/') ? NULL : scene_shipped(what);
    if (!found)
        shipped_refuse(&kind, what, what, error);
    return found;
}

/* ---- Loading ---- */

static bool is_scene_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static bool scene_load_mesh(const char *path, const struct scene_options *options,
                            struct scene *scene, struct ogv_error *error)
{
    if (!import_load(path, options, scene, error))
        return false;
    scene->up[1] = 1;
    scene_see_all(scene);
    scene_light_default(scene);
    return true;
}

static bool scene_load_file(const char *path, const struct scene_options *options,
                            struct scene *scene, struct ogv_error *error)
{
    struct scene_file file;
    bool good =
        scene_file_read(&file, path, error) && scene_file_load(&file, options, scene, error);
    scene_file_free(&file);
    return good;
}

bool scene_load(const char *what, const struct scene_options *options, struct scene *scene,
                struct ogv_error *error)
{
    *scene = (struct scene){ 0 };
    char *path = scene_find(what, error);
    if (!path)
        return false;
    scene_name(scene, path);
    bool good = is_scene_file(path) ? scene_load_file(path, options, scene, error)
                                    : scene_load_mesh(path, options, scene, error);
    if (!good)
        scene_free(scene);
    free(path);
    return good;
}
