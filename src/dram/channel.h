/* channel.h - one DRAM channel: its controller and its banks.
 *
 * Use: offer requests at cycle c, tick at cycle c + 1, take what the tick reports; skip cycles
 * before dram_channel_next() freely. A channel is plain data in memory that the caller gave; its
 * pointers stay inside that memory.
 *
 * Always true:
 *   - at most one command issues per cycle, and none before every timing rule allows it;
 *   - a request is in exactly one place: a bank's read or write list, the active list (its row was
 *     opened for it, its column command is still to come), or, reads only, the return ring;
 *   - a bank with an active request is not precharged, so a bank has at most one of them;
 *   - requests accepted = answered + merged + held. */
#ifndef DRAM_CHANNEL_H
#define DRAM_CHANNEL_H

#include "dram/mapper.h"
#include "dram/timing.h"

/* Column commands that may pass a request of another row or kind, whatever the settings say: nobody
 * waits for ever. Far above all that happens in the reference runs, whose controllers know no such
 * bound. */
#define DRAM_PATIENCE   1024

#define DRAM_ACCOUNTS   8

#define DRAM_NO_REQUEST UINT16_MAX
#define DRAM_NO_TAG     UINT64_MAX

enum dram_kind { DRAM_READ, DRAM_WRITE, DRAM_KINDS };

/* The three requests of a bank's list that can have the next command: the oldest of all, the oldest
 * for the open row, the oldest for another row. The last two mean something only while a row is
 * open. */
enum dram_oldest { DRAM_HEAD, DRAM_HIT, DRAM_MISS, DRAM_OLDEST };

struct dram_request {
    u64 address;
    u64 row;
    u64 tag;
    u64 sequence; /* order of acceptance */
    cycle arrival;
    cycle first; /* its first command; 0: none yet */
    u32 column;
    u16 next, previous; /* in the bank's list of this kind, or in the active list */
    u8 bank;
    u8 kind;
    u8 account;
};

/* One cache line. */
struct dram_bank {
    u64 row;
    cycle last_column;
    u32 columns; /* column commands since the row policy last reset it */
    u32 served;  /* column commands since the row was opened */
    u32 streak;  /* of those, the ones that passed an older miss */
    struct dram_place place;
    struct dram_path path;
    u16 oldest[DRAM_KINDS][DRAM_OLDEST];
    u16 tail[DRAM_KINDS];
};

_Static_assert(sizeof(struct dram_bank) == 64, "found by a shift");

/* A finished read on its way back. */
struct dram_return {
    u64 tag;
    cycle depart, arrival;
};

/* A refresh or a close-row: `final` is the command that completes it, `prepare` the one that closes
 * the banks it needs closed (DRAM_COMMANDS: none). */
struct dram_maintenance {
    struct dram_place place;
    u64 banks;
    i64 row, column; /* as the command stream shows them */
    u8 final, prepare;
};

/* Which command goes next, for which request, and when. */
struct dram_pick {
    cycle at;    /* NEVER, if there is none */
    u32 command; /* DRAM_COMMANDS: none */
    u16 request; /* DRAM_NO_REQUEST: maintenance */
    u8 bank;
    bool from_active;
};

#define DRAM_MAINTENANCE_MAX 128
#define DRAM_LATENCY_BINS    256

/* Latencies in cycles: their sum, and how many lie in which bin (see dram_latency_percentile). */
struct dram_latency {
    u64 cycles;
    u64 bins[DRAM_LATENCY_BINS];
};

/* Counters of one channel; all of them only grow. */
struct dram_stats {
    u64 reads, writes;                  /* accepted */
    u64 reads_forwarded, writes_merged; /* of those, never sent to the device */
    u64 refused;                        /* offers */
    u64 hits[DRAM_KINDS], misses[DRAM_KINDS], conflicts[DRAM_KINDS];
    u64 issued[DRAM_COMMANDS];
    u64 columns[DRAM_KINDS][DRAM_ACCOUNTS]; /* column commands by account: the sum of RD or WR */
    struct dram_latency latency;            /* of reads: accepted to data */
    u64 queue_cycles;   /* of these: accepted to first command; forwarded reads have none */
    u64 service_cycles; /* first command to data */
    u64 read_queue_cycles, write_queue_cycles; /* requests waiting, summed over cycles */
    u64 open_cycles;                           /* cycles with a row open somewhere */
    u64 pending_cycles;     /* cycles with a request waiting, or its data on the way */
    u64 turnarounds;        /* column commands of the other kind than the last */
    u64 single_access_rows; /* rows closed after one column command */
    u64 drains;             /* times that write mode was entered with writes */
};

struct dram_channel {
    const struct dram_device *device;
    struct dram_controller settings;
    struct dram_timing_state timing;

    cycle next;         /* nothing but returns happens before this cycle */
    cycle next_command; /* no command issues before this cycle */
    cycle next_refresh;
    cycle next_timeout;
    struct dram_pick plan; /* the next command, if nothing changes until then */
    bool planned;          /* something has not */
    bool usual;            /* plans have a short way */

