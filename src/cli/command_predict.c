/* command_predict.c - `ogive predict`: a frame's figures from a part of it. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/available.h"
#include "base/error.h"
#include "base/jobs.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/values.h"
#include "cli/world_options.h"
#include "report/prediction.h"

#define FACTOR_MAX  4096
#define REPEATS_MAX 64
#define TURNS_MAX   1024
#define CHIP_BYTES  (1 * GiB) /* of a part with its scene, with room to spare */

struct predict_arguments {
    struct text_list rest; /* the machine, and arguments of the program */
    struct machine_arguments machine;
    struct world_arguments world;
    const char *out, *program, *method, *division, *distribution, *extrapolation, *progress;
    const char *share, *counted, *capacity, *error, *budget, *against;
    u64 threads, jobs, factor, repeats, turns, seed;
    bool evaluate, quiet, alone;
};

/* ---- Values ---- */

/* "10%", "0.1"; above 0, up to 1. */
static bool share_read(const char *option, const char *text, double *share)
{
    char *end;
    if (!text)
        return true;
    double value = strtod(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    bool percent = *end == '%';
    *share = percent ? value / 100 : value;
    if (end != text && !end[percent] && *share > 0 && *share <= 1)
        return true;
    say_error("predict: --%s %s: takes a share above 0 and up to 100%%, as 10%% or 0.1", option,
              text);
    return false;
}

/* "90", "90s", "2min", "1h". */
static bool budget_read(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "min", 60 }, { "h", 3600 } };
    char *end;
    if (!text)
        return true;
    double value = strtod(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    for (u32 i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && !strcmp(end, units[i].name) && value > 0 && value < 1e9) {
            *seconds = value * units[i].seconds;
            return true;
        }
    say_error("predict: --budget %s: takes a time, as 90s, 2min or 1h", text);
    return false;
}

static bool word_take(const char *option, const char *text, const char *const *words, u32 *number)
{
    return !text || word_read("predict", option, text, words, number);
}

static bool method_read(const struct predict_arguments *arguments, struct method *method)
{
    struct ogv_error error;
    const struct method *found = method_find(arguments->method, &error);
    if (!found) {
        say_error("predict: --method: %s", error.message);
        return false;
    }
    *method = *found;
    u32 division = method->division, distribution = method->distribution,
        extrapolation = method->extrapolation;
    bool good =
        word_take("division", arguments->division, division_names, &division) &&
        word_take("choice", arguments->distribution, distribution_names, &distribution) &&
        word_take("extrapolation", arguments->extrapolation, extrapolation_names, &extrapolation);
    method->division = (enum division)division;
    method->distribution = (enum distribution)distribution;
    method->extrapolation = (enum extrapolation)extrapolation;
    return good;
}

static bool options_read(const struct predict_arguments *arguments, struct predict_options *options)
{
    bool good = method_read(arguments, &options->method) &&
                share_read("share", arguments->share, &options->share) &&
                share_read("counted", arguments->counted, &options->counted) &&
                share_read("capacity", arguments->capacity, &options->capacity) &&
                share_read("error", arguments->error, &options->error) &&
                budget_read(arguments->budget, &options->budget_seconds) &&
                (arguments->factor == NUMBER_NONE ||
                 number_within("predict", "parts", arguments->factor, 1, FACTOR_MAX)) &&
                number_within("predict", "repeats", arguments->repeats, 1, REPEATS_MAX) &&
                number_within("predict", "turns", arguments->turns, 1, TURNS_MAX);
    u32 room = (u32)max_u64(1, min_u64(memory_available() / CHIP_BYTES, THREADS_MAX));
    options->jobs = arguments->jobs ? (u32)arguments->jobs : (u32)min_u64(jobs_most(), room);
    options->factor = arguments->factor == NUMBER_NONE ? 0 : (u32)arguments->factor;
    options->repeats = (u32)arguments->repeats;
    options->turns = (u32)arguments->turns;
    options->alone = arguments->alone;
    options->seed = arguments->seed;
    options->threads = (u32)arguments->threads;
    options->out = arguments->out;
    return good;
}

/* ---- Words ---- */

struct telling {
    struct progress_task task;
    enum progress_style style;
};

static void task_begin(void *context, const char *what)
{
    struct telling *telling = context;
    progress_clear(&telling->task.line);
    telling->task = progress_task(what, telling->style);
}

static void task_progress(void *context, double done)
{
    struct telling *telling = context;
    progress_task_show(&telling->task, done);
}

