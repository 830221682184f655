/* explain.c - where the cycles of a core's threads went, and which unit they waited for. */
#include "unit/core/core.h"
#include "unit/parts/class_accounts.h"

const struct resource_row core_resource_rows[] = { ISSUE_RESOURCES };

/* Its cycles are counted for each thread. */
const struct figure_row core_figure_rows[] = {
    { "ipc_per_core", "issued", "cycles / threads" },
    { 0 },
};

/* clang-format off */
const struct account_row core_account_rows[] = {
    { 0, "cycles", "thread-cycles of all cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, "issued", "an instruction issued", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(CLASS_ISSUED, )
    { 1, "passed", "ready, another thread issued", ACCOUNT_OWN, ISSUE_SLOTS, NULL },
    { 1, "hazard", "waited for a result", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(CLASS_HAZARD, )
    { 1, "busy", "waited for room in a unit", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(CLASS_BUSY, )
    { 1, "fetch", "waited for an instruction", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "fence", "waited for own memory accesses", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "halted", "the program had ended", ACCOUNT_OVER, NULL, NULL },
    { 0 },
};
/* clang-format on */

const struct unit *core_awaits(const struct unit *unit, const char *stat)
{
    const struct core *u = (const struct core *)unit;
    return executors_awaited(u->classes, u->customs, &u->w.units, stat);
}
