/* command_search.c - `ogive search`: the best runs of a study, without making all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/jobs.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/sweep.h"
#include "cli/values.h"
#include "explore/search.h"
#include "explore/sheet.h"
#include "report/search_page.h"

#define AT_ONCE_MAX  1024
#define AT_ONCE_MOST 4 /* a search rarely has more to do at a time */

struct search_arguments {
    struct text_list rest;
    const char *store, *checkpoint_every, *progress, *out;
    u64 threads, at_once;
    bool retry, quiet;
};

struct telling {
    struct search *search;
    struct progress_line line;
    u32 stage, evaluated;
    double best;
    bool quiet;
};

static void round_tell(void *context, u32 stage, const struct search_found *found)
{
    struct telling *telling = context;
    const struct search_plan *plan = telling->search->study->search;
    if (stage != telling->stage)
        telling->evaluated = 0;
    telling->best = stage == telling->stage ? telling->best : INFINITY;
    telling->stage = stage;
    telling->evaluated += found->trials.count;
    for (u32 i = 0; i < found->trials.count; i++)
        if (found->trials.items[i].violation <= 0)
            telling->best = fmin(telling->best, found->trials.items[i].values[0]);
    if (telling->quiet)
        return;
    char *words = text_format("stage %u of %u: %u evaluations, %s %.6g so far", stage + 1,
                              plan->stage_count, telling->evaluated, plan->goals[0].text,
                              plan->goals[0].maximise ? -telling->best : telling->best);
    progress_show(&telling->line, words);
    free(words);
}

/* ---- What is printed ---- */

static void heading_put(const struct search *search, struct sheet *sheet)
{
    const struct study *study = search->study;
    for (u32 i = 0; i < study->axis_count; i++)
        sheet_put(sheet, 0, i, heap_copy(study->axes[i].name));
    for (u32 i = 0; i < study->search->goal_count; i++)
        sheet_put(sheet, 0, study->axis_count + i, heap_copy(study->search->goals[i].text));
}

static void trial_put(const struct search *search, const struct trial *trial, u32 row,
                      struct sheet *sheet)
{
    const struct study *study = search->study;
    for (u32 i = 0; i < study->axis_count; i++)
        sheet_put(sheet, row, i, heap_copy(study->axes[i].values[trial->at[i]].label));
    for (u32 i = 0; i < study->search->goal_count; i++) {
        double value = search_goal_value(study->search, trial, i);
        sheet_put(sheet, row, study->axis_count + i,
                  text_format("%.6g%s", value, trial->violation > 0 ? " (breaks a limit)" : ""));
    }
}

static void trials_print(const struct search *search, const struct trial *trials, u32 count)
{
    const struct study *study = search->study;
    struct sheet sheet;
    struct text out = { 0 };
    sheet_init(&sheet, count + 1, study->axis_count + study->search->goal_count, study->axis_count);
    heading_put(search, &sheet);
    for (u32 i = 0; i < count; i++)
        trial_put(search, &trials[i], i + 1, &sheet);
    sheet_write(&sheet, SHEET_TEXT, &out);
    fputs(text_get(&out), stdout);
    text_fini(&out);
    sheet_fini(&sheet);
}

static void best_print(const struct search *search)
{
    const struct search_plan *plan = search->study->search;
    const struct search_found *last = &search->stages[plan->stage_count - 1];
    struct trial *best = heap_array((size_t)last->trials.count + 1, sizeof *best);
    u32 count = 0;
    for (u32 i = 0; i < last->trials.count; i++)
        if (!last->ranks[i] && last->trials.items[i].violation <= 0)
            best[count++] = last->trials.items[i];
    if (!count)
        printf("No point keeps all limits.\n");
    else
        trials_print(search, best, count);
    free(best);
}

static void result_print(const struct search *search)
{
    const struct study *study = search->study;
    const struct search_plan *plan = study->search;
    double points = 1;
    u32 evaluations = 0;
    for (u32 i = 0; i < study->axis_count; i++)
        points *= study->axes[i].count;
    for (u32 i = 0; i < plan->stage_count; i++)
        evaluations += search->stages[i].trials.count;
    printf("%s: %u evaluations of a grid of %.0f points, %u of them in full\n\n", study->name,
           evaluations, points, search->stages[plan->stage_count - 1].trials.count);
    best_print(search);
    if (search->around.trials.count) {
        printf("\nOne value less or more on one axis:\n\n");
        trials_print(search, search->around.trials.items, search->around.trials.count);
    }
}

/* ---- Doing it ---- */

static bool page_write_to(const struct search *search, const char *file, struct ogv_error *error)
{
    struct text page = { 0 };
    search_page(search, &page);
    bool good = file_write(file, text_get(&page), page.length, error);
    text_fini(&page);
    return good;
}

