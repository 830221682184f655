/* debugging.c - see debugging.h.
 *
 * gdb is a process of its own that has the terminal while it lives; ctrl-C is its to answer, and
 * reaches the run as gdb's wish to interrupt it. When gdb ends, so does the run. */
#include "cli/debugging.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "run/record.h"
#include "unit/quantity.h"

struct debugging {
    struct debug *debug;
    struct debugging_arguments arguments;
    struct run_watcher watcher, inner;
    char *folder; /* of the socket; NULL: none was made */
    pid_t gdb;    /* 0: not started */
};

/* For the signal that tells that gdb has ended. */
static struct debug *abandoned;

static void on_child(int number)
{
    (void)number;
    if (abandoned)
        debug_abandon(abandoned);
}

/* ---- gdb ---- */

static const char *const names[] = { "gdb-multiarch", "riscv64-unknown-elf-gdb" };

static bool is_installed(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");
        char *file = text_format("%.*s/%s", (int)length, at, name);
        bool found = !access(file, X_OK);
        free(file);
        if (found)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static const char *gdb_find(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_installed(names[i]))
            return names[i];
    return NULL;
}

static _Noreturn void gdb_become(const struct debugging *debugging, const char *name, char *program)
{
    char *target = text_format("target remote %s", debug_where(debugging->debug));
    char script[] = "-x", batch[] = "-batch", quiet[] = "-q", command[] = "-ex";
    char *file = debugging->arguments.script ? heap_copy(debugging->arguments.script) : NULL;
    char *title = heap_copy(name);
    char *const interactive[] = { title, quiet, command, target, program, NULL };
    char *const scripted[] = { title,  quiet,  batch, command,
                               target, script, file,  program ? program : NULL,
                               NULL };
    signal(SIGINT, SIG_DFL);
    execvp(name, file ? scripted : interactive);
    fprintf(stderr, "ogive: cannot start %s: %s\n", name, strerror(errno));
    _exit(EXIT_SYSTEM);
}

static void gdb_start(struct debugging *debugging, const struct record *record)
{
    const char *name = gdb_find();
    if (!name) {
        fprintf(stderr,
                "gdb-multiarch is not installed; the run waits for a debugger that you start:\n"
                "  target remote %s\n",
                debug_where(debugging->debug));
        return;
    }
    char *program = record->program ? text_format("%s/program.elf", record->result->folder) : NULL;
    struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART };
    sigemptyset(&action.sa_mask);
    abandoned = debugging->debug;
    sigaction(SIGCHLD, &action, NULL);
    signal(SIGINT, SIG_IGN);
    fflush(NULL);
    debugging->gdb = fork();
    if (!debugging->gdb)
        gdb_become(debugging, name, program);
    free(program);
}

/* ---- The watcher, with gdb started when there is something to look at ---- */

static void on_begun(void *context, const struct run_progress *progress)
{
    struct debugging *debugging = context;
    debugging->inner.begun(debugging->inner.context, progress);
    if (debugging->arguments.starts_gdb && !debugging->arguments.to_end)
        gdb_start(debugging, progress->record);
}

static bool on_calls(void *context)
{
    const struct run_watcher *inner = &((struct debugging *)context)->inner;
    return inner->calls(inner->context);
}

static void on_visit(void *context, const struct run_progress *progress, struct run_orders *orders)
{
    const struct run_watcher *inner = &((struct debugging *)context)->inner;
    inner->visit(inner->context, progress, orders);
}

static void on_over(void *context, const struct run_progress *progress, const char *words)
{
    struct debugging *debugging = context;
    if (debugging->arguments.starts_gdb && debugging->arguments.to_end)
        gdb_start(debugging, progress->record);
    debugging->inner.over(debugging->inner.context, progress, words);
}

static void on_sampled(void *context, cycle end, const u64 *grown)
{
    const struct run_watcher *inner = &((struct debugging *)context)->inner;
    inner->sampled(inner->context, end, grown);
}

static void on_ended(void *context, const struct run_progress *progress)
{
    const struct run_watcher *inner = &((struct debugging *)context)->inner;
    inner->ended(inner->context, progress);
}

/* ---- Beginning and ending ---- */

