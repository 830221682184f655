/* command_sweep.c - `ogive sweep`: makes the runs of a study. Its parts have files of their own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/wall.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/sweep.h"
#include "cli/sweep_dry.h"
#include "cli/sweep_slurm.h"
#include "cli/values.h"
#include "explore/crew.h"

#define AT_ONCE_MAX 1024

struct sweep_arguments {
    struct text_list rest;
    const char *store, *on, *checkpoint_every, *progress;
    u64 threads;
    bool dry_run, retry, quiet, detach;
};

/* ---- Words ---- */

struct manifest *sweep_open(const struct command *self, const struct text_list *rest,
                            const char *path, enum store_use use, struct store *store,
                            int *exit_code)
{
    struct ogv_error error;
    *exit_code = EXIT_USER;
    if (!rest_one(self, rest, "study, by its name or its file"))
        return NULL;
    if (!store_open(store, path ? path : STORE_DEFAULT, use, &error)) {
        *exit_code = fail(&error);
        return NULL;
    }
    struct manifest *manifest = manifest_read(store, rest->items[0], &error);
    if (!manifest) {
        *exit_code = fail(&error);
        store_close(store);
    }
    return manifest;
}

char *sweep_point_words(const struct manifest *manifest, const struct manifest_run *run)
{
    struct text words = { 0 };
    for (u32 i = 0; i < manifest->axis_count; i++)
        if (run->at[i] != AXIS_NONE)
            text_add(&words, "%s%s=%s", words.length ? " " : "", manifest->axes[i].name,
                     manifest_label(manifest, run, i));
    if (!words.length)
        text_add(&words, "(the only point)");
    return words.chars;
}

