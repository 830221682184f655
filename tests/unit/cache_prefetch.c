/* cache_prefetch.c - data that is fetched before anybody needs it. */
#include "unit/cache_stand.h"

static struct exchange *stand_prefetch(struct stand *stand, cycle at, u64 address)
{
    struct exchange *prefetch = stand_read(stand, 0, at, address);
    unit_release(&stand->users[0]->base, 1);
    prefetch->kind = MEMORY_PREFETCH;
    return prefetch;
}

static void prefetch_brings_data_and_is_not_answered(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *prefetch = stand_prefetch(&stand, 0, 8);
    struct exchange *read = stand_read(&stand, 0, 100, 8);
    stand_finish(&stand);
    assert_int_equal(prefetch->answers, 0);
    expect_read(read, HIT);
    assert_int_equal(stand_stat(&stand, "prefetches"), 1);
    assert_int_equal(stand_stat(&stand, "prefetch_useful"), 1);
    assert_int_equal(stand_stat(&stand, "lookups"), 1);
}

static void read_hangs_on_a_prefetch(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_prefetch(&stand, 0, 8);
    struct exchange *read = stand_read(&stand, 0, 4, 8);
    stand_finish(&stand);
    expect_read(read, MISS - 4);
    assert_int_equal(stand_stat(&stand, "half_misses"), 1);
    assert_int_equal(stand_stat(&stand, "prefetch_useful"), 1);
}

static void prefetch_that_nobody_used_is_useless(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_prefetch(&stand, 0, 0);
    stand_read(&stand, 0, 100, 512);
    stand_read(&stand, 0, 200, 1024);
    stand_finish(&stand);
    assert_int_equal(stand_stat(&stand, "prefetch_useless"), 1);
    assert_int_equal(stand_stat(&stand, "prefetch_useful"), 0);
}

static void prefetch_without_room_is_dropped(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "mshrs", 1);
    struct exchange *miss = stand_read(&stand, 0, 0, 0);
    stand_prefetch(&stand, 1, 128);
    struct exchange *read = stand_read(&stand, 0, 100, 128);
    stand_finish(&stand);
    expect_read(miss, MISS);
    expect_read(read, MISS);
    assert_int_equal(stand_stat(&stand, "prefetch_dropped"), 1);
    assert_int_equal(stand_stat(&stand, "mshr_stalls"), 0);
}

static void prefetch_of_what_is_here_does_nothing(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 0);
    stand_prefetch(&stand, 5, 0); /* on its way */
    stand_prefetch(&stand, 100, 0);
    stand_read(&stand, 0, 200, 0);
    stand_finish(&stand);
    assert_int_equal(behind[0].count, 1);
    assert_int_equal(stand_stat(&stand, "prefetches"), 0);
}

static void prefetch_beyond_the_memory_is_harmless(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_prefetch(&stand, 0, MEMORY_BYTES);
    struct exchange *read = stand_read(&stand, 0, 100, 0);
    stand_finish(&stand);
    expect_read(read, MISS);
}

static void miss_fetches_the_following_sectors(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "prefetch", 2);
    struct exchange *first = stand_read(&stand, 0, 0, 64);
    struct exchange *second = stand_read(&stand, 0, 100, 96);
    struct exchange *third = stand_read(&stand, 0, 200, 128); /* the next line */
    struct exchange *fourth = stand_read(&stand, 0, 300, 160);
    stand_finish(&stand);
    expect_seen(0, 3, MEMORY_READ, 64);
    expect_seen(1, 4, MEMORY_READ, 96);
    expect_seen(2, 5, MEMORY_READ, 128);
    expect_read(first, MISS);
    expect_read(second, HIT);
    expect_read(third, HIT);
    expect_read(fourth, MISS);
    assert_int_equal(stand_stat(&stand, "prefetch_useful"), 2);
    assert_int_equal(stand_stat(&stand, "prefetches"), 4);
}

static void marked_prefetch_goes_below(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_prefetch(&stand, 0, 0)->kind |= MEMORY_SKIP(1);
    struct exchange *read = stand_read(&stand, 0, 100, 0);
    stand_finish(&stand);
    expect_seen(0, 3, MEMORY_PREFETCH | MEMORY_SKIP(1), 0);
    expect_read(read, MISS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(prefetch_brings_data_and_is_not_answered),
        bench_test_all_ways(read_hangs_on_a_prefetch),
        bench_test_all_ways(prefetch_that_nobody_used_is_useless),
        bench_test_all_ways(prefetch_without_room_is_dropped),
        bench_test_all_ways(prefetch_of_what_is_here_does_nothing),
        bench_test_all_ways(prefetch_beyond_the_memory_is_harmless),
        bench_test_all_ways(miss_fetches_the_following_sectors),
        bench_test_all_ways(marked_prefetch_goes_below),
    };
    return cmocka_run_group_tests_name("cache_prefetch", tests, NULL, NULL);
}
