/* sweep_status.c - `ogive sweep status`: how a study stands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "base/text.h"
#include "cli/signals.h"
#include "cli/sweep.h"
#include "explore/attempt.h"
#include "explore/slurm.h"
#include "explore/standing.h"

#define LINES_DEFAULT 5 /* of what a failed run said */
#define WATCH_SECONDS 2

struct status_arguments {
    struct text_list rest;
    const char *store;
    u64 lines, most;
    bool watch;
};

static void lines_print(const struct store *store, const char *key, u32 count)
{
    char *lines = attempt_last_lines(store, key, count);
    for (char *at = lines; *at;) {
        size_t length = strcspn(at, "\n");
        printf("      %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    free(lines);
}

static void running_print(const struct store *store, const struct manifest *manifest, u32 run)
{
    char *words = sweep_point_words(manifest, &manifest->runs[run]);
    char *line = attempt_last_lines(store, manifest->runs[run].key, 1);
    printf("  running  %.8s  %s: %s\n", manifest->runs[run].key, words, *line ? line : "begun");
    free(line);
    free(words);
}

static void failed_print(const struct store *store, const struct manifest *manifest,
                         const struct outcome *outcome, u32 run, u32 lines)
{
    char *words = sweep_point_words(manifest, &manifest->runs[run]);
    char *command = manifest_command(&manifest->runs[run]);
    printf("  failed   %.8s  %s: %s, exit code %d, %u tr%s\n", manifest->runs[run].key, words,
           run_classes[outcome->class].words, outcome->exit_code, outcome->tries,
           outcome->tries == 1 ? "y" : "ies");
    lines_print(store, manifest->runs[run].key, lines);
    printf("      $ %s\n", command);
    free(command);
    free(words);
}

static void standing_print(const struct store *store, const struct manifest *manifest,
                           const struct standing *standing, const struct status_arguments *a)
{
    u64 shown[STANDINGS] = { 0 };
    printf("%s: %u runs", manifest->study, manifest->count);
    for (u32 i = 0; i < STANDINGS; i++)
        if (standing->counts[i])
            printf(", %u %s", standing->counts[i], standing_names[i]);
    printf("\n");
    for (u32 i = 0; i < manifest->count; i++) {
        u8 state = standing->states[i];
        if (shown[state]++ >= a->most)
            continue;
        if (state == STANDING_RUNNING)
            running_print(store, manifest, i);
        else if (state == STANDING_FAILED)
            failed_print(store, manifest, &standing->outcomes[i], i, (u32)a->lines);
    }
    for (u32 state = STANDING_FAILED; state <= STANDING_RUNNING; state++)
        if (shown[state] > a->most)
            printf("  and %llu more %s\n", (unsigned long long)(shown[state] - a->most),
                   standing_names[state]);
}

static void changes_print(const struct manifest *manifest)
{
    char digits[HASH_TEXT_BYTES], build[HASH_TEXT_BYTES];
    if (hash_file(manifest->file, digits) && strcmp(digits, manifest->file_hash))
        printf("%s has changed since; this is the study as it was started\n", manifest->file);
    hash_build(build);
    if (strcmp(build, manifest->build))
        printf("it was started with another build of Ogive; started again, all is run anew\n");
}

/* Of runs that wait, those that Slurm knows of. */
static void queue_print(const struct store *store, const struct manifest *manifest,
                        const struct standing *standing)
{
    struct ogv_error error;
    u8 *queued = heap_array(manifest->count + 1, 1);
    u32 count = 0;
    bool answers = slurm_queue(store, manifest, queued, &error);
    for (u32 i = 0; i < manifest->count; i++)
        count += queued[i] && standing->states[i] >= STANDING_INTERRUPTED;
    if (!answers)
        printf("Slurm does not answer: %s\n", error.message);
    else if (count)
        printf("%u of those that wait are in the queue of Slurm\n", count);
    free(queued);
}

static int status_once(const struct store *store, const struct manifest *manifest,
                       const struct status_arguments *arguments)
{
    struct standing standing;
    struct ogv_error error;
    if (!standing_look(store, manifest, &standing, &error))
        return fail(&error);
    standing_print(store, manifest, &standing, arguments);
    queue_print(store, manifest, &standing);
    changes_print(manifest);
    const u32 *counts = standing.counts;
    int code = sweep_code(counts[STANDING_FAILED],
                          manifest->count - counts[STANDING_DONE] - counts[STANDING_FAILED]);
    standing_fini(&standing);
    return code;
}

/* Until all is over, or Ctrl-C. */
static int status_watch(const struct store *store, const struct manifest *manifest,
                        const struct status_arguments *arguments)
{
    int code;
    signals_catch();
    do {
        if (isatty(STDOUT_FILENO))
            printf("\033[H\033[J");
        code = status_once(store, manifest, arguments);
        fflush(stdout);
        if (code == EXIT_UNFINISHED && !stop_asked())
            sleep(WATCH_SECONDS);
    } while (code == EXIT_UNFINISHED && !stop_asked());
    return code;
}

int sweep_status(const struct command *self, int argc, char **argv)
{
    struct status_arguments a = { .lines = LINES_DEFAULT, .most = 20 };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "watch", NULL, "again and again, until all is over", OPTION_FLAG, &a.watch },
        { 0, "lines", "N", "of what each failed run said last (default: 5)", OPTION_NUMBER,
          &a.lines },
        { 0, "most", "N", "runs that are shown of a kind (default: 20)", OPTION_NUMBER, &a.most },
        { 0 },
    };
    struct store store;
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        struct manifest *manifest = sweep_open(self, &a.rest, a.store, STORE_READ, &store, &code);
        if (manifest) {
            code = (a.watch ? status_watch : status_once)(&store, manifest, &a);
            manifest_destroy(manifest);
            store_close(&store);
        }
    }
    list_fini(&a.rest);
    return code;
}
