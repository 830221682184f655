/* folder.c - claims a folder for a run: checks what is there, locks it, moves an earlier run
 * aside, and writes the log. */
#include "result/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shipped.h"

#define FOLDER_COPIES_MAX 100000
#define FOLDER_RESULTS    "results"
#define FOLDER_LOG        "log.txt"
#define FOLDER_LOG_BYTES  (16 * KiB) /* for which there is room on a disk that fills up later */

static void folder_flush(struct folder *folder)
{
    if (!journal_add(&folder->log, text_get(&folder->early), folder->early.length, NULL))
        folder->log_lost = true;
    text_fini(&folder->early);
    folder->early = (struct text){ 0 };
}

char *folder_file(const struct folder *folder, const char *name)
{
    return text_format("%s/%s", folder->path, name);
}

void folder_log(struct folder *folder, const char *format, ...)
{
    char when[32];
    time_t now = time(NULL);
    struct tm broken;
    localtime_r(&now, &broken);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &broken);
    va_list arguments;
    va_start(arguments, format);
    text_add(&folder->early, "%s  ", when);
    text_add_v(&folder->early, format, arguments);
    text_add(&folder->early, "\n");
    va_end(arguments);
    if (folder->log.path)
        folder_flush(folder);
}

void folder_log_late(const char *path, const char *text)
{
    struct folder folder = { 0 };
    if (journal_open(&folder.log, text_format("%s/" FOLDER_LOG, path), false, NULL))
        folder_log(&folder, "%s", text);
    folder_close(&folder);
}

/* ---- Names ---- */

/* The name of an architecture may hold anything; the name of a folder may not. */
static char *folder_name(const char *name)
{
    char *safe = heap_copy(*name && *name != '.' ? name : "run");
    for (char *c = safe; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '_';
    return safe;
}

/* results/NAME, results/NAME-2, ...: the first that does not exist, and is then made, so that no
 * other run takes it too. */
static char *folder_fresh(const char *name, struct ogv_error *error)
{
    if (!folder_create(FOLDER_RESULTS, error))
        return NULL;
    for (u32 i = 1; i < FOLDER_COPIES_MAX; i++) {
        char *path = i == 1 ? text_format(FOLDER_RESULTS "/%s", name)
                            : text_format(FOLDER_RESULTS "/%s-%u", name, i);
        if (mkdir(path, 0777) == 0)
            return path;
        bool taken = errno == EEXIST;
        if (!taken)
            error_system(error, "%s: cannot create this folder: %s", path, strerror(errno));
        free(path);
        if (!taken)
            return NULL;
    }
    error_system(error, FOLDER_RESULTS "/%s: there are too many folders of this name", name);
    return NULL;
}

/* Without the slashes at its end; NULL if there is no name. */
static char *folder_path(const char *out, struct ogv_error *error)
{
    size_t length = strlen(out);
    while (length > 1 && out[length - 1] == '/')
        length--;
    if (length)
        return text_format("%.*s", (int)length, out);
    error_user(error, "--out: the name of a folder is needed");
    return NULL;
}

/* ---- What is there ---- */

struct contents {
    bool run, begun;   /* begun: a file that a run writes at once, and that is not empty */
    char foreign[256]; /* a file that is no run's; "": none */
};

static void contents_look(void *context, const char *name, const char *path)
{
    struct contents *contents = context;
    /* A run that was killed at once has left no more than these. */
    static const char *const begun[] = { "log.txt", "program.elf", "program.elf.new", "series.csv",
                                         "run.json.new" };
    bool known = !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "run.json");
    u64 bytes = 0;
    contents->run = contents->run || !strcmp(name, "run.json");
    for (u32 i = 0; i < sizeof begun / sizeof *begun && !known; i++) {
        known = !strcmp(name, begun[i]);
        contents->begun = contents->begun || (known && file_size(path, &bytes) && bytes);
    }
    if (!known && !*contents->foreign)
        snprintf(contents->foreign, sizeof contents->foreign, "%s", name);
}

/* Nothing, or a run. What else a user keeps there is never mixed with a run's files. */
static bool contents_check(const char *path, bool *run, struct ogv_error *error)
{
    struct contents contents = { 0 };
    folder_list(path, "", contents_look, &contents);
    *run = contents.run || contents.begun;
    if (contents.run || !*contents.foreign)
        return true;
    return error_user(error,
                      "%s: holds files that are not of a run ('%s'); give --out an empty or new "
                      "folder, or move them away",
                      path, contents.foreign);
}

/* ---- The lock ---- */

/* -1 in `log`, and true: there is no log yet, and `flags` do not create one. Where the file system
 * knows no locks there is none. */
