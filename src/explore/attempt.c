/* attempt.c - see attempt.h. */
#include "explore/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wall.h"
#include "explore/index.h"
#include "explore/tries.h"

#define GRACE_SECONDS   60 /* to write a checkpoint; then it is ended */
#define OUTPUT_FILE     "output.txt"
#define OUTPUT_TAIL     65536
#define COMPLAINT_LINES 20
#define SPACE_LEAST     (64 * KiB) /* a disk that has less is full */
#define WORDS_MAX       4096
#define EXIT_SIGNALLED  128 /* and the signal: what a shell says */

/* As src/cli/exit_codes.def has them. */
enum {
    CODE_GOOD = 0,
    CODE_SYSTEM = 1,
    CODE_USER = 2,
    CODE_HANG = 3,
    CODE_PROGRAM = 4,
    CODE_INTERRUPT = 130
};

/* ---- What the tries said ---- */

static char *output_tail(const struct store *store, const char *key)
{
    char *path = store_file(store, key, OUTPUT_FILE);
    int descriptor = file_open_descriptor(path, NULL);
    off_t end = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : -1;
    off_t from = end > OUTPUT_TAIL ? end - OUTPUT_TAIL : 0;
    char *text = heap_array(1, OUTPUT_TAIL + 1);
    if (end > 0 && pread(descriptor, text, (size_t)(end - from), from) < 0)
        *text = 0;
    if (descriptor >= 0)
        close(descriptor);
    free(path);
    return text;
}

char *attempt_last_lines(const struct store *store, const char *key, u32 lines)
{
    char *text = output_tail(store, key);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        text[--length] = 0;
    char *from = text + length;
    while (from > text && (from[-1] != '\n' || --lines))
        from--;
    char *kept = heap_copy(from);
    for (char *c = kept; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n')
            *c = '?';
    free(text);
    return kept;
}

static bool output_mentions(const struct attempt *attempt, const char *word)
{
    char *text = attempt_last_lines(attempt->store, attempt->run->key, 3);
    bool found = strstr(text, word);
    free(text);
    return found;
}

/* ---- Memory ---- */

/* How many processes the system has ended for want of memory. */
static u64 oom_count(void)
{
    FILE *file = fopen("/proc/vmstat", "r");
    char line[256];
    unsigned long long count = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "oom_kill %llu", &count) == 1)
            break;
    if (file)
        fclose(file);
    return count;
}

static u64 memory_of(pid_t process)
{
    char path[64];
    unsigned long long size, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (u64)sysconf(_SC_PAGESIZE);
}

/* ---- The command line ---- */

struct command_line {
    char *words[WORDS_MAX + 1];
    u32 count;
};

static void word_add(struct command_line *line, const char *word)
{
    if (line->count < WORDS_MAX)
        line->words[line->count++] = heap_copy(word);
}

static bool is_prediction(const struct attempt *attempt)
{
    return strcmp(attempt->run->words[0], "run");
}

/* What is said of how it is run, not of what is run. Predictions are several runs, each on one
 * thread, and have no checkpoints. Reports are made when somebody asks. */
static void host_add(struct command_line *line, const struct attempt *attempt, const char *folder)
{
    bool prediction = is_prediction(attempt);
    char number[32];
    snprintf(number, sizeof number, "%u", attempt->options.threads);
    word_add(line, "--threads");
    word_add(line, prediction ? "1" : number);
    if (prediction) {
        word_add(line, "--jobs");
        word_add(line, number);
    }
    word_add(line, "--out");
    word_add(line, folder);
    word_add(line, "--progress");
    word_add(line, "plain");
    if (attempt->options.memory_bytes) {
        char bytes[40];
        snprintf(bytes, sizeof bytes, "%lluB", (unsigned long long)attempt->options.memory_bytes);
        word_add(line, "--memory");
        word_add(line, bytes);
    }
    if (!prediction) {
        word_add(line, "--no-report");
        word_add(line, "--checkpoint-every");
        word_add(line, attempt->options.checkpoint_every);
    }
}

