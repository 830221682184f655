/* record_repeat.h - how to run the same again, and what to change in it, as JSON: so that a report
 * can offer commands to copy. The caller owns the objects. */
#ifndef RUN_RECORD_REPEAT_H
#define RUN_RECORD_REPEAT_H

#include <jansson.h>

#include "run/record.h"

/* The words behind `ogive run`, apart from what only changes what is kept of the run and apart from
 * the program's arguments. Null: it went on from a checkpoint, or its machine is no file. */
json_t *repeat_record(const struct record *record);

/* By group, by resource: a setting that gives more of it, and one that makes it faster; and for
 * each of the `links`, one that makes it faster. Null: there is none. */
json_t *tries_record(const struct plan *plan);

#endif
