/* figures.c - sums caches by level, DRAM and rays into rates. The rates of what a chip does not
 * have are NAN. */
#include "run/figures.h"

#include <math.h>

#include "arch/host.h"
#include "arch/stats.h"
#include "ogive/tracer.h"
#include "unit/cache/cache.h"

/* Caches of one level, summed. */
struct level {
    u64 level;
    u64 lookups, hits, half_misses;
    u64 bytes;  /* given to users and taken from them */
    u64 slices; /* each can move a sector per cycle */
};

static void add_cache(void *context, struct unit *unit)
{
    struct level *sum = context;
    const struct cache *cache = (const struct cache *)unit;
    if (cache->p.level != sum->level)
        return;
    sum->lookups += cache->s.lookups;
    sum->hits += cache->s.hits;
    sum->half_misses += cache->s.half_misses;
    sum->bytes += cache->s.bytes_answered + cache->s.bytes_taken;
    sum->slices += cache->p.slices * cache->p.banks * cache->p.ports;
}

static double quotient(double above, double below)
{
    return below > 0 ? above / below : NAN;
}

#define SECTOR_BYTES 32

struct figures figures_of(ogv_system *system, cycle cycles, u64 rays)
{
    struct level l1 = { .level = 1 }, l2 = { .level = 2 };
    struct figures figures = { 0 };
    double seconds = (double)cycles / (double)system->plan->clock_hz;
    system_settle(system);
    host_units(system, "cache", add_cache, &l1);
    host_units(system, "cache", add_cache, &l2);
    figures.rays =
        system_any(system, unit_traces_rays) ? system_total(system, unit_ray_stat) : rays;
    figures.mrays_per_s = seconds > 0 ? (double)figures.rays / seconds / 1e6 : 0;
    figures.l1_hit_rate = quotient((double)l1.hits, (double)l1.lookups);
    figures.l1_half_miss_rate = quotient((double)l1.half_misses, (double)l1.lookups);
    figures.l2_hit_rate = quotient((double)l2.hits, (double)l2.lookups);
    figures.l2_half_miss_rate = quotient((double)l2.half_misses, (double)l2.lookups);
    figures.l2_bandwidth_share =
        quotient((double)l2.bytes, (double)(l2.slices * SECTOR_BYTES) * (double)cycles);
    figures.dram_bandwidth_share = NAN;
    if (!system_has(system, "dram"))
        return figures;
    figures.dram_bandwidth_share = quotient((double)system_sum(system, "dram", "bus_busy"),
                                            (double)system_sum(system, "dram", "bus_cycles"));
    figures.dram_read_bytes = system_sum(system, "dram", "bytes_read");
    figures.dram_write_bytes = system_sum(system, "dram", "bytes_written");
    return figures;
}
