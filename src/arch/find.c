/* find.c - where architecture files are: the path given, next to the file that names it, then the
 * shipped folders.
 *
 * Shipped folders are those called `archs` that shipped.h finds. In `ogive export tiny >
 * tiny.yaml`, the shell has made an empty tiny.yaml before anybody looks for `tiny`: a name without
 * its ending never means an empty file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"

static bool is_meant(const char *path, const char *ending)
{
    struct stat status;
    if (stat(path, &status) || S_ISDIR(status.st_mode))
        return false;
    return !*ending || !S_ISREG(status.st_mode) || status.st_size;
}

static char *folder_try(const char *folder, size_t length, const char *name)
{
    static const char *const endings[] = { "", ".yaml" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = text_format("%.*s%s%s", (int)length, folder, name, endings[i]);
        if (is_meant(path, endings[i]))
            return path;
        free(path);
    }
    return NULL;
}

static void arch_not_found(const char *name, const char *from, size_t beside,
                           struct ogv_error *error)
{
    static const struct shipped_kind kind = { "architecture",
                                              "`ogive archs` lists the shipped ones", arch_list };
    char *path = text_format("%.*s%s", name[0] == '/' ? 0 : (int)beside, from ? from : "", name);
    shipped_refuse(&kind, name, path, error);
    free(path);
}

char *arch_find(const char *name, const char *from, struct ogv_error *error)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    size_t beside = slash ? (size_t)(slash - from) + 1 : 0;
    char *found = name[0] == '/' ? folder_try("", 0, name) : folder_try(from, beside, name);
    if (found || strchr(name, '/')) {
        if (!found)
            arch_not_found(name, from, beside, error);
        return found;
    }
    char *folders[SHIPPED_MAX];
    u32 count = shipped_folders("archs", folders);
    for (u32 i = 0; i < count; i++) {
        char *folder = text_format("%s/", folders[i]);
        if (!found)
            found = folder_try(folder, strlen(folder), name);
        free(folder);
        free(folders[i]);
    }
    if (!found)
        arch_not_found(name, from, beside, error);
    return found;
}

void arch_list(void (*visit)(void *context, const char *name, const char *path), void *context)
{
    char *folders[SHIPPED_MAX];
    u32 count = shipped_folders("archs", folders);
    for (u32 i = 0; i < count; i++) {
        folder_list(folders[i], ".yaml", visit, context);
        free(folders[i]);
    }
}

void ogv_arch_list(ogv_list_visit *visit, void *context)
{
    arch_list(visit, context);
}
