/* end_of_run.c - when a run is over, and why: done, reached, paused, deadlock, livelock. */
#include <string.h>

#include "sim/bench_chip.h"
#include "sim/hang.h"

/* A background unit: ticks for ever and never holds work. */
static cycle step_for_ever(struct mock *mock, cycle now)
{
    (void)mock;
    return now + 1;
}

/* Passes messages on for ever; may begin with `left` of its own. */
static cycle step_bounce(struct mock *mock, cycle now)
{
    (void)now;
    for (; mock->left; mock->left--)
        mock_push(mock, mock->value++);
    while (link_peek(mock->in[0]) && link_can_push(mock->out[0])) {
        link_pop(mock->in[0]);
        mock_push(mock, mock->value++);
    }
    return NEVER;
}

/* Writer, reader and a background unit each in a domain of its own, 10 cycles apart, so that the
 * window is 10. The last message leaves at 50. */
struct trio {
    struct sim *sim;
    struct mock *writer, *reader, *background;
};

static struct trio trio_create(void)
{
    static const cycle pushed[] = { 0, 7, 50 };
    struct trio trio = { .sim = bench_create() };
    trio.writer = bench_mock(trio.sim, bench_domain(trio.sim), step_push_script);
    trio.reader = bench_mock(trio.sim, bench_domain(trio.sim), step_pop_woken);
    trio.background = bench_mock(trio.sim, bench_domain(trio.sim), step_for_ever);
    bench_link(trio.sim, trio.writer, trio.reader, 10, 4);
    mock_set_script(trio.writer, pushed, 3);
    return trio;
}

static const struct sim_options ways_to_run[] = {
    { .window = 0 },
    { .window = 1 },
    { .window = 2 },
    { .window = 3 },
    { .window = 10 },
    { .window = 1000 },
    { .sleepless = true },
    { .sleepless = true, .window = 1 },
    { .order = SIM_ORDER_REVERSE },
    { .threads = 2 },
    { .threads = 3, .window = 1 },
    { .threads = 3, .sleepless = true, .window = 2, .order = SIM_ORDER_REVERSE },
};
#define WAYS_TO_RUN (sizeof ways_to_run / sizeof *ways_to_run)

/* ---- The end of the work ---- */

static void run_finishes_when_the_last_message_is_taken(void **state)
{
    (void)state;
    struct trio trio = trio_create();
    bench_seal(trio.sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(trio.sim), SIM_FINISHED);
    assert_int_equal(trio.reader->noted, 3);
    assert_true(sim_chip(trio.sim)->ended);
    assert_int_equal(sim_chip(trio.sim)->ended_at, 61); /* 50 + 10, and that cycle itself */
}

static void end_is_the_same_however_it_is_run(void **state)
{
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        struct trio trio = trio_create();
        bench_seal(trio.sim, ways_to_run[i]);
        assert_int_equal(bench_finish(trio.sim), SIM_FINISHED);
        assert_int_equal(sim_chip(trio.sim)->ended_at, 61);
        assert_int_equal(sim_chip(trio.sim)->now, 70); /* the next multiple of the window */
        bench_destroy(trio.sim);
    }
}

static void end_is_looked_for_at_every_multiple_of_the_window(void **state)
{
    static const cycle pushed[] = { 0, 57 };
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        struct sim *sim = bench_create();
        struct mock *writer = bench_mock(sim, bench_domain(sim), step_push_script);
        struct mock *reader = bench_mock(sim, bench_domain(sim), step_pop_woken);
        bench_link(sim, writer, reader, 10, 4);
        mock_set_script(writer, pushed, 2);
        bench_seal(sim, ways_to_run[i]);
        assert_int_equal(bench_finish(sim), SIM_FINISHED);
        /* Nothing happens between 57 and 67, so the last window may begin there; it ends at 70. */
        assert_int_equal(sim_chip(sim)->ended_at, 68);
        assert_int_equal(sim_chip(sim)->now, 70);
        bench_destroy(sim);
    }
}

