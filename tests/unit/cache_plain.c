/* cache_plain.c - the straight ways of a plain cache, usual or not, and the short ones of its
 * misses, against the general ones, on random traffic.
 *
 * A cache in which an atomic operation has its bank for one cycle is told apart from a plain one
 * (`atomic_interval: 1`), and takes the general ways, but every request has its bank for one cycle:
 * both must do the same in the same cycles. So must one whose answers could be further away than
 * the calendar reaches (`far`, which means nothing in a cache with one side), and which looks for
 * the next one; and one whose users are in another domain, which notes requests on their way. */
#include <string.h>

#include "ogive/random.h"
#include "unit/cache_stand.h"

#define USERS    5
#define REQUESTS 10 /* of a user: all that comes of them fits the memory's notes */
#define SEEDS    200

extern const struct unit_type unit_type_cache;

/* What came of a run. */
struct outcome {
    struct exchange asked[USERS][REQUESTS];
    struct seen seen[ASKED_MAX];
    u32 count;
    u64 stats[128];
};

/* What is different between two caches that do the same. */
struct variant {
    u64 atomic_interval, far;
    u32 latency, memory_latency; /* of the links to users and to the memory; 0: 1 */
    bool far_users, far_memory;  /* in another domain */
    bool wide_links; /* which always have room: it comes back later from another domain */
    u32 idle_users, idle_memories;
};

static struct outcome plain, general;

static struct exchange exchange_random(u64 *random, cycle at)
{
    static const u16 kinds[] = { MEMORY_READ,  MEMORY_READ, MEMORY_READ,     MEMORY_READ,
                                 MEMORY_READ,  MEMORY_READ, MEMORY_WRITE,    MEMORY_WRITE,
                                 MEMORY_FENCE, MEMORY_AMO,  MEMORY_PREFETCH, MEMORY_READ };
    u64 kind = random_below(random, sizeof kinds / sizeof *kinds);
    bool skips = random_below(random, 16) == 0;
    return (struct exchange){
        .asked = at,
        .kind = (u16)(kinds[kind] | (skips && kinds[kind] != MEMORY_FENCE ? MEMORY_SKIP(1) : 0)),
        .size_bytes = 8,
        .mask = kinds[kind] == MEMORY_WRITE ? 0xff : 0,
        .address = random_below(random, 24) * 8 + random_below(random, 4) * 512,
        .value = random_next(random),
    };
}

static void traffic_add(struct stand *stand, u64 seed)
{
    u64 random = seed;
    for (u32 user = 0; user < USERS; user++) {
        cycle at = 0;
        for (u32 i = 0; i < REQUESTS; i++) {
            at += random_below(&random, 4) * random_below(&random, 8);
            stand_ask(stand, user, exchange_random(&random, at));
        }
    }
}

/* The seed also says what the cache is like; few of everything, so that banks get stuck and answers
 * are refused. */
static void outcome_of(struct outcome *outcome, u64 seed, struct variant variant)
{
    u32 capacity = variant.wide_links ? 256 : seed % 3 ? 2 : 16;
    struct stand stand = stand_create_around(
        (struct around){ .users = USERS,
                         .capacity = capacity,
                         .latency = variant.latency,
                         .memory_latency = variant.memory_latency + !variant.memory_latency,
                         .far_users = variant.far_users,
                         .far_memory = variant.far_memory,
                         .idle_users = variant.idle_users,
                         .idle_memories = variant.idle_memories });
    bench_set(stand.cache, "atomic_interval", variant.atomic_interval);
    bench_set(stand.cache, "far", variant.far);
    bench_set(stand.cache, "banks", seed & 1 ? 2 : 1);
    bench_set(stand.cache, "mshrs", seed & 2 ? 2 : 8);
    bench_set(stand.cache, "merges", seed & 4 ? 1 : 12);
    bench_set(stand.cache, "depth", seed & 8 ? 1 : 8);
    bench_set(stand.cache, "queue", seed & 2 ? 1 : 8);
    bench_set(stand.cache, "prefetch", seed % 5 == 0);
    bench_set(stand.cache, "ways", seed % 7 < 4 ? 1 : 2);
    bench_set(stand.cache, "size", seed % 7 < 4 ? 512 : 64 * KiB);
    bench_set_choice(stand.cache, "replacement", seed % 6 ? "lru" : "fifo");
    bench_set_choice(stand.cache, "write", seed & 16 ? "back" : "through");
    bench_set_choice(stand.cache, "write_miss", seed & 32 ? "allocate" : "around");
    bench_set_choice(stand.cache, "atomics", seed & 16 ? "here" : "below");
    traffic_add(&stand, seed);
    stand_finish(&stand);
    memset(outcome, 0, sizeof *outcome);
    for (u32 user = 0; user < USERS; user++)
        memcpy(outcome->asked[user], asked[user], sizeof outcome->asked[user]);
    memcpy(outcome->seen, behind[0].seen, sizeof outcome->seen);
    outcome->count = behind[0].count;
    for (u32 i = 0; unit_type_cache.stats[i].name; i++)
        outcome->stats[i] = stand_stat(&stand, unit_type_cache.stats[i].name);
    bench_destroy(stand.sim);
}