static void line_make(struct command_line *line, const struct attempt *attempt, const char *folder,
                      const char *checkpoint)
{
    const struct manifest_run *run = attempt->run;
    word_add(line, "ogive");
    word_add(line, run->words[0]);
    host_add(line, attempt, folder);
    if (checkpoint) {
        word_add(line, "--resume");
        word_add(line, checkpoint);
    }
    u32 count = checkpoint ? run->resumed_count : run->word_count - 1;
    for (u32 i = 0; i < count; i++)
        word_add(line, checkpoint ? run->resumed[i] : run->words[i + 1]);
}

static void line_fini(struct command_line *line)
{
    while (line->count)
        free(line->words[--line->count]);
}

/* ---- The process ---- */

/* It ends, with a checkpoint, when we do; Ctrl-C is ours to pass on. */
static _Noreturn void process_become(const struct attempt *attempt, struct command_line *line,
                                     int output, pid_t parent)
{
    sigset_t none;
    int nothing = open("/dev/null", O_RDONLY);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(CODE_INTERRUPT);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    fcntl(attempt->lock, F_SETFD, 0); /* it holds the lock, too */
    execv(attempt->options.program, line->words);
    dprintf(STDERR_FILENO, "ogive: cannot run %s: %s\n", attempt->options.program, strerror(errno));
    _exit(CODE_SYSTEM);
}

static bool process_start(struct attempt *attempt, const char *checkpoint, struct ogv_error *error)
{
    char *folder = try_folder(attempt->store, attempt->run->key, attempt->number);
    char *path = store_file(attempt->store, attempt->run->key, OUTPUT_FILE);
    int output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct command_line line = { .count = 0 };
    pid_t parent = getpid();
    bool good = output >= 0 || error_system(error, "%s: cannot write: %s", path, strerror(errno));
    line_make(&line, attempt, folder, checkpoint);
    attempt->begun = wall_clock();
    attempt->process = good ? fork() : -1;
    if (good && !attempt->process)
        process_become(attempt, &line, output, parent);
    if (good && attempt->process < 0)
        good = error_system(error, "no process for a run: %s", strerror(errno));
    if (output >= 0)
        close(output);
    line_fini(&line);
    free(path);
    free(folder);
    return good;
}

/* ---- Beginning ---- */

static void lock_give_back(struct attempt *attempt)
{
    if (attempt->lock >= 0)
        close(attempt->lock);
    attempt->lock = -1;
}

static bool point_write(const struct attempt *attempt, struct ogv_error *error)
{
    char *path = store_file(attempt->store, attempt->run->key, "point.json");
    bool good = true;
    if (!file_exists(path)) {
        char *command = manifest_command(attempt->run);
        json_t *object = json_pack("{s:s, s:s}", "key", attempt->run->key, "command", command);
        char *text = json_dumps(object, JSON_INDENT(1));
        good = file_write(path, text, strlen(text), error);
        json_decref(object);
        free(text);
        free(command);
    }
    free(path);
    return good;
}

/* A try's folder becomes the run's, what the others left goes, then the result is noted. Whatever
 * of this has happened when we are killed, the next one does what is left: nobody looks at a run
 * again once it is noted. */
static bool result_keep(struct attempt *attempt, const char *folder, struct ogv_error *error)
{
    const char *key = attempt->run->key;
    char *run = store_result(attempt->store, key);
    bool good = !strcmp(folder, run) || rename(folder, run) == 0 ||
                (errno == ENOTEMPTY && folder_remove(run, error) && rename(folder, run) == 0) ||
                error_system(error, "%s: cannot move: %s", folder, strerror(errno));
    if (good)
        tries_remove(attempt->store, key, attempt->number);
    good = good && outcome_write(attempt->store, key, &attempt->outcome, error);
    free(run);
    return good;
}

