/* calls.h - the profile of a run, for its page. */
#ifndef REPORT_CALLS_H
#define REPORT_CALLS_H

#include "base/text.h"
#include "report/result.h"

/* The call tree as JSON: { "cycles", "nodes": [ { "name", "parent", "own", "all", "calls", "stall",
 * "stall_cycles" } ] }, a node behind the one that called it; functions that took next to nothing
 * are left out. "null" if there is no profile; { "problem" } if it cannot be read. */
void calls_write(const struct result *result, struct text *json);

#endif
