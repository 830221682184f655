/* cache_full_answers.c - answers that do not leave: a cache then takes no more than it has room
 * for, loses nothing, and goes on when they do. */
#include "ogive/isa.h"
#include "ogive/random.h"
#include "unit/cache_stand.h"

#define USERS    3
#define REQUESTS 160 /* of a user */
#define DEAF     20000
#define SEEDS    48

extern const struct unit_type unit_type_cache;

/* Little room for anything, and links that soon are full. */
static struct stand stand_create_small(u32 users)
{
    struct stand stand = stand_create_behind(users, 1, 2);
    bench_set(stand.cache, "mshrs", 2);
    bench_set(stand.cache, "merges", 1);
    bench_set(stand.cache, "passes", 1);
    bench_set(stand.cache, "queue", 1);
    return stand;
}

/* Answers that come from below are not bounded by what waits for them. */
static void answers_that_wait_stop_misses(void **state)
{
    (void)state;
    struct stand stand = stand_create_small(1);
    users_deaf_until = DEAF;
    for (u32 i = 0; i < REQUESTS; i++)
        stand_read(&stand, 0, 0, 128 * i);
    stand_finish(&stand);
    for (u32 i = 0; i < REQUESTS; i++) {
        assert_int_equal(asked[0][i].answers, 1);
        assert_int_equal(asked[0][i].answer_value, memory_word(128 * i));
        assert_true(asked[0][i].answered >= DEAF);
    }
    assert_int_equal(behind[0].count, REQUESTS);
    assert_int_equal(stand_stat(&stand, "misses"), REQUESTS);
    assert_in_range(stand_stat(&stand, "answer_stalls"), DEAF / 2, DEAF);
}

/* As are those on their way up, if that is long, though nobody refuses them. */
static void answers_on_a_long_way_stop_misses(void **state)
{
    (void)state;
    struct stand stand = stand_create_small(1);
    bench_set(stand.cache, "fill", DEAF);
    for (u32 i = 0; i < REQUESTS; i++)
        stand_read(&stand, 0, 0, 128 * i);
    stand_finish(&stand);
    for (u32 i = 0; i < REQUESTS; i++) {
        assert_int_equal(asked[0][i].answers, 1);
        assert_int_equal(asked[0][i].answer_value, memory_word(128 * i));
    }
    assert_in_range(stand_stat(&stand, "answer_stalls"), DEAF / 2, DEAF);
}

/* What all banks may not take goes to those that have waited for longest: nobody starves. */
static void each_bank_goes_on(void **state)
{
    (void)state;
    struct stand stand = stand_create_small(2);
    bench_set(stand.cache, "banks", 2);
    users_deaf_until = DEAF;
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < REQUESTS; i++)
            stand_read(&stand, user, 0, 128 * (2 * i + user));
    stand_finish(&stand);
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < REQUESTS; i++) {
            assert_int_equal(asked[user][i].answers, 1);
            assert_int_equal(asked[user][i].answer_value, memory_word(128 * (2 * i + user)));
        }
    /* Both end as soon as the memory allows, which they share. */
    cycle one = asked[0][REQUESTS - 1].answered, other = asked[1][REQUESTS - 1].answered;
    assert_true(one < other + 2 * MISS && other < one + 2 * MISS);
}

/* The answers of a cache are the fills of one above it, which takes them whatever its user does. */
static void stacked_caches_go_on(void **state)
{
    (void)state;
    struct stand stand = stand_create_small(1);
    struct unit *above = bench_unit(stand.sim, stand.cache->domain, &unit_type_cache, NO_CLOCK);
    bench_set(above, "size", 1 * KiB);
    bench_set(above, "mshrs", 2);
    bench_set(above, "merges", 1);
    bench_set(above, "passes", 1);
    bench_set(above, "queue", 1);
    struct mock *user = bench_mock(stand.sim, stand.cache->domain, stand.users[0]->step);
    user->value = 1;
    bench_join(stand.sim, above, "users", user, 1, 2);
    bench_ask(stand.sim, above, "next", stand.cache, "users", 1, 2);
    bench_init(above);
    stand.users[1] = user;
    users_deaf_until = DEAF;
    for (u32 i = 0; i < REQUESTS; i++) {
        stand_read(&stand, 0, 0, 128 * i);
        stand_read(&stand, 1, 0, 128 * (REQUESTS + i));
    }
    stand_finish(&stand);
    for (u32 i = 0; i < REQUESTS; i++) {
        assert_int_equal(asked[0][i].answers, 1);
        assert_int_equal(asked[0][i].answer_value, memory_word(128 * i));
        assert_int_equal(asked[1][i].answers, 1);
        assert_int_equal(asked[1][i].answer_value, memory_word(128 * (REQUESTS + i)));
    }
    assert_true(bench_stat(above, "misses") == REQUESTS);
}