static void expect_same_answers(void)
{
    for (u32 i = 0; i < USERS * REQUESTS; i++) {
        const struct exchange *one = &plain.asked[0][0] + i, *other = &general.asked[0][0] + i;
        bool answered = (one->kind & MEMORY_KIND) != MEMORY_PREFETCH;
        assert_int_equal(one->answers, answered);
        assert_int_equal(other->answers, answered);
        assert_int_equal(one->answered, other->answered);
        assert_int_equal(one->answer_kind, other->answer_kind);
        assert_int_equal(one->answer_missed, other->answer_missed);
        assert_int_equal(one->answer_value, other->answer_value);
    }
}

static void expect_same_requests(void)
{
    assert_int_equal(plain.count, general.count);
    for (u32 i = 0; i < plain.count; i++) {
        assert_int_equal(plain.seen[i].at, general.seen[i].at);
        assert_int_equal(plain.seen[i].message.kind, general.seen[i].message.kind);
        assert_int_equal(plain.seen[i].message.address, general.seen[i].message.address);
    }
}

static void expect_same(struct variant one, struct variant other)
{
    u64 hits = 0, stalls = 0;
    for (u64 seed = 1; seed <= SEEDS; seed++) {
        outcome_of(&plain, seed, one);
        outcome_of(&general, seed, other);
        expect_same_answers();
        expect_same_requests();
        for (u32 i = 0; unit_type_cache.stats[i].name; i++) {
            const char *name = unit_type_cache.stats[i].name;
            if (plain.stats[i] != general.stats[i])
                fail_msg("seed %llu: %s is %llu and %llu", (unsigned long long)seed, name,
                         (unsigned long long)plain.stats[i], (unsigned long long)general.stats[i]);
            hits += strcmp(name, "hits") == 0 ? plain.stats[i] : 0;
            stalls += strstr(name, "_stalls") ? plain.stats[i] : 0;
        }
    }
    assert_true(hits > SEEDS && stalls > SEEDS); /* or it would say little */
}

static void both_ways_do_the_same(void **state)
{
    (void)state;
    expect_same((struct variant){ .latency = 1 },
                (struct variant){ .latency = 1, .atomic_interval = 1 });
}

static void answers_are_found_as_they_are_entered(void **state)
{
    (void)state;
    expect_same((struct variant){ .latency = 1 },
                (struct variant){ .latency = 1, .far = WHEEL_CYCLES });
    expect_same((struct variant){ .latency = 1, .atomic_interval = 1 },
                (struct variant){ .latency = 1, .atomic_interval = 1, .far = WHEEL_CYCLES });
}

static void requests_come_from_afar_as_from_near(void **state)
{
    (void)state;
    for (u32 latency = 3; latency < 100; latency *= 3)
        expect_same((struct variant){ .latency = latency, .wide_links = true },
                    (struct variant){ .latency = latency, .wide_links = true, .far_users = true });
}

static void answers_come_from_afar_as_from_near(void **state)
{
    (void)state;
    for (u32 latency = 3; latency < 100; latency *= 3)
        expect_same(
            (struct variant){ .latency = 1, .memory_latency = latency, .wide_links = true },
            (struct variant){
                .latency = 1, .memory_latency = latency, .wide_links = true, .far_memory = true });
}

/* In two words, and in three. */
static void users_of_all_words_have_their_turns(void **state)
{
    (void)state;
    for (u32 idle = 20; idle <= 40; idle += 20)
        expect_same((struct variant){ .latency = 1 },
                    (struct variant){ .latency = 1, .idle_users = idle });
}

static void answers_of_many_memories_are_found(void **state)
{
    (void)state;
    expect_same((struct variant){ .latency = 1 },
                (struct variant){ .latency = 1, .idle_memories = 64 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(both_ways_do_the_same),
        bench_test_all_ways(answers_are_found_as_they_are_entered),
        bench_test_all_ways(requests_come_from_afar_as_from_near),
        bench_test_all_ways(answers_come_from_afar_as_from_near),
        bench_test_all_ways(users_of_all_words_have_their_turns),
        bench_test_all_ways(answers_of_many_memories_are_found),
    };
    return cmocka_run_group_tests_name("cache_plain", tests, NULL, NULL);
}
