/* silicon.h - what the microbenchmarks of this folder share: clocks of warps, and the launch.
 *
 * They do what bench/silicon/micro.cu does on a card, with the instructions that its compiler made
 * for the card put in RISC-V terms. A launch to warm up is followed by the one that counts; what is
 * simulated is deterministic, so there is no need of a median. Each warp leaves its first and its
 * last clock, and the time of a block is from the first of the former to the last of the latter.
 *
 * Each program prints one number, the value of its row. */
#ifndef SILICON_H
#define SILICON_H

#include <ogive/device.h>

#define SMS_MAX   256
#define WARPS_MAX 32

struct silicon_times {
    uint64_t begun, ended;
};

static struct silicon_times silicon_times[SMS_MAX][WARPS_MAX];

#define SILICON_UNUSED __attribute__((unused))

static SILICON_UNUSED void silicon_leave(uint64_t begun, uint64_t ended)
{
    uint32_t thread = ogv_block_thread();
    if (thread % 32 == 0)
        silicon_times[ogv_block()][thread / 32] = (struct silicon_times){ begun, ended };
}

/* The longest of the blocks. */
static SILICON_UNUSED double silicon_time(uint32_t blocks, uint32_t warps)
{
    uint64_t longest = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        const struct silicon_times *times = silicon_times[block];
        uint64_t first = times[0].begun, last = 0;
        for (uint32_t i = 0; i < warps; i++) {
            first = times[i].begun < first ? times[i].begun : first;
            last = times[i].ended > last ? times[i].ended : last;
        }
        longest = last - first > longest ? last - first : longest;
    }
    return (double)longest;
}

/* Warms up, then measures; the cycles are right on hart 0 alone. */
static SILICON_UNUSED double silicon_measure(uint32_t blocks, uint32_t warps, uint32_t shared_bytes,
                                             void (*kernel)(void *), void *argument)
{
    struct ogv_grid grid = { blocks, 32 * warps, shared_bytes, 0 };
    for (int i = 0; i < 2; i++)
        ogv_launch(&grid, kernel, argument);
    return ogv_hart() ? 0 : silicon_time(blocks, warps);
}

static SILICON_UNUSED void silicon_print(double value)
{
    if (!ogv_hart())
        ogv_print("%.6f\n", value);
}

/* Is worked out here, and not behind the next reading of the clock. */
static SILICON_UNUSED uint64_t silicon_settled(uint64_t value)
{
    __asm__ volatile("" : "+r"(value)::"memory");
    return value;
}

static SILICON_UNUSED int same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

#endif
