/* occlusion.c - ambient occlusion: how much of what surrounds a point is free.
 *
 * One ray per pixel, through its centre; from where it hits, `samples` rays by the cosine, which go
 * no farther than the world's `reach`. White: all of them are free, or nothing was hit. */
#include "paths.h"

static struct vector pixel_draw(struct paths *paths, uint32_t pixel)
{
    const struct rt_world *world = paths->world;
    struct rt_ray ray = ray_camera(world, pixel, 0.5f, 0.5f);
    struct rt_hit hit = rt_closest(world, &ray);
    uint32_t samples = world->samples, open = samples;
    if (hit.triangle != RT_NOTHING) {
        struct surface surface = surface_at(paths, &ray, hit);
        struct vector origin = surface_leave(world, &surface, surface.normal);
        for (uint32_t sample = 0; sample < samples; sample++) {
            random_seed(paths, pixel, sample);
            ray = ray_of(origin, random_cosine(paths, surface.normal), world->reach);
            open -= rt_blocked(world, &ray) ? 1 : 0;
        }
    }
    float grey = (float)open / (float)samples;
    struct vector colour = { grey, grey, grey };
    return colour;
}

int main(void)
{
    return paths_draw("occlusion", pixel_draw);
}
