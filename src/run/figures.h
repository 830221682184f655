/* figures.h - the few numbers that sum up a run, whatever the chip is made of. */
#ifndef RUN_FIGURES_H
#define RUN_FIGURES_H

#include "arch/system.h"

/* Shares and rates are fractions from 0 to 1; NAN where the chip has no such thing. */
struct figures {
    u64 rays; /* traced by RT cores, without empty ones */
    double mrays_per_s;
    double l1_hit_rate, l1_half_miss_rate; /* a hit rate counts half misses as misses */
    double l2_hit_rate, l2_half_miss_rate;
    double l2_bandwidth_share;
    double dram_bandwidth_share;
    u64 dram_read_bytes, dram_write_bytes;
};

/* `rays`: as many as somebody else has counted, where there are no RT cores. */
struct figures figures_of(ogv_system *system, cycle cycles, u64 rays);

#endif
