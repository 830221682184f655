/* compile.c - see compile.h.
 *
 * The compiler is run without a shell; what it has to say goes to the user unchanged. Headers and
 * the start code are found like shipped architectures: next to the program in a build tree or an
 * installation. */
#include "run/compile.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"

extern char **environ;

#define ARGUMENTS_MAX 64

struct command_line {
    char *words[ARGUMENTS_MAX];
    u32 count;
};

static void line_add(struct command_line *line, const char *word)
{
    if (line->count + 1 < ARGUMENTS_MAX)
        line->words[line->count++] = heap_copy(word);
}

static void line_fini(struct command_line *line)
{
    while (line->count)
        free(line->words[--line->count]);
}

static bool line_run(struct command_line *line, const char *missing, struct ogv_error *error)
{
    pid_t child;
    int status = 0;
    int failed = posix_spawnp(&child, line->words[0], NULL, NULL, line->words, environ);
    if (failed)
        return error_system(error, "cannot run %s: %s; %s", line->words[0], strerror(failed),
                            missing);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_system(error, "cannot run %s; %s", line->words[0], missing);
    return error_user(error, "%s could not compile the program", line->words[0]);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && !strcmp(text + length - tail, ending);
}

static bool is_cpp(const char *name)
{
    return ends_with(name, ".cpp") || ends_with(name, ".cc") || ends_with(name, ".cxx");
}

static bool is_source(const char *name)
{
    return is_cpp(name) || ends_with(name, ".c");
}

/* The file behind a name: itself, or a shipped program. */
static char *program_find(const char *name, struct ogv_error *error)
{
    static const char *const endings[] = { ".c", ".cpp" };
    if (file_exists(name))
        return heap_copy(name);
    char *folder = strchr(name, '/') ? NULL : shipped_find("programs");
    for (u32 i = 0; folder && i < 2; i++) {
        char *path = text_format("%s/%s%s", folder, name, endings[i]);
        if (file_exists(path)) {
            free(folder);
            return path;
        }
        free(path);
    }
    free(folder);
    error_user(error, "there is no program '%s'; `ogive programs` lists the shipped ones", name);
    return NULL;
}

static void line_add_include(struct command_line *line)
{
    char *include = shipped_find("include");
    if (include) {
        line_add(line, "-I");
        line_add(line, include);
    }
    free(include);
}

static bool compile_device(const char *source, const char *out, struct ogv_error *error)
{
    static const char *const flags[] = { "-O2",
                                         "-g",
                                         "-march=rv64imafdc",
                                         "-mabi=lp64d",
                                         "-mcmodel=medany",
                                         "-DOGIVE_DEVICE",
                                         "-ffp-contract=off",
                                         "-nostartfiles",
                                         "--specs=picolibc.specs" };
    static const char *const cpp_flags[] = { "-fno-exceptions", "-fno-rtti",
                                             "-fno-threadsafe-statics" };
    struct command_line line = { 0 };
    char *runtime = shipped_find("programs/runtime");
    if (!runtime)
        return error_system(error,
                            "the start code of device programs (programs/runtime) is missing");
    line_add(&line, is_cpp(source) ? "riscv64-unknown-elf-g++" : "riscv64-unknown-elf-gcc");
    for (u32 i = 0; i < sizeof flags / sizeof *flags; i++)
        line_add(&line, flags[i]);
    for (u32 i = 0; is_cpp(source) && i < sizeof cpp_flags / sizeof *cpp_flags; i++)
        line_add(&line, cpp_flags[i]);
    line_add_include(&line);
    char *script = text_format("-T%s/link.ld", runtime),
         *start = text_format("%s/start.S", runtime);
    char *host = text_format("%s/host.c", runtime);
    const char *rest[] = { script, start, "-x",   "c",   host, "-x", is_cpp(source) ? "c++" : "c",
                           source, "-x",  "none", "-lm", "-o", out };
    for (u32 i = 0; i < sizeof rest / sizeof *rest; i++)
        line_add(&line, rest[i]);
    bool good = line_run(&line,
                         "install the packages gcc-riscv64-unknown-elf and "
                         "picolibc-riscv64-unknown-elf",
                         error);
    line_fini(&line);
    free(script);
    free(start);
    free(host);
    free(runtime);
    return good;
}

char *compile_program(const char *name, const char *folder, struct ogv_error *error)
{
    char *source = program_find(name, error);
    if (!source || !is_source(source))
        return source;
    char *out = text_format("%s/program.elf", folder);
    bool good = compile_device(source, out, error);
    free(source);
    if (good)
        return out;
    free(out);
    return NULL;
}

bool compile_native(const char *name, const char *out, struct ogv_error *error)
{
    char *source = program_find(name, error);
    if (!source)
        return false;
    struct command_line line = { 0 };
    const char *words[] = { is_cpp(source) ? "c++" : "cc", "-O2", "-g", "-ffp-contract=off",
                            "-pthread" };
    for (u32 i = 0; i < sizeof words / sizeof *words; i++)
        line_add(&line, words[i]);
    line_add_include(&line);
    const char *rest[] = { source, "-o", out, "-lm" };
    for (u32 i = 0; i < sizeof rest / sizeof *rest; i++)
        line_add(&line, rest[i]);
    bool good = line_run(&line, "install the package gcc", error);
    line_fini(&line);
    free(source);
    return good;
}

void compile_list(void (*visit)(void *context, const char *name, const char *path), void *context)
{
    char *folder = shipped_find("programs");
    if (folder) {
        folder_list(folder, ".c", visit, context);
        folder_list(folder, ".cpp", visit, context);
    }
    free(folder);
}
