/* scale.h - a part of a machine: with fewer of what it has several times, and less of what grows
 * with the chip.
 *
 * Divided are, by a factor: the counts of domains that there are several of; in domains that there
 * is one of, the counts of units that there are several of; and where neither is left to divide,
 * the parameters that units say grow with the chip. All else stays: an SM of the part is an SM of
 * the whole. Counts are whole, so a part may come out with more or fewer SMs for each memory
 * partition or channel than the whole has; the clock of what there is too little or too much of
 * then makes up for it, so that bandwidths are right; latencies move with it. */
#ifndef ARCH_SCALE_H
#define ARCH_SCALE_H

#include "arch/arch.h"

struct scale_change {
    char *path, *before, *after;
    double rounding; /* how many times its share of the whole it has; 1: just that; 0: a clock */
};

struct scaled {
    ogv_arch *arch; /* the caller destroys it */
    u32 factor;
    double share;  /* of what runs programs or traces rays that is left: 1 / factor, or near it */
    double memory; /* of simulated memory that is left */
    double
        made_up; /* by clocks, at most: how many times too much or too little there was; 1: none */
    struct scale_change *changes;
    u32 change_count;
};

/* The largest factor that leaves nothing over: the greatest common divisor of all that is there
 * several times. 0 with an error if nothing is. */
u32 scale_factor_largest(const ogv_arch *arch, struct ogv_error *error);

/* Gives the part back this share of the whole's, in units that serve all that works, of what holds
 * the past (`keeps` of their types): what many SMs have in common does not become less with them.
 */
bool scale_keep(const ogv_arch *arch, double share, struct scaled *scaled, struct ogv_error *error);

/* A factor of 1 or more; 1 changes nothing. */
bool arch_scale(const ogv_arch *arch, u32 factor, struct scaled *scaled, struct ogv_error *error);

/* The same of domains that run programs or trace rays alone: what serves all of them stays whole.
 */
bool arch_scale_working(const ogv_arch *arch, u32 factor, struct scaled *scaled,
                        struct ogv_error *error);
void scaled_fini(struct scaled *scaled);

#endif
