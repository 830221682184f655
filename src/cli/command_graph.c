/* command_graph.c - `ogive graph`: a drawing of an architecture. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"

extern char **environ;

/* Graphviz turns the drawing into a picture; it is run without a shell. */
static bool picture_make(const char *source, const char *format, const char *out,
                         struct ogv_error *error)
{
    char type[16];
    snprintf(type, sizeof type, "-T%s", format);
    char *arguments[] = {
        "dot", type, "-o", (char *)(uintptr_t)out, (char *)(uintptr_t)source, NULL
    };
    pid_t child;
    int status = 0;
    int failed = posix_spawnp(&child, "dot", NULL, NULL, arguments, environ);
    if (failed)
        return error_system(error,
                            "cannot run `dot`: %s; install the package graphviz, or draw to "
                            "a .dot file",
                            strerror(failed));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return error_system(error, "`dot` could not draw %s", out);
    return true;
}

static bool graph_write(const struct text *drawing, const char *out, struct ogv_error *error)
{
    const char *dot = strrchr(out, '.');
    if (dot && !strcmp(dot, ".dot"))
        return file_write(out, text_get(drawing), drawing->length, error);
    bool picture = dot && (!strcmp(dot, ".svg") || !strcmp(dot, ".png") || !strcmp(dot, ".pdf"));
    if (!picture)
        return error_user(error, "%s: can draw to .svg, .png, .pdf and .dot files", out);
    char *source = text_format("%s.dot-source", out);
    bool good = file_write(source, text_get(drawing), drawing->length, error) &&
                picture_make(source, dot + 1, out, error);
    unlink(source);
    free(source);
    return good;
}

static int graph_to(const char *name, const struct machine_arguments *machine, const char *out)
{
    struct ogv_error error;
    struct text drawing = { 0 };
    ogv_arch *arch = arch_open(name, machine, &error);
    struct plan *plan = arch ? plan_create(arch, &error) : NULL;
    ogv_arch_destroy(arch);
    if (!plan)
        return fail(&error);
    plan_draw(plan, &drawing);
    plan_destroy(plan);
    bool good = graph_write(&drawing, out, &error);
    text_fini(&drawing);
    return good ? EXIT_GOOD : fail(&error);
}

static int graph_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    const char *out = NULL;
    const struct option_row rows[] = {
        { 'o', "out", "FILE", "file for the drawing: .svg, .png, .pdf or .dot", OPTION_TEXT, &out },
        MACHINE_ROWS(machine),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        code = EXIT_USER;
        if (!out)
            say_error("graph: needs -o FILE; usage: ogive graph %s", self->usage);
        else if (rest_one(self, &rest, "architecture file") && machine_arguments_apply(&machine))
            code = graph_to(rest.items[0], &machine, out);
    }
    list_fini(&rest);
    machine_arguments_fini(&machine);
    return code;
}

const struct command command_graph = {
    .name = "graph",
    .usage = "FILE -o chip.svg",
    .summary = "Draw an architecture.",
    .details = "Writes Graphviz source for .dot, a picture for .svg, .png or .pdf.\n",
    .function = graph_main,
};
