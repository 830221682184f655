/* subcore_stand.h - a sub-core on the bench, with a program given as an array of instructions. */
#ifndef TESTS_UNIT_SUBCORE_STAND_H
#define TESTS_UNIT_SUBCORE_STAND_H

#include "unit/bench_core.h"
#include "unit/subcore/subcore.h"

struct stand {
    struct sim *sim;
    struct domain *domain;
    struct subcore *subcore;
};

struct stand stand_make(u32 warps, u32 width);
/* Its table `execute`. */
void stand_table(struct stand *stand, const char *table);
/* What the table calls the unit that was joined last. */
void stand_name(struct stand *stand, const char *name);

/* A mock server, or a memory, as the unit `memory`. */
struct server *join_memory(struct stand *stand, cycle latency);
struct unit *join_true_memory(struct stand *stand, cycle latency);

/* Runs a program to its end and checks that every warp-cycle and every thread of an instruction was
 * counted once. */
void stand_go(struct stand *stand, const u32 *text, u32 count);

/* Register x of a thread, as the program left it. */
u64 x_of(const struct stand *stand, u32 thread, u32 number);

u64 stat(const struct stand *stand, const char *name);

#endif
