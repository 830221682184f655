/* steering.c - whoever watches a run can pause, step and stop it at exact cycles, and changes
 * nothing of what the chip does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../report/stand.h"
#include "base/text.h"
#include "run/record.h"

#define CYCLES 6000

/* What a watcher is to do, and what it saw. */
struct watching {
    bool always; /* calls after each window */
    cycle first, step, stop_at, checkpoint_at;
    u32 steps, visits, samples, begun, ended;
    cycle last, sampled;
    bool paused_once;
};

static void watch_begun(void *context, const struct run_progress *progress)
{
    struct watching *watching = context;
    watching->begun++;
    watching->last = progress->now;
}

static void watch_ended(void *context, const struct run_progress *progress)
{
    struct watching *watching = context;
    assert_int_not_equal(progress->record->result->status, RUN_RUNNING);
    watching->ended++;
}

static bool watch_calls(void *context)
{
    struct watching *watching = context;
    return watching->always || (!watching->visits && (watching->first || watching->step));
}

static void watch_sampled(void *context, cycle end, const u64 *grown)
{
    struct watching *watching = context;
    assert_non_null(grown);
    assert_true(end > watching->sampled);
    watching->sampled = end;
    watching->samples++;
}

/* First to cycle `first`, then so many steps, with a pause after each. */
static void watch_visit(void *context, const struct run_progress *progress,
                        struct run_orders *orders)
{
    struct watching *watching = context;
    cycle now = progress->now;
    bool reached = now == orders->visit_at;
    watching->visits++;
    if (watching->always)
        return;
    orders->checkpoint =
        watching->checkpoint_at && now == watching->checkpoint_at && !orders->pause;
    if (watching->stop_at && now == watching->stop_at) {
        orders->stop = true;
    } else if (reached && !orders->pause) {
        orders->pause = true;
    } else if (watching->visits == 1 && watching->first) {
        orders->visit_at = watching->first;
    } else if (orders->pause) {
        orders->pause = false;
        if (reached && watching->last)
            assert_int_equal(now - watching->last, watching->step);
        watching->last = now;
        watching->steps += watching->steps > 0 ? (u32)-1 : 0;
        orders->visit_at = watching->steps ? now + watching->step : NEVER;
        watching->paused_once = true;
    }
}

/* A run with this watcher (NULL: none); the folder is the caller's. */
static char *run_watched(struct watching *watching, cycle stop_after, const char *resume,
                         struct run_result *result)
{
    const char *settings[] = { "node.source.messages=0" };
    char *folder = stand_folder();
    struct run_options options = { .arch = resume ? NULL : "exchange",
                                   .settings = settings,
                                   .setting_count = resume ? 0 : 1,
                                   .resume = resume,
                                   .out = folder,
                                   .interval = CYCLES / 8,
                                   .sim = { .threads = 1 },
                                   .stop_after = stop_after };
    struct run_watcher watcher = { .begun = watch_begun,
                                   .calls = watch_calls,
                                   .visit = watch_visit,
                                   .sampled = watch_sampled,
                                   .ended = watch_ended,
                                   .context = watching };
    struct run_listener listener = { .watcher = watching ? &watcher : NULL };
    struct ogv_error error;
    if (!run_execute(&options, &listener, result, &error))
        fail_msg("%s", error.message);
    free(result->folder);
    free(result->console);
    return folder;
}

