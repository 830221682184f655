/* crossbar.c - who passes a crossbar, in which order and cycle. */
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_crossbar;

#define INPUTS_MAX  8
#define OUTPUTS_MAX 4

/* Links of one cycle on both sides: what is pushed at t passes at t + 1 at the earliest and is seen
 * at t + 2. Notes hold (source << 32 | address). */
struct stand {
    struct sim *sim;
    struct unit *crossbar;
    struct mock *before[INPUTS_MAX], *after[OUTPUTS_MAX];
};

/* Pushes the addresses in `script`, as soon as there is room. */
static cycle step_push_addresses(struct mock *mock, cycle now)
{
    (void)now;
    while (mock->script_next < mock->script_count && link_can_push(mock->out[0])) {
        struct message *message = link_push(mock->out[0]);
        message->address = mock->script[mock->script_next];
        message->source = (u32)mock->value;
        message->tag = mock->script_next;
        if (++mock->script_next == mock->script_count)
            unit_release(&mock->base, 1);
    }
    return NEVER;
}

static cycle step_note_messages(struct mock *mock, cycle now)
{
    if (now < mock->ready)
        return mock->ready;
    for (const struct message *message; (message = link_peek(mock->in[0]));) {
        mock_note(mock, now, (u64)message->source << 32 | message->address);
        link_pop(mock->in[0]);
    }
    return NEVER;
}

static struct stand stand_create(u32 inputs, u32 outputs, u32 room)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.crossbar = bench_unit(stand.sim, domain, &unit_type_crossbar, NO_CLOCK);
    for (u32 i = 0; i < inputs; i++) {
        stand.before[i] = bench_mock(stand.sim, domain, step_push_addresses);
        stand.before[i]->value = i;
        bench_feed(stand.sim, stand.crossbar, "in", stand.before[i], 1, 8);
    }
    for (u32 i = 0; i < outputs; i++) {
        stand.after[i] = bench_mock(stand.sim, domain, step_note_messages);
        bench_drain(stand.sim, stand.crossbar, "out", stand.after[i], 1, room);
    }
    if (outputs > 1)
        bench_ports(stand.crossbar, "out")->route = (struct route){ 64, outputs };
    return stand;
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->crossbar);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

static void expect_message(const struct mock *mock, u32 index, cycle at, u64 source, u64 address)
{
    expect_note(mock, index, at, source << 32 | address);
}

static void inputs_take_turns_at_an_output(void **state)
{
    static const cycle addresses[] = { 0, 8, 16, 24 };
    (void)state;
    struct stand stand = stand_create(3, 1, 4);
    for (u32 i = 0; i < 3; i++)
        mock_set_script(stand.before[i], addresses, 4);
    stand_finish(&stand);
    assert_int_equal(stand.after[0]->noted, 12);
    for (u32 k = 0; k < 12; k++)
        expect_message(stand.after[0], k, 2 + k, k % 3, addresses[k / 3]);
    assert_int_equal(bench_stat(stand.crossbar, "moved"), 12);
    /* Two losers in each of ten cycles, one in the eleventh, none in the last. */
    assert_int_equal(bench_stat(stand.crossbar, "conflicts"), 21);
}

