/* sweep_dry.h - what a sweep would do. */
#ifndef CLI_SWEEP_DRY_H
#define CLI_SWEEP_DRY_H

#include "explore/manifest.h"

/* A store without a path is one that is not there yet; `at_once` is 0 where that is not ours to
 * say. Returns the exit code. */
int sweep_dry(const struct store *store, const struct manifest *manifest, u32 at_once, u32 threads);

#endif
