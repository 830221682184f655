/* source.c - when a source sends what to where. */
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_source;

/* Pops from all links; notes the cycle of birth and the address. */
static cycle step_note_births(struct mock *mock, cycle now)
{
    (void)now;
    for (u32 i = 0; i < mock->in_count; i++) {
        for (const struct message *message; (message = link_peek(mock->in[i]));) {
            mock_note(mock, message->data.dword[0], message->address);
            link_pop(mock->in[i]);
        }
    }
    return NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *source;
    struct mock *after;
};

static struct stand stand_create(u64 messages, cycle gap, mock_step read)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.source = bench_unit(stand.sim, domain, &unit_type_source, NO_CLOCK);
    stand.after = bench_mock(stand.sim, domain, read);
    bench_set(stand.source, "messages", messages);
    bench_set(stand.source, "gap", gap);
    bench_set_choice(stand.source, "timing", "regular");
    bench_set_choice(stand.source, "pattern", "linear");
    return stand;
}

static void stand_start(struct stand *stand)
{
    bench_init(stand->source);
    bench_seal(stand->sim, (struct sim_options){ 0 });
}

static void regular_messages_come_every_gap(void **state)
{
    static const cycle gaps[] = { 1, 5, 400 };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand = stand_create(20, gaps[i], step_note_births);
        bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
        stand_start(&stand);
        assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
        assert_int_equal(stand.after->noted, 20);
        for (u32 k = 0; k < 20; k++)
            assert_int_equal(stand.after->notes[k].at, (k + 1) * gaps[i]);
        assert_int_equal(bench_stat(stand.source, "sent"), 20);
        assert_int_equal(bench_stat(stand.source, "blocked"), 0);
        bench_destroy(stand.sim);
    }
}

static void linear_addresses_count_up_and_start_again(void **state)
{
    (void)state;
    struct stand stand = stand_create(10, 1, step_note_births);
    bench_set(stand.source, "span", 128);
    bench_set(stand.source, "step", 32);
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
    stand_start(&stand);
    bench_finish(stand.sim);
    assert_int_equal(stand.after->noted, 10);
    for (u32 k = 0; k < 10; k++)
        assert_int_equal(stand.after->notes[k].what, k % 4 * 32);
}

static void random_gaps_lie_between_1_and_twice_the_gap_less_1(void **state)
{
    (void)state;
    struct stand stand = stand_create(500, 4, step_note_births);
    bench_set_choice(stand.source, "timing", "random");
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
    stand_start(&stand);
    bench_finish(stand.sim);
    u32 seen[8] = { 0 };
    assert_int_equal(stand.after->noted, 500);
    for (u32 k = 1; k < 500; k++) {
        cycle gap = stand.after->notes[k].at - stand.after->notes[k - 1].at;
        assert_in_range(gap, 1, 7);
        seen[gap]++;
    }
    for (u32 gap = 1; gap <= 7; gap++)
        assert_true(seen[gap] > 0);
}

static void random_addresses_are_multiples_of_step_below_span(void **state)
{
    (void)state;
    struct stand stand = stand_create(500, 1, step_note_births);
    bench_set_choice(stand.source, "pattern", "random");
    bench_set(stand.source, "span", 1000);
    bench_set(stand.source, "step", 96);
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
    stand_start(&stand);
    bench_finish(stand.sim);
    u32 seen[10] = { 0 };
    for (u32 k = 0; k < 500; k++) {
        assert_int_equal(stand.after->notes[k].what % 96, 0);
        assert_in_range(stand.after->notes[k].what, 0, 999);
        seen[stand.after->notes[k].what / 96]++;
    }
    for (u32 place = 0; place < 10; place++)
        assert_true(seen[place] > 0);
}

static u64 fingerprint(u64 seed, u32 ordinal)
{
    struct stand stand = stand_create(100, 9, step_note_births);
    u64 hash = 0;
    bench_set_choice(stand.source, "timing", "random");
    bench_set_choice(stand.source, "pattern", "random");
    bench_set(stand.source, "seed", seed);
    stand.source->ordinal = ordinal;
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
    stand_start(&stand);
    bench_finish(stand.sim);
    for (u32 k = 0; k < 100; k++)
        hash = hash * 31 + stand.after->notes[k].at * 7 + stand.after->notes[k].what;
    bench_destroy(stand.sim);
    return hash;
}

static void same_seed_gives_the_same_traffic(void **state)
{
    (void)state;
    assert_int_equal(fingerprint(1, 0), fingerprint(1, 0));
    assert_int_not_equal(fingerprint(1, 0), fingerprint(2, 0));
}

