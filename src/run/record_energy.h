/* record_energy.h - the energy of a run as stats.json has it. */
#ifndef RUN_RECORD_ENERGY_H
#define RUN_RECORD_ENERGY_H

#include <jansson.h>

#include "run/record.h"

/* The section `energy`: by type, by group and event, and what is missing. What the counters of a
 * settled chip make of its costs in so many seconds. */
json_t *energy_record(const ogv_system *system, double seconds);

/* Adds what units cost to the record of their parameters, which are found by DOMAIN.UNIT. */
void energy_parameters(const ogv_system *system, json_t *parameters);

/* Energy, power, area, and what a ray takes, for the summary; null where nothing is known. */
void energy_summary(const struct record *record, json_t *summary);

#endif
