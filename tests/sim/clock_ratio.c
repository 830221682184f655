/* clock_ratio.c - units on clocks of their own tick in the right chip cycles, for ever. */
#include "sim/bench_chip.h"
#include "sim/clock.h"

#define LONG_RUN 1515000

struct expectation {
    struct clock_ratio clock;
    u64 own_cycles; /* in LONG_RUN chip cycles */
};

static const struct expectation ratios[] = {
    { { 3500, 1515 }, 3500000 }, { { 1515, 3500 }, 655779 }, { { 1, 3 }, 505000 },
    { { 7, 5 }, 2121000 },       { { 2, 1 }, 3030000 },      { { 1, 300 }, 5050 },
};
#define RATIOS (sizeof ratios / sizeof *ratios)

/* Ticks in each of its cycles; `value` counts those that were not the next one or not in the chip
 * cycle in which their edge lies. */
static cycle step_count(struct mock *mock, cycle now)
{
    cycle chip = mock->base.domain->now;
    struct clock_ratio clock = mock->base.clock;
    bool consecutive = now == mock->ready;
    bool begun = now * clock.per >= chip * clock.times;
    bool over = now * clock.per >= (chip + 1) * clock.times;
    mock->value += !consecutive || !begun || over;
    mock->ready = now + 1;
    return now + 1;
}

static void run_ratio(const struct expectation *ratio, struct sim_options options)
{
    struct sim *sim = bench_create();
    struct mock *mock = bench_mock_clocked(sim, bench_domain(sim), step_count, ratio->clock);
    unit_hold(&mock->base, 1);
    bench_seal(sim, options);
    assert_int_equal(bench_run(sim, LONG_RUN), SIM_REACHED);
    assert_int_equal(mock->ticks, ratio->own_cycles);
    assert_int_equal(mock->value, 0);
    bench_destroy(sim);
}

static void own_cycles_are_counted_without_drift(void **state)
{
    (void)state;
    for (u32 i = 0; i < RATIOS; i++)
        run_ratio(&ratios[i], (struct sim_options){ 0 });
}

static void own_cycles_are_the_same_when_nobody_may_sleep(void **state)
{
    (void)state;
    for (u32 i = 0; i < RATIOS; i++)
        run_ratio(&ratios[i], (struct sim_options){ .sleepless = true, .window = 3 });
}

static void own_cycles_are_the_same_over_many_short_runs(void **state)
{
    (void)state;
    for (u32 i = 0; i < RATIOS; i++) {
        struct sim *sim = bench_create();
        struct mock *mock = bench_mock_clocked(sim, bench_domain(sim), step_count, ratios[i].clock);
        unit_hold(&mock->base, 1);
        bench_seal(sim, (struct sim_options){ 0 });
        for (cycle until = 101; until < LONG_RUN; until += 101)
            bench_run(sim, until);
        bench_run(sim, LONG_RUN);
        assert_int_equal(mock->ticks, ratios[i].own_cycles);
        assert_int_equal(mock->value, 0);
        bench_destroy(sim);
    }
}

/* Ticks in the own cycles of the script only; notes the chip cycle of each. */
static cycle step_follow_script(struct mock *mock, cycle now)
{
    if (mock->script_next < mock->script_count && now == mock->script[mock->script_next]) {
        mock_note(mock, mock->base.domain->now, now);
        mock->script_next++;
    }
    return mock->script_next < mock->script_count ? mock->script[mock->script_next] : NEVER;
}

static void sleeper_wakes_on_the_exact_edge(void **state)
{
    static const cycle own[] = { 1, 2, 3, 10, 100, 355, 611, 612, 1300, 9999, 123457 };
    const u32 count = sizeof own / sizeof *own;
    (void)state;
    for (u32 i = 0; i < RATIOS; i++) {
        struct sim *sim = bench_create();
        struct mock *mock =
            bench_mock_clocked(sim, bench_domain(sim), step_follow_script, ratios[i].clock);
        mock_set_script(mock, own, count);
        bench_seal(sim, (struct sim_options){ 0 });
        bench_finish(sim);
        assert_int_equal(mock->noted, count);
        for (u32 k = 0; k < count; k++) {
            assert_int_equal(mock->notes[k].what, own[k]);
            assert_int_equal(mock->notes[k].at,
                             own[k] * ratios[i].clock.per / ratios[i].clock.times);
        }
        bench_destroy(sim);
    }
}

static void slow_unit_is_not_ticked_between_its_edges(void **state)
{
    static const cycle own[] = { 400 };
    (void)state;
    struct sim *sim = bench_create();
    struct mock *mock = bench_mock_clocked(sim, bench_domain(sim), step_follow_script,
                                           (struct clock_ratio){ 1, 3 });
    mock_set_script(mock, own, 1);
    bench_seal(sim, (struct sim_options){ 0 });
    bench_run(sim, 1500);
    assert_int_equal(mock->noted, 1);
    assert_int_equal(mock->notes[0].at, 1200);
    assert_int_equal(mock->ticks, 2); /* at the start, and then */
}

/* Notes the own cycle, with the chip cycle in front. */
static cycle step_pop_clocked(struct mock *mock, cycle now)
{
    while (link_peek(mock->in[0])) {
        mock_note(mock, mock->base.domain->now, now);
        link_pop(mock->in[0]);
    }
    return NEVER;
}

