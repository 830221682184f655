/* dram.h - the DRAM partition, for its own files: dram.c (time and data), build.c (from parameters
 * to channels), report.c (statistics and what they explain). */
#ifndef UNIT_DRAM_DRAM_H
#define UNIT_DRAM_DRAM_H

#include "dram/memory.h"
#include "ogive/explain.h"
#include "unit/parts/store.h"

/* The n-th choice of the list is n + 1 then. */
#define CONFIG_OR(LIST) ("config" LIST(UNIT_CHOICE_WORD, ))

/* 0, "" and `config` stand for what the configuration says. */
#define DRAM_PARAMS(P)                                                                            \
    P(words, standard, "", 0, 64, "with `preset`: the configuration STANDARD_PRESET")             \
    P(words, preset, "", 0, 64, "speed, or a timing preset of the standard")                      \
    P(words, config, "", 0, 64, "any configuration of `ogive dram list`, instead of these two")   \
    P(bytes, size, 256 * MiB, 64, 16 * GiB, "capacity in use, at most that of the devices")       \
    P(cycles, controller, 0, 0, 100000, "cycles from taking a request to the controller's queue") \
    P(number, channels, 0, 0, 64, "channels; 0: as the configuration says, also below")           \
    P(bits, width, 0, 0, 1024, "data pins of a channel")                                          \
    P(number, ranks, 0, 0, 64, "ranks of a channel")                                              \
    P(words, organisation, "", 0, 64, "size and shape of a device, see `ogive dram list`")        \
    P(words, mapper, "", 0, 128, "address bits from the highest down, such as RoBaRaCoBgChCo2")   \
    P(choice, scheduler, "config", CONFIG_OR(DRAM_SCHEDULERS), 0, "which request goes first")     \
    P(number, hit_cap, 0, 0, UINT32_MAX, "frfcfs_cap: row hits that may pass an older miss")      \
    P(choice, rows, "config", CONFIG_OR(DRAM_ROW_POLICIES), 0, "when a row is closed unasked")    \
    P(number, row_cap, 0, 0, UINT32_MAX, "closed: after this many accesses")                      \
    P(cycles, row_timeout, 0, 0, UINT32_MAX, "timeout: after this long without an access")        \
    P(choice, refresh, "config", CONFIG_OR(DRAM_REFRESHES), 0, "how rows are refreshed")          \
    P(number, reads, 0, 0, 16384, "reads that a channel's queue holds")                           \
    P(number, writes, 0, 0, 16384, "writes that a channel's queue holds")                         \
    P(number, drain_from, 0, 0, 16384, "writes waiting at which they go first")                   \
    P(number, drain_to, 0, 0, 16384, "writes left at which reads go first again")                 \
    P(number, depth, 256, 1, 16384, "requests of one channel that may be inside at once")         \
    P(flag, any_clock, 0, 0, 1, "allow a clock that is not the devices'")

