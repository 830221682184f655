/* dram.c - how fast DRAM channels are simulated, in channel-cycles per CPU second.
 *
 * All channels advance together on one thread, cycle by cycle, as a memory partition would drive
 * them: each channel is ticked when it has something to do and refilled with random reads.
 *   saturated: queues are kept full;
 *   5% load:   one transaction per channel in every 20 bursts' time. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/wall.h"
#include "dram/memory.h"
#include "ogive/random.h"

struct source {
    u64 address;
    struct dram_address place;
    cycle arrive;
};

struct bench {
    struct dram_memory *memory;
    struct source *sources; /* one per channel */
    u64 seed, gap;
    u64 returned;
};

static void *bench_allocate(void *context, u64 size, u64 align)
{
    return arena_alloc(context, size, align);
}

/* A random transaction of the channel; the other coordinates stay as random as they come. */
static void source_next(struct bench *bench, u32 channel)
{
    struct source *s = &bench->sources[channel];
    const struct dram_memory *memory = bench->memory;
    s->address = random_below(&bench->seed, GiB) & ~UINT64_C(63);
    s->place = dram_map_address(&memory->map, &memory->device, s->address);
    s->arrive += bench->gap;
}

static void channel_fill(struct bench *bench, u32 index, cycle now)
{
    struct source *s = &bench->sources[index];
    struct dram_channel *channel = &bench->memory->channel[index];
    while (s->arrive <= now &&
           dram_channel_accepts(channel, DRAM_READ, s->address, s->place.bank)) {
        dram_channel_offer(channel, now, DRAM_READ, s->address, &s->place, 0);
        source_next(bench, index);
    }
}

/* The next cycle at which this channel needs attention. */
static cycle channel_step(struct bench *bench, u32 index, cycle now)
{
    struct dram_channel *channel = &bench->memory->channel[index];
    struct source *s = &bench->sources[index];
    struct dram_tick tick;
    dram_channel_tick(channel, now, &tick);
    bench->returned += tick.returned;
    channel_fill(bench, index, now);
    cycle next = dram_channel_next(channel);
    return bench->gap && s->arrive > now ? min_u64(next, s->arrive) : next;
}

static void bench_run(struct bench *bench, cycle cycles)
{
    cycle wake[256] = { 0 };
    for (cycle now = 1; now < cycles;) {
        cycle next = cycles;
        for (u32 i = 0; i < bench->memory->channels; i++) {
            if (wake[i] <= now)
                wake[i] = channel_step(bench, i, now);
            next = min_u64(next, wake[i]);
        }
        now = max_u64(next, now + 1);
    }
}

static void bench_one(const char *name, u32 channels, bool saturated, cycle cycles)
{
    struct ogv_error error;
    struct arena *arena = arena_create(&error);
    struct dram_config config = *dram_config_find(name, &error);
    config.channels = channels;
    struct bench bench = { .seed = 1 };
    bench.memory = dram_memory_create(&config, bench_allocate, arena, &error);
    if (!bench.memory) {
        fprintf(stderr, "%s\n", error.message);
        return;
    }
    bench.sources = arena_alloc(arena, channels * sizeof *bench.sources, 64);
    bench.gap = saturated ? 0 : 20 * bench.memory->device.column_distance;
    for (u32 i = 0; i < channels; i++)
        source_next(&bench, i);
    double start = work_clock();
    bench_run(&bench, cycles);
    double seconds = work_clock() - start;
    double total = (double)cycles * channels;
    printf("%-28s %2u channels %-9s %7.1f M channel-cycles/s  %5.0f ns/read  %.3f of peak\n", name,
           channels, saturated ? "saturated" : "5% load", total / seconds / 1e6,
           seconds * 1e9 / (double)bench.returned,
           (double)(bench.returned * bench.memory->device.column_distance) / total);
    arena_destroy(arena);
}

int main(void)
{
    const char *names[] = { "arches_gddr6_14000", "arches_gddr6_14000_bankfix", "gddr6_14000" };
    for (u32 i = 0; i < 3; i++) {
        for (u32 channels = 1; channels <= 16; channels *= 16) {
            bench_one(names[i], channels, true, 8000000 / channels);
            bench_one(names[i], channels, false, 80000000 / channels);
        }
    }
    return 0;
}
