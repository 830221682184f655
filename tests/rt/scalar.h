/* scalar.h - see scalar.c. */
#ifndef TESTS_RT_SCALAR_H
#define TESTS_RT_SCALAR_H

#include "rt/format.h"

u32 scalar_test(const char *name, const void *node, const struct rt_slab *ray, float best,
                struct rt_child *children);

#endif
