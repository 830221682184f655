/* command_archs.c - `ogive archs`: the shipped architectures. */
#include <stdio.h>

#include "arch/arch.h"
#include "cli/cli.h"

static void archs_show(void *context, const char *name, const char *path)
{
    struct ogv_error error;
    (void)context;
    ogv_arch *arch = ogv_arch_load(path, &error);
    const struct node *about = arch ? node_get(arch->root, "about") : NULL;
    printf("%-20s %s\n", name,
           !arch                               ? error.message
           : about && about->kind == NODE_TEXT ? about->text
                                               : path);
    ogv_arch_destroy(arch);
}

static int archs_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const struct option_row rows[] = { { 0 } };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        arch_list(archs_show, NULL);
        code = EXIT_GOOD;
    }
    list_fini(&rest);
    return code;
}

const struct command command_archs = {
    .name = "archs",
    .usage = "",
    .summary = "List the shipped architectures.",
    .function = archs_main,
};
