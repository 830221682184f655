/* cache_timing.c - when a cache answers, and who is served first. */
#include "ogive/isa.h"
#include "unit/cache_stand.h"

static void miss_asks_below_and_answers(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *read = stand_read(&stand, 0, 5, 0x148);
    stand_finish(&stand);
    expect_read(read, MISS);
    assert_int_equal(behind[0].count, 1);
    expect_seen(0, 5 + 3, MEMORY_READ, 0x140); /* the whole sector */
    assert_int_equal(behind[0].seen[0].message.size_bytes, 32);
    assert_int_equal(behind[0].seen[0].message.source, 100);
    assert_int_equal(stand_stat(&stand, "misses"), 1);
    assert_int_equal(stand_stat(&stand, "bytes_fetched"), 32);
    assert_int_equal(stand_stat(&stand, "bytes_answered"), 8);
}

static void hit_is_answered_after_the_latency(void **state)
{
    static const cycle latencies[] = { 1, 2, 20, 255, 256, 1000 };
    (void)state;
    for (u32 i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        struct stand stand = stand_create(1);
        bench_set(stand.cache, "latency", latencies[i]);
        stand_read(&stand, 0, 0, 0);
        struct exchange *read = stand_read(&stand, 0, 100, 8);
        stand_finish(&stand);
        expect_read(read, 2 + latencies[i]);
        assert_int_equal(stand_stat(&stand, "hits"), 1);
        assert_int_equal(stand_stat(&stand, "reads"), 2);
        bench_destroy(stand.sim);
    }
}

/* Found here, fetched from behind, and passed on: how many caches did not have it. */
static void answer_says_how_far_it_came(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    struct exchange *miss = stand_read(&stand, 0, 0, 0), *merged = stand_read(&stand, 1, 2, 8);
    struct exchange *hit = stand_read(&stand, 0, 200, 16);
    struct exchange *passed = stand_read(&stand, 0, 300, 512);
    passed->kind |= MEMORY_SKIP(1);
    stand_finish(&stand);
    assert_int_equal(miss->answer_missed, 1);
    assert_int_equal(merged->answer_missed, 1);
    assert_int_equal(hit->answer_missed, 0);
    assert_int_equal(passed->answer_missed, 1);
}

static void lookup_and_fill_add_to_a_miss(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "lookup", 4);
    bench_set(stand.cache, "fill", 7);
    struct exchange *read = stand_read(&stand, 0, 5, 0);
    stand_finish(&stand);
    expect_seen(0, 5 + 2 + 4, MEMORY_READ, 0);
    expect_read(read, MISS + 3 + 6);
}

static void miss_fetches_its_sector_only(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 0);
    struct exchange *same = stand_read(&stand, 0, 100, 24);
    struct exchange *other = stand_read(&stand, 0, 200, 32); /* of the same line */
    stand_finish(&stand);
    expect_read(same, HIT);
    expect_read(other, MISS);
    assert_int_equal(behind[0].count, 2);
    assert_int_equal(stand_stat(&stand, "evictions"), 0);
}

static void larger_sector_comes_in_pieces(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "sector", 64);
    struct exchange *second = stand_read(&stand, 0, 0, 96); /* the second piece of its sector */
    struct exchange *hit = stand_read(&stand, 0, 100, 64);
    stand_finish(&stand);
    expect_seen(0, 3, MEMORY_READ, 96); /* what is waited for comes first */
    expect_seen(1, 4, MEMORY_READ, 64);
    expect_read(second, MISS);
    expect_read(hit, HIT);
    assert_int_equal(behind[0].count, 2);
}

static void width_is_how_many_go_below_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "sector", 128);
    bench_set(stand.cache, "width", 3);
    stand_read(&stand, 0, 0, 0);
    stand_finish(&stand);
    expect_seen(2, 3, MEMORY_READ, 64);
    expect_seen(3, 4, MEMORY_READ, 96);
}

static void bank_takes_one_request_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    stand_read(&stand, 0, 0, 0);
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < 4; i++)
            stand_read(&stand, user, 100, 8 * i);
    stand_finish(&stand);
    /* User 0 was served last before, so user 1 begins. */
    for (u32 i = 0; i < 4; i++) {
        expect_read(&asked[1][i], HIT + 2 * i);
        expect_read(&asked[0][1 + i], HIT + 2 * i + 1);
    }
    assert_int_equal(stand_stat(&stand, "bank_conflicts"), 7);
}

