/* shadow.c - what lights reach: one ray per pixel, and from where it hits one to every light.
 *
 * All surfaces are drawn as if they were diffuse. What the sky adds is a guess, the same on all
 * sides and in every corner: a quarter of what an open sky would. */
#include "paths.h"

static struct vector pixel_draw(struct paths *paths, uint32_t pixel)
{
    const struct rt_world *world = paths->world;
    struct rt_ray ray = ray_camera(world, pixel, 0.5f, 0.5f);
    struct rt_hit hit = rt_closest(world, &ray);
    if (hit.triangle == RT_NOTHING)
        return vector_tone(world, sky_light(world, &ray));
    struct surface surface = surface_at(paths, &ray, hit);
    struct vector origin = surface_leave(world, &surface, surface.normal);
    struct vector light = vector_add(vector_of(world->sky_horizon), vector_of(world->sky_zenith));
    light = vector_scale(light, 0.125f);
    for (uint32_t i = 0; i < world->light_count; i++)
        light = vector_add(light, light_falls(world, &world->lights[i], &surface, origin));
    light = vector_mul(light, vector_of(surface.material->colour));
    return vector_tone(world, vector_add(light, vector_of(surface.material->emission)));
}

int main(void)
{
    return paths_draw("shadow", pixel_draw);
}
