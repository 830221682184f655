/* record_explain.h - what the units of a chip say of themselves (ogive/explain.h), as JSON: so that
 * whoever reads the folder of a run needs none of its unit types. The caller owns the objects. */
#ifndef RUN_RECORD_EXPLAIN_H
#define RUN_RECORD_EXPLAIN_H

#include <jansson.h>

#include "arch/system.h"

/* By type: whether it is on the way to memory, its resources, its accounts. */
json_t *explained_record(const struct plan *plan);

/* By group, by statistic: the group that the waiting was for, as the group's first unit says. */
json_t *awaits_record(const ogv_system *system);

/* By group: the parameters that formulas of its type name, as plain numbers. */
json_t *numbers_record(const struct plan *plan);

#endif
