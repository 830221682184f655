/* stream_trace.c - trace.c for machines that hold rays: store every ray, write which triangle each
 * one hits when it comes back.
 *
 * Takes a scene whose rays were made beforehand (ogive run ... --rays primary). */
#include <ogive/rt_device.h>

/* Whether there was a ray to collect. */
static int hit_collect(const struct rt_world *world, uint32_t *hits, uint64_t priority)
{
    struct ogv_stream_hit found = rt_stream_collect(world, priority);
    if (found.id != STREAM_NO_ID)
        hits[found.id] = found.hit.triangle;
    return found.id != STREAM_NO_ID;
}

int main(void)
{
    const struct rt_world *world = ogv_world();
    if (!world || !world->ray_count) {
        if (ogv_hart() == 0)
            ogv_print("stream_trace: there are no rays; run it with --rays\n");
        return 1;
    }
    const struct rt_ray *rays = (const struct rt_ray *)rt_world_at(world, world->rays);
    uint32_t *hits = (uint32_t *)rt_world_at(world, world->hits);
    uint64_t count = world->ray_count;
    for (uint64_t i = ogv_next(); i < count; i = ogv_next()) {
        struct rt_ray ray = rays[i];
        while (!ogv_stream_store(&ray, (uint32_t)i))
            hit_collect(world, hits, STREAM_SPAWNING);
    }
    while (hit_collect(world, hits, STREAM_DRAINING)) {
    }
    return 0;
}
