/* rays.h - making rays, and their files. */
#ifndef RT_RAYS_H
#define RT_RAYS_H

#include "ogive/rt_ray.h"
#include "rt/reference.h"
#include "rt/scene.h"

enum ray_kind { RAYS_PRIMARY, RAYS_SECONDARY, RAYS_TERTIARY, RAYS_SHADOW, RAYS_OCCLUSION };
enum ray_order { ORDER_TILE, ORDER_ROW, ORDER_MORTON }; /* tile: 4 wide x 8 high, tiles in rows */

struct ray_options {
    enum ray_kind kind;
    enum ray_order order;
    u32 width, height; /* pixels */
    u64 seed;          /* 0 and not jittered: primary rays go through pixel centres */
    bool jitter;
    float occlusion_length; /* for RAYS_OCCLUSION; 0: a tenth of the scene's diagonal */
    u32 threads;
};

/* One ray per pixel, in the chosen order; pixels that have no ray at that depth hold an empty one
 * (rt_ray_is_empty). */
struct ray_set {
    struct rt_ray *rays;
    u32 *pixels; /* row * width + column, by ray */
    u64 count;   /* width * height */
    u64 real;    /* of them not empty */
    u32 width, height;
    enum ray_kind kind;
};

bool rays_make(const struct scene *scene, const struct camera *camera, struct reference *reference,
               const struct ray_options *options, struct ray_set *set, struct ogv_error *error);
bool rays_save(const struct ray_set *set, const char *path, struct ogv_error *error);
bool rays_load(const char *path, struct ray_set *set, struct ogv_error *error);
void rays_free(struct ray_set *set);

#endif
