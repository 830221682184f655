/* tickets.c - several rays of a hart under way at once, collected in another order than they were
 * started. What there is no ticket for is traced at once. One ray is never collected. */
#include <ogive/rt_device.h>

#define TICKETS 3

int main(void)
{
    const struct rt_world *world = ogv_world();
    if (!world || !world->ray_count)
        return 1;
    const struct rt_ray *rays = (const struct rt_ray *)rt_world_at(world, world->rays);
    uint32_t *hits = (uint32_t *)rt_world_at(world, world->hits);
    uint64_t count = world->ray_count, which[TICKETS], tickets[TICKETS];
    if (ogv_hart() == 0)
        (void)ogv_trace_start(&rays[count / 2]);
    for (uint64_t i = ogv_next(); i < count;) {
        uint32_t started = 0;
        for (; started < TICKETS && i < count; i = ogv_next(), started++) {
            which[started] = i;
            tickets[started] = ogv_trace_start(&rays[i]);
        }
        while (started--) {
            struct rt_hit hit = tickets[started] == OGV_NO_TICKET
                                    ? ogv_trace(&rays[which[started]])
                                    : ogv_trace_wait(tickets[started]);
            hits[which[started]] = hit.triangle;
        }
    }
    return ogv_trace_wait(12345).triangle == RT_NOTHING ? 0 : 2;
}
