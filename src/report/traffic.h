/* traffic.h - what links carried, for the picture of the chip. */
#ifndef REPORT_TRAFFIC_H
#define REPORT_TRAFFIC_H

#include "base/text.h"
#include "report/result.h"

/* The list `links` of stats.json; "null" if there is none, or if it has not the shape that a run
 * writes: ends that are groups, and a pair of numbers for each copy of their domains. */
void traffic_show(const struct result *result, struct text *json);

#endif
