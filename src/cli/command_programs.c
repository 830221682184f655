/* command_programs.c - `ogive programs`: the shipped programs, and how one is built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/values.h"
#include "run/compile.h"

/* The first line of a source file, without its comment signs and name. */
static void program_show(void *context, const char *name, const char *path)
{
    struct ogv_error error;
    size_t length;
    (void)context;
    char *text = file_read(path, 1 * MiB, &length, &error);
    const char *about = text ? strstr(text, " - ") : NULL;
    printf("%-16s %.*s\n", name, about ? (int)strcspn(about + 3, "\n*") : 0,
           about ? about + 3 : "");
    free(text);
}

static int program_build(const char *file, const char *out, bool native,
                         struct compile_formats formats)
{
    struct ogv_error error;
    if (native)
        return compile_native(file, out, formats, &error) ? EXIT_GOOD : fail(&error);
    char *made = compile_program(file, out, formats, &error);
    if (!made)
        return fail(&error);
    bool compiled = !strcmp(made, out);
    free(made);
    if (!compiled)
        say_error("programs: %s is no C or C++ source; only these are built", file);
    return compiled ? EXIT_GOOD : EXIT_USER;
}

static int programs_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const char *out = "program.elf", *treelets = NULL;
    struct ogv_error error;
    struct compile_formats formats = { 0 };
    bool native = false;
    const struct option_row rows[] = {
        { 0, "native", NULL, "build for this machine, with threads", OPTION_FLAG, &native },
        { 'o', "out", "FILE", "file for what is built (default: program.elf)", OPTION_TEXT, &out },
        { 0, "nodes", "FORMAT", "of trees that it walks itself (default: bvh6c)", OPTION_TEXT,
          &formats.nodes },
        { 0, "primitives", "FORMAT", "likewise (default: tri64)", OPTION_TEXT,
          &formats.primitives },
        { 0, "treelets", "SIZE", "that they lie in (default: none)", OPTION_TEXT, &treelets },
        { 0, "joined", NULL, "test boxes and triangles by instructions, on joined units",
          OPTION_FLAG, &formats.pipelines },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        code = EXIT_GOOD;
        if (!treelets_read(treelets, &formats.treelet_bytes, &error))
            code = fail(&error);
        else if (!rest.count)
            compile_list(program_show, NULL);
        else if (rest.count == 2 && !strcmp(rest.items[0], "build"))
            code = program_build(rest.items[1], out, native, formats);
        else
            code = EXIT_USER;
        if (code == EXIT_USER)
            say_error("programs: usage: ogive programs %s", self->usage);
    }
    list_fini(&rest);
    return code;
}

const struct command command_programs = {
    .name = "programs",
    .usage = "[build PROGRAM --native -o OUT]",
    .summary = "List the shipped programs, or build one.",
    .details = "Without --native, the program is built for the simulated cores.\n",
    .function = programs_main,
};
