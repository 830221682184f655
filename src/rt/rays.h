/* rays.h - making rays, and their files.
 *
 * One ray per pixel: through the pixel (primary), from where that hits in a direction sampled by
 * the cosine (secondary), the same once more (tertiary), from the primary hit to a light (shadow),
 * or not far, sampled by the cosine (occlusion). Rays begin off the surface, on the side from which
 * it was hit. Directions have length 1.
 *
 * Always true: a ray depends on the scene, the camera, its pixel and the seed, on nothing else; not
 * on the number of threads, and not on the machine's mathematical functions. Scaling scene and
 * camera by a power of two scales the rays. */
#ifndef RT_RAYS_H
#define RT_RAYS_H

#include "ogive/rt_ray.h"
#include "rt/reference.h"
#include "rt/scene.h"

enum ray_kind { RAYS_PRIMARY, RAYS_SECONDARY, RAYS_TERTIARY, RAYS_SHADOW, RAYS_OCCLUSION };
enum ray_order { ORDER_TILE, ORDER_ROW, ORDER_MORTON }; /* tile: 4 wide x 8 high, tiles in rows */

#define RAY_KINDS  5
#define RAY_ORDERS 3
#define RAYS_MAX   (UINT64_C(1) << 26) /* in a set: 2 GiB */

extern const char *const ray_kind_names[RAY_KINDS];
extern const char *const ray_order_names[RAY_ORDERS];

/* By name; false with a message that lists what there is. */
bool ray_kind_find(const char *name, enum ray_kind *kind, struct ogv_error *error);
bool ray_order_find(const char *name, enum ray_order *order, struct ogv_error *error);

struct ray_options {
    enum ray_kind kind;
    enum ray_order order;
    u32 width, height; /* pixels */
    u64 seed;
    bool jitter;            /* primary rays go anywhere through their pixel, not its centre */
    float occlusion_length; /* for RAYS_OCCLUSION; 0: a tenth of the scene's diagonal */
    u32 threads;            /* 0: all processors */
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
    enum ray_order order;
};

/* The pixel of every ray in that order, each exactly once. */
void rays_order(enum ray_order order, u32 width, u32 height, u32 *pixels);

/* `reference` answers for the scene's mesh; primary rays need none, it may be NULL then. */
bool rays_make(const struct scene *scene, const struct camera *camera, struct reference *reference,
               const struct ray_options *options, struct ray_set *set, struct ogv_error *error);

/* The file: a header of 72 bytes (magic, version, kind, order, width, height, count, fingerprint),
 * then the rays as they lie in memory, little endian. Everything is checked on loading: that all is
 * there, undamaged, and that every ray is empty or one that can be traced. */
bool rays_save(const struct ray_set *set, const char *path, struct ogv_error *error);
bool rays_load(const char *path, struct ray_set *set, struct ogv_error *error);

/* Rays of somebody else's, one per pixel row after row, copied: each has to be empty or one that
 * can be traced. `name` stands for them in messages. */
bool rays_take(const char *name, const struct rt_ray *rays, u32 width, u32 height,
               struct ray_set *set, struct ogv_error *error);

void rays_free(struct ray_set *set);

#endif
