/* cache_sides.c - a cache in two halves: what is near to whom, and for how long. */
#include "unit/cache_stand.h"

#define FAR  30
#define NEAR (16 * 128) /* one set of 16 lines on each side */

static struct stand sides_create(void)
{
    struct stand stand = stand_create(2);
    bench_set(stand.cache, "size", 16 * KiB);
    bench_set(stand.cache, "near", NEAR);
    bench_set(stand.cache, "far", FAR);
    return stand;
}

static void what_the_other_side_has_takes_longer_once(void **state)
{
    (void)state;
    struct stand stand = sides_create();
    stand_read(&stand, 0, 0, 0);
    struct exchange *near = stand_read(&stand, 0, 100, 8);
    struct exchange *far = stand_read(&stand, 1, 200, 0);
    struct exchange *nearer = stand_read(&stand, 1, 300, 8);
    stand_finish(&stand);
    expect_read(near, HIT);
    expect_read(far, HIT + FAR);
    expect_read(nearer, HIT);
    assert_int_equal(stand_stat(&stand, "far_hits"), 1);
}

static void what_comes_from_afar_delays_nobody(void **state)
{
    (void)state;
    struct stand stand = sides_create();
    stand_read(&stand, 0, 0, 0);
    struct exchange *far = stand_read(&stand, 1, 100, 0);
    struct exchange *near = stand_read(&stand, 0, 101, 8);
    stand_finish(&stand);
    expect_read(far, HIT + FAR);
    expect_read(near, HIT);
}

static void a_write_takes_the_line_away(void **state)
{
    (void)state;
    struct stand stand = sides_create();
    stand_read(&stand, 0, 0, 0);
    stand_read(&stand, 1, 100, 0);
    stand_write(&stand, 0, 200, 16, 42);
    struct exchange *far = stand_read(&stand, 1, 300, 0);
    struct exchange *near = stand_read(&stand, 0, 400, 0);
    stand_finish(&stand);
    expect_read(far, HIT + FAR);
    expect_read(near, HIT);
    assert_int_equal(stand_stat(&stand, "far_hits"), 2);
}

/* Sixteen lines are near, the seventeenth takes the place of the one that was used first. */
static void a_side_has_its_own_room(void **state)
{
    (void)state;
    struct stand stand = sides_create();
    for (u32 i = 0; i < 17; i++)
        stand_read(&stand, 0, 100 * i, 128 * i);
    struct exchange *second = stand_read(&stand, 0, 2000, 128);
    struct exchange *first = stand_read(&stand, 0, 2100, 0);
    stand_finish(&stand);
    expect_read(second, HIT);
    expect_read(first, HIT + FAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(what_the_other_side_has_takes_longer_once),
        bench_test_all_ways(what_comes_from_afar_delays_nobody),
        bench_test_all_ways(a_write_takes_the_line_away),
        bench_test_all_ways(a_side_has_its_own_room),
    };
    return cmocka_run_group_tests_name("cache_sides", tests, NULL, NULL);
}
