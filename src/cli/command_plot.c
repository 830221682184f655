/* command_plot.c - `ogive plot`: statistics over time as a figure. */
#include <stdio.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/values.h"
#include "report/plot.h"

#define PLOT_WIDTH  800
#define PLOT_HEIGHT 400
#define PLOT_LEAST  200
#define PLOT_MOST   10000

static int plot_with(const struct plot_options *options, const char *out)
{
    struct ogv_error error;
    struct text svg = { 0 };
    bool good =
        plot_draw(options, &svg, &error) && file_write(out, text_get(&svg), svg.length, &error);
    text_fini(&svg);
    if (good)
        printf("%s\n", out);
    return good ? EXIT_GOOD : fail(&error);
}

static bool plot_complete(const struct plot_options *options, const char *out,
                          const struct command *self)
{
    struct ogv_error error;
    if (!options->folder_count || !options->series == !options->traffic || !out) {
        say_error(
            "plot: needs a folder, either --series or --traffic, and -o; usage: ogive plot %s",
            self->usage);
        return false;
    }
    if (options->traffic && options->folder_count > 1) {
        say_error("plot: --traffic is of one folder");
        return false;
    }
    return output_check("plot: --out", out, ".svg", &error) || fail(&error) == EXIT_GOOD;
}

static int plot_main(const struct command *self, int argc, char **argv)
{
    struct text_list folders = { 0 };
    struct plot_options options = { .width = PLOT_WIDTH, .height = PLOT_HEIGHT };
    const char *size = NULL, *out = NULL;
    const struct option_row rows[] = {
        { 0, "series", "A,B", "columns of series.csv; brackets may be left out", OPTION_TEXT,
          &options.series },
        { 0, "traffic", NULL, "bytes of memory by purpose, over time", OPTION_FLAG,
          &options.traffic },
        { 0, "size", "WxH", "pixels (default: 800x400)", OPTION_TEXT, &size },
        { 'o', "out", "FILE.svg", "file for the figure", OPTION_TEXT, &out },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &folders, &code)) {
        options.folders = folders.items;
        options.folder_count = folders.count;
        struct ogv_error error;
        bool sized = !size || pixels_read(size, PLOT_LEAST, PLOT_MOST, &options.width,
                                          &options.height, &error);
        bool complete = plot_complete(&options, out, self);
        code = !complete ? EXIT_USER : sized ? plot_with(&options, out) : fail(&error);
    }
    list_fini(&folders);
    return code;
}

const struct command command_plot = {
    .name = "plot",
    .usage = "DIR [DIR...] --series A,B -o fig.svg | DIR --traffic -o fig.svg",
    .summary = "Draw statistics over time.",
    .details =
        "The names are those of the first line of DIR/series.csv; brackets may be left out.\n"
        "With --traffic the figure shows what was read from and written to memory for rays, for\n"
        "the scene and so on, in bytes per cycle, on top of each other.\n"
        "Examples:\n"
        "  ogive plot results/rtx2080 --series sm.l1.hit_rate,partition.l2.hit_rate -o rates.svg\n"
        "  ogive plot results/rtx2080 --traffic -o traffic.svg\n",
    .function = plot_main,
};
