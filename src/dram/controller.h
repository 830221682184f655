/* controller.h - the parts of a channel among themselves. */
#ifndef DRAM_CONTROLLER_H
#define DRAM_CONTROLLER_H

#include "dram/channel.h"

static inline u64 bank_bit(u32 bank)
{
    return UINT64_C(1) << bank;
}

/* ---- schedule.c: which command next ---- */
/* Looks for the first command from `soon` on. */
void schedule_plan(struct dram_channel *channel, cycle soon, bool update_mode);
/* The mode of reading or writing follows the sizes of the queues. */
void schedule_mode(struct dram_channel *channel);

/* Before queues change at `now`: makes up for an update of the mode in a cycle that was skipped. */
static inline void schedule_catch_up(struct dram_channel *channel, cycle now)
{
    if (channel->mode_due <= now)
        schedule_mode(channel);
}

/* Whether a command issues at `now`: that of the channel's plan. If not, next_command says when to
 * look again. A plan was made with the mode up to date, but a drain of writes may begin with it. */
static inline bool schedule_pick(struct dram_channel *channel, cycle now)
{
    const struct dram_pick *plan = &channel->plan;
    if (!channel->planned)
        schedule_plan(channel, now, true);
    else if (channel->write_mode && plan->request != DRAM_NO_REQUEST && !plan->from_active)
        schedule_mode(channel);
    return channel->next_command == now;
}

/* Whether the queues' sizes ask for the other mode. Once switched they no longer do, so between two
 * changes of the sizes it is enough to look once. */
static inline bool mode_is_over(const struct dram_channel *channel)
{
    const struct dram_controller *s = &channel->settings;
    u32 reads = channel->count[DRAM_READ], writes = channel->count[DRAM_WRITE];
    bool full = writes >= s->write_enter;
    if (!channel->write_mode)
        return (full && !channel->owed) || !reads;
    bool drained = writes <= s->write_leave || channel->passing >= DRAM_PATIENCE;
    bool yields = s->yield_to_reads && !channel->draining && !full;
    return reads && (drained || yields);
}

/* After a command that the mode does not outlast. */
void schedule_next_mode(struct dram_channel *channel, cycle soon);

/* After a command: plans the next one, from `soon` on. */
static inline void schedule_next(struct dram_channel *channel, cycle soon)
{
    if (mode_is_over(channel))
        schedule_next_mode(channel, soon);
    else
        schedule_plan(channel, soon, false);
}

/* Drops or replaces the plan if a request that can be next makes a difference to it. */
void schedule_served(struct dram_channel *channel, const struct dram_request *request,
                     enum dram_oldest class, cycle soon);

/* After a request entered its queue as such. Most are behind another of their bank. */
static inline void schedule_entered(struct dram_channel *channel,
                                    const struct dram_request *request, enum dram_oldest class,
                                    cycle soon)
{
    bool served = request->kind == (channel->write_mode ? DRAM_WRITE : DRAM_READ);
    if ((served && class != DRAM_OLDEST) || mode_is_over(channel))
        schedule_served(channel, request, class, soon);
}

/* ---- Latencies, see stats.c ---- */
static inline u32 latency_bin(u64 latency)
{
    if (latency < 16)
        return (u32)latency;
    u32 power = 63 - (u32)__builtin_clzll(latency);
    u32 bin = (power - 2) * 8 + (u32)(latency >> (power - 3) & 7);
    return bin < DRAM_LATENCY_BINS ? bin : DRAM_LATENCY_BINS - 1;
}

static inline void latency_add(struct dram_latency *latency, u64 cycles)
{
    latency->cycles += cycles;
    latency->bins[latency_bin(cycles)]++;
}

/* ---- maintain.c: refresh and row policies ---- */
bool maintain_init(struct dram_channel *channel, struct ogv_error *error);
/* Appends what is due at `now`. */
void maintain_schedule(struct dram_channel *channel, cycle now);
/* The row policy looks at a picked command. */
void maintain_observe(struct dram_channel *channel, const struct dram_pick *pick, cycle now);

static inline bool maintain_empty(const struct dram_channel *channel)
{
    return channel->maintenance_head == channel->maintenance_tail;
}

static inline struct dram_maintenance *maintain_head(struct dram_channel *channel)
{
    return &channel->maintenance[channel->maintenance_head % DRAM_MAINTENANCE_MAX];
}

#endif
