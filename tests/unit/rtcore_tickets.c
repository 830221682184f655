/* rtcore_tickets.c - rays that are started and waited for later: tickets, refusals, the end. */
#include "unit/rtcore_stand.h"

#define TAKEN 1
#define BOX   3

static struct stand stand_with_root(u32 users, u64 rays)
{
    struct stand stand = stand_create(users, 2);
    bench_set(stand.rt, "rays", rays);
    stand_node(&stand, 0, &(struct wide_node){ { stand_child(4, 6, rt_ref_leaf(0, 1)) }, 1 });
    stand_triangle(&stand, 0, 3, 5);
    return stand;
}

#define WHOLE (ROUND + BOX + ROUND + 22) /* from being taken to the end */

static void start(struct stand *stand, u32 user, cycle at)
{
    stand_ask(stand, user,
              (struct stand_request){ .at = at, .kind = MESSAGE_TRACE_START, .ray = stand_ray() });
}

static void wait_for(struct stand *stand, u32 user, cycle at, u32 which)
{
    stand_ask(
        stand, user,
        (struct stand_request){ .at = at, .kind = MESSAGE_TRACE_WAIT, .ticket_of = which + 1 });
}

static void wait_for_ticket(struct stand *stand, u32 user, cycle at, u64 ticket)
{
    stand_ask(stand, user,
              (struct stand_request){ .at = at, .kind = MESSAGE_TRACE_WAIT, .ticket = ticket });
}

static void ticket_comes_at_once_and_the_hit_when_it_is_there(void **state)
{
    (void)state;
    struct stand stand = stand_with_root(1, 64);
    start(&stand, 0, 0);
    wait_for(&stand, 0, 10, 0);
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + 1);
    assert_int_equal(stand_lists[0][0].word, 0);
    assert_int_equal(stand_lists[0][1].answered, TAKEN + WHOLE + 1);
    expect_hit(&stand_lists[0][1], 3, 5);
    assert_int_equal(stand_stat(&stand, "wait_held"), 0);
}

static void hit_is_held_until_it_is_asked_for(void **state)
{
    (void)state;
    struct stand stand = stand_with_root(1, 64);
    start(&stand, 0, 0);
    wait_for(&stand, 0, 500, 0);
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][1].answered, 500 + TAKEN + 1);
    expect_hit(&stand_lists[0][1], 3, 5);
    assert_int_equal(stand_stat(&stand, "wait_held"), 500 - WHOLE);
}

/* One slot stays for rays that leave by themselves. */
static void start_is_refused_when_only_one_slot_is_left(void **state)
{
    (void)state;
    for (u64 rays = 1; rays <= 3; rays++) {
        struct stand stand = stand_with_root(1, rays);
        for (u32 i = 0; i < 4; i++)
            start(&stand, 0, 0);
        stand_trace(&stand, 0, 0, stand_ray());
        for (u32 i = 0; i + 1 < rays; i++)
            wait_for(&stand, 0, 0, i);
        stand_finish(&stand);
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(stand_lists[0][i].word, i + 1 < rays ? i : UINT64_MAX);
        assert_int_equal(stand_stat(&stand, "refused"), 4 - (rays - 1));
        assert_int_equal(stand_stat(&stand, "rays"), rays);
        expect_hit(&stand_lists[0][4], 3, 5);
        bench_destroy(stand.sim);
    }
}

static void wait_for_nothing_is_answered_with_nothing(void **state)
{
    static const u64 tickets[] = { 0, 1, 63, 64, 1 << 20, UINT64_MAX };
    (void)state;
    for (u32 i = 0; i < sizeof tickets / sizeof *tickets; i++) {
        struct stand stand = stand_with_root(1, 64);
        wait_for_ticket(&stand, 0, 0, tickets[i]);
        stand_finish(&stand);
        assert_int_equal(stand_lists[0][0].answered, TAKEN + 1);
        assert_int_equal(stand_lists[0][0].hit.triangle, RT_NOTHING);
        bench_destroy(stand.sim);
    }
}

static void ticket_is_good_once_and_for_its_owner(void **state)
{
    (void)state;
    struct stand stand = stand_with_root(2, 64);
    start(&stand, 0, 0);
    wait_for_ticket(&stand, 1, 5, 0); /* another core's */
    wait_for(&stand, 0, 20, 0);
    wait_for(&stand, 0, 21, 0);  /* asked for already */
    wait_for(&stand, 0, 300, 0); /* gone */
    stand_trace(&stand, 1, 400, stand_ray());
    wait_for_ticket(&stand, 1, 410, 1); /* not started: traced */
    stand_finish(&stand);
    assert_int_equal(stand_lists[1][0].hit.triangle, RT_NOTHING);
    expect_hit(&stand_lists[0][1], 3, 5);
    assert_int_equal(stand_lists[0][2].answered, 21 + TAKEN + 1);
    assert_int_equal(stand_lists[0][2].hit.triangle, RT_NOTHING);
    assert_int_equal(stand_lists[0][3].hit.triangle, RT_NOTHING);
    expect_hit(&stand_lists[1][1], 3, 5);
    assert_int_equal(stand_lists[1][2].answered, 410 + TAKEN + 1);
    assert_int_equal(stand_lists[1][2].hit.triangle, RT_NOTHING);
}

static void hit_that_nobody_waits_for_does_not_keep_the_chip(void **state)
{
    (void)state;
    struct stand stand = stand_with_root(1, 64);
    start(&stand, 0, 0);
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + 1);
}

/* All slots are in use, and more than is taken in a cycle is to be answered at once. */
static void waits_are_taken_though_there_is_no_slot(void **state)
{
    (void)state;
    struct stand stand = stand_with_root(4, 4);
    for (u32 i = 0; i < 3; i++)
        start(&stand, i, i);
    stand_trace(&stand, 3, 3, stand_ray());
    for (u32 i = 0; i < 4; i++)
        for (u32 k = 0; k < 3; k++)
            wait_for_ticket(&stand, i, 10, 100);
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        for (u32 k = 0; k < 3; k++)
            assert_int_equal(stand_lists[i][1 + k].answered, 10 + TAKEN + 1 + 4 * k + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(ticket_comes_at_once_and_the_hit_when_it_is_there),
        bench_test_all_ways(hit_is_held_until_it_is_asked_for),
        bench_test_all_ways(start_is_refused_when_only_one_slot_is_left),
        bench_test_all_ways(wait_for_nothing_is_answered_with_nothing),
        bench_test_all_ways(ticket_is_good_once_and_for_its_owner),
        bench_test_all_ways(hit_that_nobody_waits_for_does_not_keep_the_chip),
        bench_test_all_ways(waits_are_taken_though_there_is_no_slot),
    };
    return cmocka_run_group_tests_name("rtcore_tickets", tests, NULL, NULL);
}
