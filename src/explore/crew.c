/* crew.c - see crew.h.
 *
 * A loop: start what there is room for, wait for a process to end or a tenth of a second, look
 * after the limits of the others. Runs that somebody else has under way are looked at again every
 * second, until their results are there. */
#include "explore/crew.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/available.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jobs.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/wall.h"
#include "explore/index.h"

#define PERIOD_NANOSECONDS 100000000
#define LOOK_AGAIN_SECONDS 1
#define RESERVE            0.9 /* of the memory that is available */

enum run_state { STATE_WAITING, STATE_RUNNING, STATE_ELSEWHERE, STATE_OVER };

struct shift {
    const struct crew *crew;
    struct crew_state *state;
    u32 *runs;
    u8 *states;               /* enum run_state, by place in `runs` */
    struct attempt *attempts; /* [at_once]; a process of 0: free */
    u32 *places;
    u32 next;
    double begun, looked, made; /* made: runs that ended here */
    bool broken;
    struct ogv_error *error;
};

/* ---- Counting ---- */

static void shift_count(struct shift *shift, const struct manifest_run *run,
                        const struct outcome *outcome, bool before)
{
    bool fails = run_classes[outcome->class].fails;
    shift->state->found += before;
    shift->state->done += !fails;
    shift->state->failed += fails;
    if (!before && shift->crew->ended)
        shift->crew->ended(shift->crew->context, run, outcome);
}

static void shift_show(struct shift *shift)
{
    struct crew_state *state = shift->state;
    state->seconds = wall_clock() - shift->begun;
    state->seconds_left = NAN;
    double left = state->waiting + state->running / 2.0;
    if (shift->made > 0)
        state->seconds_left = left * state->seconds / shift->made;
    if (shift->crew->show)
        shift->crew->show(shift->crew->context, state);
}

/* ---- What is there already ---- */

static bool row_counts(const struct shift *shift, const struct index_row *row)
{
    if (!row || (run_classes[row->outcome.class].fails && shift->crew->options.retry))
        return false;
    char *folder = store_folder(shift->crew->store, row->key);
    bool there = folder_exists(folder);
    free(folder);
    return there;
}

static bool shift_take(struct shift *shift)
{
    const struct crew *crew = shift->crew;
    struct index index;
    if (!index_load(crew->store, &index, shift->error))
        return false;
    for (u32 i = 0; i < shift->state->count; i++) {
        const struct manifest_run *run = &crew->manifest->runs[shift->runs[i]];
        const struct index_row *row = index_find(&index, run->key);
        if (!row_counts(shift, row))
            continue;
        shift->states[i] = STATE_OVER;
        shift_count(shift, run, &row->outcome, true);
    }
    index_fini(&index);
    return true;
}

/* ---- Processes ---- */

static void shift_over(struct shift *shift, u32 slot, enum attempt_state state)
{
    struct attempt *attempt = &shift->attempts[slot];
    u8 *at = &shift->states[shift->places[slot]];
    if (state == ATTEMPT_BUSY) {
        *at = STATE_ELSEWHERE;
        return;
    }
    *at = STATE_OVER;
    if (state == ATTEMPT_INTERRUPTED)
        shift->state->interrupted++;
    else if (state == ATTEMPT_BROKEN)
        shift->broken = true;
    else
        shift_count(shift, attempt->run, &attempt->outcome, state == ATTEMPT_THERE);
    shift->made += state == ATTEMPT_ENDED;
}

static void shift_start(struct shift *shift, u32 slot, u32 place)
{
    const struct crew *crew = shift->crew;
    struct attempt *attempt = &shift->attempts[slot];
    *attempt = (struct attempt){ .store = crew->store,
                                 .run = &crew->manifest->runs[shift->runs[place]],
                                 .options = crew->options };
    shift->places[slot] = place;
    struct ogv_error error = { 0 };
    enum attempt_state state = attempt_begin(attempt, &error);
    if (state == ATTEMPT_RUNNING) {
        shift->states[place] = STATE_RUNNING;
        return;
    }
    attempt->process = 0;
    shift_over(shift, slot, state);
    if (state == ATTEMPT_BROKEN)
        *shift->error = error;
}

/* The next run that nobody has begun; those of others once in a while. UINT32_MAX: none. */
static u32 shift_next(struct shift *shift)
{
    for (; shift->next < shift->state->count; shift->next++)
        if (shift->states[shift->next] == STATE_WAITING)
            return shift->next++;
    if (wall_clock() - shift->looked < LOOK_AGAIN_SECONDS)
        return UINT32_MAX;
    for (u32 i = 0; i < shift->state->count; i++) {
        if (shift->states[i] == STATE_ELSEWHERE)
            shift->states[i] = STATE_WAITING;
        if (shift->states[i] == STATE_WAITING && i < shift->next)
            shift->next = i;
    }
    shift->looked = wall_clock();
    return UINT32_MAX;
}

