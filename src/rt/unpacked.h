/* unpacked.h - meshes of packed files that were unpacked before, kept in the user's cache folder
 * (base/cache.h) by the fingerprint of the packed file. */
#ifndef RT_UNPACKED_H
#define RT_UNPACKED_H

#include "rt/mesh.h"

/* As ply_load, or faster. */
bool unpacked_load(const char *path, struct mesh *mesh, bool *other, struct ogv_error *error);

#endif
