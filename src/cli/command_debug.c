/* command_debug.c - `ogive debug`: a run with gdb on it, or a recorded run from its end. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/run_command.h"
#include "report/result.h"

static bool is_folder(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* The words that would do a recorded run again, then the others; the program's own come last. */
struct rerun {
    char **words;
    int count;
};

static void rerun_add(struct rerun *rerun, const char *word)
{
    rerun->words = heap_grow(rerun->words, (size_t)rerun->count + 2, sizeof *rerun->words);
    rerun->words[rerun->count++] = heap_copy(word);
    rerun->words[rerun->count] = NULL;
}

static void rerun_fini(struct rerun *rerun)
{
    for (int i = 0; i < rerun->count; i++)
        free(rerun->words[i]);
    free(rerun->words);
}

static void rerun_add_list(struct rerun *rerun, const json_t *list)
{
    size_t i;
    json_t *word;
    json_array_foreach((json_t *)(uintptr_t)list, i, word)
    {
        if (json_is_string(word))
            rerun_add(rerun, json_string_value(word));
    }
}

/* One that was interrupted ended where nobody had said it should. */
static void rerun_add_end(struct rerun *rerun, const struct result *result)
{
    const char *status = json_string_value(json_object_get(result->run, "status"));
    const json_t *summary = json_object_get(result->stats, "summary");
    if (!status || strcmp(status, "interrupted") != 0)
        return;
    char *cycles =
        text_format("%lld", (long long)json_integer_value(json_object_get(summary, "cycles")));
    rerun_add(rerun, "--stop-after");
    rerun_add(rerun, cycles);
    free(cycles);
}

static bool rerun_read(struct rerun *rerun, const char *folder, int argc, char **argv,
                       struct ogv_error *error)
{
    struct result *result = result_open(folder, error);
    if (!result)
        return false;
    const json_t *repeat = json_object_get(result->run, "repeat");
    const json_t *options = json_object_get(result->run, "options");
    rerun_add(rerun, argv[0]);
    rerun_add_list(rerun, repeat);
    rerun_add_end(rerun, result);
    for (int i = 2; i < argc; i++)
        rerun_add(rerun, argv[i]);
    if (json_array_size(json_object_get(options, "arguments")))
        rerun_add(rerun, "--");
    rerun_add_list(rerun, json_object_get(options, "arguments"));
    bool good = json_array_size(repeat);
    result_close(result);
    if (!good)
        *error = (struct ogv_error){ .kind = OGV_ERROR_USER };
    return good;
}

static int debug_folder(const struct command *self, int argc, char **argv)
{
    struct rerun rerun = { 0 };
    struct ogv_error error = { 0 };
    int code;
    if (rerun_read(&rerun, argv[1], argc, argv, &error))
        code = run_command(self, rerun.count, rerun.words, RUN_DEBUGGED_FROM_END);
    else if (*error.message)
        code = fail(&error);
    else {
        say_error("debug: %s: does not say how it could be run again", argv[1]);
        code = EXIT_USER;
    }
    rerun_fini(&rerun);
    return code;
}

static int debug_main(const struct command *self, int argc, char **argv)
{
    if (argc > 1 && *argv[1] != '-' && is_folder(argv[1]))
        return debug_folder(self, argc, argv);
    return run_command(self, argc, argv, RUN_DEBUGGED);
}

const struct command command_debug = {
    .name = "debug",
    .usage = "ARCH|RUN-FOLDER [options] [-- program arguments]",
    .summary = "Run with gdb, forwards and backwards in time; or open a recorded run at its end.",
    .details =
        "Takes the options of `ogive run`. gdb-multiarch is started with the program's symbols;\n"
        "all threads of the chip are threads of gdb, and stop in the same cycle.\n"
        "  ogive debug tiny --program mandelbrot -- 64 64\n"
        "  (gdb) break colour\n"
        "  (gdb) continue\n"
        "  (gdb) reverse-step\n"
        "  (gdb) monitor help\n"
        "A run that hung or failed opens where it did, and the way back is open:\n"
        "  ogive debug results/tiny\n"
        "A machine without a program is looked at and stepped by cycles:\n"
        "  ogive debug exchange\n"
        "`ogive run ... --gdb` waits for a debugger that you start yourself.\n",
    .function = debug_main,
};
