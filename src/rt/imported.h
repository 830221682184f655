/* imported.h - a scene, or why there is none, on its way from the process that imported it.
 *
 * What is read is checked as if anybody could have written it: a process that went wrong over a
 * damaged file may have. */
#ifndef RT_IMPORTED_H
#define RT_IMPORTED_H

#include "rt/scene.h"

/* To an empty file: mesh, materials, parts and instances of the scene, or the error if the scene is
 * NULL. The file says that it is complete only once it is. */
bool imported_write(int file, const struct scene *scene, const struct ogv_error *error);

/* From the file's beginning. `path` is what was imported. The scene is otherwise left alone, and is
 * for the caller to free in any case. */
bool imported_read(int file, const char *path, struct scene *scene, struct ogv_error *error);

#endif
