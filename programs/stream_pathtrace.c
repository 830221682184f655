/* stream_pathtrace.c - pathtrace.c for machines that hold rays: the same picture to the last bit.
 *
 * Rays come back in any order and to any hart, so all paths go on together, in waves: one of rays
 * that look for the closest hit, one of shadow rays, and so on. In a wave every hart stores the
 * rays of its pixels, and collects whatever is finished, as hits by pixel; behind a barrier it goes
 * on with its own pixels. A path has one ray under way at a time, known by its pixel. */
#include <ogive/gate.h>

#include "path.h"

struct pixel {
    struct path path;
    struct vector sum;   /* of samples that are done */
    struct vector light; /* that a shadow ray is under way for */
    struct rt_ray ray, shadow;
    uint32_t sample, random, drawn;
    uint8_t alive;    /* there is a path */
    uint8_t shadowed; /* a shadow ray is to be sent, or under way */
    uint8_t met;      /* its ray has met a surface, whose light is next */
    uint8_t over;     /* the path ends behind that */
};

/* Shared by all harts. */
static struct {
    struct pixel *pixels;
    struct rt_hit *hits;
    uint32_t *rays; /* by wave */
    uint64_t count;
    struct ogv_gate ready;
} all;

/* ---- Paths ---- */

static void sample_next(struct paths *paths, struct pixel *pixel, uint32_t place)
{
    pixel->alive = pixel->sample < paths->world->samples;
    if (!pixel->alive)
        return;
    pixel->path = path_start;
    pixel->ray = sample_begin(paths, place, pixel->sample);
}

static void sample_finish(struct paths *paths, struct pixel *pixel, uint32_t place)
{
    const struct rt_world *world = paths->world;
    uint32_t *image = (uint32_t *)rt_world_at(world, world->pixels);
    pixel->sum = vector_add(pixel->sum, pixel->path.light);
    pixel->sample++;
    sample_next(paths, pixel, place);
    if (!pixel->alive)
        image[place] =
            colour_pack(vector_tone(world, vector_scale(pixel->sum, 1 / (float)world->samples)));
}

/* The closest hit is known. */
static void pixel_meet(struct paths *paths, struct pixel *pixel, struct rt_hit hit, uint32_t place)
{
    struct surface surface;
    pixel->shadowed = 0;
    pixel->met = path_meet(paths, &pixel->path, &pixel->ray, hit, &surface) ? 1 : 0;
    if (!pixel->met) {
        sample_finish(paths, pixel, place);
        return;
    }
    if (surface.material->surface == RT_DIFFUSE)
        pixel->shadowed = direct_reaches(paths, &surface, &pixel->light, &pixel->shadow) ? 1 : 0;
    pixel->over = path_is_over(paths->world, &pixel->path) ? 1 : 0;
    if (!pixel->over)
        pixel->ray = path_go_on(paths, &pixel->path, &surface, vector_of(pixel->ray.direction));
}

/* So is whether light falls there. */
static void pixel_light(struct paths *paths, struct pixel *pixel, struct rt_hit hit, uint32_t place)
{
    if (!pixel->met)
        return;
    if (pixel->shadowed && hit.triangle == RT_NOTHING)
        path_add(&pixel->path, pixel->light);
    if (pixel->over)
        sample_finish(paths, pixel, place);
    else
        pixel->path.bounce++;
}

/* ---- Waves ---- */

/* Whether there was a ray to collect. */
static int hit_collect(const struct rt_world *world, uint64_t priority)
{
    struct ogv_stream_hit found = rt_stream_collect(world, priority);
    if (found.id != STREAM_NO_ID)
        all.hits[found.id] = found.hit;
    return found.id != STREAM_NO_ID;
}

/* Sends this hart's rays; then collects until no ray is under way. How many it sent. */
static uint32_t wave_send(const struct rt_world *world, int shadows)
{
    uint32_t sent = 0;
    for (uint64_t i = ogv_hart(); i < all.count; i += ogv_harts()) {
        const struct pixel *pixel = &all.pixels[i];
        if (!pixel->alive || (shadows && !pixel->shadowed))
            continue;
        while (!ogv_stream_store(shadows ? &pixel->shadow : &pixel->ray, (uint32_t)i))
            hit_collect(world, STREAM_SPAWNING);
        sent++;
    }
    while (hit_collect(world, STREAM_DRAINING)) {
    }
    return sent;
}

static void wave_go_on(struct paths *paths, const uint32_t *places, int shadows)
{
    for (uint64_t i = ogv_hart(); i < all.count; i += ogv_harts()) {
        struct pixel *pixel = &all.pixels[i];
        if (!pixel->alive)
            continue;
        paths->random = pixel->random;
        paths->sample = pixel->sample;
        paths->drawn = pixel->drawn;
        if (shadows)
            pixel_light(paths, pixel, all.hits[i], places[i]);
        else
            pixel_meet(paths, pixel, all.hits[i], places[i]);
        pixel->random = paths->random;
        pixel->drawn = paths->drawn;
    }
}

/* Until a wave has no ray that looks for a closest hit. */
static void waves_run(struct paths *paths, const uint32_t *places)
{
    for (uint64_t wave = 0;; wave++) {
        int shadows = wave & 1;
        uint32_t sent = wave_send(paths->world, shadows);
        if (sent)
            ogv_atomic_add_u32(&all.rays[wave], sent);
        ogv_barrier_all();
        if (!shadows && !ogv_atomic_load_u32(&all.rays[wave]))
            return;
        wave_go_on(paths, places, shadows);
    }
}

/* By the first hart; the others wait for it. */
static int all_init(const struct rt_world *world)
{
    if (ogv_hart() == 0) {
        size_t waves = (size_t)world->samples * (world->bounces + 1) * 2 + 2;
        all.count = (uint64_t)world->width * world->height;
        all.pixels = (struct pixel *)ogv_reserve(all.count * sizeof *all.pixels);
        all.hits = (struct rt_hit *)ogv_reserve(all.count * sizeof *all.hits);
        all.rays = (uint32_t *)ogv_reserve(waves * sizeof *all.rays);
        if (!all.pixels || !all.hits || !all.rays)
            ogv_print("stream_pathtrace: no memory for %u x %u pixels\n", world->width,
                      world->height);
        ogv_image((const uint32_t *)rt_world_at(world, world->pixels), world->width, world->height);
        ogv_gate_arrive(&all.ready, 1);
    }
    ogv_gate_wait(&all.ready, 1);
    return all.pixels && all.hits && all.rays;
}

int main(void)
{
    struct paths paths;
    if (!paths_init(&paths, "stream_pathtrace") || !all_init(paths.world))
        return 1;
    const uint32_t *places = (const uint32_t *)rt_world_at(paths.world, paths.world->places);
    for (uint64_t i = ogv_hart(); i < all.count; i += ogv_harts()) {
        struct pixel *pixel = &all.pixels[i];
        sample_next(&paths, pixel, places[i]);
        pixel->random = paths.random;
        pixel->drawn = paths.drawn;
    }
    waves_run(&paths, places);
    return 0;
}