static void banks_work_at_the_same_time(void **state)
{
    (void)state;
    struct stand stand = stand_create(4);
    bench_set(stand.cache, "banks", 4);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 0, 128 * user);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 100, 128 * user);
    stand_finish(&stand);
    for (u32 user = 0; user < 4; user++)
        expect_read(&asked[user][1], HIT);
    assert_int_equal(stand_stat(&stand, "bank_conflicts"), 0);
}

static void requests_for_one_bank_conflict(void **state)
{
    (void)state;
    struct stand stand = stand_create(4);
    bench_set(stand.cache, "banks", 2);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 40 * user, 128 * user);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 200, 128 * user);
    stand_finish(&stand);
    expect_read(&asked[0][1], HIT);     /* bank 0 */
    expect_read(&asked[1][1], HIT);     /* bank 1 */
    expect_read(&asked[2][1], HIT + 1); /* bank 0 */
    expect_read(&asked[3][1], HIT + 1);
    assert_int_equal(stand_stat(&stand, "bank_conflicts"), 2);
}

/* Passed on below, where the memory answers: what it holds the bank for is seen by the next one. */
static void atomic_holds_its_bank(void **state)
{
    static const u64 intervals[] = { 0, 1, 4 };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand = stand_create(2);
        bench_set(stand.cache, "atomic_interval", intervals[i]);
        stand_read(&stand, 1, 0, 0);
        stand_ask(&stand, 0,
                  (struct exchange){ .asked = 100,
                                     .kind = MEMORY_AMO,
                                     .size_bytes = 4,
                                     .amo = AMO_ADD,
                                     .address = 512,
                                     .value = 1 });
        struct exchange *read = stand_read(&stand, 1, 101, 8);
        stand_finish(&stand);
        expect_read(read, HIT + (intervals[i] ? intervals[i] - 1 : 0));
        bench_destroy(stand.sim);
    }
}

/* Three cycles for two of them: taken in the cycles 100, 101, 103 and 104, and the read after the
 * last one has the bank for its half of the third cycle. */
static void atomics_hold_a_bank_in_bursts(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    bench_set(stand.cache, "atomic_interval", 3);
    bench_set(stand.cache, "atomic_burst", 2);
    stand_read(&stand, 1, 0, 0);
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, 0,
                  (struct exchange){ .asked = 100,
                                     .kind = MEMORY_AMO,
                                     .size_bytes = 4,
                                     .amo = AMO_ADD,
                                     .address = 512 + 128 * i,
                                     .value = 1 });
    struct exchange *read = stand_read(&stand, 1, 105, 8);
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(asked[0][i].answered - asked[0][0].answered, i + i / 2);
    expect_read(read, HIT + 1);
}

/* A user's writes of 4 bytes to two lines, then of a whole sector to a third: with `write_head` the
 * first of each line has the bank for longer, but for the whole sector. */
static void writes_hold_their_bank(void **state)
{
    static const struct {
        u64 interval, head;
        cycle after[4]; /* the first one */
    } cases[] = {
        { 0, 0, { 0, 1, 2, 3 } },
        { 3, 0, { 0, 3, 6, 9 } },
        { 1, 1, { 0, 2, 4, 5 } },
        { 1, 4, { 0, 5, 10, 11 } },
    };
    (void)state;
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stand stand = stand_create(1);
        bench_set(stand.cache, "write_interval", cases[i].interval);
        bench_set(stand.cache, "write_head", cases[i].head);
        for (u32 n = 0; n < 4; n++)
            stand_ask(&stand, 0,
                      (struct exchange){ .asked = 100,
                                         .kind = MEMORY_WRITE,
                                         .size_bytes = MEMORY_SECTOR,
                                         .mask = n < 3 ? 0xf : UINT32_MAX,
                                         .address = (u64[]){ 0, 128, 160, 256 }[n] });
        stand_finish(&stand);
        for (u32 n = 0; n < 4; n++)
            assert_int_equal(asked[0][n].answered - asked[0][0].answered, cases[i].after[n]);
        bench_destroy(stand.sim);
    }
}

static void users_take_turns_at_a_bank(void **state)
{
    u32 share[4] = { 0 };
    (void)state;
    struct stand stand = stand_create(4);
    stand_read(&stand, 0, 0, 0);
    for (u32 user = 0; user < 4; user++)
        for (u32 i = 0; i < 10; i++)
            stand_read(&stand, user, 100, 0);
    stand_finish(&stand);
    for (u32 user = 0; user < 4; user++)
        for (u32 i = user == 0; i < 10; i++)
            share[user] += asked[user][i].answered < 100 + HIT + 20;
    for (u32 user = 0; user < 4; user++)
        assert_int_equal(share[user], 5);
}

