/* executors.h - where instructions execute: the parameter `execute` of units that run programs. */
#ifndef UNIT_PARTS_EXECUTORS_H
#define UNIT_PARTS_EXECUTORS_H

#include "ogive/isa.h"
#include "ogive/unit.h"

#define EXECUTE_PARAM(P)                                                                          \
    P(table, execute, "", 0, 4096,                                                                \
      "where classes of instructions execute: a unit's name, or `n cycles` in the core (default " \
      "1)")

#define PORT_NONE UINT16_MAX

/* Hardware for double precision is not that for single: a kind is a class, or a class of
 * floating-point instructions in double precision, which tables call `fp64.CLASS`. */
enum {
    KIND_FP64 = CLASS_COUNT - CLASS_FP_ADD, /* from such a class to its kind */
    KIND_COUNT = CLASS_CUSTOM0 + KIND_FP64
};

extern const u8 kinds_fp64[OP_COUNT]; /* KIND_FP64 or 0 */

static inline u32 insn_kind(const struct insn *insn)
{
    return insn->class + kinds_fp64[insn->op];
}

/* Where a class or a custom instruction executes. */
struct executor {
    u16 port;    /* PORT_NONE: in the core */
    u16 latency; /* cycles, if in the core */
};

struct executors {
    struct executor classes[KIND_COUNT];         /* double precision as single, if not said */
    bool fp64;                                   /* it was said */
    struct executor *customs;                    /* by custom instruction */
    u16 memory, scratch, constant, instructions; /* ports, or PORT_NONE */
};

/* Reads the parameter's text; the names of units are those of a port's joints. */
bool executors_read(struct executors *to, struct unit *unit, const struct ports *units,
                    const char *text, struct ogv_error *error);

/* A table `param` of numbers by kind, each in cycles or plain; `otherwise` is what is not said, and
 * double precision is as single. */
bool kinds_read(u16 numbers[KIND_COUNT], const char *param, const char *text, enum param_type type,
                u16 otherwise, struct ogv_error *error);

/* A table `param` of kinds that are treated as another one, themselves if not said. */
bool kinds_join(u8 as[KIND_COUNT], const char *param, const char *text, struct ogv_error *error);

/* The port that a unit's name in a parameter stands for. */
bool port_find(const char *param, const struct ports *units, const char *name, u16 *port,
               struct ogv_error *error);

/* The unit that executes it; NULL: the core itself. */
const struct unit *executor_unit(const struct ports *units, struct executor executor);

/* The unit that is waited for as counted by a statistic, by class of instructions: "hazard_load".
 * NULL: none other. */
const struct unit *executors_awaited(const struct executor *classes, const struct executor *customs,
                                     const struct ports *units, const char *stat);

#endif
