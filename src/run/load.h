/* load.h - work for a chip: which program, whether there is a scene, and both in its memory. */
#ifndef RUN_LOAD_H
#define RUN_LOAD_H

#include "arch/system.h"
#include "run/compile.h"
#include "run/world.h"

/* Whether there is a scene: one was asked for, or the chip has units that trace rays. Then
 * `options` are completed with what the chip wants. */
bool load_choose_world(ogv_system *system, struct world_options *options, bool asked, bool *chosen,
                       struct ogv_error *error);

/* What runs: what was asked for (NULL: nothing); else, where there is a scene (NULL: none), what
 * traces or draws it. */
const char *load_program_name(const char *asked, const struct world_options *world);

/* The formats of a scene (NULL: none) that a program for it is compiled with. */
struct compile_formats load_formats(const struct world_options *world);

struct load_program {
    const char *name; /* of a shipped program, a source file or an ELF */
    const char *const *arguments;
    u32 argument_count;
    const struct world_options *world; /* NULL: without a scene */
    bool profile;
    bool quiet; /* what the compiler says is only in the error */
};

/* Compiles if need be, and loads. */
bool load_program(ogv_system *system, const struct load_program *program, struct ogv_error *error);

/* Prepares the scene and puts it into the chip's memory, behind the program. The tree lies only
 * there then. On failure there may be something to free in `world` all the same. */
bool load_world(ogv_system *system, const struct world_options *options, struct world *world,
                struct ogv_error *error);

/* Prepares the scene that is in the chip's memory already, to judge what becomes of it. Refuses
 * another one. */
bool load_world_again(ogv_system *system, const struct world_options *options, struct world *world,
                      struct ogv_error *error);

#endif
