/* estimate.h - how long runs will take and how much memory, from what others have taken. */
#ifndef EXPLORE_ESTIMATE_H
#define EXPLORE_ESTIMATE_H

#include "explore/manifest.h"

struct estimate {
    bool there;           /* the result is there: this is what it took */
    bool known;           /* from runs that have most values of the axes in common */
    double seconds;       /* of a core, if known */
    double bytes;         /* of memory; without runs to compare with, what the chip takes */
    enum run_class class; /* if it is there */
};

/* One for each run of the manifest; the caller frees. What the study was when it was started last
 * is what is compared with. */
struct estimate *estimates_make(const struct store *store, const struct manifest *manifest,
                                struct ogv_error *error);

#endif
