/* embree.h - Embree as a yardstick: its own tree of the best quality, and rtcIntersect1. */
#ifndef BENCH_EMBREE_H
#define BENCH_EMBREE_H

#if OGIVE_EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

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
