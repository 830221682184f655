/* load.c - see load.h. What a run of the command line and the library have in common. */
#include "run/load.h"

#include <stdlib.h>
#include <unistd.h>

#include "arch/stats.h"
#include "base/file.h"
#include "run/program.h"
#include "run/workload.h"

bool load_choose_world(ogv_system *system, struct world_options *options, bool asked, bool *chosen,
                       struct ogv_error *error)
{
    *chosen = asked || system_any(system, unit_traces_rays);
    return !*chosen || workload_formats(system, options, error);
}

const char *load_program_name(const char *asked, const struct world_options *world)
{
    if (asked || !world)
        return asked;
    if (world->streams)
        return world->traced ? "stream_trace" : "stream_pathtrace";
    return world->traced ? "trace" : "pathtrace";
}

struct compile_formats load_formats(const struct world_options *world)
{
    if (!world)
        return (struct compile_formats){ 0 };
    return (struct compile_formats){ world->nodes->name, world->primitives->name,
                                     world->treelet_bytes, world->pipelines };
}

bool load_program(ogv_system *system, const struct load_program *program, struct ogv_error *error)
{
    struct compile_formats formats = load_formats(program->world);
    char *made = file_create_temporary(error), *file = NULL;
    if (made && program->quiet)
        file = compile_program_quietly(program->name, made, formats, error);
    else if (made)
        file = compile_program(program->name, made, formats, error);
    struct program_options options = { .file = file,
                                       .name = program->name,
                                       .arguments = program->arguments,
                                       .argument_count = program->argument_count,
                                       .profile = program->profile };
    bool good = file && program_load(system, &options, error);
    if (made)
        unlink(made);
    free(made);
    free(file);
    return good;
}

bool load_world(ogv_system *system, const struct world_options *options, struct world *world,
                struct ogv_error *error)
{
    if (!world_prepare(options, world, error) || !workload_load(system, world, error))
        return false;
    world_shrink(world);
    return true;
}

bool load_world_again(ogv_system *system, const struct world_options *options, struct world *world,
                      struct ogv_error *error)
{
    if (!world_prepare(options, world, error) || !workload_recognise(system, world, error))
        return false;
    world_shrink(world);
    return true;
}
