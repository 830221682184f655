/* hang.h - who waits for whom, when nothing moves any more. */
#ifndef SIM_HANG_H
#define SIM_HANG_H

#include "base/text.h"
#include "sim/sim.h"

/* Writes the path of a unit ("sm[3].l1") into the buffer. */
typedef void (*unit_namer)(void *context, const struct unit *unit, char *buffer, size_t size);

/* Adds to `report` the chains of units that wait for room in each other's links, then every unit
 * that holds work and waits for nothing but a message. */
void hang_report(const struct chip *chip, unit_namer namer, void *context, struct text *report);

#endif
