/* command_export.c - `ogive export`: an architecture with every default written out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/machine_options.h"

static int export_to(const char *name, const struct machine_arguments *machine, const char *out)
{
    struct ogv_error error;
    ogv_arch *arch = arch_open(name, machine, &error);
    char *text = arch ? ogv_arch_export(arch, &error) : NULL;
    ogv_arch_destroy(arch);
    if (!text)
        return fail(&error);
    bool good = true;
    if (out)
        good = file_write(out, text, strlen(text), &error);
    else
        fputs(text, stdout);
    free(text);
    return good ? EXIT_GOOD : fail(&error);
}

static int export_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    const char *out = NULL;
    const struct option_row rows[] = {
        MACHINE_ROWS(machine),
        { 'o', "out", "FILE", "file for it (default: standard output)", OPTION_TEXT, &out },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code))
        code = rest_one(self, &rest, "architecture file") && machine_arguments_apply(&machine)
                   ? export_to(rest.items[0], &machine, out)
                   : EXIT_USER;
    list_fini(&rest);
    machine_arguments_fini(&machine);
    return code;
}

const struct command command_export = {
    .name = "export",
    .usage = "ARCH",
    .summary = "Print an architecture with every default written out.",
    .details = "What is printed can be loaded again and means the same.\n",
    .function = export_main,
};
