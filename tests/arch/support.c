/* support.c - descriptions and systems from text, in a folder that lasts as long as a group of
 * tests. Whatever goes wrong fails the test with the error's message. */
#include "support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

ogv_arch *arch_from(const char *text)
{
    struct ogv_error error;
    ogv_arch *arch = arch_parse("text", text, strlen(text), ARCH_ALONE, &error);
    assert_good(arch, error);
    return arch;
}

struct plan *plan_from(const char *text)
{
    struct ogv_error error;
    ogv_arch *arch = arch_from(text);
    struct plan *plan = plan_create(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(plan, error);
    return plan;
}

char *export_from(const char *text)
{
    struct plan *plan = plan_from(text);
    struct text out = { 0 };
    plan_export(plan, &out);
    plan_destroy(plan);
    return out.chars;
}

char *file_text(const char *path, size_t *length)
{
    struct ogv_error error;
    char *text = file_read(path, 64 * MiB, length, &error);
    assert_good(text, error);
    return text;
}

/* ---- Folder ---- */

static char folder[64];

int folder_setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ogive-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

int folder_teardown(void **state)
{
    (void)state;
    return nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

const char *folder_path(const char *name)
{
    static char paths[16][256];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *folder_file(const char *name, const char *text)
{
    struct ogv_error error;
    const char *path = folder_path(name);
    assert_good(file_write(path, text, strlen(text), &error), error);
    return path;
}

/* ---- Running ---- */

ogv_system *system_from(const char *text)
{
    struct ogv_error error;
    ogv_arch *arch = arch_from(text);
    ogv_system *system = ogv_system_create(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(system, error);
    return system;
}

double stat_of(ogv_system *system, const char *path)
{
    struct ogv_error error;
    double value;
    assert_good(ogv_system_stat(system, path, &value, &error), error);
    return value;
}
