/* link_exactness.c - in which cycle, to the cycle, a link shows a message, frees a slot, and wakes
 * whom. */
#include <string.h>

#include "sim/bench_chip.h"

static const u32 latencies[] = { 1, 2, 7, 40, 255 };
#define LATENCIES (sizeof latencies / sizeof *latencies)

/* What must not matter: who ticks first, who sleeps, how long the windows are. */
static const struct sim_options freedoms[] = {
    { .order = SIM_ORDER_FORWARD },
    { .order = SIM_ORDER_REVERSE },
    { .sleepless = true },
    { .window = 1 },
    { .threads = 2 },
};
#define FREEDOMS (sizeof freedoms / sizeof *freedoms)

struct pair {
    struct sim *sim;
    struct mock *writer, *reader;
    struct link *link;
};

static struct pair pair_create(bool crosses, u32 latency, u32 capacity, mock_step write,
                               mock_step read)
{
    struct pair pair = { .sim = bench_create() };
    struct domain *near = bench_domain(pair.sim);
    struct domain *far = crosses ? bench_domain(pair.sim) : near;
    pair.writer = bench_mock(pair.sim, near, write);
    pair.reader = bench_mock(pair.sim, far, read);
    pair.link = bench_link(pair.sim, pair.writer, pair.reader, latency, capacity);
    return pair;
}

/* Runs a test for every latency, inside and between domains, with every freedom. */
static void for_all_pairs(void (*test)(bool crosses, u32 latency, struct sim_options options))
{
    for (u32 i = 0; i < LATENCIES; i++) {
        for (u32 j = 0; j < FREEDOMS; j++) {
            test(false, latencies[i], freedoms[j]);
            test(true, latencies[i], freedoms[j]);
        }
    }
}

static void expect_note(const struct mock *mock, u32 index, cycle at, u64 what)
{
    assert_true(index < mock->noted);
    assert_int_equal(mock->notes[index].at, at);
    assert_int_equal(mock->notes[index].what, what);
}

/* ---- Arrival ---- */

/* Notes for every cycle whether there is something to see, 0 or 1. */
static cycle step_watch(struct mock *mock, cycle now)
{
    mock_note(mock, now, link_peek(mock->in[0]) != NULL);
    return now + 1;
}

static void check_visibility(bool crosses, u32 latency, struct sim_options options)
{
    static const cycle pushed[] = { 5 };
    struct pair pair = pair_create(crosses, latency, 1, step_push_script, step_watch);
    mock_set_script(pair.writer, pushed, 1);
    bench_seal(pair.sim, options);
    assert_int_equal(bench_run(pair.sim, 300), SIM_REACHED);
    assert_int_equal(pair.reader->noted, 300);
    for (u32 now = 0; now < 5 + latency; now++)
        expect_note(pair.reader, now, now, 0);
    for (u32 now = 5 + latency; now < 300; now++)
        expect_note(pair.reader, now, now, 1);
    bench_destroy(pair.sim);
}

static void message_is_seen_at_latency_and_not_before(void **state)
{
    (void)state;
    for_all_pairs(check_visibility);
}

static void check_arrival_wakes(bool crosses, u32 latency, struct sim_options options)
{
    static const cycle pushed[] = { 3, 4, 4, 90, 700 };
    struct pair pair = pair_create(crosses, latency, 8, step_push_script, step_pop_woken);
    mock_set_script(pair.writer, pushed, 5);
    bench_seal(pair.sim, options);
    assert_int_equal(bench_finish(pair.sim), SIM_FINISHED);
    assert_int_equal(pair.reader->noted, 5);
    for (u32 i = 0; i < 5; i++)
        expect_note(pair.reader, i, pushed[i] + latency, i);
    bench_destroy(pair.sim);
}

static void sleeping_reader_is_woken_when_each_message_arrives(void **state)
{
    (void)state;
    for_all_pairs(check_arrival_wakes);
}

/* Takes one message per tick and relies on the link for the next. */
static cycle step_pop_one(struct mock *mock, cycle now)
{
    const struct message *message = link_peek(mock->in[0]);
    if (message) {
        mock_note(mock, now, message->tag);
        link_pop(mock->in[0]);
    }
    return NEVER;
}

static void check_pop_wakes(bool crosses, u32 latency, struct sim_options options)
{
    static const cycle pushed[] = { 3, 3, 3, 3 };
    struct pair pair = pair_create(crosses, latency, 4, step_push_script, step_pop_one);
    mock_set_script(pair.writer, pushed, 4);
    bench_seal(pair.sim, options);
    assert_int_equal(bench_finish(pair.sim), SIM_FINISHED);
    assert_int_equal(pair.reader->noted, 4);
    for (u32 i = 0; i < 4; i++)
        expect_note(pair.reader, i, 3 + latency + i, i);
    bench_destroy(pair.sim);
}

