/* prepared.h - trees that were built before, kept in the user's cache folder (base/cache.h).
 *
 * A tree is found by what it was made from: the mesh, the formats, the builder's options, the build
 * of this library, and the version of Embree. */
#ifndef RT_PREPARED_H
#define RT_PREPARED_H

#include "base/cache.h"
#include "rt/bvh.h"

/* As bvh_build, or faster. Takes a tree from the cache if it is there and whole, else builds it and
 * puts it there. `was_cached` may be NULL. */
bool prepared_bvh(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh,
                  bool *was_cached, struct ogv_error *error);

/* The name of its file in the cache. */
void prepared_name(const struct mesh *mesh, const struct bvh_options *options,
                   char name[CACHE_NAME_BYTES]);

#endif
