/* samples.h - the intervals of a run, as many as fit into a page.
 *
 * Neighbouring intervals are put together until there are no more than asked for: counters are
 * added, largest values stay the largest. Quotients are left out, as the page makes them from their
 * parts; so they are right for any grouping. */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "base/text.h"
#include "report/bottleneck.h"
#include "result/stats_table.h"

/* Statistics of groups, as JSON: { "start", "ends": [cycles], "columns": { name: [values] } }.
 * At most `numbers` values. "null" if the run has no intervals. */
bool samples_write(const struct result *result, u64 numbers, struct text *json,
                   struct ogv_error *error);

/* How busy each unit was, as JSON: { "ends", "resources": [ { "total", "time" } ] }, in the order
 * of the resources. `total` has a byte per copy, `time` (null without series.units) one per copy
 * and interval; 0 to 250 is idle to fully busy; base64. */
bool cells_write(const struct result *result, const struct bottleneck *bottleneck, u64 bytes,
                 struct text *json, struct ogv_error *error);

/* Whether units have cells for this resource, and what such a cell is. */
bool cells_known(const struct resource *resource);
u8 cell_of(double used, double whole);

void text_add_base64(struct text *text, const u8 *bytes, size_t count);

/* NULL, without an error, if the run has no intervals. */
struct stats_table *samples_table(const struct result *result, struct ogv_error *error);

/* Where the first interval begins. */
cycle samples_start(const struct result *result, cycle first_end);

#endif
