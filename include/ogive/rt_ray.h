/* rt_ray.h - rays and hits as they lie in memory, for host and device code. */
#ifndef OGIVE_RT_RAY_H
#define OGIVE_RT_RAY_H

#include <stdint.h>

#include "ogive/rt_compiler.h"

/* A point of the ray is origin + t * direction with t_min <= t <= t_max. A ray with t_max < t_min
 * hits nothing: it fills a place where there is no ray. */
struct rt_ray {
    float origin[3], t_min;
    float direction[3], t_max;
};

#define RT_NOTHING UINT32_MAX

/* The closest hit: t, barycentric coordinates of the second and third vertex, and the number of the
 * triangle in its mesh, or RT_NOTHING. */
struct rt_hit {
    float t, u, v;
    uint32_t triangle;
};

RT_FUNCTION int rt_ray_is_empty(const struct rt_ray *ray)
{
    return !(ray->t_max >= ray->t_min);
}

/* Where a ray's search begins: nothing hit up to its end. */
RT_FUNCTION struct rt_hit rt_hit_none(const struct rt_ray *ray)
{
    struct rt_hit hit = { ray->t_max, 0, 0, RT_NOTHING };
    return hit;
}

#endif
