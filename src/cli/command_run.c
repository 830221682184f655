/* command_run.c - `ogive run`. */
#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/reporting.h"
#include "cli/running.h"
#include "cli/values.h"
#include "cli/world_options.h"
#include "run/lives.h"

#define THREADS_MAX 1024

struct run_arguments {
    struct text_list settings, rest;
    u64 threads, interval, stop_after, watchdog;
    u64 trace_rays; /* UINT64_MAX: not given */
    const char *out, *program, *resume, *checkpoint_every, *series;
    struct world_arguments world;
    bool quiet, profile, no_report;
};

static void on_signal(int number)
{
    (void)number;
    run_interrupt();
}

/* The first signal asks the run to end; a second one ends the process as usual. */
static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* "50000", "50000 cycles" or "30 s". */
static bool read_checkpoint_every(const char *text, struct run_options *options)
{
    char *end;
    double value = strtod(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    bool seconds = !strcmp(end, "s") || !strcmp(end, "seconds");
    bool cycles = !*end || !strcmp(end, "cycles");
    if (value > 0 && value < 1e15 && seconds) {
        options->checkpoint_seconds = value;
        return true;
    }
    if (value >= 1 && value < 1e15 && cycles) {
        options->checkpoint_cycles = (cycle)value;
        return true;
    }
    say_error("run: --checkpoint-every %s: write cycles as in '50000' or a time as in '30s'", text);
    return false;
}

static bool arguments_check(const struct command *self, const struct run_arguments *arguments)
{
    if (arguments->rest.count > 1 && !arguments->program) {
        say_error(
            "run: takes one architecture, not %u (arguments of a program need --program); usage: "
            "ogive run %s",
            arguments->rest.count, self->usage);
        return false;
    }
    if (!arguments->rest.count && !arguments->resume) {
        say_error("run: needs an architecture file or name; `ogive archs` lists the shipped ones");
        return false;
    }
    if (!arguments->rest.count && arguments->settings.count) {
        say_error("run: --set cannot change a checkpoint; it resumes as it was");
        return false;
    }
    const char *series = arguments->series;
    if (series && strcmp(series, "all") && strcmp(series, "chip")) {
        say_error("run: --series %s: there are chip (groups of units) and all (every unit too)",
                  series);
        return false;
    }
    u64 traced = arguments->trace_rays;
    if (traced != UINT64_MAX && (!traced || traced > LIVES_MAX)) {
        say_error("run: --trace-rays %llu: takes a number of rays, 1 to %d",
                  (unsigned long long)traced, LIVES_MAX);
        return false;
    }
    if (arguments->threads > THREADS_MAX) {
        say_error("run: --threads %llu: at most %d", (unsigned long long)arguments->threads,
                  THREADS_MAX);
        return false;
    }
    return true;
}

/* What is left out makes energy larger, and rays for it fewer. */
static void print_energy(const struct run_result *result)
{
    const struct energy_total *total = &result->energy;
    char energy[32], power[32];
    double joules = total->use.events + total->use.leakage;
    bool lacking = total->use.lacking;
    if (!total->use.known) {
        printf("energy  not known; `ogive energy %s` says of what\n", result->folder);
        return;
    }
    si_write(energy, sizeof energy, joules, "J");
    si_write(power, sizeof power, total->seconds > 0 ? joules / total->seconds : NAN, "W");
    printf("energy  %s%s, %s", lacking ? "at least " : "", energy, power);
    if (result->figures.rays && joules > 0)
        printf("; %s%.4g Mrays/J", lacking ? "at most " : "",
               (double)result->figures.rays / joules / 1e6);
    if (lacking)
        printf("; `ogive energy %s` says what is missing", result->folder);
    printf("\n");
}

static void print_result(const struct run_result *result)
{
    char cycles[32], rate[32];
    double per_second =
        result->wall_seconds > 0 ? (double)result->cycles / result->wall_seconds : 0;
    write_large(cycles, sizeof cycles, (double)result->cycles);
    write_large(rate, sizeof rate, per_second);
    if (result->console && *result->console)
        fputs(result->console, stdout);
    if (result->instructions)
        printf("%llu instructions, %.2f million per second; exit code %llu\n",
               (unsigned long long)result->instructions,
               result->wall_seconds > 0 ? (double)result->instructions / result->wall_seconds / 1e6
                                        : 0,
               (unsigned long long)result->exit_code);
    if (result->figures.rays)
        printf("%llu rays, %.1f Mrays/s\n", (unsigned long long)result->figures.rays,
               result->figures.mrays_per_s);
    if (result->judged)
        printf("hits equal to Embree's, but for rounding at %llu ties and %llu edges\n",
               (unsigned long long)result->ties, (unsigned long long)result->edges);
    print_energy(result);
    if (result->image)
        printf("image   %s\n", result->image);
    if (result->heatmap)
        printf("heatmap %s\n", result->heatmap);
    printf("%s: %llu cycles in %.2f s (%s cycles/s)\ndigest  %s\nresults %s\n",
           run_status_name(result->status), (unsigned long long)result->cycles,
           result->wall_seconds, rate, result->digest, result->folder);
}

static int exit_code_of(const struct run_result *result)
{
    switch (result->status) {
    case RUN_FAULT:
    case RUN_WRONG:
        return EXIT_PROGRAM;
    case RUN_INTERRUPTED:
        return EXIT_INTERRUPT;
    case RUN_DEADLOCK:
    case RUN_LIVELOCK:
        return EXIT_HANG;
    default:
        return result->exit_code ? EXIT_PROGRAM : EXIT_GOOD;
    }
}

int run_and_tell(const struct run_options *options, bool quiet, char **folder)
{
    struct progress progress = { 0 };
    struct run_listener listener = { 0 };
    if (!quiet)
        listener = progress_listener(&progress);
    struct run_result result;
    struct ogv_error error;
    catch_signals();
    bool good = run_execute(options, &listener, &result, &error);
    progress_clear(&progress);
    int code = good ? exit_code_of(&result) : fail(&error);
    if (good && error.kind && quiet)
        say_error("%s", error.message);
    if (good && !quiet)
        print_result(&result);
    if (good && folder)
        *folder = result.folder;
    else
        free(result.folder);
    free(result.console);
    free(result.image);
    free(result.heatmap);
    return code;
}

static int run_with(const struct run_arguments *arguments)
{
    struct world_options world;
    struct camera view;
    if (!world_arguments_read("run", &arguments->world, &world, &view))
        return EXIT_USER;
    struct run_options options = {
        .arch = arguments->rest.count ? arguments->rest.items[0] : NULL,
        .settings = arguments->settings.items,
        .setting_count = arguments->settings.count,
        .out = arguments->out,
        .program = arguments->program,
        .arguments = arguments->rest.count > 1 ? &arguments->rest.items[1] : NULL,
        .argument_count = arguments->rest.count > 1 ? arguments->rest.count - 1 : 0,
        .resume = arguments->resume,
        .world = &world,
        .world_given = world_arguments_given(&arguments->world),
        .sim = { .threads = (u32)arguments->threads, .watchdog = arguments->watchdog },
        .profile = arguments->profile,
        .trace_rays = arguments->trace_rays == UINT64_MAX ? 0 : arguments->trace_rays,
        .interval = arguments->interval,
        .every_unit = arguments->series && !strcmp(arguments->series, "all"),
        .stop_after = arguments->stop_after ? arguments->stop_after : NEVER,
    };
    if (arguments->checkpoint_every &&
        !read_checkpoint_every(arguments->checkpoint_every, &options))
        return EXIT_USER;
    char *folder = NULL;
    int code = run_and_tell(&options, arguments->quiet, &folder);
    if (folder && !arguments->no_report)
        report_of_run(folder, arguments->quiet);
    free(folder);
    return code;
}

int command_run(const struct command *self, int argc, char **argv)
{
    struct run_arguments arguments = { .interval = INTERVAL_DEFAULT,
                                       .trace_rays = UINT64_MAX,
                                       .watchdog = WATCHDOG_DEFAULT,
                                       .world = WORLD_ARGUMENTS_DEFAULT };
    const struct option_row rows[] = {
        { 0, "set", "PATH=VALUE", "change a parameter, a count or a clock; may be repeated",
          OPTION_LIST, &arguments.settings },
        { 0, "threads", "N", "host threads (default: all cores); never changes a result",
          OPTION_NUMBER, &arguments.threads },
        { 'o', "out", "DIR", "folder for the results (default: results/NAME)", OPTION_TEXT,
          &arguments.out },
        { 0, "program", "NAME|FILE",
          "run this on the cores: a shipped program, C or C++ source, or ELF", OPTION_TEXT,
          &arguments.program },
        WORLD_ROWS(arguments.world),
        { 0, "profile", NULL, "count where the program spends its cycles (see `ogive profile`)",
          OPTION_FLAG, &arguments.profile },
        { 0, "trace-rays", "N",
          "keep what N rays of the RT cores waited for, step by step: ray_lives.json, trace.json",
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
        { 0, "watchdog", "CYCLES",
          "give up after this long without progress (default: 10000000; "
          "0: never)",
          OPTION_NUMBER, &arguments.watchdog },
        { 0, "no-report", NULL, "do not make report.html", OPTION_FLAG, &arguments.no_report },
        { 0, "quiet", NULL, "print nothing but errors", OPTION_FLAG, &arguments.quiet },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments_check(self, &arguments) ? run_with(&arguments) : EXIT_USER;
    list_fini(&arguments.settings);
    list_fini(&arguments.rest);
    return code;
}
