/* device.h - a standard, an organisation and a preset, resolved to numbers.
 *
 * A device is plain data without pointers: counts per level, every timing in cycles, and the
 * constraints as rules sorted by (level, earlier command), so that issuing a command walks only the
 * rules that it can touch. */
#ifndef DRAM_DEVICE_H
#define DRAM_DEVICE_H

#include "dram/config.h"

#define DRAM_RULES_MAX  512
#define DRAM_WINDOW_MAX 4
#define DRAM_BANKS_MAX  64 /* per channel: sets of banks are 64-bit masks */
#define DRAM_NO_SCOPE   255

struct dram_rule {
    u8 later;
    u8 window;
    u32 distance;
};

/* Rules of one kind, grouped: those of (level, earlier) are [begin[level][earlier],
 * begin[level][earlier + 1]). */
struct dram_rules {
    u16 begin[DRAM_NODE_LEVELS][DRAM_COMMANDS + 1];
    struct dram_rule rule[DRAM_RULES_MAX];
};

/* The rules of a command to one bank, those of all levels together and without bounds of commands
 * that no controller issues: [begin[earlier], begin[earlier + 1]). Those of the command with
 * windows are [windowed, end) of them. */
struct dram_bank_rules {
    u16 begin[DRAM_COMMANDS + 1];
    u16 windowed, end;
    struct dram_bank_rule {
        u8 level, window;
        u16 row; /* where that of the later command begins */
        u32 distance;
    } rule[DRAM_RULES_MAX];
};

struct dram_device {
    u32 standard; /* index: a device holds no pointers */
    u32 variant;
    u32 rate, density_mb, dq;
    u32 prefetch, channel_width, transaction_bytes;
    u32 tck_ps;
    u32 count[DRAM_LEVELS];
    i32 timing[DRAM_TIMINGS]; /* cycles; -1: not of this standard */
    u32 read_latency;         /* RD to the end of its data */
    u32 write_latency;
    u32 burst;           /* cycles of data bus per transaction */
    u32 column_distance; /* smallest distance of two column commands */
    u32 row_distance;    /* no column command of a bank comes sooner after its ACT */
    u8 scope[DRAM_COMMANDS];
    u8 windowed;      /* the command whose history is kept */
    u8 window_levels; /* and at which levels */
    bool activates_twice, synchronises_clock, refreshes;
    u32 refresh_targets; /* refreshes of a rank that are one of all of it; 0: none are wanted */

    u32 banks;         /* of a channel */
    u32 banks_of_rank; /* likewise */
    u32 node_begin[DRAM_NODE_LEVELS + 1];
    u32 row_bounds; /* bounds of all nodes for one command, in whole cache lines */
    u32 siblings;   /* commands that bind siblings */
    struct dram_rules own, sibling;
    struct dram_bank_rules bank;
};

/* One constraint between two single commands, with its number. */
struct dram_distance {
    enum dram_level level;
    enum dram_command earlier, later;
    u32 cycles, window;
    bool sibling;
};

bool dram_device_init(struct dram_device *device, const struct dram_config *config,
                      struct ogv_error *error);

/* One command refreshes the same bank of every group. */
static inline bool dram_device_refreshes_same_bank(const struct dram_device *device)
{
    return device->scope[DRAM_PRESB] != DRAM_NO_SCOPE;
}

/* The clock that cycles are counted in, and all bytes of all channels. */
u64 dram_device_clock_hz(const struct dram_device *device);
u64 dram_device_capacity(const struct dram_device *device);

/* The data buses: channels, or pseudochannels where a standard has them. */
u32 dram_device_buses(const struct dram_device *device);

/* The constraints as the tables list them, one pair of commands at a time, duplicates included and
 * distances of no effect left out. `cursor` starts at 0; false at the end. */
bool dram_device_distance(const struct dram_device *device, u64 *cursor,
                          struct dram_distance *distance);

#endif
