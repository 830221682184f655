/* import.c - PLY is read here; what is none goes to Assimp in a process of its own. A PLY mesh
 * has one material, the default. */
#include "rt/import.h"

#include "base/text.h"
#include "rt/importer.h"
#include "rt/unpacked.h"

bool import_load(const char *path, const struct scene_options *options, struct scene *scene,
                 struct ogv_error *error)
{
    bool other;
    if (!unpacked_load(path, &scene->mesh, &other, error))
        return false;
    if (other)
        return importer_run(path, options, scene, error);
    scene->materials = heap_array(1, sizeof *scene->materials);
    scene->materials[0] = material_default();
    scene->material_count = 1;
    return true;
}
