/* folder.c - see folder.h. */
#include "run/folder.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define FOLDER_COPIES_MAX 100000

char *folder_file(const struct folder *folder, const char *name)
{
    return text_format("%s/%s", folder->path, name);
}

void folder_log(struct folder *folder, const char *format, ...)
{
    if (!folder->log)
        return;
    char when[32];
    time_t now = time(NULL);
    struct tm broken;
    localtime_r(&now, &broken);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &broken);
    va_list arguments;
    va_start(arguments, format);
    fprintf(folder->log, "%s  ", when);
    vfprintf(folder->log, format, arguments);
    fputc('\n', folder->log);
    fflush(folder->log);
    va_end(arguments);
}

/* The name of an architecture may hold anything; the name of a folder may not. */
static char *folder_name(const char *name)
{
    char *safe = heap_copy(*name && *name != '.' ? name : "run");
    for (char *c = safe; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '_';
    return safe;
}

/* results/NAME, results/NAME-2, ...: the first that does not exist. */
static char *folder_fresh(const char *name)
{
    for (u32 i = 1; i < FOLDER_COPIES_MAX; i++) {
        char *path =
            i == 1 ? text_format("results/%s", name) : text_format("results/%s-%u", name, i);
        if (!file_exists(path))
            return path;
        free(path);
    }
    return text_format("results/%s", name);
}

/* Nothing is lost: an earlier run in the same place becomes PATH.old-1, PATH.old-2, ... */
static bool folder_set_aside(const char *path, const struct run_listener *listener,
                             struct ogv_error *error)
{
    char *run = text_format("%s/run.json", path);
    bool holds_run = file_exists(run);
    free(run);
    if (!holds_run)
        return true;
    for (u32 i = 1; i < FOLDER_COPIES_MAX; i++) {
        char *aside = text_format("%s.old-%u", path, i);
        bool taken = file_exists(aside);
        bool moved = !taken && rename(path, aside) == 0;
        int reason = errno;
        if (moved && listener->note) {
            char *text = text_format("%s held a run already; that one is now %s", path, aside);
            listener->note(listener->context, text);
            free(text);
        }
        free(aside);
        if (moved)
            return true;
        if (!taken)
            return error_system(error, "%s: cannot move the run that is in it: %s", path,
                                strerror(reason));
    }
    return error_system(error, "%s: holds a run, and too many were moved aside before", path);
}

bool folder_open(struct folder *folder, const char *out, const char *name,
                 const struct run_listener *listener, struct ogv_error *error)
{
    char *safe = folder_name(name);
    *folder = (struct folder){ .path = out ? heap_copy(out) : folder_fresh(safe) };
    free(safe);
    size_t length = strlen(folder->path);
    while (length > 1 && folder->path[length - 1] == '/')
        folder->path[--length] = 0;
    if (!length)
        return error_user(error, "--out: the name of a folder is needed");
    if (!folder_set_aside(folder->path, listener, error) || !folder_create(folder->path, error))
        return false;
    char *log = folder_file(folder, "log.txt");
    folder->log = fopen(log, "we");
    if (!folder->log)
        error_system(error, "%s: cannot write: %s", log, strerror(errno));
    free(log);
    return folder->log;
}

void folder_close(struct folder *folder)
{
    if (folder->log)
        fclose(folder->log);
    free(folder->path);
    *folder = (struct folder){ 0 };
}
