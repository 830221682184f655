/* fuzz_trace.c - libFuzzer target: whatever the bytes, the trace reader refuses them or returns a
 * trace that is sound, and small traces are replayed to their end by every kind of controller.
 *
 *     fuzz_trace tests/dram/corpus/fuzz_trace */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dram/replay.h"
#include "dram/trace.h"

#define REPLAY_REQUESTS 200
#define REPLAY_CYCLES   10000

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

static void trace_check(const struct dram_trace *trace)
{
    u64 reads = 0;
    if (!trace->per_cycle)
        abort();
    for (u64 i = 0; i < trace->count; i++)
        reads += !trace->requests[i].write;
    if (reads != trace->reads)
        abort();
}

static bool trace_is_small(const struct dram_trace *trace)
{
    if (trace->count > REPLAY_REQUESTS)
        return false;
    for (u64 i = 0; i < trace->count; i++)
        if (trace->requests[i].arrive > REPLAY_CYCLES)
            return false;
    return true;
}

static void trace_replay(const char *path, const char *config)
{
    struct dram_replay_options options = { .trace = path, .config = config };
    struct dram_replay_result r;
    if (!dram_replay(&options, &r, NULL) || r.dead)
        abort();
    if (r.reads != r.RD + r.reads_forwarded || r.writes != r.WR + r.writes_merged)
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    static const char *const configs[] = { "gddr6_14000", "arches_gddr6_14000", "ddr4_3200" };
    char path[64];
    struct dram_trace trace;
    int file = memfd_create("trace", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    bool good = dram_trace_read(&trace, path, NULL);
    if (good)
        trace_check(&trace);
    if (good && trace_is_small(&trace))
        for (u32 i = 0; i < 3; i++)
            trace_replay(path, configs[i]);
    dram_trace_fini(&trace);
    close(file);
    return 0;
}
