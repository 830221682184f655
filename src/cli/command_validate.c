/* command_validate.c - `ogive validate`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/available.h"
#include "base/file.h"
#include "base/jobs.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/silicon.h"
#include "cli/values.h"
#include "run/validate.h"

struct validate_arguments {
    struct text_list rest;
    struct machine_arguments machine;
    const char *scene, *meshes, *out, *size, *progress, *reference, *json;
    enum progress_style style; /* as `progress` has it */
    u64 threads, jobs;
};

static const char *const figure_titles[FIGURES] = { "Mrays/s", "L2 hit rate, %", "L2 bandwidth, %",
                                                    "DRAM bandwidth, %" };

/* One line per figure and kind of ray, as Markdown, which reads well as it is. */
static void table_begin(const struct validation *validation, struct text *out)
{
    text_add(out, "%s beside the machine that it models (%s).\n\n", validation->machine,
             validation->source);
}

static void scene_begin(const struct validation *validation, const struct validation_scene *scene,
                        struct text *out)
{
    text_add(out, "### %s\n\n", scene->title);
    if (scene->note)
        text_add(out, "Note: %s.\n\n", scene->note);
    text_add(out, "| rays | figure | %s | %s | ratio | Ogive | ratio | closer |\n",
             validation->real, validation->other);
    text_add(out, "|---|---|--:|--:|--:|--:|--:|---|\n");
}

struct score {
    u32 figures, closer;
};

static void row_add(const struct validation *validation, const struct validation_scene *scene,
                    u32 kind, u32 figure, double value, struct score *score, struct text *out)
{
    double real = scene->real[kind][figure], other = scene->other[kind][figure];
    bool closer = fabs(value - real) < fabs(other - real);
    score->figures++;
    score->closer += closer;
    text_add(out, "| %s | %s | %.*f | %.*f | %.2f | %.*f | %.2f | %s |\n",
             validation_kind_names[kind], figure_titles[figure], figure ? 1 : 0, real,
             figure ? 1 : 0, other, other / real, figure ? 1 : 0, value, value / real,
             closer ? "Ogive" : validation->other);
}

static bool kind_run(const struct validate_arguments *arguments,
                     const struct validation *validation, const struct validation_scene *scene,
                     const char *mesh, u32 kind, double figures[FIGURES], struct ogv_error *error)
{
    struct world_options world = {
        .scene = mesh,
        .view = &scene->view,
        .traced = true,
        .rays = (enum ray_kind)kind,
        .width = validation->width,
        .height = validation->height,
        .samples = 1,
        .seed = 1,
    };
    if (arguments->size &&
        !pixels_read(arguments->size, 1, PIXELS_MAX, &world.width, &world.height, error))
        return false;
    char *out = text_format("%s/%s-%s", arguments->out, scene->name, validation_kind_names[kind]);
    struct run_options options = {
        .arch = validation->machine,
        .settings = arguments->machine.settings.items,
        .setting_count = arguments->machine.settings.count,
        .out = out,
        .world = &world,
        .world_given = true,
        .sim = { .threads = (u32)arguments->threads, .watchdog = 10000000 },
        .stop_after = NEVER,
    };
    struct progress progress;
    progress_init(&progress, arguments->style, false);
    struct run_listener listener = progress_listener(&progress);
    struct run_result result;
    bool good = run_execute(&options, &listener, &result, error);
    progress_fini(&progress);
    if (good && result.status != RUN_FINISHED)
        good =
            error->kind ? false : error_user(error, "%s: %s", out, run_status_name(result.status));
    if (good && result.unwritten)
        good = error_system(error, "%s: not all of its files could be written", out);
    validation_figures(&result, figures);
    free(result.folder);
    free(result.console);
    free(result.image);
    free(out);
    return good;
}

static bool scene_validate(const struct validate_arguments *arguments,
                           const struct validation *validation,
                           const struct validation_scene *scene, struct score *score,
                           struct text *out, struct ogv_error *error)
{
    char *mesh = validation_mesh(scene, arguments->meshes, error);
    bool good = mesh;
    size_t shown = out->length;
    scene_begin(validation, scene, out);
    for (u32 kind = 0; good && kind < VALIDATION_KINDS; kind++) {
        double figures[FIGURES];
        good = kind_run(arguments, validation, scene, mesh, kind, figures, error);
        for (u32 figure = 0; good && figure < FIGURES; figure++)
            row_add(validation, scene, kind, figure, figures[figure], score, out);
        fputs(text_get(out) + shown, stdout);
        fflush(stdout);
        shown = out->length;
    }
    free(mesh);
    return good;
}

static int validate_all(const struct validate_arguments *arguments,
                        const struct validation *validation)
{
    struct ogv_error error;
    struct text out = { 0 };
    struct score score = { 0 };
    const struct validation_scene *only =
        arguments->scene ? validation_scene(validation, arguments->scene, &error) : NULL;
    if (arguments->scene && !only)
        return fail(&error);
    signals_catch();
    table_begin(validation, &out);
    bool good = true;
    for (u32 i = 0; good && i < validation->scene_count; i++)
        if (!only || only == &validation->scenes[i])
            good =
                scene_validate(arguments, validation, &validation->scenes[i], &score, &out, &error);
    text_add(&out, "\nCloser to the %s than %s: %u of %u figures.\n", validation->real,
             validation->other, score.closer, score.figures);
    char *path = text_format("%s/validation.md", arguments->out);
    good = good && file_write(path, text_get(&out), out.length, &error);
    if (good)
        printf("\nCloser to the %s than %s: %u of %u figures.\nresults %s\n", validation->real,
               validation->other, score.closer, score.figures, path);
    free(path);
    text_fini(&out);
    return good ? EXIT_GOOD : fail(&error);
}

