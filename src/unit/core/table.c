/* table.c - where a core's instructions execute, and which of them do so at once. */
#include <string.h>

#include "unit/core/core.h"

#define TOUCHES_REGISTERS                                                                         \
    (BIT(INT_ADD) | BIT(INT_LOGIC) | BIT(INT_SHIFT) | BIT(INT_MUL) | BIT(INT_DIV) | BIT(BRANCH) | \
     BIT(JUMP) | BIT(FP_ADD) | BIT(FP_MUL) | BIT(FP_FMA) | BIT(FP_DIV) | BIT(FP_SQRT) |           \
     BIT(FP_COMPARE) | BIT(FP_CONVERT) | BIT(FP_MOVE))
#define BIT(class) UINT32_C(1) << CLASS_##class

/* None, if the text has to be fetched first. */
static u32 classes_at_once(const struct core *u)
{
    u32 classes = 0;
    for (u32 i = 0; i < CLASS_COUNT && u->instructions == PORT_NONE; i++)
        if (u->classes[i].port == PORT_NONE && u->classes[i].latency == 1)
            classes |= UINT32_C(1) << i;
    return classes & (TOUCHES_REGISTERS);
}

/* What instructions that leave the core often look at. */
static void ports_put_at_hand(struct core *u)
{
    u64 customs = min_u64(isa_custom_count(isa_shared()), CUSTOMS_AT_HAND);
    u->move_ports[0] = u->classes[CLASS_LOAD].port;
    u->move_ports[1] = u->classes[CLASS_STORE].port;
    memset(u->custom_ports, CUSTOM_ELSEWHERE, sizeof u->custom_ports);
    for (u64 i = 0; i < customs; i++)
        if (u->customs[i].port < CUSTOM_ELSEWHERE)
            u->custom_ports[i] = (u8)u->customs[i].port;
}

bool core_read_table(struct core *u, struct ogv_error *error)
{
    struct executors read;
    if (!executors_read(&read, &u->base, &u->w.units, u->p.execute, error))
        return false;
    if (read.fp64)
        return unit_refuse(error, "execute: a core has no pipelines of its own for fp64");
    if (read.constant != PORT_NONE)
        return unit_refuse(error, "execute: a core has no way of its own to constants");
    memcpy(u->classes, read.classes, sizeof u->classes);
    u->customs = read.customs;
    u->memory = read.memory;
    u->scratch = read.scratch;
    u->instructions = read.instructions;
    u->at_once = classes_at_once(u);
    ports_put_at_hand(u);
    return true;
}
