/* test_device.h - tests of boxes and triangles by instructions, for programs on machines whose
 * multipliers and adders can be joined for that (unit `pipelines`).
 *
 * A program that is compiled for such a machine (OGIVE_PIPELINES, which `ogive` sees to) has them
 * behind rt_slab_make, rt_slab_enters, rt_shear_make and rt_triangle_watertight: all walks use
 * them, and the results are the same to the last bit. A thread has one ray at a time: the one that
 * rt_slab_make was given last. */
#ifndef OGIVE_TEST_DEVICE_H
#define OGIVE_TEST_DEVICE_H

#include <ogive/rt_compiler.h>
#include <ogive/rt_ray.h>

#if defined(OGIVE_PIPELINES) && defined(OGIVE_DEVICE)
#define RT_PIPELINES

/* The ray of the tests that follow. */
RT_FUNCTION void ogv_test_ray(const struct rt_ray *ray)
{
    register float f0 __asm__("ft0") = ray->origin[0];
    register float f1 __asm__("ft1") = ray->origin[1];
    register float f2 __asm__("ft2") = ray->origin[2];
    register float f3 __asm__("ft3") = ray->t_min;
    register float f4 __asm__("ft4") = ray->direction[0];
    register float f5 __asm__("ft5") = ray->direction[1];
    register float f6 __asm__("ft6") = ray->direction[2];
    register float f7 __asm__("ft7") = ray->t_max;
    uint64_t taken;
    __asm__ volatile(".insn r CUSTOM_0, 0, 13, %0, ft0, f0"
                     : "=r"(taken)
                     : "f"(f0), "f"(f1), "f"(f2), "f"(f3), "f"(f4), "f"(f5), "f"(f6), "f"(f7));
}

/* Where the ray enters the box at a distance of at most `best`; NaN if it does not. */
RT_FUNCTION float ogv_test_box(const float low[3], const float high[3], float best)
{
    register float f0 __asm__("ft0") = low[0];
    register float f1 __asm__("ft1") = low[1];
    register float f2 __asm__("ft2") = low[2];
    register float f3 __asm__("ft3") = high[0];
    register float f4 __asm__("ft4") = high[1];
    register float f5 __asm__("ft5") = high[2];
    register float f6 __asm__("ft6") = best;
    float t;
    __asm__ volatile(".insn r CUSTOM_0, 0, 14, %0, ft0, f0"
                     : "=f"(t)
                     : "f"(f0), "f"(f1), "f"(f2), "f"(f3), "f"(f4), "f"(f5), "f"(f6));
    return t;
}

struct ogv_crossing {
    float t, u, v;
};

/* Where the ray meets the triangle from its t_min on; t is NaN if it does not. */
RT_FUNCTION struct ogv_crossing ogv_test_triangle(const float a[3], const float b[3],
                                                  const float c[3])
{
    register float f0 __asm__("ft0") = a[0];
    register float f1 __asm__("ft1") = a[1];
    register float f2 __asm__("ft2") = a[2];
    register float f3 __asm__("ft3") = b[0];
    register float f4 __asm__("ft4") = b[1];
    register float f5 __asm__("ft5") = b[2];
    register float f6 __asm__("ft6") = c[0];
    register float f7 __asm__("ft7") = c[1];
    register float t __asm__("fa0");
    register float u __asm__("fa1");
    register float v __asm__("fa2");
    uint32_t last;
    __builtin_memcpy(&last, &c[2], sizeof last);
    __asm__ volatile(".insn r CUSTOM_0, 0, 15, fa0, ft0, %11"
                     : "=f"(t), "=f"(u), "=f"(v)
                     : "f"(f0), "f"(f1), "f"(f2), "f"(f3), "f"(f4), "f"(f5), "f"(f6), "f"(f7),
                       "r"((uint64_t)last));
    struct ogv_crossing crossing = { t, u, v };
    return crossing;
}

#endif

#endif