#define DRAM_STATS(S)                                                                              \
    S(reads, "requests", SUM, WORK, "reads accepted")                                              \
    S(writes, "requests", SUM, WORK, "writes accepted")                                            \
    S(atomics, "requests", SUM, WORK, "atomic operations executed")                                \
    S(faults, "requests", SUM, WORK, "requests beyond the end of the memory")                      \
    S(forwarded, "requests", SUM, WORK, "reads answered by a write that still waited")             \
    S(merged, "requests", SUM, WORK, "writes that another to the same place, waiting, took in")    \
    S(bytes_read, "bytes", SUM, WORK, "data read from the devices, in whole transactions")         \
    S(bytes_written, "bytes", SUM, WORK, "data written to the devices, in whole transactions")     \
    S##_ARRAY(read_for, PURPOSE_READS) S##_ARRAY(written_for, PURPOSE_WRITES) S(                   \
        row_hits, "requests", SUM, WORK,                                                           \
        "requests that found their row open") S(row_misses, "requests", SUM, WORK,                 \
                                                "requests that found no row open")                 \
        S(row_conflicts, "requests", SUM, WORK, "requests that found another row open") S(         \
            rd, "commands", SUM, WORK,                                                             \
            "column reads") S(wr, "commands", SUM, WORK,                                           \
                              "column writes") S(act, "commands", SUM, WORK,                       \
                                                 "rows opened") S(pre, "commands", SUM, WORK,      \
                                                                  "precharges of one bank or "     \
                                                                  "several")                       \
            S(ref, "commands", SUM, WORK, "refreshes of one bank or several") S(                   \
                single_access_rows, "rows", SUM, WORK,                                             \
                "rows closed after one access") S(turnarounds, "times", SUM, WORK,                 \
                                                  "changes of the data bus between reading and "   \
                                                  "writing") S(drains, "times", SUM, WORK,         \
                                                               "times that writes went first")     \
                S(taken, "requests", SUM, WORK, "requests that reached their channel") S(          \
                    controller_cycles, "cycles", SUM, WORK,                                        \
                    "from taking a request to its acceptance, over all")                           \
                    S(answered, "requests", SUM, WORK, "reads whose data has come") S(             \
                        latency_cycles, "cycles", SUM, WORK,                                       \
                        "from a read's acceptance to its data, over all")                          \
                        S(latency_p50, "cycles", MAX, RATE,                                        \
                          "median of that; this and the next two at most 1/8 high")                \
                            S(latency_p95, "cycles", MAX, RATE, "95 of 100 reads take no longer")  \
                                S(latency_p99, "cycles", MAX, RATE,                                \
                                  "99 of 100 reads take no longer") S(queue_cycles, "cycles", SUM, \
                                                                      WORK,                        \
                                                                      "of latency_cycles: until "  \
                                                                      "the first command")         \
                                    S(service_cycles, "cycles", SUM, WORK,                         \
                                      "of latency_cycles: from the first command on")              \
                                        S(read_queue, "requests", SUM, WORK,                       \
                                          "reads waiting, summed over all cycles")                 \
                                            S(write_queue, "requests", SUM, WORK,                  \
                                              "writes waiting, summed over all cycles")            \
                                                S(channel_cycles, "cycles", SUM, WORK,             \
                                                  "channels times cycles")                         \
                                                    S(bus_busy, "cycles", SUM, WORK,               \
                                                      "cycles of the "                             \
                                                      "data buses in "                             \
                                                      "use") S(bus_cycles, "cycles", SUM, WORK,    \
                                                               "cycles of the data buses")         \
                                                        S(bus_pending, "cycles", SUM, WORK,        \
                                                          "of these, while their channel had a "   \
                                                          "request inside")                        \
                                                            S(energy_activate, "pJ", SUM, WORK,    \
                                                              "of opening rows; all zero: no "     \
                                                              "currents are published")            \
                                                                S(energy_precharge, "pJ", SUM,     \
                                                                  WORK, "of closing rows")         \
                                                                    S(energy_read, "pJ", SUM,      \
                                                                      WORK,                        \
                                                                      "of column "                 \
                                                                      "reads") S(energy_write,     \
                                                                                 "pJ", SUM, WORK,  \
                                                                                 "of column "      \
                                                                                 "writes")         \
                                                                        S(energy_refresh, "pJ",    \
                                                                          SUM, WORK,               \
                                                                          "of refreshes")          \
                                                                            S(energy_background,   \
                                                                              "pJ", SUM, WORK,     \
                                                                              "of standing by")

#define DRAM_RATIOS(R)                                                                      \
    R(utilisation, bus_busy, bus_cycles, "share", "bandwidth as a share of the peak")       \
    R(efficiency, bus_busy, bus_pending, "share", "the same while there were requests")     \
    R(latency_mean, latency_cycles, answered, "cycles", "average of a read's latency")      \
    R(queue_mean, queue_cycles, rd, "cycles", "average time until a read's first command")  \
    R(service_mean, service_cycles, rd, "cycles", "average time from there on")             \
    R(controller_mean, controller_cycles, taken, "cycles", "average time until acceptance") \
    R(read_queue_mean, read_queue, channel_cycles, "requests", "average reads in a queue")  \
    R(write_queue_mean, write_queue, channel_cycles, "requests", "average writes in a queue")