/* A socket in a folder that nobody else can look into. */
static char *socket_make(struct debugging *debugging)
{
    const char *temporary = getenv("TMPDIR");
    debugging->folder = text_format("%s/ogive-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(debugging->folder)) {
        free(debugging->folder);
        debugging->folder = NULL;
        return NULL;
    }
    return text_format("%s/gdb", debugging->folder);
}

/* "1GiB" or "1GiB+8GiB": of memory, and of the disk. */
static bool history_read(const char *history, struct debug_options *options, char *why)
{
    char *memory = heap_copy(history), *disk = strchr(memory, '+');
    if (disk)
        *disk++ = 0;
    options->history_bytes = 0;
    bool good =
        !strcmp(memory, "0") || quantity_read(memory, PARAM_BYTES, &options->history_bytes, why);
    options->history_disk_bytes = options->history_bytes > UINT64_MAX / DEBUG_HISTORY_DISK
                                      ? UINT64_MAX
                                      : DEBUG_HISTORY_DISK * options->history_bytes;
    if (disk)
        options->history_disk_bytes = 0;
    good = good && (!disk || !strcmp(disk, "0") ||
                    quantity_read(disk, PARAM_BYTES, &options->history_disk_bytes, why));
    free(memory);
    return good;
}

static bool options_read(const struct debugging_arguments *arguments, const char *command,
                         struct debug_options *options)
{
    char why[QUANTITY_WHY_BYTES] = "";
    const char *history = arguments->history;
    *options =
        (struct debug_options){ .history_bytes = DEBUG_HISTORY_DEFAULT,
                                .history_disk_bytes = DEBUG_HISTORY_DISK * DEBUG_HISTORY_DEFAULT,
                                .allow_writes = arguments->allow_writes,
                                .to_end = arguments->to_end };
    if (!history || history_read(history, options, why))
        return true;
    say_error("%s: --history %s: %s; it is of memory and of the disk, as in 1GiB+8GiB", command,
              history, why);
    return false;
}

static bool wanted(const struct debugging_arguments *arguments, const char *command, int *code)
{
    bool any = arguments->gdb.given || arguments->starts_gdb;
    *code = EXIT_GOOD;
    if (!any && (arguments->history || arguments->allow_writes)) {
        say_error("%s: --history and --allow-writes go with --gdb", command);
        *code = EXIT_USER;
    }
    return any;
}

int debugging_begin(const struct debugging_arguments *arguments, const char *command,
                    struct debugging **debugging)
{
    struct debug_options options;
    struct ogv_error error;
    int code;
    *debugging = NULL;
    if (!wanted(arguments, command, &code))
        return code;
    if (!options_read(arguments, command, &options))
        return EXIT_USER;
    if (arguments->script && access(arguments->script, R_OK)) {
        say_error("%s: --script %s: cannot read it: %s", command, arguments->script,
                  strerror(errno));
        return EXIT_USER;
    }
    struct debugging *made = heap_array(1, sizeof *made);
    made->arguments = *arguments;
    char *socket = arguments->starts_gdb && !arguments->gdb.given ? socket_make(made) : NULL;
    options.where = socket ? socket : arguments->gdb.text;
    made->debug = debug_open(&options, &error);
    free(socket);
    if (!made->debug) {
        debugging_end(made);
        return fail(&error);
    }
    made->inner = debug_watcher(made->debug);
    made->watcher = (struct run_watcher){ .begun = on_begun,
                                          .calls = on_calls,
                                          .visit = on_visit,
                                          .sampled = on_sampled,
                                          .ended = on_ended,
                                          .context = made,
                                          .over = on_over };
    if (!arguments->starts_gdb)
        fprintf(stderr, "gdb     target remote %s\n", debug_where(made->debug));
    *debugging = made;
    return EXIT_GOOD;
}

const struct run_watcher *debugging_watcher(const struct debugging *debugging)
{
    return debugging ? &debugging->watcher : NULL;
}

/* gdb is left to end by itself: the connection is gone. */
void debugging_end(struct debugging *debugging)
{
    if (!debugging)
        return;
    debug_close(debugging->debug);
    abandoned = NULL;
    if (debugging->gdb > 0)
        waitpid(debugging->gdb, NULL, 0);
    if (debugging->folder)
        rmdir(debugging->folder);
    free(debugging->folder);
    free(debugging);
}