#define CHIP_BYTES (3 * GiB) /* more than a whole one takes, as `ogive check h200` says */

/* A machine whose card was measured. Rows that run at once have a thread each, unless more are
 * asked for. */
static int validate_silicon(const struct validate_arguments *arguments, const char *machine)
{
    u32 room = (u32)max_u64(1, min_u64(memory_available() / CHIP_BYTES, THREADS_MAX));
    u32 jobs = arguments->jobs ? (u32)arguments->jobs : (u32)min_u64(jobs_most(), room);
    bool alone = arguments->threads == 0 && jobs > 1;
    struct silicon_validation validation = {
        .machine = { .arch = machine,
                     .settings = arguments->machine.settings.items,
                     .setting_count = arguments->machine.settings.count,
                     .threads = alone ? 1 : (u32)arguments->threads,
                     .folder = arguments->out },
        .jobs = jobs,
        .reference = arguments->reference,
        .json = arguments->json,
        .style = arguments->style,
    };
    return silicon_validate(&validation);
}

/* Of options that only the other kind of comparison has a use for, the first that was given. */
static const char *option_useless(const struct validate_arguments *arguments, bool silicon)
{
    const struct {
        bool silicon, given;
        const char *name;
    } rows[] = {
        { true, arguments->reference, "--reference" }, { true, arguments->json, "--json" },
        { true, arguments->jobs, "--jobs" },           { false, arguments->scene, "--scene" },
        { false, arguments->meshes, "--meshes" },      { false, arguments->size, "--size" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && rows[i].silicon != silicon)
            return rows[i].name;
    return NULL;
}

static int validate_machine(struct validate_arguments *arguments, const char *machine)
{
    struct ogv_error error;
    bool silicon = !strcmp(machine, SILICON_MACHINE);
    const struct validation *validation = silicon ? NULL : validation_find(machine, &error);
    if (!silicon && !validation)
        return fail(&error);
    const char *useless = option_useless(arguments, silicon);
    if (useless) {
        say_error("validate: %s is for %s, not for %s", useless,
                  silicon ? "machines with published rays" : SILICON_MACHINE, machine);
        return EXIT_USER;
    }
    if (silicon)
        return validate_silicon(arguments, machine);
    const char *folder = getenv("OGIVE_MESHES");
    if (!arguments->meshes)
        arguments->meshes = folder ? folder : "meshes";
    return validate_all(arguments, validation);
}

static int validate_main(const struct command *self, int argc, char **argv)
{
    struct validate_arguments arguments = { .out = "results/validation" };
    const struct option_row rows[] = {
        { 0, "scene", "NAME", "only this one (default: all that are published)", OPTION_TEXT,
          &arguments.scene },
        { 0, "meshes", "DIR",
          "folder with the meshes, packed (.xz) or not (default: $OGIVE_MESHES, or meshes)",
          OPTION_TEXT, &arguments.meshes },
        { 0, "size", "WxH", "of the image (default: as published)", OPTION_TEXT, &arguments.size },
        MACHINE_ROWS(arguments.machine),
        THREADS_ROW(arguments.threads),
        { 'o', "out", "DIR", "folder for the results (default: results/validation)", OPTION_TEXT,
          &arguments.out },
        { 0, "reference", "FILE", "h200: rows measured on a card (default: the shipped ones)",
          OPTION_TEXT, &arguments.reference },
        { 0, "json", "FILE", "h200: write all rows there", OPTION_TEXT, &arguments.json },
        { 0, "jobs", "N",
          "h200: rows that run at once (default, and 0: as many as processors and memory allow)",
          OPTION_THREADS, &arguments.jobs },
        PROGRESS_ROW(arguments.progress),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code)) {
        const char *machine = arguments.rest.count ? arguments.rest.items[0] : "rtx2080";
        if (!progress_read("validate", arguments.progress, &arguments.style) ||
            !machine_arguments_apply(&arguments.machine))
            code = EXIT_USER;
        else
            code = validate_machine(&arguments, machine);
    }
    machine_arguments_fini(&arguments.machine);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_validate = {
    .name = "validate",
    .usage = "[MACHINE] [--meshes DIR] [--reference FILE]",
    .summary = "Compare a simulated machine with what was measured on the real one.",
    .details =
        "Traces the published rays of each published scene and prints, per figure, the real "
        "machine,\n"
        "the other simulator of the publication, and Ogive. The meshes are not part of Ogive.\n"
        "For h200 it runs microbenchmarks and kernels instead and prints, row by row, the card "
        "and\n"
        "Ogive. A reference of your own has the columns group, name, parameter, value, unit, or is "
        "a\n"
        "table of launches with Nsight Compute's counters, whose first column is `kernel`.\n",
    .function = validate_main,
};