void sweep_write_seconds(char *buffer, size_t size, double seconds)
{
    if (seconds < 10)
        snprintf(buffer, size, "%.1f s", seconds);
    else if (seconds < 120)
        snprintf(buffer, size, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(buffer, size, "%.0f min", seconds / 60);
    else
        snprintf(buffer, size, "%.1f h", seconds / 3600);
}

void sweep_write_bytes(char *buffer, size_t size, double bytes)
{
    if (bytes < 1.0 * MiB)
        snprintf(buffer, size, "%.0f KiB", bytes / KiB);
    else if (bytes < 1024.0 * MiB)
        snprintf(buffer, size, "%.0f MiB", bytes / MiB);
    else
        snprintf(buffer, size, "%.1f GiB", bytes / GiB);
}

int sweep_code(u32 failed, u32 left)
{
    return left ? EXIT_UNFINISHED : failed ? EXIT_SYSTEM : EXIT_GOOD;
}

/* ---- On this machine ---- */

struct telling {
    const struct manifest *manifest;
    struct progress_line line;
    double begun, shown;
    bool quiet;
};

static void state_show(void *context, const struct crew_state *state)
{
    struct telling *telling = context;
    struct text text = { 0 };
    double now = wall_clock();
    char left[32];
    if (telling->quiet || now - telling->begun < 2 ||
        now - telling->shown < progress_period(&telling->line))
        return;
    telling->shown = now;
    text_add(&text, "%u of %u runs done", state->done, state->count);
    if (!isnan(state->seconds_left)) {
        sweep_write_seconds(left, sizeof left, state->seconds_left);
        text_add(&text, ", %s left", left);
    }
    if (state->failed)
        text_add(&text, ", %u failed", state->failed);
    text_add(&text, ", %u running", state->running);
    if (state->elsewhere)
        text_add(&text, ", %u running elsewhere", state->elsewhere);
    progress_show(&telling->line, text_get(&text));
    text_fini(&text);
}

static void run_ended(void *context, const struct manifest_run *run, const struct outcome *outcome)
{
    struct telling *telling = context;
    if (!run_classes[outcome->class].fails)
        return;
    char *words = sweep_point_words(telling->manifest, run);
    progress_clear(&telling->line);
    say_error("%.8s (%s): %s, exit code %d; `ogive sweep status` shows what it said", run->key,
              words, run_classes[outcome->class].words, outcome->exit_code);
    free(words);
}

static void sum_print(const struct sweep_arguments *arguments, const struct crew_state *state,
                      const struct manifest *manifest)
{
    if (arguments->quiet)
        return;
    printf("%s: %u runs, %u done (%u were there), %u failed", manifest->study, state->count,
           state->done, state->found, state->failed);
    u32 left = state->count - state->done - state->failed;
    if (left)
        printf(", %u left for the next time", left);
    printf("\n");
}

static int local_run(const struct sweep_arguments *arguments, const struct store *store,
                     const struct manifest *manifest, u32 at_once, u32 threads,
                     enum progress_style style)
{
    struct telling telling = { .manifest = manifest,
                               .begun = wall_clock(),
                               .quiet = arguments->quiet };
    struct crew_state state;
    struct ogv_error error;
    telling.line = progress_line(style);
    struct crew crew = { .store = store,
                         .manifest = manifest,
                         .at_once = at_once,
                         .options = { .program = "/proc/self/exe",
                                      .threads = threads,
                                      .checkpoint_every = arguments->checkpoint_every,
                                      .time_seconds = manifest->time_seconds,
                                      .memory_bytes = manifest->memory_bytes,
                                      .retry = arguments->retry },
                         .show = state_show,
                         .ended = run_ended,
                         .context = &telling };
    bool good = crew_run(&crew, &state, &error);
    progress_clear(&telling.line);
    sum_print(arguments, &state, manifest);
    if (!good)
        return fail(&error);
    return sweep_code(state.failed, state.count - state.done - state.failed);
}

/* ---- Where ---- */

/* "local", "local:4"; false if it is something else. */
static bool on_local(const char *on, u32 *wanted)
{
    char *end;
    *wanted = 0;
    if (!on || !strcmp(on, "local"))
        return true;
    if (strncmp(on, "local:", 6))
        return false;
    unsigned long number = strtoul(on + 6, &end, 10);
    *wanted = (u32)number;
    return on[6] >= '0' && on[6] <= '9' && !*end && number && number <= AT_ONCE_MAX;
}

static bool on_check(const char *on)
{
    u32 wanted;
    if (on_local(on, &wanted) || sweep_is_slurm(on))
        return true;
    say_error("sweep: --on %s: takes local, local:N with up to %d runs at once, slurm, or "
              "slurm:OPTION=VALUE,... for sbatch",
              on, AT_ONCE_MAX);
    return false;
}

static int sweep_do(const struct sweep_arguments *arguments, const struct store *store,
                    const struct manifest *manifest, enum progress_style style)
{
    struct ogv_error error;
    u32 wanted, at_once, threads;
    bool local = on_local(arguments->on, &wanted);
    crew_size(manifest, wanted, &at_once, &threads);
    if (arguments->threads)
        threads = (u32)arguments->threads;
    if (arguments->dry_run)
        return sweep_dry(store, manifest, local ? at_once : 0, threads);
    if (!manifest_write(store, manifest, &error))
        return fail(&error);
    if (local)
        return local_run(arguments, store, manifest, at_once, threads, style);
    struct slurm_arguments slurm = { arguments->on,           arguments->checkpoint_every,
                                     (u32)arguments->threads, arguments->retry,
                                     arguments->detach,       arguments->quiet };
    return sweep_slurm(&slurm, store, manifest);
}

/* A dry run makes no store. */
static int sweep_with(const struct sweep_arguments *arguments)
{
    enum progress_style style;
    if (!progress_read("sweep", arguments->quiet ? "none" : arguments->progress, &style))
        return EXIT_USER;
    const char *path = arguments->store ? arguments->store : STORE_DEFAULT;
    struct ogv_error error;
    struct store store = { 0 };
    struct progress_task task = progress_task("working out the runs", style);
    struct manifest_listener listener = { progress_task_show, &task };
    signals_catch();
    struct study *study = study_read(arguments->rest.items[0], &error);
    struct manifest *manifest = study ? manifest_make(study, &listener, &error) : NULL;
    progress_clear(&task.line);
    bool open = manifest &&
                ((arguments->dry_run && !folder_exists(path)) ||
                 store_open(&store, path, arguments->dry_run ? STORE_READ : STORE_WRITE, &error));
    int code = open ? sweep_do(arguments, &store, manifest, style) : fail(&error);
    if (open)
        store_close(&store);
    manifest_destroy(manifest);
    study_destroy(study);
    return code;
}

/* A part that is written wrong is no file. */
static bool part_check(const struct command *self, const struct text_list *rest)
{
    struct nearest nearest;
    char hint[64];
    if (rest->count < 2 || strchr(rest->items[0], '.') || file_exists(rest->items[0]))
        return true;
    nearest_init(&nearest, rest->items[0]);
    for (const struct command *part = self->parts; part->name; part++)
        nearest_offer(&nearest, strchr(part->name, ' ') + 1);
    say_error("sweep: '%s' is neither a file nor a part of `ogive sweep`%s", rest->items[0],
              nearest_hint(&nearest, hint, sizeof hint));
    return false;
}

static int sweep_start(const struct command *self, int argc, char **argv)
{
    struct sweep_arguments a = { .checkpoint_every = CHECKPOINT_EVERY_DEFAULT };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "on", "WHERE",
          "local[:N] runs at once here (default: by cores and memory), or slurm[:OPTIONS]",
          OPTION_TEXT, &a.on },
        { 0, "dry-run", NULL, "print the runs, with time and memory, and start nothing",
          OPTION_FLAG, &a.dry_run },
        { 0, "retry", NULL, "also make the runs again that have failed", OPTION_FLAG, &a.retry },
        { 0, "threads", "N", "of each run (default: the cores, shared out); never changes a result",
          OPTION_THREADS, &a.threads },
        { 0, "checkpoint-every", "N|Ns", "cycles or seconds that a run can lose (default: 60s)",
          OPTION_TEXT, &a.checkpoint_every },
        { 0, "detach", NULL, "with slurm: do not wait for the jobs", OPTION_FLAG, &a.detach },
        PROGRESS_ROW(a.progress),
        { 0, "quiet", NULL, "print nothing but errors", OPTION_FLAG, &a.quiet },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        cycle cycles;
        double seconds;
        bool good = part_check(self, &a.rest) && rest_one(self, &a.rest, "file with a study") &&
                    on_check(a.on) &&
                    checkpoints_read("sweep", a.checkpoint_every, &cycles, &seconds);
        code = good ? sweep_with(&a) : EXIT_USER;
    }
    list_fini(&a.rest);
    return code;
}