static void pop_wakes_reader_for_the_messages_behind(void **state)
{
    (void)state;
    /* A reader that may be ticked at any time pops in every cycle, which is the same here. */
    for_all_pairs(check_pop_wakes);
}

static void check_order(bool crosses, u32 latency, struct sim_options options)
{
    struct pair pair = pair_create(crosses, latency, 4, step_push_eager, step_pop_one);
    mock_set_left(pair.writer, 100);
    bench_seal(pair.sim, options);
    bench_finish(pair.sim);
    assert_int_equal(pair.reader->noted, 100);
    for (u32 i = 0; i < 100; i++)
        assert_int_equal(pair.reader->notes[i].what, i);
    bench_destroy(pair.sim);
}

static void messages_arrive_in_the_order_of_pushing(void **state)
{
    (void)state;
    for_all_pairs(check_order);
}

static cycle step_push_filled(struct mock *mock, cycle now)
{
    if (now == 2)
        memset(link_push(mock->out[0]), 0xa5, sizeof(struct message));
    return now < 2 ? 2 : NEVER;
}

static cycle step_compare_filled(struct mock *mock, cycle now)
{
    const struct message *message = link_peek(mock->in[0]);
    if (!message)
        return NEVER;
    struct message expected;
    memset(&expected, 0xa5, sizeof expected);
    mock_note(mock, now, memcmp(&expected, message, sizeof expected) != 0);
    link_pop(mock->in[0]);
    return NEVER;
}

static void check_contents(bool crosses, u32 latency, struct sim_options options)
{
    struct pair pair = pair_create(crosses, latency, 2, step_push_filled, step_compare_filled);
    unit_hold(&pair.writer->base, 1);
    bench_seal(pair.sim, options);
    bench_run(pair.sim, 300);
    assert_int_equal(pair.reader->noted, 1);
    expect_note(pair.reader, 0, 2 + latency, 0);
    bench_destroy(pair.sim);
}

static void message_arrives_as_it_was_sent(void **state)
{
    (void)state;
    for_all_pairs(check_contents);
}

/* ---- Room ---- */

static cycle slot_back_after(bool crosses, u32 latency)
{
    return crosses ? latency : 1;
}

static void check_reuse(bool crosses, u32 latency, struct sim_options options, mock_step write)
{
    static const cycle popped[] = { 400 };
    struct pair pair = pair_create(crosses, latency, 1, write, step_pop_script);
    mock_set_left(pair.writer, 2);
    mock_set_script(pair.reader, popped, 1);
    bench_seal(pair.sim, options);
    bench_run(pair.sim, 1000);
    assert_int_equal(pair.writer->noted, 2);
    expect_note(pair.writer, 0, 0, 0);
    expect_note(pair.writer, 1, 400 + slot_back_after(crosses, latency), 1);
    bench_destroy(pair.sim);
}

static void check_reuse_insistent(bool crosses, u32 latency, struct sim_options options)
{
    check_reuse(crosses, latency, options, step_push_insistent);
}

static void check_reuse_asleep(bool crosses, u32 latency, struct sim_options options)
{
    check_reuse(crosses, latency, options, step_push_eager);
}

static void freed_slot_returns_after_one_cycle_or_the_latency(void **state)
{
    (void)state;
    for_all_pairs(check_reuse_insistent);
}

static void refused_writer_is_woken_when_the_slot_returns(void **state)
{
    (void)state;
    for_all_pairs(check_reuse_asleep);
}

static void check_reuse_several(bool crosses, u32 latency, struct sim_options options)
{
    static const cycle popped[] = { 400, 400, 400, 403 };
    struct pair pair = pair_create(crosses, latency, 4, step_push_eager, step_pop_script);
    mock_set_left(pair.writer, 8);
    mock_set_script(pair.reader, popped, 4);
    bench_seal(pair.sim, options);
    bench_run(pair.sim, 1000);
    assert_int_equal(pair.writer->noted, 8);
    for (u32 i = 0; i < 4; i++) {
        expect_note(pair.writer, i, 0, i);
        expect_note(pair.writer, 4 + i, popped[i] + slot_back_after(crosses, latency), 4 + i);
    }
    bench_destroy(pair.sim);
}

static void each_slot_returns_in_its_own_time(void **state)
{
    (void)state;
    for_all_pairs(check_reuse_several);
}

