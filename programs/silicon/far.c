/* far.c - loads from the L2 and from DRAM: streams, and a chain of pointers.
 *
 * far stream KIND SMS WARPS    KIND: l2 or dram; bytes per cycle with four loads of each thread
 *                              under way
 * far chase KIBIBYTES          one thread: cycles for a load of a random line of 128 bytes
 *
 * Streams from the L2 read what the launch before has read, those from DRAM what nobody has. The
 * card's streams pass the L1, in which nothing is found here either: no line is read twice, and a
 * fence has emptied it before. Its addresses are sums of two 32-bit halves, and so
 * they are here, instruction by instruction; the loads of a thread are fewer (LOADS), as it takes
 * no longer to see how fast they go.
 *
 * The chain is made where it is walked: of a larger memory than HOPS_MAX lines, the first so many
 * of a random order, as the card's program warms up with no more. All threads of a block
 * warm up, one line of the way each in turn. */
#include "silicon.h"

#define LOADS       256
#define LINE        128
#define HOPS_MAX    600000
#define HOPS_LONG   1024 /* of a chain that the L1 cannot hold */
#define HOPS_SHORT  4096
#define CHAIN_SHORT 8192 /* lines: up to here one thread warms up, as on the card */

static struct far {
    uint8_t *data;
    uint64_t bytes; /* streams: until they begin again */
    uint64_t lines, made,
        bits;  /* chase: lines of the memory, of the chain; bits of a line's number */
    int fresh; /* streams: other memory in the second launch */
} the;
static volatile uint64_t sink; /* so that the compiler leaves nothing out */

static uint8_t *lines_reserve(uint64_t bytes)
{
    uint8_t *at = ogv_reserve(bytes + LINE);
    return at + (LINE - (uintptr_t)at % LINE) % LINE;
}

/* ---- Streams ---- */

#ifdef OGIVE_DEVICE

/* %[lo] and %[hi] are the halves of an index; adds the step, and begins again at the end. As on the
 * card these are eight instructions, one of which the multiplier executes. */
#define NEXT_INDEX                                                                 \
    "addw %[lo], %[lo], %[step]\n add %[hi], %[hi], x0\n sltu t5, %[lo], %[end]\n" \
    "addi t5, t5, -1\n and t6, t5, %[end]\n subw %[lo], %[lo], t6\n"               \
    "sub %[hi], %[hi], x0\n mul %[hi], %[hi], %[one]\n"
#define ADDRESS(register) "slli " register ", %[lo], 2\n add " register ", " register ", %[data]\n"
#define FOUR_LOADS                                                                                 \
    ADDRESS("t0")                                                                                  \
    NEXT_INDEX "lw t0, 0(t0)\n" ADDRESS("t1") NEXT_INDEX "lw t1, 0(t1)\n" ADDRESS("t2") NEXT_INDEX \
        "lw t2, 0(t2)\n" ADDRESS(                                                                  \
            "t3") "lw t3, 0(t3)\n" NEXT_INDEX                                                      \
                  "xor %[sum], %[sum], t0\n xor t1, t1, t2\n xor %[sum], %[sum], t1\n"             \
                  "xor %[sum], %[sum], t3\n"

static uint64_t four_by_four(uint64_t lo, uint64_t step, uint64_t end, const uint8_t *data)
{
    uint64_t n = LOADS / 4, sum = 0, hi = 0;
    __asm__ volatile("1:\n" FOUR_LOADS "    addi %[n], %[n], -1\n    bnez %[n], 1b\n"
                     : [n] "+r"(n), [sum] "+r"(sum), [lo] "+r"(lo), [hi] "+r"(hi)
                     : [step] "r"(step), [end] "r"(end), [one] "r"(UINT64_C(1)), [data] "r"(data)
                     : "t0", "t1", "t2", "t3", "t5", "t6");
    return sum;
}

static const uint64_t *chain_walk(const uint64_t *at, uint64_t hops)
{
    for (; hops % 16; hops--)
        at = *(const uint64_t *const volatile *)at;
    if (hops)
        __asm__ volatile("1:\n"
                         "    .rept 16\n"
                         "    ld %[at], 0(%[at])\n"
                         "    .endr\n"
                         "    addi %[n], %[n], -16\n"
                         "    bnez %[n], 1b\n"
                         : [at] "+r"(at), [n] "+r"(hops)::"memory");
    return at;
}

#else

static uint64_t four_by_four(uint64_t lo, uint64_t step, uint64_t end, const uint8_t *data)
{
    return data[(lo + step) % end];
}

static const uint64_t *chain_walk(const uint64_t *at, uint64_t hops)
{
    for (; hops; hops--)
        at = (const uint64_t *)(uintptr_t)*at;
    return at;
}

#endif

static void stream(void *argument)
{
    uint64_t threads = (uint64_t)ogv_blocks() * ogv_block_dim();
    uint64_t at = (uint64_t)ogv_block() * ogv_block_dim() + ogv_block_thread();
    const uint8_t *data = the.data + *(uint32_t *)argument * (the.fresh ? the.bytes : 0);
    ogv_fence();
    ogv_block_barrier();
    uint64_t begun = ogv_cycles();
    uint64_t sum = four_by_four(at, threads, the.bytes / 4, data);
    if (sum == 12345)
        sink = sum;
    ogv_block_barrier();
    silicon_leave(begun, ogv_cycles());
}

