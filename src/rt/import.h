/* import.h - scenes of other programs: PLY, and through Assimp OBJ, glTF, FBX, STL and others. */
#ifndef RT_IMPORT_H
#define RT_IMPORT_H

#include "rt/scene.h"

/* Fills in mesh and materials, and parts and instances if the options ask for them; the scene is
 * otherwise left alone. */
bool import_load(const char *path, const struct scene_options *options, struct scene *scene,
                 struct ogv_error *error);

#endif