/* Long enough for a writer to look several places ahead. */
static void check_reuse_many(bool crosses, u32 latency, struct sim_options options)
{
    enum { SLOTS = 64 };
    cycle popped[SLOTS];
    for (u32 i = 0; i < SLOTS; i++)
        popped[i] = 400 + i * i % 7 + 3 * (i / 7 * 7);
    for (u32 i = 1; i < SLOTS; i++)
        popped[i] = max_u64(popped[i], popped[i - 1]);
    struct pair pair = pair_create(crosses, latency, SLOTS, step_push_eager, step_pop_script);
    mock_set_left(pair.writer, 2 * SLOTS);
    mock_set_script(pair.reader, popped, SLOTS);
    bench_seal(pair.sim, options);
    bench_run(pair.sim, 1000);
    assert_int_equal(pair.writer->noted, 2 * SLOTS);
    for (u32 i = 0; i < SLOTS; i++)
        expect_note(pair.writer, SLOTS + i, popped[i] + slot_back_after(crosses, latency),
                    SLOTS + i);
    bench_destroy(pair.sim);
}

static void each_slot_of_a_long_link_returns_in_its_own_time(void **state)
{
    (void)state;
    for_all_pairs(check_reuse_many);
}

/* Pushes once, asks for room again at cycle `value`, and then relies on being woken. */
static cycle step_push_late(struct mock *mock, cycle now)
{
    if (now > 0 && now < mock->value)
        return mock->value;
    if (now > 0 && !link_can_push(mock->out[0]))
        return NEVER;
    if (mock->noted < 2) {
        mock_push(mock, mock->noted);
        mock_note(mock, now, mock->noted);
    }
    return now < mock->value ? mock->value : NEVER;
}

static void check_asking_early(bool crosses, u32 latency, struct sim_options options)
{
    static const cycle popped[] = { 400 };
    cycle back = 400 + slot_back_after(crosses, latency);
    struct pair pair = pair_create(crosses, latency, 1, step_push_late, step_pop_script);
    mock_set_script(pair.reader, popped, 1);
    unit_hold(&pair.writer->base, 1);
    pair.writer->value = back - 1;
    bench_seal(pair.sim, options);
    bench_run(pair.sim, 1000);
    assert_int_equal(pair.writer->noted, 2);
    expect_note(pair.writer, 1, back, 1);
    bench_destroy(pair.sim);
}

static void late_comer_is_refused_one_cycle_before_the_slot_returns(void **state)
{
    (void)state;
    for_all_pairs(check_asking_early);
}

static void check_throughput(bool crosses, u32 latency, struct sim_options options)
{
    /* A link with a slot for every cycle of the round trip carries one message per cycle. */
    struct pair pair = pair_create(crosses, latency, 2 * latency, step_push_eager, step_pop_woken);
    u32 slots = pair.link->mask + 1;
    mock_set_left(pair.writer, slots + 20);
    bench_seal(pair.sim, options);
    assert_int_equal(bench_finish(pair.sim), SIM_FINISHED);
    /* All slots are taken at once in cycle 0, arrive together, and come back together. */
    assert_int_equal(pair.writer->notes[slots - 1].at, 0);
    cycle back = latency + slot_back_after(crosses, latency);
    expect_note(pair.writer, slots, back, slots);
    for (u32 i = 0; i < slots; i++)
        expect_note(pair.reader, i, latency, i);
    expect_note(pair.reader, slots, back + latency, slots);
    bench_destroy(pair.sim);
}

static void credits_make_the_round_trip(void **state)
{
    (void)state;
    for (u32 j = 0; j < FREEDOMS; j++) {
        for (u32 i = 0; i < 4; i++) { /* the notes have no room for the fifth */
            check_throughput(false, latencies[i], freedoms[j]);
            check_throughput(true, latencies[i], freedoms[j]);
        }
    }
}

static void check_capacity(bool crosses, u32 capacity, u32 slots)
{
    struct pair pair = pair_create(crosses, 1, capacity, step_push_eager, step_sleep);
    mock_set_left(pair.writer, MOCK_NOTES);
    bench_seal(pair.sim, (struct sim_options){ 0 });
    bench_run(pair.sim, 20);
    assert_int_equal(pair.writer->noted, slots);
    bench_destroy(pair.sim);
}

static void capacity_is_rounded_up_to_a_power_of_two(void **state)
{
    static const u32 expected[][2] = { { 1, 1 }, { 2, 2 },  { 3, 4 },     { 4, 4 },    { 5, 8 },
                                       { 8, 8 }, { 9, 16 }, { 100, 128 }, { 256, 256 } };
    (void)state;
    for (u32 i = 0; i < sizeof expected / sizeof *expected; i++) {
        check_capacity(false, expected[i][0], expected[i][1]);
        check_capacity(true, expected[i][0], expected[i][1]);
    }
}

