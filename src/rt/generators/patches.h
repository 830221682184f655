/* patches.h - curved surfaces, divided into as many triangles as are wanted.
 *
 * A patch is a function from the unit square to space. All patches of a list are divided equally
 * finely (by their width and height), such that all together have about a given number of
 * triangles. */
#ifndef RT_GENERATORS_PATCHES_H
#define RT_GENERATORS_PATCHES_H

#include "rt/growth.h"

struct patch {
    void (*shape)(const struct patch *patch, double u, double v, double out[3]);
    double p[8];                /* as the shape takes them */
    const double (*profile)[2]; /* likewise */
    u32 profile_count;
    double width, height;       /* along u and v: twice as long, twice as many cells */
    u32 least_u, least_v;       /* cells, 0: 1 */
    u32 multiple_u, multiple_v; /* cells are a multiple of this once there are as many */
    bool closed;                /* u = 1 is u = 0 */
    u16 material, other;        /* other, if not 0: of every second square of the multiples */
    double turn_cos, turn_sin;  /* about the y axis, then */
    double at[3];               /* moved */
};

struct patches {
    struct patch *items;
    u32 count;
};

void patches_add(struct patches *patches, const struct patch *patch);

/* Triangles at the coarsest. */
u64 patches_least(const struct patches *patches);

/* Adds about that many triangles, or as many as the coarsest has, to the mesh. Frees the list.
 */
void patches_build(struct patches *patches, u64 triangles, struct growth *growth);

/* ---- Shapes ---- */

/* A flat piece: from p[0..2], by p[3..5] along u; v goes along the axis p[6] (0 to 2) by p[7]. */
void shape_flat(const struct patch *patch, double u, double v, double out[3]);

/* A body of rotation about the y axis: the profile is pairs of radius and height, bottom first;
 * p[0] flutes of depth p[1] between heights p[2] and p[3]. */
void shape_revolved(const struct patch *patch, double u, double v, double out[3]);

/* One of six parts (p[0]: which) of an ellipsoid with half axes p[1..3]. */
void shape_ellipsoid(const struct patch *patch, double u, double v, double out[3]);

/* Those six at a place. `size` is about the length of an edge of one of them. */
void patches_add_ellipsoid(struct patches *patches, const double at[3], const double axes[3],
                           u16 material, double fine);

/* Six sides, or five without the bottom. */
void patches_add_box(struct patches *patches, const double low[3], const double high[3],
                     u16 material, double fine);

/* A flat piece at `at`, spanned along two axes (0 to 2) by given lengths. */
struct patch patch_flat(const double at[3], u32 axis_u, double length_u, u32 axis_v,
                        double length_v, u16 material, double fine);

#endif
