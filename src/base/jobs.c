/* jobs.c - see jobs.h. A job's process writes one message into its pipe and ends; a message that
 * stops in the middle is a process that died. */
#include "base/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"

/* What comes through a pipe: this, then the result. */
struct answer {
    bool good;
    struct ogv_error error;
};

struct job {
    u8 *bytes; /* of the message; NULL: not begun, or taken */
    size_t length;
    bool ended;
};

/* A process under way, and the end of its pipe that is read. */
struct worker {
    pid_t process;
    u32 job;
};

struct crew {
    const struct jobs *jobs;
    struct job *of;         /* [jobs->count] */
    struct worker *workers; /* [busy] */
    struct pollfd *pipes;   /* [busy] */
    u32 busy, begun, ended, taken;
};

u32 jobs_most(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors))
        return 1;
    return (u32)CPU_COUNT(&processors);
}

static size_t message_bytes(const struct jobs *jobs)
{
    return sizeof(struct answer) + jobs->result_bytes;
}

/* ---- In a process of its own ---- */

static _Noreturn void job_do(const struct jobs *jobs, u32 job, int pipe)
{
    u8 *message = heap_array(1, message_bytes(jobs));
    struct answer *answer = (struct answer *)message;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    answer->good = jobs->run(jobs->context, job, message + sizeof *answer, &answer->error);
    bool written = descriptor_write(pipe, message, message_bytes(jobs));
    _exit(written ? 0 : 1);
}

/* ---- Here ---- */

static bool worker_begin(struct crew *crew, struct ogv_error *error)
{
    u32 job = crew->begun;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return error_system(error, "no pipe for a job: %s", strerror(errno));
    pid_t process = fork();
    if (process < 0) {
        close(ends[0]);
        close(ends[1]);
        return error_system(error, "no process for a job: %s", strerror(errno));
    }
    if (process == 0)
        job_do(crew->jobs, job, ends[1]);
    close(ends[1]);
    crew->workers[crew->busy] = (struct worker){ process, job };
    crew->pipes[crew->busy] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
    crew->of[job].bytes = heap_array(1, message_bytes(crew->jobs));
    crew->busy++;
    crew->begun++;
    return true;
}

/* What a process that died did not say. */
static void job_bury(struct job *job, int status)
{
    struct answer *answer = (struct answer *)job->bytes;
    answer->good = false;
    if (WIFSIGNALED(status))
        error_system(&answer->error, "its process was ended by signal %d (%s)", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    else
        error_system(&answer->error, "its process ended early");
}

/* Another one moves to its place. */
static void worker_end(struct crew *crew, u32 index)
{
    struct job *job = &crew->of[crew->workers[index].job];
    int status = 0;
    close(crew->pipes[index].fd);
    while (waitpid(crew->workers[index].process, &status, 0) < 0 && errno == EINTR)
        ;
    if (job->length < message_bytes(crew->jobs))
        job_bury(job, status);
    job->ended = true;
    crew->busy--;
    crew->ended++;
    crew->workers[index] = crew->workers[crew->busy];
    crew->pipes[index] = crew->pipes[crew->busy];
    if (crew->jobs->ended)
        crew->jobs->ended(crew->jobs->context, crew->ended);
}

static void job_take(struct crew *crew, u32 index)
{
    struct job *job = &crew->of[index];
    const struct answer *answer = (const struct answer *)job->bytes;
    crew->jobs->take(crew->jobs->context, index, answer->good ? job->bytes + sizeof *answer : NULL,
                     &answer->error);
    free(job->bytes);
    job->bytes = NULL;
}

/* Reads what there is; true at the end. */
static bool worker_read(struct crew *crew, u32 index)
{
    struct job *job = &crew->of[crew->workers[index].job];
    size_t left = message_bytes(crew->jobs) - job->length;
    ssize_t got = read(crew->pipes[index].fd, job->bytes + job->length, left);
    if (got < 0)
        return errno != EINTR;
    job->length += (size_t)got;
    return !got || (size_t)got == left;
}

static void workers_await(struct crew *crew)
{
    if (poll(crew->pipes, crew->busy, -1) < 0)
        return; /* a signal */
    for (u32 i = crew->busy; i-- > 0;)
        if (crew->pipes[i].revents && worker_read(crew, i))
            worker_end(crew, i);
    for (; crew->taken < crew->begun && crew->of[crew->taken].ended; crew->taken++)
        job_take(crew, crew->taken);
}

static bool crew_work(struct crew *crew, struct ogv_error *error)
{
    const struct jobs *jobs = crew->jobs;
    while (crew->ended < jobs->count) {
        if (stop_asked())
            return stop_error(error, "the work");
        if (crew->begun < jobs->count && crew->busy < jobs->at_once) {
            if (!worker_begin(crew, error))
                return false;
        } else {
            workers_await(crew);
        }
    }
    return true;
}

/* Those under way are given up; what has ended is taken. */
static void crew_stop(struct crew *crew)
{
    for (u32 i = 0; i < crew->busy; i++) {
        kill(crew->workers[i].process, SIGKILL);
        close(crew->pipes[i].fd);
        while (waitpid(crew->workers[i].process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    for (u32 i = crew->taken; i < crew->begun; i++)
        if (crew->of[i].ended)
            job_take(crew, i);
        else
            free(crew->of[i].bytes);
}

bool jobs_run(const struct jobs *jobs, struct ogv_error *error)
{
    u32 at_once = jobs->at_once < jobs->count ? jobs->at_once : jobs->count;
    struct jobs bounded = *jobs;
    bounded.at_once = at_once ? at_once : 1;
    struct crew crew = { .jobs = &bounded,
                         .of = heap_array(jobs->count, sizeof *crew.of),
                         .workers = heap_array(bounded.at_once, sizeof *crew.workers),
                         .pipes = heap_array(bounded.at_once, sizeof *crew.pipes) };
    bool good = crew_work(&crew, error);
    crew_stop(&crew);
    free(crew.of);
    free(crew.workers);
    free(crew.pipes);
    return good;
}
