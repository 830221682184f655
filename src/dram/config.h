/* config.h - what a memory system is made of: device, controller, address mapping.
 *
 * A configuration only names things; dram_device_init and dram_memory_create check and resolve it.
 * The named ones are a table in config.c: those of the reference runs, and the correct ones that
 * architectures start from. */
#ifndef DRAM_CONFIG_H
#define DRAM_CONFIG_H

#include "base/error.h"
#include "dram/standard.h"

/* Choices by the names that users write, as lists of C(name, with). */
#define DRAM_CHOICE_VALUE(name, prefix) prefix##name,
#define DRAM_CHOICE_NAME(name, with)    #name,

/* The oldest request whose next command may issue now (the reference's rule); the oldest request or
 * nothing; row hits first, but at most `hit_cap` past an older miss of the same bank. */
#define DRAM_SCHEDULERS(C, with)        C(frfcfs, with) C(fcfs, with) C(frfcfs_cap, with)
enum dram_scheduler { DRAM_SCHEDULERS(DRAM_CHOICE_VALUE, DRAM_SCHEDULER_) };

/* A row stays open until another is wanted; a bank is closed after `row_cap` column commands; it is
 * closed `row_timeout` cycles after its last one. */
#define DRAM_ROW_POLICIES(C, with) C(open, with) C(closed, with) C(timeout, with)
enum dram_row_policy { DRAM_ROW_POLICIES(DRAM_CHOICE_VALUE, DRAM_ROW_) };

/* All banks of a rank every nREFI; one bank (or one bank of each group) at a time, equally spaced;
 * never. */
#define DRAM_REFRESHES(C, with) C(all_bank, with) C(per_bank, with) C(none, with)
enum dram_refresh { DRAM_REFRESHES(DRAM_CHOICE_VALUE, DRAM_REFRESH_) };

struct dram_controller {
    enum dram_scheduler scheduler;
    enum dram_row_policy row_policy;
    enum dram_refresh refresh;
    u32 read_capacity, write_capacity; /* requests */
    u32 write_enter;                   /* writes waiting at which a drain starts */
    u32 write_leave;                   /* writes waiting at which it stops if a read waits */
    u32 return_capacity;               /* reads that may be inside at once */
    u32 hit_cap, row_cap;
    u32 row_timeout;
    bool merge_writes;       /* a write to an address that already waits is accepted and dropped */
    bool forward_active;     /* reads also see writes whose row is already open */
    bool yield_to_reads;     /* a drain begun for want of reads ends when one comes */
    bool refresh_blocks_all; /* while maintenance waits, other banks wait as well */
};

struct dram_config {
    const char *name;
    const char *help;
    const char *standard, *organisation, *preset;
    enum dram_variant variant;
    u32 channels, ranks, channel_width; /* 0: as the organisation or standard says */
    const char *mapper;
    struct dram_controller controller;
};

/* NULL when there is no such index, or (with an error that names the nearest) no such name. */
const struct dram_config *dram_config_at(u32 index);
const struct dram_config *dram_config_find(const char *name, struct ogv_error *error);

/* As architectures write it: "gddr6" and "14000" are the configuration gddr6_14000. A standard and
 * one of its own timing presets are a configuration as well: the first correct one of that standard
 * with these timings. */
bool dram_config_choose(struct dram_config *config, const char *standard, const char *preset,
                        struct ogv_error *error);

#endif
