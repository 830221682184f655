/* sector.h - the short ways of a miss in a cache by sectors (`by_sector`); see sector.c. */
#ifndef UNIT_CACHE_SECTOR_H
#define UNIT_CACHE_SECTOR_H

#include "unit/cache/hit.h"

/* Whether a fill is for one read that waits alone, and nothing came between. */
bool sector_is_alone(const struct cache *u, const struct message *answer);

/* cache_receive of such a fill. */
bool sector_fill(struct cache *u, const struct message *answer, cycle now);

#endif