static void copies_of_a_source_differ(void **state)
{
    (void)state;
    assert_int_not_equal(fingerprint(1, 0), fingerprint(1, 1));
}

static void lateness_is_counted_and_adds_up(void **state)
{
    static const cycle popped[] = { 100, 400 };
    (void)state;
    struct stand stand = stand_create(3, 5, step_pop_script);
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 1);
    mock_set_script(stand.after, popped, 2);
    stand_start(&stand);
    bench_run(stand.sim, 1000);
    /* Sent at 5; due at 10, sent at 101; due at 106, sent at 401. */
    assert_int_equal(bench_stat(stand.source, "sent"), 3);
    assert_int_equal(bench_stat(stand.source, "blocked"), 91 + 295);
}

static void report_settles_a_wait_that_is_not_over(void **state)
{
    static const cycle popped[] = { 100 };
    (void)state;
    struct stand stand = stand_create(2, 5, step_pop_script);
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 1);
    mock_set_script(stand.after, popped, 1);
    stand_start(&stand);
    bench_run(stand.sim, 50);
    bench_report(stand.source, 50);
    assert_int_equal(bench_stat(stand.source, "blocked"), 40);
    bench_report(stand.source, 50);
    assert_int_equal(bench_stat(stand.source, "blocked"), 40);
    bench_run(stand.sim, 1000);
    assert_int_equal(bench_stat(stand.source, "blocked"), 91);
}

static void several_links_are_served_in_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create(9, 1, step_sleep);
    struct link *links[3];
    for (u32 i = 0; i < 3; i++)
        links[i] = bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
    stand_start(&stand);
    bench_run(stand.sim, 8); /* sent at 1 ... 7 */
    assert_int_equal(links[0]->tail, 3);
    assert_int_equal(links[1]->tail, 2);
    assert_int_equal(links[2]->tail, 2);
    assert_int_equal(link_slots(links[0])[0].message.tag, 0);
    assert_int_equal(link_slots(links[1])[0].message.tag, 1);
    assert_int_equal(link_slots(links[2])[0].message.tag, 2);
    assert_int_equal(link_slots(links[0])[1].message.tag, 3);
}

static void links_may_be_chosen_by_address(void **state)
{
    (void)state;
    struct stand stand = stand_create(8, 1, step_sleep);
    struct link *links[2];
    for (u32 i = 0; i < 2; i++)
        links[i] = bench_drain(stand.sim, stand.source, "out", stand.after, 1, 8);
    bench_ports(stand.source, "out")->route = (struct route){ .interleave = 128, .ways = 2 };
    stand_start(&stand); /* addresses 0, 64, 128 ... 448 */
    bench_run(stand.sim, 100);
    assert_int_equal(links[0]->tail, 4);
    assert_int_equal(links[1]->tail, 4);
    static const u64 expected[2][4] = { { 0, 64, 256, 320 }, { 128, 192, 384, 448 } };
    for (u32 i = 0; i < 2; i++)
        for (u32 k = 0; k < 4; k++)
            assert_int_equal(link_slots(links[i])[k].message.address, expected[i][k]);
}

static void source_without_end_goes_on(void **state)
{
    (void)state;
    struct stand stand = stand_create(0, 10, step_note_births);
    bench_drain(stand.sim, stand.source, "out", stand.after, 1, 4);
    stand_start(&stand);
    assert_int_equal(bench_run(stand.sim, 10001), SIM_REACHED);
    assert_int_equal(bench_stat(stand.source, "sent"), 1000);
}

static void step_beyond_span_is_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1, step_sleep);
    bench_set(stand.source, "span", 64);
    bench_set(stand.source, "step", 65);
    bench_init_refused(stand.source, "step (65 B) is larger than span (64 B)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(regular_messages_come_every_gap),
        bench_test_all_ways(linear_addresses_count_up_and_start_again),
        bench_test_all_ways(random_gaps_lie_between_1_and_twice_the_gap_less_1),
        bench_test_all_ways(random_addresses_are_multiples_of_step_below_span),
        bench_test_all_ways(same_seed_gives_the_same_traffic),
        bench_test_all_ways(copies_of_a_source_differ),
        bench_test_all_ways(lateness_is_counted_and_adds_up),
        bench_test_all_ways(report_settles_a_wait_that_is_not_over),
        bench_test_all_ways(several_links_are_served_in_turn),
        bench_test_all_ways(links_may_be_chosen_by_address),
        bench_test_all_ways(source_without_end_goes_on),
        bench_test_all_ways(step_beyond_span_is_refused),
    };
    return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
