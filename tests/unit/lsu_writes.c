/* lsu_writes.c - the way of stores and atomics from the L1 to below: when the load/store unit
 * grants one, which loads do not wait for it, and how an H200's times come about.
 *
 * A message takes a cycle to the unit and one back: what is asked for in cycle t and finds all free
 * is granted in t + 1 and known in t + 2. */
#include "unit/lsu.h"

#include <string.h>

#include "ogive/messages.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_lsu;

#define ASKS_MAX  16
#define USERS_MAX 4
#define WAY       2 /* there and back */

struct access {
    cycle asked;
    u32 sectors, heads; /* of a write; 0: a load */
    cycle granted;      /* 0: not yet */
};

/* One list per user, found by mock->value. */
static struct access lists[USERS_MAX][ASKS_MAX];

static cycle step_ask(struct mock *mock, cycle now)
{
    struct access *list = lists[mock->value];
    for (const struct message *grant; (grant = link_peek(mock->in[0])); link_pop(mock->in[0])) {
        list[grant->tag].granted = now;
        unit_release(&mock->base, 1);
    }
    while (mock->left && list[mock->script_next].asked <= now && link_can_push(mock->out[0])) {
        const struct access *access = &list[mock->script_next];
        *link_push(mock->out[0]) = (struct message){
            .kind = MESSAGE_ACCESS,
            .address = LSU_L1,
            .tag = mock->script_next++,
            .data.word = { [LSU_CONFLICTS] = 1,
                           [LSU_LINES] = 1,
                           [LSU_SECTORS] = 1,
                           [LSU_WRITES] = access->sectors,
                           [LSU_HEADS] = access->heads },
        };
        mock->left--;
    }
    return mock->left ? max_u64(list[mock->script_next].asked, now + 1) : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *lsu;
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users, u64 queue)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(lists, 0, sizeof lists);
    stand.lsu = bench_unit(stand.sim, domain, &unit_type_lsu, NO_CLOCK);
    bench_set(stand.lsu, "write_sector", 1);
    bench_set(stand.lsu, "write_head", 1);
    bench_set(stand.lsu, "write_queue", queue);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_ask);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.lsu, "users", stand.users[i], 1, ASKS_MAX);
    }
    return stand;
}

static struct access *ask(struct stand *stand, u32 user, cycle asked, u32 sectors, u32 heads)
{
    struct access *access = &lists[user][stand->users[user]->left++];
    *access = (struct access){ asked, sectors, heads, 0 };
    unit_hold(&stand->users[user]->base, 1);
    return access;
}

static void stand_finish(struct stand *stand, u64 below)
{
    bench_init(stand->lsu);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    assert_int_equal(bench_stat(stand->lsu, "busy_below"), below);
    bench_destroy(stand->sim);
}

static void write_waits_for_those_before_it(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 0);
    const struct access *first = ask(&stand, 0, 10, 32, 8), *second = ask(&stand, 0, 10, 4, 0),
                        *third = ask(&stand, 0, 10, 1, 1);
    stand_finish(&stand, 40 + 4 + 2);
    assert_int_equal(first->granted, 10 + WAY);
    assert_int_equal(second->granted, 10 + WAY + 40);
    assert_int_equal(third->granted, 10 + WAY + 40 + 4);
}

static void queue_is_for_how_long_writes_wait_behind_the_l1(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 50);
    const struct access *at[4];
    for (u32 i = 0; i < 4; i++)
        at[i] = ask(&stand, 0, 10, 32, 8);
    stand_finish(&stand, 160);
    assert_int_equal(at[0]->granted, 10 + WAY);
    assert_int_equal(at[1]->granted, 10 + WAY + 1);       /* 40 taken: as any access */
    assert_int_equal(at[2]->granted, 10 + WAY + 80 - 50); /* 80 taken, until 50 are left */
    assert_int_equal(at[3]->granted, 10 + WAY + 120 - 50);
}

static void load_of_another_does_not_wait_for_writes(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 0);
    ask(&stand, 0, 10, 32, 8);
    const struct access *write = ask(&stand, 0, 10, 32, 8), *load = ask(&stand, 1, 20, 0, 0);
    const struct access *behind = ask(&stand, 0, 10, 0, 0);
    stand_finish(&stand, 80);
    assert_int_equal(load->granted, 20 + WAY);
    assert_int_equal(write->granted, 10 + WAY + 40);
    assert_int_equal(behind->granted, 10 + WAY + 41); /* its own sub-core's stay in order */
}

/* Two that write take turns, whatever a third one loads meanwhile. */
static void writers_take_turns(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 0);
    for (u32 i = 0; i < 4; i++) {
        ask(&stand, 0, 10, 7, 0);
        ask(&stand, 2, 10, 7, 0);
    }
    for (u32 i = 0; i < ASKS_MAX; i++)
        ask(&stand, 1, 10 + 3 * i, 0, 0);
    stand_finish(&stand, 8 * 7);
    for (u32 i = 1; i < 4; i++) {
        assert_in_range(lists[0][i].granted - lists[0][i - 1].granted, 14, 15);
        assert_in_range(lists[2][i].granted - lists[2][i - 1].granted, 14, 15);
    }
}

static void writes_are_free_unless_told_otherwise(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 0);
    bench_set(stand.lsu, "write_sector", 0);
    bench_set(stand.lsu, "write_head", 0);
    ask(&stand, 0, 10, 32, 8);
    const struct access *second = ask(&stand, 0, 10, 32, 8);
    stand_finish(&stand, 0);
    assert_int_equal(second->granted, 10 + WAY + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(write_waits_for_those_before_it),
        bench_test_all_ways(queue_is_for_how_long_writes_wait_behind_the_l1),
        bench_test_all_ways(load_of_another_does_not_wait_for_writes),
        bench_test_all_ways(writers_take_turns),
        bench_test_all_ways(writes_are_free_unless_told_otherwise),
    };
    return cmocka_run_group_tests_name("lsu_writes", tests, NULL, NULL);
}
