/* launches_rules.h - which arguments of the program `kernels` make a launch that was measured. */
#ifndef RUN_LAUNCHES_RULES_H
#define RUN_LAUNCHES_RULES_H

#include "ogive/types.h"

/* What a row of a reference says of a launch's shape. */
struct launch_shape {
    const char *kernel;
    u32 grid[3], block[3];
    double requests, sectors; /* of loads from global memory */
    double dram_read;         /* bytes */
};

/* The arguments, or NULL and why there are none: the caller frees either. */
char *launch_arguments(const struct launch_shape *shape, char **reason);

#endif
