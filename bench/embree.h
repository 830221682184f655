/* embree.h - Embree as a yardstick: its own tree of the best quality, and rtcIntersect1. */
#ifndef BENCH_EMBREE_H
#define BENCH_EMBREE_H

#include "rt/embree.h"
#include "rt/rays.h"

struct embree {
    RTCDevice device;
    RTCScene scene;
};

struct embree embree_make(const struct mesh *mesh, u32 threads);
void embree_free(struct embree *embree);

/* Traces the rays one after the other; seconds of the processor. */
double embree_trace(RTCScene scene, const struct ray_set *set);

#endif
