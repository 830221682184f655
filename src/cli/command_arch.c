/* command_arch.c - the commands about architecture files: check, export, graph, archs. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/system.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"

extern char **environ;

static int check_one(const char *name, const struct machine_arguments *machine)
{
    struct ogv_error error;
    ogv_arch *arch = arch_open(name, machine, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    ogv_arch_destroy(arch);
    if (!system)
        return fail(&error);
    const struct chip *chip = system->chip;
    double memory = system->plan->memory_bytes;
    printf("%s: good: %s, %u units in %u domains, %u links, window %llu cycles, %.1f MiB", name,
           system->plan->name, chip->unit_count, chip->domain_count, chip->link_count,
           (unsigned long long)chip->window, ((double)chip->arena->used - memory) / (double)MiB);
    printf(memory > 0 ? " and %.1f MiB of simulated memory\n" : "\n", memory / (double)MiB);
    ogv_system_destroy(system);
    return EXIT_GOOD;
}

int command_check(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    const struct option_row rows[] = {
        MACHINE_ROWS(machine),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        bool applied = machine_arguments_apply(&machine);
        code = rest.count && applied ? EXIT_GOOD : EXIT_USER;
        if (!rest.count)
            say_error("check: needs an architecture file; usage: ogive check %s", self->usage);
        for (u32 i = 0; i < rest.count && applied; i++) {
            int one = check_one(rest.items[i], &machine);
            code = one ? one : code;
        }
    }
    list_fini(&rest);
    machine_arguments_fini(&machine);
    return code;
}

/* ---- export ---- */

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

int command_export(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    const char *out = NULL;
    const struct option_row rows[] = {
        MACHINE_ROWS(machine),
        { 'o', "out", "FILE", "write here instead of to the terminal", OPTION_TEXT, &out },
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

/* ---- graph ---- */

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

int command_graph(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    const char *out = NULL;
    const struct option_row rows[] = {
        { 'o', "out", "FILE", "where to draw to", OPTION_TEXT, &out },
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

/* ---- archs ---- */

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

int command_archs(const struct command *self, int argc, char **argv)
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
