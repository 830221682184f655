/* memory.c - makes device, mapping and channels in the caller's memory, and asks all channels
 * when the next one has something to do. */
#include "dram/memory.h"

struct dram_memory *dram_memory_create(const struct dram_config *config, dram_allocate *allocate,
                                       void *context, struct ogv_error *error)
{
    struct dram_memory *memory = allocate(context, sizeof *memory, 64);
    if (!memory) {
        error_system(error, "no memory for a DRAM device");
        return NULL;
    }
    if (!dram_device_init(&memory->device, config, error) ||
        !dram_map_init(&memory->map, &memory->device, config->mapper, error))
        return NULL;
    memory->channels = memory->device.count[DRAM_CHANNEL];
    memory->channel = allocate(context, memory->channels * sizeof *memory->channel, 64);
    if (!memory->channel) {
        error_system(error, "no memory for %u DRAM channels", memory->channels);
        return NULL;
    }
    for (u32 i = 0; i < memory->channels; i++)
        if (!dram_channel_init(&memory->channel[i], &memory->device, &config->controller, allocate,
                               context, error))
            return NULL;
    return memory;
}

cycle dram_memory_next(const struct dram_memory *memory)
{
    cycle next = NEVER;
    for (u32 i = 0; i < memory->channels; i++)
        next = min_u64(next, dram_channel_next(&memory->channel[i]));
    return next;
}
