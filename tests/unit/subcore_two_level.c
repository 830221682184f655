/* subcore_two_level.c - active and pending warps: who issues in which cycle, and that places among
 * the active ones are given in turn. */
#include "unit/subcore_stand.h"

static struct stand two_level_make(u32 warps, u32 active)
{
    struct stand stand = stand_make(warps, 4);
    bench_set_choice(&stand.subcore->base, "policy", "two_level");
    bench_set(&stand.subcore->base, "active_warps", active);
    return stand;
}

/* The first warps read and load in cycles 0 to 3 and wait from 4 on, the others do in 5 to 8. The
 * answers of loads come 23 cycles after they issued: in 25 and 26 the first warps go on, in turn
 * and to their ends in 39 and 40; the others, which could from 30 and 31 on, take their places. */
static void a_warp_that_waits_for_memory_makes_room(void **state)
{
    const u32 text[] = { READ_CYCLE(5), I(lw, 6, 0, 256), R(add, 7, 6, 6), READ_CYCLE(8),
                         EXIT_WELL };
    const u64 first[] = { 0, 1, 5, 6 }, second[] = { 27, 28, 43, 44 };
    (void)state;
    struct stand stand = two_level_make(4, 2);
    join_memory(&stand, 20);
    stand_go(&stand, TEXT(text));
    for (u32 warp = 0; warp < 4; warp++) {
        assert_int_equal(x_of(&stand, 4 * warp, 5), first[warp]);
        assert_int_equal(x_of(&stand, 4 * warp, 8), second[warp]);
    }
    assert_int_equal(stat(&stand, "pending"), 5 + 5 + 10 + 10);
}

/* What is known to come in some cycles is waited for in place. */
static void a_warp_that_waits_for_a_pipeline_stays(void **state)
{
    const u32 text[] = { READ_CYCLE(5), R(mul, 6, 10, 10), R(add, 7, 6, 6), READ_CYCLE(8),
                         EXIT_WELL };
    (void)state;
    struct stand stand = two_level_make(2, 1);
    stand_table(&stand, "int_mul: 6 cycles");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 8);
    assert_int_equal(x_of(&stand, 4, 5), 15); /* behind two constants and four exits */
    assert_int_equal(stat(&stand, "pending"), 15);
}

static void a_warp_that_stands_back_makes_room(void **state)
{
    const u32 text[] = { READ_CYCLE(5), I(fence, 0, 0, 0x010), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = two_level_make(2, 1);
    bench_set(&stand.subcore->base, "pause", 50);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 51);
    assert_int_equal(x_of(&stand, 4, 5), 2);
}

/* Each warp loads twenty times. One that comes back soon does not pass those that stand by: from
 * the first to the last that has done half of it there are the turns of the others, each of seven
 * instructions and a cycle in which it finds that it has to wait. */
static void places_are_given_in_turn(void **state)
{
    const u32 text[] = {
        SET(5, 20),      I(lw, 6, 0, 256), R(add, 7, 6, 6),  I(addi, 5, 5, -1), SET(7, 10),
        B(bne, 5, 7, 2), READ_CYCLE(9),    B(bne, 5, 0, -6), EXIT_WELL,
    };
    (void)state;
    struct stand stand = two_level_make(6, 1);
    join_memory(&stand, 2);
    stand_go(&stand, TEXT(text));
    u64 first = NEVER, last = 0;
    for (u32 warp = 0; warp < 6; warp++) {
        first = min_u64(first, x_of(&stand, 4 * warp, 9));
        last = max_u64(last, x_of(&stand, 4 * warp, 9));
    }
    assert_int_equal(last - first, 5 * (7 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(a_warp_that_waits_for_memory_makes_room),
        bench_test_all_ways(a_warp_that_waits_for_a_pipeline_stays),
        bench_test_all_ways(a_warp_that_stands_back_makes_room),
        bench_test_all_ways(places_are_given_in_turn),
    };
    return cmocka_run_group_tests_name("subcore_two_level", tests, NULL, NULL);
}
