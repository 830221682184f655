/* path.h - steps of a path, for programs that follow paths: pathtrace.c and stream_pathtrace.c.
 *
 * Light comes from the sky, from triangles that glow (lamps), and from suns and points. At each
 * diffuse surface on its way a path asks one of these by a shadow ray, all lamps counting as one; a
 * lamp that it meets afterwards does not count again. Mirrors and glass send a path on in one
 * direction; glass casts the shadow of a solid thing. Whether a path is inside of glass is
 * remembered, as triangles have no reliable outside. */
#ifndef PROGRAMS_PATH_H
#define PROGRAMS_PATH_H

#include "filter.h"
#include "paths.h"

#define BRIGHT 5.0f /* the most that a path adds after its first hit: keeps single dots away */

struct path {
    struct vector light, weight;
    struct vector colour; /* of the first surface that scatters light; white: there is none */
    struct spot *spot;    /* to add that surface to, until it is found; NULL: no need */
    int seen;             /* a lamp that is met counts: the path comes from the eye or a mirror */
    int inside;           /* of glass */
    uint32_t bounce;
};

static void path_add(struct path *path, struct vector light)
{
    light = vector_mul(path->weight, light);
    float bright = vector_bright(light);
    if (path->bounce && bright > BRIGHT)
        light = vector_scale(light, BRIGHT / bright);
    path->light = vector_add(path->light, light);
}

/* ---- Direct light ---- */

static const struct rt_lamp *lamp_choose(struct paths *paths, float *power)
{
    const struct rt_world *world = paths->world;
    const struct rt_lamp *lamps = (const struct rt_lamp *)rt_world_at(world, world->lamps);
    uint32_t low = 0, high = world->lamp_count - 1;
    *power = lamps[high].sum;
    float chosen = random_float(paths) * *power;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lamps[middle].sum > chosen)
            high = middle;
        else
            low = middle + 1;
    }
    return &lamps[low];
}

/* A point of a lamp, as a surface sees it. */
struct lamp_point {
    uint32_t triangle;
    float power, square, here, there;
};

/* A point of one of the lamps, for all of them, and the ray there; 0: it cannot be seen. */
static int lamp_reaches(struct paths *paths, const struct surface *surface, struct vector origin,
                        struct lamp_point *point, struct rt_ray *ray)
{
    point->triangle = lamp_choose(paths, &point->power)->triangle;
    struct triangle triangle = triangle_get(paths, point->triangle);
    float a = __builtin_sqrtf(random_float(paths)), b = random_float(paths);
    struct vector to = vector_sub(triangle_point(&triangle, a * (1 - b), a * b), origin);
    float square = vector_dot(to, to), distance = __builtin_sqrtf(square);
    if (!(square > 0))
        return 0;
    to = vector_scale(to, 1 / distance);
    struct vector across = vector_normalise(vector_cross(triangle.first, triangle.second), to);
    point->square = square;
    point->here = vector_dot(surface->normal, to);
    point->there = vector_dot(across, to);
    *ray = ray_of(origin, to, distance * 0.9995f);
    return point->here > 0;
}

/* What a white surface sends back of it. The chance of the point, per area, is its brightness by
 * the power of all lamps. */
static struct vector lamp_light(const struct paths *paths, const struct lamp_point *point)
{
    struct vector glow = vector_of(paths->materials[paths->surfaces[point->triangle]].emission);
    float there = point->there < 0 ? -point->there : point->there;
    return vector_scale(glow, point->here * there * point->power /
                                  (point->square * vector_bright(glow) * PATHS_PI));
}

/* One of the lights for all: as much as all of them, on average; and the ray that says whether it
 * is seen. 0: there is no need for one. */
static int direct_reaches(struct paths *paths, const struct surface *surface, struct vector *light,
                          struct rt_ray *ray)
{
    const struct rt_world *world = paths->world;
    uint32_t count = world->light_count + (world->lamp_count ? 1 : 0), chosen = 0;
    if (!count)
        return 0;
    struct vector origin = surface_leave(world, surface, surface->normal);
    if (count > 1)
        chosen = (uint32_t)(random_float(paths) * (float)count);
    if (chosen < world->light_count) {
        float strength = light_reaches(&world->lights[chosen], surface, origin, ray);
        *light = vector_scale(vector_of(world->lights[chosen].power), strength);
        *light = vector_scale(*light, (float)count);
        return strength > 0;
    }
    struct lamp_point point;
    if (!lamp_reaches(paths, surface, origin, &point, ray))
        return 0;
    *light = vector_scale(lamp_light(paths, &point), (float)count);
    return 1;
}

