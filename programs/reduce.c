/* reduce.c - sum, minimum and maximum of numbers, in two ways: harts leave partial sums in memory
 * that are added up a tree with a barrier after each level, and all add to the same words by
 * atomics. Both must be right.
 *
 * Argument: numbers (8192). */
#include <ogive/device.h>

#define COUNT_MAX (1 << 20)
#define HARTS_MAX (1 << 16)
#define FAN       16 /* partial sums that become one at each level of the tree */

static uint32_t numbers[COUNT_MAX];
static uint64_t partial[HARTS_MAX];
static uint64_t sum;
static uint32_t least = UINT32_MAX, most;
static float weight;

static uint32_t number_at(uint64_t i)
{
    return (uint32_t)(i * 2654435761u) >> 8;
}

/* What one hart sees of the numbers, told to all. */
static void part_reduce(uint64_t count)
{
    uint64_t part = 0, seen = 0;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint64_t i = ogv_hart(); i < count; i += ogv_harts(), seen++) {
        uint32_t number = numbers[i];
        part += number;
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    partial[ogv_hart()] = part;
    ogv_atomic_add_u64(&sum, part);
    ogv_atomic_min_u32(&least, low);
    ogv_atomic_max_u32(&most, high);
    ogv_atomic_add_float(&weight, (float)seen);
}

/* After a level, partial[i] holds the sum of stride * FAN parts, for each multiple of that. */
static void tree_reduce(void)
{
    uint64_t hart = ogv_hart(), harts = ogv_harts();
    for (uint64_t stride = 1; stride < harts; stride *= FAN) {
        for (uint64_t k = 1; hart % (stride * FAN) == 0 && k < FAN; k++)
            if (hart + k * stride < harts)
                partial[hart] += partial[hart + k * stride];
        ogv_barrier_all();
    }
}

static int result_check(uint64_t count)
{
    uint64_t right = 0;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t number = number_at(i);
        right += number;
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    return partial[0] == right && ogv_atomic_load_u64(&sum) == right &&
           ogv_atomic_load_u32(&least) == low && ogv_atomic_load_u32(&most) == high &&
           weight == (float)count;
}

int main(int argc, char **argv)
{
    uint64_t count = ogv_argument(argc, argv, 1, 8192);
    if (count < 1 || count > COUNT_MAX || ogv_harts() > HARTS_MAX)
        return 1;
    for (uint64_t i = ogv_hart(); i < count; i += ogv_harts())
        numbers[i] = number_at(i);
    ogv_barrier(); /* harts of an SM start the sum together; each reads only what it wrote */
    part_reduce(count);
    ogv_barrier_all();
    tree_reduce();
    if (ogv_hart() != 0)
        return 0;
    int right = result_check(count);
    ogv_print("reduce: %lu numbers, sum %lu, %s\n", (unsigned long)count, (unsigned long)partial[0],
              right ? "right" : "wrong");
    return !right;
}
