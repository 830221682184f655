/* loads.c - loads of warps that hit the L1 or read shared memory.
 *
 * loads l1_latency BYTES OWN           each load's address follows from the last one's value; OWN:
 *                                      an address of its own for each lane, 0: one for all
 * loads shared_latency BYTES STRIDE    the same in shared memory, lanes STRIDE elements apart
 * loads l1 BYTES STRIDE WARPS          eight loads at once: cycles of the SM for a warp's load
 * loads shared BYTES STRIDE WARPS
 *
 * A lane's 16 bytes are two loads of 8, for RISC-V has no longer ones: lanes 2i and 2i + 1 load the
 * halves of an element of the first half of the warp, then of the second. Together they touch what
 * one load of the card does, each half as much. Offsets in instructions are short, so eight loads
 * lie 512 (shared memory: 256) bytes apart and not 4096 (1024), which changes no bank. */
#include "silicon.h"

#define HOPS         256
#define ROUNDS       64
#define LOADS        8
#define POOL_BYTES   (64 * 1024)
#define SHARED_BYTES (32 * 1024)

static struct loads {
    uint64_t bytes, stride;
} the;
static uint8_t pool[3 * POOL_BYTES] __attribute__((aligned(4096))); /* zero */
static volatile uint64_t sink; /* so that the compiler leaves nothing out */

/* Where a lane's loads begin. */
static uint64_t lane_offset(void)
{
    uint64_t lane = ogv_block_thread() % 32;
    if (the.bytes < 16)
        return lane * the.stride * the.bytes;
    return lane / 2 * the.stride * 16 + lane % 2 * 8;
}

/* From there to the second half of the warp's elements. */
static uint64_t half_offset(void)
{
    return 16 * the.stride * 16;
}

#ifdef OGIVE_DEVICE

/* ---- One after the other ---- */

#define HOPS_FUNCTION(name, load, address)                                               \
    static uint64_t hops_##name(uint64_t base, uint64_t at, uint64_t half)               \
    {                                                                                    \
        uint64_t n = HOPS / 16, value, other, p = base + at, q = p + half, wide;         \
        __asm__ volatile("1:\n"                                                          \
                         "    .rept 16\n" load address "    .endr\n"                     \
                         "    addi %[n], %[n], -1\n"                                     \
                         "    bnez %[n], 1b\n"                                           \
                         : [n] "+r"(n), [v] "=&r"(value), [w] "=&r"(other), [p] "+r"(p), \
                           [q] "+r"(q), [at] "+r"(at), [wide] "=&r"(wide)                \
                         : [b] "r"(base), [h] "r"(half), [one] "r"(UINT64_C(1)));        \
        return p + q;                                                                    \
    }

#define LOAD_4          "lw %[v], 0(%[p])\n"
#define LOAD_8          "ld %[v], 0(%[p])\n"
#define LOAD_16         "ld %[v], 0(%[p])\n ld %[w], 0(%[q])\n"
/* The card adds the value to an index and makes a 64-bit address of that with one instruction of 10
 * cycles, to which two come closest here. */
#define L1_ADDRESS      "add %[at], %[at], %[v]\n mul %[wide], %[at], %[one]\n add %[p], %[wide], %[b]\n"
#define L1_ADDRESS_16   L1_ADDRESS "add %[q], %[w], %[p]\n add %[q], %[q], %[h]\n"
#define NEAR_ADDRESS    "add %[p], %[p], %[v]\n"
#define NEAR_ADDRESS_16 NEAR_ADDRESS "add %[q], %[q], %[w]\n"

HOPS_FUNCTION(l1_4, LOAD_4, L1_ADDRESS)
HOPS_FUNCTION(l1_8, LOAD_8, L1_ADDRESS)
HOPS_FUNCTION(l1_16, LOAD_16, L1_ADDRESS_16)
HOPS_FUNCTION(shared_4, LOAD_4, NEAR_ADDRESS)
HOPS_FUNCTION(shared_8, LOAD_8, NEAR_ADDRESS)
HOPS_FUNCTION(shared_16, LOAD_16, NEAR_ADDRESS_16)

/* ---- Eight at once ---- */

/* The next address: a round's offset, wrapped, from the base. */
#define L1_NEXT "and t0, %[o], %[mask]\n add t0, t0, %[b]\n add t0, t0, x0\n"
#define SHARED_NEXT                              \
    "mul t0, %[o], %[magic]\n srli t0, t0, 46\n" \
    "mul t0, t0, %[mask]\n add t0, t0, %[b]\n addi %[b], %[b], %[step]\n"
