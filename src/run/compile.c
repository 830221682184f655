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

__attribute__((format(printf, 2, 3))) static void line_add_format(struct command_line *line,
                                                                  const char *format, ...)
{
    struct text word = { 0 };
    va_list arguments;
    va_start(arguments, format);
    text_add_v(&word, format, arguments);
    va_end(arguments);
    line_add(line, text_get(&word));
    text_fini(&word);
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

static void program_unknown(const char *name, struct ogv_error *error)
{
    struct text names = { 0 };
    compile_list_names(&names);
    char *listing =
        text_format("there are %s, and your own C, C++ and ELF files", text_get(&names));
    struct shipped_kind kind = { "program", listing, compile_list };
    shipped_refuse(&kind, name, name, error);
    free(listing);
    text_fini(&names);
}

/* The file behind a name: itself, or a shipped program. */
static char *program_find(const char *name, struct ogv_error *error)
{
    static const char *const endings[] = { ".c", ".cpp" };
    if (file_is_plain(name))
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
    program_unknown(name, error);
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

/* __FILE__ is the source's own name: where its folder lies must not get into the program. */
static void line_add_prefix_map(struct command_line *line, const char *source)
{
    const char *slash = strrchr(source, '/');
    if (slash)
        line_add_format(line, "-fmacro-prefix-map=%.*s=", (int)(slash + 1 - source), source);
}

static void line_add_formats(struct command_line *line, struct compile_formats formats)
{
    if (formats.nodes)
        line_add_format(line, "-DOGIVE_NODES=%s", formats.nodes);
    if (formats.primitives)
        line_add_format(line, "-DOGIVE_PRIMITIVES=%s", formats.primitives);
}

/* Always the C driver: the toolchain has no C++ library to link. Flags are in the runtime's folder.
 */
static bool compile_device(const char *source, const char *out, struct compile_formats formats,
                           struct ogv_error *error)
{
    struct command_line line = { 0 };
    char *runtime = shipped_find("programs/runtime");
    if (!runtime)
        return error_system(error,
                            "the start code of device programs (programs/runtime) is missing");
    line_add(&line, "riscv64-unknown-elf-gcc");
    line_add_format(&line, "@%s/flags", runtime);
    line_add_format(&line, "-specs=%s/cxx.specs", runtime);
    line_add_include(&line);
    line_add_formats(&line, formats);
    line_add_prefix_map(&line, source);
    line_add(&line, "-T");
    line_add_format(&line, "%s/link.ld", runtime);
    line_add_format(&line, "%s/start.S", runtime);
    line_add_format(&line, "%s/host.c", runtime);
    line_add(&line, source);
    line_add(&line, "-lm");
    line_add(&line, "-o");
    line_add(&line, out);
    bool good = line_run(&line,
                         "install the packages gcc-riscv64-unknown-elf and "
                         "picolibc-riscv64-unknown-elf",
                         error);
    line_fini(&line);
    free(runtime);
    return good;
}

char *compile_program(const char *name, const char *out, struct compile_formats formats,
                      struct ogv_error *error)
{
    char *source = program_find(name, error);
    if (!source || !is_source(source))
        return source;
    bool good = compile_device(source, out, formats, error);
    free(source);
    return good ? heap_copy(out) : NULL;
}

bool compile_native(const char *name, const char *out, struct compile_formats formats,
                    struct ogv_error *error)
{
    static const char *const flags[] = { "gcc",      "-O2",
                                         "-g",       "-ffp-contract=off",
                                         "-pthread", "-Wl,--wrap=main" };
    char *source = program_find(name, error);
    char *runtime = source ? shipped_find("programs/runtime") : NULL;
    struct command_line line = { 0 };
    for (u32 i = 0; i < sizeof flags / sizeof *flags; i++)
        line_add(&line, flags[i]);
    line_add_include(&line);
    line_add_formats(&line, formats);
    line_add_format(&line, "%s/native.c", runtime ? runtime : ".");
    line_add(&line, source ? source : "");
    line_add(&line, "-lm");
    if (source && is_cpp(source))
        line_add(&line, "-lstdc++");
    line_add(&line, "-o");
    line_add(&line, out);
    bool good = source && line_run(&line, "install the package gcc", error);
    line_fini(&line);
    free(source);
    free(runtime);
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

static void name_add(void *context, const char *name, const char *path)
{
    struct text *out = context;
    (void)path;
    text_add(out, "%s%s", out->length ? ", " : "", name);
}

void compile_list_names(struct text *out)
{
    compile_list(name_add, out);
}
