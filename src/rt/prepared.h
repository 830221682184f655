/* prepared.h - trees that were built before, kept in the user's cache folder.
 *
 * A tree is found by what it was made from: the mesh, the formats, the builder's options, the build
 * of this library, and the version of Embree. So nothing in the cache is ever out of date, and
 * removing any of it, or all, costs time but nothing else. */
#ifndef RT_PREPARED_H
#define RT_PREPARED_H

#include "rt/bvh.h"

#define PREPARED_BYTES_MAX (8 * GiB) /* in the folder; the files used least recently go first */

/* As bvh_build, or faster. Takes a tree from the cache if it is there and whole, else builds it and
 * puts it there; a cache that cannot be read or written is no failure. `was_cached` may be NULL. */
bool prepared_bvh(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh,
                  bool *was_cached, struct ogv_error *error);

/* The folder: $XDG_CACHE_HOME/ogive, or ~/.cache/ogive. NULL if neither is known, or if the
 * environment has OGIVE_CACHE=off. The caller frees. */
char *prepared_folder(void);

/* The name of the file in that folder. */
void prepared_name(const struct mesh *mesh, const struct bvh_options *options, char name[64]);

/* Removes files of the cache, the least recently used first, until those left have `bytes`
 * together; and what processes left behind that ended while they wrote. */
void prepared_trim(const char *folder, u64 bytes);

#endif
