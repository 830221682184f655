/* cache_uncached.c - requests that pass a cache by, and atomic operations. */
#include <string.h>

#include "ogive/isa.h"
#include "unit/cache/cache.h"
#include "unit/cache_stand.h"

static struct exchange *stand_amo(struct stand *stand, u32 user, cycle at, u64 address,
                                  enum isa_amo amo, u64 operand)
{
    struct exchange *exchange = stand_write(stand, user, at, address, operand);
    exchange->kind = MEMORY_AMO;
    exchange->amo = amo;
    return exchange;
}

static u64 behind_word(u64 address)
{
    u64 word;
    memcpy(&word, behind[0].bytes + address, 8);
    return word;
}

static struct stand stand_back(u32 users)
{
    struct stand stand = stand_create(users);
    bench_set_choice(stand.cache, "write", "back");
    bench_set_choice(stand.cache, "write_miss", "allocate");
    return stand;
}

static struct stand stand_shared(u32 users)
{
    struct stand stand = stand_back(users);
    bench_set_choice(stand.cache, "atomics", "here");
    return stand;
}

static void marked_read_leaves_no_copy(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *marked = stand_read(&stand, 0, 0, 8);
    struct exchange *plain = stand_read(&stand, 0, 100, 8);
    marked->kind |= MEMORY_SKIP(1);
    stand_finish(&stand);
    expect_read(marked, MISS);
    expect_read(plain, MISS);
    assert_int_equal(behind[0].seen[0].message.size_bytes, 8); /* as it was asked for */
    assert_int_equal(behind[0].seen[0].message.kind, MEMORY_READ | MEMORY_SKIP(1));
    assert_int_equal(stand_stat(&stand, "passed"), 1);
    assert_int_equal(stand_stat(&stand, "lookups"), 1);
}

static void mark_of_another_level_is_not_meant(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 8)->kind |= MEMORY_SKIP(2);
    struct exchange *again = stand_read(&stand, 0, 100, 8);
    struct exchange *marked = stand_read(&stand, 0, 200, 8);
    marked->kind |= MEMORY_SKIP(2);
    stand_finish(&stand);
    expect_read(again, HIT);
    expect_read(marked, HIT);
    /* It was read, and nothing else. */
    assert_int_equal(((const struct cache *)stand.cache)->tags.dirty_lines, 0);
}

static void level_chooses_the_mark(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "level", 2);
    stand_read(&stand, 0, 0, 8)->kind |= MEMORY_SKIP(2);
    struct exchange *again = stand_read(&stand, 0, 100, 8);
    stand_finish(&stand);
    expect_read(again, MISS);
}

static void marked_read_sees_what_is_dirty_here(void **state)
{
    (void)state;
    struct stand stand = stand_back(1);
    stand_write(&stand, 0, 0, 8, 77);
    struct exchange *marked = stand_read(&stand, 0, 100, 8);
    marked->kind |= MEMORY_SKIP(1);
    stand_finish(&stand);
    expect_seen(0, 103, MEMORY_WRITE, 0);
    expect_seen(1, 104, MEMORY_READ | MEMORY_SKIP(1), 8);
    assert_int_equal(marked->answer_value, 77);
}

static void marked_write_replaces_the_copy(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 8);
    stand_write(&stand, 0, 100, 8, 77)->kind |= MEMORY_SKIP(1);
    struct exchange *read = stand_read(&stand, 0, 101, 8);
    stand_finish(&stand);
    assert_int_equal(read->answered, 101 + MISS);
    assert_int_equal(read->answer_value, 77);
}

static void marked_request_waits_for_the_miss_before_it(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 8);
    struct exchange *marked = stand_write(&stand, 0, 1, 8, 77);
    marked->kind |= MEMORY_SKIP(1);
    struct exchange *read = stand_read(&stand, 0, 100, 8);
    stand_finish(&stand);
    expect_seen(1, 4 + DELAY + 2, MEMORY_WRITE | MEMORY_SKIP(1), 8);
    assert_int_equal(read->answer_value, 77);
    assert_int_equal(read->answered, 100 + MISS);
    assert_int_equal(stand_stat(&stand, "order_stalls"), 4 + DELAY - 2);
}

static void atomic_executes_below_and_drops_the_copy(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 8);
    struct exchange *swap = stand_amo(&stand, 0, 100, 8, AMO_SWAP, 5);
    struct exchange *read = stand_read(&stand, 0, 200, 8);
    stand_finish(&stand);
    assert_int_equal(swap->answered, 100 + MISS);
    assert_int_equal(swap->answer_value, memory_word(8));
    assert_int_equal(read->answered, 200 + MISS);
    assert_int_equal(read->answer_value, 5);
    assert_int_equal(stand_stat(&stand, "atomics"), 1);
    assert_int_equal(stand_stat(&stand, "passed"), 1);
}

