/* scene.c - see scene.h. */
#include "rt/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "rt/import.h"

struct material material_default(void)
{
    return (struct material){ .name = "grey", .colour = { 0.7f, 0.7f, 0.7f }, .index = 1.5f };
}

void scene_add_part(struct scene *scene, struct mesh *part)
{
    scene->parts = heap_grow(scene->parts, scene->part_count + 1, sizeof *scene->parts);
    scene->parts[scene->part_count++] = *part;
    *part = (struct mesh){ 0 };
}

void scene_add_instance(struct scene *scene, u32 part, u32 first_triangle,
                        const float transform[3][4])
{
    scene->instances =
        heap_grow(scene->instances, scene->instance_count + 1, sizeof *scene->instances);
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

void scene_see_all(struct scene *scene)
{
    struct box box = mesh_bounds(&scene->mesh);
    struct camera *camera = &scene->cameras[0];
    const float from[3] = { 0.5f, 0.4f, 0.77f };
    float radius = 0;
    *camera = (struct camera){ .name = "all", .up = { 0, 1, 0 }, .fov_degrees = 45 };
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
    scene->lights[0] = (struct light){ LIGHT_SUN, { 0.4f, 0.8f, 0.45f }, { 2.5f, 2.4f, 2.2f } };
    scene->light_count = 1;
    scene->sky = (struct sky){ { 0.8f, 0.85f, 0.9f }, { 0.35f, 0.5f, 0.8f } };
}

static void scene_name(struct scene *scene, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(scene->name, sizeof scene->name, "%.*s", (int)strcspn(name, "."), name);
}

bool scene_load(const char *what, const struct scene_options *options, struct scene *scene,
                struct ogv_error *error)
{
    *scene = (struct scene){ 0 };
    scene_name(scene, what);
    if (!import_load(what, options, scene, error)) {
        scene_free(scene);
        return false;
    }
    scene_see_all(scene);
    scene_light_default(scene);
    return true;
}