#define DRAM_ENERGY(E)                                                                  \
    E(activate, energy_activate, COST_COUNTED, "of opening rows, from supply currents") \
    E(precharge, energy_precharge, COST_COUNTED, "of closing rows")                     \
    E(read, energy_read, COST_COUNTED, "of column reads")                               \
    E(write, energy_write, COST_COUNTED, "of column writes")                            \
    E(refresh, energy_refresh, COST_COUNTED, "of refreshes")                            \
    E(background, energy_background, COST_COUNTED, "of standing by")                    \
    E(io_read, bytes_read, COST_UNKNOWN,                                                \
      "pins and termination, a byte read: supply currents leave them out")              \
    E(io_write, bytes_written, COST_UNKNOWN, "pins and termination, a byte written")

#define DRAM_PORTS(T) T(users, SERVES, SOME, "who may ask")

_Static_assert(PURPOSE_COUNT <= DRAM_ACCOUNTS, "an account for each purpose");

/* A request inside; `next` is in whichever list it is. One cache line, so that little of the host's
 * cache waits for the device. */
struct __attribute__((aligned(64))) slot_of_request {
    struct message message; /* the answer, once it was executed */
    u32 user, next;
};

/* A request on its way to its channel: what is done with when that accepts it. Taken again at once,
 * those few stay in the host's cache. */
struct __attribute__((aligned(64))) arrival {
    struct dram_address place;
    u64 local;   /* its address as this memory counts */
    cycle ready; /* when it reaches the channel's queues */
    u32 slot, next;
    bool moves_data; /* no fence, and there is such memory */
    bool shows;      /* others can see at once that the request was accepted: no plain read */
};

_Static_assert(sizeof(struct slot_of_request) == 64 && sizeof(struct arrival) == 64,
               "a cache line each");

struct list {
    u32 first, last; /* slots, or arrivals; NOBODY: empty */
};

/* A channel's side of the partition: one cache line. */
struct __attribute__((aligned(64))) lane {
    cycle next;           /* nothing comes out of it before this cycle */
    cycle offer_at;       /* when the first of `arriving` is offered to the channel; NEVER: none */
    cycle taken_at;       /* cycle of the last request taken */
    struct list arriving; /* in the order in which they were taken */
    u32 arriving_to_show; /* of those, all but plain reads */
    u32 free, spare;      /* slots and arrivals, in lists as well */
    u32 turn;             /* the user behind the one served last */
    u32 chosen;           /* while requests are taken: the user whose turn it is */
    u32 purpose;          /* place of the range that its last read was of, or any other */
    bool refused;         /* the first of `arriving` waits for a tick that makes room */
};

struct user {
    struct list answers; /* that wait for room in the link */
    u32 writes;          /* taken and not yet executed: a fence waits for them */
};

struct dram {
    struct unit base;
    UNIT_FIELDS(DRAM)
    struct dram_memory *memory;
    struct store store;
    struct slot_of_request *slots; /* those of channel i: [i x depth, (i + 1) x depth) */
    struct arrival *arrivals;      /* as many */
    struct lane *lanes;
    struct user *users;
    u64 *answering;       /* bit i: user i has answers waiting */
    u64 transaction_mask; /* of an address: its transaction */
    u64 placed;           /* the last address that was placed, and */
    struct dram_address place;
};

/* In dram.c: brings all channels up to the beginning of `now`. */
void dram_run(struct dram *u, cycle now);

/* In build.c. */
bool dram_init(struct unit *unit, struct ogv_error *error);

/* In report.c. */
void dram_report(struct unit *unit, cycle now);
void dram_costs(const struct unit *unit, struct unit_costs *costs);
extern const struct resource_row dram_resource_rows[];
extern const struct figure_row dram_figure_rows[];

#endif
