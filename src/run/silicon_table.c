/* silicon_table.c - see silicon_table.h. Names are those of bench/silicon/micro.cu. */
#include "run/silicon_table.h"

#define WARPS  1, 32
#define STRIDE 0, 64
#define BYTES       \
    {               \
        4, 16, true \
    }

/* clang-format off */
const struct silicon_benchmark silicon_benchmarks[] = {
    { "latency", "fp32 fma",                               "pipes", "latency fma", 1, 1, false, { { 0 } } },
    { "latency", "fp32 add",                               "pipes", "latency add", 1, 1, false, { { 0 } } },
    { "latency", "int32 logic",                            "pipes", "latency logic", 1, 1, false, { { 0 } } },
    { "latency", "int32 multiply-add",                     "pipes", "latency multiply", 1, 1, false, { { 0 } } },
    { "latency", "fp64 fma",                               "pipes", "latency fma64", 1, 1, false, { { 0 } } },
    { "latency", "fp32 rsqrt approx",                      "pipes", "latency special", 1, 1, false, { { 0 } } },
    { "latency", "fp32 exp2 approx",                       "pipes", "latency special", 1, 1, false, { { 0 } } },
    { "latency", "shuffle",                                "pipes", "latency shuffle", 1, 1, false, { { 0 } } },
    { "latency", "fp32 divide, IEEE (routine)",            "pipes", "latency divide", 1, 1, false, { { 0 } } },
    { "latency", "int32 divide (routine)",                 "pipes", "latency int_divide", 1, 1, false, { { 0 } } },
    { "latency", "fp32 sqrt, IEEE (routine)",              "pipes", "latency root", 1, 1, false, { { 0 } } },
    { "latency", "popcount + add",                         "pipes", "latency count", 1, 1, false, { { 0 } } },
    { "issue", "fp32 fma",                                 "pipes", "issue fma @", WARPS, false, { { 0 } } },
    { "issue", "int32 add (two become one instruction)",   "pipes", "issue int_add @", WARPS, false, { { 0 } } },
    { "issue", "int32 multiply-add",                       "pipes", "issue multiply @", WARPS, false, { { 0 } } },
    { "issue", "fp64 fma",                                 "pipes", "issue fma64 @", WARPS, false, { { 0 } } },
    { "issue", "rsqrt approx",                             "pipes", "issue special @", WARPS, false, { { 0 } } },
    { "issue", "shuffle",                                  "pipes", "issue shuffle @", WARPS, false, { { 0 } } },
    { "load latency", "L1 hit, # B, same address for all lanes", "loads", "l1_latency # @", 0, 0, false, { BYTES } },
    { "load latency", "L1 hit, # B, own address per lane", "loads", "l1_latency # @", 1, 1, false, { BYTES } },
    { "load latency", "shared, # B, stride in words",      "loads", "shared_latency # @", STRIDE, false, { BYTES } },
    { "load latency", "shared, # B, stride in # B",        "loads", "shared_latency # @", STRIDE, false, { BYTES, BYTES } },
    { "l1 load", "# B stride #",                           "loads", "l1 # # @", WARPS, false, { BYTES, { STRIDE, false } } },
    { "shared load", "# B stride #",                       "loads", "shared # # @", WARPS, false, { BYTES, { STRIDE, false } } },
    { "one SM", "stream from L2",                          "far", "stream l2 1 @", WARPS, false, { { 0 } } },
    { "one SM", "stream from DRAM",                        "far", "stream dram 1 @", WARPS, false, { { 0 } } },
    { "all SMs", "stream from L2",                         "far", "stream l2 132 @", WARPS, true, { { 0 } } },
    { "all SMs", "stream from DRAM",                       "far", "stream dram 132 @", WARPS, true, { { 0 } } },
    { "chase", "random lines of 128 B, one thread",        "far", "chase @", 1, 4 << 20, false, { { 0 } } },
    { "barrier", "all threads of a block",                 "together", "barrier @", WARPS, false, { { 0 } } },
    { "atomic", "global add of a warp, results used one after the other, stride in words",
                                                           "together", "chain @", 0, 1024, false, { { 0 } } },
    { "atomic", "global add, # warps of one SM, stride in words",
                                                           "together", "global 1 # @", 0, 1024, false, { { WARPS, false } } },
    { "atomic", "global add, # x # warps, stride in words",
                                                           "together", "global # # @", 0, 1024, true, { { 1, 132, false }, { WARPS, false } } },
    { "atomic", "shared add, # warps, stride in words",    "together", "shared # @", 0, 1024, false, { { WARPS, false } } },
    { "divergence", "32 dependent fma on each of n paths", "together", "diverge @", 1, 32, false, { { 0 } } },
    { "fetch", "straight line, # warps",                   "fetch", "@ #", 1, 1024, false, { { WARPS, false } } },
};
/* clang-format on */

const u32 silicon_benchmark_count = sizeof silicon_benchmarks / sizeof *silicon_benchmarks;