/* Whether two folders have the same series. */
static void series_equal(const char *one, const char *two)
{
    char *a = stand_read(one, "series.csv"), *b = stand_read(two, "series.csv");
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void looking_after_each_window_changes_nothing(void **state)
{
    struct watching watching = { .always = true };
    struct run_result plain, watched;
    (void)state;
    char *one = run_watched(NULL, CYCLES, NULL, &plain);
    char *two = run_watched(&watching, CYCLES, NULL, &watched);
    assert_string_equal(plain.digest, watched.digest);
    assert_int_equal(watched.status, RUN_STOPPED);
    assert_true(watching.visits > 100);
    assert_int_equal(watching.samples, 8);
    assert_int_equal(watching.begun, 1);
    assert_int_equal(watching.ended, 1);
    series_equal(one, two);
    stand_remove(one);
    stand_remove(two);
}

static void steps_are_exact_and_change_nothing(void **state)
{
    struct watching watching = { .first = 1001, .step = 7, .steps = 40 };
    struct run_result plain, watched;
    (void)state;
    char *one = run_watched(NULL, CYCLES, NULL, &plain);
    char *two = run_watched(&watching, CYCLES, NULL, &watched);
    assert_true(watching.paused_once);
    assert_int_equal(watching.steps, 0);
    assert_int_equal(watching.last, 1001 + 39 * 7);
    assert_string_equal(plain.digest, watched.digest);
    series_equal(one, two);
    stand_remove(one);
    stand_remove(two);
}

static void stop_keeps_what_was_done(void **state)
{
    struct watching watching = { .first = 3001, .stop_at = 3001 };
    struct run_result plain, watched;
    (void)state;
    char *one = run_watched(NULL, 3001, NULL, &plain);
    char *two = run_watched(&watching, NEVER, NULL, &watched);
    assert_int_equal(watched.status, RUN_STOPPED);
    assert_int_equal(watched.cycles, 3001);
    assert_string_equal(plain.digest, watched.digest);
    series_equal(one, two);
    stand_remove(one);
    stand_remove(two);
}

static void checkpoint_on_demand_can_be_resumed(void **state)
{
    struct watching watching = { .first = 2002, .checkpoint_at = 2002 };
    struct run_result watched, resumed;
    (void)state;
    char *one = run_watched(&watching, CYCLES, NULL, &watched);
    char *checkpoint = text_format("%s/checkpoint.ogv", one);
    char *two = run_watched(NULL, CYCLES, checkpoint, &resumed);
    assert_string_equal(watched.digest, resumed.digest);
    free(checkpoint);
    stand_remove(one);
    stand_remove(two);
}

/* ---- Status ---- */

struct asking {
    u32 answers;
    char *folder;
};

static void status_shown(void *context, const struct run_progress *progress)
{
    struct asking *asking = context;
    asking->answers++;
    assert_int_equal(progress->record->result->status, RUN_RUNNING);
    asking->folder = heap_copy(progress->record->result->folder);
}

/* Called after the statistics were written. */
static void status_read(void *context, cycle end, const u64 *grown)
{
    struct asking *asking = context;
    (void)end;
    (void)grown;
    if (!asking->folder)
        return;
    char *stats = stand_read(asking->folder, "stats.json");
    assert_non_null(strstr(stats, "\"status\": \"running\""));
    free(stats);
    free(asking->folder);
    asking->folder = NULL;
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static void nothing(void *context, const struct run_progress *progress)
{
    (void)context;
    (void)progress;
}

static void asking_for_the_status_changes_nothing(void **state)
{
    const char *settings[] = { "node.source.messages=0" };
    struct asking asking = { 0 };
    struct run_result plain, asked;
    struct ogv_error error;
    (void)state;
    char *one = run_watched(NULL, CYCLES, NULL, &plain), *two = stand_folder();
    struct run_options options = { .arch = "exchange",
                                   .settings = settings,
                                   .setting_count = 1,
                                   .out = two,
                                   .interval = CYCLES / 8,
                                   .every_unit = true,
                                   .sim = { .threads = 1 },
                                   .stop_after = CYCLES };
    struct run_watcher watcher = { .begun = nothing,
                                   .calls = never,
                                   .sampled = status_read,
                                   .ended = nothing,
                                   .context = &asking };
    struct run_listener listener = { .status = status_shown,
                                     .context = &asking,
                                     .watcher = &watcher };
    run_ask_status();
    assert_true(run_execute(&options, &listener, &asked, &error));
    assert_int_equal(asking.answers, 1);
    assert_null(asking.folder);
    assert_string_equal(plain.digest, asked.digest);
    series_equal(one, two);
    free(asked.folder);
    free(asked.console);
    stand_remove(one);
    stand_remove(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_after_each_window_changes_nothing),
        cmocka_unit_test(steps_are_exact_and_change_nothing),
        cmocka_unit_test(stop_keeps_what_was_done),
        cmocka_unit_test(checkpoint_on_demand_can_be_resumed),
        cmocka_unit_test(asking_for_the_status_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
