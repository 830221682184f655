/* compile.c - see compile.h.
 *
 * The compiler is run without a shell; what it has to say goes to the user unchanged, or, if it is
 * to be quiet, into a file without a name, whose beginning becomes part of the error. Headers and
 * the start code are found like shipped architectures: next to the program in a build tree or an
 * installation. */
#include "run/compile.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "run/compiled.h"

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

/* How the command ended, as waitpid says it; its words go to `said`, or the user if that is -1. */
static bool line_wait(struct command_line *line, int said, const char *missing, int *status,
                      struct ogv_error *error)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO && said >= 0; stream++)
        posix_spawn_file_actions_adddup2(&actions, said, stream);
    int failed = posix_spawnp(&child, line->words[0], &actions, NULL, line->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return error_system(error, "cannot run %s: %s; %s", line->words[0], strerror(failed),
                            missing);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return true;
}

/* Half of what an error can hold: the first complaint is the one that counts. */
static bool line_complain(const struct command_line *line, int said, struct ogv_error *error)
{
    char words[sizeof error->message / 2];
    ssize_t length = said < 0 ? 0 : pread(said, words, sizeof words - 1, 0);
    while (length > 0 && words[length - 1] == '\n')
        length--;
    words[length > 0 ? length : 0] = 0;
    return error_user(error, "%s could not compile the program%s%s", line->words[0],
                      *words ? ":\n" : "", words);
}

static bool line_run(struct command_line *line, bool quiet, const char *missing,
                     struct ogv_error *error)
{
    int status = 0, said = quiet ? memfd_create("compiler", MFD_CLOEXEC) : -1;
    if (quiet && said < 0)
        return error_system(error, "cannot run %s: %s", line->words[0], strerror(errno));
    bool good = line_wait(line, said, missing, &status, error);
    if (good && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        good = error_system(error, "cannot run %s; %s", line->words[0], missing);
    else if (good && (!WIFEXITED(status) || WEXITSTATUS(status)))
        good = line_complain(line, said, error);
    if (quiet)
        close(said);
    return good;
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

/* Behind the compiler's own folders: an installation shares its folder of headers with others,
 * whose <stdio.h> is not that of the chip. */
static void line_add_include(struct command_line *line)
{
    char *include = shipped_find("include");
    if (include) {
        line_add(line, "-idirafter");
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
    if (formats.treelet_bytes)
        line_add_format(line, "-DOGIVE_TREELETS=%u", formats.treelet_bytes);
    if (formats.pipelines)
        line_add(line, "-DOGIVE_PIPELINES");
}

/* Always the C driver: the toolchain has no C++ library to link. Flags are in the runtime's folder.
 */
static bool compile_device(const char *source, const char *out, struct compile_formats formats,
                           bool quiet, struct ogv_error *error)
{
    struct command_line line = { 0 };
    char *runtime = shipped_find("programs/runtime");
    if (!runtime)
        return error_system(error,
                            "the start code of device programs (programs/runtime) is missing");
    line_add(&line, COMPILED_COMPILER);
    line_add_format(&line, "@%s/flags", runtime);
    line_add_format(&line, "-specs=%s/cxx.specs", runtime);
    line_add_include(&line);
    line_add_formats(&line, formats);
    line_add_prefix_map(&line, source);
    line_add(&line, "-T");
    line_add_format(&line, "%s/link.ld", runtime);
    line_add_format(&line, "%s/start.S", runtime);
    line_add_format(&line, "%s/host.c", runtime);
    line_add_format(&line, "%s/blocks.c", runtime);
    line_add(&line, source);
    line_add(&line, "-lm");
    line_add(&line, "-o");
    line_add(&line, out);
    bool good = line_run(&line, quiet,
                         "install the packages gcc-riscv64-unknown-elf and "
                         "picolibc-riscv64-unknown-elf",
                         error);
    line_fini(&line);
    free(runtime);
    return good;
}

/* Where the compiler has its settings for the C library; NULL if it does not say. */
static char *specs_find(void)
{
    struct command_line line = { 0 };
    struct ogv_error ignored;
    char path[4096];
    int status = 0, said = memfd_create("compiler", MFD_CLOEXEC);
    line_add(&line, COMPILED_COMPILER);
    line_add(&line, "-print-file-name=" COMPILED_SPECS);
    bool good = said >= 0 && line_wait(&line, said, "", &status, &ignored) && !status;
    ssize_t length = good ? pread(said, path, sizeof path - 1, 0) : 0;
    line_fini(&line);
    if (said >= 0)
        close(said);
    return length > 1 ? text_format("%.*s", (int)length - 1, path) : NULL;
}

/* A shipped program, about which the compiler has nothing to say. */
static bool compile_shipped(const char *source, const char *out, struct compile_formats formats,
                            bool quiet, struct ogv_error *error)
{
    char name[CACHE_NAME_BYTES], after[CACHE_NAME_BYTES], *specs = specs_find();
    bool kept = specs && compiled_name(source, formats, specs, name), good = true;
    if (!kept || !compiled_take(name, out)) {
        good = compile_device(source, out, formats, quiet, error);
        /* Somebody may have changed a file while the compiler was at it. */
        if (good && kept && compiled_name(source, formats, specs, after) && !strcmp(name, after))
            compiled_put(name, out);
    }
    free(specs);
    return good;
}

static char *compile_named(const char *name, const char *out, struct compile_formats formats,
                           bool quiet, struct ogv_error *error)
{
    char *source = program_find(name, error);
    if (!source || !is_source(source))
        return source;
    bool good = file_is_plain(name) ? compile_device(source, out, formats, quiet, error)
                                    : compile_shipped(source, out, formats, quiet, error);
    free(source);
    return good ? heap_copy(out) : NULL;
}

char *compile_program(const char *name, const char *out, struct compile_formats formats,
                      struct ogv_error *error)
{
    return compile_named(name, out, formats, false, error);
}

char *compile_program_quietly(const char *name, const char *out, struct compile_formats formats,
                              struct ogv_error *error)
{
    return compile_named(name, out, formats, true, error);
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
    line_add_format(&line, "%s/blocks.c", runtime ? runtime : ".");
    line_add(&line, source ? source : "");
    line_add(&line, "-lm");
    if (source && is_cpp(source))
        line_add(&line, "-lstdc++");
    line_add(&line, "-o");
    line_add(&line, out);
    bool good = source && line_run(&line, false, "install the package gcc", error);
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
