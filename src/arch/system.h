/* system.h - a plan brought to life: the units in their arena, with names for everything. */
#ifndef ARCH_SYSTEM_H
#define ARCH_SYSTEM_H

#include "arch/plan.h"
#include "base/text.h"
#include "sim/checkpoint.h"
#include "sim/sim.h"

struct ogv_system {
    struct plan *plan;
    struct sim *sim;
    struct chip *chip;
    struct sim_options options;
    struct text exported; /* the plan as text: what checkpoints carry */
    char build[HASH_TEXT_BYTES];
    void *workload; /* what a layer above keeps with the system; NULL: nothing */
    void (*workload_free)(void *workload);
};

void system_set_options(ogv_system *system, const struct sim_options *options);

/* As ogv_system_run, with the kernel's own answer. For hangs `error` holds the report. */
enum sim_end system_run(ogv_system *system, cycle until, struct sim_poll poll,
                        struct ogv_error *error);

/* Cycles simulated: to the last event when the work is done, else to where the clock stands. */
cycle system_cycles(const ogv_system *system);

/* Fingerprints of the description, and of the program with all unit libraries. */
void system_arch_hash(const ogv_system *system, char digits[HASH_TEXT_BYTES]);

/* Adds to `report` who waits for what. */
void system_report_waits(const ogv_system *system, struct text *report);

/* Brings every unit's statistics up to now. */
void system_settle(ogv_system *system);

#endif
