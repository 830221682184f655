/* sink.c - when a sink takes what, and how old it says it was. */
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_sink;

struct stand {
    struct sim *sim;
    struct unit *sink;
    struct mock *before;
};

static struct stand stand_create(mock_step write, u32 latency, u32 capacity)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.before = bench_mock(stand.sim, domain, write);
    stand.sink = bench_unit(stand.sim, domain, &unit_type_sink, NO_CLOCK);
    bench_feed(stand.sim, stand.sink, "in", stand.before, latency, capacity);
    return stand;
}

static void stand_start(struct stand *stand)
{
    bench_init(stand->sink);
    bench_seal(stand->sim, (struct sim_options){ 0 });
}

static void message_is_as_old_as_its_link_is_long(void **state)
{
    static const cycle pushed[] = { 0, 3, 10, 500 };
    (void)state;
    struct stand stand = stand_create(step_push_script, 7, 4);
    mock_set_script(stand.before, pushed, 4);
    stand_start(&stand);
    assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.sink, "received"), 4);
    assert_int_equal(bench_stat(stand.sink, "latency"), 4 * 7);
    assert_int_equal(bench_stat(stand.sink, "latency_max"), 7);
}

static void one_message_is_taken_per_cycle(void **state)
{
    static const cycle pushed[] = { 0, 0, 0, 0 };
    (void)state;
    struct stand stand = stand_create(step_push_script, 7, 4);
    mock_set_script(stand.before, pushed, 4);
    stand_start(&stand);
    bench_finish(stand.sim);
    assert_int_equal(bench_stat(stand.sink, "latency"), 7 + 8 + 9 + 10);
    assert_int_equal(bench_stat(stand.sink, "latency_max"), 10);
    assert_int_equal(sim_chip(stand.sim)->ended_at, 11);
}

static void links_are_served_in_turn(void **state)
{
    static const cycle pushed[] = { 0, 0, 0, 0 };
    (void)state;
    struct stand stand = stand_create(step_push_script, 1, 4);
    mock_set_script(stand.before, pushed, 4);
    for (u32 i = 0; i < 2; i++) {
        struct mock *another = bench_mock(stand.sim, stand.before->base.domain, step_push_script);
        bench_feed(stand.sim, stand.sink, "in", another, 1, 4);
        mock_set_script(another, pushed, 4);
    }
    stand_start(&stand);
    const struct port *at = bench_ports(stand.sink, "in")->at;
    for (cycle taken = 1; taken <= 12; taken++) { /* the first at cycle 1 */
        bench_run(stand.sim, 1 + taken);
        for (u32 i = 0; i < 3; i++)
            assert_int_equal(at[i].in->tail - link_held(at[i].in), (taken + 2 - i) / 3);
    }
}

static void empty_links_are_passed_over(void **state)
{
    static const cycle pushed[] = { 0, 0, 0 };
    (void)state;
    struct stand stand = stand_create(step_sleep, 1, 4);
    struct mock *busy = bench_mock(stand.sim, stand.before->base.domain, step_push_script);
    bench_feed(stand.sim, stand.sink, "in", busy, 1, 4);
    mock_set_script(busy, pushed, 3);
    stand_start(&stand);
    bench_finish(stand.sim);
    assert_int_equal(bench_stat(stand.sink, "latency"), 1 + 2 + 3);
}

static void pauses_last_from_nothing_to_the_longest(void **state)
{
    (void)state;
    struct stand stand = stand_create(step_push_eager, 1, 1);
    bench_set(stand.sink, "pause", 8);
    mock_set_left(stand.before, 300);
    stand_start(&stand);
    bench_finish(stand.sim);
    /* The one slot is pushed into one cycle after it was taken from, and what is pushed arrives one
     * cycle later: takings are 2 cycles apart when the pause is 0 or 1, else the pause + 1. */
    u32 seen[16] = { 0 };
    for (u32 k = 2; k < 300; k++) {
        cycle apart = stand.before->notes[k].at - stand.before->notes[k - 1].at;
        assert_in_range(apart, 2, 9);
        seen[apart]++;
    }
    for (u32 apart = 2; apart <= 9; apart++)
        assert_true(seen[apart] > 0);
    assert_true(seen[2] > seen[3]);
}

/* Pushes the tags of `value`, four bits each. */
static cycle step_push_tags(struct mock *mock, cycle now)
{
    if (!mock->left)
        return NEVER;
    mock_push(mock, mock->value & 15);
    mock->value >>= 4;
    if (!--mock->left)
        unit_release(&mock->base, 1);
    return now + 1;
}

static u64 checksum_of(const u64 *tags, u32 count)
{
    struct stand stand = stand_create(step_push_tags, 1, 4);
    for (u32 i = 0; i < count; i++)
        stand.before->value |= tags[i] << (4 * i);
    mock_set_left(stand.before, count);
    stand_start(&stand);
    bench_finish(stand.sim);
    assert_int_equal(bench_stat(stand.sink, "received"), count);
    u64 checksum = bench_stat(stand.sink, "checksum");
    bench_destroy(stand.sim);
    return checksum;
}

static void checksum_shows_a_swapped_pair(void **state)
{
    static const u64 in_order[] = { 1, 2, 3, 4 }, swapped[] = { 1, 3, 2, 4 };
    (void)state;
    assert_int_equal(checksum_of(in_order, 4), checksum_of(in_order, 4));
    assert_int_not_equal(checksum_of(in_order, 4), checksum_of(swapped, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(message_is_as_old_as_its_link_is_long),
        bench_test_all_ways(one_message_is_taken_per_cycle),
        bench_test_all_ways(links_are_served_in_turn),
        bench_test_all_ways(empty_links_are_passed_over),
        bench_test_all_ways(pauses_last_from_nothing_to_the_longest),
        bench_test_all_ways(checksum_shows_a_swapped_pair),
    };
    return cmocka_run_group_tests_name("sink", tests, NULL, NULL);
}
