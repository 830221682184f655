/* what_if.h - the one change to try against what limited a run, and the command that tries it. */
#ifndef REPORT_WHAT_IF_H
#define REPORT_WHAT_IF_H

#include "report/bottleneck.h"

/* The setting that is worth a try for a resource, by how it limits; NULL: none is known. */
const char *resource_try(const struct resource *resource);

/* Fills in what is to be tried in a ranking; leaves it empty if that is not known. */
void what_if_find(const struct result *result, struct bottleneck *found);

#endif
