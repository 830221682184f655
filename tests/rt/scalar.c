/* scalar.c - the node tests as a device computes them, one lane after the other. */
#define RT_SCALAR
#include "scalar.h"

#include <string.h>

#include "ogive/rt_node.h"

#define CASE(format, unused)        \
    if (strcmp(name, #format) == 0) \
        return rt_##format##_test(node, ray, best, children);

u32 scalar_test(const char *name, const void *node, const struct rt_slab *ray, float best,
                struct rt_child *children)
{
    RT_NODE_FORMATS(CASE, )
    return UINT32_MAX;
}