/* ---- Going on ---- */

static struct vector direction_mirror(struct vector towards, struct vector normal)
{
    return vector_sub(towards, vector_scale(normal, 2 * vector_dot(towards, normal)));
}

/* The part of light that a smooth surface sends back (Fresnel's equations). */
static float reflected_part(float cosine, float other, float ratio)
{
    float s = (ratio * cosine - other) / (ratio * cosine + other);
    float p = (cosine - ratio * other) / (cosine + ratio * other);
    return 0.5f * (s * s + p * p);
}

/* Reflected or refracted, by chance. The normal turns to the side on which the path goes on. */
static struct vector direction_glass(struct paths *paths, struct path *path, float index,
                                     struct vector towards, struct vector *normal)
{
    float ratio = path->inside ? index : 1 / index;
    float cosine = -vector_dot(towards, *normal);
    float square = 1 - ratio * ratio * (1 - cosine * cosine);
    if (!(square > 0))
        return direction_mirror(towards, *normal);
    float other = __builtin_sqrtf(square);
    if (random_float(paths) < reflected_part(cosine, other, ratio))
        return direction_mirror(towards, *normal);
    struct vector out =
        vector_add(vector_scale(towards, ratio), vector_scale(*normal, ratio * cosine - other));
    *normal = vector_scale(*normal, -1);
    path->inside = !path->inside;
    return out;
}

/* The path's next ray. */
static struct rt_ray path_go_on(struct paths *paths, struct path *path,
                                const struct surface *surface, struct vector towards)
{
    struct vector normal = surface->normal, direction;
    uint32_t kind = surface->material->surface;
    path->seen = kind != RT_DIFFUSE;
    if (kind == RT_MIRROR)
        direction = direction_mirror(towards, normal);
    else if (kind == RT_GLASS)
        direction = direction_glass(paths, path, surface->material->index, towards, &normal);
    else
        direction = random_cosine(paths, normal);
    struct vector origin = surface_leave(paths->world, surface, normal);
    return ray_of(origin, vector_normalise(direction, normal), __builtin_inff());
}

/* A path that has come to what scatters light, or only to a glow or glass, knows what the pixel
 * shows; mirrors only colour it. */
static void path_find_spot(struct path *path, const struct surface *surface, struct vector eye)
{
    const struct rt_material *material = surface->material;
    struct spot *spot = path->spot;
    if (!spot || material->surface == RT_MIRROR)
        return;
    path->spot = 0;
    if (material->surface != RT_DIFFUSE || vector_bright(vector_of(material->emission)) > 0)
        return;
    path->colour = path->weight;
    spot->normal = vector_add(spot->normal, surface->normal);
    spot->plane += vector_dot(surface->normal, vector_sub(surface->position, eye));
}

/* The path's ray has met something, or nothing (0: it ends there). */
static int path_meet(struct paths *paths, struct path *path, const struct rt_ray *ray,
                     struct rt_hit hit, struct surface *surface)
{
    const struct rt_world *world = paths->world;
    if (hit.triangle == RT_NOTHING) {
        path_add(path, sky_light(world, ray));
        return 0;
    }
    *surface = surface_at(paths, ray, hit);
    if (path->seen)
        path_add(path, vector_of(surface->material->emission));
    path->weight = vector_mul(path->weight, vector_of(surface->material->colour));
    path_find_spot(path, surface, vector_of(world->view.eye));
    return 1;
}

static int path_is_over(const struct rt_world *world, const struct path *path)
{
    return path->bounce >= world->bounces || !(vector_bright(path->weight) > 0);
}

/* The ray of a sample: a single one goes through the pixel's centre, several anywhere through it.
 */
static struct rt_ray sample_begin(struct paths *paths, uint32_t pixel, uint32_t sample)
{
    const struct rt_world *world = paths->world;
    float x = 0.5f, y = 0.5f;
    random_seed(paths, pixel, sample);
    if (world->samples > 1) {
        x = random_float(paths);
        y = random_float(paths);
    }
    return ray_camera(world, pixel, x, y);
}

static const struct path path_start = { .weight = { 1, 1, 1 }, .colour = { 1, 1, 1 }, .seen = 1 };

#endif
