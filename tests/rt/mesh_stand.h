/* mesh_stand.h - files of meshes in a folder of their own, and what is expected of them. */
#ifndef TESTS_RT_MESH_STAND_H
#define TESTS_RT_MESH_STAND_H

#include <stddef.h>

#include "rt/scene.h"

/* Of a group of tests: the folder is there while they run. */
int folder_make(void **state);
int folder_remove(void **state);

/* The path of a file in the folder; the caller frees. */
char *file_put(const char *name, const void *bytes, size_t length);
char *text_put(const char *name, const char *text);

/* Loads it, or the test fails. */
struct scene scene_expect(const char *path, u32 triangles, u32 vertices);

/* Loading it fails with a message that begins so. FILE in `message` stands for the path, which is
 * freed. */
void refuse(char *path, const char *message);

#endif
