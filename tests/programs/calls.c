/* calls.c - what device.h and the runtime promise, checked by a program that runs natively and on
 * the chip. Prints one line per promise that is broken, and one at the end. */
#include <ogive/device.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t broken, finished;

static void expect(int holds, const char *what)
{
    if (holds)
        return;
    ogv_atomic_add_u32(&broken, 1);
    ogv_print("hart %u: %s\n", ogv_hart(), what);
}

/* ---- Atomics: each alone, then all harts at once ---- */

#define ATOMICS_CHECK(T, type, low, high)                                                      \
    static void atomics_check_##T(void)                                                        \
    {                                                                                          \
        static type words[1024];                                                               \
        type *p = &words[ogv_hart()];                                                          \
        ogv_atomic_store_##T(p, high);                                                         \
        expect(ogv_atomic_load_##T(p) == (high), #T " store, load");                           \
        expect(ogv_atomic_min_##T(p, low) == (high), #T " min gives the old value");           \
        expect(ogv_atomic_min_##T(p, high) == (low), #T " min keeps the less");                \
        expect(ogv_atomic_max_##T(p, high) == (low), #T " max gives the old value");           \
        expect(ogv_atomic_max_##T(p, low) == (high), #T " max keeps the more");                \
        expect(ogv_atomic_exchange_##T(p, 5) == (high), #T " exchange");                       \
        expect(ogv_atomic_add_##T(p, 2) == 5, #T " add gives the old value");                  \
        expect(ogv_atomic_compare_exchange_##T(p, 5, 1) == 7, #T " compare-exchange refuses"); \
        expect(ogv_atomic_compare_exchange_##T(p, 7, low) == 7, #T " compare-exchange takes"); \
        expect(ogv_atomic_load_##T(p) == (low), #T " at the end");                             \
    }

ATOMICS_CHECK(u32, uint32_t, 3, UINT32_MAX)
ATOMICS_CHECK(i32, int32_t, INT32_MIN, INT32_MAX)
ATOMICS_CHECK(u64, uint64_t, 3, UINT64_MAX)
ATOMICS_CHECK(i64, int64_t, INT64_MIN, INT64_MAX)

static uint32_t counter;
static float float_sum;

static void contention_check(void)
{
    for (int i = 0; i < 20; i++) {
        ogv_atomic_add_u32(&counter, 1);
        ogv_atomic_add_float(&float_sum, 0.5f);
    }
    ogv_barrier_all();
    expect(ogv_atomic_load_u32(&counter) == 20 * ogv_harts(), "adds of all harts");
    expect(float_sum == 10.0f * (float)ogv_harts(), "float adds of all harts");
}

/* ---- Memory ---- */

static __thread uint32_t own = 7, own_zero;
static uint32_t shared[1024];

static void private_check(void)
{
    expect(own == 7 && own_zero == 0, "thread-local variables start as written");
    own += ogv_hart();
    errno = (int)ogv_hart();
    ogv_barrier_all();
    expect(own == 7 + ogv_hart() && errno == (int)ogv_hart(), "thread-local variables are private");
}

static void barrier_check(void)
{
    uint32_t neighbour = (ogv_hart() + 1) % ogv_harts();
    for (uint32_t round = 1; round <= 4; round++) {
        shared[ogv_hart()] = round;
        ogv_barrier_all();
        expect(shared[neighbour] == round, "what was written before a barrier");
        ogv_barrier();
    }
}

static void heap_check(void)
{
    char *block[4];
    for (size_t i = 0; i < 4; i++) {
        block[i] = malloc(40 + 8 * i);
        expect(block[i] != NULL && (uintptr_t)block[i] % 8 == 0, "malloc gives memory");
        memset(block[i], (int)(ogv_hart() * 4 + i), 40 + 8 * i);
    }
    ogv_barrier_all();
    for (size_t i = 0; i < 4; i++) {
        char value = (char)(ogv_hart() * 4 + i);
        for (size_t k = 0; k < 40 + 8 * i; k++)
            expect(block[i][k] == value, "nobody else has this memory");
        free(block[i]);
    }
}

static void reserve_check(void)
{
    uint64_t *own_words = (uint64_t *)ogv_reserve(100), *other = (uint64_t *)ogv_reserve(8);
    expect(own_words != NULL && other != NULL, "ogv_reserve gives memory");
    for (size_t i = 0; i < 100 / sizeof *own_words; i++) {
        expect(own_words[i] == 0, "ogv_reserve gives zeros");
        own_words[i] = ogv_hart() + 1;
    }
    *other = 0;
    ogv_barrier_all();
    for (size_t i = 0; i < 100 / sizeof *own_words; i++)
        expect(own_words[i] == ogv_hart() + 1, "nobody else has what was reserved");
}

/* ---- The rest ---- */

static inline uint64_t popcount_native(uint64_t a)
{
    return (uint64_t)__builtin_popcountll(a);
}
OGV_INSTRUCTION_1(popcount, 0, 1, 0)

static void counters_check(void)
{
    uint64_t cycles = ogv_cycles(), instructions = ogv_instructions();
    expect(popcount(UINT64_C(0xff00ff00ff)) == 24, "custom instruction");
    expect(ogv_cycles() >= cycles && ogv_instructions() >= instructions, "time goes on");
}

static uint32_t fetched[1024 * 4];

static void next_check(void)
{
    uint32_t count = 4 * ogv_harts();
    for (uint64_t i = ogv_next(); i < count; i = ogv_next())
        ogv_atomic_add_u32(&fetched[i], 1);
    ogv_barrier_all();
    for (uint32_t i = 0; i < count; i++)
        expect(fetched[i] == 1, "every number goes to one hart");
}

int main(int argc, char **argv)
{
    expect(argc == 3 && strcmp(argv[1], "one") == 0 && ogv_argument(argc, argv, 2, 0) == 22,
           "arguments");
    expect(argv[argc] == NULL, "end of the arguments");
    expect(ogv_argument(argc, argv, 3, 33) == 33, "argument that is not there");
    atomics_check_u32();
    atomics_check_i32();
    atomics_check_u64();
    atomics_check_i64();
    contention_check();
    private_check();
    barrier_check();
    heap_check();
    reserve_check();
    counters_check();
    next_check();
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 == ogv_harts())
        ogv_print("%5d|%-5d|%05d|%x|%lx|%c|%s|%6.2f|%.0f|%f|%%\n", -42, 7, -9, 48879u, 1ul << 40,
                  'c', "text", 3.14159, 2.5, -0.0009995);
    if (ogv_hart() == 0)
        return ogv_atomic_load_u32(&broken) != 0;
    ogv_exit(ogv_atomic_load_u32(&broken) != 0);
}
