/* sweep_manage.c - `ogive sweep cancel`, `retry` and `clean`. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "cli/sweep.h"
#include "explore/index.h"
#include "explore/slurm.h"
#include "explore/standing.h"

/* ---- cancel ---- */

int sweep_cancel(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const char *path = NULL;
    const struct option_row rows[] = { STORE_ROW(path), { 0 } };
    struct store store;
    struct ogv_error error;
    u32 arrays;
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        struct manifest *manifest = sweep_open(self, &rest, path, STORE_READ, &store, &code);
        if (manifest) {
            bool good = slurm_cancel(&store, manifest, &arrays, &error);
            code = good ? EXIT_GOOD : fail(&error);
            if (good && arrays)
                printf("%u array%s of jobs cancelled; runs under way leave checkpoints\n", arrays,
                       arrays == 1 ? "" : "s");
            else if (good)
                printf("nothing of %s is in the queue\n", manifest->study);
            manifest_destroy(manifest);
            store_close(&store);
        }
    }
    list_fini(&rest);
    return code;
}

/* ---- Runs of a kind ---- */

typedef bool run_change(const struct store *store, const char *key, struct ogv_error *error);

/* Those under way are left alone. */
static bool run_change_locked(const struct store *store, const char *key, run_change *change,
                              u32 *changed, u32 *busy, struct ogv_error *error)
{
    int lock = store_lock(store, key, error);
    if (lock < 0 && !error->kind) {
        ++*busy;
        return true;
    }
    bool good = lock >= 0 && change(store, key, error);
    *changed += good;
    if (lock >= 0)
        close(lock);
    return good;
}

static bool class_read(const char *text, enum run_class *class)
{
    const char *words[RUN_CLASSES + 1] = { 0 };
    struct nearest nearest;
    char hint[64];
    *class = text ? class_find(text) : RUN_CLASSES;
    if (!text || *class != RUN_CLASSES)
        return true;
    nearest_init(&nearest, text);
    for (u32 i = 0; i < RUN_CLASSES; i++) {
        words[i] = run_classes[i].words;
        nearest_offer(&nearest, words[i]);
    }
    say_error("sweep retry: --class %s: there is no such class%s", text,
              nearest_hint(&nearest, hint, sizeof hint));
    return false;
}

/* ---- retry ---- */

static int retry_do(const struct store *store, const struct manifest *manifest,
                    enum run_class class)
{
    struct standing standing;
    struct ogv_error error;
    u32 changed = 0, busy = 0;
    if (!standing_look(store, manifest, &standing, &error))
        return fail(&error);
    bool good = true;
    for (u32 i = 0; good && i < manifest->count; i++)
        if (standing.states[i] == STANDING_FAILED &&
            (class == RUN_CLASSES || standing.outcomes[i].class == class))
            good = run_change_locked(store, manifest->runs[i].key, outcome_forget, &changed, &busy,
                                     &error);
    standing_fini(&standing);
    printf("%u failed run%s will be made again by the next sweep\n", changed,
           changed == 1 ? "" : "s");
    return good ? EXIT_GOOD : fail(&error);
}

int sweep_retry(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const char *path = NULL, *class_text = NULL;
    const struct option_row rows[] = {
        STORE_ROW(path),
        { 0, "class", "CLASS",
          "only these: refused, deadlock, fault, out of memory, time, killed, crashed, lost node",
          OPTION_TEXT, &class_text },
        { 0 },
    };
    struct store store;
    enum run_class class;
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        code = EXIT_USER;
        struct manifest *manifest = class_read(class_text, &class)
                                        ? sweep_open(self, &rest, path, STORE_WRITE, &store, &code)
                                        : NULL;
        if (manifest) {
            code = retry_do(&store, manifest, class);
            manifest_destroy(manifest);
            store_close(&store);
        }
    }
    list_fini(&rest);
    return code;
}

/* ---- clean ---- */

static int clean_end(const struct store *store, u32 changed, u32 busy, bool good,
                     struct ogv_error *error)
{
    good = good && index_compact(store, error);
    printf("%u run%s removed", changed, changed == 1 ? "" : "s");
    if (busy)
        printf("; %u that are under way were left alone", busy);
    printf("\n");
    return good ? EXIT_GOOD : fail(error);
}

