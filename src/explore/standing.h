/* standing.h - how the runs of a study stand. */
#ifndef EXPLORE_STANDING_H
#define EXPLORE_STANDING_H

#include "explore/manifest.h"

enum standing_state {
    STANDING_DONE,
    STANDING_FAILED,
    STANDING_RUNNING,
    STANDING_INTERRUPTED, /* begun; the next sweep goes on with it */
    STANDING_WAITING,
    STANDINGS
};
extern const char *const standing_names[STANDINGS];

struct standing {
    u8 *states;               /* enum standing_state, by run */
    struct outcome *outcomes; /* by run, of those that have ended */
    u32 counts[STANDINGS];
};

/* From the index; only runs that it does not have are looked for elsewhere. */
bool standing_look(const struct store *store, const struct manifest *manifest,
                   struct standing *standing, struct ogv_error *error);
void standing_fini(struct standing *standing);

#endif
