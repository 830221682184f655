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
    };
    return cmocka_run_group_tests_name("crossbar", tests, NULL, NULL);
}
