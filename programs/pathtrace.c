/* pathtrace.c - path tracing: `samples` paths per pixel, of up to `bounces` bounces.
 *
 * Light comes from the sky, from surfaces that glow, and from suns and points, of which each
 * diffuse surface on a path asks one, by a shadow ray. Mirrors and glass send a path on in one
 * direction; glass casts the shadow of a solid thing. */
#include "paths.h"

/* One of the lights for all: as much as all of them, on average. */
static struct vector path_direct(struct paths *paths, const struct surface *surface,
                                 struct vector origin)
{
    const struct rt_world *world = paths->world;
    uint32_t count = world->light_count, chosen = 0;
    static const struct vector none = { 0, 0, 0 };
    if (!count)
        return none;
    if (count > 1)
        chosen = (uint32_t)(random_float(paths) * (float)count);
    struct vector light = light_falls(world, &world->lights[chosen], surface, origin);
    return vector_scale(light, (float)count);
}

static struct vector direction_mirror(struct vector towards, struct vector normal)
{
    return vector_sub(towards, vector_scale(normal, 2 * vector_dot(towards, normal)));
}

/* Reflected or refracted, by chance: as often as Fresnel's equations say, in Schlick's
 * approximation (1994). The normal turns to the side on which the path goes on. */
static struct vector direction_glass(struct paths *paths, const struct surface *surface,
                                     struct vector towards, struct vector *normal)
{
    float index = surface->material->index;
    float ratio = surface->inside ? index : 1 / index;
    float cosine = -vector_dot(towards, *normal);
    float square = 1 - ratio * ratio * (1 - cosine * cosine); /* of the refracted cosine */
    if (!(square > 0))
        return direction_mirror(towards, *normal);
    float refracted = __builtin_sqrtf(square);
    float straight = (1 - index) / (1 + index), least = straight * straight;
    float rest = 1 - (surface->inside ? refracted : cosine), rest2 = rest * rest;
    if (random_float(paths) < least + (1 - least) * rest2 * rest2 * rest)
        return direction_mirror(towards, *normal);
    struct vector out =
        vector_add(vector_scale(towards, ratio), vector_scale(*normal, ratio * cosine - refracted));
    *normal = vector_scale(*normal, -1);
    return out;
}

/* The path's next ray. */
static struct rt_ray path_go_on(struct paths *paths, const struct surface *surface,
                                struct vector towards)
{
    struct vector normal = surface->normal, direction;
    if (surface->material->surface == RT_MIRROR)
        direction = direction_mirror(towards, normal);
    else if (surface->material->surface == RT_GLASS)
        direction = direction_glass(paths, surface, towards, &normal);
    else
        direction = random_cosine(paths, normal);
    struct vector origin = surface_leave(paths->world, surface, normal);
    return ray_of(origin, vector_normalise(direction, normal), __builtin_inff());
}

static struct vector path_light(struct paths *paths, struct rt_ray ray)
{
    const struct rt_world *world = paths->world;
    struct vector light = { 0, 0, 0 }, weight = { 1, 1, 1 };
    for (uint32_t bounce = 0;; bounce++) {
        struct rt_hit hit = rt_closest(world, &ray);
        if (hit.triangle == RT_NOTHING)
            return vector_add(light, vector_mul(weight, sky_light(world, &ray)));
        struct surface surface = surface_at(paths, &ray, hit);
        const struct rt_material *material = surface.material;
        light = vector_add(light, vector_mul(weight, vector_of(material->emission)));
        weight = vector_mul(weight, vector_of(material->colour));
        if (material->surface == RT_DIFFUSE) {
            struct vector origin = surface_leave(world, &surface, surface.normal);
            struct vector direct = path_direct(paths, &surface, origin);
            light = vector_add(light, vector_mul(weight, direct));
        }
        if (bounce >= world->bounces || !(weight.x + weight.y + weight.z > 0))
            return light;
        ray = path_go_on(paths, &surface, vector_of(ray.direction));
    }
}

/* A single sample goes through the pixel's centre, several anywhere through it. */
static struct vector pixel_draw(struct paths *paths, uint32_t pixel)
{
    const struct rt_world *world = paths->world;
    struct vector sum = { 0, 0, 0 };
    for (uint32_t sample = 0; sample < world->samples; sample++) {
        float x = 0.5f, y = 0.5f;
        random_seed(paths, pixel, sample);
        if (world->samples > 1) {
            x = random_float(paths);
            y = random_float(paths);
        }
        sum = vector_add(sum, path_light(paths, ray_camera(world, pixel, x, y)));
    }
    return vector_tone(vector_scale(sum, 1 / (float)world->samples));
}

int main(void)
{
    return paths_draw("pathtrace", pixel_draw);
}
