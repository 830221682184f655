/* command_scenes.c - `ogive scenes`: the shipped scenes. */
#include <stdio.h>

#include "cli/cli.h"
#include "rt/scene_file.h"

static void scene_print_line(void *context, const char *name, const char *path)
{
    struct scene_file file;
    (void)context;
    if (scene_file_read(&file, path, NULL))
        printf("%-12s %s\n", name, file.about);
    else
        printf("%-12s (cannot be read: %s)\n", name, path);
    scene_file_free(&file);
}

static int scenes_main(const struct command *self, int argc, char **argv)
{
    static const struct option_row rows[] = { { 0, NULL, NULL, NULL, OPTION_FLAG, NULL } };
    struct text_list rest = { 0 };
    int code;
    if (!options_parse(self, rows, argc, argv, &rest, &code))
        return code;
    bool odd = rest.count;
    if (odd)
        say_error("scenes: takes no arguments; `ogive scene info NAME` says more of one");
    else
        scene_list(scene_print_line, NULL);
    list_fini(&rest);
    return odd ? EXIT_USER : EXIT_GOOD;
}

const struct command command_scenes = {
    .name = "scenes",
    .usage = "",
    .summary = "List the shipped scenes.",
    .function = scenes_main,
};
