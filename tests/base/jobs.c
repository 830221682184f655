/* jobs.c - many calls in processes of their own: results in order, failures, and a stop. */
#include "base/jobs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/stop.h"

#define JOBS 20

struct seen {
    u32 count, ended;
    u32 order[JOBS];
    u64 results[JOBS];
    char words[JOBS][80];
    u32 stop_after; /* this many have ended; 0: never */
    int last[2];    /* a pipe that the first job waits for, and the last one writes to */
};

static bool square(void *context, u32 job, void *result, struct ogv_error *error)
{
    (void)context, (void)error;
    *(u64 *)result = (u64)job * job;
    return true;
}

static void seen_take(void *context, u32 job, const void *result, const struct ogv_error *error)
{
    struct seen *seen = context;
    seen->order[seen->count] = job;
    seen->results[seen->count] = result ? *(const u64 *)result : 0;
    if (!result)
        snprintf(seen->words[seen->count], sizeof seen->words[0], "%.70s", error->message);
    seen->count++;
}

static void seen_ended(void *context, u32 count)
{
    struct seen *seen = context;
    seen->ended = count;
    if (seen->stop_after == count)
        stop_ask();
}

static struct jobs jobs_of(struct seen *seen, u32 count, u32 at_once)
{
    return (struct jobs){ .count = count,
                          .at_once = at_once,
                          .result_bytes = sizeof(u64),
                          .context = seen,
                          .run = square,
                          .take = seen_take,
                          .ended = seen_ended };
}

static void results_come_in_order(void **state)
{
    (void)state;
    for (u32 at_once = 0; at_once < 4; at_once++) {
        struct seen seen = { 0 };
        struct jobs jobs = jobs_of(&seen, JOBS, at_once * 11);
        struct ogv_error error;
        assert_true(jobs_run(&jobs, &error));
        assert_int_equal(seen.count, JOBS);
        assert_int_equal(seen.ended, JOBS);
        for (u32 i = 0; i < JOBS; i++) {
            assert_int_equal(seen.order[i], i);
            assert_int_equal(seen.results[i], i * i);
        }
    }
}

static void nothing_to_do_is_done(void **state)
{
    (void)state;
    struct seen seen = { 0 };
    struct jobs jobs = jobs_of(&seen, 0, 4);
    struct ogv_error error;
    assert_true(jobs_run(&jobs, &error));
    assert_int_equal(seen.count, 0);
}

static bool backwards(void *context, u32 job, void *result, struct ogv_error *error)
{
    struct seen *seen = context;
    char byte = 1;
    bool good = job ? write(seen->last[1], &byte, 1) == 1 : read(seen->last[0], &byte, 1) == 1;
    return good && square(context, job, result, error);
}

/* The first one ends only after the second. */
static void one_that_ends_early_is_taken_in_its_turn(void **state)
{
    (void)state;
    struct seen seen = { 0 };
    struct jobs jobs = jobs_of(&seen, 2, 2);
    struct ogv_error error;
    assert_int_equal(pipe(seen.last), 0);
    jobs.run = backwards;
    assert_true(jobs_run(&jobs, &error));
    assert_int_equal(seen.order[0], 0);
    assert_int_equal(seen.order[1], 1);
    assert_int_equal(seen.results[1], 1);
    close(seen.last[0]);
    close(seen.last[1]);
}

static bool unlucky(void *context, u32 job, void *result, struct ogv_error *error)
{
    if (job == 1)
        return error_user(error, "job %u has no luck", job);
    if (job == 2)
        kill(getpid(), SIGKILL);
    if (job == 3)
        _exit(0);
    return square(context, job, result, error);
}

static void what_goes_wrong_is_said_and_harms_nobody_else(void **state)
{
    (void)state;
    struct seen seen = { 0 };
    struct jobs jobs = jobs_of(&seen, 5, 2);
    struct ogv_error error;
    jobs.run = unlucky;
    assert_true(jobs_run(&jobs, &error));
    assert_int_equal(seen.count, 5);
    assert_string_equal(seen.words[1], "job 1 has no luck");
    assert_non_null(strstr(seen.words[2], "ended by signal 9"));
    assert_string_equal(seen.words[3], "its process ended early");
    assert_int_equal(seen.results[4], 16);
}

static bool patient(void *context, u32 job, void *result, struct ogv_error *error)
{
    if (job == 1)
        pause();
    return square(context, job, result, error);
}

/* Number 1 would never end: it is given up, and what has ended is taken. */
static void a_stop_keeps_what_has_ended(void **state)
{
    (void)state;
    struct seen seen = { .stop_after = 2 };
    struct jobs jobs = jobs_of(&seen, JOBS, 2);
    struct ogv_error error;
    jobs.run = patient;
    assert_false(jobs_run(&jobs, &error));
    stop_forget();
    assert_non_null(strstr(error.message, "interrupted"));
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.order[0], 0);
    assert_int_equal(seen.order[1], 2);
    assert_int_equal(seen.results[1], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_order),
        cmocka_unit_test(nothing_to_do_is_done),
        cmocka_unit_test(one_that_ends_early_is_taken_in_its_turn),
        cmocka_unit_test(what_goes_wrong_is_said_and_harms_nobody_else),
        cmocka_unit_test(a_stop_keeps_what_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