static void background_unit_does_not_keep_the_run_alive(void **state)
{
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        struct trio trio = trio_create();
        bench_seal(trio.sim, ways_to_run[i]);
        assert_int_equal(bench_finish(trio.sim), SIM_FINISHED);
        assert_int_equal(trio.background->ticks, 70);
        bench_destroy(trio.sim);
    }
}

/* Releases its work at cycle `ready`. */
static cycle step_hold_until(struct mock *mock, cycle now)
{
    if (now < mock->ready)
        return mock->ready;
    if (now == mock->ready)
        unit_release(&mock->base, 1);
    return NEVER;
}

static void held_work_keeps_the_run_alive(void **state)
{
    static const cycle ends[] = { 0, 1, 63, 64, 255, 256, 257, 1000, 123456789 };
    (void)state;
    for (u32 i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sim *sim = bench_create();
        struct mock *mock = bench_mock(sim, bench_domain(sim), step_hold_until);
        unit_hold(&mock->base, 1);
        mock->ready = ends[i];
        bench_seal(sim, (struct sim_options){ 0 });
        assert_int_equal(bench_finish(sim), SIM_FINISHED);
        assert_int_equal(sim_chip(sim)->ended_at, ends[i] + 1);
        bench_destroy(sim);
    }
}

static void message_under_way_keeps_the_run_alive(void **state)
{
    static const cycle pushed[] = { 0 };
    (void)state;
    for (u32 crosses = 0; crosses < 2; crosses++) {
        struct sim *sim = bench_create();
        struct domain *domain = bench_domain(sim);
        struct mock *writer = bench_mock(sim, domain, step_push_script);
        struct mock *reader = bench_mock(sim, crosses ? bench_domain(sim) : domain, step_pop_woken);
        bench_link(sim, writer, reader, 255, 1);
        mock_set_script(writer, pushed, 1);
        bench_seal(sim, (struct sim_options){ 0 });
        assert_int_equal(bench_finish(sim), SIM_FINISHED);
        assert_int_equal(reader->noted, 1);
        assert_int_equal(sim_chip(sim)->ended_at, 256);
        bench_destroy(sim);
    }
}

static void chip_without_work_ends_in_its_first_window(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct mock *mock = bench_mock(sim, bench_domain(sim), step_for_ever);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    assert_int_equal(mock->ticks, sim_chip(sim)->window);
}

static void chip_without_units_ends(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
}

static void finished_run_stays_finished(void **state)
{
    (void)state;
    struct trio trio = trio_create();
    bench_seal(trio.sim, (struct sim_options){ 0 });
    bench_finish(trio.sim);
    assert_int_equal(bench_finish(trio.sim), SIM_FINISHED);
    assert_int_equal(bench_run(trio.sim, 1000), SIM_FINISHED);
    assert_int_equal(trio.background->ticks, 70);
}

/* ---- Windows ---- */

static cycle window_of(const u32 *latencies, u32 count)
{
    struct sim *sim = bench_create();
    struct mock *first = bench_mock(sim, bench_domain(sim), step_sleep);
    struct mock *beside = bench_mock(sim, first->base.domain, step_sleep);
    struct mock *other = bench_mock(sim, bench_domain(sim), step_sleep);
    bench_link(sim, first, beside, 1, 1);
    for (u32 i = 0; i < count; i++)
        bench_link(sim, first, other, latencies[i], 1);
    bench_seal(sim, (struct sim_options){ 0 });
    cycle window = sim_chip(sim)->window;
    bench_destroy(sim);
    return window;
}

static void window_is_the_smallest_latency_between_domains(void **state)
{
    (void)state;
    assert_int_equal(window_of((u32[]){ 40, 7, 200 }, 3), 7);
    assert_int_equal(window_of((u32[]){ 33 }, 1), 33);
    assert_int_equal(window_of((u32[]){ 1, 2 }, 2), 1);
}

/* ---- Stopping on the way ---- */

