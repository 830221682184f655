/* command_run.c - `ogive run`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/debugging.h"
#include "cli/machine_options.h"
#include "cli/reporting.h"
#include "cli/run_command.h"
#include "cli/running.h"
#include "cli/tracing.h"
#include "cli/values.h"
#include "cli/world_options.h"
#include "live/live.h"
#include "run/pieces.h"
#include "run/ray_traces.h"

struct run_arguments {
    const char *command; /* `run`, or `debug` */
    struct text_list rest;
    struct machine_arguments machine;
    u64 threads, interval, stop_after, watchdog;
    u64 trace_rays;
    const char *out, *program, *pieces, *resume, *checkpoint_every, *series, *progress, *bind;
    struct maybe_number live; /* its port */
    struct world_arguments world;
    struct debugging_arguments debugging;
    struct tracing_arguments tracing;
    bool quiet, profile, no_report, same_scene;
};

static bool live_check(const struct run_arguments *arguments)
{
    if (arguments->bind && !arguments->live.given) {
        say_error("%s: --live-bind goes with --live", arguments->command);
        return false;
    }
    bool debugged = arguments->debugging.gdb.given || arguments->debugging.starts_gdb;
    if (arguments->live.given + debugged + !!arguments->tracing.unit > 1) {
        say_error("%s: --live, --gdb and --trace-pipeline all watch the run: one of them at a "
                  "time",
                  arguments->command);
        return false;
    }
    if (arguments->live.number > UINT16_MAX) {
        say_error("%s: --live %llu: ports are 1 to %d; without a number, a free one is taken",
                  arguments->command, (unsigned long long)arguments->live.number, UINT16_MAX);
        return false;
    }
    return true;
}

/* What a checkpoint has in it cannot be given again: it would be ignored. */
static bool resume_check(struct run_arguments *arguments)
{
    const struct option_row rows[] = { WORLD_ROWS(arguments->world), { 0 } };
    const char *given = arguments->program      ? "program"
                        : arguments->same_scene ? NULL
                        : arguments->pieces     ? "pieces"
                                                : options_given(rows);
    if (arguments->same_scene && !arguments->resume) {
        say_error("%s: --same-scene goes with --resume", arguments->command);
        return false;
    }
    if (arguments->resume && given)
        say_error("%s: --%s cannot change a checkpoint, which has its program and scene in it; "
                  "leave it out, or start from cycle 0 without --resume",
                  arguments->command, given);
    return !arguments->resume || !given;
}

static bool arguments_check(const struct command *self, struct run_arguments *arguments)
{
    if (arguments->rest.count > 1 && !arguments->program) {
        say_error(
            "%s: takes one architecture, not %u (arguments of a program need --program); usage: "
            "ogive %s %s",
            arguments->command, arguments->rest.count, self->name, self->usage);
        return false;
    }
    if (!arguments->rest.count && !arguments->resume) {
        say_error("%s: needs an architecture file or name; `ogive archs` lists the shipped ones",
                  arguments->command);
        return false;
    }
    if (!arguments->rest.count && arguments->machine.settings.count) {
        say_error("%s: --set cannot change a checkpoint; it resumes as it was", arguments->command);
        return false;
    }
    static const char *const kinds[] = { "chip", "all", NULL };
    u32 kind;
    if (arguments->series &&
        !word_read(arguments->command, "series", arguments->series, kinds, &kind))
        return false;
    u64 traced = arguments->trace_rays;
    if (traced != NUMBER_NONE && (!traced || traced > RAY_TRACES_MAX)) {
        say_error("%s: --trace-rays %llu: takes a number of rays, 1 to %d", arguments->command,
                  (unsigned long long)traced, RAY_TRACES_MAX);
        return false;
    }
    return live_check(arguments) && resume_check(arguments) &&
           machine_arguments_apply(&arguments->machine);
}

/* ---- The page of the run under way ---- */

/* Opens it if it is wanted, and says where it is. The exit code if it cannot be. */
static int live_begin(const struct run_arguments *arguments, struct live **live)
{
    struct live_options options = { arguments->bind, (u16)arguments->live.number };
    struct ogv_error error;
    *live = NULL;
    if (!arguments->live.given)
        return EXIT_GOOD;
    *live = live_open(&options, &error);
    if (!*live)
        return fail(&error);
    fprintf(stderr, "live    %s\n", live_url(*live));
    return EXIT_GOOD;
}

