/* mesh_stand.c - writes files into the tests' folder, and loads them as scenes that must, or
 * must not, be right. */
#include "mesh_stand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"

static char folder[] = "/tmp/ogive-meshes-XXXXXX";

int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int folder_remove(void **state)
{
    (void)state;
    char *command = text_format("rm -rf %s", folder);
    int result = system(command);
    free(command);
    return result;
}

char *file_put(const char *name, const void *bytes, size_t length)
{
    struct ogv_error error = { 0 };
    char *path = text_format("%s/%s", folder, name);
    if (!file_write(path, bytes, length, &error))
        fail_msg("%s", error.message);
    return path;
}

char *text_put(const char *name, const char *text)
{
    return file_put(name, text, strlen(text));
}

struct scene scene_expect(const char *path, u32 triangles, u32 vertices)
{
    struct scene_options options = { 0 };
    struct scene scene;
    struct ogv_error error = { 0 };
    if (!scene_load(path, &options, &scene, &error))
        fail_msg("%s", error.message);
    assert_int_equal(scene.mesh.triangle_count, triangles);
    assert_int_equal(scene.mesh.vertex_count, vertices);
    assert_int_equal(scene.camera_count, 1);
    return scene;
}

void refuse(char *path, const char *message)
{
    struct scene_options options = { 0 };
    struct scene scene;
    struct ogv_error error = { 0 };
    struct text expected = { 0 };
    assert_false(scene_load(path, &options, &scene, &error));
    const char *file = strstr(message, "FILE");
    if (file)
        text_add(&expected, "%.*s%s%s", (int)(file - message), message, path, file + 4);
    else
        text_add(&expected, "%s", message);
    if (strncmp(error.message, text_get(&expected), strlen(text_get(&expected))))
        fail_msg("'%s' instead of '%s'", error.message, text_get(&expected));
    text_fini(&expected);
    free(path);
}
