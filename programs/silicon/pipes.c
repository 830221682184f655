/* pipes.c - how long results of instructions take, and how many a sub-core issues.
 *
 * pipes latency OP           a chain of 512: cycles per operation
 * pipes issue OP WARPS       eight independent chains: instructions of warps per cycle
 *
 * What RISC-V has no instruction for is done by the one that goes the same way on the card:
 * approximations (rsqrt, exp2) by conversions between floats, which the special function unit
 * executes as well; a population count and an addition by a conversion to an integer and a move
 * back. Divisions and roots are routines on the card and instructions here, as long as those. */
#include "silicon.h"

#define CHAIN   512
#define UNROLL  64
#define ROUNDS  128
#define COUNTED 32 /* operations of a round, as the source of the card's benchmark has them */

static volatile float sink; /* so that the compiler leaves nothing out */
static uint32_t warps;

#ifdef OGIVE_DEVICE

/* The card's loops count and compare while they do something else, and branch at the end. */
#define LOOP(count, body)                                                      \
    "1:\n addi %[n], %[n], -1\n sltu %[t], x0, %[n]\n .rept " #count "\n" body \
    ".endr\n bnez %[t], 1b\n"

/* What the loop begins with is there before the clock is read. */
#define SETTLE                                                                        \
    __asm__ volatile("fsgnj.s %0, %0, %0\n fsgnj.s %1, %1, %1\n fsgnj.d %2, %2, %2\n" \
                     "fsgnj.d %3, %3, %3\n xor %4, %4, x0"                            \
                     : "+f"(f), "+f"(b), "+f"(d), "+f"(c), "+r"(k));

#define LATENCY(name, count, body)                                                          \
    static void latency_##name(void *argument)                                              \
    {                                                                                       \
        uint64_t n = CHAIN / UNROLL, t, i = 1000003 + ogv_block_thread(), k = 7;            \
        float f = 1.5F, b = 1.0000001F;                                                     \
        double d = 1.5, c = 1.0000001;                                                      \
        (void)argument;                                                                     \
        SETTLE                                                                              \
        ogv_block_barrier();                                                                \
        uint64_t begun = ogv_cycles();                                                      \
        __asm__ volatile(LOOP(count, body)                                                  \
                         : [n] "+r"(n), [t] "=&r"(t), [f] "+f"(f), [d] "+f"(d), [i] "+r"(i) \
                         : [b] "f"(b), [c] "f"(c), [k] "r"(k));                             \
        silicon_leave(begun, ogv_cycles());                                                 \
        sink = f + (float)d + (float)i;                                                     \
    }

/* Eight registers of a kind, in rounds of some instructions for each. */
#define EIGHT(insn, kind, rest)                                                                   \
    insn " " kind "0, " kind "0" rest "\n" insn " " kind "1, " kind "1" rest "\n" insn " " kind   \
         "2, " kind "2" rest "\n" insn " " kind "3, " kind "3" rest "\n" insn " " kind "4, " kind \
         "4" rest "\n" insn " " kind "5, " kind "5" rest "\n" insn " " kind "6, " kind "6" rest   \
         "\n" insn " " kind "7, " kind "7" rest "\n"

#define ISSUE(name, count, body)                                                                \
    static void issue_##name(void *argument)                                                    \
    {                                                                                           \
        uint64_t n = ROUNDS, t, k = 7;                                                          \
        float f = 1, b = 1.0000001F;                                                            \
        double d = 1, c = 1.0000001;                                                            \
        (void)argument;                                                                         \
        SETTLE                                                                                  \
        ogv_block_barrier();                                                                    \
        uint64_t begun = ogv_cycles();                                                          \
        __asm__ volatile(LOOP(count, body)                                                      \
                         : [n] "+r"(n), [t] "=&r"(t)                                            \
                         : [k] "r"(k), [b] "f"(b), [c] "f"(c)                                   \
                         : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "fs0", "fs1", "fs2", \
                           "fs3", "fs4", "fs5", "fs6", "fs7");                                  \
        ogv_block_barrier();                                                                    \
        silicon_leave(begun, ogv_cycles());                                                     \
    }

