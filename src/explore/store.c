/* store.c - see store.h. */
#include "explore/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "explore/index.h"

#define STORE_MARK     "store.txt"
#define STORE_VERSION  "ogive store 1\n"
#define RESULT_FILE    "result.json"
#define OUTCOME_MAX    (64 * KiB)
#define REMOVE_AT_ONCE 32 /* folders that are open while a tree is removed */

const struct class_row run_classes[RUN_CLASSES] = {
#define RUN_CLASS(name, words, fails, help) { words, fails, help },
#include "explore/classes.def"
#undef RUN_CLASS
};

enum run_class class_find(const char *words)
{
    u32 i = 0;
    while (i < RUN_CLASSES && strcmp(run_classes[i].words, words))
        i++;
    return (enum run_class)i;
}

/* ---- The store ---- */

static bool mark_check(const char *mark, struct ogv_error *error)
{
    size_t length;
    char *text = file_read(mark, KiB, &length, error);
    bool good = text && !strcmp(text, STORE_VERSION);
    if (text && !good)
        error_user(error, "%s: is of another version of Ogive", mark);
    free(text);
    return good;
}

/* Sweeps may begin a store at the same time: each writes a mark of its own and moves it there. */
static bool mark_write(const char *mark, struct ogv_error *error)
{
    char *own = text_format("%s.%ld", mark, (long)getpid());
    bool good = file_write(own, STORE_VERSION, strlen(STORE_VERSION), error);
    if (good && rename(own, mark))
        good = error_system(error, "%s: cannot write: %s", mark, strerror(errno));
    free(own);
    return good;
}

/* Entries of a folder, but for marks that other sweeps are about to move. */
static u32 folder_entries(const char *path)
{
    u32 entries = 0;
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        entries +=
            entry->d_name[0] != '.' && strncmp(entry->d_name, STORE_MARK, strlen(STORE_MARK));
    if (folder)
        closedir(folder);
    return entries;
}

/* An empty folder, or a new one, becomes a store; one with other files does not. */
static bool store_found(const char *path, const char *mark, struct ogv_error *error)
{
    if (folder_entries(path) && !file_exists(mark))
        return error_user(error,
                          "%s: holds files that are not of a store; give --store an empty or new "
                          "folder",
                          path);
    return folder_create(path, error) && mark_write(mark, error);
}

static bool store_prepare(const struct store *store, struct ogv_error *error)
{
    static const char *const below[] = { "runs", "figures", "studies" };
    bool good = access(store->path, W_OK | X_OK) == 0 ||
                error_system(error, "%s: cannot write: %s", store->path, strerror(errno));
    for (u32 i = 0; good && i < sizeof below / sizeof *below; i++) {
        char *path = text_format("%s/%s", store->path, below[i]);
        good = folder_create(path, error);
        free(path);
    }
    return good;
}

bool store_open(struct store *store, const char *path, enum store_use use, struct ogv_error *error)
{
    *store = (struct store){ heap_copy(path) };
    char *mark = text_format("%s/" STORE_MARK, path);
    bool good = true;
    if (!file_exists(mark))
        good = use == STORE_WRITE ? store_found(path, mark, error)
                                  : error_user(error,
                                               "%s: there is no store of results; `ogive sweep "
                                               "STUDY.yaml` makes one (--store says where)",
                                               path);
    good = good && mark_check(mark, error) && (use == STORE_READ || store_prepare(store, error));
    free(mark);
    if (!good)
        store_close(store);
    return good;
}

void store_close(struct store *store)
{
    free(store->path);
    *store = (struct store){ 0 };
}

char *store_folder(const struct store *store, const char *key)
{
    return text_format("%s/runs/%.2s/%s", store->path, key, key);
}

char *store_file(const struct store *store, const char *key, const char *name)
{
    return text_format("%s/runs/%.2s/%s/%s", store->path, key, key, name);
}

char *store_result(const struct store *store, const char *key)
{
    return store_file(store, key, "run");
}

