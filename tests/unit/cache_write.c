/* cache_write.c - where written bytes are, and when a write is answered. */
#include <string.h>

#include "unit/cache_stand.h"

#define PASSED MISS /* a write that is answered from below takes as long as a miss */

static struct stand stand_writing(const char *write, const char *write_miss)
{
    struct stand stand = stand_create(1);
    bench_set_choice(stand.cache, "write", write);
    bench_set_choice(stand.cache, "write_miss", write_miss);
    return stand;
}

static u64 behind_word(u64 address)
{
    u64 word;
    memcpy(&word, behind[0].bytes + address, 8);
    return word;
}

static void write_through_is_answered_from_below(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "around");
    struct exchange *write = stand_write(&stand, 0, 0, 40, 77);
    stand_finish(&stand);
    assert_int_equal(write->answered, PASSED);
    assert_int_equal(write->answer_kind, MEMORY_WRITE);
    assert_int_equal(write->answer_address, 40);
    expect_seen(0, 3, MEMORY_WRITE, 40);
    assert_int_equal(behind[0].seen[0].message.size_bytes, 8);
    assert_int_equal(behind[0].seen[0].message.source, 100);
    assert_int_equal(behind_word(40), 77);
    assert_int_equal(stand_stat(&stand, "bytes_taken"), 8);
    assert_int_equal(stand_stat(&stand, "bytes_sent"), 8);
}

static void write_through_changes_its_copy(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "around");
    stand_read(&stand, 0, 0, 0);
    stand_write(&stand, 0, 100, 0, 77);
    struct exchange *read = stand_read(&stand, 0, 101, 0);
    stand_finish(&stand);
    assert_int_equal(read->answered, 101 + HIT);
    assert_int_equal(read->answer_value, 77);
    assert_int_equal(stand_stat(&stand, "hits"), 2);
}

static void write_around_leaves_no_copy(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "around");
    stand_write(&stand, 0, 0, 0, 77);
    struct exchange *read = stand_read(&stand, 0, 1, 0);
    stand_finish(&stand);
    assert_int_equal(read->answered, 1 + MISS); /* and comes behind the write */
    assert_int_equal(read->answer_value, 77);
    assert_int_equal(stand_stat(&stand, "misses"), 2);
}

static void write_through_with_allocation_leaves_its_bytes(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "allocate");
    struct exchange *write = stand_write(&stand, 0, 0, 0, 77);
    struct exchange *written = stand_read(&stand, 0, 1, 0), *beside = stand_read(&stand, 0, 100, 8);
    struct exchange *both = stand_read(&stand, 0, 200, 4);
    stand_finish(&stand);
    assert_int_equal(write->answered, PASSED);
    assert_int_equal(written->answered, 1 + HIT);
    assert_int_equal(written->answer_value, 77);
    expect_read(beside, MISS);
    assert_int_equal(both->answered, 200 + HIT);
    assert_int_equal(both->answer_value, memory_word(8) << 32);
}

static void write_through_with_fetch_brings_the_sector(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "fetch");
    stand_write(&stand, 0, 0, 0, 77);
    struct exchange *beside = stand_read(&stand, 0, 100, 8),
                    *written = stand_read(&stand, 0, 101, 0);
    stand_finish(&stand);
    expect_read(beside, HIT);
    assert_int_equal(written->answer_value, 77);
    assert_int_equal(written->answered, 101 + HIT);
    assert_int_equal(behind_word(0), 77);
}

static void write_back_is_answered_from_here(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "allocate");
    struct exchange *write = stand_write(&stand, 0, 0, 0, 77);
    struct exchange *read = stand_read(&stand, 0, 1, 0);
    stand_finish(&stand);
    assert_int_equal(write->answered, HIT);
    assert_int_equal(read->answered, 1 + HIT);
    assert_int_equal(read->answer_value, 77);
    assert_int_equal(behind[0].count, 0);
    assert_int_equal(stand_stat(&stand, "misses"), 1);
    assert_int_equal(stand_stat(&stand, "hits"), 1);
}

static void write_back_around_passes_what_is_not_here(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "around");
    struct exchange *away = stand_write(&stand, 0, 0, 0, 77);
    stand_read(&stand, 0, 100, 0);
    struct exchange *here = stand_write(&stand, 0, 200, 0, 78);
    stand_finish(&stand);
    assert_int_equal(away->answered, PASSED);
    assert_int_equal(here->answered, 200 + HIT);
    assert_int_equal(behind_word(0), 77);
}

static void write_back_with_fetch_waits_for_the_sector(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "fetch");
    struct exchange *write = stand_write(&stand, 0, 0, 0, 77);
    struct exchange *beside = stand_read(&stand, 0, 100, 8);
    stand_finish(&stand);
    assert_int_equal(write->answered, MISS);
    expect_read(beside, HIT);
    assert_int_equal(behind[0].count, 1);
}

