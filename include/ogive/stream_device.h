/* stream_device.h - rays that the machine holds until they are finished, for programs in C and C++;
 * part of rt_device.h.
 *
 * On a machine that holds rays by treelet, a program does not wait for the ray that it sends: it
 * stores rays with a number of its own, and collects finished ones in whatever order they come.
 * There is room for so many at a time, so whoever is refused collects first:
 *
 *     while (!ogv_stream_store(&ray, i))
 *         collect(STREAM_SPAWNING);
 *     ...
 *     while (collect(STREAM_DRAINING)) {
 *     }
 *
 * where collect gets a finished ray (rt_stream_collect) and does what is to be done with it. A
 * hart that has been told that no ray is under way need not look again: every hart collects until
 * it is told so after its last store, so that all rays are collected by somebody.
 *
 * Where there are no RT cores, whoever collects walks rays through treelets until it meets a
 * finished one (rt_device.h). ogv_stream_load and ogv_stream_send are the instructions for that. */
#ifndef OGIVE_RT_DEVICE_H
#include <ogive/rt_device.h> /* which has this in the middle */
#elif !defined(OGIVE_STREAM_DEVICE_H)
#define OGIVE_STREAM_DEVICE_H

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
                     : OGV_OPERANDS_8, "r"((uint64_t)id));
    return taken == 1;
}

/* Waits for a finished ray; its id is STREAM_NO_ID if no ray is under way. Takes an RT core. */
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

/* Eight words into memory. */
#define OGV_STREAM_HALF(funct7, to)                                                              \
    do {                                                                                         \
        register float h0 __asm__("fa0"), h1 __asm__("fa1"), h2 __asm__("fa2");                  \
        register float h3 __asm__("fa3"), h4 __asm__("fa4"), h5 __asm__("fa5");                  \
        register float h6 __asm__("fa6"), h7 __asm__("fa7");                                     \
        __asm__ volatile(".insn r CUSTOM_0, 0, " #funct7 ", fa0, x0, x0"                         \
                         : "=f"(h0), "=f"(h1), "=f"(h2), "=f"(h3), "=f"(h4), "=f"(h5), "=f"(h6), \
                           "=f"(h7));                                                            \
        (to)[0] = h0, (to)[1] = h1, (to)[2] = h2, (to)[3] = h3;                                  \
        (to)[4] = h4, (to)[5] = h5, (to)[6] = h6, (to)[7] = h7;                                  \
    } while (0)

/* Waits for a ray to walk. If its treelet is STREAM_DONE_TREELET, it is a finished one instead, of
 * which only hit and id are there; with the id STREAM_NO_ID, no ray is under way. Takes a port for
 * rays, which keeps the ray for ogv_stream_send. */
static inline void ogv_stream_load(struct ogv_stream_ray *ray)
{
    float halves[2][STREAM_HALF_BYTES / sizeof(float)];
    OGV_STREAM_HALF(10, halves[0]);
    OGV_STREAM_HALF(11, halves[1]);
    __builtin_memcpy(ray, halves, sizeof halves);
}

/* Sends on the ray that was loaded last, with hit, treelet, level and trail as they are in `ray`
 * (enum stream_send). A work item ends at the hit. */
static inline void ogv_stream_send(const struct ogv_stream_ray *ray, uint64_t what)
{
    float half[STREAM_HALF_BYTES / sizeof(float)];
    uint64_t taken;
    stream_half_write(ray, 1, half);
    OGV_FLOATS_8(half[0], half[1], half[2], half[3], half[4], half[5], half[6], half[7]);
    __asm__ volatile(".insn r CUSTOM_0, 0, 12, %0, ft0, %9"
                     : "=r"(taken)
                     : OGV_OPERANDS_8, "r"(what));
}

#else

int ogv_stream_store(const struct rt_ray *ray, uint32_t id);
struct ogv_stream_hit ogv_stream_hit_load(uint64_t priority);

#endif

#ifdef __cplusplus
}
#endif

#endif
