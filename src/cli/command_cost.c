/* command_cost.c - `ogive cost`: what each pixel of a frame takes, without simulating it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "base/wall.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/world_options.h"
#include "run/cost.h"
#include "run/pieces.h"

struct cost_arguments {
    struct text_list rest; /* the machine, and arguments of the program */
    struct machine_arguments machine;
    struct world_arguments world;
    const char *out, *program, *pieces, *progress;
    u64 threads;
    bool quiet;
};

static void note_show(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

/* ---- What is printed ---- */

static void sum_show(const struct cost *cost, double seconds)
{
    struct work sum = cost_sum(cost);
    double count = (double)cost->work.count;
    u64 most = 0;
    for (u64 i = 0; i < cost->work.count; i++)
        most = max_u64(most, work_steps(&cost->work.pieces[i]));
    printf("%llu %s, counted in %.2f s\n", (unsigned long long)cost->work.count,
           cost->pixels ? "pixels" : "pieces of work", seconds);
#define WORK_LINE(name, help)                                                              \
    printf("  %-13s %14llu %10.1f each   " help "\n", #name, (unsigned long long)sum.name, \
           (double)sum.name / count);
    FUNCTIONAL_WORK(WORK_LINE)
#undef WORK_LINE
    printf("  %-13s %14llu %10.1f each   instructions, nodes and blocks together; at most %llu\n",
           "steps", (unsigned long long)work_steps(&sum), (double)work_steps(&sum) / count,
           (unsigned long long)most);
}

static bool files_write(const struct cost *cost, const char *folder, struct ogv_error *error)
{
    char *table = text_format("%s/cost.csv", folder);
    char *picture = text_format("%s/cost.png", folder);
    bool good = folder_create(folder, error) && cost_write_table(cost, table, error) &&
                (!cost->pixels || cost_write_picture(cost, picture, error));
    if (good) {
        printf("table   %s\n", table);
        if (cost->pixels)
            printf("picture %s\n", picture);
    }
    free(table);
    free(picture);
    return good;
}

/* ---- The command ---- */

static int cost_of(ogv_system *system, const struct cost_options *options, const char *folder)
{
    struct ogv_error error;
    struct cost cost;
    double begun = wall_clock();
    if (!cost_count(system, options, &cost, &error))
        return fail(&error);
    sum_show(&cost, wall_clock() - begun);
    bool good = files_write(&cost, folder, &error);
    cost_fini(&cost);
    return good ? EXIT_GOOD : fail(&error);
}

static int cost_with(const struct cost_arguments *arguments, const struct pieces *pieces)
{
    struct world_options world;
    struct camera view;
    enum progress_style style;
    struct ogv_error error;
    if (!world_arguments_read("cost", &arguments->world, &world, &view) ||
        !progress_read("cost", arguments->progress, &style))
        return EXIT_USER;
    struct progress_task task = progress_task("counting", arguments->quiet ? PROGRESS_NONE : style);
    world.threads = (u32)arguments->threads;
    world.note = arguments->quiet ? NULL : note_show;
    struct cost_options options = {
        .program = arguments->program,
        .arguments = arguments->rest.count > 1 ? &arguments->rest.items[1] : NULL,
        .argument_count = arguments->rest.count - 1,
        .world = &world,
        .world_given = world_arguments_given(&arguments->world),
        .pieces = pieces,
        .threads = (u32)arguments->threads,
        .progress = progress_task_show,
        .context = &task,
    };
    signals_catch();
    ogv_arch *arch = arch_open(arguments->rest.items[0], &arguments->machine, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    int code = system ? cost_of(system, &options, arguments->out) : fail(&error);
    progress_clear(&task.line);
    ogv_system_destroy(system);
    ogv_arch_destroy(arch);
    return code;
}

/* With the pieces that were chosen, if any. */
static int cost_chosen(const struct cost_arguments *arguments)
{
    struct pieces pieces;
    struct ogv_error error;
    if (!arguments->pieces)
        return cost_with(arguments, NULL);
    if (!pieces_read(arguments->pieces, &pieces, &error))
        return fail(&error);
    int code = cost_with(arguments, &pieces);
    pieces_fini(&pieces);
    return code;
}

static bool arguments_check(const struct command *self, const struct cost_arguments *arguments)
{
    if (arguments->rest.count == 1 || (arguments->rest.count && arguments->program))
        return true;
    say_error("cost: takes one architecture (arguments of a program need --program); usage: ogive "
              "cost %s",
              self->usage);
    return false;
}

static int cost_main(const struct command *self, int argc, char **argv)
{
    struct cost_arguments arguments = { .out = "results/cost", .world = WORLD_ARGUMENTS_NONE };
    const struct option_row rows[] = {
        MACHINE_ROWS(arguments.machine),
        THREADS_ROW(arguments.threads),
        { 'o', "out", "DIR", "folder for cost.csv and cost.png (default: results/cost)",
          OPTION_TEXT, &arguments.out },
        { 0, "program", "NAME|FILE", "as of `ogive run`", OPTION_TEXT, &arguments.program },
        { 0, "pieces", "FILE", "count only these, as of `ogive run`", OPTION_TEXT,
          &arguments.pieces },
        WORLD_ROWS(arguments.world),
        PROGRESS_ROW(arguments.progress),
        { 0, "quiet", NULL, "no progress", OPTION_FLAG, &arguments.quiet },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments_check(self, &arguments) && machine_arguments_apply(&arguments.machine)
                   ? cost_chosen(&arguments)
                   : EXIT_USER;
    machine_arguments_fini(&arguments.machine);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_cost = {
    .name = "cost",
    .usage = "ARCH [options of run] [-- program arguments]",
    .summary = "Count what each pixel of a frame takes, without simulating the machine.",
    .details = "The program is executed on this machine, with all of its threads, as ARCH would "
               "run it: the\n"
               "same tree, the same rays. Counted are, for each pixel or piece of work (a number "
               "that ogv_next\n"
               "gave out), instructions of the program, and rays, nodes, blocks and triangles of "
               "RT cores: a\n"
               "table, and a picture from black (little) to white. No cycles: those depend on the "
               "machine.\n"
               "Examples:\n"
               "  ogive cost rtx2080 --size 64x64 -o results/map\n"
               "  ogive cost rtx2080 --scene cornell --rays secondary\n"
               "  ogive cost tiny --program mandelbrot -- 64 64\n",
    .function = cost_main,
};
