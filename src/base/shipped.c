/* shipped.c - looks for what is shipped: in the folders of $OGIVE_HOME, then around the program and
 * the library, in a source tree or an installation, then where it was to be installed. A folder
 * that is found in two ways counts once.
 *
 * Around a program there may be folders of the same names that are somebody else's: /usr/include
 * lies where a program in /usr/local/bin would have its source tree. So a source tree must look
 * like one, and headers must be ours. */
#include "base/shipped.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "installed_places.h"

#define HEADERS "include"

struct finding {
    const char *below;
    char **folders;
    u32 count;
};

/* Each folder once, by its real path. Takes over the text. */
static void finding_add(struct finding *finding, char *folder)
{
    char *real = realpath(folder, NULL);
    free(folder);
    bool known = !real || finding->count == SHIPPED_MAX;
    for (u32 i = 0; i < finding->count && !known; i++)
        known = !strcmp(finding->folders[i], real);
    if (known)
        free(real);
    else
        finding->folders[finding->count++] = real;
}

static void finding_add_root(struct finding *finding, const char *root)
{
    finding_add(finding, text_format("%s/%s", root, finding->below));
}

static bool path_exists(const char *folder, const char *below)
{
    char *path = text_format("%s/%s", folder, below);
    bool exists = file_exists(path);
    free(path);
    return exists;
}

/* Where the program or the library lies, and the way up from there. */
static void finding_add_source(struct finding *finding, const char *folder, const char *up)
{
    char *root = text_format("%s/%s", folder, up);
    if (path_exists(root, "src/unit/units.def"))
        finding_add_root(finding, root);
    free(root);
}

static void finding_add_installed(struct finding *finding, const char *data, const char *headers)
{
    if (strcmp(finding->below, HEADERS))
        finding_add_root(finding, data);
    else if (path_exists(headers, "ogive/unit.h"))
        finding_add(finding, heap_copy(headers));
}

static void finding_add_prefix(struct finding *finding, const char *folder, const char *up)
{
    char *data = text_format("%s/%s/share/ogive", folder, up);
    char *headers = text_format("%s/%s/" HEADERS, folder, up);
    finding_add_installed(finding, data, headers);
    free(data);
    free(headers);
}

static bool folder_of_program(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    char *slash = length > 0 ? memrchr(folder, '/', (size_t)length) : NULL;
    if (slash)
        *slash = 0;
    return slash;
}

/* False where the library is a part of the program. */
static bool folder_of_library(char *folder, size_t size)
{
    static const char here;
    Dl_info info;
    if (!dladdr(&here, &info) || !strstr(info.dli_fname, "libogive.so"))
        return false;
    snprintf(folder, size, "%s", info.dli_fname);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    return slash;
}

static void finding_add_program(struct finding *finding)
{
    char folder[4096];
    if (!folder_of_program(folder, sizeof folder))
        return;
    /* PREFIX/bin/ogive; BUILD/src/cli/ogive; test programs lie one level less deep. */
    finding_add_prefix(finding, folder, "..");
    finding_add_source(finding, folder, "../../..");
    finding_add_source(finding, folder, "../..");
}

static void finding_add_library(struct finding *finding)
{
    char folder[4096];
    if (!folder_of_library(folder, sizeof folder))
        return;
    /* PREFIX/lib/libogive.so, PREFIX/lib/x86_64-linux-gnu/libogive.so; BUILD/src/libogive.so. */
    finding_add_prefix(finding, folder, "..");
    finding_add_prefix(finding, folder, "../..");
    finding_add_source(finding, folder, "../..");
}

u32 shipped_folders(const char *below, char *folders[SHIPPED_MAX])
{
    struct finding finding = { below, folders, 0 };
    const char *given = getenv("OGIVE_HOME");
    while (given && *given) {
        size_t length = strcspn(given, ":");
        finding_add(&finding, text_format("%.*s/%s", (int)length, given, below));
        given += length + (given[length] == ':');
    }
    finding_add_program(&finding);
    finding_add_library(&finding);
    finding_add_installed(&finding, OGIVE_DATA_DIR, OGIVE_INCLUDE_DIR);
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

char *shipped_program(void)
{
    static const char *const places[] = { "../bin/ogive", "../../bin/ogive", "cli/ogive" };
    char folder[4096];
    bool library = folder_of_library(folder, sizeof folder);
    for (u32 i = 0; library && i < sizeof places / sizeof *places; i++)
        if (path_exists(folder, places[i]))
            return text_format("%s/%s", folder, places[i]);
    return heap_copy(OGIVE_BIN_DIR "/ogive");
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