static void dirty_line_is_written_when_it_leaves(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "allocate");
    stand_write(&stand, 0, 0, 8, 77);
    stand_write(&stand, 0, 1, 96, 78);
    stand_read(&stand, 0, 100, 512);
    stand_read(&stand, 0, 200, 1024); /* line 0 leaves */
    struct exchange *back = stand_read(&stand, 0, 300, 8);
    stand_finish(&stand);
    expect_seen(1, 203, MEMORY_WRITE, 0);
    expect_seen(2, 204, MEMORY_WRITE, 96);
    expect_seen(3, 205, MEMORY_READ, 1024);
    assert_int_equal(behind[0].seen[1].message.mask, 0xff00);
    assert_int_equal(behind[0].seen[2].message.mask, 0xff);
    assert_int_equal(behind_word(8), 77);
    assert_int_equal(behind_word(96), 78);
    assert_int_equal(behind_word(0), memory_word(0)); /* bytes that were not written */
    assert_int_equal(back->answer_value, 77);
    assert_int_equal(stand_stat(&stand, "write_backs"), 2);
    assert_int_equal(stand_stat(&stand, "evictions"), 2);
    assert_int_equal(stand_stat(&stand, "bytes_sent"), 16);
}

static void clean_line_leaves_silently(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "allocate");
    for (u64 i = 0; i < 4; i++)
        stand_read(&stand, 0, 100 * i, 512 * i);
    stand_finish(&stand);
    assert_int_equal(stand_stat(&stand, "evictions"), 2);
    assert_int_equal(stand_stat(&stand, "write_backs"), 0);
}

static void masked_bytes_only_are_written(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "allocate");
    stand_write(&stand, 0, 0, 0, UINT64_MAX)->mask = 0x0f;
    stand_write(&stand, 0, 1, 0, 0)->mask = 0x01;
    struct exchange *half = stand_read(&stand, 0, 2, 0); /* needs bytes that are not here */
    stand_finish(&stand);
    assert_int_equal(half->answered, 2 + MISS);
    assert_int_equal(half->answer_value, (memory_word(0) & 0xffffffff00000000) | 0xffffff00);
}

static void writes_combine_to_a_whole_sector(void **state)
{
    (void)state;
    struct stand stand = stand_writing("back", "allocate");
    for (u64 i = 0; i < 4; i++)
        stand_write(&stand, 0, i, 8 * i, i);
    stand_read(&stand, 0, 100, 512);
    stand_read(&stand, 0, 200, 1024);
    stand_finish(&stand);
    expect_seen(1, 203, MEMORY_WRITE, 0);
    assert_int_equal(behind[0].seen[1].message.mask, UINT32_MAX);
    assert_int_equal(stand_stat(&stand, "write_backs"), 1);
}

static void fill_keeps_newer_bytes(void **state)
{
    static const char *const whens[] = { "miss", "fill" };
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        struct stand stand = stand_writing("back", "allocate");
        bench_set_choice(stand.cache, "allocate", whens[i]);
        stand_write(&stand, 0, 0, 0, 77);
        struct exchange *beside = stand_read(&stand, 0, 100, 8);
        struct exchange *written = stand_read(&stand, 0, 200, 0);
        stand_finish(&stand);
        expect_read(beside, MISS + i); /* on fill: the newer bytes go below first */
        assert_int_equal(written->answered, 200 + HIT);
        assert_int_equal(written->answer_value, 77);
        bench_destroy(stand.sim);
    }
}

static void passes_limit_writes_under_way(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "around");
    bench_set(stand.cache, "passes", 2);
    for (u64 i = 0; i < 3; i++)
        stand_write(&stand, 0, 0, 8 * i, i);
    stand_finish(&stand);
    /* Taken at 1 and 2; the third when the first is acknowledged. */
    expect_seen(2, 4 + DELAY + 2, MEMORY_WRITE, 16);
    assert_int_equal(stand_stat(&stand, "pass_stalls"), 4 + DELAY - 3);
}

static void full_queue_below_stops_the_bank(void **state)
{
    (void)state;
    struct stand stand = stand_writing("through", "around");
    bench_set(stand.cache, "depth", 1);
    bench_set(stand.cache, "lookup", 4);
    for (u64 i = 0; i < 4; i++)
        stand_write(&stand, 0, 0, 8 * i, i);
    stand_finish(&stand);
    /* Taken at 1; each of the others stands for three cycles until the one before has left. */
    for (u32 i = 0; i < 4; i++)
        expect_seen(i, 1 + 4 * (i + 1) + 1, MEMORY_WRITE, 8 * i);
    assert_int_equal(stand_stat(&stand, "below_stalls"), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(write_through_is_answered_from_below),
        bench_test_all_ways(write_through_changes_its_copy),
        bench_test_all_ways(write_around_leaves_no_copy),
        bench_test_all_ways(write_through_with_allocation_leaves_its_bytes),
        bench_test_all_ways(write_through_with_fetch_brings_the_sector),
        bench_test_all_ways(write_back_is_answered_from_here),
        bench_test_all_ways(write_back_around_passes_what_is_not_here),
        bench_test_all_ways(write_back_with_fetch_waits_for_the_sector),
        bench_test_all_ways(dirty_line_is_written_when_it_leaves),
        bench_test_all_ways(clean_line_leaves_silently),
        bench_test_all_ways(masked_bytes_only_are_written),
        bench_test_all_ways(writes_combine_to_a_whole_sector),
        bench_test_all_ways(fill_keeps_newer_bytes),
        bench_test_all_ways(passes_limit_writes_under_way),
        bench_test_all_ways(full_queue_below_stops_the_bank),
    };
    return cmocka_run_group_tests_name("cache_write", tests, NULL, NULL);
}
