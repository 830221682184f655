/* cache_fence.c - fences: earlier writes have arrived, later reads are fresh. */
#include <string.h>

#include "unit/cache_stand.h"

static struct exchange *stand_fence(struct stand *stand, u32 user, cycle at)
{
    struct exchange *fence = stand_read(stand, user, at, 0);
    fence->kind = MEMORY_FENCE;
    fence->size_bytes = 0;
    return fence;
}

static void idle_cache_answers_after_the_latency(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *fence = stand_fence(&stand, 0, 10);
    stand_finish(&stand);
    assert_int_equal(fence->answered, 10 + HIT);
    assert_int_equal(fence->answer_kind, MEMORY_FENCE);
    assert_int_equal(stand_stat(&stand, "fences"), 1);
}

static void fence_forgets_what_is_here(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 8);
    stand_fence(&stand, 0, 100);
    struct exchange *read = stand_read(&stand, 0, 101, 8);
    stand_finish(&stand);
    expect_read(read, MISS);
}

static void fence_waits_for_writes_under_way(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *write = stand_write(&stand, 0, 0, 8, 77);
    struct exchange *fence = stand_fence(&stand, 0, 1);
    struct exchange *later = stand_write(&stand, 0, 5, 8, 78); /* not waited for */
    stand_finish(&stand);
    assert_int_equal(write->answered, MISS);
    assert_int_equal(fence->answered, MISS + 1); /* one answer per cycle */
    assert_int_equal(later->answered, 5 + MISS);
}

static void fences_are_answered_in_order(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    for (u32 i = 0; i < 3; i++) {
        stand_write(&stand, 0, 10 * i, 8 * i, i);
        stand_fence(&stand, 0, 10 * i + 1);
    }
    stand_finish(&stand);
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(asked[0][2 * i + 1].answered, 10 * i + MISS + 1);
}

static void many_fences_are_answered(void **state)
{
    (void)state;
    struct stand stand = stand_create(8);
    behind[0].delay = 300;
    bench_set(stand.cache, "passes", 128);
    for (u32 i = 0; i < 100; i++) {
        u32 user = i % 8;
        if (i < 50)
            stand_write(&stand, user, i, 8 * i, i);
        stand_fence(&stand, user, i);
    }
    stand_finish(&stand);
    for (u32 user = 0; user < 8; user++)
        for (u32 i = 0; i < 19; i++)
            if (asked[user][i].size_bytes || asked[user][i].kind)
                assert_int_equal(asked[user][i].answers, 1);
    assert_int_equal(stand_stat(&stand, "fences"), 100);
}

/* Data that was on its way before the fence is given to those who asked, and not kept. */
static void fence_forgets_what_is_on_its_way(void **state)
{
    static const char *const whens[] = { "miss", "fill" };
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        struct stand stand = stand_create(2);
        bench_set_choice(stand.cache, "allocate", whens[i]);
        struct exchange *before = stand_read(&stand, 0, 0, 8);
        struct exchange *fence = stand_fence(&stand, 1, 2);
        struct exchange *after = stand_read(&stand, 1, 3, 8);
        struct exchange *later = stand_read(&stand, 1, 100, 8);
        stand_finish(&stand);
        expect_read(before, MISS);
        assert_int_equal(fence->answered, 2 + HIT);
        expect_read(after, MISS); /* a miss of its own */
        expect_read(later, HIT);
        assert_int_equal(behind[0].count, 2);
        assert_int_equal(stand_stat(&stand, "half_misses"), 0);
        bench_destroy(stand.sim);
    }
}

static void dirty_bytes_are_written_back_first(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set_choice(stand.cache, "write", "back");
    bench_set_choice(stand.cache, "write_miss", "allocate");
    for (u64 i = 0; i < 3; i++)
        stand_write(&stand, 0, i, 128 * i, 70 + i);
    struct exchange *fence = stand_fence(&stand, 0, 10);
    struct exchange *read = stand_read(&stand, 0, 11, 0);
    stand_finish(&stand);
    /* Taken at 11; then a line per cycle from 12 on. The read follows when the last has been
     * queued.
     */
    for (u32 i = 0; i < 3; i++)
        expect_seen(i, 12 + i + 2, MEMORY_WRITE, 128 * i);
    assert_int_equal(fence->answered, 14 + 2 + DELAY + 1 + 1 + 1);
    assert_int_equal(read->answer_value, 70); /* from below */
    assert_int_equal(stand_stat(&stand, "write_backs"), 3);
    assert_int_equal(stand_stat(&stand, "fence_stalls"), 3);
    assert_int_equal(stand_stat(&stand, "hits"), 0);
}

static void fence_waits_for_writes_that_wait_for_a_miss(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set_choice(stand.cache, "write", "back");
    bench_set_choice(stand.cache, "write_miss", "fetch");
    stand_write(&stand, 0, 0, 0, 77);
    struct exchange *fence = stand_fence(&stand, 0, 1);
    stand_finish(&stand);
    u64 word;
    memcpy(&word, behind[0].bytes, 8);
    assert_int_equal(word, 77);
    assert_true(fence->answered > 2 * (DELAY + 2));
}

static void shared_cache_answers_at_once_and_keeps_all(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set_choice(stand.cache, "write", "back");
    bench_set_choice(stand.cache, "write_miss", "allocate");
    bench_set_choice(stand.cache, "fence", "shared");
    stand_write(&stand, 0, 0, 0, 77);
    struct exchange *fence = stand_fence(&stand, 0, 1);
    struct exchange *read = stand_read(&stand, 0, 100, 0);
    stand_finish(&stand);
    assert_int_equal(fence->answered, 1 + HIT);
    assert_int_equal(read->answered, 100 + HIT);
    assert_int_equal(behind[0].count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(idle_cache_answers_after_the_latency),
        bench_test_all_ways(fence_forgets_what_is_here),
        bench_test_all_ways(fence_waits_for_writes_under_way),
        bench_test_all_ways(fences_are_answered_in_order),
        bench_test_all_ways(many_fences_are_answered),
        bench_test_all_ways(fence_forgets_what_is_on_its_way),
        bench_test_all_ways(dirty_bytes_are_written_back_first),
        bench_test_all_ways(fence_waits_for_writes_that_wait_for_a_miss),
        bench_test_all_ways(shared_cache_answers_at_once_and_keeps_all),
    };
    return cmocka_run_group_tests_name("cache_fence", tests, NULL, NULL);
}