/* What can be said without a process. ATTEMPT_RUNNING: one is needed. */
static enum attempt_state attempt_settle(struct attempt *attempt, const struct tries *tries,
                                         struct ogv_error *error)
{
    const char *key = attempt->run->key;
    if (outcome_read(attempt->store, key, &attempt->outcome)) {
        bool fails = run_classes[attempt->outcome.class].fails;
        /* Whoever wrote it may not have lived to add it to the index; twice does no harm. */
        if (!fails || !attempt->options.retry)
            return index_add(attempt->store, key, &attempt->outcome, error) ? ATTEMPT_THERE
                                                                            : ATTEMPT_BROKEN;
        if (!outcome_forget(attempt->store, key, error))
            return ATTEMPT_BROKEN;
    }
    attempt->number = tries->last;
    attempt->outcome = (struct outcome){ CLASS_DONE, 0, tries->seconds, 0, tries->last };
    if (tries->complete) {
        attempt->outcome.seconds += tries->complete_seconds;
        return result_keep(attempt, tries->complete, error) ? ATTEMPT_ENDED : ATTEMPT_BROKEN;
    }
    if (tries->lost < TRIES_LOST_MAX || attempt->options.retry)
        return ATTEMPT_RUNNING;
    attempt->outcome.class = CLASS_LOST;
    return outcome_write(attempt->store, key, &attempt->outcome, error) ? ATTEMPT_ENDED
                                                                        : ATTEMPT_BROKEN;
}

/* A prediction goes on with the runs that it finds in its folder. */
static void prediction_inherit(const struct attempt *attempt)
{
    char *before = try_folder(attempt->store, attempt->run->key, attempt->number - 1);
    char *folder = try_folder(attempt->store, attempt->run->key, attempt->number);
    if (folder_exists(before))
        rename(before, folder);
    free(folder);
    free(before);
}

static enum attempt_state attempt_start(struct attempt *attempt, const struct tries *tries,
                                        struct ogv_error *error)
{
    attempt->number = tries->last + 1;
    if (is_prediction(attempt) && tries->last)
        prediction_inherit(attempt);
    attempt->earlier = tries->seconds;
    attempt->oom_before = oom_count();
    bool good = point_write(attempt, error) &&
                try_note_begin(attempt->store, attempt->run->key, attempt->number, error) &&
                process_start(attempt, tries->checkpoint, error);
    return good ? ATTEMPT_RUNNING : ATTEMPT_BROKEN;
}

enum attempt_state attempt_begin(struct attempt *attempt, struct ogv_error *error)
{
    struct tries tries;
    attempt->asked = 0;
    attempt->limit = CLASS_DONE;
    attempt->lock = store_lock(attempt->store, attempt->run->key, error);
    if (attempt->lock < 0)
        return error->kind ? ATTEMPT_BROKEN : ATTEMPT_BUSY;
    tries_look(attempt->store, attempt->run->key, &tries);
    enum attempt_state state = attempt_settle(attempt, &tries, error);
    if (state == ATTEMPT_RUNNING)
        state = attempt_start(attempt, &tries, error);
    if (state != ATTEMPT_RUNNING)
        lock_give_back(attempt);
    tries_fini(&tries);
    return state;
}

/* ---- Limits ---- */

void attempt_stop(struct attempt *attempt)
{
    if (attempt->asked > 0)
        return;
    attempt->asked = wall_clock();
    kill(attempt->process, SIGTERM);
}

void attempt_watch(struct attempt *attempt)
{
    const struct attempt_options *options = &attempt->options;
    double now = wall_clock(), spent = attempt->earlier + now - attempt->begun;
    if (attempt->asked > 0) {
        if (now - attempt->asked > GRACE_SECONDS)
            kill(attempt->process, SIGKILL);
        return;
    }
    if (options->time_seconds > 0 && spent > options->time_seconds) {
        attempt->limit = CLASS_TIME;
        attempt_stop(attempt);
    } else if (options->memory_bytes && memory_of(attempt->process) > options->memory_bytes) {
        attempt->limit = CLASS_MEMORY;
        attempt->asked = now;
        kill(attempt->process, SIGKILL);
    }
}

