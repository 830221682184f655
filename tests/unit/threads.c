/* threads.c - numbers are handed out in order, in blocks, and none of them twice. */
#include <string.h>

#include "unit/bench_unit.h"

extern const struct unit_type unit_type_threads;

#define NUMBERS 2048

/* Asks for one number after the other and notes when each came. */
static cycle step_use(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        mock_note(mock, now, answer->data.dword[0]);
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    if (mock->left && link_can_push(mock->out[0])) {
        *link_push(mock->out[0]) = (struct message){ .tag = (u32)mock->left };
        mock->left--;
    }
    return mock->left ? now + 1 : NEVER;
}

struct stand {
    struct sim *sim;
    struct domain *domain;
};

static struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    return stand;
}

static struct unit *add_threads(struct stand *stand, u64 block)
{
    struct unit *unit = bench_unit(stand->sim, stand->domain, &unit_type_threads, NO_CLOCK);
    bench_set(unit, "block", block);
    return unit;
}

static struct mock *add_user(struct stand *stand, struct unit *threads, u64 requests, u32 capacity)
{
    struct mock *user = bench_mock(stand->sim, stand->domain, step_use);
    bench_join(stand->sim, threads, "users", user, 1, capacity);
    user->left = requests;
    unit_hold(&user->base, (u32)requests);
    return user;
}

static void stand_finish(struct stand *stand)
{
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

/* No number was given twice, and all are below `limit`; how many there were. */
static u64 expect_once(struct mock *const *users, u32 user_count, u64 limit)
{
    static u8 given[NUMBERS];
    u64 sum = 0;
    memset(given, 0, sizeof given);
    for (u32 i = 0; i < user_count; i++) {
        for (u32 k = 0; k < users[i]->noted; k++) {
            u64 number = users[i]->notes[k].what;
            assert_true(number < limit && number < NUMBERS);
            assert_int_equal(given[number]++, 0);
        }
        sum += users[i]->noted;
    }
    return sum;
}

static void numbers_count_from_zero_one_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *top = add_threads(&stand, 32);
    struct mock *user = add_user(&stand, top, 5, 8);
    bench_init(top);
    stand_finish(&stand);
    for (u32 i = 0; i < 5; i++)
        expect_note(user, i, 2 + i, i);
    assert_int_equal(bench_stat(top, "given"), 5);
    assert_int_equal(bench_stat(top, "blocks"), 0);
}

static void users_are_served_in_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *top = add_threads(&stand, 32);
    struct mock *users[3];
    for (u32 i = 0; i < 3; i++)
        users[i] = add_user(&stand, top, 4, 8);
    bench_init(top);
    stand_finish(&stand);
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 4; k++)
            expect_note(users[i], k, 2 + 3 * k + i, 3 * k + i);
}

static void block_is_fetched_when_the_last_is_used_up(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *top = add_threads(&stand, 32), *sm = add_threads(&stand, 3);
    struct mock *user = add_user(&stand, sm, 7, 8);
    bench_ask(stand.sim, sm, "next", top, "users", 4, 1);
    bench_init(top);
    bench_init(sm);
    stand_finish(&stand);
    /* The first request arrives in 1; the block is asked for at once and is here in 9, so the user
     * has its number in 10; then one per cycle; the next block is asked for in 12. */
    static const cycle at[] = { 10, 11, 12, 21, 22, 23, 32 };
    for (u32 i = 0; i < 7; i++)
        expect_note(user, i, at[i], i);
    assert_int_equal(bench_stat(sm, "blocks"), 3);
    assert_int_equal(bench_stat(sm, "given"), 7);
    assert_int_equal(bench_stat(top, "given"), 9);
}

static void two_levels_give_no_number_twice(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *top = add_threads(&stand, 32);
    struct mock *users[4];
    struct unit *sms[2];
    for (u32 i = 0; i < 2; i++) {
        sms[i] = add_threads(&stand, 8);
        bench_ask(stand.sim, sms[i], "next", top, "users", 3, 1);
        users[2 * i] = add_user(&stand, sms[i], 40, 1);
        users[2 * i + 1] = add_user(&stand, sms[i], 40, 1);
    }
    bench_init(top);
    for (u32 i = 0; i < 2; i++)
        bench_init(sms[i]);
    stand_finish(&stand);
    assert_int_equal(expect_once(users, 4, 160), 160);
}

/* Blocks of 6 out of blocks of 4, and users at every level: what is left of a block is given, and
 * not more. */
static void three_levels_give_no_number_twice(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *top = add_threads(&stand, 32), *middle = add_threads(&stand, 4);
    struct unit *sms[2];
    struct mock *users[4];
    bench_ask(stand.sim, middle, "next", top, "users", 3, 1);
    users[2] = add_user(&stand, middle, 30, 1);
    users[3] = add_user(&stand, top, 50, 1);
    for (u32 i = 0; i < 2; i++) {
        sms[i] = add_threads(&stand, 6);
        bench_ask(stand.sim, sms[i], "next", middle, "users", 2, 1);
        users[i] = add_user(&stand, sms[i], 60, 1);
    }
    bench_init(top);
    bench_init(middle);
    for (u32 i = 0; i < 2; i++)
        bench_init(sms[i]);
    stand_finish(&stand);
    /* What is left over is less than a block of 4 in each of the three. */
    assert_int_equal(expect_once(users, 4, 200 + 3 * 3), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(numbers_count_from_zero_one_per_cycle),
        bench_test_all_ways(users_are_served_in_turn),
        bench_test_all_ways(block_is_fetched_when_the_last_is_used_up),
        bench_test_all_ways(two_levels_give_no_number_twice),
        bench_test_all_ways(three_levels_give_no_number_twice),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