/* Requests of all kinds. A user's words are its own, so it knows what it reads. */
static void traffic_add(struct stand *stand, u64 random, u64 *expected)
{
    static const u16 kinds[] = { MEMORY_READ,  MEMORY_READ,  MEMORY_READ, MEMORY_WRITE,
                                 MEMORY_WRITE, MEMORY_FENCE, MEMORY_AMO,  MEMORY_READ };
    for (u32 user = 0; user < USERS; user++) {
        u64 words[64];
        for (u32 i = 0; i < 64; i++)
            words[i] = memory_word(i * 256 + user * 8);
        for (u32 i = 0; i < REQUESTS; i++) {
            u32 word = (u32)random_below(&random, 64);
            u16 kind = kinds[random_below(&random, sizeof kinds / sizeof *kinds)];
            u64 value = random_next(&random);
            stand_ask(
                stand, user,
                (struct exchange){ .kind = kind,
                                   .size_bytes = kind == MEMORY_FENCE ? 0 : 8,
                                   .mask = kind == MEMORY_WRITE ? 0xff : AMO_SWAP,
                                   .address = kind == MEMORY_FENCE ? 0 : word * 256 + user * 8,
                                   .value = value });
            expected[user * REQUESTS + i] = words[word];
            if (kind == MEMORY_WRITE || kind == MEMORY_AMO)
                words[word] = value;
        }
    }
}

static void everything_is_answered_right(void **state)
{
    (void)state;
    u64 stalls = 0, expected[USERS * REQUESTS];
    for (u64 seed = 0; seed < SEEDS; seed++) {
        struct stand stand = stand_create_small(USERS);
        users_deaf_until = seed % 3 ? DEAF : 0;
        bench_set(stand.cache, "fill", seed % 3 ? 1 : 500);
        bench_set(stand.cache, "banks", seed & 1 ? 2 : 1);
        bench_set(stand.cache, "mshrs", seed & 2 ? 2 : 8);
        bench_set(stand.cache, "merges", seed & 4 ? 1 : 4);
        bench_set(stand.cache, "depth", seed & 8 ? 1 : 8);
        bench_set(stand.cache, "prefetch", seed % 5 == 0);
        bench_set_choice(stand.cache, "write", seed & 16 ? "back" : "through");
        bench_set_choice(stand.cache, "write_miss", seed & 32 ? "fetch" : "around");
        bench_set_choice(stand.cache, "atomics", seed & 16 ? "here" : "below");
        traffic_add(&stand, seed + 1, expected);
        stand_finish(&stand);
        for (u32 i = 0; i < USERS * REQUESTS; i++) {
            const struct exchange *exchange = &asked[i / REQUESTS][i % REQUESTS];
            assert_int_equal(exchange->answers, 1);
            assert_int_equal(exchange->answer_kind, exchange->kind);
            if (exchange->kind == MEMORY_READ || exchange->kind == MEMORY_AMO)
                assert_int_equal(exchange->answer_value, expected[i]);
        }
        stalls += stand_stat(&stand, "answer_stalls");
        bench_destroy(stand.sim);
    }
    assert_true(stalls > SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(answers_that_wait_stop_misses),
        bench_test_all_ways(answers_on_a_long_way_stop_misses),
        bench_test_all_ways(each_bank_goes_on),
        bench_test_all_ways(stacked_caches_go_on),
        bench_test_all_ways(everything_is_answered_right),
    };
    return cmocka_run_group_tests_name("cache_full_answers", tests, NULL, NULL);
}