static void run_stops_at_the_cycle_asked_for(void **state)
{
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        struct trio trio = trio_create();
        bench_seal(trio.sim, ways_to_run[i]);
        assert_int_equal(bench_run(trio.sim, 37), SIM_REACHED);
        assert_int_equal(sim_chip(trio.sim)->now, 37);
        assert_int_equal(trio.background->ticks, 37);
        bench_destroy(trio.sim);
    }
}

static void reached_cycle_is_exact_when_all_sleep_past_it(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct mock *mock = bench_mock(sim, bench_domain(sim), step_hold_until);
    unit_hold(&mock->base, 1);
    mock->ready = 100000;
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_run(sim, 54321), SIM_REACHED);
    assert_int_equal(sim_chip(sim)->now, 54321);
    assert_int_equal(bench_run(sim, 54321), SIM_REACHED);
    assert_int_equal(bench_run(sim, 100000), SIM_REACHED);
    assert_int_equal(mock->base.held, 1);
    assert_int_equal(bench_run(sim, 100001), SIM_REACHED);
    assert_int_equal(mock->base.held, 0);
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    assert_int_equal(sim_chip(sim)->ended_at, 100001);
}

static void asking_for_a_cycle_in_the_past_changes_nothing(void **state)
{
    (void)state;
    struct trio trio = trio_create();
    bench_seal(trio.sim, (struct sim_options){ 0 });
    bench_run(trio.sim, 37);
    assert_int_equal(bench_run(trio.sim, 5), SIM_REACHED);
    assert_int_equal(sim_chip(trio.sim)->now, 37);
    assert_int_equal(trio.background->ticks, 37);
}

static void many_short_runs_equal_one_long_run(void **state)
{
    (void)state;
    for (cycle step = 1; step < 25; step++) {
        struct trio trio = trio_create();
        bench_seal(trio.sim, ways_to_run[step % WAYS_TO_RUN]);
        cycle until = step;
        while (bench_run(trio.sim, until) == SIM_REACHED)
            until += step;
        assert_int_equal(sim_chip(trio.sim)->ended_at, 61);
        assert_int_equal(trio.background->ticks, 70);
        assert_int_equal(trio.reader->noted, 3);
        assert_int_equal(trio.reader->notes[0].at, 10);
        assert_int_equal(trio.reader->notes[1].at, 17);
        assert_int_equal(trio.reader->notes[2].at, 60);
        bench_destroy(trio.sim);
    }
}

static bool poll_count_down(void *context)
{
    u32 *left = context;
    return --*left == 0;
}

static void poll_pauses_the_run(void **state)
{
    (void)state;
    struct trio trio = trio_create();
    bench_seal(trio.sim, (struct sim_options){ 0 });
    u32 left = 3;
    struct sim_poll poll = { poll_count_down, &left };
    /* Asked before the first window, after it, and after the second. */
    assert_int_equal(sim_run(trio.sim, NEVER, poll), SIM_PAUSED);
    assert_int_equal(sim_chip(trio.sim)->now, 20);
    assert_int_equal(trio.background->ticks, 20);
}

static void paused_run_goes_on_as_if_nothing_had_been(void **state)
{
    (void)state;
    struct trio trio = trio_create();
    bench_seal(trio.sim, (struct sim_options){ .threads = 3 });
    u32 pauses = 0;
    for (;;) {
        u32 left = 2;
        struct sim_poll poll = { poll_count_down, &left };
        enum sim_end end = sim_run(trio.sim, NEVER, poll);
        if (end == SIM_FINISHED)
            break;
        assert_int_equal(end, SIM_PAUSED);
        pauses++;
    }
    assert_int_equal(pauses, 6);
    assert_int_equal(sim_chip(trio.sim)->ended_at, 61);
    assert_int_equal(trio.background->ticks, 70);
}

/* ---- Deadlock ---- */

