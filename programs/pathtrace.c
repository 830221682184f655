/* pathtrace.c - path tracing: `samples` paths per pixel, of up to `bounces` bounces (path.h); with
 * an argument, so many passes of a filter over the picture (filter.h; 7 are enough). */
#include "path.h"

static void path_follow(struct paths *paths, struct path *path, struct rt_ray ray)
{
    const struct rt_world *world = paths->world;
    for (;; path->bounce++) {
        struct rt_hit hit = rt_closest(world, &ray);
        struct surface surface;
        struct vector light;
        struct rt_ray shadow;
        if (!path_meet(paths, path, &ray, hit, &surface))
            return;
        if (surface.material->surface == RT_DIFFUSE &&
            direct_reaches(paths, &surface, &light, &shadow) && !rt_blocked(world, &shadow))
            path_add(path, light);
        if (path_is_over(world, path))
            return;
        ray = path_go_on(paths, path, &surface, vector_of(ray.direction));
    }
}

static void sample_follow(struct paths *paths, struct path *path, uint32_t pixel, uint32_t sample)
{
    path_follow(paths, path, sample_begin(paths, pixel, sample));
}

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
