/* results.h - the way of results to the registers: how many can be written in a cycle.
 *
 * A pipeline's latency is fixed, so that the cycle of its result is known when an instruction
 * issues: its place is reserved then, and an instruction whose place is taken waits. What memory
 * answers comes when it comes, and takes the first place that is left.
 *
 *   free    as many as there are (no limit)
 *   slots   `result_slots` in a cycle, whatever they are written to: GPGPU-Sim's result bus,
 *           8 wide for an SM of four sub-cores in its configurations of Turing
 *   banks   `result_ports` to each register bank in a cycle: Huerta, Abaie Shoushtary and
 *           Gonzalez, "Analyzing and Improving Hardware Modeling of Accel-Sim" (CAMS 2023)
 *
 * Always true: no cycle has more results than that. */
#ifndef UNIT_SUBCORE_RESULTS_H
#define UNIT_SUBCORE_RESULTS_H

#include "ogive/isa.h"
#include "ogive/unit.h"

#define RESULTS_BUSES(C, with) C(free, with) C(slots, with) C(banks, with)

#define RESULTS_PARAMS(P)                                                                   \
    P(choice, result_bus, "free", UNIT_CHOICES(RESULTS_BUSES), 0,                           \
      "what limits the results of a cycle: nothing; their number; the ports of a register " \
      "bank")                                                                               \
    P(number, result_slots, 2, 1, 64, "results in a cycle, with `slots`")                   \
    P(number, result_ports, 1, 1, 8, "results to a register bank in a cycle, with `banks`")

#define RESULTS_STATS(S)                                                 \
    S(results_late, "results", SUM, WORK,                                \
      "answers of memory and other units that found no place for their " \
      "result, and took a later one")

enum results_bus { RESULTS_BUSES(UNIT_CHOICE_VALUE, RESULTS_) };

struct results {
    u64 *places; /* [bank][mask + 1] of a cycle: the cycle and how many are taken; NULL: no limit */
    u32 mask, limit;
    bool by_bank;
};

struct subcore;
struct subcore_warp;

bool results_init(struct subcore *u, struct ogv_error *error);

/* The first cycle from `ready` on that has a place for the result of an instruction. */
cycle results_find(const struct subcore *u, const struct subcore_warp *warp,
                   const struct insn *insn, cycle ready);
/* Takes the place in a cycle that results_find gave. */
void results_take(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                  cycle ready);
/* Both, for what comes when it comes. */
cycle results_squeeze(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                      cycle ready);

#endif