/* Fills out[0] and never takes anything from in[0] before that has worked. */
static cycle step_insist_on_sending(struct mock *mock, cycle now)
{
    if (now < mock->ready)
        return mock->ready;
    while (mock->left && link_can_push(mock->out[0])) {
        mock_push(mock, mock->left);
        mock->left--;
    }
    if (mock->left)
        return NEVER;
    while (link_peek(mock->in[0]))
        link_pop(mock->in[0]);
    return NEVER;
}

/* Two units that each send `left` messages into a link of 4 slots before they take any. The second
 * begins at cycle 20. */
static struct sim *embrace_create(u64 left, bool crosses)
{
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *a = bench_mock(sim, domain, step_insist_on_sending);
    struct mock *b = bench_mock(sim, crosses ? bench_domain(sim) : domain, step_insist_on_sending);
    a->left = b->left = left;
    b->ready = 20;
    bench_link(sim, a, b, 5, 4);
    bench_link(sim, b, a, 5, 4);
    return sim;
}

static void two_units_waiting_for_each_other_are_a_deadlock(void **state)
{
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        for (u32 crosses = 0; crosses < 2; crosses++) {
            struct sim *sim = embrace_create(5, crosses);
            bench_seal(sim, ways_to_run[i]);
            assert_int_equal(bench_finish(sim), SIM_DEADLOCK);
            bench_destroy(sim);
        }
    }
}

static void one_message_less_is_no_deadlock(void **state)
{
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        for (u32 crosses = 0; crosses < 2; crosses++) {
            struct sim *sim = embrace_create(4, crosses);
            bench_seal(sim, ways_to_run[i]);
            assert_int_equal(bench_finish(sim), SIM_FINISHED);
            bench_destroy(sim);
        }
    }
}

static void deadlock_report_shows_who_waits_for_whom_and_since_when(void **state)
{
    (void)state;
    for (u32 crosses = 0; crosses < 2; crosses++) {
        struct sim *sim = embrace_create(5, crosses);
        struct text report = { 0 };
        bench_seal(sim, (struct sim_options){ 0 });
        bench_finish(sim);
        hang_report(sim_chip(sim), NULL, &report);
        assert_string_equal(
            text_get(&report),
            "Who waits for whom:\n"
            "  mock[0] waits for room in its link to mock[1] since cycle 0 (4 of 4 slots taken)\n"
            "  mock[1] waits for room in its link to mock[0] since cycle 20 (4 of 4 slots taken)\n"
            "  ... and so on around: mock[0] waits for itself. A deadlock.\n");
        text_fini(&report);
        bench_destroy(sim);
    }
}

static void unit_that_waits_for_a_message_for_ever_is_a_deadlock(void **state)
{
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        struct sim *sim = bench_create();
        struct domain *domain = bench_domain(sim);
        bench_mock_clocked(sim, domain, step_sleep, (struct clock_ratio){ 1, 4 });
        bench_mock_clocked(sim, domain, step_sleep, (struct clock_ratio){ 7, 5 });
        unit_hold(&bench_mock(sim, domain, step_sleep)->base, 2);
        bench_seal(sim, ways_to_run[i]);
        assert_int_equal(bench_finish(sim), SIM_DEADLOCK);
        bench_destroy(sim);
    }
}

static void deadlock_report_names_who_holds_work(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct text report = { 0 };
    bench_mock(sim, domain, step_sleep);
    unit_hold(&bench_mock(sim, domain, step_sleep)->base, 2);
    unit_hold(&bench_mock(sim, domain, step_sleep)->base, 1);
    bench_seal(sim, (struct sim_options){ 0 });
    bench_finish(sim);
    hang_report(sim_chip(sim), NULL, &report);
    assert_string_equal(text_get(&report),
                        "  mock[1] holds 2 unfinished items and waits for a message\n"
                        "  mock[2] holds 1 unfinished item and waits for a message\n");
    text_fini(&report);
}

static void say_of_the_second(const struct unit *unit, struct text *words)
{
    if (unit->number == 1)
        text_add(words, "waits for better days");
}