static void live_end(struct live *live, const char *folder, bool reported)
{
    if (!live)
        return;
    char *report = folder ? text_format(reported ? "%s/report.html" : "%s", folder) : NULL;
    live_finish(live, report);
    free(report);
    live_close(live);
}

static int run_with(const struct run_arguments *arguments, const struct pieces *pieces)
{
    struct world_options world;
    struct camera view;
    struct run_telling telling = { .quiet = arguments->quiet };
    if (!world_arguments_read(arguments->command, &arguments->world, &world, &view) ||
        !progress_read(arguments->command, arguments->progress, &telling.progress))
        return EXIT_USER;
    struct run_options options = {
        .arch = arguments->rest.count ? arguments->rest.items[0] : NULL,
        .settings = arguments->machine.settings.items,
        .setting_count = arguments->machine.settings.count,
        .out = arguments->out,
        .program = arguments->program,
        .arguments = arguments->rest.count > 1 ? &arguments->rest.items[1] : NULL,
        .argument_count = arguments->rest.count > 1 ? arguments->rest.count - 1 : 0,
        .pieces = pieces,
        .resume = arguments->resume,
        .same_scene = arguments->same_scene,
        .world = &world,
        .world_given = world_arguments_given(&arguments->world),
        .sim = { .threads = (u32)arguments->threads, .watchdog = arguments->watchdog },
        .profile = arguments->profile,
        .trace_rays = arguments->trace_rays == NUMBER_NONE ? 0 : arguments->trace_rays,
        .interval = arguments->interval,
        .every_unit = arguments->series && !strcmp(arguments->series, "all"),
        .stop_after = arguments->stop_after ? arguments->stop_after : NEVER,
    };
    if (arguments->checkpoint_every &&
        !checkpoints_read(arguments->command, arguments->checkpoint_every,
                          &options.checkpoint_cycles, &options.checkpoint_seconds))
        return EXIT_USER;
    struct live *live;
    int code = live_begin(arguments, &live);
    if (code != EXIT_GOOD)
        return code;
    struct debugging *debugging;
    code = debugging_begin(&arguments->debugging, arguments->command, &debugging);
    struct pipeline *pipeline = NULL;
    if (code != EXIT_GOOD || !tracing_begin(&arguments->tracing, arguments->command, &pipeline)) {
        debugging_end(debugging);
        live_end(live, NULL, false);
        return code != EXIT_GOOD ? code : EXIT_USER;
    }
    struct run_watcher watcher = { 0 };
    if (live || pipeline)
        watcher = live ? live_watcher(live) : pipeline_watcher(pipeline);
    telling.watcher = live || pipeline ? &watcher : debugging_watcher(debugging);
    char *folder = NULL;
    code = run_and_tell(&options, &telling, &folder);
    debugging_end(debugging);
    code = tracing_end(pipeline, code, folder);
    bool wanted = folder && !arguments->no_report;
    bool reported = wanted && report_of_run(folder, arguments->quiet);
    if (wanted && !reported && code == EXIT_GOOD)
        code = EXIT_SYSTEM;
    live_end(live, folder, reported);
    free(folder);
    return code;
}

/* With the pieces that were chosen, if any. */
static int run_chosen(const struct run_arguments *arguments)
{
    struct pieces pieces;
    struct ogv_error error;
    if (!arguments->pieces)
        return run_with(arguments, NULL);
    if (!pieces_read(arguments->pieces, &pieces, &error))
        return fail(&error);
    int code = run_with(arguments, &pieces);
    pieces_fini(&pieces);
    return code;
}

