/* command_profile.c - `ogive profile`. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "cli/running.h"
#include "cli/world_options.h"
#include "profile/tree.h"

struct profile_arguments {
    struct text_list rest;
    struct machine_arguments machine;
    const char *program, *out, *callgrind, *by, *least, *progress;
    u64 threads;
    struct world_arguments world;
    bool source, disassembly, folded;
};

static bool least_read(const char *text, double *least)
{
    char *end;
    *least = strtod(text, &end) / 100;
    if (end != text && !*end && *least >= 0 && *least <= 1)
        return true;
    say_error("profile: --min %s: a percentage from 0 to 100 is needed", text);
    return false;
}

static int tree_show(const struct profile_tree *tree, const struct profile_arguments *arguments,
                     double least)
{
    struct view_options options = { least };
    struct ogv_error error;
    struct text out = { 0 };
    int code = EXIT_GOOD;
    if (arguments->callgrind) {
        view_callgrind(tree, &out);
        if (!file_write(arguments->callgrind, text_get(&out), out.length, &error))
            code = fail(&error);
        text_fini(&out);
    }
    if (arguments->source)
        view_source(tree, &options, &out);
    if (arguments->disassembly)
        view_disassembly(tree, &options, &out);
    if (arguments->folded)
        view_folded(tree, &out);
    if (!arguments->source && !arguments->disassembly && !arguments->folded &&
        !arguments->callgrind)
        view_tree(tree, &options, &out);
    fputs(text_get(&out), stdout);
    text_fini(&out);
    return code;
}

static int profile_show(const char *folder, const struct profile_arguments *arguments)
{
    struct profile_measure measure;
    struct ogv_error error;
    double least;
    if (!least_read(arguments->least, &least))
        return EXIT_USER;
    if (!profile_measure_find(arguments->by, &measure, &error))
        return fail(&error);
    struct profile *profile = profile_read(folder, &error);
    if (profile && measure.energy && !profile->has_energy) {
        say_error("profile: --by energy: what instructions cost is not known here, or not the same "
                  "in all cores (%s)",
                  folder);
        profile_destroy(profile);
        return EXIT_USER;
    }
    struct profile_tree *tree = profile ? tree_create(profile, &measure, &error) : NULL;
    int code = tree ? tree_show(tree, arguments, least) : fail(&error);
    tree_destroy(tree);
    profile_destroy(profile);
    return code;
}

static int profile_run(const struct profile_arguments *arguments)
{
    struct world_options world;
    struct camera view;
    struct run_telling telling = { .quiet = arguments->folded };
    if (!machine_arguments_apply(&arguments->machine) ||
        !world_arguments_read("profile", &arguments->world, &world, &view) ||
        !progress_read("profile", arguments->progress, &telling.progress))
        return EXIT_USER;
    struct run_options options = {
        .arch = arguments->rest.items[0],
        .settings = arguments->machine.settings.items,
        .setting_count = arguments->machine.settings.count,
        .out = arguments->out,
        .program = arguments->program,
        .arguments = &arguments->rest.items[1],
        .argument_count = arguments->rest.count - 1,
        .world = &world,
        .world_given = world_arguments_given(&arguments->world),
        .sim = { .threads = (u32)arguments->threads, .watchdog = WATCHDOG_DEFAULT },
        .profile = true,
        .interval = INTERVAL_DEFAULT,
        .stop_after = NEVER,
    };
    char *folder = NULL;
    int code = run_and_tell(&options, &telling, &folder);
    if (folder) {
        printf("%s", arguments->folded ? "" : "\n");
        int shown = profile_show(folder, arguments);
        code = code == EXIT_GOOD ? shown : code;
    }
    free(folder);
    return code;
}

static int profile_with(const struct command *self, const struct profile_arguments *arguments)
{
    bool runs = arguments->program || world_arguments_given(&arguments->world);
    if (!arguments->rest.count || (arguments->rest.count > 1 && !runs)) {
        say_error("profile: takes the folder of a run, or an architecture with --program or "
                  "--scene; usage: ogive profile %s",
                  self->usage);
        return EXIT_USER;
    }
    if (arguments->out && !runs) {
        say_error("profile: --out %s: is for the results of a run, which takes --program or "
                  "--scene; --callgrind FILE writes Callgrind's format",
                  arguments->out);
        return EXIT_USER;
    }
    return runs ? profile_run(arguments) : profile_show(arguments->rest.items[0], arguments);
}

static int profile_main(const struct command *self, int argc, char **argv)
{
    struct profile_arguments arguments = { .by = "cycles",
                                           .least = "0.1",
                                           .world = WORLD_ARGUMENTS_NONE };
    const struct option_row rows[] = {
        { 0, "source", NULL, "every source line with its cost and its main stall", OPTION_FLAG,
          &arguments.source },
        { 0, "disassembly", NULL, "every instruction with its cost and its main stall", OPTION_FLAG,
          &arguments.disassembly },
        { 0, "folded", NULL, "one line per call path, for flame graphs", OPTION_FLAG,
          &arguments.folded },
        { 0, "callgrind", "FILE", "write the format of Callgrind, for KCachegrind", OPTION_TEXT,
          &arguments.callgrind },
        { 0, "by", "REASON,...",
          "what counts as cost: cycles (default), stalled, hazard, single reasons, or energy",
          OPTION_TEXT, &arguments.by },
        { 0, "min", "PERCENT", "leave out what costs less (default: 0.1)", OPTION_TEXT,
          &arguments.least },
        { 0, "program", "NAME|FILE", "run this first, on the architecture named", OPTION_TEXT,
          &arguments.program },
        WORLD_ROWS(arguments.world),
        MACHINE_ROWS(arguments.machine),
        THREADS_ROW(arguments.threads),
        { 'o', "out", "DIR", "folder for the results of the run (default: results/NAME)",
          OPTION_TEXT, &arguments.out },
        PROGRESS_ROW(arguments.progress),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = profile_with(self, &arguments);
    machine_arguments_fini(&arguments.machine);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_profile = {
    .name = "profile",
    .usage = "DIR | ARCH --program NAME|--scene NAME [-- program arguments]",
    .summary = "Show where a program spent the cycles of its threads.",
    .details =
        "DIR is the folder of a run that was made with --profile. With --program or --scene, the\n"
        "run is made first. Every thread-cycle is charged to a call path, an instruction and a "
        "reason:\n"
        "  issued        an instruction issued\n"
        "  passed        ready, but another thread of the core issued\n"
        "  busy          the unit that should execute its instruction had no room\n"
        "  fetch, fence  waited for its instruction; for its own memory accesses\n"
        "  hazard_CLASS  waited for the result of such an instruction\n"
        "Call paths are exact: calls and returns are followed while the program runs. Inlined\n"
        "functions are told apart by the program's debug information.\n"
        "Examples:\n"
        "  ogive profile tiny --program mandelbrot --out results/m -- 32 32\n"
        "  ogive profile results/m --source\n"
        "  ogive profile results/m --by hazard_load,busy --disassembly\n"
        "  ogive profile results/m --by energy           (of cores; docs/energy.md)\n"
        "  ogive profile results/m --callgrind callgrind.out\n"
        "  ogive profile results/m --folded | flamegraph.pl > flames.svg\n",
    .function = profile_main,
};
