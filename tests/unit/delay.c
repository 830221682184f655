/* delay.c - what goes into a delay comes out the same, `latency` cycles later to the cycle. */
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_delay;

/* Links of one cycle in front and behind: what is pushed at t is taken at t + 1, sent on at
 * t + 1 + latency and seen at t + 2 + latency. */
struct pipe {
    struct sim *sim;
    struct mock *before, *after;
    struct unit *delay;
};

static struct pipe pipe_create(cycle latency, u64 depth, struct clock_ratio clock, u32 room,
                               mock_step read)
{
    struct pipe pipe = { .sim = bench_create() };
    struct domain *domain = bench_domain(pipe.sim);
    pipe.before = bench_mock(pipe.sim, domain, step_push_script);
    pipe.delay = bench_unit(pipe.sim, domain, &unit_type_delay, clock);
    pipe.after = bench_mock(pipe.sim, domain, read);
    bench_set(pipe.delay, "latency", latency);
    bench_set(pipe.delay, "depth", depth);
    bench_feed(pipe.sim, pipe.delay, "in", pipe.before, 1, 8);
    bench_drain(pipe.sim, pipe.delay, "out", pipe.after, 1, room);
    bench_init(pipe.delay);
    return pipe;
}

static void message_leaves_after_the_latency(void **state)
{
    static const cycle latencies[] = { 1, 2, 10, 255, 256, 300, 5000 };
    static const cycle pushed[] = { 4, 100 };
    (void)state;
    for (u32 i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        struct pipe pipe = pipe_create(latencies[i], 16, NO_CLOCK, 8, step_pop_woken);
        mock_set_script(pipe.before, pushed, 2);
        bench_seal(pipe.sim, (struct sim_options){ 0 });
        assert_int_equal(bench_finish(pipe.sim), SIM_FINISHED);
        assert_int_equal(pipe.after->noted, 2);
        expect_note(pipe.after, 0, 4 + 2 + latencies[i], 0);
        expect_note(pipe.after, 1, 100 + 2 + latencies[i], 1);
        assert_int_equal(bench_stat(pipe.delay, "passed"), 2);
        assert_int_equal(bench_stat(pipe.delay, "full"), 0);
        bench_destroy(pipe.sim);
    }
}

static void one_message_is_taken_per_cycle(void **state)
{
    static const cycle pushed[] = { 0, 0, 0, 0 };
    (void)state;
    struct pipe pipe = pipe_create(10, 16, NO_CLOCK, 8, step_pop_woken);
    mock_set_script(pipe.before, pushed, 4);
    bench_seal(pipe.sim, (struct sim_options){ 0 });
    bench_finish(pipe.sim);
    assert_int_equal(pipe.after->noted, 4);
    for (u32 i = 0; i < 4; i++)
        expect_note(pipe.after, i, 12 + i, i);
}

static void full_pipe_takes_the_next_when_one_leaves(void **state)
{
    static const cycle pushed[] = { 0, 0, 0, 0 };
    static const cycle seen[] = { 12, 13, 22, 23 };
    (void)state;
    struct pipe pipe = pipe_create(10, 2, NO_CLOCK, 8, step_pop_woken);
    mock_set_script(pipe.before, pushed, 4);
    bench_seal(pipe.sim, (struct sim_options){ 0 });
    bench_finish(pipe.sim);
    /* Taken at 1, 2, and, as the first two leave, at 11 and 12. */
    assert_int_equal(pipe.after->noted, 4);
    for (u32 i = 0; i < 4; i++)
        expect_note(pipe.after, i, seen[i], i);
    assert_int_equal(bench_stat(pipe.delay, "full"), 3);
}

static void message_waits_for_room_ahead(void **state)
{
    static const cycle pushed[] = { 0, 1, 2 };
    static const cycle popped[] = { 100, 200, 202 };
    (void)state;
    struct pipe pipe = pipe_create(10, 16, NO_CLOCK, 1, step_pop_script);
    mock_set_script(pipe.before, pushed, 3);
    mock_set_script(pipe.after, popped, 3);
    bench_seal(pipe.sim, (struct sim_options){ 0 });
    /* The pops of the script abort unless the message is there: the third, sent at 201, is seen at
     * 202 exactly. */
    assert_int_equal(bench_finish(pipe.sim), SIM_FINISHED);
    for (u32 i = 0; i < 3; i++)
        expect_note(pipe.after, i, popped[i], i);
}

static void run_lasts_while_a_message_is_inside(void **state)
{
    static const cycle pushed[] = { 0 };
    (void)state;
    struct pipe pipe = pipe_create(100000, 1, NO_CLOCK, 1, step_pop_woken);
    mock_set_script(pipe.before, pushed, 1);
    bench_seal(pipe.sim, (struct sim_options){ 0 });
    assert_int_equal(bench_run(pipe.sim, 50000), SIM_REACHED);
    assert_int_equal(pipe.delay->held, 1);
    assert_int_equal(bench_finish(pipe.sim), SIM_FINISHED);
    assert_int_equal(pipe.delay->held, 0);
    assert_int_equal(sim_chip(pipe.sim)->ended_at, 100003);
}

static cycle step_compare(struct mock *mock, cycle now)
{
    const struct message *message = link_peek(mock->in[0]);
    if (!message)
        return NEVER;
    mock_note(mock, now, message->address);
    mock_note(mock, now, message->source);
    mock_note(mock, now, message->data.dword[0]);
    link_pop(mock->in[0]);
    return NEVER;
}

static void message_comes_out_as_it_went_in(void **state)
{
    static const cycle pushed[] = { 5, 9 };
    (void)state;
    struct pipe pipe = pipe_create(10, 16, NO_CLOCK, 8, step_compare);
    mock_set_script(pipe.before, pushed, 2);
    bench_seal(pipe.sim, (struct sim_options){ 0 });
    bench_finish(pipe.sim);
    assert_int_equal(pipe.after->noted, 6);
    for (u32 i = 0; i < 2; i++) {
        expect_note(pipe.after, 3 * i, pushed[i] + 12, 64 * i);
        expect_note(pipe.after, 3 * i + 1, pushed[i] + 12, pipe.before->base.number);
        expect_note(pipe.after, 3 * i + 2, pushed[i] + 12, pushed[i]);
    }
}

static void latency_is_counted_on_the_own_clock(void **state)
{
    static const cycle pushed[] = { 0 };
    (void)state;
    struct pipe pipe = pipe_create(10, 16, (struct clock_ratio){ 1, 2 }, 8, step_pop_woken);
    mock_set_script(pipe.before, pushed, 1);
    bench_seal(pipe.sim, (struct sim_options){ 0 });
    bench_finish(pipe.sim);
    /* Arrives at 1, taken at own cycle 1 (chip 2), sent at own 11 (chip 22), seen at 23. */
    assert_int_equal(pipe.after->noted, 1);
    expect_note(pipe.after, 0, 23, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(message_leaves_after_the_latency),
        bench_test_all_ways(one_message_is_taken_per_cycle),
        bench_test_all_ways(full_pipe_takes_the_next_when_one_leaves),
        bench_test_all_ways(message_waits_for_room_ahead),
        bench_test_all_ways(run_lasts_while_a_message_is_inside),
        bench_test_all_ways(message_comes_out_as_it_went_in),
        bench_test_all_ways(latency_is_counted_on_the_own_clock),
    };
    return cmocka_run_group_tests_name("delay", tests, NULL, NULL);
}
