/* fuzz_import.c - libFuzzer target: whatever the process that imports a file answers, the answer is
 * refused, or is a scene that is sound.
 *
 *     fuzz_import tests/rt/corpus/fuzz_import */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/imported.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

static bool is_sound(const struct scene *scene)
{
    for (u32 i = 0; i < scene->part_count; i++)
        if (!mesh_check(&scene->parts[i], "part", NULL))
            return false;
    for (u32 i = 0; i < scene->instance_count; i++)
        if (scene->instances[i].part >= scene->part_count)
            return false;
    for (u32 i = 0; scene->mesh.materials && i < scene->mesh.triangle_count; i++)
        if (scene->mesh.materials[i] >= scene->material_count)
            return false;
    return scene->material_count && mesh_check(&scene->mesh, "scene", NULL);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    struct scene scene = { 0 };
    struct ogv_error error = { 0 };
    int file = memfd_create("answer", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    bool good = imported_read(file, "a file", &scene, &error);
    if (good ? !is_sound(&scene) : !error.kind)
        abort();
    scene_free(&scene);
    close(file);
    return 0;
}