static void atomic_below_takes_dirty_bytes_along(void **state)
{
    (void)state;
    struct stand stand = stand_back(1);
    stand_write(&stand, 0, 0, 8, 77);
    struct exchange *swap = stand_amo(&stand, 0, 1, 8, AMO_SWAP, 5);
    stand_finish(&stand);
    assert_int_equal(swap->answer_value, 77);
    assert_int_equal(behind_word(8), 5);
}

static void atomic_executes_here(void **state)
{
    (void)state;
    struct stand stand = stand_shared(1);
    struct exchange *missing = stand_amo(&stand, 0, 0, 8, AMO_SWAP, 5);
    struct exchange *add = stand_amo(&stand, 0, 100, 8, AMO_ADD, 2);
    struct exchange *read = stand_read(&stand, 0, 101, 8);
    stand_finish(&stand);
    assert_int_equal(missing->answered, MISS);
    assert_int_equal(missing->answer_value, memory_word(8));
    assert_int_equal(add->answered, 100 + HIT);
    assert_int_equal(add->answer_value, 5);
    assert_int_equal(read->answer_value, 7);
    assert_int_equal(behind[0].count, 1);
    assert_int_equal(behind_word(8), memory_word(8)); /* stays here */
    assert_int_equal(stand_stat(&stand, "atomics"), 2);
}

static void atomics_that_wait_execute_in_order(void **state)
{
    (void)state;
    struct stand stand = stand_shared(1);
    stand_write(&stand, 0, 0, 0, 1); /* a part of the sector is here */
    stand_amo(&stand, 0, 100, 8, AMO_SWAP, 0);
    for (u32 i = 0; i < 4; i++)
        stand_amo(&stand, 0, 101 + i, 8, AMO_ADD, 10);
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(asked[0][2 + i].answer_value, 10 * i);
    assert_int_equal(behind[0].count, 1);
}

static void atomic_result_is_written_back(void **state)
{
    (void)state;
    struct stand stand = stand_shared(1);
    stand_amo(&stand, 0, 0, 8, AMO_SWAP, 5);
    stand_read(&stand, 0, 100, 512);
    stand_read(&stand, 0, 200, 1024);
    stand_finish(&stand);
    assert_int_equal(behind_word(8), 5);
}

static void store_conditional_succeeds_once(void **state)
{
    (void)state;
    struct stand stand = stand_shared(1);
    struct exchange *load = stand_amo(&stand, 0, 0, 8, AMO_LR, 0);
    struct exchange *store = stand_amo(&stand, 0, 100, 8, AMO_SC, 5);
    struct exchange *again = stand_amo(&stand, 0, 200, 8, AMO_SC, 6);
    store->stamp = again->stamp = 1;
    struct exchange *read = stand_read(&stand, 0, 300, 8);
    stand_finish(&stand);
    assert_int_equal(load->answer_value, memory_word(8));
    assert_int_equal(store->answer_value, 0);
    assert_int_equal(again->answer_value, 1);
    assert_int_equal(read->answer_value, 5);
}

static void write_in_between_makes_store_conditional_fail(void **state)
{
    (void)state;
    struct stand stand = stand_shared(2);
    stand_amo(&stand, 0, 0, 8, AMO_LR, 0);
    stand_write(&stand, 1, 100, 24, 1); /* another, the same sector */
    struct exchange *store = stand_amo(&stand, 0, 200, 8, AMO_SC, 5);
    store->stamp = 1;
    stand_finish(&stand);
    assert_int_equal(store->answer_value, 1);
}

static void write_that_waits_behind_a_load_reserved_counts(void **state)
{
    (void)state;
    struct stand stand = stand_shared(2);
    stand_amo(&stand, 0, 0, 8, AMO_LR, 0); /* misses */
    stand_write(&stand, 1, 2, 8, 1);       /* waits behind it */
    struct exchange *store = stand_amo(&stand, 0, 100, 8, AMO_SC, 5);
    store->stamp = 1;
    stand_finish(&stand);
    assert_int_equal(store->answer_value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(marked_read_leaves_no_copy),
        bench_test_all_ways(mark_of_another_level_is_not_meant),
        bench_test_all_ways(level_chooses_the_mark),
        bench_test_all_ways(marked_read_sees_what_is_dirty_here),
        bench_test_all_ways(marked_write_replaces_the_copy),
        bench_test_all_ways(marked_request_waits_for_the_miss_before_it),
        bench_test_all_ways(atomic_executes_below_and_drops_the_copy),
        bench_test_all_ways(atomic_below_takes_dirty_bytes_along),
        bench_test_all_ways(atomic_executes_here),
        bench_test_all_ways(atomics_that_wait_execute_in_order),
        bench_test_all_ways(atomic_result_is_written_back),
        bench_test_all_ways(store_conditional_succeeds_once),
        bench_test_all_ways(write_in_between_makes_store_conditional_fail),
        bench_test_all_ways(write_that_waits_behind_a_load_reserved_counts),
    };
    return cmocka_run_group_tests_name("cache_uncached", tests, NULL, NULL);
}
