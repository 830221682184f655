/* rt_triangle.h - rays against triangles, for host and device code.
 *
 * Both tests count a hit where t_min <= t <= hit->t. The closest hit is kept: one that is strictly
 * closer replaces the one before; of hits at an equal distance the triangle with the smaller number
 * is kept. So the result does not depend on the order in which triangles are tested.
 *
 * Both see either side of a triangle. Triangles with two equal corners are not hit; those whose
 * three corners lie on a line, or nearly, are hit at most by rays that pass them within rounding.
 *
 * Only additions, multiplications, divisions and comparisons, in a fixed order: the same bits on
 * every machine, if the compiler does not fuse them (-ffp-contract=off). */
#ifndef OGIVE_RT_TRIANGLE_H
#define OGIVE_RT_TRIANGLE_H

#include <stdint.h>

#include "ogive/rt_ray.h"
#include "ogive/test_device.h"

/* A candidate with distance t and barycentric coordinates u, v; says whether it was kept. */
RT_FUNCTION int rt_hit_keep(struct rt_hit *hit, float t_min, float t, float u, float v,
                            uint32_t triangle)
{
    if (!(t >= t_min && t <= hit->t) || (t == hit->t && triangle >= hit->triangle))
        return 0;
    hit->t = t;
    hit->u = u;
    hit->v = v;
    hit->triangle = triangle;
    return 1;
}

/* ---- Watertight: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013 ----
 *
 * The space is sheared and scaled so that the ray runs along an axis from the origin. On which side
 * of an edge it passes is then a 2D question whose answer depends on the edge's two vertices alone,
 * is exactly opposite for the two triangles that share the edge, and is computed exactly where
 * single precision cannot tell: no ray slips between the two. */

/* A ray made ready: the axes in the order x, y, z with z the one along which the ray is longest,
 * and the shear. */
struct rt_shear {
    float origin[3], t_min;
    float x, y, z;
    uint32_t axis_x, axis_y, axis_z;
};

#ifdef RT_PIPELINES

RT_FUNCTION struct rt_shear rt_shear_make(const struct rt_ray *ray)
{
    struct rt_shear shear;
    shear.t_min = ray->t_min;
    return shear;
}

RT_FUNCTION int rt_triangle_watertight(const struct rt_shear *ray, const float a[3],
                                       const float b[3], const float c[3], uint32_t triangle,
                                       struct rt_hit *hit)
{
    struct ogv_crossing found = ogv_test_triangle(a, b, c);
    return rt_hit_keep(hit, ray->t_min, found.t, found.u, found.v, triangle);
}

#else

RT_FUNCTION struct rt_shear rt_shear_make(const struct rt_ray *ray)
{
    struct rt_shear shear;
    float length[3];
    for (int axis = 0; axis < 3; axis++) {
        length[axis] = ray->direction[axis] < 0 ? -ray->direction[axis] : ray->direction[axis];
        shear.origin[axis] = ray->origin[axis];
    }
    uint32_t z = length[1] > length[0] ? 1 : 0;
    z = length[2] > length[z] ? 2 : z;
    shear.axis_z = z;
    shear.axis_x = z == 2 ? 0 : z + 1;
    shear.axis_y = shear.axis_x == 2 ? 0 : shear.axis_x + 1;
    shear.z = 1 / ray->direction[z];
    shear.x = ray->direction[shear.axis_x] * shear.z;
    shear.y = ray->direction[shear.axis_y] * shear.z;
    shear.t_min = ray->t_min;
    return shear;
}

struct rt_sheared {
    float x, y, z;
};

RT_FUNCTION struct rt_sheared rt_shear_vertex(const struct rt_shear *ray, const float vertex[3])
{
    float z = vertex[ray->axis_z] - ray->origin[ray->axis_z];
    struct rt_sheared sheared = {
        (vertex[ray->axis_x] - ray->origin[ray->axis_x]) - ray->x * z,
        (vertex[ray->axis_y] - ray->origin[ray->axis_y]) - ray->y * z,
        ray->z * z,
    };
    return sheared;
}

/* Twice the area of the triangle (origin, a, b). Its sign is exact. */
RT_FUNCTION float rt_edge(const struct rt_sheared *a, const struct rt_sheared *b)
{
    float area = a->x * b->y - a->y * b->x;
    if (area != 0)
        return area;
    double exact = (double)a->x * (double)b->y - (double)a->y * (double)b->x;
    area = (float)exact;
    if (area != 0)
        return area;
    return exact < 0 ? -0x1p-149f : exact > 0 ? 0x1p-149f : 0;
}

RT_FUNCTION int rt_triangle_watertight(const struct rt_shear *ray, const float a[3],
                                       const float b[3], const float c[3], uint32_t triangle,
                                       struct rt_hit *hit)
{
    struct rt_sheared p = rt_shear_vertex(ray, a);
    struct rt_sheared q = rt_shear_vertex(ray, b);
    struct rt_sheared r = rt_shear_vertex(ray, c);
    float u = rt_edge(&r, &q), v = rt_edge(&p, &r), w = rt_edge(&q, &p);
    if (((u < 0) | (v < 0) | (w < 0)) & ((u > 0) | (v > 0) | (w > 0)))
        return 0;
    float sum = u + v + w;
    if (sum == 0)
        return 0;
    float t = (u * p.z + v * q.z + w * r.z) / sum;
    return rt_hit_keep(hit, ray->t_min, t, v / sum, w / sum, triangle);
}

#endif

/* ---- Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997 ----
 *
 * Fewer operations and nothing to make ready, but a ray that passes very near to an edge may miss
 * both triangles that share it. */

RT_FUNCTION void rt_cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

RT_FUNCTION float rt_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

RT_FUNCTION int rt_triangle_moeller(const struct rt_ray *ray, const float a[3], const float b[3],
                                    const float c[3], uint32_t triangle, struct rt_hit *hit)
{
    float ab[3], ac[3], ao[3], p[3], q[3];
    for (int axis = 0; axis < 3; axis++) {
        ab[axis] = b[axis] - a[axis];
        ac[axis] = c[axis] - a[axis];
        ao[axis] = ray->origin[axis] - a[axis];
    }
    rt_cross(ray->direction, ac, p);
    float determinant = rt_dot(ab, p);
    if (determinant == 0)
        return 0;
    float inverse = 1 / determinant;
    float u = rt_dot(ao, p) * inverse;
    if (!(u >= 0 && u <= 1))
        return 0;
    rt_cross(ao, ab, q);
    float v = rt_dot(ray->direction, q) * inverse;
    if (!(v >= 0 && u + v <= 1))
        return 0;
    return rt_hit_keep(hit, ray->t_min, rt_dot(ac, q) * inverse, u, v, triangle);
}

#endif
