/* importer.c - see importer.h.
 *
 * The answer comes back in a file without a name (imported.h). It is read when the process has
 * ended; whatever that did, the answer is checked. */
#include "rt/importer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/source.h"
#include "base/stop.h"
#include "base/text.h"
#include "rt/assimp.h"
#include "rt/growth.h"
#include "rt/imported.h"

extern char **environ;

#define ANSWER_FILE      3        /* in the process */
#define SECONDS_AT_LEAST 60       /* of processor time, and */
#define SECONDS_PER_MIB  2        /* of the file; Assimp reads 20 to 50 MiB/s */
#define PACKING          16       /* a packed file is taken to be that many times larger */
#define PAUSE_NS         2000000L /* between two looks at the process */

static const char *own_program;

void importer_set_program(const char *program)
{
    own_program = program;
}

/* The caller frees. */
static char *importer_program(void)
{
    const char *given = own_program ? own_program : getenv("OGIVE_PROGRAM");
    return given ? heap_copy(given) : shipped_program();
}

/* ---- The process ---- */

struct importer {
    const char *path;
    const struct scene_options *options;
    int answer;
    pid_t process;
    u64 seconds; /* of processor time that it may take */
    struct ogv_error *error;
};

static bool seconds_read(const char *text, u64 *seconds, struct ogv_error *error)
{
    char *end;
    *seconds = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*end && *seconds >= 1 && *seconds <= UINT32_MAX)
        return true;
    return error_user(error, "OGIVE_IMPORT_SECONDS=%s: has to be a whole number, 1 to %u", text,
                      UINT32_MAX);
}

static bool seconds_choose(const char *path, u64 *seconds, struct ogv_error *error)
{
    const char *wish = getenv("OGIVE_IMPORT_SECONDS");
    u64 size = 0;
    if (wish)
        return seconds_read(wish, seconds, error);
    file_size(path, &size);
    if (source_is_packed(path))
        size *= PACKING;
    *seconds = SECONDS_AT_LEAST + SECONDS_PER_MIB * (size / MiB);
    return true;
}

/* Nothing of ours but the file to answer into. That comes first: its number may be one of those
 * that are opened. */
static bool actions_fill(posix_spawn_file_actions_t *actions, int answer)
{
    if (posix_spawn_file_actions_adddup2(actions, answer, ANSWER_FILE) ||
        posix_spawn_file_actions_addclosefrom_np(actions, ANSWER_FILE + 1))
        return false;
    for (int i = 0; i < ANSWER_FILE; i++)
        if (posix_spawn_file_actions_addopen(actions, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0))
            return false;
    return true;
}

/* Signals do what they usually do: Ctrl-C ends it at once. */
static bool attributes_fill(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    return !posix_spawnattr_setsigdefault(attributes, &all) &&
           !posix_spawnattr_setsigmask(attributes, &none) &&
           !posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int process_spawn(struct importer *importer, const char *program,
                         const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes)
{
    char *keep = importer->options->keep_instances ? "instances" : "flat";
    char *parent = text_format("%d", (int)getpid());
    char *arguments[] = { "ogive", IMPORTER_COMMAND, (char *)(uintptr_t)importer->path,
                          keep,    parent,           NULL };
    int failed = posix_spawn(&importer->process, program, actions, attributes, arguments, environ);
    free(parent);
    return failed;
}

static bool process_start(struct importer *importer)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *program = importer_program();
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failed = actions_fill(&actions, importer->answer) && attributes_fill(&attributes)
                     ? process_spawn(importer, program, &actions, &attributes)
                     : ENOMEM;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        error_system(importer->error,
                     "%s: cannot be imported: the program that does it, %s, cannot be started: %s "
                     "(OGIVE_PROGRAM says where it is)",
                     importer->path, program, strerror(failed));
    free(program);
    return !failed;
}

/* A sanitizer reserves more address space than there is memory. */
static bool memory_is_limited(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return false;
#else
    return true;
#endif
#else
    return true;
#endif
}

/* A limit that cannot be set is one that is stricter already. */
static void process_limit(const struct importer *importer)
{
    const struct rlimit time = { importer->seconds, importer->seconds + 1 };
    const struct rlimit memory = { memory_there_is(), memory_there_is() };
    const struct rlimit core = { 0, 0 };
    prlimit(importer->process, RLIMIT_CORE, &core, NULL);
    if (memory_is_limited())
        prlimit(importer->process, RLIMIT_AS, &memory, NULL);
    prlimit(importer->process, RLIMIT_CPU, &time, NULL);
}

/* How it ended, as waitpid says it. */
static int process_wait(const struct importer *importer)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    pid_t ended;
    int status = 0;
    while (!(ended = waitpid(importer->process, &status, WNOHANG)) ||
           (ended < 0 && errno == EINTR)) {
        if (stop_asked())
            kill(importer->process, SIGINT);
        nanosleep(&pause, NULL);
    }
    return status;
}

static bool process_judge(const struct importer *importer, int status)
{
    if (!WIFSIGNALED(status))
        return true;
    int number = WTERMSIG(status);
    if (number == SIGINT || number == SIGTERM)
        return error_system(importer->error, "%s: importing it was interrupted", importer->path);
    if (number == SIGXCPU)
        return error_user(importer->error,
                          "%s: cannot be imported: Assimp came to no end within %llu seconds of "
                          "processor time (OGIVE_IMPORT_SECONDS may allow more)",
                          importer->path, (unsigned long long)importer->seconds);
    const char *name = sigdescr_np(number);
    return error_user(importer->error,
                      "%s: cannot be imported: Assimp failed at it (signal %d: %s)%s",
                      importer->path, number, name ? name : "of no name",
                      number == SIGKILL ? "; there may not be enough memory" : "");
}

static bool importer_check_size(const char *path, struct ogv_error *error)
{
    u64 have = memory_there_is(), size;
    if (!file_size(path, &size))
        return error_user(error, "%s: there is no such file", path);
    if (size > have / 2)
        return error_system(error,
                            "%s: is too large: a file of %.1f GiB cannot be imported into %.1f GiB "
                            "of memory (a PLY file could)",
                            path, (double)size / (double)GiB, (double)have / (double)GiB);
    return true;
}

static bool importer_ask(struct importer *importer, struct scene *scene)
{
    if (!process_start(importer))
        return false;
    process_limit(importer);
    return process_judge(importer, process_wait(importer)) &&
           imported_read(importer->answer, importer->path, scene, importer->error);
}

bool importer_run(const char *path, const struct scene_options *options, struct scene *scene,
                  struct ogv_error *error)
{
    struct importer importer = { .path = path, .options = options, .error = error };
    if (!importer_check_size(path, error) || !seconds_choose(path, &importer.seconds, error))
        return false;
    importer.answer = memfd_create("import", MFD_CLOEXEC);
    if (importer.answer < 0)
        return error_system(error, "%s: cannot be imported: %s", path, strerror(errno));
    bool good = importer_ask(&importer, scene);
    close(importer.answer);
    return good;
}

/* If the other process ends, nobody will read the answer; it may have ended already. */
static bool importer_is_needed(int parent)
{
    return !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent;
}

bool importer_answer(const char *path, bool keep_instances, int parent)
{
    struct scene scene = { 0 };
    struct ogv_error error = { 0 };
    if (!importer_is_needed(parent))
        return false;
    bool good = assimp_load(path, keep_instances, &scene, &error);
    bool written = imported_write(ANSWER_FILE, good ? &scene : NULL, &error);
    scene_free(&scene);
    return written;
}
