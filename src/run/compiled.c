/* compiled.c - see compiled.h. */
#include "run/compiled.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/shipped.h"

#define KIND          "program"
#define PROGRAM_LIMIT (64 * MiB)

struct keying {
    struct hash *key;
    bool good; /* so far */
};

static void file_add(void *context, const char *name, const char *path)
{
    struct keying *keying = context;
    char digits[HASH_TEXT_BYTES];
    if (!file_is_plain(path))
        return;
    keying->good = keying->good && hash_file(path, digits);
    if (!keying->good)
        return;
    hash_add_text(keying->key, name);
    hash_add_text(keying->key, digits);
}

/* Files of a folder, but not those of folders within it. */
static void folder_add(struct keying *keying, const char *below)
{
    char *folder = shipped_find(below);
    keying->good = keying->good && folder;
    if (keying->good) {
        hash_add_text(keying->key, folder);
        folder_list(folder, "", file_add, keying);
    }
    free(folder);
}

/* A file that is installed: a later version of it has another time or size. */
static void tool_add(struct keying *keying, const char *path)
{
    struct stat status;
    keying->good = keying->good && !stat(path, &status);
    if (!keying->good)
        return;
    hash_add_text(keying->key, path);
    hash_add_u64(keying->key, (u64)status.st_size);
    hash_add_u64(keying->key, (u64)status.st_mtim.tv_sec);
    hash_add_u64(keying->key, (u64)status.st_mtim.tv_nsec);
}

/* Where a command is, as the shell finds it; NULL if nowhere. */
static char *command_find(const char *command)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        char *path = text_format("%.*s/%s", (int)length, at, command);
        if (length && file_is_plain(path) && !access(path, X_OK))
            return path;
        free(path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static void tools_add(struct keying *keying, const char *specs)
{
    static const char *const commands[] = { COMPILED_COMPILER, "riscv64-unknown-elf-as",
                                            "riscv64-unknown-elf-ld" };
    for (u32 i = 0; i < sizeof commands / sizeof *commands; i++) {
        char *path = command_find(commands[i]);
        tool_add(keying, path ? path : "");
        free(path);
    }
    tool_add(keying, specs);
}

static void environment_add(struct keying *keying)
{
    static const char *const names[] = {
        "CPATH",         "C_INCLUDE_PATH",  "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
        "COMPILER_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH"
    };
    char *here = get_current_dir_name();
    for (u32 i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        hash_add_text(keying->key, value ? value : "");
    }
    keying->good = keying->good && here;
    hash_add_text(keying->key, here ? here : "");
    free(here);
}

bool compiled_name(const char *source, struct compile_formats formats, const char *specs,
                   char name[CACHE_NAME_BYTES])
{
    static const char *const folders[] = { "programs", "programs/runtime", "include/ogive" };
    if (!cache_is_on())
        return false;
    struct keying keying = { cache_key(KIND), true };
    hash_add_text(keying.key, source);
    hash_add_text(keying.key, formats.nodes ? formats.nodes : "");
    hash_add_text(keying.key, formats.primitives ? formats.primitives : "");
    hash_add_u64(keying.key, formats.treelet_bytes);
    hash_add_u64(keying.key, formats.pipelines);
    for (u32 i = 0; i < sizeof folders / sizeof *folders; i++)
        folder_add(&keying, folders[i]);
    tools_add(&keying, specs);
    environment_add(&keying);
    cache_name(keying.key, KIND, name);
    return keying.good;
}

bool compiled_take(const char *name, const char *out)
{
    u64 length;
    u8 *bytes = cache_read(name, &length);
    bool good = bytes && file_write(out, bytes, length, NULL);
    free(bytes);
    return good;
}

void compiled_put(const char *name, const char *out)
{
    size_t length;
    char *bytes = file_read(out, PROGRAM_LIMIT, &length, NULL);
    if (bytes)
        cache_put(name, &(struct cache_part){ bytes, length }, 1);
    free(bytes);
}
