/* cache_mshr.c - misses under way: who hangs on, who waits, and for how long. */
#include "unit/cache_stand.h"

static void second_miss_hangs_on_the_first(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *first = stand_read(&stand, 0, 0, 0);
    struct exchange *second = stand_read(&stand, 0, 4, 16);
    stand_finish(&stand);
    expect_read(first, MISS);
    assert_int_equal(second->answered, first->answered + 1); /* one answer per cycle */
    assert_int_equal(second->answer_value, memory_word(16));
    assert_int_equal(behind[0].count, 1);
    assert_int_equal(stand_stat(&stand, "misses"), 1);
    assert_int_equal(stand_stat(&stand, "half_misses"), 1);
    assert_int_equal(stand_stat(&stand, "hits"), 0);
    assert_int_equal(stand_stat(&stand, "lookups"), 2);
}

static void merge_limit_stops_the_bank(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    bench_set(stand.cache, "merges", 2);
    for (u32 i = 0; i < 3; i++)
        stand_read(&stand, 0, 0, 8 * i);
    stand_finish(&stand);
    expect_read(&asked[0][0], MISS);
    expect_read(&asked[0][1], MISS + 1);
    /* Taken at 1, 2; the third stands at the bank from 3 on. The data comes at 4 + DELAY: then it
     * hits. */
    cycle data = 4 + DELAY;
    assert_int_equal(asked[0][2].answered, data + LATENCY + 1);
    assert_int_equal(stand_stat(&stand, "merge_stalls"), data - 3);
    assert_int_equal(stand_stat(&stand, "hits"), 1);
    assert_int_equal(stand_stat(&stand, "half_misses"), 1);
}

static void full_mshrs_stop_the_bank(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    bench_set(stand.cache, "mshrs", 1);
    struct exchange *first = stand_read(&stand, 0, 0, 0);
    struct exchange *second = stand_read(&stand, 0, 0, 128);
    struct exchange *behind_it = stand_read(&stand, 1, 2, 8); /* would hang on the first */
    stand_finish(&stand);
    expect_read(first, MISS);
    /* Stands at the bank from 2 on; its miss begins when the data of the first comes. */
    cycle data = 4 + DELAY;
    expect_seen(1, data + 2, MEMORY_READ, 128);
    assert_int_equal(second->answered, data + MISS - 1);
    assert_int_equal(stand_stat(&stand, "mshr_stalls"), data - 2);
    assert_int_equal(behind_it->answered,
                     data + 1 + LATENCY + 1); /* head of line: taken after it */
}

static void hits_go_on_while_mshrs_are_full(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "mshrs", 1);
    stand_read(&stand, 0, 0, 0);
    stand_read(&stand, 0, 100, 128);
    struct exchange *hit = stand_read(&stand, 0, 101, 0);
    stand_finish(&stand);
    expect_read(hit, HIT);
}

static void each_slice_has_its_own_mshrs(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    bench_set(stand.cache, "mshrs", 1);
    bench_set(stand.cache, "slices", 2);
    stand_read(&stand, 0, 0, 0);
    stand_read(&stand, 1, 0, 128);
    stand_finish(&stand);
    expect_read(&asked[0][0], MISS);
    expect_read(&asked[1][0], MISS);
    assert_int_equal(stand_stat(&stand, "mshr_stalls"), 0);
}

static void banks_share_the_mshrs_of_their_slice(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    bench_set(stand.cache, "mshrs", 1);
    bench_set(stand.cache, "banks", 2);
    stand_read(&stand, 0, 0, 0);
    stand_read(&stand, 1, 0, 128);
    stand_finish(&stand);
    expect_read(&asked[0][0], MISS);
    assert_int_equal(stand_stat(&stand, "mshr_stalls"), 4 + DELAY - 1);
}

static void mshr_of_a_line_covers_its_sectors(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "mshrs", 1);
    bench_set_choice(stand.cache, "mshr", "line");
    for (u32 i = 0; i < 4; i++)
        stand_read(&stand, 0, i, 32 * i);
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        expect_read(&asked[0][i], MISS);
    assert_int_equal(stand_stat(&stand, "misses"), 4); /* each asks below */
    assert_int_equal(stand_stat(&stand, "mshr_stalls"), 0);
}

static void mshr_of_a_sector_covers_no_other(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "mshrs", 1);
    stand_read(&stand, 0, 0, 0);
    stand_read(&stand, 0, 1, 32);
    stand_finish(&stand);
    expect_read(&asked[0][0], MISS);
    assert_int_equal(stand_stat(&stand, "mshr_stalls"), 4 + DELAY - 2);
}

static void occupancy_is_mshrs_times_cycles(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 0);
    stand_read(&stand, 0, 3, 128);
    stand_finish(&stand);
    /* Each from being taken to its data. */
    assert_int_equal(stand_stat(&stand, "occupancy"), 2 * (3 + DELAY));
}

static void waiting_requests_keep_their_order(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *before = stand_read(&stand, 0, 0, 0);
    struct exchange *write = stand_write(&stand, 0, 1, 0, 77);
    struct exchange *after = stand_read(&stand, 0, 2, 0);
    bench_set_choice(stand.cache, "write", "back");
    stand_finish(&stand);
    assert_int_equal(before->answer_value, memory_word(0));
    assert_int_equal(after->answer_value, 77);
    assert_int_equal(write->answered, before->answered + 1);
    assert_int_equal(after->answered, before->answered + 2);
}