static int search_do(const struct search_arguments *arguments, struct study *study,
                     const struct store *store)
{
    struct search search = { .study = study, .store = store, .tell = round_tell };
    struct telling telling = { .search = &search, .best = INFINITY, .quiet = arguments->quiet };
    enum progress_style style;
    struct ogv_error error;
    if (!progress_read("search", arguments->progress, &style))
        return EXIT_USER;
    telling.line = progress_line(style);
    u32 cores = jobs_most(), most = cores < AT_ONCE_MOST ? cores : AT_ONCE_MOST;
    u32 at_once = arguments->at_once ? (u32)arguments->at_once : most;
    u32 threads = arguments->threads ? (u32)arguments->threads : cores / at_once;
    search.context = &telling;
    search.crew = (struct crew){ .at_once = at_once,
                                 .options = { .program = "/proc/self/exe",
                                              .threads = threads ? threads : 1,
                                              .checkpoint_every = arguments->checkpoint_every,
                                              .time_seconds = study->time_seconds,
                                              .memory_bytes = study->memory_bytes,
                                              .retry = arguments->retry } };
    signals_catch();
    bool good = search_run(&search, &error);
    progress_clear(&telling.line);
    if (good && !arguments->quiet)
        result_print(&search);
    good = good && (!arguments->out || page_write_to(&search, arguments->out, &error));
    bool found = search.best != UINT32_MAX;
    search_fini(&search);
    return !good ? fail(&error) : found ? EXIT_GOOD : EXIT_SYSTEM;
}

static int search_with(const struct search_arguments *arguments)
{
    struct ogv_error error;
    struct store store;
    const char *file = arguments->rest.items[0];
    struct study *study = study_read(file, &error);
    int code = EXIT_USER;
    if (!study) {
        code = fail(&error);
    } else if (!study->search) {
        say_error("%s: has no `search:`, which says what to look for; `ogive search --help` shows "
                  "one",
                  file);
    } else if (study->repeats) {
        say_error("%s: a search has one run for each point; leave out `seeds`", file);
    } else if (!store_open(&store, arguments->store ? arguments->store : STORE_DEFAULT, STORE_WRITE,
                           &error)) {
        code = fail(&error);
    } else {
        code = search_do(arguments, study, &store);
        store_close(&store);
    }
    study_destroy(study);
    return code;
}

static int search_main(const struct command *self, int argc, char **argv)
{
    struct search_arguments a = { .checkpoint_every = CHECKPOINT_EVERY_DEFAULT };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 'o', "out", "FILE", "file for a page with charts of what was found", OPTION_TEXT,
          &a.out },
        { 0, "at-once", "N", "runs at once (default: by cores, up to 4); never changes a result",
          OPTION_NUMBER, &a.at_once },
        { 0, "threads", "N", "of each run (default: the cores, shared out); never changes a result",
          OPTION_THREADS, &a.threads },
        { 0, "retry", NULL, "also make the runs again that have failed", OPTION_FLAG, &a.retry },
        { 0, "checkpoint-every", "N|Ns", "cycles or seconds that a run can lose (default: 60s)",
          OPTION_TEXT, &a.checkpoint_every },
        PROGRESS_ROW(a.progress),
        { 0, "quiet", NULL, "print nothing but errors", OPTION_FLAG, &a.quiet },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        bool good = rest_one(self, &a.rest, "file with a study");
        cycle cycles;
        double seconds;
        good = good && checkpoints_read("search", a.checkpoint_every, &cycles, &seconds);
        if (good && a.at_once > AT_ONCE_MAX) {
            say_error("search: --at-once takes 1 to %d", AT_ONCE_MAX);
            good = false;
        }
        code = good ? search_with(&a) : EXIT_USER;
    }
    list_fini(&a.rest);
    return code;
}

const struct command command_search = {
    .name = "search",
    .usage = "STUDY.yaml [options]",
    .summary = "Find the best machines of a study with few runs.",
    .details =
        "The study's axes span a grid; `search:` in it says what is wanted:\n"
        "\n"
        "  search:\n"
        "    maximise: mrays_per_s          a figure, a statistic, a formula of them, or a list\n"
        "    minimise: nj_per_ray           several goals give a front\n"
        "    at_most: { area_mm2: 120 }     what has to hold besides; also at_least\n"
        "    evaluations: 40                at most, of the first stage\n"
        "    seed: 1\n"
        "    stages:                        cheap ones first; the last is the study as it is\n"
        "      - { size: 16x16, keep: 8 }   how many of its points go on\n"
        "\n"
        "Runs are kept in the store of `ogive sweep`: one that is there is taken, and a search "
        "that\n"
        "was interrupted goes on where it was. The same seed gives the same search.\n"
        "Examples:\n"
        "  ogive search rt.yaml -o rt.html\n"
        "  ogive sweep table rt --stat mrays_per_s     the runs that were made in full\n"
        "docs/search.md explains it.\n",
    .function = search_main,
};
