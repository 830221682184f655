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

/* Runs `dot` without a shell, from one stream to another. */
static bool dot_run(FILE *source, FILE *picture, const char *format, struct ogv_error *error)
{
    char type[16];
    snprintf(type, sizeof type, "-T%s", format);
    char *arguments[] = { "dot", type, NULL };
    posix_spawn_file_actions_t streams;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, fileno(source), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&streams, fileno(picture), STDOUT_FILENO);
    int failed = posix_spawnp(&child, "dot", &streams, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&streams);
    if (failed)
        return error_system(error,
                            "cannot run `dot`: %s; install the package graphviz, or draw to "
                            "a .dot file",
                            strerror(failed));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return error_system(error, "`dot` could not make a picture of the drawing");
    return true;
}

static bool picture_write(FILE *picture, const char *out, struct ogv_error *error)
{
    struct text bytes = { 0 };
    char chunk[16384];
    size_t got;
    rewind(picture);
    while ((got = fread(chunk, 1, sizeof chunk, picture)) > 0)
        text_add_bytes(&bytes, chunk, got);
    bool good = ferror(picture) ? error_system(error, "cannot read what `dot` wrote")
                                : file_write(out, text_get(&bytes), bytes.length, error);
    text_fini(&bytes);
    return good;
}

/* Graphviz turns the drawing into a picture. It reads and writes files without names, so that
 * nothing is left behind however this ends. */
static bool picture_make(const struct text *drawing, const char *format, const char *out,
                         struct ogv_error *error)
{
    FILE *source = tmpfile(), *picture = tmpfile();
    bool good = source && picture && fwrite(drawing->chars, drawing->length, 1, source) == 1 &&
                !fflush(source);
    if (good)
        rewind(source);
    else
        error_system(error, "cannot write a temporary file: %s", strerror(errno));
    good = good && dot_run(source, picture, format, error) && picture_write(picture, out, error);
    if (source)
        fclose(source);
    if (picture)
        fclose(picture);
    return good;
}

static bool graph_write(const struct text *drawing, const char *out, struct ogv_error *error)
{
    const char *dot = strrchr(out, '.');
    if (dot && !strcmp(dot, ".dot"))
        return file_write(out, text_get(drawing), drawing->length, error);
    bool picture = dot && (!strcmp(dot, ".svg") || !strcmp(dot, ".png") || !strcmp(dot, ".pdf"));
    if (!picture)
        return error_user(error, "%s: can draw to .svg, .png, .pdf and .dot files", out);
    return picture_make(drawing, dot + 1, out, error);
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
    .usage = "ARCH -o chip.svg",
    .summary = "Draw an architecture.",
    .details = "Writes Graphviz source for .dot, a picture for .svg, .png or .pdf.\n",
    .function = graph_main,
};