static void full_link_remembers_since_when_its_writer_waits(void **state)
{
    static const cycle popped[] = { 50 };
    (void)state;
    for (u32 crosses = 0; crosses < 2; crosses++) {
        struct pair pair = pair_create(crosses, 5, 1, step_push_insistent, step_pop_script);
        mock_set_left(pair.writer, 3);
        mock_set_script(pair.reader, popped, 1);
        bench_seal(pair.sim, (struct sim_options){ 0 });
        bench_run(pair.sim, 40);
        assert_int_equal(link_waiting_since(pair.link), 0);
        bench_run(pair.sim, 100);
        assert_int_equal(link_waiting_since(pair.link), crosses ? 55 : 51);
        bench_destroy(pair.sim);
    }
}

/* `may_retry` is how a writer is spared to ask in every cycle. */
static void only_a_freed_slot_lets_a_refused_writer_retry(void **state)
{
    static const cycle popped[] = { 50 };
    (void)state;
    for (u32 i = 0; i < 2 * FREEDOMS; i++) {
        bool crosses = i % 2;
        struct pair pair = pair_create(crosses, 5, 1, step_push_insistent, step_pop_script);
        mock_set_left(pair.writer, 2);
        mock_set_script(pair.reader, popped, 1);
        bench_seal(pair.sim, freedoms[i / 2]);
        bench_run(pair.sim, 50);
        assert_false(pair.writer->base.may_retry);
        bench_run(pair.sim, crosses ? 56 : 52);
        assert_true(pair.writer->base.may_retry);
        bench_destroy(pair.sim);
    }
}

/* So that a link which holds one message at a time keeps to one slot. */
static void empty_link_starts_over_at_its_first_slot(void **state)
{
    static const cycle apart[] = { 5, 50, 100 }, together[] = { 5, 6, 50 };
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        struct pair pair = pair_create(false, 7, 4, step_push_script, step_pop_woken);
        mock_set_script(pair.writer, i ? together : apart, 3);
        bench_seal(pair.sim, (struct sim_options){ 0 });
        bench_run(pair.sim, 200);
        assert_int_equal(pair.link->tail, 3);
        assert_int_equal(link_slots(pair.link)[0].at, i ? 57 : 107);
        assert_int_equal(link_slots(pair.link)[1].at, i ? 13 : 0);
        bench_destroy(pair.sim);
    }
}

/* Places that came back are taken again before others, also after many were taken at once. */
static void messages_between_domains_keep_to_few_places(void **state)
{
    (void)state;
    for (u32 together = 0; together < 2; together++) {
        cycle script[120];
        u32 last = 0;
        struct pair pair = pair_create(true, 7, 128, step_push_script, step_pop_woken);
        for (u32 i = 0; i < 120; i++)
            script[i] = together && i < 100 ? 5 : 300 + 50 * i;
        mock_set_script(pair.writer, script, 120);
        bench_seal(pair.sim, (struct sim_options){ 0 });
        bench_finish(pair.sim);
        assert_int_equal(pair.link->tail, 120);
        for (u32 i = 0; i < 128; i++)
            if ((link_slots(pair.link)[i].at & ~SLOT_POPPED) > 300)
                last = i;
        assert_in_range(last, 1, 15);
        bench_destroy(pair.sim);
    }
}

static void link_that_takes_all_has_nobody_waiting(void **state)
{
    (void)state;
    struct pair pair = pair_create(false, 5, 2, step_push_eager, step_pop_woken);
    mock_set_left(pair.writer, 2);
    bench_seal(pair.sim, (struct sim_options){ 0 });
    bench_finish(pair.sim);
    assert_int_equal(link_waiting_since(pair.link), NEVER);
}

/* ---- Misuse ---- */

static cycle step_push_blindly(struct mock *mock, cycle now)
{
    mock_push(mock, 0);
    return now + 1;
}

static cycle step_pop_blindly(struct mock *mock, cycle now)
{
    if (now == mock->value)
        link_pop(mock->in[0]);
    return now < mock->value ? mock->value : NEVER;
}

static void run_pair(void *context)
{
    struct pair *pair = context;
    bench_run(pair->sim, 100);
}

