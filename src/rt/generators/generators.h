/* generators.h - scenes made by rule: no files, any number of triangles, the same on every machine.
 *
 * Always true: the mesh is a function of the number of triangles and the seed alone, bit for bit,
 * whatever the compiler and the processor (exact.h is why); its number of triangles is within 2% of
 * the one asked for; no triangle is degenerate. */
#ifndef RT_GENERATORS_GENERATORS_H
#define RT_GENERATORS_GENERATORS_H

#include "rt/growth.h"
#include "rt/scene.h"

#define GENERATOR_TRIANGLES_MIN 1000
#define GENERATOR_TRIANGLES_MAX 20000000

/* What a generator is given, and where it puts what it makes. */
struct making {
    u64 triangles, seed;
    struct growth growth;
    struct scene *scene; /* for parts and instances, if they are to be kept; else NULL */
};

struct generator {
    const char *name, *help;
    u64 triangles; /* unless asked for */
    const struct material *materials;
    u32 material_count;
    void (*make)(struct making *making);
};

#define GENERATOR_TYPE(name_, help_, triangles_, materials_, make_)                             \
    const struct generator generator_##name_ = {                                                \
        #name_, help_, triangles_, materials_, sizeof(materials_) / sizeof *(materials_), make_ \
    };

#define GENERATOR(name) extern const struct generator generator_##name;
#include "rt/generators/generators.def"
#undef GENERATOR

/* All of them, ended by NULL. */
extern const struct generator *const generators[];

/* NULL if there is none of that name. */
const struct generator *generator_find(const char *name);

/* Fills in the scene's mesh and materials, and parts and instances if the options ask for them. */
bool generator_run(const struct generator *generator, const struct scene_options *options,
                   struct scene *scene, struct ogv_error *error);

#endif