static int clean_study(const struct store *store, const struct manifest *manifest, bool all)
{
    struct standing standing;
    struct ogv_error error = { 0 };
    u32 changed = 0, busy = 0;
    if (!standing_look(store, manifest, &standing, &error))
        return fail(&error);
    bool good = true;
    for (u32 i = 0; good && i < manifest->count; i++) {
        u8 state = standing.states[i];
        if (state != STANDING_WAITING && (all || state == STANDING_FAILED))
            good = run_change_locked(store, manifest->runs[i].key, store_remove, &changed, &busy,
                                     &error);
    }
    standing_fini(&standing);
    return clean_end(store, changed, busy, good, &error);
}

/* Keys that some study has, in a tree of texts. */
struct used_keys {
    const struct store *store;
    char (*keys)[HASH_TEXT_BYTES];
    u32 count;
};

static void study_visit(void *context, const char *name, const char *path)
{
    struct used_keys *used = context;
    struct ogv_error ignored;
    (void)path;
    struct manifest *manifest = manifest_read(used->store, name, &ignored);
    u32 more = manifest ? manifest->count : 0;
    used->keys = heap_grow(used->keys, used->count + more + 1, sizeof *used->keys);
    for (u32 i = 0; i < more; i++)
        memcpy(used->keys[used->count++], manifest->runs[i].key, HASH_TEXT_BYTES);
    manifest_destroy(manifest);
}

static int keys_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool folder_clean(const struct store *store, const char *folder,
                         const struct used_keys *used, u32 *changed, u32 *busy,
                         struct ogv_error *error)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    bool good = true;
    while (entries && good && (entry = readdir(entries))) {
        if (strlen(entry->d_name) != HASH_TEXT_BYTES - 1 ||
            (used->count &&
             bsearch(entry->d_name, used->keys, used->count, sizeof *used->keys, keys_compare)))
            continue;
        good = run_change_locked(store, entry->d_name, store_remove, changed, busy, error);
    }
    if (entries)
        closedir(entries);
    return good;
}

/* What no study has any more: those of builds and files as they were. */
static int clean_unused(const struct store *store)
{
    struct used_keys used = { .store = store };
    struct ogv_error error = { 0 };
    char *studies = text_format("%s/studies", store->path);
    u32 changed = 0, busy = 0;
    bool good = true;
    folder_list(studies, ".json", study_visit, &used);
    if (used.count)
        qsort(used.keys, used.count, sizeof *used.keys, keys_compare);
    for (u32 i = 0; good && i < 256; i++) {
        char *folder = text_format("%s/runs/%02x", store->path, i);
        good = folder_clean(store, folder, &used, &changed, &busy, &error);
        free(folder);
    }
    free(used.keys);
    free(studies);
    return clean_end(store, changed, busy, good, &error);
}

struct clean_arguments {
    struct text_list rest;
    const char *store;
    bool failed, all, unused;
};

static int clean_with(const struct command *self, const struct clean_arguments *a)
{
    struct store store;
    struct ogv_error error;
    int code = EXIT_USER;
    if (a->failed + a->all + a->unused != 1 || (a->unused && a->rest.count)) {
        say_error("sweep clean: needs one of --failed, --all, both with a study, and --unused; "
                  "usage: ogive %s %s",
                  self->name, self->usage);
        return EXIT_USER;
    }
    if (a->unused) {
        if (!store_open(&store, a->store ? a->store : STORE_DEFAULT, STORE_READ, &error))
            return fail(&error);
        code = clean_unused(&store);
        store_close(&store);
        return code;
    }
    struct manifest *manifest = sweep_open(self, &a->rest, a->store, STORE_READ, &store, &code);
    if (manifest) {
        code = clean_study(&store, manifest, a->all);
        manifest_destroy(manifest);
        store_close(&store);
    }
    return code;
}

int sweep_clean(const struct command *self, int argc, char **argv)
{
    struct clean_arguments a = { 0 };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "failed", NULL, "of the study: runs that have failed", OPTION_FLAG, &a.failed },
        { 0, "all", NULL, "of the study: all runs", OPTION_FLAG, &a.all },
        { 0, "unused", NULL, "runs that no study of the store has any more", OPTION_FLAG,
          &a.unused },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code))
        code = clean_with(self, &a);
    list_fini(&a.rest);
    return code;
}
