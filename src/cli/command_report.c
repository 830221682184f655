/* command_report.c - `ogive report`, and the report at the end of a run. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/reporting.h"
#include "report/page.h"
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

static int report_main(const struct command *self, int argc, char **argv)
{
    struct text_list folders = { 0 };
    const char *out = NULL;
    const struct option_row rows[] = {
        { 'o', "out", "FILE",
          "file for the page (default: report.html in the folder of the run; of several: here)",
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

const struct command command_report = {
    .name = "report",
    .usage = "DIR [DIR...] [-o report.html]",
    .summary = "Make a page that shows what a run did and what limited it.",
    .details =
        "The page needs nothing else: no network, no files beside it. Several runs are laid over\n"
        "each other. DIR/bottleneck.json has the same numbers for scripts. `ogive run` makes the\n"
        "page of its own run by itself.\n"
        "Examples:\n"
        "  ogive report results/exchange\n"
        "  ogive report results/exchange results/exchange-2 -o both.html\n",
    .function = report_main,
};