#define COUNT "addi %[n], %[n], -1\n addi %[o], %[o], %[step]\n sltu t2, x0, %[n]\n"

/* Sums of three operands, as the card's; a float's multiplication and addition have three. */
#define BODY_4(next, d)                                                            \
    next "flw ft0, -4*" d "(t0)\n flw ft1, -3*" d "(t0)\n flw ft2, -2*" d "(t0)\n" \
         "flw ft3, -1*" d "(t0)\n flw ft4, 0*" d "(t0)\n flw ft5, 1*" d "(t0)\n"   \
         "flw ft6, 2*" d "(t0)\n flw ft7, 3*" d "(t0)\n" COUNT                     \
         "fmadd.s fa0, ft0, ft1, fa0\n fmadd.s fa0, ft2, ft3, fa0\n"               \
         "fmadd.s fa0, ft4, ft5, fa0\n fmadd.s fa0, ft6, ft7, fa0\n bnez t2, 1b\n"
#define BODY_8(next, d)                                                                         \
    next "ld s2, -4*" d "(t0)\n ld s3, -3*" d "(t0)\n ld s4, -2*" d "(t0)\n"                    \
         "ld s5, -1*" d "(t0)\n ld s6, 0*" d "(t0)\n ld s7, 1*" d "(t0)\n ld s8, 2*" d "(t0)\n" \
         "ld s9, 3*" d "(t0)\n" COUNT                                                           \
         "add t3, t3, s2\n add t3, t3, s3\n add t3, t3, s4\n add t3, t3, s5\n"                  \
         "add t3, t3, s6\n add t3, t3, s7\n add t3, t3, s8\n add t3, t3, s9\n bnez t2, 1b\n"
/* The order is the card's, whose compiler saves registers. */
#define WIDE(x, y, at) "ld " x ", " at "(t0)\n ld " y ", " at "(t1)\n"
#define ADDS(x, y)     "add t3, t3, " x "\n add t3, t3, " y "\n"
#define BODY_16(next, d)                                                                      \
    next "add t1, t0, %[h]\n" WIDE("s2", "s3", "-4*" d) WIDE("s4", "s5", "-3*" d)             \
        WIDE("s6", "s7", "-2*" d) WIDE("s8", "s9", "-1*" d) ADDS("s2", "s3") ADDS("s4", "s5") \
            WIDE("s2", "s3", "0*" d) ADDS("s6", "s7")                                         \
                WIDE("s6", "s7", "1*" d) "add t3, t3, s8\n" WIDE(                             \
                    "s4", "s5", "2*" d) "add t3, t3, s9\n" WIDE("s8", "s9", "3*" d)           \
                    COUNT ADDS("s2", "s3") ADDS("s6", "s7") ADDS("s4", "s5")                  \
                        ADDS("s8", "s9") "bnez t2, 1b\n"

