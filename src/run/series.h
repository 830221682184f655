/* series.h - series.csv: one line per interval, one column per statistic of each group of units,
 * then its power and that of all; and if asked for, series.units with the statistics of every
 * single unit. */
#ifndef RUN_SERIES_H
#define RUN_SERIES_H

#include "run/folder.h"

struct series;

/* NULL on failure. */
struct series *series_open(ogv_system *system, const struct folder *folder, bool every_unit,
                           struct ogv_error *error);

/* Adds the line for the cycles since the last one; nothing if there were none. */
bool series_sample(struct series *series, struct ogv_error *error);

/* False if the rest cannot be written. */
bool series_close(struct series *series, struct ogv_error *error);

#endif
