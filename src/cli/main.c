/* main.c - the program `ogive`: finds the command and runs it. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/shipped.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/crash.h"
#include "cli/manual.h"
#include "rt/importer.h"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
};

const u32 command_count = sizeof commands / sizeof *commands;

void say_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("ogive: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int fail(const struct ogv_error *error)
{
    static const int codes[] = { EXIT_SYSTEM, EXIT_USER, EXIT_SYSTEM, EXIT_HANG };
    say_error("%s", error->message);
    return stop_asked() ? EXIT_INTERRUPT : codes[error->kind];
}

void list_add_text(struct text_list *list, const char *text)
{
    list->items = heap_append(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = text;
}

void list_fini(struct text_list *list)
{
    free(list->items);
    *list = (struct text_list){ 0 };
}

bool rest_one(const struct command *command, const struct text_list *rest, const char *what)
{
    if (rest->count == 1)
        return true;
    say_error("%s: %s %s; usage: ogive %s %s", command->name,
              rest->count ? "takes exactly one" : "needs", what, command->name, command->usage);
    return false;
}

/* ---- Options instead of a command ---- */

static int folder_print(const char *below)
{
    char *folder = shipped_find(below);
    if (folder)
        puts(folder);
    else
        say_error("the folder `%s` is not next to the program, nor in OGIVE_HOME", below);
    int code = folder ? EXIT_GOOD : EXIT_SYSTEM;
    free(folder);
    return code;
}

static int include_print(const struct program_option *self, const char *value)
{
    (void)self;
    (void)value;
    return folder_print("include");
}

static int programs_print(const struct program_option *self, const char *value)
{
    (void)self;
    (void)value;
    return folder_print("programs");
}

static int python_print(const struct program_option *self, const char *value)
{
    (void)self;
    (void)value;
    return folder_print("python");
}

const struct program_option program_options[] = {
    { "--include-dir", NULL, "Print the folder of the headers, for a compiler's -I.",
      include_print },
    { "--programs-dir", NULL, "Print the folder of the programs; `runtime` in it starts them.",
      programs_print },
    { "--python-dir", NULL, "Print the folder of the package for Python, for PYTHONPATH.",
      python_print },
    { "--man", "[COMMAND]", "Print the manual page of a command, or of the program.", manual_main },
    { "--completion", "bash|zsh", "Print what makes a shell complete commands and options.",
      completion_main },
};
const u32 program_option_count = sizeof program_options / sizeof *program_options;

static const struct ending {
    int code;
    const char *help;
} endings[] = {
#define EXIT_CODE(name, code, help) { code, help },
#include "cli/exit_codes.def"
#undef EXIT_CODE
};

#define ENDINGS (sizeof endings / sizeof *endings)

static void main_help(void)
{
    printf("ogive %s - " PROGRAM_SUMMARY "\n\n"
           "Usage: ogive COMMAND [arguments]\n\nCommands:\n",
           OGV_VERSION);
    for (u32 i = 0; i < command_count; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("  %-10s %s\n\nOptions:\n", "version", "Print the version.");
    for (u32 i = 0; i < program_option_count; i++) {
        const struct program_option *option = &program_options[i];
        char *left = text_format("%s%s%s", option->name, option->placeholder ? " " : "",
                                 option->placeholder ? option->placeholder : "");
        printf("  %-21s %s\n", left, option->help);
        free(left);
    }
    printf(
        "\nTry: ogive run exchange\n`ogive COMMAND --help` explains a command.\n\nExit codes:\n");
    for (size_t i = 0; i < ENDINGS; i++)
        printf("  %-4d %s\n", endings[i].code, endings[i].help);
}

static void command_unknown(const char *typed)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, typed);
    for (u32 i = 0; i < command_count; i++)
        nearest_offer(&nearest, commands[i]->name);
    for (u32 i = 0; i < program_option_count; i++)
        nearest_offer(&nearest, program_options[i].name);
    say_error("there is no command '%s'%s (ogive help lists them)", typed,
              nearest_hint(&nearest, hint, sizeof hint));
}

const struct command *command_find(const char *name)
{
    for (u32 i = 0; i < command_count; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    command_unknown(name);
    return NULL;
}

static const struct program_option *option_find(const char *name)
{
    for (u32 i = 0; i < program_option_count; i++)
        if (!strcmp(program_options[i].name, name))
            return &program_options[i];
    return NULL;
}

static int option_run(const struct program_option *option, int argc, char **argv)
{
    if (argc <= (option->placeholder ? 3 : 2))
        return option->function(option, argc > 2 ? argv[2] : NULL);
    say_error("%s: takes %s, not '%s'", option->name,
              option->placeholder ? "one value" : "no value", argv[argc - 1]);
    return EXIT_USER;
}

/* A scene's file is imported by this program in another process. That is not for users. */
static bool main_is_importer(int argc, char **argv)
{
    return argc == 5 && !strcmp(argv[1], IMPORTER_COMMAND);
}

static int main_import(char **argv)
{
    bool keep_instances = !strcmp(argv[3], "instances");
    return importer_answer(argv[2], keep_instances, atoi(argv[4])) ? EXIT_GOOD : EXIT_SYSTEM;
}

static int main_command(int argc, char **argv)
{
    if (main_is_importer(argc, argv))
        return main_import(argv);
    importer_set_program("/proc/self/exe");
    crash_watch();
    if (argc < 2) {
        main_help();
        return EXIT_USER;
    }
    const char *name = argv[1];
    bool help = !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h");
    if (help && argc == 2) {
        main_help();
        return EXIT_GOOD;
    }
    if (!strcmp(name, "version") || !strcmp(name, "--version")) {
        printf("ogive %s\n", OGV_VERSION);
        return EXIT_GOOD;
    }
    const struct program_option *option = option_find(name);
    if (option)
        return option_run(option, argc, argv);
    char *explain[] = { argv[argc - 1], "--help", NULL };
    const struct command *command = command_find(help ? argv[2] : name);
    if (!command)
        return EXIT_USER;
    return help ? command->function(command, 2, explain)
                : command->function(command, argc - 1, argv + 1);
}

/* What was printed has arrived, or the exit code says that it has not. */
static int main_flush(int code)
{
    const char *loss = stream_loss(stdout);
    if (!loss)
        return code;
    say_error("standard output: cannot write: %s", loss);
    return code == EXIT_GOOD ? EXIT_SYSTEM : code;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    return main_flush(main_command(argc, argv));
}
