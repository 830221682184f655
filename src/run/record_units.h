/* record_units.h - the statistics of each single unit, as stats.json has them. */
#ifndef RUN_RECORD_UNITS_H
#define RUN_RECORD_UNITS_H

#include <jansson.h>

#include "arch/system.h"
#include "base/text.h"

/* Of fractions in the files of a run. */
#define RECORD_DIGITS JSON_REAL_PRECISION(12)

/* Adds an object with all of them, a member of the outermost object of a file. */
void units_write(const ogv_system *system, struct text *out);

#endif
