/* ray_traces.h - the rays of a run with --trace-rays, for its page. */
#ifndef REPORT_RAY_TRACES_H
#define REPORT_RAY_TRACES_H

#include "base/text.h"
#include "report/result.h"

/* What ray_traces.json says as JSON: its `asked`, `rays_in_all`, `events_lost`, `tree`, `reasons`
 * and `rays`, longest first, as many as have `events_max` events; with `kept` (rays in the file),
 * `median` (cycles, of those that ended; or null) and `totals` (cycles by reason, of all). "null"
 * if there is no such file; { "problem" } if it is not to be believed. */
void ray_traces_show(const struct result *result, u64 events_max, struct text *json);

#endif