/* ---- The command ---- */

static const struct command sweep_parts[] = {
    { .name = "sweep status",
      .usage = "STUDY [--watch]",
      .summary = "How the runs of a study stand; ends with 0 if all are done.",
      .function = sweep_status },
    { .name = "sweep cancel",
      .usage = "STUDY",
      .summary = "Take a study's jobs out of the queue of Slurm.",
      .function = sweep_cancel },
    { .name = "sweep retry",
      .usage = "STUDY [--class CLASS]",
      .summary = "Forget that runs have failed: the next sweep makes them again.",
      .function = sweep_retry },
    { .name = "sweep clean",
      .usage = "STUDY [--failed | --all] | --unused",
      .summary = "Remove runs from the store.",
      .function = sweep_clean },
    { .name = "sweep table",
      .usage = "STUDY --stat NAME [--rows AXIS,..] [--columns AXIS,..]",
      .summary = "Statistics of all runs as a table.",
      .function = sweep_table },
    { .name = "sweep plot",
      .usage = "STUDY --stat NAME --x AXIS [--series AXIS] -o FILE.svg",
      .summary = "Statistics of all runs as a figure.",
      .function = sweep_plot },
    { .name = "sweep report",
      .usage = "STUDY [-o FILE.html]",
      .summary = "One page with the tables, charts and reports of all runs.",
      .function = sweep_report },
    { .name = "sweep job",
      .usage = "STUDY --list FILE --task N",
      .summary = "What a job of Slurm does: one run of a list.",
      .function = sweep_job },
    { 0 },
};

static int sweep_main(const struct command *self, int argc, char **argv)
{
    for (const struct command *part = sweep_parts; argc > 1 && part->name; part++)
        if (!strcmp(argv[1], strchr(part->name, ' ') + 1))
            return part->function(part, argc - 1, argv + 1);
    return sweep_start(self, argc, argv);
}

const struct command command_sweep = {
    .name = "sweep",
    .usage = "STUDY.yaml [options] | status | cancel | retry | clean | table | plot | report STUDY",
    .summary = "Make all runs of a study, and see what came out.",
    .details =
        "A study names axes (parameters of the machine, scenes, rays, programs, ...) and which of\n"
        "their combinations are run. Results are kept by what determines them: a run that was "
        "made\n"
        "before is taken, one that was interrupted goes on from its checkpoint.\n"
        "\n"
        "status  counts, what runs and how long it still takes, failures with their last words\n"
        "cancel  takes jobs out of the queue of Slurm\n"
        "retry   forgets failures, so that the next sweep tries again\n"
        "clean   removes runs\n"
        "table   statistics over the axes: text, CSV, Markdown, LaTeX\n"
        "plot    the same as lines, bars, a heat map, or against reference numbers\n"
        "report  all of it as one page\n"
        "Examples:\n"
        "  ogive sweep l1.yaml --dry-run\n"
        "  ogive sweep l1.yaml --on local:4\n"
        "  ogive sweep l1.yaml --on slurm:partition=long,time=2:00:00\n"
        "  ogive sweep status l1 --watch\n"
        "  ogive sweep table l1 --stat cycles --columns rays --relative l1='64 KiB'\n"
        "docs/studies.md explains study files.\n",
    .function = sweep_main,
    .parts = sweep_parts,
};
