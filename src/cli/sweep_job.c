/* sweep_job.c - `ogive sweep job`: one run of a list, as a job of Slurm.
 *
 * SIGUSR1 says that the job's time is nearly up: the run ends with a checkpoint, and the job goes
 * back into the queue. SIGTERM ends it the same way, but for good. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "cli/signals.h"
#include "cli/sweep.h"
#include "explore/crew.h"
#include "explore/slurm.h"

struct job_arguments {
    struct text_list rest;
    const char *store, *list, *checkpoint_every;
    u64 task, threads;
    bool retry;
};

static volatile sig_atomic_t time_is_up;

static void on_time(int number)
{
    (void)number;
    time_is_up = 1;
    stop_ask();
}

static bool build_check(const struct manifest *manifest)
{
    char build[HASH_TEXT_BYTES];
    hash_build(build);
    if (!strcmp(build, manifest->build))
        return true;
    say_error("sweep job: Ogive was built anew since the study was started; start it again");
    return false;
}

static int job_run(const struct job_arguments *arguments, const struct store *store,
                   const struct manifest *manifest, u32 run)
{
    struct crew_state state;
    struct ogv_error error;
    struct crew crew = { .store = store,
                         .manifest = manifest,
                         .runs = &run,
                         .count = 1,
                         .at_once = 1,
                         .rush = true,
                         .options = { .program = "/proc/self/exe",
                                      .threads = (u32)arguments->threads,
                                      .checkpoint_every = arguments->checkpoint_every,
                                      .time_seconds = manifest->time_seconds,
                                      .memory_bytes = manifest->memory_bytes,
                                      .retry = arguments->retry } };
    signals_catch();
    signal(SIGUSR1, on_time);
    bool good = crew_run(&crew, &state, &error);
    if (time_is_up && !state.done && !state.failed && !slurm_requeue(&error))
        return fail(&error);
    return good || time_is_up ? EXIT_GOOD : fail(&error);
}

static int job_do(const struct job_arguments *arguments, const struct store *store,
                  const struct manifest *manifest)
{
    struct ogv_error error;
    char *key = slurm_listed(arguments->list, (u32)arguments->task, &error);
    if (!key)
        return fail(&error);
    u32 run = manifest_run_find(manifest, key);
    bool known = run != UINT32_MAX;
    if (!known)
        say_error("sweep job: the study has no run %s any more", key);
    free(key);
    return known && build_check(manifest) ? job_run(arguments, store, manifest, run) : EXIT_USER;
}

int sweep_job(const struct command *self, int argc, char **argv)
{
    struct job_arguments a = { .task = NUMBER_NONE,
                               .threads = 1,
                               .checkpoint_every = CHECKPOINT_EVERY_DEFAULT };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "list", "FILE", "of keys, one in a line", OPTION_TEXT, &a.list },
        { 0, "task", "N", "the line, from 0", OPTION_NUMBER, &a.task },
        { 0, "retry", NULL, "also make a run again that has failed", OPTION_FLAG, &a.retry },
        { 0, "threads", "N", "of the run (default: 1)", OPTION_THREADS, &a.threads },
        { 0, "checkpoint-every", "N|Ns", "cycles or seconds that the run can lose (default: 60s)",
          OPTION_TEXT, &a.checkpoint_every },
        { 0 },
    };
    struct store store;
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        code = EXIT_USER;
        if (!a.list || a.task > UINT32_MAX) {
            say_error("sweep job: needs --list and --task; usage: ogive %s %s", self->name,
                      self->usage);
        } else {
            struct manifest *manifest =
                sweep_open(self, &a.rest, a.store, STORE_WRITE, &store, &code);
            if (manifest) {
                code = job_do(&a, &store, manifest);
                manifest_destroy(manifest);
                store_close(&store);
            }
        }
    }
    list_fini(&a.rest);
    return code;
}
