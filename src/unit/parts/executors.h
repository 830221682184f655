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

/* Where a class or a custom instruction executes. */
struct executor {
    u16 port;    /* PORT_NONE: in the core */
    u16 latency; /* cycles, if in the core */
};

struct executors {
    struct executor classes[CLASS_COUNT];
    struct executor *customs;          /* by custom instruction */
    u16 memory, scratch, instructions; /* ports, or PORT_NONE */
};

/* Reads the parameter's text; the names of units are those of a port's joints. */
bool executors_read(struct executors *to, struct unit *unit, const struct ports *units,
                    const char *text, struct ogv_error *error);

/* The parameter `interval`: cycles from one instruction of a class to the next, 1 if not said. */
bool intervals_read(u16 intervals[CLASS_COUNT], const char *text, struct ogv_error *error);

/* The unit that executes it; NULL: the core itself. */
const struct unit *executor_unit(const struct ports *units, struct executor executor);

/* The unit that is waited for as counted by a statistic, by class of instructions: "hazard_load".
 * NULL: none other. */
const struct unit *executors_awaited(const struct executor *classes, const struct executor *customs,
                                     const struct ports *units, const char *stat);

#endif
