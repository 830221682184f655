/* hang.h - who waits for whom, when the chip does not get on: a deadlock or a livelock. */
#ifndef SIM_HANG_H
#define SIM_HANG_H

#include "base/text.h"
#include "sim/sim.h"

/* What a unit says it waits for, in a line; it may say nothing. */
typedef void hang_tell(const struct unit *unit, struct text *words);

/* Adds to `report` what units say they wait for (NULL: none does), the chains of units that wait
 * for room in each other's links, then every other unit that holds work and waits for nothing but a
 * message. */
void hang_report(const struct chip *chip, hang_tell *tell, struct text *report);

#endif
