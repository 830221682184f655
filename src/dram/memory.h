/* memory.h - all channels of one memory: device, address mapping, channels.
 *
 * Everything lies in memory that the caller's allocator gave, with pointers only into it, so the
 * whole can be written to a file and read back at the same address. */
#ifndef DRAM_MEMORY_H
#define DRAM_MEMORY_H

#include "dram/channel.h"

struct dram_memory {
    struct dram_device device;
    struct dram_map map;
    u32 channels;
    struct dram_channel *channel; /* array */
};

struct dram_memory *dram_memory_create(const struct dram_config *config, dram_allocate *allocate,
                                       void *context, struct ogv_error *error);

/* The channel that an address belongs to, and its place there. */
static inline struct dram_channel *dram_memory_find(struct dram_memory *memory, u64 address,
                                                    struct dram_address *place)
{
    *place = dram_map_address(&memory->map, &memory->device, address);
    return &memory->channel[place->channel];
}

/* Between the ticks of `now` and `now` + 1; false: the address's channel is full. */
static inline bool dram_memory_offer(struct dram_memory *memory, cycle now, enum dram_kind kind,
                                     u64 address, u64 tag)
{
    struct dram_address place;
    struct dram_channel *channel = dram_memory_find(memory, address, &place);
    return dram_channel_offer(channel, now, kind, address, &place, tag);
}

/* The first cycle at which some channel might do something. */
cycle dram_memory_next(const struct dram_memory *memory);

#endif
