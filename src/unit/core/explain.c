/* explain.c - where the cycles of a core's threads went, and which unit they waited for. */
#include <string.h>

#include "unit/core/core.h"
#include "unit/registry.h"

#define ISSUE_SLOTS   "issue slots"
#define OWN_PIPELINES "own pipelines"

const struct resource_row core_resource_rows[] = {
    { .name = ISSUE_SLOTS, .kind = RESOURCE_WORK, .capacity = "1", .used = "active" },
    { .name = OWN_PIPELINES, .kind = RESOURCE_DELAY },
    { 0 },
};

/* Its cycles are counted for each thread. */
const struct figure_row core_figure_rows[] = {
    { "ipc_per_core", "issued", "cycles / threads" },
    { 0 },
};

/* Loads and stores are waited for as memory, whichever unit is the first on the way there. */
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
const struct account_row core_account_rows[] = {
    { 0, "cycles", "thread-cycles of all cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, "issued", "an instruction issued", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(ISSUED_ROW, )
    { 1, "passed", "ready, another thread issued", ACCOUNT_OWN, ISSUE_SLOTS, NULL },
    { 1, "hazard", "waited for a result", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(HAZARD_ROW, )
    { 1, "busy", "waited for room in a unit", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(BUSY_ROW, )
    { 1, "fetch", "waited for an instruction", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "fence", "waited for own memory accesses", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "halted", "the program had ended", ACCOUNT_OVER, NULL, NULL },
    { 0 },
};
/* clang-format on */

static const struct unit *executor_unit(const struct core *u, struct executor executor)
{
    return executor.port == PORT_NONE ? NULL : u->w.units.at[executor.port].out->reader;
}

/* Whether a unit can say itself what it spent its time with, as one that traces rays does. */
static bool unit_says_more(const struct unit *unit)
{
    const struct unit_type *type = registry_type(unit->type);
    return unit_traces_rays(type) || type->accounts;
}

/* The custom instructions of one space share their counters. Most of the time is spent with rays,
 * where there are any. */
static const struct unit *custom_unit(const struct core *u, u32 space)
{
    const struct isa *isa = isa_shared();
    const struct unit *first = NULL;
    for (u32 i = 0; i < isa_custom_count(isa); i++) {
        const struct unit *unit =
            (u32)isa_custom_at(isa, i)->space == space ? executor_unit(u, u->customs[i]) : NULL;
        if (unit && unit_says_more(unit))
            return unit;
        first = first ? first : unit;
    }
    return first;
}

const struct unit *core_awaits(const struct unit *unit, const char *stat)
{
    const struct core *u = (const struct core *)unit;
    const char *name = strchr(stat, '_');
    enum isa_class class;
    if (!name || !isa_class_find(name + 1, &class))
        return NULL;
    if (class >= CLASS_CUSTOM0 && class <= CLASS_CUSTOM3)
        return custom_unit(u, class - CLASS_CUSTOM0);
    return executor_unit(u, u->classes[class]);
}
