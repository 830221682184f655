/* pool.c - every job of every round is done once, and nobody works while `between` runs. */
#include "sim/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define THREADS_MAX 8
#define JOBS_MAX    100
#define ROUNDS      4

struct record {
    atomic_uint done[JOBS_MAX]; /* how often each job was done */
    atomic_uint at_work;        /* jobs being done right now */
    u32 jobs, rounds, rounds_wanted;
    u32 missed, repeated, overlapped; /* what `between` found wrong */
    u64 plain[JOBS_MAX];              /* without atomics: a race would show */
};

static void record_job(void *context, u32 number)
{
    struct record *record = context;
    atomic_fetch_add(&record->at_work, 1);
    if (number < JOBS_MAX) {
        atomic_fetch_add(&record->done[number], 1);
        record->plain[number] += record->rounds + 1;
    }
    atomic_fetch_sub(&record->at_work, 1);
}

static bool record_between(void *context)
{
    struct record *record = context;
    record->overlapped += atomic_load(&record->at_work);
    record->rounds++;
    for (u32 i = 0; i < JOBS_MAX; i++) {
        u32 expected = i < record->jobs ? record->rounds : 0;
        record->missed += atomic_load(&record->done[i]) < expected;
        record->repeated += atomic_load(&record->done[i]) > expected;
    }
    return record->rounds < record->rounds_wanted;
}

static void run_and_check(struct pool *pool, u32 jobs, u32 rounds)
{
    static struct record record;
    memset(&record, 0, sizeof record);
    record.jobs = jobs;
    record.rounds_wanted = rounds;
    struct pool_work work = { record_job, record_between, &record, jobs };
    pool_run(pool, &work);
    assert_int_equal(record.rounds, rounds);
    assert_int_equal(record.missed, 0);
    assert_int_equal(record.repeated, 0);
    assert_int_equal(record.overlapped, 0);
    for (u32 i = 0; i < jobs; i++)
        assert_int_equal(record.plain[i], (u64)rounds * (rounds + 1) / 2);
}

static void every_job_is_done_once_per_round(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= THREADS_MAX; threads++) {
        struct pool *pool = pool_create(threads);
        for (u32 jobs = 0; jobs <= JOBS_MAX; jobs++)
            run_and_check(pool, jobs, ROUNDS);
        pool_destroy(pool);
    }
}

static void one_call_may_have_many_rounds(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++) {
        struct pool *pool = pool_create(threads);
        run_and_check(pool, 7, 2000);
        pool_destroy(pool);
    }
}

static void pool_may_be_called_many_times(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++) {
        struct pool *pool = pool_create(threads);
        for (u32 call = 0; call < 500; call++)
            run_and_check(pool, call % 9, 1);
        pool_destroy(pool);
    }
}

static void pool_may_be_destroyed_unused(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= THREADS_MAX; threads++) {
        struct pool *pool = pool_create(threads);
        assert_int_equal(pool_threads(pool), threads);
        pool_destroy(pool);
    }
    pool_destroy(NULL);
}

/* Each job leaves its number for the next round's neighbour: what was written before the barrier
 * must be seen behind it. */
struct relay {
    u64 value[2][16];
    u32 round;
};

static void relay_job(void *context, u32 number)
{
    struct relay *relay = context;
    u32 now = relay->round % 2;
    relay->value[!now][number] = relay->value[now][(number + 1) % 16] + 1;
}

static bool relay_between(void *context)
{
    struct relay *relay = context;
    return ++relay->round < 1000;
}

static void writes_of_a_round_are_seen_in_the_next(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++) {
        struct relay relay = { 0 };
        struct pool *pool = pool_create(threads);
        struct pool_work work = { relay_job, relay_between, &relay, 16 };
        pool_run(pool, &work);
        pool_destroy(pool);
        for (u32 i = 0; i < 16; i++)
            assert_int_equal(relay.value[0][i], 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_done_once_per_round),
        cmocka_unit_test(one_call_may_have_many_rounds),
        cmocka_unit_test(pool_may_be_called_many_times),
        cmocka_unit_test(pool_may_be_destroyed_unused),
        cmocka_unit_test(writes_of_a_round_are_seen_in_the_next),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
