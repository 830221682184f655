/* rt_box.h - rays against axis-aligned boxes, for host and device code.
 *
 * The slab test: on every axis a ray is between the two planes of a box from one distance to
 * another; it is in the box where all three intervals overlap. The interval is widened by more than
 * rounding can have narrowed it (Ize, "Robust BVH Ray Traversal", 2013), so that a box that the ray
 * truly enters at a distance from t_min to `best` is never missed. That holds for t_min >= 0 and as
 * long as no difference of coordinates overflows.
 *
 * Only additions, multiplications, divisions and comparisons, in a fixed order: the same bits on
 * every machine, if the compiler does not fuse them (-ffp-contract=off). A comparison with NaN is
 * false, which is used: 0 * infinity, from a ray that runs within a plane, does not narrow the
 * interval. */
#ifndef OGIVE_RT_BOX_H
#define OGIVE_RT_BOX_H

#include <float.h>
#include <stdint.h>

#include "ogive/rt_ray.h"
#include "ogive/test_device.h"

/* Three roundings (difference, reciprocal, product) are 1.5 units in the last place; this is 4,
 * which leaves some for the rounding of a triangle's distance. */
#define RT_SLAB_SLACK 0x1p-21f

/* Distances below this are rounded absolutely. */
#define RT_SLAB_TINY  FLT_MIN

/* A ray made ready. `near_inverse` and `far_inverse` are the reciprocals of the direction, a little
 * smaller and a little larger in magnitude; the former is finite. The planes that the ray meets
 * first are the high ones where `negative`. A ray with coordinates that are not finite has t_min =
 * NaN: it enters no box. */
struct rt_slab {
    float origin[4], near_inverse[4], far_inverse[4]; /* the fourth is 0, for vector loads */
    float t_min;
    uint32_t negative[3]; /* 0 or 1 */
};

RT_FUNCTION float rt_absolute(float a)
{
    return a < 0 ? -a : a;
}

/* The second unless the first is truly greater (less): NaN as the first does not count. */
RT_FUNCTION float rt_greater(float a, float b)
{
    return a > b ? a : b;
}

RT_FUNCTION float rt_less(float a, float b)
{
    return a < b ? a : b;
}

#ifdef RT_PIPELINES

RT_FUNCTION struct rt_slab rt_slab_make(const struct rt_ray *ray)
{
    struct rt_slab slab;
    ogv_test_ray(ray);
    slab.t_min = ray->t_min;
    return slab;
}

RT_FUNCTION int rt_slab_enters(const struct rt_slab *ray, float best, const float low[3],
                               const float high[3], float *t)
{
    (void)ray;
    *t = ogv_test_box(low, high, best);
    return *t == *t;
}

#else

RT_FUNCTION struct rt_slab rt_slab_make(const struct rt_ray *ray)
{
    struct rt_slab slab;
    float invalid = 0;
    slab.origin[3] = slab.near_inverse[3] = slab.far_inverse[3] = 0;
    slab.t_min = ray->t_min;
    for (int axis = 0; axis < 3; axis++) {
        float direction = ray->direction[axis], inverse = 1 / direction;
        slab.origin[axis] = ray->origin[axis];
        slab.near_inverse[axis] =
            rt_greater(rt_less(inverse * (1 - RT_SLAB_SLACK), FLT_MAX), -FLT_MAX);
        slab.far_inverse[axis] = inverse * (1 + RT_SLAB_SLACK);
        slab.negative[axis] = inverse < 0;
        invalid += (direction - direction) + (ray->origin[axis] - ray->origin[axis]);
    }
    if (invalid != 0)
        slab.t_min = invalid;
    return slab;
}

/* From where to where the ray is in the box. It is in it nowhere unless near <= far +
 * RT_SLAB_TINY. */
struct rt_interval {
    float near, far;
};

RT_FUNCTION struct rt_interval rt_slab_interval(const struct rt_slab *ray, float best,
                                                const float low[3], const float high[3])
{
    struct rt_interval interval = { ray->t_min, best };
    for (int axis = 0; axis < 3; axis++) {
        float first = ray->negative[axis] ? high[axis] : low[axis];
        float second = ray->negative[axis] ? low[axis] : high[axis];
        float near = (first - ray->origin[axis]) * ray->near_inverse[axis];
        float far = (second - ray->origin[axis]) * ray->far_inverse[axis];
        interval.near = rt_greater(near, interval.near);
        interval.far = rt_less(far, interval.far);
    }
    return interval;
}

/* Whether the ray enters the box at a distance of at most `best`; if so, *t is a bound from below
 * of that distance, not below t_min. */
RT_FUNCTION int rt_slab_enters(const struct rt_slab *ray, float best, const float low[3],
                               const float high[3], float *t)
{
    struct rt_interval interval = rt_slab_interval(ray, best, low, high);
    *t = interval.near;
    return interval.near <= interval.far + RT_SLAB_TINY;
}

#endif

#endif
