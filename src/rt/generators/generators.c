/* generators.c - the list of generators, made from generators.def, and how one is found and run. */
#include "rt/generators/generators.h"

#include <string.h>

#include "base/text.h"

const struct generator *const generators[] = {
#define GENERATOR(name) &generator_##name,
#include "rt/generators/generators.def"
#undef GENERATOR
    NULL,
};

const struct generator *generator_find(const char *name)
{
    u32 i = 0;
    while (generators[i] && strcmp(generators[i]->name, name))
        i++;
    return generators[i];
}

bool generator_run(const struct generator *generator, const struct scene_options *options,
                   struct scene *scene, struct ogv_error *error)
{
    struct making making = {
        .triangles = options->triangles ? options->triangles : generator->triangles,
        .seed = options->seed,
        .scene = options->keep_instances ? scene : NULL,
    };
    if (making.triangles < GENERATOR_TRIANGLES_MIN || making.triangles > GENERATOR_TRIANGLES_MAX)
        return error_user(error, "%s: %llu triangles; a generated scene has %d to %d",
                          generator->name, (unsigned long long)making.triangles,
                          GENERATOR_TRIANGLES_MIN, GENERATOR_TRIANGLES_MAX);
    if (!growth_expect(&making.growth, making.triangles, making.triangles, generator->name, error))
        return false;
    generator->make(&making);
    scene->material_count = generator->material_count;
    scene->materials = heap_array(scene->material_count, sizeof *scene->materials);
    memcpy(scene->materials, generator->materials,
           scene->material_count * sizeof *scene->materials);
    return growth_finish(&making.growth, generator->name, &scene->mesh, error);
}
