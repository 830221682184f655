/* registers_device.h - the registers in which custom instructions take eight floats, or seven: ft0
 * on. What is read from fa0 on is up to each instruction. */
#ifndef OGIVE_REGISTERS_DEVICE_H
#define OGIVE_REGISTERS_DEVICE_H

#include <ogive/rt_ray.h>

#ifdef OGIVE_DEVICE

#define OGV_FLOATS_7(a, b, c, d, e, f, g)     \
    register float ogv_f0 __asm__("ft0") = a; \
    register float ogv_f1 __asm__("ft1") = b; \
    register float ogv_f2 __asm__("ft2") = c; \
    register float ogv_f3 __asm__("ft3") = d; \
    register float ogv_f4 __asm__("ft4") = e; \
    register float ogv_f5 __asm__("ft5") = f; \
    register float ogv_f6 __asm__("ft6") = g
#define OGV_FLOATS_8(a, b, c, d, e, f, g, h) \
    OGV_FLOATS_7(a, b, c, d, e, f, g);       \
    register float ogv_f7 __asm__("ft7") = h

#define OGV_OPERANDS_7 \
    "f"(ogv_f0), "f"(ogv_f1), "f"(ogv_f2), "f"(ogv_f3), "f"(ogv_f4), "f"(ogv_f5), "f"(ogv_f6)
#define OGV_OPERANDS_8 OGV_OPERANDS_7, "f"(ogv_f7)

#define OGV_RAY_REGISTERS(ray)                                                       \
    OGV_FLOATS_8((ray)->origin[0], (ray)->origin[1], (ray)->origin[2], (ray)->t_min, \
                 (ray)->direction[0], (ray)->direction[1], (ray)->direction[2], (ray)->t_max)

#endif

#endif
