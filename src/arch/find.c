/* find.c - where architecture files are: the path given, next to the file that names it, then the
 * shipped folders.
 *
 * Shipped folders: those of $OGIVE_ARCHS (separated by colons), the one that belongs to the running
 * program in a build tree or an installation, and the one of the configured prefix. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define FOLDERS_MAX 16

struct folders {
    char *paths[FOLDERS_MAX];
    u32 count;
};

static void folders_add(struct folders *folders, char *path)
{
    if (folders->count < FOLDERS_MAX && file_exists(path))
        folders->paths[folders->count++] = path;
    else
        free(path);
}

static void folders_add_program(struct folders *folders)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (!slash)
        return;
    *slash = 0;
    /* BUILD/src/cli/ogive and PREFIX/bin/ogive; test programs lie one level less deep than the
     * former. */
    folders_add(folders, text_format("%s/../../../archs", program));
    folders_add(folders, text_format("%s/../../archs", program));
    folders_add(folders, text_format("%s/../share/ogive/archs", program));
}

static void folders_init(struct folders *folders)
{
    folders->count = 0;
    const char *given = getenv("OGIVE_ARCHS");
    while (given && *given) {
        size_t length = strcspn(given, ":");
        folders_add(folders, text_format("%.*s", (int)length, given));
        given += length + (given[length] == ':');
    }
    folders_add_program(folders);
    folders_add(folders, text_format("%s/archs", OGIVE_DATA_DIR));
}

static void folders_fini(struct folders *folders)
{
    while (folders->count)
        free(folders->paths[--folders->count]);
}

static char *folder_try(const char *folder, size_t length, const char *name)
{
    static const char *const endings[] = { "", ".yaml" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = text_format("%.*s%s%s", (int)length, folder, name, endings[i]);
        struct stat status;
        if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
            return path;
        free(path);
    }
    return NULL;
}

struct suggestion {
    struct nearest nearest;
    char best[256];
};

static void suggestion_offer(void *context, const char *name, const char *path)
{
    struct suggestion *suggestion = context;
    size_t before = suggestion->nearest.distance;
    (void)path;
    nearest_offer(&suggestion->nearest, name);
    if (suggestion->nearest.distance < before)
        snprintf(suggestion->best, sizeof suggestion->best, "%s", name);
    suggestion->nearest.best = suggestion->best;
}

static void arch_not_found(const char *name, struct ogv_error *error)
{
    struct suggestion suggestion;
    char hint[300];
    nearest_init(&suggestion.nearest, name);
    arch_list(suggestion_offer, &suggestion);
    const char *words = nearest_hint(&suggestion.nearest, hint, sizeof hint);
    error_user(error, "there is no architecture file '%s'%s%s", name, words,
               *words ? "" : "; `ogive archs` lists the shipped ones");
}

char *arch_find(const char *name, const char *from, struct ogv_error *error)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    size_t beside = slash ? (size_t)(slash - from) + 1 : 0;
    char *found = name[0] == '/' ? folder_try("", 0, name) : folder_try(from, beside, name);
    if (found || strchr(name, '/')) {
        if (!found)
            arch_not_found(name, error);
        return found;
    }
    struct folders folders;
    folders_init(&folders);
    for (u32 i = 0; i < folders.count && !found; i++) {
        char *folder = text_format("%s/", folders.paths[i]);
        found = folder_try(folder, strlen(folder), name);
        free(folder);
    }
    folders_fini(&folders);
    if (!found)
        arch_not_found(name, error);
    return found;
}

static int name_compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int name_is_yaml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".yaml");
}

static void folder_list(const char *folder,
                        void (*visit)(void *context, const char *name, const char *path),
                        void *context)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, name_is_yaml, name_compare);
    for (int i = 0; i < count; i++) {
        char *path = text_format("%s/%s", folder, entries[i]->d_name);
        char *name = text_format("%.*s", (int)strlen(entries[i]->d_name) - 5, entries[i]->d_name);
        visit(context, name, path);
        free(name);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void arch_list(void (*visit)(void *context, const char *name, const char *path), void *context)
{
    struct folders folders;
    folders_init(&folders);
    for (u32 i = 0; i < folders.count; i++) {
        bool seen = false;
        for (u32 k = 0; k < i; k++) {
            char *a = realpath(folders.paths[i], NULL), *b = realpath(folders.paths[k], NULL);
            seen = seen || (a && b && !strcmp(a, b));
            free(a);
            free(b);
        }
        if (!seen)
            folder_list(folders.paths[i], visit, context);
    }
    folders_fini(&folders);
}
