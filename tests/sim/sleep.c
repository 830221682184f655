/* sleep.c - a unit ticks in the cycle that it asked for, however far away, and in those for which
 * others wake it. */
#include "sim/bench_chip.h"

/* Asks for the cycles of its script, and notes every tick. */
static cycle step_follow_script(struct mock *mock, cycle now)
{
    mock_note(mock, now, 0);
    while (mock->script_next < mock->script_count && mock->script[mock->script_next] <= now)
        mock->script_next++;
    return mock->script_next < mock->script_count ? mock->script[mock->script_next] : NEVER;
}

static struct mock *sleeper_create(struct sim *sim, struct domain *domain, const cycle *script,
                                   u32 count)
{
    struct mock *mock = bench_mock(sim, domain, step_follow_script);
    mock_set_script(mock, script, count);
    return mock;
}

static void expect_ticks(const struct mock *mock, const cycle *ticks, u32 count)
{
    assert_int_equal(mock->noted, count);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(mock->notes[i].at, ticks[i]);
}

static void unit_ticks_exactly_when_it_asked_to(void **state)
{
    (void)state;
    for (cycle length = 1; length < 1100; length += length < 240 || length > 270 ? 7 : 1) {
        const cycle script[] = { 0, 5, 5 + length, 5 + 2 * length, 6 + 2 * length };
        struct sim *sim = bench_create();
        struct mock *mock = sleeper_create(sim, bench_domain(sim), script, 5);
        bench_seal(sim, (struct sim_options){ 0 });
        bench_finish(sim);
        expect_ticks(mock, script, 5);
        bench_destroy(sim);
    }
}

/* Ticks in every value-th cycle. */
static cycle step_stride(struct mock *mock, cycle now)
{
    assert_int_equal(now % mock->value, 0);
    return now + mock->value;
}

/* Side by side with one that ticks for ever, whose cycles follow each other without a search. */
static void units_keep_their_stride_around_the_calendar(void **state)
{
    (void)state;
    for (u32 stride = 1; stride < 40; stride++) {
        for (u32 beside = 0; beside < 2; beside++) {
            struct sim *sim = bench_create();
            struct mock *mock = bench_mock(sim, bench_domain(sim), step_stride);
            if (beside)
                bench_mock(sim, mock->base.domain, step_stride)->value = 1;
            mock->value = stride;
            unit_hold(&mock->base, 1);
            bench_seal(sim, (struct sim_options){ 0 });
            bench_run(sim, 1000);
            assert_int_equal(mock->ticks, (1000 + stride - 1) / stride);
            bench_destroy(sim);
        }
    }
}

static void sleepers_do_not_wake_each_other(void **state)
{
    static const cycle scripts[4][3] = {
        { 0, 300, 100000 }, { 0, 256, 99999 }, { 0, 255, 100001 }, { 0, 1, 700000 }
    };
    struct mock *mocks[4];
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    for (u32 i = 0; i < 4; i++)
        mocks[i] = sleeper_create(sim, domain, scripts[i], 3);
    bench_seal(sim, (struct sim_options){ 0 });
    bench_finish(sim);
    for (u32 i = 0; i < 4; i++)
        expect_ticks(mocks[i], scripts[i], 3);
}

static void unit_beyond_the_first_64_of_a_domain_sleeps_as_well(void **state)
{
    static const cycle script[] = { 0, 40, 1000 };
    struct mock *mocks[200];
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    for (u32 i = 0; i < 200; i++)
        mocks[i] = bench_mock(sim, domain, step_sleep);
    static const u32 awake[] = { 0, 63, 64, 127, 128, 199 };
    for (u32 i = 0; i < 6; i++) {
        mocks[awake[i]]->step = step_follow_script;
        mock_set_script(mocks[awake[i]], script, 3);
    }
    bench_seal(sim, (struct sim_options){ 0 });
    bench_finish(sim);
    for (u32 i = 0; i < 6; i++)
        expect_ticks(mocks[awake[i]], script, 3);
    for (u32 i = 1; i < 63; i++)
        assert_int_equal(mocks[i]->ticks, 1);
}

/* Wakes the unit behind out[0] at cycle `value`, called at `ready`. */
static cycle step_wake_neighbour(struct mock *mock, cycle now)
{
    if (now == mock->ready)
        unit_wake(mock->out[0]->reader, mock->value);
    return now < mock->ready ? mock->ready : NEVER;
}

static void neighbour_can_be_woken_near_and_far(void **state)
{
    static const cycle wakes[] = { 11, 100, 265, 266, 267, 5000, 19999 };
    static const cycle script[] = { 0, 20000 };
    (void)state;
    for (u32 i = 0; i < sizeof wakes / sizeof *wakes; i++) {
        const cycle expected[] = { 0, wakes[i], 20000 };
        struct sim *sim = bench_create();
        struct domain *domain = bench_domain(sim);
        struct mock *waker = bench_mock(sim, domain, step_wake_neighbour);
        struct mock *sleeper = sleeper_create(sim, domain, script, 2);
        bench_link(sim, waker, sleeper, 1, 1);
        waker->ready = 10;
        waker->value = wakes[i];
        bench_seal(sim, (struct sim_options){ 0 });
        bench_run(sim, 20001);
        expect_ticks(sleeper, expected, 3);
        bench_destroy(sim);
    }
}

static void later_wish_does_not_push_back_an_earlier_one(void **state)
{
    static const cycle script[] = { 0, 1000 };
    static const cycle expected[] = { 0, 1000 };
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *waker = bench_mock(sim, domain, step_wake_neighbour);
    struct mock *sleeper = sleeper_create(sim, domain, script, 2);
    bench_link(sim, waker, sleeper, 1, 1);
    waker->ready = 10;
    waker->value = 2000;
    bench_seal(sim, (struct sim_options){ 0 });
    bench_run(sim, 1500);
    expect_ticks(sleeper, expected, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(unit_ticks_exactly_when_it_asked_to),
        bench_test(units_keep_their_stride_around_the_calendar),
        bench_test(sleepers_do_not_wake_each_other),
        bench_test(unit_beyond_the_first_64_of_a_domain_sleeps_as_well),
        bench_test(neighbour_can_be_woken_near_and_far),
        bench_test(later_wish_does_not_push_back_an_earlier_one),
    };
    return cmocka_run_group_tests_name("sleep", tests, NULL, NULL);
}
