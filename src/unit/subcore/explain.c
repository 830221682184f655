/* explain.c - where the cycles of a sub-core's warps went, and which unit they waited for. */
#include "unit/subcore/subcore.h"

#define ISSUE_SLOTS   "issue slots"
#define OWN_PIPELINES "own pipelines"

const struct resource_row subcore_resource_rows[] = {
    { .name = ISSUE_SLOTS, .kind = RESOURCE_WORK, .capacity = "1", .used = "active" },
    { .name = OWN_PIPELINES, .kind = RESOURCE_DELAY },
    { 0 },
};

/* Its cycles are counted for each warp. */
const struct figure_row subcore_figure_rows[] = {
    { "ipc_per_core", "executed", "cycles / warps" },
    { 0 },
};

#define IS_MEMORY(class)                                                           \
    ((class) == CLASS_LOAD || (class) == CLASS_STORE || (class) == CLASS_ATOMIC || \
     (class) == CLASS_FENCE)
#define CLASS_CHARGE(class, other)         (IS_MEMORY(class) ? ACCOUNT_MEMORY : (other))

#define ISSUED_ROW(with, name, NAME, help) { 2, "issued_" #name, #name, ACCOUNT_WORK, NULL, NULL },
#define HAZARD_ROW(with, name, NAME, help) \
    { 2, "hazard_" #name, #name, CLASS_CHARGE(CLASS_##NAME, ACCOUNT_ANSWER), OWN_PIPELINES, NULL },
#define BUSY_ROW(with, name, NAME, help) \
    { 2, "busy_" #name, #name, CLASS_CHARGE(CLASS_##NAME, ACCOUNT_ROOM), OWN_PIPELINES, NULL },

/* clang-format off */
const struct account_row subcore_account_rows[] = {
    { 0, "cycles", "warp-cycles of all sub-cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, "issued", "an instruction issued", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(ISSUED_ROW, )
    { 1, "passed", "ready, another warp issued", ACCOUNT_OWN, ISSUE_SLOTS, NULL },
    { 1, "hazard", "waited for a register", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(HAZARD_ROW, )
    { 1, "busy", "waited for room in a pipeline or the queue to units", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(BUSY_ROW, )
    { 1, "fence", "waited for own memory accesses", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "halted", "all threads had ended", ACCOUNT_OVER, NULL, NULL },
    { 0 },
};
/* clang-format on */

const struct unit *subcore_awaits(const struct unit *unit, const char *stat)
{
    const struct subcore *u = (const struct subcore *)unit;
    return executors_awaited(u->executors.classes, u->executors.customs, &u->w.units, stat);
}
