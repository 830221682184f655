/* pool.c - see pool.h.
 *
 * The barrier is sense-reversing: arrivals are counted, the last one resets the count and flips the
 * sense that the others watch. Watching is a short spin, then yielding the core: with more threads
 * than free cores, the one that still has work gets it. Between calls of pool_run the threads sleep
 * on a condition variable. */
#include "sim/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/text.h"

#define SPINS_BEFORE_YIELD 100

/* One thread's share of the jobs; others may take from it too. */
struct share {
    u32 taken __attribute__((aligned(64)));
    u32 first, count;
};

static const struct pool_guard *pool_guard;

struct pool {
    u32 threads, wanted;
    pthread_t *handles;
    struct share *shares;
    struct pool_work work;
    u32 arrived __attribute__((aligned(64)));
    u32 sense __attribute__((aligned(64)));
    bool go_on;
    bool backwards; /* this round */

    pthread_mutex_t lock;
    pthread_cond_t called;
    u64 calls;
    u32 enlisted;
    bool closing;
};

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void pool_deal(struct pool *pool)
{
    u64 jobs = pool->work.jobs;
    pool->backwards = !pool->backwards;
    for (u32 i = 0; i < pool->threads; i++) {
        struct share *share = &pool->shares[i];
        share->first = (u32)(jobs * i / pool->threads);
        share->count = (u32)(jobs * (i + 1) / pool->threads) - share->first;
        __atomic_store_n(&share->taken, 0, __ATOMIC_RELAXED);
    }
}

static void pool_do_share(struct pool *pool, struct share *share)
{
    while (__atomic_load_n(&share->taken, __ATOMIC_RELAXED) < share->count) {
        u32 index = __atomic_fetch_add(&share->taken, 1, __ATOMIC_RELAXED);
        if (index >= share->count)
            break;
        if (pool->backwards)
            index = share->count - 1 - index;
        pool->work.job(pool->work.context, share->first + index);
    }
}

static void pool_wait_turn(struct pool *pool, u32 sense)
{
    u32 spins = 0;
    while (__atomic_load_n(&pool->sense, __ATOMIC_ACQUIRE) == sense) {
        if (++spins < SPINS_BEFORE_YIELD)
            cpu_relax();
        else
            sched_yield();
    }
}

/* All meet; the last one prepares what comes next while the others wait. */
static void pool_meet(struct pool *pool)
{
    u32 sense = __atomic_load_n(&pool->sense, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&pool->arrived, 1, __ATOMIC_ACQ_REL) < pool->threads) {
        pool_wait_turn(pool, sense);
        return;
    }
    pool->go_on = pool->work.between(pool->work.context);
    pool_deal(pool);
    __atomic_store_n(&pool->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&pool->sense, !sense, __ATOMIC_RELEASE);
}

static void pool_rounds(struct pool *pool, u32 self)
{
    do {
        for (u32 i = 0; i < pool->threads; i++)
            pool_do_share(pool, &pool->shares[(self + i) % pool->threads]);
        pool_meet(pool);
    } while (pool->go_on);
}

void pool_set_guard(const struct pool_guard *guard)
{
    pool_guard = guard;
}

static void *pool_thread(void *argument)
{
    struct pool *pool = argument;
    const struct pool_guard *guard = pool_guard;
    void *given = guard ? guard->begin() : NULL;
    pthread_mutex_lock(&pool->lock);
    u32 self = ++pool->enlisted;
    u64 seen = 0;
    for (;;) {
        while (pool->calls == seen && !pool->closing)
            pthread_cond_wait(&pool->called, &pool->lock);
        if (pool->closing)
            break;
        seen = pool->calls;
        pthread_mutex_unlock(&pool->lock);
        pool_rounds(pool, self);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    if (guard)
        guard->end(given);
    return NULL;
}

struct pool *pool_create(u32 threads)
{
    struct pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
    if (!pool)
        heap_exhausted(sizeof *pool);
    *pool = (struct pool){ .threads = 1, .wanted = threads };
    pool->shares = aligned_alloc(64, threads * sizeof *pool->shares);
    if (!pool->shares)
        heap_exhausted(threads * sizeof *pool->shares);
    pool->handles = heap_array(threads, sizeof *pool->handles);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->called, NULL);
    while (pool->threads < threads) {
        if (pthread_create(&pool->handles[pool->threads - 1], NULL, pool_thread, pool))
            break;
        pool->threads++;
    }
    return pool;
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->lock);
    for (u32 i = 0; i + 1 < pool->threads; i++)
        pthread_join(pool->handles[i], NULL);
    pthread_cond_destroy(&pool->called);
    pthread_mutex_destroy(&pool->lock);
    free(pool->handles);
    free(pool->shares);
    free(pool);
}

u32 pool_threads(const struct pool *pool)
{
    return pool->threads;
}

u32 pool_wanted(const struct pool *pool)
{
    return pool->wanted;
}

void pool_run(struct pool *pool, const struct pool_work *work)
{
    pthread_mutex_lock(&pool->lock);
    pool->work = *work;
    pool_deal(pool);
    pool->calls++;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->lock);
    pool_rounds(pool, 0);
}
