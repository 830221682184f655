/* controller.h - the parts of a channel among themselves. */
#ifndef DRAM_CONTROLLER_H
#define DRAM_CONTROLLER_H

#include "dram/channel.h"

static inline u64 bank_bit(u32 bank)
{
    return UINT64_C(1) << bank;
}

/* ---- Latencies, see stats.c ---- */
static inline u32 latency_bin(u64 latency)
{
    if (latency < 16)
        return (u32)latency;
    u32 power = 63 - (u32)__builtin_clzll(latency);
    u32 bin = (power - 2) * 8 + (u32)(latency >> (power - 3) & 7);
    return bin < DRAM_LATENCY_BINS ? bin : DRAM_LATENCY_BINS - 1;
}

static inline void latency_add(struct dram_latency *latency, u64 cycles)
{
    latency->cycles += cycles;
    latency->bins[latency_bin(cycles)]++;
}

/* ---- maintain.c: refresh and row policies ---- */
bool maintain_init(struct dram_channel *channel, struct ogv_error *error);
/* Appends what is due at `now`. */
void maintain_schedule(struct dram_channel *channel, cycle now);
/* The row policy looks at a picked command. */
void maintain_observe(struct dram_channel *channel, const struct dram_pick *pick, cycle now);

static inline bool maintain_empty(const struct dram_channel *channel)
{
    return channel->maintenance_head == channel->maintenance_tail;
}

static inline struct dram_maintenance *maintain_head(struct dram_channel *channel)
{
    return &channel->maintenance[channel->maintenance_head % DRAM_MAINTENANCE_MAX];
}

#endif
