/* traffic.h - how many messages links have carried.
 *
 * Links count by themselves: the end of a ring never goes back. So nothing is added while a chip
 * runs; here the counts are added up by lines of the architecture file and by copies of domains. */
#ifndef ARCH_TRAFFIC_H
#define ARCH_TRAFFIC_H

#include "arch/system.h"

struct traffic_sum {
    u64 sent;     /* from the line's left to its right */
    u64 answered; /* and back, where the ports are of the asking kind */
    u32 joints;
};

/* A line of a `links:` list. */
struct traffic_line {
    const struct plan_link *link;
    bool asks; /* has answers */
    struct traffic_sum all;
    struct traffic_sum *from, *to; /* by copies of the domains that it joins */
    u32 from_count, to_count;
};

struct traffic {
    struct traffic_line *lines; /* as plan->links */
    u32 line_count;
    struct traffic_joint *joints; /* as plan->edges */
    u32 joint_count;
};

struct traffic *traffic_create(const ogv_system *system);
void traffic_destroy(struct traffic *traffic);

/* Counts anew, since cycle 0: `all` only, or copies too. Only while the chip stands still. */
void traffic_count(struct traffic *traffic);
void traffic_count_copies(struct traffic *traffic);

#endif