int run_command(const struct command *self, int argc, char **argv, enum run_debugged debugged)
{
    struct run_arguments arguments = { .command = self->name,
                                       .interval = INTERVAL_DEFAULT,
                                       .trace_rays = NUMBER_NONE,
                                       .watchdog = WATCHDOG_DEFAULT,
                                       .world = WORLD_ARGUMENTS_NONE };
    const struct option_row rows[] = {
        MACHINE_ROWS(arguments.machine),
        THREADS_ROW(arguments.threads),
        { 'o', "out", "DIR", "folder for the results (default: results/NAME)", OPTION_TEXT,
          &arguments.out },
        { 0, "program", "NAME|FILE",
          "run this on the cores: a shipped program, C or C++ source, or ELF", OPTION_TEXT,
          &arguments.program },
        { 0, "pieces", "FILE",
          "do only these pieces of the work, by their numbers: pixels in the order in which they "
          "are "
          "drawn",
          OPTION_TEXT, &arguments.pieces },
        WORLD_ROWS(arguments.world),
        { 0, "profile", NULL, "count where the program spends its cycles (see `ogive profile`)",
          OPTION_FLAG, &arguments.profile },
        { 0, "trace-rays", "N",
          "keep what N rays of the RT cores waited for, step by step: ray_traces.json, trace.json",
          OPTION_NUMBER, &arguments.trace_rays },
        { 0, "interval", "CYCLES", "length of a line of series.csv (default: 10000; 0: none)",
          OPTION_NUMBER, &arguments.interval },
        { 0, "series", "chip|all", "all: also keep the intervals of every single unit", OPTION_TEXT,
          &arguments.series },
        { 0, "stop-after", "CYCLES", "stop at this cycle (default: when the work is done)",
          OPTION_NUMBER, &arguments.stop_after },
        { 0, "checkpoint-every", "N|Ns", "keep a checkpoint every N cycles or N seconds",
          OPTION_TEXT, &arguments.checkpoint_every },
        { 0, "resume", "FILE", "go on from a checkpoint", OPTION_TEXT, &arguments.resume },
        { 0, "same-scene", NULL,
          "with --resume: its scene is what the options say, and the hits are judged", OPTION_FLAG,
          &arguments.same_scene },
        { 0, "watchdog", "CYCLES",
          "give up after this long without progress (default: 10000000; "
          "0: never)",
          OPTION_NUMBER, &arguments.watchdog },
        { 0, "no-report", NULL, "do not make report.html", OPTION_FLAG, &arguments.no_report },
        { 0, "live", "[PORT]", "serve a page that shows and steers the run (default: a free port)",
          OPTION_MAYBE, &arguments.live },
        { 0, "live-bind", "ADDRESS",
          "let others than this machine see it: the address to listen at (0.0.0.0: all)",
          OPTION_TEXT, &arguments.bind },
        DEBUGGING_ROWS(arguments.debugging),
        TRACING_ROWS(arguments.tracing),
        PROGRESS_ROW(arguments.progress),
        { 0, "quiet", NULL, "print nothing but errors", OPTION_FLAG, &arguments.quiet },
        { 0, debugged ? "script" : NULL, "FILE", "let gdb execute these commands, then end",
          OPTION_TEXT, &arguments.debugging.script },
        { 0 },
    };
    int code;
    arguments.debugging.starts_gdb = debugged != RUN_PLAIN;
    arguments.debugging.to_end = debugged == RUN_DEBUGGED_FROM_END;
    arguments.no_report = debugged != RUN_PLAIN;
    if (debugged != RUN_PLAIN)
        arguments.progress = "none";
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments_check(self, &arguments) ? run_chosen(&arguments) : EXIT_USER;
    machine_arguments_fini(&arguments.machine);
    list_fini(&arguments.rest);
    return code;
}

static int run_main(const struct command *self, int argc, char **argv)
{
    return run_command(self, argc, argv, RUN_PLAIN);
}

const struct command command_run = {
    .name = "run",
    .usage = "ARCH [options] [-- program arguments]",
    .summary = "Simulate an architecture and keep what it did in a folder.",
    .details =
        "ARCH is an architecture file or the name of a shipped one (see `ogive archs`).\n"
        "Examples:\n"
        "  ogive run exchange\n"
        "  ogive run exchange --set node.source.messages=5000 --threads 2 --out results/more\n"
        "  ogive run tiny --program mandelbrot -- 64 64\n"
        "  ogive run rtx2080\n"
        "  ogive run rtx2080 --scene my.ply --program occlusion --samples 8\n"
        "  ogive run rtx2080 --scene my.ply --rays secondary\n"
        "An architecture with RT cores draws the scene `arcade` by path tracing unless told "
        "otherwise;\n"
        "with --rays it traces rays that were made beforehand and compares the hits with "
        "Embree's.\n"
        "  ogive run --resume results/more/checkpoint.ogv\n"
        "  ogive run rtx2080 --live         (a page that shows and steers the run)\n"
        "  ogive run tiny --program mandelbrot --gdb     (waits for gdb; see `ogive debug`)\n"
        "SIGUSR1 prints how far it is and writes stats.json as of now; Ctrl-C keeps the results.\n"
        "`ogive help` explains the exit codes.\n",
    .function = run_main,
};
