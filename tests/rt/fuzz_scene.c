/* fuzz_scene.c - libFuzzer target: whatever the bytes, the reader of scene files refuses them with
 * a message, or returns a description that is sound. Nothing is loaded.
 *
 *     fuzz_scene tests/rt/corpus/fuzz_scene */
#include <math.h>
#include <stdlib.h>

#include "rt/scene_file.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

static void file_check(const struct scene_file *file)
{
    if (!file->mesh == !file->generator)
        abort();
    if (file->camera_count > SCENE_CAMERAS_MAX || file->light_count > SCENE_LIGHTS_MAX)
        abort();
    for (u32 i = 0; i < file->camera_count; i++)
        if (!isfinite(file->cameras[i].eye[0]) || !(file->cameras[i].fov_degrees >= 1))
            abort();
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    struct scene_file file;
    struct ogv_error error = { 0 };
    if (scene_file_parse(&file, "text", (const char *)bytes, size, &error))
        file_check(&file);
    else if (!error.message[0])
        abort();
    scene_file_free(&file);
    return 0;
}
