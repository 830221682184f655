/* assimp.h - scenes through the library Assimp: OBJ, glTF, FBX, STL and what else it reads.
 *
 * Assimp trusts its files: one that is damaged may crash it, or never come to an end. So this is
 * called in a process of its own (importer.h). */
#ifndef RT_ASSIMP_H
#define RT_ASSIMP_H

#include "rt/scene.h"

/* Fills in mesh and materials, and parts and instances if they are to be kept. */
bool assimp_load(const char *path, bool keep_instances, struct scene *scene,
                 struct ogv_error *error);

#endif
