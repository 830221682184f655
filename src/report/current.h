/* current.h - what limits a chip at the moment: the search of bottleneck.h on what the statistics
 * grew by since the last look. */
#ifndef REPORT_CURRENT_H
#define REPORT_CURRENT_H

#include "report/bottleneck.h"
#include "run/record.h"

struct current {
    struct result *result; /* its statistics are those since the last look */
    struct bottleneck *bottleneck;
    cycle from, to;            /* the cycles that it is about */
    u64 *now, *before, *grown; /* tallies (result/tally.h) */
};

/* False only on failure. The first look is at all that was before. */
bool current_init(struct current *current, const struct record *record, const char *folder,
                  struct ogv_error *error);
void current_fini(struct current *current);

/* Looks again, unless no cycle has passed. */
void current_look(struct current *current, const struct record *record);

/* In a few words: "sm.l1 bandwidth (97% busy)"; "" if nothing is known. */
void current_words(const struct current *current, char *buffer, size_t size);

#endif
