/* shipped.c - looks for what is shipped: in the folders of $OGIVE_HOME, then around the program,
 * in a build folder or an installation. A folder that is found in two ways counts once. */
#include "base/shipped.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

struct finding {
    const char *below;
    char **folders;
    u32 count;
};

/* Each folder once, by its real path. */
static void finding_add(struct finding *finding, char *root)
{
    char *path = text_format("%s/%s", root, finding->below);
    char *real = realpath(path, NULL);
    free(path);
    free(root);
    bool known = !real || finding->count == SHIPPED_MAX;
    for (u32 i = 0; i < finding->count && !known; i++)
        known = !strcmp(finding->folders[i], real);
    if (known)
        free(real);
    else
        finding->folders[finding->count++] = real;
}

static void finding_add_program(struct finding *finding)
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
    /* BUILD/src/cli/ogive; test programs lie one level less deep; PREFIX/bin/ogive. */
    finding_add(finding, text_format("%s/../../..", program));
    finding_add(finding, text_format("%s/../..", program));
    finding_add(finding, text_format("%s/../share/ogive", program));
    finding_add(finding, text_format("%s/..", program));
}

u32 shipped_folders(const char *below, char *folders[SHIPPED_MAX])
{
    struct finding finding = { below, folders, 0 };
    const char *given = getenv("OGIVE_HOME");
    while (given && *given) {
        size_t length = strcspn(given, ":");
        finding_add(&finding, text_format("%.*s", (int)length, given));
        given += length + (given[length] == ':');
    }
    finding_add_program(&finding);
    finding_add(&finding, heap_copy(OGIVE_DATA_DIR));
    return finding.count;
}

char *shipped_find(const char *below)
{
    char *folders[SHIPPED_MAX];
    u32 count = shipped_folders(below, folders);
    for (u32 i = 1; i < count; i++)
        free(folders[i]);
    return count ? folders[0] : NULL;
}

static int name_compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

void folder_list(const char *folder, const char *ending,
                 void (*visit)(void *context, const char *name, const char *path), void *context)
{
    struct dirent **entries;
    size_t tail = strlen(ending);
    int count = scandir(folder, &entries, NULL, name_compare);
    for (int i = 0; i < count; i++) {
        const char *file = entries[i]->d_name;
        size_t length = strlen(file);
        if (length > tail && !strcmp(file + length - tail, ending)) {
            char *path = text_format("%s/%s", folder, file);
            char *name = text_format("%.*s", (int)(length - tail), file);
            visit(context, name, path);
            free(name);
            free(path);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void suggestion_offer(void *context, const char *name, const char *path)
{
    struct suggestion *suggestion = context;
    size_t before = suggestion->nearest.distance;
    (void)path;
    nearest_offer(&suggestion->nearest, name);
    if (suggestion->nearest.distance < before)
        snprintf(suggestion->best, sizeof suggestion->best, "%s", name);
    suggestion->nearest.best = suggestion->best;
}

/* ---- What is not there ---- */

/* Names of files have an ending or a folder; names of what is shipped have neither. */
static bool is_file_name(const char *typed)
{
    return strchr(typed, '/') || strchr(typed, '.');
}

/* With the slash at its end, or "". */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return text_format("%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

static const char *article(const struct shipped_kind *kind)
{
    return strchr("aeiou", *kind->what) ? "an" : "a";
}

/* Names the nearest file in the same folder. */
static bool file_refuse(const struct shipped_kind *kind, const char *typed, const char *path,
                        struct ogv_error *error)
{
    struct suggestion suggestion = { 0 };
    char hint[300];
    char *folder = folder_of(path), *shown = folder_of(typed);
    const char *within = *folder ? folder : ".";
    nearest_init(&suggestion.nearest, path + strlen(folder));
    folder_list(within, "", suggestion_offer, &suggestion);
    if (folder_exists(within))
        error_user(error, "there is no file '%s' with %s %s%s", typed, article(kind), kind->what,
                   nearest_hint(&suggestion.nearest, hint, sizeof hint));
    else
        error_user(error, "there is no file '%s', as there is no folder '%s'", typed, shown);
    free(folder);
    free(shown);
    return false;
}

bool shipped_refuse(const struct shipped_kind *kind, const char *typed, const char *path,
                    struct ogv_error *error)
{
    struct suggestion suggestion = { 0 };
    char hint[300];
    nearest_init(&suggestion.nearest, typed);
    kind->list(suggestion_offer, &suggestion);
    const char *words = nearest_hint(&suggestion.nearest, hint, sizeof hint);
    if (folder_exists(path))
        return error_user(error, "'%s' is a folder; the file or name of %s %s is needed%s", typed,
                          article(kind), kind->what, words);
    if (is_file_name(typed) && !*words)
        return file_refuse(kind, typed, path, error);
    return error_user(error, "there is no %s '%s'%s%s%s", kind->what, typed, words,
                      *words ? "" : "; ", *words ? "" : kind->listing);
}