static void deadlock_report_has_what_units_say(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct text report = { 0 };
    for (u32 i = 0; i < 3; i++)
        unit_hold(&bench_mock(sim, domain, step_sleep)->base, 1);
    bench_seal(sim, (struct sim_options){ 0 });
    bench_finish(sim);
    hang_report(sim_chip(sim), say_of_the_second, &report);
    assert_string_equal(text_get(&report),
                        "  mock[1]: waits for better days\n"
                        "  mock[0] holds 1 unfinished item and waits for a message\n"
                        "  mock[2] holds 1 unfinished item and waits for a message\n");
    text_fini(&report);
}

static void deadlock_report_follows_a_chain_to_the_one_who_does_not_take(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *first = bench_mock(sim, domain, step_push_eager);
    struct mock *second = bench_mock(sim, domain, step_bounce);
    struct mock *third = bench_mock(sim, domain, step_sleep);
    struct text report = { 0 };
    bench_link(sim, first, second, 1, 1);
    bench_link(sim, second, third, 1, 2);
    mock_set_left(first, 10);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_DEADLOCK);
    hang_report(sim_chip(sim), NULL, &report);
    /* First pushes at 0, is refused at once, and again after its pushes at 2 and 4; second passes
     * on at 1 and 3 and is refused at 5. */
    assert_string_equal(
        text_get(&report),
        "Who waits for whom:\n"
        "  mock[0] waits for room in its link to mock[1] since cycle 4 (1 of 1 slots taken)\n"
        "  mock[1] waits for room in its link to mock[2] since cycle 5 (2 of 2 slots taken)\n"
        "  mock[2] waits for no room, yet takes nothing from that link.\n");
    text_fini(&report);
}

/* Is refused by out[1] at cycle 3 and by out[0] at cycle 9. */
static cycle step_be_refused_twice(struct mock *mock, cycle now)
{
    if (now == 0) {
        link_push(mock->out[0]);
        link_push(mock->out[1]);
        return 3;
    }
    if (now >= 3)
        link_can_push(mock->out[1]);
    if (now >= 9)
        link_can_push(mock->out[0]);
    return now < 3 ? 3 : now < 9 ? 9 : NEVER;
}

static void deadlock_report_shows_the_longest_wait_of_a_unit(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *writer = bench_mock(sim, domain, step_be_refused_twice);
    struct text report = { 0 };
    bench_link(sim, writer, bench_mock(sim, domain, step_sleep), 1, 1);
    bench_link(sim, writer, bench_mock(sim, domain, step_sleep), 1, 1);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_DEADLOCK);
    hang_report(sim_chip(sim), NULL, &report);
    assert_string_equal(
        text_get(&report),
        "Who waits for whom:\n"
        "  mock[0] waits for room in its link to mock[2] since cycle 3 (1 of 1 slots taken)\n"
        "  mock[2] waits for no room, yet takes nothing from that link.\n");
    text_fini(&report);
}

/* ---- Livelock ---- */

/* Progresses at the cycles of the script, and holds work for ever. */
static cycle step_progress(struct mock *mock, cycle now)
{
    while (mock->script_next < mock->script_count && mock->script[mock->script_next] <= now) {
        unit_progress(&mock->base);
        mock->script_next++;
    }
    return now + 1;
}

static cycle livelock_at(const cycle *progress, u32 count, cycle watchdog,
                         struct sim_options options)
{
    struct sim *sim = bench_create();
    struct mock *a = bench_mock(sim, bench_domain(sim), step_progress);
    struct mock *b = bench_mock(sim, bench_domain(sim), step_sleep);
    bench_link(sim, a, b, 10, 1);
    mock_set_script(a, progress, count);
    options.watchdog = watchdog;
    bench_seal(sim, options);
    assert_int_equal(bench_finish(sim), SIM_LIVELOCK);
    cycle now = sim_chip(sim)->now;
    bench_destroy(sim);
    return now;
}