static void ports_are_how_many_a_bank_takes(void **state)
{
    (void)state;
    struct stand stand = stand_create(4);
    bench_set(stand.cache, "ports", 2);
    stand_read(&stand, 0, 0, 0);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 100, 0);
    stand_finish(&stand);
    expect_read(&asked[1][0], HIT);
    expect_read(&asked[2][0], HIT);
    expect_read(&asked[3][0], HIT + 1);
    expect_read(&asked[0][1], HIT + 1);
}

/* Of one user: each in a cycle of its own, or up to `ports` in the same. */
static void burst_of_a_user_is_taken_at_once(void **state)
{
    (void)state;
    for (u32 bursts = 0; bursts < 2; bursts++) {
        struct stand stand = stand_create(1);
        bench_set(stand.cache, "ports", 2);
        bench_set(stand.cache, "bursts", bursts);
        stand_read(&stand, 0, 0, 0);
        for (u32 i = 0; i < 4; i++)
            stand_read(&stand, 0, 100, 0);
        stand_finish(&stand);
        for (u32 i = 0; i < 4; i++)
            expect_read(&asked[0][1 + i], HIT + (bursts ? i / 2 : i));
        bench_destroy(stand.sim);
    }
}

static void hit_overtakes_a_miss(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 0);
    struct exchange *miss = stand_read(&stand, 0, 100, 128);
    struct exchange *hit = stand_read(&stand, 0, 100, 8);
    stand_finish(&stand);
    expect_read(miss, MISS);
    expect_read(hit, HIT + 1); /* taken behind it, answered before it */
}

static void bank_gives_one_answer_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_read(&stand, 0, 0, 0);
    /* A hit that is ready in the cycle in which the data of the miss is: data goes first. */
    struct exchange *miss = stand_read(&stand, 0, 100, 128);
    struct exchange *hit = stand_read(&stand, 0, 100 + MISS - HIT, 8);
    stand_finish(&stand);
    expect_read(miss, MISS);
    expect_read(hit, HIT + 1);
}

static void answers_that_will_meet_hurry_nobody(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "fill", 10);
    stand_read(&stand, 0, 0, 0);
    cycle meet = 100 + MISS + 9;
    struct exchange *miss = stand_read(&stand, 0, 100, 128);
    struct exchange *before = stand_read(&stand, 0, meet - HIT - 2, 8);
    struct exchange *hit = stand_read(&stand, 0, meet - HIT, 8);
    stand_finish(&stand);
    expect_read(before, HIT); /* leaves when it is known that the others will meet */
    expect_read(miss, MISS + 9);
    expect_read(hit, HIT + 1);
}

static void answers_wait_for_room_above(void **state)
{
    (void)state;
    struct stand stand = stand_create_behind(2, 1, 1);
    bench_set(stand.cache, "queue", 1);
    bench_set(stand.cache, "latency", 1);
    stand_read(&stand, 0, 0, 0);
    for (u32 i = 0; i < 20; i++)
        stand_read(&stand, i % 2, 100, 0);
    stand_finish(&stand);
    for (u32 i = 0; i < 10; i++)
        assert_int_equal(asked[1][i].answers, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(miss_asks_below_and_answers),
        bench_test_all_ways(hit_is_answered_after_the_latency),
        bench_test_all_ways(answer_says_how_far_it_came),
        bench_test_all_ways(lookup_and_fill_add_to_a_miss),
        bench_test_all_ways(miss_fetches_its_sector_only),
        bench_test_all_ways(larger_sector_comes_in_pieces),
        bench_test_all_ways(width_is_how_many_go_below_per_cycle),
        bench_test_all_ways(bank_takes_one_request_per_cycle),
        bench_test_all_ways(banks_work_at_the_same_time),
        bench_test_all_ways(requests_for_one_bank_conflict),
        bench_test_all_ways(atomic_holds_its_bank),
        bench_test_all_ways(atomics_hold_a_bank_in_bursts),
        bench_test_all_ways(writes_hold_their_bank),
        bench_test_all_ways(users_take_turns_at_a_bank),
        bench_test_all_ways(ports_are_how_many_a_bank_takes),
        bench_test_all_ways(burst_of_a_user_is_taken_at_once),
        bench_test_all_ways(hit_overtakes_a_miss),
        bench_test_all_ways(bank_gives_one_answer_per_cycle),
        bench_test_all_ways(answers_that_will_meet_hurry_nobody),
        bench_test_all_ways(answers_wait_for_room_above),
    };
    return cmocka_run_group_tests_name("cache_timing", tests, NULL, NULL);
}
