/* hang.h - who waits for whom, when nothing moves any more. */
#ifndef SIM_HANG_H
#define SIM_HANG_H

#include "base/text.h"
#include "sim/sim.h"

/* Writes the path of a unit ("sm[3].l1") into the buffer. */
typedef void (*unit_namer)(void *context, const struct unit *unit, char *buffer, size_t size);

/* What the report needs to know of units. */
struct hang_guide {
    unit_namer namer;
    /* What a unit says it waits for, in a line; it may say nothing. NULL: none does. */
    void (*waits)(void *context, const struct unit *unit, struct text *words);
    void *context;
};

/* Adds to `report` what units say they wait for, the chains of units that wait for room in each
 * other's links, then every other unit that holds work and waits for nothing but a message. */
void hang_report(const struct chip *chip, const struct hang_guide *guide, struct text *report);

#endif