#define ROUNDS_FUNCTION(name, body, mask_value, step_value)                                        \
    static void rounds_##name(uint64_t base, uint64_t offset, uint64_t half)                       \
    {                                                                                              \
        uint64_t n = ROUNDS;                                                                       \
        __asm__ volatile("1:\n" body                                                               \
                         : [n] "+r"(n), [o] "+r"(offset), [b] "+r"(base)                           \
                         : [h] "r"(half), [mask] "r"(mask_value),                                  \
                           [magic] "r"(UINT64_C(0xaaaaaaab)), [step] "i"(step_value)               \
                         : "t0", "t1", "t2", "t3", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", \
                           "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fa0");         \
    }

#define L1_MASK     UINT64_C(32767)
#define SHARED_MASK (-UINT64_C(24576))
ROUNDS_FUNCTION(l1_4, BODY_4(L1_NEXT, "512"), L1_MASK, 1280)
ROUNDS_FUNCTION(l1_8, BODY_8(L1_NEXT, "512"), L1_MASK, 1280)
ROUNDS_FUNCTION(l1_16, BODY_16(L1_NEXT, "512"), L1_MASK, 1280)
ROUNDS_FUNCTION(shared_4, BODY_4(SHARED_NEXT, "256"), SHARED_MASK, 128)
ROUNDS_FUNCTION(shared_8, BODY_8(SHARED_NEXT, "256"), SHARED_MASK, 128)
ROUNDS_FUNCTION(shared_16, BODY_16(SHARED_NEXT, "256"), SHARED_MASK, 128)

#else /* natively there is nothing to measure */

static uint64_t hops_native(uint64_t base, uint64_t at, uint64_t half)
{
    return base + at + half;
}
static void rounds_native(uint64_t base, uint64_t offset, uint64_t half)
{
    sink = base + offset + half;
}
#define hops_l1_4        hops_native
#define hops_l1_8        hops_native
#define hops_l1_16       hops_native
#define hops_shared_4    hops_native
#define hops_shared_8    hops_native
#define hops_shared_16   hops_native
#define rounds_l1_4      rounds_native
#define rounds_l1_8      rounds_native
#define rounds_l1_16     rounds_native
#define rounds_shared_4  rounds_native
#define rounds_shared_8  rounds_native
#define rounds_shared_16 rounds_native

#endif

/* ---- What is launched ---- */

static const struct width {
    uint64_t bytes;
    uint64_t (*l1_hops)(uint64_t, uint64_t, uint64_t), (*shared_hops)(uint64_t, uint64_t, uint64_t);
    void (*l1_rounds)(uint64_t, uint64_t, uint64_t), (*shared_rounds)(uint64_t, uint64_t, uint64_t);
} widths[] = {
    { 4, hops_l1_4, hops_shared_4, rounds_l1_4, rounds_shared_4 },
    { 8, hops_l1_8, hops_shared_8, rounds_l1_8, rounds_shared_8 },
    { 16, hops_l1_16, hops_shared_16, rounds_l1_16, rounds_shared_16 },
};

/* Twice: the second time all is in the L1. */
static void l1_latency(void *argument)
{
    const struct width *width = argument;
    uint64_t offset = silicon_settled(lane_offset()), half = silicon_settled(half_offset());
    for (int pass = 0; pass < 2; pass++) {
        uint64_t begun = ogv_cycles();
        sink = width->l1_hops((uint64_t)(uintptr_t)pool, offset, half);
        silicon_leave(begun, ogv_cycles());
    }
}

static uint64_t shared_clear(void)
{
    uint64_t *words = ogv_block_shared();
    for (uint32_t i = ogv_block_thread(); i < SHARED_BYTES / 8; i += ogv_block_dim())
        words[i] = 0;
    ogv_block_barrier();
    return (uint64_t)(uintptr_t)words;
}

static void shared_latency(void *argument)
{
    const struct width *width = argument;
    uint64_t base = shared_clear();
    uint64_t offset = silicon_settled(lane_offset() % (SHARED_BYTES / 2));
    uint64_t half = silicon_settled(half_offset() % (SHARED_BYTES / 2));
    uint64_t begun = ogv_cycles();
    sink = width->shared_hops(base, offset, half);
    silicon_leave(begun, ogv_cycles());
}

static void l1_rounds(void *argument)
{
    const struct width *width = argument;
    uint64_t offset = silicon_settled(lane_offset()), half = silicon_settled(half_offset());
    for (int pass = 0; pass < 3; pass++) {
        ogv_block_barrier();
        uint64_t begun = ogv_cycles();
        width->l1_rounds((uint64_t)(uintptr_t)pool + 4096, offset, half);
        ogv_block_barrier();
        silicon_leave(begun, ogv_cycles());
    }
}

static void shared_rounds(void *argument)
{
    const struct width *width = argument;
    uint64_t base = shared_clear() + 1024;
    uint64_t offset = silicon_settled(lane_offset() % 24576);
    uint64_t half = silicon_settled(half_offset() % 4096);
    uint64_t begun = ogv_cycles();
    width->shared_rounds(base + offset, offset, half); /* what is wrapped is taken off */
    ogv_block_barrier();
    silicon_leave(begun, ogv_cycles());
}

int main(int argc, char **argv)
{
    static const struct kind {
        const char *name;
        void (*kernel)(void *);
        uint32_t shared_bytes, operations;
    } kinds[] = {
        { "l1_latency", l1_latency, 0, HOPS },
        { "shared_latency", shared_latency, SHARED_BYTES, HOPS },
        { "l1", l1_rounds, 0, ROUNDS * LOADS },
        { "shared", shared_rounds, SHARED_BYTES, ROUNDS * LOADS },
    };
    the.bytes = ogv_argument(argc, argv, 2, 4);
    the.stride = ogv_argument(argc, argv, 3, 1);
    uint32_t warps = (uint32_t)ogv_argument(argc, argv, 4, 1);
    for (uint32_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++) {
        for (uint32_t w = 0; same(kinds[i].name, argv[1]) && w < 3; w++) {
            if (widths[w].bytes != the.bytes || the.stride > 64 || warps - 1 >= WARPS_MAX)
                continue;
            double cycles = silicon_measure(1, warps, kinds[i].shared_bytes, kinds[i].kernel,
                                            (void *)(uintptr_t)&widths[w]);
            silicon_print(cycles / (warps * kinds[i].operations));
            return 0;
        }
    }
    return 1;
}
