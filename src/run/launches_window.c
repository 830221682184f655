/* launches_window.c - see launches_window.h. */
#include "run/launches_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/text.h"

#define SAMPLE_CYCLES 64 /* less than a barrier of the whole chip takes */
#define SECTOR_BYTES  32.0

/* C(name, path): what is counted, of the machine that models the card. */
#define LAUNCH_COUNTERS(C)                          \
    C(loads, "sm.l1.reads")                         \
    C(text_bytes, "sm.l1i.bytes_fetched")           \
    C(reads, "partition.l2.reads")                  \
    C(writes, "partition.l2.writes")                \
    C(atomics, "partition.l2.atomics")              \
    C(far_hits, "partition.l2.far_hits")            \
    C(fetched_bytes, "partition.l2.bytes_fetched")  \
    C(dram_read, "partition.dram.bytes_read")       \
    C(dram_written, "partition.dram.bytes_written") \
    C(issued, "sm.subcore.issued")

enum launch_counter {
#define COUNTER_NUMBER(name, path) COUNT_##name,
    LAUNCH_COUNTERS(COUNTER_NUMBER)
#undef COUNTER_NUMBER
        COUNTERS,
};

static const char *const counter_paths[COUNTERS] = {
#define COUNTER_PATH(name, path) path,
    LAUNCH_COUNTERS(COUNTER_PATH)
#undef COUNTER_PATH
};

struct sample {
    u64 counts[COUNTERS];
};

/* Number i is of cycle i * SAMPLE_CYCLES; the last one is of the end. */
struct launch_samples {
    struct sample *of;
    u32 count, room;
};

struct launch_samples *samples_create(void)
{
    return heap_array(1, sizeof(struct launch_samples));
}

void samples_destroy(struct launch_samples *samples)
{
    free(samples->of);
    free(samples);
}

static bool samples_add(struct launch_samples *samples, ogv_system *system, struct ogv_error *error)
{
    if (samples->count == samples->room) {
        samples->room = samples->room ? 2 * samples->room : 1024;
        samples->of = heap_grow(samples->of, samples->room, sizeof *samples->of);
    }
    struct sample *sample = &samples->of[samples->count];
    system_settle(system);
    for (u32 i = 0; i < COUNTERS; i++) {
        struct stat_value value;
        if (!stats_find(system, counter_paths[i], &value, error))
            return false;
        sample->counts[i] = value.integer;
    }
    samples->count++;
    return true;
}

enum sim_end samples_run(struct launch_samples *samples, ogv_system *system,
                         struct ogv_error *error)
{
    enum sim_end end = SIM_REACHED;
    for (cycle at = SAMPLE_CYCLES; samples_add(samples, system, error); at += SAMPLE_CYCLES) {
        if (end != SIM_REACHED)
            return end;
        end = silicon_continue(system, at, error);
    }
    return SIM_PAUSED;
}

static double samples_grown(const struct launch_samples *samples, u64 from, u64 to,
                            enum launch_counter counter)
{
    u64 last = samples->count - 1;
    const struct sample *before = &samples->of[min_u64(from, last)];
    const struct sample *after = &samples->of[min_u64(to, last)];
    return (double)(after->counts[counter] - before->counts[counter]);
}

/* The card counts a sector on both sides of its L2 if it crosses from one to the other: 1.50
 * sectors for each of every launch of kernels.csv that streams, loads as stores. Half of all places
 * are on the other side, and what a side has fetched once is there from then on. Here no line has a
 * side of its own, so half of those that come to a side are counted twice. */
static double l2_sectors(const double grown[COUNTERS])
{
    double once = grown[COUNT_reads] + grown[COUNT_writes] + grown[COUNT_atomics];
    double comes =
        grown[COUNT_far_hits] + grown[COUNT_fetched_bytes] / SECTOR_BYTES + grown[COUNT_writes];
    return once + comes / 2;
}

/* Of what the L1s load, the rest comes from the L2, which reads instructions as well. */
static double l1_hit_rate(const double grown[COUNTERS])
{
    double missed = grown[COUNT_reads] - grown[COUNT_text_bytes] / SECTOR_BYTES;
    return grown[COUNT_loads] > 0 ? 1 - missed / grown[COUNT_loads] : NAN;
}

void samples_figures(const struct launch_samples *samples, cycle from, cycle cycles,
                     double figures[LAUNCH_FIGURE_COUNT])
{
    double grown[COUNTERS];
    u64 first = from / SAMPLE_CYCLES, behind = (from + cycles) / SAMPLE_CYCLES + 1;
    for (u32 i = 0; i < COUNTERS; i++)
        grown[i] = samples_grown(samples, first, behind, (enum launch_counter)i);
    figures[LAUNCH_cycles] = (double)cycles;
    figures[LAUNCH_l1_hit_rate] = l1_hit_rate(grown);
    figures[LAUNCH_l2_sectors] = l2_sectors(grown);
    figures[LAUNCH_dram_bytes] = grown[COUNT_dram_read] + grown[COUNT_dram_written];
    figures[LAUNCH_instructions] = grown[COUNT_issued];
}
