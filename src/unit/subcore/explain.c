/* explain.c - where the cycles of a sub-core's warps went, and which unit they waited for. */
#include <string.h>

#include "ogive/messages.h"
#include "unit/parts/class_accounts.h"
#include "unit/subcore/subcore.h"

#define FETCH_SLOTS    "fetch slots"
#define REGISTER_PORTS "register ports"
#define RESULT_BUS     "result bus"

const struct resource_row subcore_resource_rows[] = {
    { .name = FETCH_SLOTS, .kind = RESOURCE_WORK, .capacity = "1 / fetch_turn", .used = "fetches" },
    { .name = REGISTER_PORTS,
      .kind = RESOURCE_WORK,
      .capacity = "register_banks * register_ports",
      .used = "operand_reads - register_hits" },
    { .name = RESULT_BUS, .kind = RESOURCE_DELAY },
    ISSUE_RESOURCES
};

/* Its cycles are counted for each warp. */
const struct figure_row subcore_figure_rows[] = {
    { "ipc_per_core", "executed", "cycles / warps" },
    { 0 },
};

/* clang-format off */
const struct account_row subcore_account_rows[] = {
    { 0, "cycles", "warp-cycles of all sub-cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, "issued", "an instruction issued", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(CLASS_ISSUED, )
    { 1, "passed", "ready, another warp issued", ACCOUNT_OWN, ISSUE_SLOTS, NULL },
    { 1, "hazard", "waited for a register", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(CLASS_HAZARD, )
    { 1, "busy", "waited for room in a pipeline or the queue to units", ACCOUNT_PARTS, NULL, NULL },
    ISA_CLASSES(CLASS_BUSY, )
    { 1, "operands", "waited for a collector or a register port", ACCOUNT_OWN, REGISTER_PORTS, NULL },
    { 1, "result", "waited for a place for the result", ACCOUNT_OWN, RESULT_BUS, NULL },
    { 1, "pipe", "waited for room in the memory pipe", ACCOUNT_ROOM, OWN_PIPELINES, NULL },
    { 1, "fence", "waited for own memory accesses", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "fetch", "waited for an instruction to be fetched and decoded", ACCOUNT_OWN, FETCH_SLOTS, NULL },
    { 1, "miss", "waited for a line of instructions", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "pending", "ready, not among the active warps", ACCOUNT_OWN, ISSUE_SLOTS, NULL },
    { 1, "barrier", "waited at the barrier of a thread block", ACCOUNT_ANSWER, NULL, NULL },
    { 1, "vacant", "waited for a thread block", ACCOUNT_ANSWER, NULL, NULL },
    { 1, "halted", "all threads had ended", ACCOUNT_OVER, NULL, NULL },
    { 0 },
};
/* clang-format on */

static const struct unit *message_unit(const struct subcore *u, u32 message)
{
    const struct isa *isa = isa_shared();
    for (u32 i = 0; i < isa_custom_count(isa); i++)
        if (isa_custom_at(isa, i)->message == message)
            return executor_unit(&u->w.units, u->executors.customs[i]);
    return NULL;
}

/* Single and double precision share their counters; if one of them executes here, it is the other
 * that is waited for. */
const struct unit *subcore_awaits(const struct unit *unit, const char *stat)
{
    const struct subcore *u = (const struct subcore *)unit;
    const struct executor *kinds = u->executors.classes;
    struct executor classes[CLASS_COUNT];
    if (!strcmp(stat, "barrier") || !strcmp(stat, "vacant"))
        return message_unit(u, MESSAGE_BLOCK_NEXT);
    if (!strcmp(stat, "pipe"))
        return u->pipe.arbiter == PORT_NONE ? NULL : u->w.units.at[u->pipe.arbiter].out->reader;
    for (u32 i = 0; i < CLASS_COUNT; i++) {
        bool real = i >= CLASS_FP_ADD && i <= CLASS_FP_MOVE;
        classes[i] = real && kinds[i].port == PORT_NONE ? kinds[i + KIND_FP64] : kinds[i];
    }
    return executors_awaited(classes, u->executors.customs, &u->w.units, stat);
}
