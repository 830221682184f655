/* replay.h - a request trace played to a memory, cycle by cycle, and everything that came of it.
 *
 * Clock c counts the ticks done. At each c up to K requests are offered in file order as long as
 * their arrival is <= c, fewer than W reads are outstanding (if W > 0), and none is refused; then
 * the memory ticks. The run ends when all requests are served; total_cycles is the later of the
 * last read returned and the last column command. Commands after it are not counted. */
#ifndef DRAM_REPLAY_H
#define DRAM_REPLAY_H

#include <stdio.h>

#include "dram/memory.h"

struct dram_replay_options {
    const char *trace;                  /* path; .gz is read directly */
    const char *config;                 /* name of a configuration */
    const struct dram_config *explicit; /* used instead of the name if not NULL */
    FILE *commands;                     /* gets the command stream if not NULL */
    FILE *requests;                     /* gets one line per request if not NULL */
    bool every_cycle;                   /* tick each cycle instead of skipping; same results */

    /* Called now and then, if not NULL, with the requests accepted so far and all of them. */
    void (*progress)(void *context, u64 done, u64 total);
    void *progress_context;
};

/* Column of the result: type, name, decimals (reals only). Types: count, real, hash. */
#define DRAM_REPLAY_COLUMNS(C)                \
    C(count, requests, 0)                     \
    C(count, reads, 0)                        \
    C(count, writes, 0)                       \
    C(count, total_cycles, 0)                 \
    C(count, dead, 0)                         \
    C(real, avg_read_latency, 4)              \
    C(real, avg_read_callback_latency, 4)     \
    C(count, min_lat, 0)                      \
    C(count, p50_lat, 0)                      \
    C(count, p95_lat, 0)                      \
    C(count, p99_lat, 0)                      \
    C(count, max_lat, 0)                      \
    C(count, reads_forwarded, 0)              \
    C(real, avg_read_latency_nonforwarded, 4) \
    C(count, writes_merged, 0)                \
    C(count, row_hits, 0)                     \
    C(count, row_misses, 0)                   \
    C(count, row_conflicts, 0)                \
    C(count, read_hits, 0)                    \
    C(count, read_misses, 0)                  \
    C(count, read_conflicts, 0)               \
    C(count, write_hits, 0)                   \
    C(count, write_misses, 0)                 \
    C(count, write_conflicts, 0)              \
    C(count, ACT, 0)                          \
    C(count, PRE, 0)                          \
    C(count, PREA, 0)                         \
    C(count, RD, 0)                           \
    C(count, WR, 0)                           \
    C(count, REFab, 0)                        \
    C(count, n_commands, 0)                   \
    C(hash, cmd_fnv1a64, 0)                   \
    C(count, tx_bytes, 0)                     \
    C(real, bytes_per_cycle, 5)               \
    C(real, peak_bytes_per_cycle, 5)          \
    C(real, utilisation, 5)                   \
    C(count, max_outstanding_reads, 0)        \
    C(count, inject_rejections, 0)

typedef u64 dram_replay_count;
typedef u64 dram_replay_hash;
typedef double dram_replay_real;

struct dram_replay_result {
#define DRAM_REPLAY_FIELD(type, name, decimals) dram_replay_##type name;
    DRAM_REPLAY_COLUMNS(DRAM_REPLAY_FIELD)
#undef DRAM_REPLAY_FIELD
    u64 issued[DRAM_COMMANDS]; /* up to total_cycles */
    struct dram_stats stats;   /* summed over the channels, up to the end of the run */
};

bool dram_replay(const struct dram_replay_options *options, struct dram_replay_result *result,
                 struct ogv_error *error);

/* One column as results.csv writes it; NULL past the last. */
const char *dram_replay_column(const struct dram_replay_result *result, u32 index,
                               struct text *value);

#endif
