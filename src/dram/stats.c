/* stats.c - counters of a channel.
 *
 * Latencies are kept in bins: one per cycle up to 16, then eight per power of two, so a percentile
 * is at most an eighth too high and a bin is found by a shift. */
#include "dram/controller.h"

/* The largest latency of a bin. */
static u64 bin_latency(u32 bin)
{
    if (bin < 16)
        return bin;
    u32 power = bin / 8 + 2;
    return ((UINT64_C(8) + bin % 8 + 1) << (power - 3)) - 1;
}

u64 dram_latency_percentile(const struct dram_latency *latency, double q)
{
    u64 total = 0, seen = 0;
    for (u32 bin = 0; bin < DRAM_LATENCY_BINS; bin++)
        total += latency->bins[bin];
    u64 rank = (u64)(q * (double)total);
    for (u32 bin = 0; bin < DRAM_LATENCY_BINS; bin++) {
        seen += latency->bins[bin];
        if (seen > rank)
            return bin_latency(bin);
    }
    return 0;
}

/* The struct holds nothing but counters. */
void dram_stats_add(struct dram_stats *sum, const struct dram_stats *stats)
{
    _Static_assert(sizeof(struct dram_stats) % sizeof(u64) == 0, "only u64 counters");
    u64 *to = (u64 *)sum;
    const u64 *from = (const u64 *)stats;
    for (size_t i = 0; i < sizeof *sum / sizeof(u64); i++)
        to[i] += from[i];
}