/* All of a part of memory, by all threads: the L2 has it then. */
static void touch(void *argument)
{
    const uint32_t *words = (const uint32_t *)(const void *)the.data;
    uint64_t threads = (uint64_t)ogv_blocks() * ogv_block_dim(), sum = 0;
    (void)argument;
    for (uint64_t i = (uint64_t)ogv_block() * ogv_block_dim() + ogv_block_thread();
         i < the.bytes / 4; i += threads)
        sum += words[i];
    sink = sum;
}

static int stream_measure(int dram, uint32_t sms, uint32_t warps)
{
    static uint32_t launches[2] = { 0, 1 };
    uint64_t each = (uint64_t)LOADS * 4 * 32 * warps * sms;
    /* Over all SMs the card reads the same 16 MiB again and again. */
    uint64_t bytes = !dram && sms > 1 && each > 16 << 20 ? 16 << 20 : each;
    struct ogv_grid grid = { sms, 32 * warps, 0, 0 };
    if (!ogv_hart())
        the = (struct far){ .data = lines_reserve(2 * bytes), .bytes = bytes, .fresh = dram };
    for (uint32_t i = 0; i < 2; i++)
        ogv_launch(&grid, !dram && !i ? touch : stream, &launches[i]);
    if (!ogv_hart())
        silicon_print((double)each / silicon_time(sms, warps));
    return 0;
}

/* ---- The chain ---- */

/* A permutation of numbers of some bits: each step can be undone. */
static uint64_t scramble(uint64_t number, uint64_t bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1, half = bits / 2 + 1;
    number = (number * UINT64_C(0x9e3779b97f4a7c15) + 12345) & mask;
    number ^= number >> half;
    number = (number * UINT64_C(0xbf58476d1ce4e5b9)) & mask;
    number ^= number >> half;
    return (number * UINT64_C(0x94d049bb133111eb)) & mask;
}

/* The line that the chain comes to in a step: whoever is out of range goes on. */
static uint64_t *chain_line(uint64_t step)
{
    do
        step = scramble(step, the.bits);
    while (step >= the.lines);
    return (uint64_t *)(void *)(the.data + step * LINE);
}

static void chain_make(void *argument)
{
    uint64_t threads = (uint64_t)ogv_blocks() * ogv_block_dim();
    (void)argument;
    for (uint64_t i = (uint64_t)ogv_block() * ogv_block_dim() + ogv_block_thread(); i < the.made;
         i += threads)
        *chain_line(i) = (uint64_t)(uintptr_t)chain_line((i + 1) % the.made);
}

/* In the order in which it is walked: no warp may run ahead. */
static void chain_warm(void *argument)
{
    uint64_t sum = 0;
    (void)argument;
    for (uint64_t i = ogv_block_thread(); i < the.made + ogv_block_thread(); i += ogv_block_dim()) {
        if (i < the.made)
            sum += *chain_line(i);
        ogv_block_barrier();
    }
    sink = sum;
}

static void chain_measure(void *argument)
{
    int is_short = the.lines <= CHAIN_SHORT;
    uint64_t hops = is_short ? HOPS_SHORT : HOPS_LONG;
    const uint64_t *at = chain_walk(chain_line(0), is_short ? the.lines : 16);
    (void)argument;
    uint64_t begun = ogv_cycles();
    at = chain_walk(at, hops);
    uint64_t last = (uint64_t)(uintptr_t)at;
    silicon_leave(begun, silicon_settled(last) ? ogv_cycles() : 0);
    sink = last;
}

static int chase_measure(uint64_t kib)
{
    struct ogv_grid all = { 1, 1024, 0, 0 }, one = { 1, 1, 0, 0 };
    uint64_t lines = kib * 1024 / LINE, bits = 1;
    while (UINT64_C(1) << bits < lines)
        bits++;
    if (!ogv_hart())
        the = (struct far){ .data = lines_reserve(kib * 1024),
                            .lines = lines,
                            .made = lines < HOPS_MAX ? lines : HOPS_MAX,
                            .bits = bits };
    ogv_launch(&all, chain_make, NULL);
    if (lines > CHAIN_SHORT)
        ogv_launch(&all, chain_warm, NULL);
    ogv_launch(&one, chain_measure, NULL);
    if (!ogv_hart())
        silicon_print(silicon_time(1, 1) / (lines <= CHAIN_SHORT ? HOPS_SHORT : HOPS_LONG));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && same(argv[1], "chase"))
        return chase_measure(ogv_argument(argc, argv, 2, 1));
    if (argc == 5 && same(argv[1], "stream"))
        return stream_measure(same(argv[2], "dram"), (uint32_t)ogv_argument(argc, argv, 3, 1),
                              (uint32_t)ogv_argument(argc, argv, 4, 1));
    return 1;
}
