/* energy.h - energy and area of a chip: what its units cost, and what their counters make of it.
 *
 * Energy is worked out afterwards, from statistics: over a whole run or over any part of it, and
 * always the same. A unit's costs are what the architecture file gives, else what its type states
 * for 65 nm, scaled by the chip's technology. What is not known is NAN, never zero, and sums that
 * lack something say so: they are then bounds from below.
 *
 * Always true: the energy of a chip is the sum over its groups, that of a group the sum over its
 * lines plus its leakage. */
#ifndef ARCH_ENERGY_H
#define ARCH_ENERGY_H

#include "arch/stats.h"

/* One kind of event of a group. */
struct energy_line {
    const struct energy_row *row;
    u32 counter;       /* which statistic */
    double picojoules; /* of one; NAN: not known */
    bool given;        /* in the architecture file */
};

struct energy_group {
    struct stat_group units;
    u64 copies;
    struct energy_line *lines;
    u32 line_count;
    double leakage_mw, area_mm2; /* of one copy; NAN: not known */
    bool silent;                 /* its type states no energy at all */
};

struct energy_model {
    struct technology technology;
    struct technology_scale scale;
    struct energy_group *groups; /* in the order of the plan */
    u32 group_count;
    double clock_hz;
};

struct energy_model *energy_create(const ogv_system *system);
void energy_destroy(struct energy_model *model);

/* Joules. `events` and `leakage` leave out what is not known. */
struct energy_use {
    double events, leakage;
    bool known;   /* something is */
    bool lacking; /* something is not */
};

/* Of a group with these sums of its counters, over some time. */
struct energy_use energy_group_use(const struct energy_group *group, const u64 *sums,
                                   double seconds);

/* Of one line; NAN if there were events of unknown cost. */
double energy_line_use(const struct energy_line *line, const u64 *sums);

void energy_add(struct energy_use *sum, struct energy_use part);

/* The counters of a group, summed over its units, for `sums` above; settled by the caller. */
void energy_sums(const ogv_system *system, const struct energy_group *group, u64 *sums);

/* Square millimetres of all units whose area is known; *lacking: there are others. NAN: of none. */
double energy_area(const struct energy_model *model, bool *lacking);

/* What sums up a run. */
struct energy_total {
    struct energy_use use;
    double seconds, area_mm2;
    bool area_lacking;
};

struct energy_total energy_total(ogv_system *system, const struct energy_model *model,
                                 cycle cycles);

#endif
