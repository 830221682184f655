/* barrier.c - nobody goes on before all have come; rounds do not mix. */
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_barrier;

#define USERS_MAX 4

/* Arrives in the cycles of its script, or, after an answer, as soon as it can; notes each answer.
 */
static cycle step_arrive(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        mock_note(mock, now, answer->tag);
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    while (mock->left && now >= mock->ready && mock->value + mock->noted > mock->script_next &&
           link_can_push(mock->out[0])) {
        *link_push(mock->out[0]) = (struct message){ .tag = mock->script_next++ };
        mock->left--;
    }
    return mock->left && now < mock->ready ? mock->ready : NEVER;
}

struct stand {
    struct sim *sim;
    struct domain *domain;
    struct unit *barrier;
    struct mock *users[USERS_MAX];
};

static struct unit *add_barrier(struct stand *stand, u64 arrivals)
{
    struct unit *unit = bench_unit(stand->sim, stand->domain, &unit_type_barrier, NO_CLOCK);
    bench_set(unit, "arrivals", arrivals);
    return unit;
}

/* A user that has `inside` threads, each of which comes `rounds` times. */
static struct mock *add_user(struct stand *stand, struct unit *barrier, cycle from, u64 rounds,
                             u64 inside, u32 capacity)
{
    struct mock *user = bench_mock(stand->sim, stand->domain, step_arrive);
    bench_join(stand->sim, barrier, "users", user, 1, capacity);
    user->left = rounds * inside;
    user->value = inside;
    user->ready = from;
    unit_hold(&user->base, (u32)user->left);
    return user;
}

static struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    return stand;
}

static void stand_finish(struct stand *stand)
{
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

static void all_are_answered_after_the_last_has_come(void **state)
{
    static const cycle from[] = { 0, 30, 7 };
    (void)state;
    struct stand stand = stand_create();
    struct unit *barrier = add_barrier(&stand, 3);
    for (u32 i = 0; i < 3; i++)
        stand.users[i] = add_user(&stand, barrier, from[i], 1, 1, 4);
    bench_init(barrier);
    stand_finish(&stand);
    /* The last arrives in 31; answers leave in 32. */
    for (u32 i = 0; i < 3; i++)
        expect_note(stand.users[i], 0, 33, 0);
    assert_int_equal(bench_stat(barrier, "rounds"), 1);
    assert_int_equal(bench_stat(barrier, "waited"), 30);
}

static void rounds_follow_each_other(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *barrier = add_barrier(&stand, 2);
    stand.users[0] = add_user(&stand, barrier, 0, 10, 1, 4);
    stand.users[1] = add_user(&stand, barrier, 0, 10, 1, 4);
    bench_init(barrier);
    stand_finish(&stand);
    /* There in 1, answered in 2, back in 3, and on the way again in the same cycle. */
    for (u32 k = 0; k < 10; k++)
        for (u32 i = 0; i < 2; i++)
            expect_note(stand.users[i], k, 3 + 3 * k, k);
    assert_int_equal(bench_stat(barrier, "rounds"), 10);
}

/* A core with many threads on one link of one place: four of each round's eight come from each. */
static void early_arrivals_belong_to_the_next_round(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *barrier = add_barrier(&stand, 8);
    stand.users[0] = add_user(&stand, barrier, 0, 6, 4, 1);
    stand.users[1] = add_user(&stand, barrier, 50, 6, 4, 1);
    bench_init(barrier);
    stand_finish(&stand);
    assert_int_equal(bench_stat(barrier, "rounds"), 6);
    for (u32 i = 0; i < 2; i++)
        assert_int_equal(stand.users[i]->noted, 24);
    /* No answer of a round before the last arrival of that round. */
    for (u32 k = 0; k < 24; k++)
        assert_true(stand.users[0]->notes[k].at > 50);
    for (u32 round = 1; round < 6; round++)
        assert_true(stand.users[0]->notes[4 * round].at > stand.users[1]->notes[4 * round - 1].at);
}

static void two_levels_join_all(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *chip = add_barrier(&stand, 2), *sms[2];
    for (u32 i = 0; i < 2; i++) {
        sms[i] = add_barrier(&stand, 2);
        bench_ask(stand.sim, sms[i], "next", chip, "users", 5, 1);
        stand.users[2 * i] = add_user(&stand, sms[i], 0, 3, 1, 1);
        stand.users[2 * i + 1] = add_user(&stand, sms[i], 20 * i, 3, 1, 1);
    }
    bench_init(chip);
    bench_init(sms[0]);
    bench_init(sms[1]);
    stand_finish(&stand);
    /* The last of round 0 arrives in 21 and is told to the chip, where it is in 26; released in 27,
     * back in 32, answered at once: 33. Then 1 there, 5 up, 1 to release, 5 down, 1 back. */
    for (u32 i = 0; i < 4; i++)
        for (u32 k = 0; k < 3; k++)
            expect_note(stand.users[i], k, 33 + 13 * k, k);
    assert_int_equal(bench_stat(chip, "rounds"), 3);
    assert_int_equal(bench_stat(sms[0], "rounds"), 3);
}

/* Answers as soon as it sees a request, but takes it off the link only ten cycles later. */
static cycle step_answer_early(struct mock *mock, cycle now)
{
    const struct message *request = link_peek(mock->in[0]);
    if (!request)
        return NEVER;
    if (mock->ready == 0) {
        *link_push(mock->out[0]) = *request;
        mock->ready = now + 10;
        return mock->ready;
    }
    if (now < mock->ready)
        return mock->ready;
    mock_note(mock, now, 0);
    link_pop(mock->in[0]);
    mock->ready = 0;
    return NEVER;
}

static void barrier_waits_for_room_to_ask_the_next(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *barrier = add_barrier(&stand, 1);
    struct mock *next = bench_mock(stand.sim, stand.domain, step_answer_early);
    stand.users[0] = add_user(&stand, barrier, 0, 3, 1, 1);
    bench_join(stand.sim, barrier, "next", next, 1, 1);
    bench_init(barrier);
    stand_finish(&stand);
    assert_int_equal(next->noted, 3);
    assert_int_equal(stand.users[0]->noted, 3);
    /* Asked in 1, seen in 2, taken in 12, room in 13: asked again then. */
    expect_note(next, 0, 12, 0);
    expect_note(next, 1, 24, 0);
    expect_note(next, 2, 36, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(all_are_answered_after_the_last_has_come),
        bench_test_all_ways(rounds_follow_each_other),
        bench_test_all_ways(early_arrivals_belong_to_the_next_round),
        bench_test_all_ways(two_levels_join_all),
        bench_test_all_ways(barrier_waits_for_room_to_ask_the_next),
    };
    return cmocka_run_group_tests_name("barrier", tests, NULL, NULL);
}
