/* scene_file.h - a scene as it is described in YAML, before anything is loaded or made.
 *
 * docs/scenes.md says what a file may hold. */
#ifndef RT_SCENE_FILE_H
#define RT_SCENE_FILE_H

#include "base/tree.h"
#include "rt/generators/generators.h"
#include "rt/scene.h"

/* What a file says of a material that the mesh or the generator has. */
struct material_change {
    const char *name;
    struct place place;
    bool colour, emission, surface, index; /* which are given */
    struct material to;
};

/* Always true once read: either a mesh or a generator is set. */
struct scene_file {
    struct region region;
    const char *path;
    const char *about; /* one line, or "" */
    const char *mesh;  /* path, seen from where we are; or NULL */
    const struct generator *generator;
    u64 triangles, seed;
    float up[3];
    struct camera cameras[SCENE_CAMERAS_MAX];
    u32 camera_count;
    struct light lights[SCENE_LIGHTS_MAX];
    u32 light_count;
    struct sky sky;
    bool lit; /* lights or a sky are given */
    struct material_change *materials;
    u32 material_count;
};

/* `path` stands for the file in messages and is where a mesh's name starts from. Free it in any
 * case. */
bool scene_file_parse(struct scene_file *file, const char *path, const char *text, size_t length,
                      struct ogv_error *error);
bool scene_file_read(struct scene_file *file, const char *path, struct ogv_error *error);
void scene_file_free(struct scene_file *file);

/* Loads or makes what it describes. */
bool scene_file_load(const struct scene_file *file, const struct scene_options *options,
                     struct scene *scene, struct ogv_error *error);

#endif
