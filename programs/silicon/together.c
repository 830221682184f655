/* together.c - barriers, atomics, and threads of a warp that go different ways.
 *
 * together barrier WARPS             cycles for a barrier of a block
 * together chain STRIDE              atomic additions of a warp at the L2, lanes STRIDE words
 * apart, eight under way: cycles for one of the warp together global SMS WARPS STRIDE   the same of
 * many warps, for one of an SM together shared WARPS STRIDE       in shared memory together diverge
 * WAYS              32 dependent fma on each of n ways: cycles for all of them
 *
 * Where the card's program loads a constant, this one loads a word from the L1. */
#include "silicon.h"

#define BARRIERS 256
#define ATOMICS  128
#define TURNS    64
#define WORDS    1024 /* of shared memory */

static struct together {
    uint32_t stride, ways;
    uint32_t *memory;
} the;
static float factor = 1.0000001F;
static volatile float sink; /* so that the compiler leaves nothing out */

/* ---- Barriers ---- */

#ifdef OGIVE_DEVICE

/* The instruction that ogv_block_barrier is on machines with warps, without what finds out whether
 * this is one. */
static void sixteen_by_sixteen(void)
{
    uint64_t n = BARRIERS / 16, come, place = silicon_settled(ogv_block_self.place);
    __asm__ volatile("1:\n"
                     "    .rept 16\n"
                     "    .insn r CUSTOM_0, 0, 7, %[come], %[place], x0\n"
                     "    addi x0, %[come], 0\n"
                     "    .endr\n"
                     "    addi %[n], %[n], -1\n"
                     "    bnez %[n], 1b\n"
                     : [n] "+r"(n), [come] "=&r"(come)
                     : [place] "r"(place)
                     : "memory");
}

#else

static void sixteen_by_sixteen(void)
{
    for (int n = 0; n < BARRIERS; n++)
        ogv_block_barrier();
}

#endif

static void barriers(void *argument)
{
    (void)argument;
    ogv_block_barrier();
    uint64_t begun = ogv_cycles();
    sixteen_by_sixteen();
    silicon_leave(begun, ogv_cycles());
}

/* ---- Atomics ---- */

#ifdef OGIVE_DEVICE

static uint32_t eight_by_eight(uint32_t *at)
{
    uint64_t n = ATOMICS / 8, sum = 0, one = 1;
    __asm__ volatile("1:\n"
                     "    amoadd.w t0, %[one], (%[at])\n"
                     "    amoadd.w t1, %[one], (%[at])\n"
                     "    amoadd.w t2, %[one], (%[at])\n"
                     "    amoadd.w t3, %[one], (%[at])\n"
                     "    amoadd.w t4, %[one], (%[at])\n"
                     "    amoadd.w t5, %[one], (%[at])\n"
                     "    amoadd.w t6, %[one], (%[at])\n"
                     "    amoadd.w a7, %[one], (%[at])\n"
                     "    addi %[n], %[n], -1\n"
                     "    xor t0, t0, t1\n"
                     "    xor t2, t2, t3\n"
                     "    xor t4, t4, t5\n"
                     "    xor t6, t6, a7\n"
                     "    xor %[sum], %[sum], t0\n"
                     "    xor %[sum], %[sum], t2\n"
                     "    xor %[sum], %[sum], t4\n"
                     "    xor %[sum], %[sum], t6\n"
                     "    bnez %[n], 1b\n"
                     : [n] "+r"(n), [sum] "+r"(sum)
                     : [one] "r"(one), [at] "r"(at)
                     : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a7", "memory");
    return (uint32_t)sum;
}

#define FMA_32 \
    __asm__ volatile(".rept 32\n    fmadd.s %0, %0, %1, %1\n    .endr" : "+f"(x) : "f"(b))

#else

static uint32_t eight_by_eight(uint32_t *at)
{
    uint32_t sum = 0;
    for (int n = 0; n < ATOMICS; n++)
        sum ^= ogv_atomic_add_u32(at, 1);
    return sum;
}

#define FMA_32 (x = x * b + b)

#endif

static inline void atomics_time(uint32_t *at)
{
    ogv_block_barrier();
    uint64_t begun = ogv_cycles();
    if (eight_by_eight(at) == 4242424242U)
        sink = 1;
    ogv_block_barrier();
    silicon_leave(begun, ogv_cycles());
}

static void atomics_global(void *argument)
{
    uint64_t thread = (uint64_t)ogv_block() * ogv_block_dim() + ogv_block_thread();
    (void)argument;
    atomics_time(&the.memory[silicon_settled(thread * the.stride)]);
}

static void atomics_shared(void *argument)
{
    uint32_t *words = ogv_block_shared(), thread = ogv_block_thread();
    (void)argument;
    atomics_time(&words[silicon_settled(thread * the.stride % WORDS)]);
}

/* ---- Ways ---- */

/* As the card's compiler has it: ways four at a time, then the rest one by one, each behind the
 * branch that the others take. */
static void diverge(void *argument)
{
    const volatile struct together *constant = &the;
    const volatile float *constant_factor = &factor;
    uint32_t way = (ogv_block_thread() % 32) % the.ways, whole = the.ways / 4 * 4;
    float x = factor;
    (void)argument;
    ogv_block_barrier();
    uint64_t begun = ogv_cycles();
    for (int n = 0; n < TURNS; n++) {
        uint32_t ways = constant->ways, w = 0;
        if (ways >= 4) {
            float b = *constant_factor;
            for (; w < whole; w += 4) {
#pragma GCC unroll 4
                for (uint32_t j = 0; j < 4; j++)
                    if (__builtin_expect(way == w + j, 1))
                        FMA_32;
            }
        }
#pragma GCC unroll 3
        for (uint32_t j = 0; j < 3; j++) {
            if (__builtin_expect(w + j < ways && way == w + j, 1)) {
                float b = *constant_factor;
                FMA_32;
            }
        }
    }
    silicon_leave(begun, ogv_cycles());
    sink = x;
}

/* ---- What is launched ---- */

static void *words_reserve(uint64_t words)
{
    return ogv_hart() ? NULL : ogv_reserve(words * 4);
}

static double atomics_measure(uint32_t sms, uint32_t warps)
{
    uint64_t words = 32 * (uint64_t)warps * sms * the.stride + 32;
    if (!ogv_hart())
        the.memory = words_reserve(words);
    return silicon_measure(sms, warps, 0, atomics_global, NULL) / ATOMICS / warps;
}

int main(int argc, char **argv)
{
    uint32_t a = (uint32_t)ogv_argument(argc, argv, 2, 1),
             b = (uint32_t)ogv_argument(argc, argv, 3, 1);
    uint32_t stride = (uint32_t)ogv_argument(argc, argv, argc - 1, 1);
    if (argc < 3)
        return 1;
    the.stride = stride;
    if (ogv_warp_width() < 32)
        return 1; /* this is about machines with warps */
    if (same(argv[1], "barrier"))
        silicon_print(silicon_measure(1, a, 0, barriers, NULL) / BARRIERS);
    else if (same(argv[1], "chain"))
        silicon_print(atomics_measure(1, 1));
    else if (same(argv[1], "global"))
        silicon_print(atomics_measure(a, b));
    else if (same(argv[1], "shared"))
        silicon_print(silicon_measure(1, a, WORDS * 4, atomics_shared, NULL) / ATOMICS / a);
    else if (same(argv[1], "diverge") && (the.ways = a))
        silicon_print(silicon_measure(1, 1, 0, diverge, NULL) / TURNS);
    else
        return 1;
    return 0;
}
