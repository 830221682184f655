/* ply.h - PLY files (https://paulbourke.net/dataformats/ply/). */
#ifndef RT_PLY_H
#define RT_PLY_H

#include "rt/mesh.h"

/* Reads a PLY file of any format, packed by xz if its name ends so. A file of another kind sets
 * `*other` and is no error, unless its name says that it is PLY; NULL in `mesh` then. */
bool ply_load(const char *path, struct mesh *mesh, bool *other, struct ogv_error *error);

#endif
