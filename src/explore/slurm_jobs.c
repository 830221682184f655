/* slurm_jobs.c - the arrays that were submitted for a study: in the queue, in Slurm's accounts, out
 * of the queue. */
#include "explore/slurm_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "explore/slurm.h"
#include "explore/tool.h"

#define ARRAYS_MAX 100000
#define ID_MAX     64
#define LIST_MAX   (1 * MiB)

static char *jobs_folder(const struct store *store, const struct manifest *manifest)
{
    char *root = realpath(store->path, NULL);
    char *folder = text_format("%s/studies/%s.jobs", root ? root : store->path, manifest->study);
    free(root);
    return folder;
}

char *jobs_base(const struct store *store, const struct manifest *manifest, struct ogv_error *error)
{
    char *folder = jobs_folder(store, manifest), *base = NULL;
    bool good = folder_create(folder, error);
    for (u32 i = 1; good && !base && i < ARRAYS_MAX; i++) {
        char *list = text_format("%s/%u.list", folder, i);
        int taken = open(list, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (taken >= 0) {
            close(taken);
            base = text_format("%s/%u", folder, i);
        } else if (errno != EEXIST) {
            good = error_system(error, "%s: cannot write: %s", list, strerror(errno));
        }
        free(list);
    }
    free(folder);
    return base;
}

/* ---- Each array ---- */

struct array {
    char *id;
    char *text; /* of the list */
    const struct manifest *manifest;
};

static u32 array_run(const struct array *array, u32 task)
{
    size_t at = (size_t)task * HASH_TEXT_BYTES; /* 32 digits and a line's end */
    return at + HASH_TEXT_BYTES <= strlen(array->text)
               ? manifest_run_find(array->manifest, array->text + at)
               : UINT32_MAX;
}

struct arrays {
    const struct store *store;
    const struct manifest *manifest;
    void (*visit)(void *context, const struct array *array);
    void *context;
};

static void array_visit(void *context, const char *name, const char *path)
{
    const struct arrays *arrays = context;
    (void)name;
    size_t length;
    char *list = text_format("%.*s.list", (int)(strlen(path) - 3), path);
    struct array array = { file_read(path, ID_MAX, &length, NULL),
                           file_read(list, LIST_MAX, &length, NULL), arrays->manifest };
    if (array.id && array.text && *array.id)
        arrays->visit(arrays->context, &array);
    free(array.id);
    free(array.text);
    free(list);
}

static void arrays_visit(const struct arrays *arrays)
{
    char *folder = jobs_folder(arrays->store, arrays->manifest);
    if (folder_exists(folder))
        folder_list(folder, ".id", array_visit, (void *)(uintptr_t)arrays);
    free(folder);
}

/* ---- The queue ---- */

struct queue {
    u8 *queued;
    bool silent; /* Slurm did not answer */
    struct ogv_error *error;
};

/* Slurm has tried to start it, could not, and will not try again by itself. */
static bool job_is_stuck(const char *reason)
{
    return !strncmp(reason, "launch failed", 13) || !strncmp(reason, "launch_failed", 13);
}

/* "4|Resources". A number that squeue does not know is of an array that is over. */
static void queue_look(void *context, const struct array *array)
{
    struct queue *queue = context;
    struct text out = { 0 };
    struct ogv_error why;
    char *words[] = { "squeue", "-h", "-r", "-o", "%K|%r", "-j", array->id, NULL };
    if (queue->silent)
        return;
    if (!tool_run(words, &out, &why)) {
        if (!strstr(why.message, "nvalid job id")) {
            queue->silent = true;
            *queue->error = why;
        }
    }
    for (const char *at = text_get(&out); *at;) {
        char *reason;
        u32 run = array_run(array, (u32)strtoul(at, &reason, 10));
        if (run != UINT32_MAX && !job_is_stuck(reason + (*reason == '|')))
            queue->queued[run] = 1;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    text_fini(&out);
}

bool slurm_queue(const struct store *store, const struct manifest *manifest, u8 *queued,
                 struct ogv_error *error)
{
    struct queue queue = { .queued = queued, .error = error };
    struct arrays arrays = { store, manifest, queue_look, &queue };
    memset(queued, 0, manifest->count);
    arrays_visit(&arrays);
    return !queue.silent;
}

/* "12_4|launch failed requeued held" */
static void array_unstick(void *context, const struct array *array)
{
    struct text out = { 0 };
    struct ogv_error ignored;
    char *words[] = { "squeue", "-h", "-r", "-t", "PD", "-o", "%i|%r", "-j", array->id, NULL };
    (void)context;
    if (!tool_run(words, &out, &ignored))
        return;
    for (const char *at = text_get(&out); *at;) {
        size_t length = strcspn(at, "|\n");
        if (at[length] == '|' && job_is_stuck(at + length + 1)) {
            char *job = text_format("%.*s", (int)length, at);
            tool_run((char *[]){ "scancel", job, NULL }, &out, &ignored);
            free(job);
        }
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    text_fini(&out);
}

void slurm_unstick(const struct store *store, const struct manifest *manifest)
{
    struct arrays arrays = { store, manifest, array_unstick, NULL };
    arrays_visit(&arrays);
}

struct cancelling {
    u32 count;
    bool good;
    struct ogv_error *error;
};

static void array_cancel(void *context, const struct array *array)
{
    struct cancelling *cancelling = context;
    struct text out = { 0 };
    struct ogv_error why;
    char *words[] = { "scancel", array->id, NULL };
    if (tool_run(words, &out, &why))
        cancelling->count++;
    else if (!strstr(why.message, "nvalid job id")) {
        cancelling->good = false;
        *cancelling->error = why;
    }
    text_fini(&out);
}

bool slurm_cancel(const struct store *store, const struct manifest *manifest, u32 *arrays,
                  struct ogv_error *error)
{
    struct cancelling cancelling = { 0, true, error };
    struct arrays all = { store, manifest, array_cancel, &cancelling };
    arrays_visit(&all);
    *arrays = cancelling.count;
    return cancelling.good;
}

/* ---- Accounts ---- */

static const struct {
    const char *state;
    enum run_class class;
} accounted[] = {
    { "NODE_FAIL", CLASS_LOST },
    { "OUT_OF_MEMORY", CLASS_MEMORY },
    { "TIMEOUT", CLASS_TIME },
};

struct accounts {
    const struct store *store;
    const u8 *queued;
};

/* Under the lock of the run, and only if it has no outcome. */
static void outcome_account(const struct store *store, const char *key, enum run_class class)
{
    struct ogv_error ignored;
    struct outcome outcome;
    int lock = store_lock(store, key, &ignored);
    if (lock < 0)
        return;
    if (!outcome_read(store, key, &outcome)) {
        outcome = (struct outcome){ .class = class };
        outcome_write(store, key, &outcome, &ignored);
    }
    close(lock);
}

/* "123_4|NODE_FAIL" */
static void account_read(const struct accounts *accounts, const struct array *array,
                         const char *line)
{
    unsigned job, task;
    char state[64];
    if (sscanf(line, "%u_%u|%63[^|\n ]", &job, &task, state) != 3)
        return;
    u32 run = array_run(array, task);
    for (u32 i = 0; run != UINT32_MAX && i < sizeof accounted / sizeof *accounted; i++)
        if (!accounts->queued[run] && !strcmp(state, accounted[i].state))
            outcome_account(accounts->store, array->manifest->runs[run].key, accounted[i].class);
}

/* What sacct says; where Slurm keeps no accounts, what the controller still knows of jobs that are
 * over, which is some minutes (MinJobAge). */
static void account_look(void *context, const struct array *array)
{
    struct text out = { 0 };
    struct ogv_error ignored;
    char *accounts[] = { "sacct", "-n", "-P", "-X", "-o", "JobID,State", "-j", array->id, NULL };
    char *queue[] = { "squeue", "-h", "-r", "-t", "all", "-o", "%F_%K|%T", "-j", array->id, NULL };
    if (tool_run(accounts, &out, &ignored) || tool_run(queue, &out, &ignored))
        for (const char *at = text_get(&out); *at;) {
            account_read(context, array, at);
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
    text_fini(&out);
}

void slurm_account(const struct store *store, const struct manifest *manifest, const u8 *queued)
{
    struct accounts accounts = { store, queued };
    struct arrays arrays = { store, manifest, account_look, &accounts };
    arrays_visit(&arrays);
}