static void late_input_gets_its_turn_behind_the_last_winner(void **state)
{
    static const cycle many[] = { 0, 0, 0, 0, 0, 0 }, one[] = { 5 };
    static const u64 order[] = { 0, 1, 3, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
    (void)state;
    struct stand stand = stand_create(4, 1, 4);
    mock_set_script(stand.before[0], many, 6);
    mock_set_script(stand.before[1], many, 6);
    mock_set_script(stand.before[3], one, 1);
    stand_finish(&stand);
    assert_int_equal(stand.after[0]->noted, 13);
    for (u32 k = 0; k < 13; k++)
        assert_int_equal(stand.after[0]->notes[k].what >> 32, order[k]);
}

static void messages_to_different_outputs_pass_together(void **state)
{
    static const cycle first[] = { 0, 0 }, second[] = { 64, 64 };
    (void)state;
    struct stand stand = stand_create(2, 2, 4);
    mock_set_script(stand.before[0], first, 2);
    mock_set_script(stand.before[1], second, 2);
    stand_finish(&stand);
    for (u32 k = 0; k < 2; k++) {
        expect_message(stand.after[0], k, 2 + k, 0, 0);
        expect_message(stand.after[1], k, 2 + k, 1, 64);
    }
    assert_int_equal(bench_stat(stand.crossbar, "conflicts"), 0);
}

static void address_chooses_the_output(void **state)
{
    static const cycle addresses[] = { 0, 64, 128, 192, 256, 63, 65 };
    static const u32 outputs[] = { 0, 1, 2, 0, 1, 0, 1 };
    u32 seen[3] = { 0 };
    (void)state;
    struct stand stand = stand_create(1, 3, 4);
    mock_set_script(stand.before[0], addresses, 7);
    stand_finish(&stand);
    /* One input gives one message per cycle. */
    for (u32 k = 0; k < 7; k++)
        expect_message(stand.after[outputs[k]], seen[outputs[k]]++, 2 + k, 0, addresses[k]);
}

static void message_behind_a_blocked_one_waits(void **state)
{
    static const cycle addresses[] = { 0, 0, 64 };
    (void)state;
    struct stand stand = stand_create(1, 2, 1);
    stand.after[0]->ready = 100;
    mock_set_script(stand.before[0], addresses, 3);
    stand_finish(&stand);
    /* The first waits behind the crossbar until 100, the second in front of it until 101, and the
     * third, whose output is free, cannot pass before 102. */
    expect_message(stand.after[0], 0, 100, 0, 0);
    expect_message(stand.after[0], 1, 102, 0, 0);
    expect_message(stand.after[1], 0, 103, 0, 64);
}

static void blocked_output_does_not_hold_up_the_others(void **state)
{
    static const cycle first[] = { 0, 0, 0 }, second[] = { 64, 64, 64 };
    (void)state;
    struct stand stand = stand_create(2, 2, 1);
    stand.after[0]->ready = 100;
    mock_set_script(stand.before[0], first, 3);
    mock_set_script(stand.before[1], second, 3);
    stand_finish(&stand);
    /* With one slot, which is free again the cycle after it was read: every other cycle. */
    for (u32 k = 0; k < 3; k++) {
        expect_message(stand.after[1], k, 2 + 2 * k, 1, 64);
        expect_message(stand.after[0], k, 100 + 2 * k, 0, 0);
    }
}

static void many_inputs_get_the_same_share(void **state)
{
    static const cycle addresses[8] = { 0 };
    u32 share[8] = { 0 };
    (void)state;
    struct stand stand = stand_create(8, 1, 4);
    for (u32 i = 0; i < 8; i++)
        mock_set_script(stand.before[i], addresses, 8);
    bench_init(stand.crossbar);
    bench_seal(stand.sim, (struct sim_options){ 0 });
    bench_run(stand.sim, 2 + 40);
    assert_int_equal(stand.after[0]->noted, 40);
    for (u32 k = 0; k < 40; k++)
        share[stand.after[0]->notes[k].what >> 32]++;
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(share[i], 5);
}

static void several_outputs_without_a_route_are_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2, 1);
    bench_ports(stand.crossbar, "out")->route = (struct route){ 0 };
    bench_init_refused(stand.crossbar, "has 2 outputs, but its links do not say which address");
}

static void latency_passes_between_input_and_output(void **state)
{
    static const cycle addresses[] = { 0, 8, 16 };
    (void)state;
    struct stand stand = stand_create(1, 1, 4);
    bench_set(stand.crossbar, "latency", 7);
    mock_set_script(stand.before[0], addresses, 3);
    stand_finish(&stand);
    for (u32 k = 0; k < 3; k++)
        expect_message(stand.after[0], k, 2 + 7 + k, 0, addresses[k]);
}

static void width_is_how_many_pass_a_port_per_cycle(void **state)
{
    static const cycle addresses[] = { 0, 8, 16, 24 };
    (void)state;
    for (u32 islip = 0; islip < 2; islip++) {
        struct stand stand = stand_create(2, 1, 8);
        bench_set(stand.crossbar, "width", 2);
        bench_set(stand.crossbar, "arbitration", islip);
        for (u32 i = 0; i < 2; i++)
            mock_set_script(stand.before[i], addresses, 4);
        stand_finish(&stand);
        assert_int_equal(stand.after[0]->noted, 8);
        for (u32 k = 0; k < 8; k++)
            assert_int_equal(stand.after[0]->notes[k].at, 2 + k / 2);
        bench_destroy(stand.sim);
    }
}

static void output_queue_frees_the_inputs(void **state)
{
    static const cycle addresses[] = { 0, 0, 0, 64 };
    (void)state;
    struct stand stand = stand_create(1, 2, 1);
    bench_set(stand.crossbar, "output_queue", 2);
    stand.after[0]->ready = 100;
    mock_set_script(stand.before[0], addresses, 4);
    stand_finish(&stand);
    /* One waits in the link, two in the queue: the fourth is not held up. */
    expect_message(stand.after[1], 0, 2 + 3, 0, 64);
    for (u32 k = 0; k < 3; k++)
        expect_message(stand.after[0], k, 100 + 2 * k, 0, 0);
}

static struct stand islip_create(u32 inputs, u32 outputs, u32 room, u32 iterations)
{
    struct stand stand = stand_create(inputs, outputs, room);
    bench_set_choice(stand.crossbar, "arbitration", "islip");
    bench_set(stand.crossbar, "iterations", iterations);
    return stand;
}

static void islip_message_behind_a_blocked_one_passes(void **state)
{
    static const cycle addresses[] = { 0, 0, 64 };
    (void)state;
    struct stand stand = islip_create(1, 2, 1, 1);
    stand.after[0]->ready = 100;
    mock_set_script(stand.before[0], addresses, 3);
    stand_finish(&stand);
    expect_message(stand.after[1], 0, 4, 0, 64); /* compare message_behind_a_blocked_one_waits */
    expect_message(stand.after[0], 1, 102, 0, 0);
}

