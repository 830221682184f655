/* sweep_report.c - `ogive sweep report`: the page of a study, and those of its runs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/reporting.h"
#include "cli/signals.h"
#include "cli/sweep.h"
#include "report/study_page.h"

struct report_arguments {
    struct text_list rest;
    const char *store, *out, *progress;
    bool no_runs;
};

/* Each run that is done gets its own page, unless it has one, or the store cannot be written. */
static bool runs_report(const struct store *store, const struct manifest *manifest,
                        const struct standing *standing, enum progress_style style)
{
    struct progress_task task = progress_task("reports of the runs", style);
    bool good = true;
    signals_catch();
    for (u32 i = 0; good && i < manifest->count && !stop_asked(); i++) {
        char *folder = store_result(store, manifest->runs[i].key);
        char *page = text_format("%s/report.html", folder);
        if (standing->states[i] == STANDING_DONE && folder_exists(folder) && !file_exists(page))
            good = report_of_run(folder, true);
        progress_task_show(&task, (double)(i + 1) / manifest->count);
        free(page);
        free(folder);
    }
    progress_clear(&task.line);
    return good && !stop_asked();
}

/* Beside the store's studies, links can be followed wherever the store is moved to. */
static int report_do(const struct report_arguments *a, const struct store *store,
                     const struct manifest *manifest, enum progress_style style)
{
    struct standing standing;
    struct ogv_error error;
    if (!standing_look(store, manifest, &standing, &error))
        return fail(&error);
    char *root = realpath(store->path, NULL);
    char *file = a->out ? heap_copy(a->out)
                        : text_format("%s/studies/%s.html", store->path, manifest->study);
    const char *reports = a->out ? root : "..";
    bool made = a->no_runs || runs_report(store, manifest, &standing, style);
    bool good = study_page_write(store, manifest, &standing, reports, file, &error);
    if (good)
        printf("%s\n", file);
    standing_fini(&standing);
    free(file);
    free(root);
    if (!good)
        return fail(&error);
    return stop_asked() ? EXIT_INTERRUPT : made ? EXIT_GOOD : EXIT_SYSTEM;
}

int sweep_report(const struct command *self, int argc, char **argv)
{
    struct report_arguments a = { 0 };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "no-runs", NULL, "do not make the reports of single runs that are missing",
          OPTION_FLAG, &a.no_runs },
        PROGRESS_ROW(a.progress),
        { 'o', "out", "FILE.html", "file for the page (default: in the store)", OPTION_TEXT,
          &a.out },
        { 0 },
    };
    struct store store;
    enum progress_style style;
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        code = EXIT_USER;
        struct manifest *manifest =
            progress_read("sweep report", a.progress, &style)
                ? sweep_open(self, &a.rest, a.store, STORE_READ, &store, &code)
                : NULL;
        if (manifest) {
            code = report_do(&a, &store, manifest, style);
            manifest_destroy(manifest);
            store_close(&store);
        }
    }
    list_fini(&a.rest);
    return code;
}
