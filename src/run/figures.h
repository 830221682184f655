/* figures.h - the few numbers that sum up a run, whatever the chip is made of: units add to them by
 * the rows of their types (ogive/explain.h). */
#ifndef RUN_FIGURES_H
#define RUN_FIGURES_H

#include "arch/system.h"
#include "ogive/explain.h"

/* FIGURE_l1_hit_rate and so on: which number is which. */
enum figure {
#define FIGURE_VALUE(name, nothing) FIGURE_##name,
    RUN_FIGURES(FIGURE_VALUE)
#undef FIGURE_VALUE
        FIGURES_COUNT,
};

/* Shares and rates are fractions from 0 to 1; NAN where the chip has no such thing. */
struct figures {
    u64 rays; /* traced by units, without empty ones */
    double mrays_per_s;
    double values[FIGURES_COUNT];
};

/* `rays`: as many as somebody else has counted, where no unit counts any. */
struct figures figures_of(ogv_system *system, cycle cycles, u64 rays);

#endif
