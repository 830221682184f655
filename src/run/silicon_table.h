/* silicon_table.h - the microbenchmarks that are known. */
#ifndef RUN_SILICON_TABLE_H
#define RUN_SILICON_TABLE_H

#include "ogive/types.h"

#define SILICON_HOLES 2

/* In a name # stands for a number, from `low` to `high` of its hole, or a power of two of these. In
 * the arguments # is the next of these, and @ is the row's parameter. */
struct silicon_benchmark {
    const char *group, *name;
    const char *program, *arguments;
    u32 low, high; /* of the parameter */
    bool whole;    /* takes all SMs of the chip; otherwise one */
    struct {
        u32 low, high;
        bool power; /* of two */
    } holes[SILICON_HOLES];
};

extern const struct silicon_benchmark silicon_benchmarks[];
extern const u32 silicon_benchmark_count;

#endif