static void how_show(const struct prediction *prediction)
{
    printf("%llu of %llu pieces of work (%.3g%%) in %u run%s on 1/%.4g of the machine; "
           "%.2f s of the processor\n",
           (unsigned long long)prediction->simulated, (unsigned long long)prediction->pieces,
           100 * (double)prediction->simulated / (double)prediction->pieces, prediction->runs.count,
           prediction->runs.count == 1 ? "" : "s", prediction->machine, prediction->work_seconds);
    if (!prediction->filled && !prediction->exact)
        say_error(
            "predict: the part was never full: its threads had no more pieces to do before their "
            "first were done, so that the figures may be far off; take a larger share, or "
            "more parts");
}

static void figures_show(const struct prediction *prediction, const struct evaluation *evaluation)
{
    const struct whole *whole = &prediction->whole;
    printf("%-24s %14s %30s", "", "predicted", "95% interval");
    printf(evaluation ? " %14s %8s\n" : "\n", "true", "error");
    for (u32 i = 0; i < whole->summary; i++) {
        double value = prediction->values[i];
        if (!isfinite(value))
            continue;
        printf("%-24s %14.6g %14.6g - %13.6g", whole->names[i], value, prediction->low[i],
               prediction->high[i]);
        if (evaluation && isfinite(evaluation->truth[i]))
            printf(" %14.6g %7.2f%%", evaluation->truth[i],
                   100 * figure_error(value, evaluation->truth[i]));
        printf("\n");
    }
    if (evaluation)
        printf("speed-up %.1fx in time of the processor, %.1fx in wall time\n",
               evaluation->speedup_processor_time, evaluation->speedup_wall_time);
}

/* ---- The command ---- */

static int prediction_tell(const struct predict_arguments *arguments,
                           const struct predict_options *options,
                           const struct prediction *prediction, struct telling *telling)
{
    struct ogv_error error;
    struct evaluation evaluation = { 0 };
    char *folder = arguments->against ? heap_copy(arguments->against) : NULL;
    bool wanted = arguments->evaluate || folder;
    if (wanted && !folder)
        folder = prediction_whole(options, prediction, &error);
    progress_clear(&telling->task.line);
    bool good = !wanted || (folder && prediction_evaluate(prediction, folder, &evaluation, &error));
    good = good && prediction_page(prediction, wanted ? evaluation.truth : NULL, &error);
    if (good && !arguments->quiet) {
        how_show(prediction);
        figures_show(prediction, wanted ? &evaluation : NULL);
        printf("report  %s/report.html\nresults %s\n", prediction->folder, prediction->folder);
    }
    evaluation_fini(&evaluation);
    free(folder);
    return good ? EXIT_GOOD : fail(&error);
}

static int predict_with(const struct predict_arguments *arguments, const struct run_options *run,
                        enum progress_style style)
{
    struct telling telling = { .style = arguments->quiet ? PROGRESS_NONE : style };
    telling.task = progress_task("", telling.style);
    struct predict_options options = { .run = run,
                                       .listener = { task_begin, task_progress, NULL, &telling } };
    struct prediction prediction;
    struct ogv_error error;
    if (!options_read(arguments, &options))
        return EXIT_USER;
    signals_catch();
    bool good = predict(&options, &prediction, &error);
    progress_clear(&telling.task.line);
    int code = good ? prediction_tell(arguments, &options, &prediction, &telling) : fail(&error);
    if (good)
        prediction_fini(&prediction);
    return code;
}

static int predict_what(const struct predict_arguments *arguments)
{
    struct world_options world;
    struct camera view;
    enum progress_style style;
    if (!world_arguments_read("predict", &arguments->world, &world, &view) ||
        !progress_read("predict", arguments->progress, &style))
        return EXIT_USER;
    struct run_options run = {
        .arch = arguments->rest.items[0],
        .settings = arguments->machine.settings.items,
        .setting_count = arguments->machine.settings.count,
        .program = arguments->program,
        .arguments = arguments->rest.count > 1 ? &arguments->rest.items[1] : NULL,
        .argument_count = arguments->rest.count - 1,
        .world = &world,
        .world_given = world_arguments_given(&arguments->world),
    };
    return predict_with(arguments, &run, style);
}

static bool arguments_check(const struct command *self, const struct predict_arguments *arguments)
{
    if (arguments->rest.count == 1 || (arguments->rest.count && arguments->program))
        return true;
    say_error("predict: takes one architecture (arguments of a program need --program); usage: "
              "ogive predict %s",
              self->usage);
    return false;
}

