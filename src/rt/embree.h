/* embree.h - Embree's own header, of whichever version there is. */
#ifndef RT_EMBREE_H
#define RT_EMBREE_H

#if OGIVE_EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#endif
