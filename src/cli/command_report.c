/* command_report.c - `ogive report`, `ogive plot`, and the report at the end of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/reporting.h"
#include "cli/values.h"
#include "report/page.h"
#include "report/plot.h"
#include "result/folder.h"

static void say_no_charts(void)
{
    say_error("the report has no charts: install the package %s (`./run deps` does), then "
              "`ogive report` again",
              PAGE_LIBRARY_PACKAGE);
}

bool report_of_run(const char *folder, bool quiet)
{
    struct ogv_error error;
    bool charts;
    char *file = text_format("%s/report.html", folder);
    bool good = page_write(&folder, 1, file, &charts, &error);
    if (!good) {
        char *text = text_format("the report was not made, or not in full: %s", error.message);
        say_error("%s", text);
        folder_log_late(folder, text);
        free(text);
    }
    if (good && !quiet)
        printf("report  %s\n", file);
    if (good && !quiet && !charts)
        say_no_charts();
    free(file);
    return good;
}

static int report_with(const struct text_list *folders, const char *out)
{
    struct ogv_error error;
    bool charts;
    char *file = out ? heap_copy(out)
                     : text_format("%s/report.html", folders->count == 1 ? folders->items[0] : ".");
    bool good = page_write(folders->items, folders->count, file, &charts, &error);
    if (good)
        printf("%s\n", file);
    if (good && !charts)
        say_no_charts();
    free(file);
    return good ? EXIT_GOOD : fail(&error);
}

int command_report(const struct command *self, int argc, char **argv)
{
    struct text_list folders = { 0 };
    const char *out = NULL;
    const struct option_row rows[] = {
        { 'o', "out", "FILE",
          "the page (default: report.html in the folder of the run; of several runs: here)",
          OPTION_TEXT, &out },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &folders, &code)) {
        code = EXIT_USER;
        if (folders.count)
            code = report_with(&folders, out);
        else
            say_error("report: takes folders of runs; usage: ogive report %s", self->usage);
    }
    list_fini(&folders);
    return code;
}

/* ---- plot ---- */

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

static bool plot_complete(const struct text_list *folders, const char *series, const char *out,
                          const struct command *self)
{
    size_t length = out ? strlen(out) : 0;
    bool svg = length > 4 && !strcmp(out + length - 4, ".svg");
    if (!folders->count || !series || !out)
        say_error("plot: needs a folder, --series and -o; usage: ogive plot %s", self->usage);
    else if (!svg)
        say_error("plot: -o %s: writes SVG, so the name must end in .svg", out);
    return folders->count && series && svg;
}

int command_plot(const struct command *self, int argc, char **argv)
{
    struct text_list folders = { 0 };
    struct plot_options options = { .width = PLOT_WIDTH, .height = PLOT_HEIGHT };
    const char *size = NULL, *out = NULL;
    const struct option_row rows[] = {
        { 0, "series", "A,B", "columns of series.csv; brackets may be left out", OPTION_TEXT,
          &options.series },
        { 0, "size", "WxH", "pixels (default: 800x400)", OPTION_TEXT, &size },
        { 'o', "out", "FILE.svg", "the figure", OPTION_TEXT, &out },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &folders, &code)) {
        options.folders = folders.items;
        options.folder_count = folders.count;
        struct ogv_error error;
        bool sized = !size || pixels_read(size, PLOT_LEAST, PLOT_MOST, &options.width,
                                          &options.height, &error);
        bool complete = plot_complete(&folders, options.series, out, self);
        code = !complete ? EXIT_USER : sized ? plot_with(&options, out) : fail(&error);
    }
    list_fini(&folders);
    return code;
}
