/* scene.h - what is drawn: a mesh, its materials, lights, the sky, and from where it is seen. */
#ifndef RT_SCENE_H
#define RT_SCENE_H

#include "rt/mesh.h"

struct camera {
    char name[32];
    float eye[3], target[3], up[3];
    float fov_degrees; /* vertical */
};

enum surface { SURFACE_DIFFUSE, SURFACE_MIRROR, SURFACE_GLASS };

struct material {
    char name[32];
    float colour[3];   /* reflected, 0 to 1 */
    float emission[3]; /* radiance */
    enum surface surface;
    float index; /* of refraction, for glass */
};

enum light_kind { LIGHT_SUN, LIGHT_POINT };

struct light {
    enum light_kind kind;
    float at[3]; /* direction towards the sun, or position of the point */
    float power[3];
};

struct sky {
    float horizon[3], zenith[3]; /* radiance; between them by height */
};

/* A part of the scene as it stands in it: its triangles, moved by the transform, are those of the
 * scene's mesh from `first_triangle` on. */
struct instance {
    u32 part;
    u32 first_triangle;
    float transform[3][4]; /* rows; the fourth column is added */
};

#define SCENE_CAMERAS_MAX   16
#define SCENE_LIGHTS_MAX    16
#define SCENE_MATERIALS_MAX 4096

struct scene {
    char name[64];
    struct mesh mesh;
    struct camera cameras[SCENE_CAMERAS_MAX]; /* the first is the default; there is always one */
    u32 camera_count;
    struct light lights[SCENE_LIGHTS_MAX];
    u32 light_count;
    struct material *materials; /* at least one */
    u32 material_count;
    struct sky sky;
    float up[3]; /* what the sky's height is measured along */
    /* With keep_instances, where the scene has some: shapes that stand in it several times. Not all
     * of the mesh need be of an instance. */
    struct mesh *parts;
    u32 part_count;
    struct instance *instances;
    u32 instance_count;
};

struct scene_options {
    u64 triangles; /* for generators; 0: the generator's default */
    u64 seed;      /* for generators */
    bool keep_instances;
};

/* `what` is the name of a shipped scene, a scene file (.yaml), or a mesh file of any kind that can
 * be imported (a camera that sees all of it is made up then). */
bool scene_load(const char *what, const struct scene_options *options, struct scene *scene,
                struct ogv_error *error);

/* The camera of that name, or the first if NULL; NULL with a message if there is none such. */
const struct camera *scene_camera(const struct scene *scene, const char *name,
                                  struct ogv_error *error);

/* Calls `visit` with name and path of each shipped scene. */
void scene_list(void (*visit)(void *context, const char *name, const char *path), void *context);

/* Grey and diffuse. */
struct material material_default(void);

/* Fill in what a bare mesh lacks: a camera that sees all of it; sun and sky. */
void scene_see_all(struct scene *scene);
void scene_light_default(struct scene *scene);

/* Takes over the part's memory. */
void scene_add_part(struct scene *scene, struct mesh *part);
void scene_add_instance(struct scene *scene, u32 part, u32 first_triangle,
                        const float transform[3][4]);

void scene_free(struct scene *scene);

#endif
