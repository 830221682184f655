/* blocksum.c - sum of numbers by thread blocks: the threads of a warp add up theirs, the first of
 * each warp leaves that in the block's shared memory, and what is there is added up in pairs with a
 * barrier after each level. Further grids add up the sums of the blocks, until there is only one.
 *
 * Numbers are added in pairs all the way, so that the sum is the same to the last bit whatever the
 * width of a warp. Arguments: numbers (8192), threads of a block (128, at least 2), powers of two.
 */
#include <ogive/device.h>

#define COUNT_MAX   (1 << 20)
#define THREADS_MAX 1024

static float numbers[COUNT_MAX], sums[COUNT_MAX];

struct part {
    const float *from;
    float *to;
};

static float number_at(uint32_t i)
{
    return (float)(i * 2654435761u >> 12) / 1024.0f;
}

/* The sum of the numbers that a block's threads have, for its first thread. */
static float block_add(float value)
{
    float *shared = (float *)ogv_block_shared();
    uint32_t thread = ogv_block_thread(), width = ogv_warp_width();
    uint32_t left = (ogv_block_dim() + width - 1) / width;
    value = ogv_warp_add_float(value);
    if (ogv_lane() == 0)
        shared[thread / width] = value;
    for (; left > 1; left /= 2) {
        ogv_block_barrier();
        float pair = thread < left / 2 ? shared[2 * thread] + shared[2 * thread + 1] : 0;
        ogv_block_barrier();
        if (thread < left / 2)
            shared[thread] = pair;
    }
    return shared[0];
}

static void part_sum(void *argument)
{
    const struct part *part = (const struct part *)argument;
    uint32_t i = ogv_block() * ogv_block_dim() + ogv_block_thread();
    float sum = block_add(part->from[i]);
    if (ogv_block_thread() == 0)
        part->to[ogv_block()] = sum;
}

/* The same sum, by one hart; leaves it in values[0]. */
static float sum_check(float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = number_at(i);
    for (uint32_t left = count; left > 1; left /= 2)
        for (uint32_t i = 0; i < left / 2; i++)
            values[i] = values[2 * i] + values[2 * i + 1];
    return values[0];
}

static int is_power_of_two(uint64_t value)
{
    return value && !(value & (value - 1));
}

int main(int argc, char **argv)
{
    static struct part parts[] = { { numbers, sums }, { sums, numbers } };
    uint64_t count = ogv_argument(argc, argv, 1, 8192), wanted = ogv_argument(argc, argv, 2, 128);
    if (!is_power_of_two(count) || count > COUNT_MAX || !is_power_of_two(wanted) || wanted < 2 ||
        wanted > THREADS_MAX)
        return 1;
    uint32_t left = (uint32_t)count, level = 0;
    for (uint32_t i = ogv_hart(); i < left; i += ogv_harts())
        numbers[i] = number_at(i);
    for (; left > 1; level ^= 1) {
        uint32_t threads = left < wanted ? left : (uint32_t)wanted;
        struct ogv_grid grid = { left / threads, threads, threads * (uint32_t)sizeof(float), 0 };
        ogv_launch(&grid, part_sum, &parts[level]);
        left /= threads;
    }
    if (ogv_hart() != 0)
        return 0;
    float sum = parts[level].from[0], right = sum_check(numbers, (uint32_t)count);
    ogv_print("blocksum: %lu numbers, sum %.3f, %s\n", (unsigned long)count, (double)sum,
              sum == right ? "right" : "wrong");
    return sum != right;
}
