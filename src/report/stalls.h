/* stalls.h - the trees of bottleneck.h. */
#ifndef REPORT_STALLS_H
#define REPORT_STALLS_H

#include "report/bottleneck.h"

/* The trees that the units of a run have counters for. Returns how many; the caller frees the
 * array and each with stall_fini. */
u32 stalls_find(const struct result *result, struct stall **trees);
void stall_fini(struct stall *stall);

/* A part by its name, anywhere below; 0 if there is none. */
double stall_value(const struct stall *stall, const char *name);

#endif
