/* reference.h - numbers of a study from elsewhere: measured, published, by another simulator. */
#ifndef EXPLORE_REFERENCE_H
#define EXPLORE_REFERENCE_H

#include "explore/manifest.h"

/* A CSV file with a column for each axis that tells its lines apart, under the axis' name, and one
 * with the numbers, called `column` (NULL: "reference"). Fills in one number for each run, NAN
 * where the file has none. Lines that fit no run are a mistake. */
bool reference_read(const struct manifest *manifest, const char *path, const char *column,
                    double *numbers, struct ogv_error *error);

#endif
