/* explain.c - what a cache has that requests wait for, and what it adds to the sum of a run. */
#include "unit/cache/cache.h"

const struct resource_row cache_resource_rows[] = {
    { .name = "bandwidth",
      .kind = RESOURCE_WORK,
      .capacity = "slices * banks * ports",
      .used = "reads + writes + atomics",
      .held = "bank_conflicts + answer_stalls + order_stalls + fence_stalls" },
    { .name = "latency",
      .kind = RESOURCE_DELAY,
      .held = "hits * latency + far_hits * far + (lookups - hits) * (lookup + fill)" },
    { .name = "MSHRs",
      .kind = RESOURCE_ROOM,
      .capacity = "slices * mshrs",
      .used = "occupancy",
      .held = "mshr_stalls + merge_stalls + way_stalls + pass_stalls + below_stalls" },
    /* A message carries 32 bytes. */
    { .name = "links", .kind = RESOURCE_LINKS, .used = "(bytes_fetched + bytes_sent) / 32" },
    { 0 },
};

/* Each port moves a sector of 32 bytes per cycle. */
const struct figure_row cache_figure_rows[] = {
    { "l{level}_hit_rate", "hits", "lookups" },
    { "l{level}_half_miss_rate", "half_misses", "lookups" },
    { "l{level}_bandwidth_share", "bytes_answered + bytes_taken",
      "slices * banks * ports * 32 * cycles" },
    { 0 },
};