static void watchdog_bites_after_its_time_without_progress(void **state)
{
    static const cycle progress[] = { 0, 90, 180, 279, 370 };
    (void)state;
    for (u32 i = 0; i < WAYS_TO_RUN; i++) {
        /* At the first multiple of the window after the last progress + 100. */
        assert_int_equal(livelock_at(progress, 5, 100, ways_to_run[i]), 480);
        assert_int_equal(livelock_at(progress, 4, 100, ways_to_run[i]), 380);
        assert_int_equal(livelock_at(progress, 1, 100, ways_to_run[i]), 110);
        assert_int_equal(livelock_at(progress, 1, 95, ways_to_run[i]), 100);
    }
}

static void watchdog_bites_while_messages_go_round(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct mock *a = bench_mock(sim, bench_domain(sim), step_bounce);
    struct mock *b = bench_mock(sim, bench_domain(sim), step_bounce);
    bench_link(sim, a, b, 10, 4);
    bench_link(sim, b, a, 10, 4);
    a->left = 1;
    bench_seal(sim, (struct sim_options){ .watchdog = 1000 });
    assert_int_equal(bench_finish(sim), SIM_LIVELOCK);
    assert_int_equal(sim_chip(sim)->now, 1010);
    assert_int_equal(a->value + b->value, 101); /* pushed at 0, 10, ... 1000 */
}

static void without_watchdog_nothing_bites(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct mock *mock = bench_mock(sim, bench_domain(sim), step_for_ever);
    unit_hold(&mock->base, 1);
    bench_seal(sim, (struct sim_options){ .watchdog = 0 });
    assert_int_equal(bench_run(sim, 100000), SIM_REACHED);
}

static void watchdog_does_not_bite_before_its_time(void **state)
{
    (void)state;
    struct sim *sim = bench_create();
    struct mock *mock = bench_mock(sim, bench_domain(sim), step_hold_until);
    unit_hold(&mock->base, 1);
    mock->ready = 10000;
    bench_seal(sim, (struct sim_options){ .watchdog = 10000 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    assert_int_equal(sim_chip(sim)->ended_at, 10001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(run_finishes_when_the_last_message_is_taken),
        bench_test(end_is_the_same_however_it_is_run),
        bench_test(end_is_looked_for_at_every_multiple_of_the_window),
        bench_test(background_unit_does_not_keep_the_run_alive),
        bench_test(held_work_keeps_the_run_alive),
        bench_test(message_under_way_keeps_the_run_alive),
        bench_test(chip_without_work_ends_in_its_first_window),
        bench_test(chip_without_units_ends),
        bench_test(finished_run_stays_finished),
        bench_test(window_is_the_smallest_latency_between_domains),
        bench_test(run_stops_at_the_cycle_asked_for),
        bench_test(reached_cycle_is_exact_when_all_sleep_past_it),
        bench_test(asking_for_a_cycle_in_the_past_changes_nothing),
        bench_test(many_short_runs_equal_one_long_run),
        bench_test(poll_pauses_the_run),
        bench_test(paused_run_goes_on_as_if_nothing_had_been),
        bench_test(two_units_waiting_for_each_other_are_a_deadlock),
        bench_test(one_message_less_is_no_deadlock),
        bench_test(deadlock_report_shows_who_waits_for_whom_and_since_when),
        bench_test(unit_that_waits_for_a_message_for_ever_is_a_deadlock),
        bench_test(deadlock_report_names_who_holds_work),
        bench_test(deadlock_report_has_what_units_say),
        bench_test(deadlock_report_follows_a_chain_to_the_one_who_does_not_take),
        bench_test(deadlock_report_shows_the_longest_wait_of_a_unit),
        bench_test(watchdog_bites_after_its_time_without_progress),
        bench_test(watchdog_bites_while_messages_go_round),
        bench_test(without_watchdog_nothing_bites),
        bench_test(watchdog_does_not_bite_before_its_time),
    };
    return cmocka_run_group_tests_name("end_of_run", tests, NULL, NULL);
}