/* Reads of one sector wait several in a place, but for those of another kind. */
static void many_reads_that_wait_keep_their_order(void **state)
{
    enum { READS = 23, WRITE = 9, OTHER = 14 };
    (void)state;
    struct stand stand = stand_create(1);
    behind[0].delay = 40;
    bench_set(stand.cache, "merges", READS);
    bench_set_choice(stand.cache, "write", "back");
    for (u32 i = 0; i < READS; i++) {
        if (i == WRITE)
            stand_write(&stand, 0, i, 8, 77);
        else
            stand_ask(&stand, 0,
                      (struct exchange){ .asked = i,
                                         .kind = MEMORY_READ | (i == OTHER ? MEMORY_SKIP(2) : 0),
                                         .size_bytes = 8,
                                         .source = 100 + i,
                                         .address = 8 * (i % 3) });
    }
    stand_finish(&stand);
    for (u32 i = 0; i < READS; i++) {
        const struct exchange *read = &asked[0][i];
        assert_int_equal(read->answered, asked[0][0].answered + i);
        assert_int_equal(read->answer_address, read->address);
        if (i == WRITE)
            continue;
        assert_int_equal(read->answer_kind, read->kind);
        assert_int_equal(read->answer_source, 100 + i);
        assert_int_equal(read->answer_missed, 1);
        assert_int_equal(read->answer_value,
                         i > WRITE && i % 3 == 1 ? 77 : memory_word(8 * (i % 3)));
    }
    assert_int_equal(stand_stat(&stand, "misses"), 1);
}

/* A fence forgets what is on its way: then they are answered without its being kept. */
static void many_reads_wait_through_a_fence(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    for (u32 i = 0; i < 7; i++)
        stand_read(&stand, 0, i, 8 * (i % 4));
    stand_ask(&stand, 1, (struct exchange){ .asked = 9, .kind = MEMORY_FENCE });
    struct exchange *later = stand_read(&stand, 0, 100, 0);
    stand_finish(&stand);
    expect_read(&asked[0][0], MISS);
    for (u32 i = 1; i < 7; i++) {
        assert_int_equal(asked[0][i].answered, asked[0][0].answered + i);
        assert_int_equal(asked[0][i].answer_value, memory_word(8 * (i % 4)));
    }
    expect_read(later, MISS);
}

static void write_through_meets_its_miss(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *before = stand_read(&stand, 0, 0, 0);
    stand_write(&stand, 0, 1, 0, 77);
    struct exchange *after = stand_read(&stand, 0, 2, 0);
    struct exchange *later = stand_read(&stand, 0, 100, 0);
    stand_finish(&stand);
    /* The data that comes is older than the write, and must not hide it. */
    assert_int_equal(before->answer_value, memory_word(0));
    assert_int_equal(after->answer_value, 77);
    assert_int_equal(later->answer_value, 77);
    assert_int_equal(later->answered, 100 + HIT);
}

/* One of everything, and links of one slot. */
static void smallest_cache_answers_all(void **state)
{
    static const char *const writes[] = { "through", "back" }, *const whens[] = { "miss", "fill" };
    (void)state;
    for (u32 i = 0; i < 4; i++) {
        struct stand stand = stand_create_behind(3, 1, 1);
        bench_set(stand.cache, "size", 32);
        bench_set(stand.cache, "line", 32);
        bench_set(stand.cache, "ways", 1);
        bench_set(stand.cache, "mshrs", 1);
        bench_set(stand.cache, "merges", 1);
        bench_set(stand.cache, "passes", 1);
        bench_set(stand.cache, "depth", 1);
        bench_set(stand.cache, "queue", 1);
        bench_set_choice(stand.cache, "write", writes[i % 2]);
        bench_set_choice(stand.cache, "allocate", whens[i / 2]);
        bench_set_choice(stand.cache, "write_miss", "allocate");
        for (u32 user = 0; user < 3; user++) {
            for (u32 k = 0; k < 15; k++) {
                stand_write(&stand, user, 0, 1024 * user + 32 * k, 1000 * user + k);
                stand_read(&stand, user, 0, 1024 * user + 32 * k);
            }
        }
        stand_finish(&stand);
        for (u32 user = 0; user < 3; user++) {
            for (u32 k = 0; k < 30; k++)
                assert_int_equal(asked[user][k].answers, 1);
            for (u32 k = 0; k < 15; k++)
                assert_int_equal(asked[user][2 * k + 1].answer_value, 1000 * user + k);
        }
        bench_destroy(stand.sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(second_miss_hangs_on_the_first),
        bench_test_all_ways(merge_limit_stops_the_bank),
        bench_test_all_ways(full_mshrs_stop_the_bank),
        bench_test_all_ways(hits_go_on_while_mshrs_are_full),
        bench_test_all_ways(each_slice_has_its_own_mshrs),
        bench_test_all_ways(banks_share_the_mshrs_of_their_slice),
        bench_test_all_ways(mshr_of_a_line_covers_its_sectors),
        bench_test_all_ways(mshr_of_a_sector_covers_no_other),
        bench_test_all_ways(occupancy_is_mshrs_times_cycles),
        bench_test_all_ways(waiting_requests_keep_their_order),
        bench_test_all_ways(many_reads_that_wait_keep_their_order),
        bench_test_all_ways(many_reads_wait_through_a_fence),
        bench_test_all_ways(write_through_meets_its_miss),
        bench_test_all_ways(smallest_cache_answers_all),
    };
    return cmocka_run_group_tests_name("cache_mshr", tests, NULL, NULL);
}
