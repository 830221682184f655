/* render.h - a picture of a scene by path tracing, to see it before it is simulated.
 *
 * Always true: the picture depends on the scene and the options, not on the number of threads. */
#ifndef RT_RENDER_H
#define RT_RENDER_H

#include "rt/reference.h"
#include "rt/scene.h"

struct render_options {
    const struct camera *camera;
    u32 width, height;
    u32 samples; /* paths per pixel */
    u32 threads; /* 0: as many as there are processors */
    /* Called now and then with 0 to 1, from any thread but one at a time; may be NULL. */
    void (*progress)(void *user, double done);
    void *user;
};

#define RENDER_SIZE_MAX    16384
#define RENDER_SAMPLES_MAX 65536

/* Pixels are red, green, blue, alpha, one byte each, row after row from the top; the caller frees.
 */
u8 *render_scene(const struct scene *scene, const struct render_options *options,
                 struct ogv_error *error);

/* By what its light is multiplied before it is shown. `reference` answers for the scene's mesh. */
bool render_measure(const struct scene *scene, struct reference *reference,
                    const struct render_options *options, float *exposure, struct ogv_error *error);

#endif