/* ---- The end ---- */

static enum run_class class_of_signal(const struct attempt *attempt, int number)
{
    if (number == SIGKILL)
        return oom_count() > attempt->oom_before ? CLASS_MEMORY : CLASS_KILLED;
    return number == SIGTERM || number == SIGINT || number == SIGHUP ? CLASS_KILLED : CLASS_CRASHED;
}

static enum run_class class_of_code(const struct attempt *attempt, int code)
{
    switch (code) {
    case CODE_GOOD:
        return CLASS_DONE;
    case CODE_USER:
        return CLASS_REFUSED;
    case CODE_HANG:
        return CLASS_DEADLOCK;
    case CODE_PROGRAM:
        return CLASS_FAULT;
    case CODE_INTERRUPT:
        return CLASS_KILLED;
    default:
        return output_mentions(attempt, "memory") ? CLASS_MEMORY : CLASS_UNWRITTEN;
    }
}

static void outcome_find(struct attempt *attempt, int status, const struct rusage *usage,
                         double seconds)
{
    struct outcome *outcome = &attempt->outcome;
    bool signalled = WIFSIGNALED(status);
    int code = signalled ? EXIT_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
    *outcome = (struct outcome){ .exit_code = code,
                                 .seconds = attempt->earlier + seconds,
                                 .peak_bytes = (u64)usage->ru_maxrss * KiB,
                                 .tries = attempt->number };
    outcome->class =
        signalled ? class_of_signal(attempt, WTERMSIG(status)) : class_of_code(attempt, code);
    if (attempt->limit != CLASS_DONE && outcome->class != CLASS_DONE)
        outcome->class = attempt->limit;
}

/* On a full disk, a run cannot even leave its last words. */
static const char *silence_explain(const char *path)
{
    struct statvfs disk;
    bool full = statvfs(path, &disk) == 0 && disk.f_bavail * disk.f_frsize < SPACE_LEAST;
    return full ? strerror(ENOSPC) : "it did not say why";
}

/* A disk that is full is not the run's fault: nothing is noted, and the next sweep tries again. */
static enum attempt_state outcome_keep(struct attempt *attempt, struct ogv_error *error)
{
    if (attempt->outcome.class == CLASS_UNWRITTEN) {
        char *lines = attempt_last_lines(attempt->store, attempt->run->key, COMPLAINT_LINES);
        const char *said = strstr(lines, "ogive: ");
        said = said ? said + strlen("ogive: ") : lines;
        if (!*said)
            said = silence_explain(attempt->store->path);
        error_system(error, "%s: not all of a run could be written: %.*s", attempt->store->path,
                     (int)strcspn(said, "\n"), said);
        free(lines);
        return ATTEMPT_BROKEN;
    }
    bool good;
    if (attempt->outcome.class == CLASS_DONE) {
        char *folder = try_folder(attempt->store, attempt->run->key, attempt->number);
        good = result_keep(attempt, folder, error);
        free(folder);
    } else {
        good = outcome_write(attempt->store, attempt->run->key, &attempt->outcome, error);
    }
    return good ? ATTEMPT_ENDED : ATTEMPT_BROKEN;
}

enum attempt_state attempt_end(struct attempt *attempt, int status, const struct rusage *usage,
                               struct ogv_error *error)
{
    double seconds = wall_clock() - attempt->begun;
    enum attempt_state state = ATTEMPT_INTERRUPTED;
    outcome_find(attempt, status, usage, seconds);
    bool ours = attempt->asked > 0 && attempt->limit == CLASS_DONE;
    bool stopped = ours && attempt->outcome.class == CLASS_KILLED;
    if (!try_note_end(attempt->store, attempt->run->key, attempt->number,
                      stopped ? "interrupted" : run_classes[attempt->outcome.class].words, seconds,
                      error))
        state = ATTEMPT_BROKEN;
    else if (!stopped)
        state = outcome_keep(attempt, error);
    lock_give_back(attempt);
    return state;
}