static void pushing_into_a_full_link_aborts(void **state)
{
    (void)state;
    for (u32 crosses = 0; crosses < 2; crosses++) {
        struct pair pair = pair_create(crosses, 3, 4, step_push_blindly, step_sleep);
        bench_seal(pair.sim, (struct sim_options){ 0 });
        assert_aborts(run_pair, &pair, "link mock[0] -> mock[1] pushed while full");
    }
}

static void abort_names_the_cycle(void **state)
{
    (void)state;
    struct pair pair = pair_create(false, 3, 4, step_push_blindly, step_sleep);
    bench_seal(pair.sim, (struct sim_options){ 0 });
    assert_aborts(run_pair, &pair, "pushed while full at cycle 4");
}

static void popping_from_an_empty_link_aborts(void **state)
{
    (void)state;
    for (u32 crosses = 0; crosses < 2; crosses++) {
        struct pair pair = pair_create(crosses, 3, 4, step_sleep, step_pop_blindly);
        unit_hold(&pair.reader->base, 1);
        pair.reader->value = 17;
        bench_seal(pair.sim, (struct sim_options){ 0 });
        assert_aborts(run_pair, &pair, "popped while nothing had arrived at cycle 17");
    }
}

static void popping_before_arrival_aborts(void **state)
{
    static const cycle pushed[] = { 10 };
    (void)state;
    for (u32 crosses = 0; crosses < 2; crosses++) {
        struct pair pair = pair_create(crosses, 7, 4, step_push_script, step_pop_blindly);
        mock_set_script(pair.writer, pushed, 1);
        unit_hold(&pair.reader->base, 1);
        pair.reader->value = 16;
        bench_seal(pair.sim, (struct sim_options){ 0 });
        assert_aborts(run_pair, &pair, "popped while nothing had arrived at cycle 16");
    }
}

struct shape {
    struct pair pair;
    u32 latency, capacity;
};

static void add_shape(void *context)
{
    struct shape *shape = context;
    sim_add_link(shape->pair.sim, &shape->pair.writer->base, &shape->pair.reader->base,
                 shape->latency, shape->capacity);
}

static void impossible_latency_or_capacity_aborts(void **state)
{
    (void)state;
    struct pair pair = pair_create(false, 1, 1, step_sleep, step_sleep);
    struct shape shapes[] = {
        { pair, 0, 1 }, { pair, 256, 1 }, { pair, 1, 0 }, { pair, 1, LINK_CAPACITY_MAX + 1 }
    };
    for (u32 i = 0; i < sizeof shapes / sizeof *shapes; i++)
        assert_aborts(add_shape, &shapes[i], "a unit without a name with latency");
}

static cycle step_ask_for_now(struct mock *mock, cycle now)
{
    (void)mock;
    return now < 5 ? now + 1 : now;
}

static void asking_to_be_woken_in_the_past_aborts(void **state)
{
    (void)state;
    struct pair pair = pair_create(false, 1, 1, step_ask_for_now, step_sleep);
    unit_hold(&pair.writer->base, 1);
    bench_seal(pair.sim, (struct sim_options){ 0 });
    assert_aborts(run_pair, &pair, "mock[0] asked at cycle 5 to be woken at cycle 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(message_is_seen_at_latency_and_not_before),
        bench_test(sleeping_reader_is_woken_when_each_message_arrives),
        bench_test(pop_wakes_reader_for_the_messages_behind),
        bench_test(messages_arrive_in_the_order_of_pushing),
        bench_test(message_arrives_as_it_was_sent),
        bench_test(freed_slot_returns_after_one_cycle_or_the_latency),
        bench_test(refused_writer_is_woken_when_the_slot_returns),
        bench_test(each_slot_returns_in_its_own_time),
        bench_test(each_slot_of_a_long_link_returns_in_its_own_time),
        bench_test(late_comer_is_refused_one_cycle_before_the_slot_returns),
        bench_test(credits_make_the_round_trip),
        bench_test(capacity_is_rounded_up_to_a_power_of_two),
        bench_test(full_link_remembers_since_when_its_writer_waits),
        bench_test(only_a_freed_slot_lets_a_refused_writer_retry),
        bench_test(empty_link_starts_over_at_its_first_slot),
        bench_test(messages_between_domains_keep_to_few_places),
        bench_test(link_that_takes_all_has_nobody_waiting),
        bench_test(pushing_into_a_full_link_aborts),
        bench_test(abort_names_the_cycle),
        bench_test(popping_from_an_empty_link_aborts),
        bench_test(popping_before_arrival_aborts),
        bench_test(impossible_latency_or_capacity_aborts),
        bench_test(asking_to_be_woken_in_the_past_aborts),
    };
    return cmocka_run_group_tests_name("link_exactness", tests, NULL, NULL);
}
