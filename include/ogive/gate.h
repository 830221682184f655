/* gate.h - barriers in memory for as many harts as one likes, for C and C++.
 *
 *     static struct ogv_gate gate;
 *     ogv_gate_pass(&gate, 100);    comes back when 100 harts have called it, again and again
 *
 * or in two parts, for harts that arrive and do not wait, or wait later:
 *
 *     uint64_t round = ogv_gate_arrive(&gate, 100);
 *     ogv_gate_wait(&gate, round);
 *
 * What harts wrote before they arrived is seen by those that have waited. ogv_barrier_all is built
 * of gates; it takes fewer fences, since there all harts take part. */
#ifndef OGIVE_GATE_H
#define OGIVE_GATE_H

#include <ogive/device.h>

/* Zero before its first use. Counts arrivals on and on; a round is over when its last one is
 * counted. */
struct ogv_gate {
    uint64_t arrivals, rounds;
} __attribute__((aligned(64)));

/* Whoever waits for another hart asks again and again, but more and more seldom: the one that it
 * waits for needs the same memory and perhaps the same core. `pauses` begins with 1. */
#define OGV_PAUSES_MAX 32

static inline void ogv_stand_back(uint32_t *pauses)
{
    for (uint32_t i = 0; i < *pauses; i++)
        ogv_pause();
    if (*pauses < OGV_PAUSES_MAX)
        *pauses *= 2;
}

/* Counts one arrival of `harts` in each round, and says in which round that is. True for the last
 * one of a round, which has to open the gate. */
static inline int ogv_gate_count(struct ogv_gate *gate, uint64_t harts, uint64_t *round)
{
    uint64_t arrival = ogv_atomic_add_u64(&gate->arrivals, 1);
    *round = arrival / harts + 1;
    return arrival % harts == harts - 1;
}

static inline void ogv_gate_open(struct ogv_gate *gate, uint64_t round)
{
    ogv_atomic_store_u64(&gate->rounds, round);
}

static inline uint64_t ogv_gate_arrive(struct ogv_gate *gate, uint64_t harts)
{
    uint64_t round;
    ogv_fence();
    if (ogv_gate_count(gate, harts, &round))
        ogv_gate_open(gate, round);
    return round;
}

/* Asks until that many rounds are over. */
static inline void ogv_gate_poll(struct ogv_gate *gate, uint64_t round)
{
    uint32_t pauses = 1;
    while (ogv_atomic_load_u64(&gate->rounds) < round)
        ogv_stand_back(&pauses);
}

static inline void ogv_gate_wait(struct ogv_gate *gate, uint64_t round)
{
    ogv_gate_poll(gate, round);
    ogv_fence();
}

static inline void ogv_gate_pass(struct ogv_gate *gate, uint64_t harts)
{
    ogv_gate_wait(gate, ogv_gate_arrive(gate, harts));
}

#endif
