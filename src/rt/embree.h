/* embree.h - Embree, of whichever version there is, and how it is used here: on one thread.
 *
 * Its builder with spatial splits adds up areas in an order that depends on threads, and its
 * threads, which are those of the library TBB, end the process if the system has none to give. So a
 * tree is built by the thread that asks for it; what is done before and after shares out its own
 * work (parallel.h). */
#ifndef RT_EMBREE_H
#define RT_EMBREE_H

#if OGIVE_EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include "ogive/types.h"

/* The one device of this process; NULL if Embree does not start. It is never released: between two
 * devices, or after the last, TBB may start as many threads as there are processors. */
RTCDevice embree_device(void);

/* Makes the call of Embree fail from one of whose callbacks this is called, with an error as for
 * want of memory. rtcBuildBVH takes no notice of what its progress function returns (seen
 * in 3.13.5), but it expects callbacks that throw, as those of its scenes do when they are
 * cancelled; so this throws what it catches. Returns where the C++ library is one that has no
 * function for that. */
void embree_cancel(void);

/* Of the library that is loaded: 31305 is 3.13.5. 0 if it does not start. */
u32 embree_version(void);

#endif
