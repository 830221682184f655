/* command_world.c - `ogive world`: a scene as programs find it in memory, as a file. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/signals.h"
#include "cli/world_options.h"
#include "run/world.h"

struct world_command {
    struct world_arguments world;
    const char *out;
    u64 threads;
    bool quiet;
};

static void note_show(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static void world_show(const struct world *world, const struct world_options *options,
                       const char *path)
{
    const char *program = options->traced ? "trace" : "pathtrace";
    char treelets[32] = "";
    if (options->treelet_bytes)
        snprintf(treelets, sizeof treelets, " --treelets %uB", options->treelet_bytes);
    printf("%s: %u triangles, %ux%u pixels, %s nodes, %s primitives, %.1f MiB\n", path,
           world->scene.mesh.triangle_count, options->width, options->height, options->nodes->name,
           options->primitives->name, (double)world->header.bytes / (double)MiB);
    printf("For example:\n"
           "  ogive programs build %s --native --nodes %s --primitives %s%s -o %s-native\n"
           "  OGIVE_WORLD=%s OGIVE_IMAGE=image.ppm ./%s-native\n",
           program, options->nodes->name, options->primitives->name, treelets, program, path,
           program);
}

static int world_make(const struct world_command *command)
{
    struct world_options options;
    struct camera view;
    struct world world;
    struct ogv_error error;
    signals_catch();
    if (!world_arguments_read("world", &command->world, &options, &view))
        return EXIT_USER;
    options.threads = (u32)command->threads;
    options.note = command->quiet ? NULL : note_show;
    if (!options.nodes)
        options.nodes = node_formats[RT_NODES_bvh6c];
    if (!options.primitives)
        options.primitives = primitive_formats[RT_PRIMITIVES_tri64];
    if (!options.builder_given)
        options.builder = BVH_spatial;
    if (!world_prepare(&options, &world, &error))
        return fail(&error);
    bool good = world_save(&world, command->out, &error);
    if (good && !command->quiet)
        world_show(&world, &options, command->out);
    world_free(&world);
    return good ? EXIT_GOOD : fail(&error);
}

static int world_main(const struct command *self, int argc, char **argv)
{
    struct world_command command = { .world = WORLD_ARGUMENTS_NONE };
    struct text_list rest = { 0 };
    const struct option_row rows[] = {
        { 'o', "out", "FILE", "file for the scene", OPTION_TEXT, &command.out },
        WORLD_ROWS(command.world),
        THREADS_ROW(command.threads),
        { 0, "quiet", NULL, "print nothing but errors", OPTION_FLAG, &command.quiet },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        code = EXIT_USER;
        if (rest.count == 1 && !command.world.scene)
            command.world.scene = rest.items[0];
        else if (rest.count)
            command.world.scene = NULL;
        if (!command.world.scene || !command.out)
            say_error("world: needs one scene and -o FILE; usage: ogive world %s", self->usage);
        else
            code = world_make(&command);
    }
    list_fini(&rest);
    return code;
}

const struct command command_world = {
    .name = "world",
    .usage = "SCENE -o FILE [options]",
    .summary = "Put a scene into a file as programs find it in memory, for native builds of them.",
    .details = "A program that draws a scene does the same on this machine, with threads, if the\n"
               "environment has OGIVE_WORLD=FILE: the same hits, the same picture, bit for bit.\n"
               "It must be built for the formats of nodes and primitives that the file has.\n"
               "Example:\n"
               "  ogive world cornell --size 64x64 -o cornell.world\n"
               "  ogive programs build pathtrace --native -o pathtrace-native\n"
               "  OGIVE_WORLD=cornell.world OGIVE_IMAGE=image.ppm ./pathtrace-native\n",
    .function = world_main,
};
