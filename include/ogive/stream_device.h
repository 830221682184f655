/* stream_device.h - rays that the machine holds until they are finished, for programs in C and C++;
 * part of rt_device.h.
 *
 * On a machine whose RT cores are in stream mode, a program does not wait for the ray that it
 * sends: it stores rays with a number of its own, and loads finished ones in whatever order they
 * come. There is room for so many at a time, so whoever is refused collects first:
 *
 *     while (!ogv_stream_store(&ray, i))
 *         collect(STREAM_SPAWNING);
 *     ...
 *     while (collect(STREAM_DRAINING)) {
 *     }
 *
 * where collect loads a finished ray (ogv_stream_hit_load) and does what is to be done with it. A
 * hart that has been told that no ray is under way need not look again: every hart collects until
 * it is told so after its last store, so that all rays are collected by somebody. */
#ifndef OGIVE_STREAM_DEVICE_H
#define OGIVE_STREAM_DEVICE_H

#include <ogive/rt_device.h>
#include <ogive/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef OGIVE_DEVICE

/* Whether the ray was taken; there was no room if not. `id` is any number but STREAM_NO_ID. */
static inline int ogv_stream_store(const struct rt_ray *ray, uint32_t id)
{
    uint64_t taken;
    OGV_RAY_REGISTERS(ray);
    __asm__ volatile(".insn r CUSTOM_0, 0, 8, %0, ft0, %9"
                     : "=r"(taken)
                     : OGV_RAY_OPERANDS, "r"((uint64_t)id));
    return taken == 1;
}

/* Waits for a finished ray; its id is STREAM_NO_ID if no ray is under way. */
static inline struct ogv_stream_hit ogv_stream_hit_load(uint64_t priority)
{
    OGV_HIT_REGISTERS;
    register float id __asm__("fa4");
    __asm__ volatile(".insn r CUSTOM_0, 0, 9, fa0, %5, x0"
                     : OGV_HIT_RESULTS, "=f"(id)
                     : "r"(priority));
    struct ogv_stream_hit found = { ogv_hit_of(ogv_h0, ogv_h1, ogv_h2, ogv_h3),
                                    ogv_float_bits(id) };
    return found;
}

#else

int ogv_stream_store(const struct rt_ray *ray, uint32_t id);
struct ogv_stream_hit ogv_stream_hit_load(uint64_t priority);

#endif

#ifdef __cplusplus
}
#endif

#endif
