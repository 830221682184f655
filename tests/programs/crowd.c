/* crowd.c - all harts of a chip on one word, for each atomic; the last one to finish checks that no
 * operation was lost.
 *
 * Load-reserved and store-conditional cannot succeed for all at once, so there everybody tries
 * until a counter has come so far. */
#include <ogive/device.h>

#define COUNTED 32

/* A word for each operation, apart from each other. */
#define WORD    __attribute__((aligned(128)))

static WORD uint32_t add_w, xor_w, and_w = UINT32_MAX, or_w, swap_w, minu_w = UINT32_MAX, maxu_w;
static WORD uint64_t add_d, xor_d, and_d = UINT64_MAX, or_d, swap_d, minu_d = UINT64_MAX, maxu_d;
static WORD int32_t min_w = INT32_MAX, max_w = INT32_MIN;
static WORD int64_t min_d = INT64_MAX, max_d = INT64_MIN;
static WORD float add_s, min_s, max_s;
static WORD double add_f, min_f, max_f;
static WORD uint64_t swapped_w, swapped_d;
static WORD uint32_t counter_w;
static WORD uint64_t counter_d;
static WORD uint32_t finished;

static void integers(uint32_t n)
{
    uint32_t bit = n % 31;
    ogv_atomic_add_u32(&add_w, 1);
    ogv_atomic_add_u64(&add_d, 1);
    __atomic_fetch_xor(&xor_w, n + 1, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&xor_d, n + 1, __ATOMIC_RELAXED);
    __atomic_fetch_and(&and_w, ~(UINT32_C(1) << bit), __ATOMIC_RELAXED);
    __atomic_fetch_and(&and_d, ~(UINT64_C(1) << bit), __ATOMIC_RELAXED);
    __atomic_fetch_or(&or_w, UINT32_C(1) << bit, __ATOMIC_RELAXED);
    __atomic_fetch_or(&or_d, UINT64_C(1) << bit, __ATOMIC_RELAXED);
    ogv_atomic_add_u64(&swapped_w, ogv_atomic_exchange_u32(&swap_w, n + 1));
    ogv_atomic_add_u64(&swapped_d, ogv_atomic_exchange_u64(&swap_d, n + 1));
}

static void extremes(uint32_t n)
{
    ogv_atomic_min_u32(&minu_w, n + 7);
    ogv_atomic_max_u32(&maxu_w, n + 7);
    ogv_atomic_min_u64(&minu_d, n + 7);
    ogv_atomic_max_u64(&maxu_d, n + 7);
    ogv_atomic_min_i32(&min_w, (int32_t)n - 7);
    ogv_atomic_max_i32(&max_w, (int32_t)n - 7);
    ogv_atomic_min_i64(&min_d, (int64_t)n - 7);
    ogv_atomic_max_i64(&max_d, (int64_t)n - 7);
}

/* Sums are exact: there are less than 2^24 harts. */
static void reals(uint32_t n)
{
    ogv_atomic_add_float(&add_s, 1);
    ogv_atomic_add_double(&add_f, 0.5);
    ogv_atomic_min_float(&min_s, -(float)n);
    ogv_atomic_max_float(&max_s, (float)n);
    ogv_atomic_min_double(&min_f, -(double)n);
    ogv_atomic_max_double(&max_f, (double)n);
}

static void conditionals(void)
{
    for (uint32_t seen = 0; seen < COUNTED;)
        seen = ogv_atomic_compare_exchange_u32(&counter_w, seen, seen + 1);
    for (uint64_t seen = 0; seen < COUNTED;)
        seen = ogv_atomic_compare_exchange_u64(&counter_d, seen, seen + 1);
}

static uint32_t xor_of_all(uint32_t harts)
{
    uint32_t all = 0;
    for (uint32_t i = 1; i <= harts; i++)
        all ^= i;
    return all;
}

static int wrong(void)
{
    uint32_t harts = ogv_harts(), last = harts - 1, all = xor_of_all(harts);
    uint32_t bits = harts < 31 ? (UINT32_C(1) << harts) - 1 : INT32_MAX;
    uint64_t sum = (uint64_t)harts * (harts + 1) / 2;
    int count = 0;
    count += add_w != harts || add_d != harts || xor_w != all || xor_d != all;
    count += and_w != ~bits || and_d != ~(uint64_t)bits || or_w != bits || or_d != bits;
    count += swapped_w + swap_w != sum || swapped_d + swap_d != sum;
    count += minu_w != 7 || minu_d != 7 || maxu_w != last + 7 || maxu_d != last + 7;
    count += min_w != -7 || min_d != -7 || max_w != (int32_t)last - 7 || max_d != (int64_t)last - 7;
    count += add_s != (float)harts || min_s != -(float)last || max_s != (float)last;
    count += add_f != harts * 0.5 || min_f != -(double)last || max_f != (double)last;
    count += counter_w != COUNTED || counter_d != COUNTED;
    return count;
}

int main(void)
{
    uint32_t n = ogv_hart();
    integers(n);
    extremes(n);
    reals(n);
    conditionals();
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 != ogv_harts())
        return 0;
    ogv_fence();
    int bad = wrong();
    ogv_print("crowd: %u harts, %d wrong\n", ogv_harts(), bad);
    return bad != 0;
}
