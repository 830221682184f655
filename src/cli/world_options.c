/* world_options.c - from the options of scene, view, rays and formats to what is to be prepared. */
#include "cli/world_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/values.h"
#include "run/run.h"

bool world_arguments_given(const struct world_arguments *arguments)
{
    return arguments->scene || arguments->rays || arguments->camera || arguments->eye ||
           arguments->triangles != NUMBER_NONE || arguments->software;
}

static bool read_view(const char *command, const struct world_arguments *arguments,
                      struct camera *view)
{
    struct ogv_error error;
    *view = (struct camera){ .name = "command line", .up = { 0, 1, 0 }, .fov_degrees = 60 };
    if (!arguments->target) {
        say_error("%s: --eye needs --target as well", command);
        return false;
    }
    if (!vector_read("eye", arguments->eye, view->eye, &error) ||
        !vector_read("target", arguments->target, view->target, &error) ||
        (arguments->up && !vector_read("up", arguments->up, view->up, &error)) ||
        (arguments->fov && !number_read("fov", arguments->fov, &view->fov_degrees, &error)))
        return fail(&error) == EXIT_GOOD;
    if (!(view->fov_degrees > 0 && view->fov_degrees < 180)) {
        say_error("%s: --fov %s: degrees between 0 and 180", command, arguments->fov);
        return false;
    }
    float forward[3], across[3], length = 0;
    for (int i = 0; i < 3; i++)
        forward[i] = view->target[i] - view->eye[i];
    for (int i = 0; i < 3; i++) {
        across[i] = forward[(i + 1) % 3] * view->up[(i + 2) % 3] -
                    forward[(i + 2) % 3] * view->up[(i + 1) % 3];
        length += across[i] * across[i];
    }
    if (!(length > 0))
        say_error("%s: --eye, --target, --up: the view has no direction, or runs along `up`",
                  command);
    return length > 0;
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
        .generator = { .triangles = number_or(arguments->triangles, 0),
                       .seed = seed,
                       .stop = run_interrupted },
        .camera = arguments->camera,
        .traced = arguments->rays,
        .width = WORLD_SIDE_DEFAULT,
        .height = WORLD_SIDE_DEFAULT,
        .samples = (u32)samples,
        .bounces = (u32)bounces,
        .seed = seed,
        .software = arguments->software,
        .heatmap = arguments->heatmap,
    };
    if (samples < 1 || samples > WORLD_SAMPLES_MAX || bounces > WORLD_BOUNCES_MAX) {
        say_error("%s: --samples is 1 to %d, --bounces 0 to %d", command, WORLD_SAMPLES_MAX,
                  WORLD_BOUNCES_MAX);
        return false;
    }
    struct ogv_error error;
    if (arguments->size &&
        !pixels_read(arguments->size, 1, PIXELS_MAX, &options->width, &options->height, &error))
        return fail(&error) == EXIT_GOOD;
    if (!read_formats(arguments, options) ||
        (arguments->rays && !word_read(command, "rays", arguments->rays, kinds, &kind)))
        return false;
    options->rays = (enum ray_kind)kind;
    if (!arguments->eye && (arguments->target || arguments->up || arguments->fov)) {
        say_error("%s: --target, --up and --fov go with --eye", command);
        return false;
    }
    if (arguments->eye && !read_view(command, arguments, view))
        return false;
    options->view = arguments->eye ? view : NULL;
    return true;
}
