/* launches.h - kernels launched on a card: what its profiler counted, launch by launch, and the
 * same on a simulated one.
 *
 * A reference is a CSV file with a row per launch: columns kernel, grid and block, and counters of
 * Nsight Compute by their names; others are not looked at. The kernels are those of
 * programs/kernels.c. Their arguments are not in such a file; they follow from grid, block and
 * counters (launches_rules.c), or the row cannot be run. */
#ifndef RUN_LAUNCHES_H
#define RUN_LAUNCHES_H

#include "run/silicon_machine.h"

/* F(name, words, goal): what is compared. The goal is the mean absolute error that is hoped for, in
 * parts of one; 0: none, for information. */
#define LAUNCH_FIGURES(F)                    \
    F(cycles, "cycles", 0.20)                \
    F(l1_hit_rate, "hits in the L1", 0.15)   \
    F(l2_sectors, "sectors at the L2", 0.15) \
    F(dram_bytes, "bytes of DRAM", 0)        \
    F(instructions, "instructions of warps", 0)

enum launch_figure {
#define LAUNCH_FIGURE(name, words, goal) LAUNCH_##name,
    LAUNCH_FIGURES(LAUNCH_FIGURE)
#undef LAUNCH_FIGURE
        LAUNCH_FIGURE_COUNT,
};

struct launch {
    char *kernel, *grid, *block;         /* as the file has them */
    u32 line;                            /* of the file */
    char *arguments;                     /* of the program `kernels`; NULL: it cannot be run */
    char *reason;                        /* why not */
    double figures[LAUNCH_FIGURE_COUNT]; /* the card's; NAN: it has none */
};

struct launches {
    struct launch *of;
    u32 count;
};

/* Whether a file is such a reference, by its first column. False, with `error`, if it cannot be
 * read. */
bool launches_are(const char *path, bool *are, struct ogv_error *error);

/* Reads a reference. The caller frees what was read in any case. */
bool launches_read(const char *path, struct launches *launches, struct ogv_error *error);
void launches_fini(struct launches *launches);

/* Compiles their program. */
bool launches_compile(const struct silicon_machine *machine, struct ogv_error *error);

/* Runs one that can be, with cold caches; its figures are those of the launch alone. */
bool launch_run(const struct silicon_machine *machine, const struct launch *launch,
                double figures[LAUNCH_FIGURE_COUNT], struct ogv_error *error);

/* How far a simulated figure is from the card's, in parts of the card's; of a rate the difference.
 * NAN if one of them is not known. */
double launch_error(enum launch_figure figure, double measured, double simulated);

#endif
