/* trace.c - one ray per piece of work: load it, trace it, write which triangle it hits.
 *
 * Takes a scene whose rays were made beforehand (ogive run ... --rays primary). */
#include <ogive/rt_device.h>

int main(void)
{
    const struct rt_world *world = ogv_world();
    if (!world || !world->ray_count) {
        if (ogv_hart() == 0)
            ogv_print("trace: there are no rays; run it with --rays\n");
        return 1;
    }
    const struct rt_ray *rays = (const struct rt_ray *)rt_world_at(world, world->rays);
    uint32_t *hits = (uint32_t *)rt_world_at(world, world->hits);
    uint64_t count = world->ray_count;
    for (uint64_t i = ogv_next(); i < count; i = ogv_next()) {
        struct rt_ray ray = rays[i];
        hits[i] = rt_closest(world, &ray).triangle;
    }
    return 0;
}