static bool log_lock(const char *path, int flags, int *log, struct ogv_error *error)
{
    char *file = text_format("%s/log.txt", path);
    *log = open(file, O_RDWR | O_CLOEXEC | flags, 0666);
    bool good = *log >= 0 || !(flags & O_CREAT);
    if (!good)
        error_system(error, "%s: cannot write: %s", file, strerror(errno));
    free(file);
    if (*log < 0 || flock(*log, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return good;
    close(*log);
    *log = -1;
    return error_user(error,
                      "%s: another run is writing into this folder; give this one another --out, "
                      "or wait until that one ends",
                      path);
}

static void log_unlock(int log)
{
    if (log >= 0)
        close(log);
}

bool folder_is_busy(const char *path)
{
    char *file = text_format("%s/log.txt", path);
    int log = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool busy = log >= 0 && flock(log, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    log_unlock(log);
    free(file);
    return busy;
}

/* Somebody may have moved the folder away between our opening its log and locking it. */
static bool log_is_current(const char *path, int log)
{
    char *file = text_format("%s/log.txt", path);
    bool same = descriptor_is(log, file);
    free(file);
    return same;
}

/* ---- Opening ---- */

/* Nothing is lost: an earlier run in the same place becomes PATH.old-1, PATH.old-2, ... */
static bool folder_set_aside(const char *path, char **aside, struct ogv_error *error)
{
    for (u32 i = 1; i < FOLDER_COPIES_MAX; i++) {
        char *free_path = text_format("%s.old-%u", path, i);
        bool taken = file_exists(free_path), moved = !taken && rename(path, free_path) == 0;
        int reason = errno;
        free(moved ? *aside : free_path);
        if (moved) {
            *aside = free_path;
            return true;
        }
        if (!taken)
            return error_system(error, "%s: cannot move the run that is in it: %s", path,
                                strerror(reason));
    }
    return error_system(error, "%s: holds a run, and too many were moved aside before", path);
}

/* The folder above all that is still to be made must take it. */
static bool folder_can_be_made(const char *path, struct ogv_error *error)
{
    struct stat status;
    char *above = heap_copy(path);
    while (!file_exists(above)) {
        char *slash = strrchr(above, '/');
        if (!slash || slash == above) {
            free(above);
            above = heap_copy(slash ? "/" : ".");
            break;
        }
        *slash = 0;
    }
    bool good =
        stat(above, &status) == 0 && S_ISDIR(status.st_mode)
            ? access(above, W_OK | X_OK) == 0 ||
                  error_system(error, "%s: cannot write: %s", above, strerror(errno))
            : error_user(error, "%s: cannot create this folder: '%s' is a file", path, above);
    free(above);
    return good;
}

bool folder_check(const char *out, struct ogv_error *error)
{
    char *path = folder_path(out ? out : FOLDER_RESULTS, error);
    bool run = false;
    int log = -1;
    bool good = path && folder_can_be_made(path, error) &&
                (!out || (contents_check(path, &run, error) && log_lock(path, 0, &log, error)));
    log_unlock(log);
    free(path);
    return good;
}

/* Takes the lock of whatever is there, moves that aside if it is a run, and begins anew. The lock
 * of the old run is held until the new one is. */
static bool folder_claim(const char *path, char **aside, int *log, struct ogv_error *error)
{
    int before = -1;
    bool run = true, good = true;
    while (good && run) {
        good = folder_create(path, error) && contents_check(path, &run, error) &&
               log_lock(path, O_CREAT, log, error);
        if (!good)
            break;
        run = !log_is_current(path, *log);
        good = run || (contents_check(path, &run, error) &&
                       (!run || folder_set_aside(path, aside, error)));
        if (run || !good) {
            log_unlock(before);
            before = *log;
        }
    }
    log_unlock(before);
    return good;
}

bool folder_open(struct folder *folder, const char *out, const char *name, char **aside,
                 struct ogv_error *error)
{
    int log;
    *aside = NULL;
    char *safe = folder_name(name);
    folder->path = out ? folder_path(out, error) : folder_fresh(safe, error);
    free(safe);
    if (!folder->path || !folder_claim(folder->path, aside, &log, error))
        return false;
    folder->log = (struct journal){ folder_file(folder, FOLDER_LOG), log };
    if (ftruncate(log, 0))
        return error_system(error, "%s: cannot write: %s", folder->log.path, strerror(errno));
    journal_reserve(&folder->log, FOLDER_LOG_BYTES);
    folder_flush(folder);
    return true;
}

void folder_close(struct folder *folder)
{
    journal_close(&folder->log, NULL);
    text_fini(&folder->early);
    free(folder->path);
    *folder = (struct folder){ 0 };
}
