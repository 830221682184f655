/* test_device.h - tests of boxes and triangles by instructions, for programs on machines whose
 * multipliers and adders can be joined for that (unit `pipelines`).
 *
 * A program that is compiled for such a machine (OGIVE_PIPELINES, which `ogive` sees to) has them
 * behind rt_slab_make, rt_slab_enters, rt_shear_make and rt_triangle_watertight: all walks use
 * them, and the results are the same to the last bit. A thread has one ray at a time: the one that
 * rt_slab_make was given last. */
#ifndef OGIVE_TEST_DEVICE_H
#define OGIVE_TEST_DEVICE_H

#include <ogive/registers_device.h>
#include <ogive/rt_compiler.h>
#include <ogive/rt_ray.h>

#if defined(OGIVE_PIPELINES) && defined(OGIVE_DEVICE)
#define RT_PIPELINES

/* The ray of the tests that follow. */
RT_FUNCTION void ogv_test_ray(const struct rt_ray *ray)
{
    OGV_RAY_REGISTERS(ray);
    uint64_t taken;
    __asm__ volatile(".insn r CUSTOM_0, 0, 13, %0, ft0, f0" : "=r"(taken) : OGV_OPERANDS_8);
}

/* Where the ray enters the box at a distance of at most `best`; NaN if it does not. */
RT_FUNCTION float ogv_test_box(const float low[3], const float high[3], float best)
{
    OGV_FLOATS_7(low[0], low[1], low[2], high[0], high[1], high[2], best);
    float t;
    __asm__ volatile(".insn r CUSTOM_0, 0, 14, %0, ft0, f0" : "=f"(t) : OGV_OPERANDS_7);
    return t;
}

struct ogv_crossing {
    float t, u, v;
};

/* Where the ray meets the triangle from its t_min on; t is NaN if it does not. */
RT_FUNCTION struct ogv_crossing ogv_test_triangle(const float a[3], const float b[3],
                                                  const float c[3])
{
    OGV_FLOATS_8(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1]);
    register float t __asm__("fa0");
    register float u __asm__("fa1");
    register float v __asm__("fa2");
    uint32_t last;
    __builtin_memcpy(&last, &c[2], sizeof last);
    __asm__ volatile(".insn r CUSTOM_0, 0, 15, fa0, ft0, %11"
                     : "=f"(t), "=f"(u), "=f"(v)
                     : OGV_OPERANDS_8, "r"((uint64_t)last));
    struct ogv_crossing crossing = { t, u, v };
    return crossing;
}

#endif

#endif
