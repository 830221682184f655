/* waiting.h - what threads, rays and memory requests waited for, as shares that the list of
 * resources is ranked by.
 *
 * Threads and rays are counted exactly. Where a memory request spends its time is worked out from
 * how many passed each place and how long that takes there, and from the cycles that caches and
 * DRAM count as lost. */
#ifndef REPORT_WAITING_H
#define REPORT_WAITING_H

#include "report/bottleneck.h"

struct waiting {
    double threads; /* thread-cycles of waiting: not issued, not halted; 0: no cores */
    /* Shares of that: */
    double passed;   /* ready, and another thread issued */
    double in_core;  /* results that the core itself makes */
    double memory;   /* loads, stores, instructions, fences */
    double rt_room;  /* for a slot in an RT core */
    double rt_time;  /* for a ray's hit */
    double *by_unit; /* other units, by the number of their group */
    /* Request-cycles: */
    double requests;
};

void waiting_find(const struct result *result, struct waiting *waiting);
void waiting_fini(struct waiting *waiting);

/* Parts of a memory request's time, in cycles of the chip over all requests. */
double cache_access_time(const struct result *result, const struct result_group *cache);
double cache_queue_time(const struct result *result, const struct result_group *cache);
double cache_room_time(const struct result *result, const struct result_group *cache);
double dram_time(const struct result *result, const struct result_group *dram, const char *stat);

/* Time on a link that leads from a cache to what is behind it, there and back. */
double link_time(const struct result_group *from, double latency);

/* The cache that a link of run.json comes from, and the link's latency; NULL for other links. */
const struct result_group *link_cache(const struct result *result, const json_t *link,
                                      double *latency, const char **to);

#endif
