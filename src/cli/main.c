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
#include "cli/crash.h"
#include "rt/importer.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
};

#define COMMANDS (sizeof commands / sizeof *commands)

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
    list->items = heap_grow(list->items, list->count + 1, sizeof *list->items);
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

/* What scripts and makefiles need to know of where things lie. */
static const struct place {
    const char *option, *folder, *help;
} places[] = {
    { "--include-dir", "include", "Print the folder of the headers, for a compiler's -I." },
    { "--programs-dir", "programs",
      "Print the folder of the programs; `runtime` in it starts them." },
};

#define PLACES (sizeof places / sizeof *places)

static int main_place(const struct place *place)
{
    char *folder = shipped_find(place->folder);
    if (folder)
        puts(folder);
    else
        say_error("the folder `%s` is not next to the program, nor in OGIVE_HOME", place->folder);
    int code = folder ? EXIT_GOOD : EXIT_SYSTEM;
    free(folder);
    return code;
}

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
    printf("ogive %s - a cycle-level simulator for massively parallel ray-tracing hardware\n\n"
           "Usage: ogive COMMAND [arguments]\n\nCommands:\n",
           OGV_VERSION);
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("  %-10s %s\n\nOptions:\n", "version", "Print the version.");
    for (size_t i = 0; i < PLACES; i++)
        printf("  %-14s %s\n", places[i].option, places[i].help);
    printf(
        "\nTry: ogive run exchange\n`ogive COMMAND --help` explains a command.\n\nExit codes:\n");
    for (size_t i = 0; i < ENDINGS; i++)
        printf("  %-4d %s\n", endings[i].code, endings[i].help);
}

static int main_unknown(const char *typed)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, typed);
    for (size_t i = 0; i < COMMANDS; i++)
        nearest_offer(&nearest, commands[i]->name);
    for (size_t i = 0; i < PLACES; i++)
        nearest_offer(&nearest, places[i].option);
    say_error("there is no command '%s'%s (ogive help lists them)", typed,
              nearest_hint(&nearest, hint, sizeof hint));
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
    for (size_t i = 0; i < PLACES; i++)
        if (!strcmp(name, places[i].option))
            return main_place(&places[i]);
    char *explain[] = { argv[argc - 1], "--help", NULL };
    for (size_t i = 0; i < COMMANDS; i++) {
        if (help && !strcmp(commands[i]->name, argv[2]))
            return commands[i]->function(commands[i], 2, explain);
        if (!strcmp(commands[i]->name, name))
            return commands[i]->function(commands[i], argc - 1, argv + 1);
    }
    return main_unknown(help ? argv[2] : name);
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