    u64 waiting[DRAM_KINDS]; /* banks with requests of that kind */
    u64 hits[DRAM_KINDS];    /* banks with a request for their open row */
    u64 misses[DRAM_KINDS];  /* banks with a request for another row than the open one */
    u64 weary[DRAM_KINDS]; /* banks whose row was used for long while an older one wants another */
    u64 capped;            /* banks with `hit_cap` hits that passed an older miss */
    u64 open, opening, active;
    u64 due; /* banks with a close-row request under way */
    struct dram_bank *banks;
    struct dram_request *requests;
    u16 free;
    u16 active_head, active_tail; /* in the order in which their rows were opened */
    u32 count[DRAM_KINDS];
    u64 sequence;
    bool write_mode, draining;
    u32 passing;    /* writes sent since a read waits */
    u32 owed;       /* reads that have waited for long: no drain starts before they were sent */
    cycle mode_due; /* the mode is still to be updated as of this cycle; NEVER: it is up to date */
    u8 last_column_kind;

    struct dram_return *returns; /* ring of return_mask + 1 */
    u32 return_mask;
    u64 return_head, return_tail;
    cycle return_from; /* one returns per cycle: the next one not before this */
    u64 reads_inside, writes_inside;

    u64 maintenance_head, maintenance_tail;
    u32 refresh_interval, refresh_target;

    /* Where occupancy counters stand; dram_channel_settle makes statistics of them. */
    u64 queued[DRAM_KINDS]; /* cycles that requests have waited, less the arrival of each that does
                             */
    cycle open_since;       /* if a row is open anywhere: not yet counted from here on */
    cycle pending_since;    /* if a request is waiting: likewise */
    cycle moving;           /* data is on the way until then, which pending_cycles has in it */
    struct dram_stats stats;
    cycle synchronised_until[DRAM_BANKS_MAX]; /* per rank: the data clock runs until then */
    struct dram_maintenance maintenance[DRAM_MAINTENANCE_MAX];
};

/* A command as it issued. */
struct dram_issue {
    u32 command;
    struct dram_place place;
    i64 row, column; /* -1: none */
    u64 tag;         /* of the request it was for; DRAM_NO_TAG: maintenance */
};

/* What one cycle did. */
struct dram_tick {
    bool issued, returned;
    struct dram_issue issue;
    u64 returned_tag;
    cycle returned_depart; /* when the data was complete; the return may come later */
};

/* Memory must come zeroed and aligned. */
typedef void *dram_allocate(void *context, u64 size, u64 align);

bool dram_channel_init(struct dram_channel *channel, const struct dram_device *device,
                       const struct dram_controller *settings, dram_allocate *allocate,
                       void *context, struct ogv_error *error);

/* Between the ticks of `now` and `now` + 1. False: full, ask again later; nothing has changed then
 * but the count of refusals. */
bool dram_channel_offer(struct dram_channel *channel, cycle now, enum dram_kind kind, u64 address,
                        const struct dram_address *place, u64 tag);

/* Whether the same offer would be accepted. */
bool dram_channel_accepts(const struct dram_channel *channel, enum dram_kind kind, u64 address,
                          u32 bank);

/* Whether every read would be refused. */
static inline bool dram_channel_refuses_reads(const struct dram_channel *channel)
{
    bool full = channel->count[DRAM_READ] >= channel->settings.read_capacity;
    return channel->reads_inside > channel->return_mask || (full && !channel->writes_inside);
}

/* Cycle `now`, which must not lie before the last one ticked nor skip dram_channel_next(). */
void dram_channel_tick(struct dram_channel *channel, cycle now, struct dram_tick *tick);

/* The same in two parts, for those who do not want to know which commands issue: those up to `to`,
 * and then, one by one, the reads that return up to then. */
void dram_channel_advance(struct dram_channel *channel, cycle to);
u64 dram_channel_return(struct dram_channel *channel);

/* The oldest finished read is returned in that cycle; NEVER: there is none. */
static inline cycle dram_channel_return_at(const struct dram_channel *channel)
{
    if (channel->return_head == channel->return_tail)
        return NEVER;
    return max_u64(channel->returns[channel->return_head & channel->return_mask].depart,
                   channel->return_from);
}

/* The first cycle at which a tick might do something; NEVER while there is nothing to do. It may be
 * early (the tick then does nothing), never late. */
static inline cycle dram_channel_next(const struct dram_channel *channel)
{
    return min_u64(channel->next, dram_channel_return_at(channel));
}

/* No read that is inside returns before this cycle; NEVER: there is none. */
static inline cycle dram_channel_next_return(const struct dram_channel *channel)
{
    if (channel->return_head != channel->return_tail)
        return channel->returns[channel->return_head & channel->return_mask].depart;
    return channel->reads_inside ? channel->next + channel->device->read_latency : NEVER;
}

/* No read that enters at `now` returns before this cycle: one that finds a write of its data is
 * answered at once. */
static inline cycle dram_channel_return_of(const struct dram_channel *channel, cycle now)
{
    return now + 1 + (channel->writes_inside ? 0 : channel->device->read_latency);
}

/* Brings the occupancy counters up to `now`. */
void dram_channel_settle(struct dram_channel *channel, cycle now);

/* Requests inside, returns included. */
u64 dram_channel_held(const struct dram_channel *channel);

/* The upper end of the bin in which the q-th share (0 to 1) of all latencies lies: at most one
 * eighth above the true value. */
u64 dram_latency_percentile(const struct dram_latency *latency, double q);
void dram_stats_add(struct dram_stats *sum, const struct dram_stats *stats);

#endif