static void islip_full_queue_holds_up_its_input(void **state)
{
    static const cycle addresses[] = { 0, 0, 0, 64 };
    (void)state;
    struct stand stand = islip_create(1, 2, 1, 1);
    bench_set(stand.crossbar, "input_queue", 1);
    stand.after[0]->ready = 100;
    mock_set_script(stand.before[0], addresses, 4);
    stand_finish(&stand);
    /* The first is in the link, the second in the queue, the third in front of it. Read at 100, the
     * slot is free at 101, the queue at 102. At 103 the input has something for both outputs and
     * gives to the one that it did not give to last. */
    expect_message(stand.after[1], 0, 104, 0, 64);
    expect_message(stand.after[0], 2, 105, 0, 0);
}

/* Both inputs have messages for both outputs, first for output 0. */
static struct stand islip_two_by_two(u32 iterations)
{
    static const cycle addresses[] = { 0, 64, 0, 64, 0, 64, 0, 64 };
    struct stand stand = islip_create(2, 2, 8, iterations);
    for (u32 i = 0; i < 2; i++)
        mock_set_script(stand.before[i], addresses, 8);
    stand_finish(&stand);
    return stand;
}

static void islip_turns_slip_apart(void **state)
{
    (void)state;
    struct stand stand = islip_two_by_two(1);
    /* At 1 only output 0 is wanted, and takes from input 0. At 2 output 0's turn is input 1, output
     * 1's is input 0: from then on both outputs are busy in every cycle. */
    for (u32 k = 0; k < 8; k++) {
        expect_message(stand.after[0], k, 2 + k, k % 2, 0);
        expect_message(stand.after[1], k, 3 + k, k % 2, 64);
    }
}

static void islip_iterations_use_what_grants_left(void **state)
{
    static const cycle addresses[] = { 0, 64, 0, 64 };
    (void)state;
    for (u32 iterations = 1; iterations <= 2; iterations++) {
        struct stand stand = islip_create(2, 2, 1, iterations);
        stand.after[0]->ready = stand.after[1]->ready = 100;
        for (u32 i = 0; i < 2; i++)
            mock_set_script(stand.before[i], addresses, 4);
        stand_finish(&stand);
        /* Input 0 has filled both links. At 101 both outputs have room again, and both grant to
         * input 1, which accepts output 0. A second round gives output 1 to input 0; without it
         * output 1 stays idle until 102. */
        expect_message(stand.after[0], 1, 102, 1, 0);
        if (iterations == 1)
            expect_message(stand.after[1], 1, 103, 1, 64);
        else
            expect_message(stand.after[1], 1, 102, 0, 64);
        bench_destroy(stand.sim);
    }
}

static void islip_inputs_get_the_same_share(void **state)
{
    static const cycle addresses[8] = { 0 };
    u32 share[8] = { 0 };
    (void)state;
    struct stand stand = islip_create(8, 1, 4, 2);
    for (u32 i = 0; i < 8; i++)
        mock_set_script(stand.before[i], addresses, 8);
    stand_finish(&stand);
    assert_int_equal(stand.after[0]->noted, 64);
    for (u32 k = 0; k < 40; k++)
        share[stand.after[0]->notes[k].what >> 32]++;
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(share[i], 5);
}

static void ports_of_both_kinds_are_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1, 1);
    struct mock *user = bench_mock(stand.sim, stand.before[0]->base.domain, step_sleep);
    bench_join(stand.sim, stand.crossbar, "users", user, 1, 1);
    bench_init_refused(stand.crossbar, "either one-way messages or requests and answers");
}

static void crossbar_without_outputs_is_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 0, 1);
    bench_init_refused(stand.crossbar, "has 1 inputs and 0 outputs; it needs both");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(inputs_take_turns_at_an_output),
        bench_test_all_ways(late_input_gets_its_turn_behind_the_last_winner),
        bench_test_all_ways(messages_to_different_outputs_pass_together),
        bench_test_all_ways(address_chooses_the_output),
        bench_test_all_ways(message_behind_a_blocked_one_waits),
        bench_test_all_ways(blocked_output_does_not_hold_up_the_others),
        bench_test_all_ways(many_inputs_get_the_same_share),
        bench_test_all_ways(several_outputs_without_a_route_are_refused),
        bench_test_all_ways(latency_passes_between_input_and_output),
        bench_test_all_ways(width_is_how_many_pass_a_port_per_cycle),
        bench_test_all_ways(output_queue_frees_the_inputs),
        bench_test_all_ways(islip_message_behind_a_blocked_one_passes),
        bench_test_all_ways(islip_full_queue_holds_up_its_input),
        bench_test_all_ways(islip_turns_slip_apart),
        bench_test_all_ways(islip_iterations_use_what_grants_left),
        bench_test_all_ways(islip_inputs_get_the_same_share),
        bench_test(ports_of_both_kinds_are_refused),
        bench_test(crossbar_without_outputs_is_refused),
    };
    return cmocka_run_group_tests_name("crossbar", tests, NULL, NULL);
}
