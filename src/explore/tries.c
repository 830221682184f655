/* tries.c - see tries.h.
 *
 * attempts.txt has "begin N TIME HOST PROCESS" and "end N WORDS SECONDS" lines. */
#include "explore/tries.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "explore/manifest.h"
#include "result/stats_source.h"

#define JOURNAL_FILE "attempts.txt"
#define JOURNAL_MAX  (16 * MiB)
#define LOG_MAX      (64 * MiB)

char *try_folder(const struct store *store, const char *key, u32 number)
{
    char name[32];
    snprintf(name, sizeof name, "try-%u", number);
    return store_file(store, key, name);
}

/* ---- The journal ---- */

static bool note(const struct store *store, const char *key, const char *line,
                 struct ogv_error *error)
{
    struct journal journal;
    bool good = journal_open(&journal, store_file(store, key, JOURNAL_FILE), false, error);
    good = good && journal_add(&journal, line, strlen(line), error);
    return journal_close(&journal, good ? error : NULL) && good;
}

bool try_note_begin(const struct store *store, const char *key, u32 number, struct ogv_error *error)
{
    char host[256] = "", when[32];
    time_t now = time(NULL);
    struct tm broken;
    const char *job = getenv("SLURM_JOB_ID");
    gethostname(host, sizeof host - 1);
    gmtime_r(&now, &broken);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &broken);
    char *line = text_format("begin %u %s %s %ld%s%s\n", number, when, host, (long)getpid(),
                             job ? " slurm " : "", job ? job : "");
    bool good = note(store, key, line, error);
    free(line);
    return good;
}

bool try_note_end(const struct store *store, const char *key, u32 number, const char *words,
                  double seconds, struct ogv_error *error)
{
    char *line = text_format("end %u %.3f %s\n", number, seconds, words);
    bool good = note(store, key, line, error);
    free(line);
    return good;
}

static void journal_look(const struct store *store, const char *key, struct tries *tries)
{
    char *path = store_file(store, key, JOURNAL_FILE);
    size_t length;
    char *text = file_is_plain(path) ? file_read(path, JOURNAL_MAX, &length, NULL) : NULL;
    for (char *at = text, *end; at && (end = strchr(at, '\n')); at = end + 1) {
        unsigned number;
        double seconds;
        *end = 0;
        if (sscanf(at, "begin %u", &number) == 1) {
            tries->lost++;
            tries->last = number > tries->last ? number : tries->last;
        } else if (sscanf(at, "end %u %lf", &number, &seconds) == 2) {
            tries->lost = 0;
            tries->seconds += seconds;
        }
    }
    free(text);
    free(path);
}

/* ---- Folders ---- */

/* The last line of the log is written after all other files. */
static bool log_is_closed(const char *folder)
{
    char *path = text_format("%s/log.txt", folder);
    size_t length;
    char *text = file_read(path, LOG_MAX, &length, NULL);
    bool closed = text && (strstr(text, "finished at cycle") || strstr(text, "stopped at cycle"));
    free(text);
    free(path);
    return closed;
}

/* A run that came to a good end while nobody was there to note it. */
static bool try_is_complete(const char *folder, double *seconds)
{
    if (!log_is_closed(folder))
        return false;
    json_t *stats = run_file_load(folder, "stats.json", NULL);
    const json_t *summary = json_object_get(stats, "summary");
    const char *status = json_string_value(json_object_get(summary, "status"));
    bool good = status && (!strcmp(status, "finished") || !strcmp(status, "stopped")) &&
                !json_integer_value(json_object_get(summary, "exit_code"));
    *seconds = json_number_value(json_object_get(summary, "wall_seconds"));
    json_decref(stats);
    return good;
}

static void folder_look(const struct store *store, const char *key, u32 number, struct tries *tries)
{
    char *folder = try_folder(store, key, number), *checkpoint = NULL;
    if (folder_exists(folder)) {
        checkpoint = text_format("%s/checkpoint.ogv", folder);
        if (!tries->checkpoint && file_is_plain(checkpoint)) {
            tries->checkpoint = checkpoint;
            checkpoint = NULL;
            if (number == tries->last)
                tries->lost = 0; /* it got further */
        }
    }
    if (!tries->complete && number == tries->last &&
        try_is_complete(folder, &tries->complete_seconds)) {
        tries->complete = folder;
        folder = NULL;
    }
    free(checkpoint);
    free(folder);
}

void tries_look(const struct store *store, const char *key, struct tries *tries)
{
    *tries = (struct tries){ 0 };
    char *run = store_result(store, key);
    journal_look(store, key, tries);
    for (u32 number = tries->last; number; number--)
        folder_look(store, key, number, tries);
    if (folder_exists(run) && try_is_complete(run, &tries->complete_seconds)) {
        free(tries->complete);
        tries->complete = run;
        run = NULL;
    }
    free(run);
}

void tries_fini(struct tries *tries)
{
    free(tries->checkpoint);
    free(tries->complete);
    *tries = (struct tries){ 0 };
}

void tries_remove(const struct store *store, const char *key, u32 last)
{
    for (u32 number = last; number; number--) {
        char *folder = try_folder(store, key, number);
        if (folder_exists(folder))
            folder_remove(folder, NULL);
        free(folder);
    }
}
