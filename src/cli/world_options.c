/* world_options.c - from the options of scene, view, rays and formats to what is to be prepared. */
#include "cli/world_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/values.h"

bool world_arguments_given(const struct world_arguments *arguments)
{
    return arguments->scene || arguments->rays || arguments->view.camera || arguments->view.eye ||
           arguments->triangles != NUMBER_NONE || arguments->software;
}

static bool read_formats(const struct world_arguments *arguments, struct world_options *options)
{
    struct ogv_error error;
    if (arguments->nodes)
        options->nodes = node_format_find(arguments->nodes, &error);
    if (arguments->nodes && !options->nodes)
        return fail(&error) == EXIT_GOOD;
    if (arguments->primitives)
        options->primitives = primitive_format_find(arguments->primitives, &error);
    if (arguments->primitives && !options->primitives)
        return fail(&error) == EXIT_GOOD;
    if (!treelets_read(arguments->treelets, &options->treelet_bytes, &error))
        return fail(&error) == EXIT_GOOD;
    options->builder_given = arguments->builder;
    return !arguments->builder || bvh_builder_find(arguments->builder, &options->builder, &error) ||
           fail(&error) == EXIT_GOOD;
}

static u64 number_or(u64 number, u64 otherwise)
{
    return number == NUMBER_NONE ? otherwise : number;
}

bool world_arguments_read(const char *command, const struct world_arguments *arguments,
                          struct world_options *options, struct camera *view)
{
    static const char *const kinds[] = { "primary", "secondary", "tertiary",
                                         "shadow",  "occlusion", NULL };
    u32 kind = 0;
    u64 samples = number_or(arguments->samples, WORLD_SAMPLES_DEFAULT);
    u64 bounces = number_or(arguments->bounces, WORLD_BOUNCES_DEFAULT);
    u64 seed = number_or(arguments->seed, WORLD_SEED_DEFAULT);
    *options = (struct world_options){
        .scene = arguments->scene,
        .generator = { .triangles = number_or(arguments->triangles, 0), .seed = seed },
        .camera = arguments->view.camera,
        .traced = arguments->rays,
        .width = WORLD_SIDE_DEFAULT,
        .height = WORLD_SIDE_DEFAULT,
        .samples = (u32)samples,
        .bounces = (u32)bounces,
        .seed = seed,
        .software = arguments->software,
        .heatmap = arguments->heatmap,
    };
    struct ogv_error error;
    if (!number_within(command, "samples", samples, 1, WORLD_SAMPLES_MAX) ||
        !number_within(command, "bounces", bounces, 0, WORLD_BOUNCES_MAX))
        return false;
    if (arguments->size &&
        !pixels_read(arguments->size, 1, PIXELS_MAX, &options->width, &options->height, &error))
        return fail(&error) == EXIT_GOOD;
    if (!read_formats(arguments, options) ||
        (arguments->rays && !word_read(command, "rays", arguments->rays, kinds, &kind)))
        return false;
    options->rays = (enum ray_kind)kind;
    if (!view_arguments_read(command, &arguments->view, view))
        return false;
    options->view = arguments->view.eye ? view : NULL;
    return true;
}