LATENCY(fma, 64, "fmadd.s %[f], %[f], %[b], %[b]\n")
LATENCY(add, 64, "fadd.s %[f], %[f], %[b]\n")
LATENCY(logic, 64, "xor %[i], %[i], %[k]\n")
LATENCY(multiply, 64, "mulw %[i], %[i], %[k]\n")
LATENCY(fma64, 64, "fmadd.d %[d], %[d], %[c], %[c]\n")
LATENCY(special, 32, "fcvt.d.s %[d], %[d]\n fcvt.s.d %[d], %[d]\n")
LATENCY(divide, 64, "fdiv.s %[f], %[f], %[b]\n")
LATENCY(int_divide, 64, "divw %[i], %[i], %[k]\n addw %[i], %[i], %[k]\n")
LATENCY(root, 64, "fsqrt.s %[f], %[f]\n")
LATENCY(count, 64, "fcvt.w.s %[i], %[f], rtz\n fmv.w.x %[f], %[i]\n")

ISSUE(fma, 4, EIGHT("fmadd.s", "fs", ", %[b], %[b]"))
ISSUE(add, 2, EIGHT("add", "s", ", %[k]"))
ISSUE(multiply, 4, EIGHT("mulw", "s", ", %[k]"))
ISSUE(fma64, 4, EIGHT("fmadd.d", "fs", ", %[c], %[c]"))
ISSUE(special, 2, EIGHT("fcvt.d.s", "fs", "") EIGHT("fcvt.s.d", "fs", ""))

#else /* natively there is nothing to measure */

static void nothing(void *argument)
{
    (void)argument;
    silicon_leave(0, warps);
}
#define latency_fma        nothing
#define latency_add        nothing
#define latency_logic      nothing
#define latency_multiply   nothing
#define latency_fma64      nothing
#define latency_special    nothing
#define latency_divide     nothing
#define latency_int_divide nothing
#define latency_root       nothing
#define latency_count      nothing
#define issue_fma          nothing
#define issue_add          nothing
#define issue_multiply     nothing
#define issue_fma64        nothing
#define issue_special      nothing

#endif

static void latency_shuffle(void *argument)
{
    uint64_t value = ogv_block_thread();
    (void)argument;
    ogv_block_barrier();
    uint64_t begun = ogv_cycles();
    for (int n = 0; n < CHAIN / UNROLL; n++) {
#pragma GCC unroll 64
        for (int j = 0; j < UNROLL; j++)
            value = ogv_shuffle_xor_u64(value, 1);
    }
    silicon_leave(begun, ogv_cycles());
    sink = (float)value;
}

/* The card's compiler makes one shuffle of four, so eight a round. */
static void issue_shuffle(void *argument)
{
    uint64_t value[8];
    (void)argument;
    for (uint32_t j = 0; j < 8; j++)
        value[j] = 7 + j;
    ogv_block_barrier();
    uint64_t begun = ogv_cycles();
    for (int n = 0; n < ROUNDS; n++) {
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++)
            value[j] = ogv_shuffle_xor_u64(value[j], 1);
    }
    ogv_block_barrier();
    silicon_leave(begun, ogv_cycles());
    sink = (float)(value[0] + value[1] + value[2] + value[3] + value[4] + value[5] + value[6] +
                   value[7]);
}

static const struct operation {
    const char *name;
    void (*latency)(void *), (*issue)(void *);
} operations[] = {
    { "fma", latency_fma, issue_fma },
    { "add", latency_add, NULL },
    { "logic", latency_logic, NULL },
    { "int_add", NULL, issue_add },
    { "multiply", latency_multiply, issue_multiply },
    { "fma64", latency_fma64, issue_fma64 },
    { "special", latency_special, issue_special },
    { "shuffle", latency_shuffle, issue_shuffle },
    { "divide", latency_divide, NULL },
    { "int_divide", latency_int_divide, NULL },
    { "root", latency_root, NULL },
    { "count", latency_count, NULL },
};

int main(int argc, char **argv)
{
    int issue = argc > 1 && same(argv[1], "issue");
    warps = (uint32_t)ogv_argument(argc, argv, 3, 1);
    for (uint32_t i = 0; argc > 2 && i < sizeof operations / sizeof *operations; i++) {
        void (*kernel)(void *) = issue ? operations[i].issue : operations[i].latency;
        if (!same(operations[i].name, argv[2]) || !kernel || warps < 1 || warps > WARPS_MAX)
            continue;
        double cycles = silicon_measure(1, warps, 0, kernel, NULL);
        silicon_print(issue ? warps * (double)(ROUNDS * COUNTED) / cycles : cycles / CHAIN);
        return 0;
    }
    return 1;
}
