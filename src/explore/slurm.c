/* slurm.c - see slurm.h: submitting, and the lists of what was submitted. */
#include "explore/slurm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "explore/slurm_jobs.h"
#include "explore/tool.h"

#define ARRAY_MAX   1000 /* jobs: MaxArraySize is 1001 unless a cluster says otherwise */
#define OPTIONS_MAX 64
#define LIST_MAX    (1 * MiB)

/* ---- Options ---- */

bool slurm_check(const char *options, struct ogv_error *error)
{
    for (const char *at = options; *at;) {
        size_t length = strcspn(at, ",="), all = strcspn(at, ",");
        bool good = length;
        for (size_t i = 0; i < length; i++)
            good = good && (islower((unsigned char)at[i]) || at[i] == '-');
        if (!good || *at == '-')
            return error_user(error,
                              "--on slurm:%s: '%.*s' is not an option of sbatch as in "
                              "partition=long or exclusive",
                              options, (int)all, at);
        if (!strncmp(at, "array=", 6) || !strncmp(at, "parsable", 8) || !strncmp(at, "wrap", 4))
            return error_user(error, "--on slurm:%s: '%.*s' is what the sweep says itself", options,
                              (int)length, at);
        at += all + (at[all] == ',');
    }
    return true;
}

struct words {
    char *items[OPTIONS_MAX + 1];
    u32 count;
};

/* Takes the word. */
static void word_add(struct words *words, char *word)
{
    if (words->count < OPTIONS_MAX)
        words->items[words->count++] = word;
    else
        free(word);
}

static void words_fini(struct words *words)
{
    while (words->count)
        free(words->items[--words->count]);
}

static bool option_given(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = options; *at;) {
        if (!strncmp(at, name, length) && (at[length] == '=' || at[length] == ',' || !at[length]))
            return true;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return false;
}

static void options_add(struct words *words, const char *options)
{
    for (const char *at = options; *at;) {
        size_t length = strcspn(at, ",");
        word_add(words, text_format("--%.*s", (int)length, at));
        at += length + (at[length] == ',');
    }
}

/* What a run needs, unless the user says it. */
static void needs_add(struct words *words, const struct manifest *manifest,
                      const struct slurm_options *options)
{
    const char *given = options->options;
    if (!option_given(given, "cpus-per-task"))
        word_add(words, text_format("--cpus-per-task=%u", options->threads ? options->threads : 1));
    if (!option_given(given, "mem") && manifest->memory_bytes)
        word_add(words, text_format("--mem=%lluM",
                                    (unsigned long long)(manifest->memory_bytes / MiB + 1)));
    if (!option_given(given, "signal"))
        word_add(words, text_format("--signal=B:USR1@%d", SLURM_WARNING_SECONDS));
    if (!option_given(given, "job-name"))
        word_add(words, text_format("--job-name=%s", manifest->study));
}

/* ---- Lists ---- */

static bool list_write(const struct manifest *manifest, const u32 *runs, u32 count,
                       const char *path, struct ogv_error *error)
{
    struct text text = { 0 };
    for (u32 i = 0; i < count; i++)
        text_add(&text, "%s\n", manifest->runs[runs[i]].key);
    bool good = file_write(path, text_get(&text), text.length, error);
    text_fini(&text);
    return good;
}

char *slurm_listed(const char *list, u32 place, struct ogv_error *error)
{
    size_t length;
    char *text = file_read(list, LIST_MAX, &length, error), *at = text, *key = NULL;
    for (u32 i = 0; at && i < place; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at && strcspn(at, "\n") == HASH_TEXT_BYTES - 1)
        key = text_format("%.*s", HASH_TEXT_BYTES - 1, at);
    else if (text)
        error_user(error, "%s: has no run %u", list, place);
    free(text);
    return key;
}

/* ---- Submitting ---- */

/* The batch script: what it becomes is signalled by Slurm itself. */
static bool script_write(const struct store *store, const struct manifest *manifest,
                         const struct slurm_options *options, const char *list, const char *path,
                         struct ogv_error *error)
{
    char *home = getenv("OGIVE_HOME")
                     ? text_format("export OGIVE_HOME='%s'\n", getenv("OGIVE_HOME"))
                     : heap_copy("");
    char *root = realpath(store->path, NULL);
    char *text =
        text_format("#!/bin/sh\n%sexec '%s' sweep job '%s' --store '%s' --list '%s' "
                    "--task \"$SLURM_ARRAY_TASK_ID\" --threads %u --checkpoint-every '%s'%s"
                    "\n",
                    home, options->program, manifest->study, root ? root : store->path, list,
                    options->threads ? options->threads : 1, options->checkpoint_every,
                    options->retry ? " --retry" : "");
    bool good = strpbrk(options->program, "'\n") || strpbrk(store->path, "'\n")
                    ? error_user(error, "%s: a job cannot be told a name with a quotation mark",
                                 store->path)
                    : file_write(path, text, strlen(text), error);
    free(text);
    free(root);
    free(home);
    return good;
}

static bool array_submit(const struct store *store, const struct manifest *manifest, u32 count,
                         const struct slurm_options *options, const char *base,
                         struct ogv_error *error)
{
    char *list = text_format("%s.list", base), *script = text_format("%s.sh", base);
    char *id = text_format("%s.id", base);
    struct words words = { .count = 0 };
    struct text out = { 0 };
    word_add(&words, heap_copy("sbatch"));
    word_add(&words, heap_copy("--parsable"));
    word_add(&words, heap_copy("--requeue"));
    word_add(&words, heap_copy("--open-mode=append"));
    word_add(&words, text_format("--output=%s-%%a.log", base));
    word_add(&words, text_format("--array=0-%u", count - 1));
    needs_add(&words, manifest, options);
    options_add(&words, options->options);
    word_add(&words, heap_copy(script));
    bool good = script_write(store, manifest, options, list, script, error) &&
                tool_run(words.items, &out, error);
    if (good) {
        size_t digits = strspn(text_get(&out), "0123456789");
        good = digits
                   ? file_write(id, text_get(&out), digits, error)
                   : error_system(error, "sbatch says '%.60s' instead of a number", text_get(&out));
    }
    words_fini(&words);
    text_fini(&out);
    free(id);
    free(script);
    free(list);
    return good;
}

bool slurm_submit(const struct store *store, const struct manifest *manifest, const u32 *runs,
                  u32 count, const struct slurm_options *options, struct ogv_error *error)
{
    bool good = true;
    for (u32 from = 0; good && from < count; from += ARRAY_MAX) {
        u32 some = count - from < ARRAY_MAX ? count - from : ARRAY_MAX;
        char *base = jobs_base(store, manifest, error);
        char *list = base ? text_format("%s.list", base) : NULL;
        good = base && list_write(manifest, runs + from, some, list, error) &&
               array_submit(store, manifest, some, options, base, error);
        free(list);
        free(base);
    }
    return good;
}

bool slurm_requeue(struct ogv_error *error)
{
    const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
    if (!array || !task)
        return error_user(error, "this is no job of an array");
    char *job = text_format("%s_%s", array, task);
    struct text out = { 0 };
    bool good = tool_run((char *[]){ "scontrol", "requeue", job, NULL }, &out, error);
    text_fini(&out);
    free(job);
    return good;
}