static int predict_main(const struct command *self, int argc, char **argv)
{
    struct predict_arguments arguments = { .world = WORLD_ARGUMENTS_NONE,
                                           .method = methods[0].name,
                                           .factor = NUMBER_NONE,
                                           .repeats = 1,
                                           .turns = TURNS_USUAL,
                                           .seed = 1 };
    const struct option_row rows[] = {
        MACHINE_ROWS(arguments.machine),
        { 'o', "out", "DIR", "folder for the results (default: results/predict-METHOD-NAME)",
          OPTION_TEXT, &arguments.out },
        { 0, "share", "SHARE",
          "of the frame that a round simulates (default: all that falls to the part; zatel: by "
          "its rule)",
          OPTION_TEXT, &arguments.share },
        { 0, "error", "SHARE", "go on until other tiles would move cycles by no more", OPTION_TEXT,
          &arguments.error },
        { 0, "budget", "TIME", "go on until this time is used up, as 90s or 2min", OPTION_TEXT,
          &arguments.budget },
        { 0, "jobs", "N", "runs at a time (default, and 0: as many as processors and memory allow)",
          OPTION_THREADS, &arguments.jobs },
        { 0, "method", "NAME", "ogive, zatel (as printed) or zatel-code (as its public code)",
          OPTION_TEXT, &arguments.method },
        { 0, "parts", "K",
          "simulate on 1/K of the machine (default: on one SM beside all of the memory; where that "
          "cannot be, on the smallest part of whole SMs and channels; zatel: the greatest common "
          "divisor)",
          OPTION_NUMBER, &arguments.factor },
        { 0, "capacity", "SHARE",
          "of the caches that all SMs share, that the part keeps (default: the method's; zatel: "
          "the "
          "part's share)",
          OPTION_TEXT, &arguments.capacity },
        { 0, "alone", NULL,
          "on a part of the memory, too, which it has for itself: without what the rest of the "
          "machine asks for; faster, and farther off",
          OPTION_FLAG, &arguments.alone },
        { 0, "repeats", "N", "rounds, each with other tiles (default: 1)", OPTION_NUMBER,
          &arguments.repeats },
        { 0, "division", "KIND", "of the picture: blocks, fine or coarse", OPTION_TEXT,
          &arguments.division },
        { 0, "choice", "KIND", "of tiles: strata, uniform, linear or fifth", OPTION_TEXT,
          &arguments.distribution },
        { 0, "extrapolation", "KIND", "affine, linear or exponential (three shares)", OPTION_TEXT,
          &arguments.extrapolation },
        { 0, "turns", "N",
          "how many pieces each thread of the whole machine is taken to do (default: 6, and no "
          "less "
          "than 25% of the frame; 3 take half the time and are farther off)",
          OPTION_NUMBER, &arguments.turns },
        { 0, "counted", "SHARE",
          "of the frame that is counted, and that the whole machine is taken to do (default: what "
          "`--turns` says; alone: what can be simulated)",
          OPTION_TEXT, &arguments.counted },
        { 0, "choice-seed", "N", "of the choice of tiles (default: 1)", OPTION_NUMBER,
          &arguments.seed },
        { 0, "evaluate", NULL, "simulate the whole frame, too, and compare", OPTION_FLAG,
          &arguments.evaluate },
        { 0, "against", "DIR", "compare with this run of the whole frame", OPTION_TEXT,
          &arguments.against },
        THREADS_ROW(arguments.threads),
        { 0, "program", "NAME|FILE", "as of `ogive run`", OPTION_TEXT, &arguments.program },
        WORLD_ROWS(arguments.world),
        PROGRESS_ROW(arguments.progress),
        { 0, "quiet", NULL, "print nothing but errors", OPTION_FLAG, &arguments.quiet },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments_check(self, &arguments) && machine_arguments_apply(&arguments.machine)
                   ? predict_what(&arguments)
                   : EXIT_USER;
    machine_arguments_fini(&arguments.machine);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_predict = {
    .name = "predict",
    .usage = "ARCH [options of run] [--share 10%] [--error 3%] [--budget 2min] [--jobs N]",
    .summary = "Predict what a frame takes from a part of it, with error bars.",
    .details =
        "Counts what pixels take without simulating (`ogive cost`), makes a part of the machine\n"
        "(`ogive scale`), simulates some of the pixels there (`ogive run --pieces`), and extends\n"
        "every counter to the whole frame on the whole machine. stats.json is like that of a run,\n"
        "with a 95% interval for every figure. Interrupted, it goes on where it was when called "
        "again.\n"
        "Examples:\n"
        "  ogive predict rtx2080 --scene cornell --size 512x512 --samples 2\n"
        "  ogive predict rtx2080 --scene cornell --size 512x512 --samples 2 --turns 3\n"
        "  ogive predict rtx2060 --share 5% --error 3% --jobs 4\n"
        "  ogive predict mobile --method zatel --evaluate\n"
        "  ogive predict tiny --program mandelbrot --parts 2 -- 64 64\n",
    .function = predict_main,
};