bool store_put(const char *path, const char *text, size_t length, struct ogv_error *error)
{
    char *draft = text_format("%s.%ld", path, (long)getpid());
    bool good = file_write(draft, text, length, error) &&
                (rename(draft, path) == 0 ||
                 error_system(error, "%s: cannot write: %s", path, strerror(errno)));
    free(draft);
    return good;
}

/* ---- Locks ---- */

int store_lock(const struct store *store, const char *key, struct ogv_error *error)
{
    char *folder = store_folder(store, key), *path = store_file(store, key, "lock");
    int lock = -1;
    bool again = true;
    *error = (struct ogv_error){ 0 };
    while (again && folder_create(folder, error)) {
        again = false;
        lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0 && errno == ENOENT) {
            again = true; /* removed again at once */
        } else if (lock < 0) {
            error_system(error, "%s: cannot write: %s", path, strerror(errno));
        } else if (flock(lock, LOCK_EX | LOCK_NB)) {
            close(lock);
            lock = -1;
        } else if (!descriptor_is(lock, path)) { /* the folder was removed before we had it */
            close(lock);
            lock = -1;
            again = true;
        }
    }
    free(folder);
    free(path);
    return lock;
}

bool store_is_busy(const struct store *store, const char *key)
{
    char *path = store_file(store, key, "lock");
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    bool busy = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (lock >= 0)
        close(lock);
    free(path);
    return busy;
}

/* ---- Outcomes ---- */

bool outcome_read(const struct store *store, const char *key, struct outcome *outcome)
{
    char *path = store_file(store, key, RESULT_FILE);
    size_t length;
    char *text = file_read(path, OUTCOME_MAX, &length, NULL);
    json_t *object = text ? json_loads(text, 0, NULL) : NULL;
    const char *class = json_string_value(json_object_get(object, "class"));
    *outcome = (struct outcome){ .class = class ? class_find(class) : RUN_CLASSES };
    outcome->exit_code = (int)json_integer_value(json_object_get(object, "exit_code"));
    outcome->seconds = json_number_value(json_object_get(object, "seconds"));
    outcome->peak_bytes = (u64)json_integer_value(json_object_get(object, "peak_bytes"));
    outcome->tries = (u32)json_integer_value(json_object_get(object, "tries"));
    json_decref(object);
    free(text);
    free(path);
    return outcome->class != RUN_CLASSES;
}

bool outcome_write(const struct store *store, const char *key, const struct outcome *outcome,
                   struct ogv_error *error)
{
    char *path = store_file(store, key, RESULT_FILE);
    char *text =
        text_format("{\n \"class\": \"%s\",\n \"exit_code\": %d,\n \"seconds\": %.3f,\n "
                    "\"peak_bytes\": %llu,\n \"tries\": %u\n}\n",
                    run_classes[outcome->class].words, outcome->exit_code, outcome->seconds,
                    (unsigned long long)outcome->peak_bytes, outcome->tries);
    bool good =
        file_write(path, text, strlen(text), error) && index_add(store, key, outcome, error);
    free(text);
    free(path);
    return good;
}

bool outcome_forget(const struct store *store, const char *key, struct ogv_error *error)
{
    char *path = store_file(store, key, RESULT_FILE);
    bool good = unlink(path) == 0 || errno == ENOENT ||
                error_system(error, "%s: cannot remove: %s", path, strerror(errno));
    free(path);
    return good && index_drop(store, key, error);
}

/* ---- Removing ---- */

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

bool folder_remove(const char *path, struct ogv_error *error)
{
    return nftw(path, entry_remove, REMOVE_AT_ONCE, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT ||
           error_system(error, "%s: cannot remove: %s", path, strerror(errno));
}

/* First the result, so that what is left of a removal that was interrupted is no result. */
bool store_remove(const struct store *store, const char *key, struct ogv_error *error)
{
    char *folder = store_folder(store, key);
    bool good = outcome_forget(store, key, error) && folder_remove(folder, error);
    free(folder);
    return good;
}
