/* pathtrace.c - path tracing: `samples` paths per pixel, of up to `bounces` bounces; with an
 * argument, so many passes of a filter over the picture (filter.h; 7 are enough).
 *
 * Light comes from the sky, from triangles that glow (lamps), and from suns and points. At each
 * diffuse surface on its way a path asks one of these by a shadow ray, all lamps counting as one; a
 * lamp that it meets afterwards does not count again. Mirrors and glass send a path on in one
 * direction; glass casts the shadow of a solid thing. Whether a path is inside of glass is
 * remembered, as triangles have no reliable outside. */
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

/* What a white surface sends back of a point of one of the lamps, for all of them. The chance of
 * the point, per area, is its brightness by the power of all lamps. */
static struct vector lamp_falls(struct paths *paths, const struct surface *surface,
                                struct vector origin)
{
    static const struct vector none = { 0, 0, 0 };
    float power;
    uint32_t number = lamp_choose(paths, &power)->triangle;
    struct triangle triangle = triangle_get(paths, number);
    float a = __builtin_sqrtf(random_float(paths)), b = random_float(paths);
    struct vector to = vector_sub(triangle_point(&triangle, a * (1 - b), a * b), origin);
    float square = vector_dot(to, to), distance = __builtin_sqrtf(square);
    if (!(square > 0))
        return none;
    to = vector_scale(to, 1 / distance);
    struct vector across = vector_normalise(vector_cross(triangle.first, triangle.second), to);
    float here = vector_dot(surface->normal, to), there = vector_dot(across, to);
    if (!(here > 0))
        return none;
    struct rt_ray ray = ray_of(origin, to, distance * 0.9995f);
    if (rt_blocked(paths->world, &ray))
        return none;
    struct vector glow = vector_of(paths->materials[paths->surfaces[number]].emission);
    there = there < 0 ? -there : there;
    return vector_scale(glow, here * there * power / (square * vector_bright(glow) * PATHS_PI));
}

/* One of the lights for all: as much as all of them, on average. */
static struct vector direct_falls(struct paths *paths, const struct surface *surface)
{
    static const struct vector none = { 0, 0, 0 };
    const struct rt_world *world = paths->world;
    uint32_t count = world->light_count + (world->lamp_count ? 1 : 0), chosen = 0;
    if (!count)
        return none;
    struct vector origin = surface_leave(world, surface, surface->normal);
    if (count > 1)
        chosen = (uint32_t)(random_float(paths) * (float)count);
    struct vector light = chosen < world->light_count
                              ? light_falls(world, &world->lights[chosen], surface, origin)
                              : lamp_falls(paths, surface, origin);
    return vector_scale(light, (float)count);
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

static void path_follow(struct paths *paths, struct path *path, struct rt_ray ray)
{
    const struct rt_world *world = paths->world;
    for (;; path->bounce++) {
        struct rt_hit hit = rt_closest(world, &ray);
        if (hit.triangle == RT_NOTHING) {
            path_add(path, sky_light(world, &ray));
            return;
        }
        struct surface surface = surface_at(paths, &ray, hit);
        const struct rt_material *material = surface.material;
        if (path->seen)
            path_add(path, vector_of(material->emission));
        path->weight = vector_mul(path->weight, vector_of(material->colour));
        path_find_spot(path, &surface, vector_of(world->view.eye));
        if (material->surface == RT_DIFFUSE)
            path_add(path, direct_falls(paths, &surface));
        if (path->bounce >= world->bounces || !(vector_bright(path->weight) > 0))
            return;
        ray = path_go_on(paths, path, &surface, vector_of(ray.direction));
    }
}

/* A single sample goes through the pixel's centre, several anywhere through it. */
static void sample_follow(struct paths *paths, struct path *path, uint32_t pixel, uint32_t sample)
{
    const struct rt_world *world = paths->world;
    float x = 0.5f, y = 0.5f;
    random_seed(paths, pixel, sample);
    if (world->samples > 1) {
        x = random_float(paths);
        y = random_float(paths);
    }
    path_follow(paths, path, ray_camera(world, pixel, x, y));
}

static const struct path path_start = { .weight = { 1, 1, 1 }, .colour = { 1, 1, 1 }, .seen = 1 };

/* ---- Plain ---- */

static struct vector pixel_draw(struct paths *paths, uint32_t pixel)
{
    const struct rt_world *world = paths->world;
    struct vector sum = { 0, 0, 0 };
    for (uint32_t sample = 0; sample < world->samples; sample++) {
        struct path path = path_start;
        sample_follow(paths, &path, pixel, sample);
        sum = vector_add(sum, path.light);
    }
    return vector_tone(world, vector_scale(sum, 1 / (float)world->samples));
}

/* ---- Filtered ---- */

static struct film film; /* shared by all harts */

/* Light that came from a surface without the surface's colour. */
static float light_behind(float light, float colour)
{
    return colour > 0.001f ? light / colour : 0;
}

/* Leaves a pixel's spot and light on the film: means over its samples. */
static struct vector pixel_expose(struct paths *paths, uint32_t pixel)
{
    static const struct spot none;
    float part = 1 / (float)paths->world->samples;
    struct spot *spot = &film.spots[pixel];
    struct vector *light = &film.light[0][pixel];
    *spot = none;
    *light = none.colour;
    for (uint32_t sample = 0; sample < paths->world->samples; sample++) {
        struct path path = path_start;
        path.spot = spot;
        sample_follow(paths, &path, pixel, sample);
        struct vector falls = { light_behind(path.light.x, path.colour.x),
                                light_behind(path.light.y, path.colour.y),
                                light_behind(path.light.z, path.colour.z) };
        *light = vector_add(*light, vector_scale(falls, part));
        spot->colour = vector_add(spot->colour, vector_scale(path.colour, part));
    }
    spot->normal = vector_scale(spot->normal, part);
    spot->plane *= part;
    return vector_tone(paths->world, vector_mul(*light, spot->colour));
}

/* By the first hart; the others wait for it. */
static int film_init(const struct rt_world *world)
{
    size_t count = (size_t)world->width * world->height;
    if (ogv_hart() == 0) {
        film.width = world->width;
        film.height = world->height;
        film.spots = (struct spot *)ogv_reserve(count * sizeof *film.spots);
        film.light[0] = (struct vector *)ogv_reserve(2 * count * sizeof *film.light[0]);
        film.light[1] = film.light[0] ? film.light[0] + count : 0;
        if (!film.spots || !film.light[0])
            ogv_print("pathtrace: no memory to filter %u x %u pixels\n", film.width, film.height);
        ogv_gate_arrive(&film.ready, 1);
    }
    ogv_gate_wait(&film.ready, 1);
    return film.spots && film.light[0];
}

static int draw_filtered(uint32_t passes)
{
    const struct rt_world *world = ogv_world();
    if (world && !film_init(world))
        return 1;
    int status = paths_draw("pathtrace", pixel_expose);
    if (status || !film_finish(&film))
        return status;
    film_filter(world, &film, passes);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t passes = ogv_argument(argc, argv, 1, 0);
    if (passes > FILTER_PASSES_MAX) {
        if (ogv_hart() == 0)
            ogv_print("pathtrace: at most %u passes of the filter\n", FILTER_PASSES_MAX);
        return 1;
    }
    return passes ? draw_filtered((uint32_t)passes) : paths_draw("pathtrace", pixel_draw);
}
