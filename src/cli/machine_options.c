/* machine_options.c - applies the options that every command with an architecture has: folders
 * that libraries may come from, memory that a chip may take, and settings. */
#include "cli/machine_options.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/cli.h"
#include "unit/quantity.h"

/* A folder of the list that is not there allows nothing, as with $PATH. */
static void environment_allow(const char *folders)
{
    char *list = heap_copy(folders), *rest = list, *folder;
    while ((folder = strsep(&rest, ":")))
        ogv_library_allow(folder, NULL);
    free(list);
}

bool libraries_allow(const struct text_list *libraries, struct ogv_error *error)
{
    const char *folders = getenv("OGIVE_UNIT_PATH");
    bool good = true;
    if (folders)
        environment_allow(folders);
    for (u32 i = 0; i < libraries->count && good; i++)
        good = ogv_library_allow(libraries->items[i], error);
    return good;
}

static bool memory_allow(const char *text, struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES] = "some is needed";
    u64 bytes;
    if (!text)
        return true;
    if (!quantity_read(text, PARAM_BYTES, &bytes, why) || !bytes)
        return error_user(error, "--memory %s: %s", text, why);
    ogv_memory_allow(bytes);
    return true;
}

bool machine_arguments_apply(const struct machine_arguments *arguments)
{
    struct ogv_error error;
    return (libraries_allow(&arguments->libraries, &error) &&
            memory_allow(arguments->memory, &error)) ||
           fail(&error) == EXIT_GOOD;
}

void machine_arguments_fini(struct machine_arguments *arguments)
{
    list_fini(&arguments->settings);
    list_fini(&arguments->libraries);
}

ogv_arch *arch_open(const char *name, const struct machine_arguments *arguments,
                    struct ogv_error *error)
{
    const struct text_list *settings = &arguments->settings;
    ogv_arch *arch = ogv_arch_load(name, error);
    if (arch && !arch_apply_settings(arch, settings->items, settings->count, error)) {
        ogv_arch_destroy(arch);
        return NULL;
    }
    return arch;
}
