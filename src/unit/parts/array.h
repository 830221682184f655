/* array.h - energy and area of a memory array by its size.
 *
 * Through the points that SimTRaX publishes (Cacti, 65 nm, data caches with lines of 64 bytes, the
 * most banks that there are for a size), by a power law between one and the next, which is a
 * straight line on logarithmic axes. Below 32 KiB and above 8 MiB the nearest piece goes on. */
#ifndef UNIT_PARTS_ARRAY_H
#define UNIT_PARTS_ARRAY_H

#include "ogive/types.h"

#define ARRAY_LINE_BYTES 64 /* that an access of the table moves */

double array_access_pj(u64 bytes);
double array_area_mm2(u64 bytes);

#endif