static void shift_fill(struct shift *shift)
{
    for (u32 slot = 0; slot < shift->crew->at_once; slot++) {
        while (!shift->attempts[slot].process && !shift->broken && !stop_asked()) {
            u32 place = shift_next(shift);
            if (place == UINT32_MAX)
                return;
            shift_start(shift, slot, place);
        }
    }
}

/* Those that have ended. */
static void shift_reap(struct shift *shift)
{
    for (u32 slot = 0; slot < shift->crew->at_once; slot++) {
        struct attempt *attempt = &shift->attempts[slot];
        struct rusage usage;
        int status;
        if (!attempt->process || wait4(attempt->process, &status, WNOHANG, &usage) <= 0)
            continue;
        struct ogv_error error = { 0 };
        enum attempt_state state = attempt_end(attempt, status, &usage, &error);
        attempt->process = 0;
        shift_over(shift, slot, state);
        if (state == ATTEMPT_BROKEN)
            *shift->error = error;
    }
}

static void shift_look_after(struct shift *shift)
{
    bool stop = stop_asked() || shift->broken;
    for (u32 slot = 0; slot < shift->crew->at_once; slot++) {
        struct attempt *attempt = &shift->attempts[slot];
        if (!attempt->process)
            continue;
        attempt_watch(attempt);
        if (stop)
            attempt_stop(attempt);
    }
}

static void shift_tally(struct shift *shift)
{
    u32 counts[STATE_OVER + 1] = { 0 };
    for (u32 i = 0; i < shift->state->count; i++)
        counts[shift->states[i]]++;
    shift->state->waiting = counts[STATE_WAITING];
    shift->state->running = counts[STATE_RUNNING];
    shift->state->elsewhere = counts[STATE_ELSEWHERE];
}

/* Until a process has ended, a signal has come, or a while has passed. */
static void shift_wait(void)
{
    const struct timespec period = { .tv_nsec = PERIOD_NANOSECONDS };
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigtimedwait(&ended, NULL, &period);
}

static bool shift_goes_on(const struct shift *shift)
{
    const struct crew_state *state = shift->state;
    if (state->running)
        return true;
    if (shift->broken || stop_asked())
        return false;
    return state->waiting || (state->elsewhere && !shift->crew->rush);
}

static void shift_work(struct shift *shift)
{
    sigset_t ended, before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    shift_tally(shift);
    while (shift_goes_on(shift)) {
        shift_fill(shift);
        shift_tally(shift);
        if (shift->state->running || shift->state->elsewhere)
            shift_wait();
        shift_look_after(shift);
        shift_reap(shift);
        shift_tally(shift);
        shift_show(shift);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

bool crew_run(const struct crew *crew, struct crew_state *state, struct ogv_error *error)
{
    *state = (struct crew_state){ .count = crew->runs ? crew->count : crew->manifest->count };
    struct shift shift = { .crew = crew,
                           .state = state,
                           .runs = heap_array(state->count + 1, sizeof *shift.runs),
                           .states = heap_array(state->count + 1, sizeof *shift.states),
                           .attempts = heap_array(crew->at_once, sizeof *shift.attempts),
                           .places = heap_array(crew->at_once, sizeof *shift.places),
                           .begun = wall_clock(),
                           .error = error };
    for (u32 i = 0; i < state->count; i++)
        shift.runs[i] = crew->runs ? crew->runs[i] : i;
    bool good = shift_take(&shift);
    if (good)
        shift_work(&shift);
    free(shift.runs);
    free(shift.states);
    free(shift.attempts);
    free(shift.places);
    if (good && shift.broken)
        return false;
    return good && (!stop_asked() || stop_error(error, "the sweep"));
}

void crew_size(const struct manifest *manifest, u32 wanted, u32 *at_once, u32 *threads)
{
    u32 cores = jobs_most();
    double largest = 1;
    for (u32 i = 0; i < manifest->count; i++)
        largest = fmax(largest, manifest->runs[i].memory_bytes);
    if (manifest->memory_bytes)
        largest = (double)manifest->memory_bytes;
    double fit = RESERVE * (double)memory_available() / largest;
    u32 most = cores < manifest->count ? cores : manifest->count;
    if (fit < most)
        most = fit < 1 ? 1 : (u32)fit;
    *at_once = wanted ? wanted : most ? most : 1;
    *threads = cores / *at_once ? cores / *at_once : 1;
}
