/* traffic_record.h - what links carried, for stats.json. */
#ifndef RESULT_TRAFFIC_RECORD_H
#define RESULT_TRAFFIC_RECORD_H

#include <jansson.h>

#include "arch/system.h"

/* A list with an object for each line of the architecture, in the order of run.json's links:
 * { "from": "sm.l1", "to": "partition.l2", "joints", "sent", "answered" (null where nothing is),
 * "from_copies": [[sent, answered], ...], "to_copies" } */
json_t *traffic_record(const ogv_system *system);

/* The group at an end of a link: "sm.l1". */
json_t *traffic_end_record(const struct plan *plan, const struct plan_end *end);

#endif