static void message_between_edges_is_seen_at_the_next_edge(void **state)
{
    static const cycle pushed[] = { 2, 3, 9, 500 };
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *writer = bench_mock(sim, domain, step_push_script);
    struct mock *reader =
        bench_mock_clocked(sim, domain, step_pop_clocked, (struct clock_ratio){ 1, 3 });
    bench_link(sim, writer, reader, 1, 4);
    mock_set_script(writer, pushed, 4);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    /* Arrivals at 3, 4, 10 and 501; edges at 3, 6, 12 and 501. */
    static const struct note expected[] = { { 3, 1 }, { 6, 2 }, { 12, 4 }, { 501, 167 } };
    assert_int_equal(reader->noted, 4);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(reader->notes[i].at, expected[i].at);
        assert_int_equal(reader->notes[i].what, expected[i].what);
    }
}

static void fast_unit_sees_a_message_in_its_first_cycle_after_arrival(void **state)
{
    static const cycle pushed[] = { 2, 3, 500 };
    (void)state;
    struct sim *sim = bench_create();
    struct mock *writer = bench_mock(sim, bench_domain(sim), step_push_script);
    struct mock *reader =
        bench_mock_clocked(sim, bench_domain(sim), step_pop_clocked, (struct clock_ratio){ 7, 5 });
    bench_link(sim, writer, reader, 4, 4);
    mock_set_script(writer, pushed, 3);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    assert_int_equal(reader->noted, 3);
    for (u32 i = 0; i < 3; i++) {
        cycle arrival = pushed[i] + 4;
        assert_int_equal(reader->notes[i].at, arrival);
        assert_int_equal(reader->notes[i].what, (arrival * 7 + 4) / 5);
    }
}

static void fast_unit_sends_several_messages_in_a_chip_cycle(void **state)
{
    static const cycle own[] = { 6, 7, 8, 9 }; /* chip cycles 3, 3, 4, 4 */
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *writer =
        bench_mock_clocked(sim, domain, step_push_script, (struct clock_ratio){ 2, 1 });
    struct mock *reader = bench_mock(sim, domain, step_pop_woken);
    bench_link(sim, writer, reader, 5, 4);
    mock_set_script(writer, own, 4);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    static const cycle expected[] = { 8, 8, 9, 9 };
    assert_int_equal(reader->noted, 4);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(reader->notes[i].at, expected[i]);
}

static void refused_slow_writer_pushes_at_its_next_edge(void **state)
{
    static const cycle popped[] = { 100 };
    (void)state;
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *writer =
        bench_mock_clocked(sim, domain, step_push_eager, (struct clock_ratio){ 1, 7 });
    struct mock *reader = bench_mock(sim, domain, step_pop_script);
    bench_link(sim, writer, reader, 1, 1);
    mock_set_left(writer, 2);
    mock_set_script(reader, popped, 1);
    bench_seal(sim, (struct sim_options){ 0 });
    bench_finish(sim);
    assert_int_equal(writer->noted, 2);
    assert_int_equal(writer->notes[1].at, 15); /* own; chip cycle 105, the first edge from 101 on */
}

static void conversion_is_exact_for_huge_cycle_numbers(void **state)
{
    (void)state;
    const struct clock_ratio fast = { 3500, 1515 }, slow = { 1515, 3500 };
    const cycle turns = UINT64_C(1) << 51;
    assert_int_equal(clock_own(fast, 1515 * turns), 3500 * turns);
    assert_int_equal(clock_chip(fast, 3500 * turns), 1515 * turns);
    assert_int_equal(clock_own(slow, 3500 * turns), 1515 * turns);
    assert_int_equal(clock_chip(slow, 1515 * turns), 3500 * turns);
    assert_int_equal(clock_own(fast, 1515 * turns + 1), 3500 * turns + 3);
    assert_int_equal(clock_chip(fast, 3500 * turns + 2), 1515 * turns);
    assert_int_equal(clock_chip(fast, 3500 * turns + 3), 1515 * turns + 1);
    assert_int_equal(clock_chip(fast, NEVER), NEVER);
}

/* Where a product, or what rounding adds to it, begins to need more than 64 bits. */
static void conversion_is_exact_around_the_limit_of_64_bits(void **state)
{
    (void)state;
    for (u32 i = 0; i < RATIOS; i++) {
        struct clock_ratio clock = ratios[i].clock;
        cycle limit = NEVER / clock.times;
        for (cycle chip = limit - 5; chip <= limit + 5 && chip > 5; chip++) {
            clock_wide product = (clock_wide)chip * clock.times;
            assert_int_equal(clock_own(clock, chip), (product + clock.per - 1) / clock.per);
        }
        limit = NEVER / clock.per;
        for (cycle own = limit - 5; own <= limit + 5 && own > 5; own++)
            assert_int_equal(clock_chip(clock, own), (clock_wide)own * clock.per / clock.times);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(own_cycles_are_counted_without_drift),
        bench_test(own_cycles_are_the_same_when_nobody_may_sleep),
        bench_test(own_cycles_are_the_same_over_many_short_runs),
        bench_test(sleeper_wakes_on_the_exact_edge),
        bench_test(slow_unit_is_not_ticked_between_its_edges),
        bench_test(message_between_edges_is_seen_at_the_next_edge),
        bench_test(fast_unit_sees_a_message_in_its_first_cycle_after_arrival),
        bench_test(fast_unit_sends_several_messages_in_a_chip_cycle),
        bench_test(refused_slow_writer_pushes_at_its_next_edge),
        bench_test(conversion_is_exact_for_huge_cycle_numbers),
        bench_test(conversion_is_exact_around_the_limit_of_64_bits),
    };
    return cmocka_run_group_tests_name("clock_ratio", tests, NULL, NULL);
}
