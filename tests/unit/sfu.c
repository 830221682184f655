/* sfu.c - a shared functional unit: how many it takes, when it answers, whose turn it is. */
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_sfu;

#define USERS_MAX 4

/* Pushes `left` requests as early as it can and notes when each answer came, with its tag. */
static cycle step_use(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        mock_note(mock, now, answer->tag);
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    if (mock->left && now >= mock->ready && link_can_push(mock->out[0])) {
        struct message *request = link_push(mock->out[0]);
        *request = (struct message){ .tag = mock->script_next++, .address = mock->value };
        mock->left--;
    }
    if (!mock->left)
        return NEVER;
    return now < mock->ready ? mock->ready : now + 1;
}

struct stand {
    struct sim *sim;
    struct unit *sfu;
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users, u64 width, u64 latency, u64 interval, u32 capacity)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.sfu = bench_unit(stand.sim, domain, &unit_type_sfu, NO_CLOCK);
    bench_set(stand.sfu, "width", width);
    bench_set(stand.sfu, "latency", latency);
    bench_set(stand.sfu, "interval", interval);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_use);
        bench_join(stand.sim, stand.sfu, "users", stand.users[i], 1, capacity);
    }
    bench_init(stand.sfu);
    return stand;
}

static void stand_ask(struct stand *stand, u32 user, u64 requests, cycle from)
{
    stand->users[user]->left = requests;
    stand->users[user]->ready = from;
    unit_hold(&stand->users[user]->base, (u32)requests);
}

static void stand_finish(struct stand *stand)
{
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

static void answer_comes_after_the_latency(void **state)
{
    static const u64 latencies[] = { 1, 2, 255, 256, 512 };
    (void)state;
    for (u32 i = 0; i < 5; i++) {
        struct stand stand = stand_create(1, 1, latencies[i], 1, 4);
        stand_ask(&stand, 0, 1, 5);
        stand_finish(&stand);
        expect_note(stand.users[0], 0, 5 + 2 + latencies[i], 0);
        bench_destroy(stand.sim);
    }
}

static void pipeline_takes_one_request_per_interval(void **state)
{
    static const u64 intervals[] = { 1, 2, 7 };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand = stand_create(1, 1, 4, intervals[i], 8);
        stand_ask(&stand, 0, 5, 0);
        stand_finish(&stand);
        for (u32 k = 0; k < 5; k++)
            expect_note(stand.users[0], k, 6 + k * intervals[i], k);
        assert_int_equal(bench_stat(stand.sfu, "issued"), 5);
        assert_int_equal(bench_stat(stand.sfu, "busy"), 5 * intervals[i]);
        bench_destroy(stand.sim);
    }
}

static void pipelines_work_side_by_side(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 2, 4, 3, 4);
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, i, 1, 0);
    stand_finish(&stand);
    /* Two are taken in 1, two in 4. */
    for (u32 i = 0; i < 4; i++)
        expect_note(stand.users[i], 0, i < 2 ? 6 : 9, 0);
}

static void two_pipelines_take_what_one_user_sends(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2, 10, 4, 8);
    stand_ask(&stand, 0, 6, 0);
    stand_finish(&stand);
    /* Taken in 1, 2, then 5, 6, then 9, 10. */
    static const cycle taken[] = { 1, 2, 5, 6, 9, 10 };
    for (u32 i = 0; i < 6; i++)
        expect_note(stand.users[0], i, taken[i] + 11, i);
}

static void users_are_served_in_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 1, 1, 1, 8);
    for (u32 i = 0; i < 3; i++)
        stand_ask(&stand, i, 8, 0);
    stand_finish(&stand);
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 8; k++)
            expect_note(stand.users[i], k, 3 + 3 * k + i, k);
}

static void absent_user_costs_no_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 1, 1, 1, 8);
    stand_ask(&stand, 0, 4, 0);
    stand_ask(&stand, 2, 4, 0);
    stand_finish(&stand);
    for (u32 k = 0; k < 4; k++) {
        expect_note(stand.users[0], k, 3 + 2 * k, k);
        expect_note(stand.users[2], k, 4 + 2 * k, k);
    }
}

static void links_of_one_place_lose_nothing(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 3, 5, 2, 1);
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, i, 50, 0);
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(stand.users[i]->noted, 50);
        for (u32 k = 0; k < 50; k++)
            assert_int_equal(stand.users[i]->notes[k].what, k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(answer_comes_after_the_latency),
        bench_test_all_ways(pipeline_takes_one_request_per_interval),
        bench_test_all_ways(pipelines_work_side_by_side),
        bench_test_all_ways(two_pipelines_take_what_one_user_sends),
        bench_test_all_ways(users_are_served_in_turn),
        bench_test_all_ways(absent_user_costs_no_turn),
        bench_test_all_ways(links_of_one_place_lose_nothing),
    };
    return cmocka_run_group_tests_name("sfu", tests, NULL, NULL);
}
