/* schedule.h - which command a channel issues next, for channel.c.
 *
 * In this order: requests whose row was opened for them; then the oldest maintenance; then reads,
 * or writes while they are being drained. From a queue only up to three requests per bank can be
 * next (queue.h), so a choice looks at banks, not at requests, and at none of them for a class of
 * commands that the channel as a whole does not allow soon enough.
 *
 * One look finds the next command and its cycle. Until then no bound changes, so that the choice
 * stays right unless something new comes: a request that is wanted earlier, or maintenance. A look
 * is in line in the cycle that it comes from, so that what it compares stays in registers. */
#ifndef DRAM_SCHEDULE_H
#define DRAM_SCHEDULE_H

#include "dram/controller.h"

#define IN_LINE static inline __attribute__((always_inline))
#define SELDOM  static __attribute__((noinline))

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

/* The mode of reading or writing follows the sizes of the queues. */
SELDOM void schedule_mode(struct dram_channel *channel)
{
    u32 writes = channel->count[DRAM_WRITE];
    if (mode_is_over(channel)) {
        channel->write_mode = !channel->write_mode;
        channel->draining = false;
        channel->owed = channel->passing >= DRAM_PATIENCE ? channel->count[DRAM_READ] : 0;
        channel->passing = 0;
        channel->stats.drains += channel->write_mode && writes;
    }
    channel->draining |= channel->write_mode && writes >= channel->settings.write_enter;
    channel->mode_due = NEVER;
}

/* Before queues change at `now`: makes up for an update of the mode in a cycle that was skipped. */
static inline void schedule_catch_up(struct dram_channel *channel, cycle now)
{
    if (channel->mode_due <= now)
        schedule_mode(channel);
}

/* The best so far: the earliest cycle wins, of equals the smallest age. */
struct choice {
    cycle at; /* NEVER: none yet */
    u64 age;
    cycle soon; /* the first cycle in question */
    u32 command, request;
};

IN_LINE void choice_set(struct choice *choice, cycle at, u64 age, u32 request, u32 command)
{
    choice->at = at;
    choice->age = age;
    choice->request = request;
    choice->command = command;
}

IN_LINE void choice_offer(struct choice *choice, cycle ready, u64 age, u32 request, u32 command)
{
    cycle at = max_u64(ready, choice->soon);
    if (at < choice->at || (at == choice->at && age < choice->age))
        choice_set(choice, at, age, request, command);
}

/* What is offered from here on has to be earlier; true: nothing can be. */
IN_LINE bool choice_closes(struct choice *choice)
{
    choice->age = 0;
    return choice->at == choice->soon;
}

/* What the nodes above a bank say, but for the channel; `earliest` is the command's row of bounds.
 * Here and below, `usual` is a constant: true in the short way (see schedule_plan). */
IN_LINE cycle ready_above(const struct dram_bank *b, const cycle *earliest, bool usual)
{
    cycle group = earliest[b->path.node[DRAM_BANKGROUP]];
    return usual ? group : max_u64(group, earliest[b->path.node[DRAM_RANK]]);
}

/* The oldest request of the wanted class in each bank of the mask, with its command. */
IN_LINE void scan(const struct dram_channel *channel, struct choice *choice, u64 banks, u32 command,
                  u32 kind, enum dram_oldest class, bool usual)
{
    if (!banks)
        return;
    const cycle *earliest = channel->timing.row[command];
    const cycle *of_bank = earliest + channel->timing.banks;
    cycle floor = max_u64(*earliest, choice->soon);
    if (floor > choice->at)
        return;
    for (; banks; banks &= banks - 1) {
        u32 bank = (u32)__builtin_ctzll(banks);
        const struct dram_bank *b = &channel->banks[bank];
        if (of_bank[bank] > choice->at)
            continue; /* without a look at the bank, or below at the request: both may be far from
                         the cache */
        cycle ready = max_u64(max_u64(of_bank[bank], ready_above(b, earliest, usual)), floor);
        if (ready > choice->at)
            continue;
        u32 request = b->oldest[kind][class];
        u64 sequence = channel->requests[request].sequence;
        if (ready < choice->at || sequence < choice->age)
            choice_set(choice, ready, sequence, request, command);
    }
}

static inline u32 column_command(u32 kind)
{
    _Static_assert(DRAM_WR - DRAM_RD == DRAM_WRITE - DRAM_READ, "in the same order");
    return DRAM_RD + kind;
}

/* When a column command to the bank is allowed. While the data clock may have stopped, the command
 * that synchronises it takes its place where it has stopped or will have by then. */
IN_LINE cycle column_ready(const struct dram_channel *channel, const struct dram_bank *b, u32 kind,
                           cycle soon, u32 *command, bool usual)
{
    *command = column_command(kind);
    const cycle *earliest = channel->timing.row[*command];
    cycle ready = max_u64(
        *earliest, max_u64(earliest[b->path.node[DRAM_BANK]], ready_above(b, earliest, usual)));
    if (usual || !channel->device->synchronises_clock)
        return ready;
    cycle until = channel->synchronised_until[b->place.rank];
    if (max_u64(ready, soon) <= until)
        return ready;
    *command = kind == DRAM_WRITE ? DRAM_CASWR : DRAM_CASRD;
    /* As late as possible: the cycle before the column command may issue. */
    cycle start = max_u64(until + 1, ready ? ready - 1 : 0);
    return max_u64(start, max_u64(timing_ready_channel(&channel->timing, *command),
                                  channel->timing.row[*command][b->path.node[DRAM_RANK]]));
}

IN_LINE void scan_columns(const struct dram_channel *channel, struct choice *choice, u64 banks,
                          u32 kind, bool usual)
{
    if (usual || !channel->device->synchronises_clock) {
        scan(channel, choice, banks, column_command(kind), kind, DRAM_HIT, usual);
        return;
    }
    for (; banks; banks &= banks - 1) {
        u32 bank = (u32)__builtin_ctzll(banks), command;
        u16 request = channel->banks[bank].oldest[kind][DRAM_HIT];
        cycle ready =
            column_ready(channel, &channel->banks[bank], kind, choice->soon, &command, false);
        choice_offer(choice, ready, channel->requests[request].sequence, request, command);
    }
}

/* Whether an active request, and so all whose rows were opened later, come too late. */
IN_LINE bool active_is_late(const struct dram_channel *channel, const struct choice *choice,
                            u32 index)
{
    const struct dram_bank *b = &channel->banks[channel->requests[index].bank];
    return !b->served && b->last_column + channel->device->row_distance > choice->at;
}

IN_LINE void active_offer(const struct dram_channel *channel, struct choice *choice, u32 index,
                          bool usual)
{
    const struct dram_request *r = &channel->requests[index];
    const struct dram_bank *b = &channel->banks[r->bank];
    u32 command = DRAM_ACT2;
    cycle ready = !usual && channel->opening >> r->bank & 1
                      ? timing_ready_bank(&channel->timing, &b->path, command)
                      : column_ready(channel, b, r->kind, choice->soon, &command, usual);
    choice_offer(choice, ready, r->arrival, index, command);
}

/* Requests whose row is open (or opening) on their behalf, in the order in which rows were opened:
 * the earliest arrival wins, the first of equals stays. */
IN_LINE void scan_active(const struct dram_channel *channel, struct choice *choice, bool usual)
{
    u32 index = channel->active_head;
    while (index != DRAM_NO_REQUEST) {
        active_offer(channel, choice, index, usual);
        index = channel->requests[index].next;
        if (usual && index != DRAM_NO_REQUEST && active_is_late(channel, choice, index))
            return;
    }
}

/* FR-FCFS as the reference has it: any command of the oldest request that can go. */
IN_LINE void scan_frfcfs(const struct dram_channel *channel, struct choice *choice, u32 kind,
                         u64 banks)
{
    scan_columns(channel, choice, channel->hits[kind] & ~channel->weary[kind] & banks, kind, false);
    scan(channel, choice, channel->misses[kind] & channel->open & banks, DRAM_PRE, kind, DRAM_MISS,
         false);
    scan(channel, choice, channel->waiting[kind] & ~(channel->open | channel->opening) & banks,
         DRAM_ACT, kind, DRAM_HEAD, false);
}

/* Banks whose hits have passed an older miss often enough. */
IN_LINE u64 banks_capped(const struct dram_channel *channel, u32 kind)
{
    u64 capped = 0;
    u64 both = channel->hits[kind] & channel->misses[kind] & channel->capped;
    for (; both; both &= both - 1) {
        u32 bank = (u32)__builtin_ctzll(both);
        const u16 *oldest = channel->banks[bank].oldest[kind];
        if (channel->requests[oldest[DRAM_MISS]].sequence <
            channel->requests[oldest[DRAM_HIT]].sequence)
            capped |= bank_bit(bank);
    }
    return capped;
}

/* Row hits first, rows with hits left open until the cap. */
IN_LINE void scan_frfcfs_cap(const struct dram_channel *channel, struct choice *choice, u32 kind,
                             u64 banks, bool usual)
{
    u64 useful = channel->hits[kind] & ~channel->weary[kind] & ~banks_capped(channel, kind);
    scan_columns(channel, choice, useful & banks, kind, usual);
    if (choice_closes(choice))
        return;
    u64 closable = channel->misses[kind] & channel->open & ~useful & ~channel->active;
    scan(channel, choice, closable & banks, DRAM_PRE, kind, DRAM_MISS, usual);
    scan(channel, choice, channel->waiting[kind] & ~(channel->open | channel->opening) & banks,
         DRAM_ACT, kind, DRAM_HEAD, usual);
}

static u32 bank_of_oldest(const struct dram_channel *channel, u32 kind)
{
    u64 best = UINT64_MAX;
    u32 oldest = 0;
    for (u64 banks = channel->waiting[kind]; banks; banks &= banks - 1) {
        u32 bank = (u32)__builtin_ctzll(banks);
        u64 age = channel->requests[channel->banks[bank].oldest[kind][DRAM_HEAD]].sequence;
        if (age < best) {
            best = age;
            oldest = bank;
        }
    }
    return oldest;
}

IN_LINE void scan_fcfs(const struct dram_channel *channel, struct choice *choice, u32 kind,
                       u64 banks)
{
    u32 bank = bank_of_oldest(channel, kind);
    const u16 *oldest = channel->banks[bank].oldest[kind];
    u64 bit = bank_bit(bank) & banks;
    if (channel->open & bit && oldest[DRAM_HEAD] == oldest[DRAM_HIT])
        scan_columns(channel, choice, bit, kind, false);
    else if (channel->open & bit)
        scan(channel, choice, bit, DRAM_PRE, kind, DRAM_HEAD, false);
    else if (!(channel->opening & bit))
        scan(channel, choice, bit, DRAM_ACT, kind, DRAM_HEAD, false);
}

IN_LINE void scan_queue(const struct dram_channel *channel, struct choice *choice, u64 banks,
                        bool usual)
{
    u32 kind = channel->write_mode ? DRAM_WRITE : DRAM_READ;
    if (!channel->waiting[kind])
        return; /* most queues are empty most of the time */
    switch (usual ? DRAM_SCHEDULER_frfcfs_cap : channel->settings.scheduler) {
    case DRAM_SCHEDULER_frfcfs:
        scan_frfcfs(channel, choice, kind, banks);
        break;
    case DRAM_SCHEDULER_fcfs:
        scan_fcfs(channel, choice, kind, banks);
        break;
    case DRAM_SCHEDULER_frfcfs_cap:
        scan_frfcfs_cap(channel, choice, kind, banks, usual);
        break;
    }
}

/* When a command of maintenance is allowed: of most, for a single bank. */
static cycle maintenance_ready(const struct dram_channel *channel, const struct dram_maintenance *m,
                               u32 command)
{
    if (m->banks & (m->banks - 1) || channel->device->scope[command] < DRAM_BANK)
        return timing_ready(&channel->timing, channel->device, command, m->place);
    const struct dram_bank *bank = &channel->banks[__builtin_ctzll(m->banks)];
    return timing_ready_bank(&channel->timing, &bank->path, command);
}

/* The oldest maintenance with what it needs next. Closing commands wait for the active requests of
 * their banks. */
IN_LINE void offer_maintenance(struct dram_channel *channel, struct choice *choice)
{
    const struct dram_maintenance *m = maintain_head(channel);
    bool closed = !((channel->open | channel->opening) & m->banks);
    bool prepare = m->prepare != DRAM_COMMANDS && !closed;
    u32 command = prepare ? m->prepare : m->final;
    bool closes = prepare || command == DRAM_PRE;
    if (!closes || !(channel->active & m->banks))
        choice_offer(choice, maintenance_ready(channel, m, command), 0, DRAM_NO_REQUEST, command);
}

/* The first command from `choice->soon` on; returns the best of the active requests. */
IN_LINE u32 pick_from(struct dram_channel *channel, struct choice *choice, bool update_mode,
                      bool usual)
{
    u64 banks = UINT64_MAX;
    scan_active(channel, choice, usual);
    u32 active = choice->request;
    if (choice_closes(choice))
        return active;
    if (!maintain_empty(channel)) {
        offer_maintenance(channel, choice);
        if (choice_closes(choice) || channel->settings.refresh_blocks_all)
            return active;
        banks = ~maintain_head(channel)->banks;
    }
    if (update_mode)
        schedule_mode(channel);
    scan_queue(channel, choice, banks, usual);
    return active;
}

/* The reference tries no second-best when its choice would close a row in use. The usual scheduler
 * does not choose to. */
static bool pick_is_vetoed(const struct dram_channel *channel, const struct dram_pick *pick)
{
    return pick->command == DRAM_PRE && pick->request != DRAM_NO_REQUEST &&
           channel->active & bank_bit(pick->bank);
}

/* What is vetoed is no plan: there is to be another look. */
IN_LINE void plan_make(struct dram_channel *channel, cycle soon, bool update_mode, bool usual)
{
    struct choice choice = {
        .at = NEVER, .soon = soon, .command = DRAM_COMMANDS, .request = DRAM_NO_REQUEST
    };
    u32 active = pick_from(channel, &choice, update_mode, usual);
    struct dram_pick *plan = &channel->plan;
    bool is_request = choice.request != DRAM_NO_REQUEST;
    plan->at = channel->next_command = choice.at;
    plan->command = choice.command;
    plan->request = (u16)choice.request;
    plan->bank = is_request ? channel->requests[choice.request].bank : 0;
    plan->from_active = is_request && choice.request == active;
    channel->planned = usual || !pick_is_vetoed(channel, plan);
    if (!channel->planned && choice.at == soon)
        channel->next_command = soon + 1;
}

SELDOM void plan_any(struct dram_channel *channel, cycle soon, bool update_mode)
{
    plan_make(channel, soon, update_mode, false);
}

/* Looks for the first command from `soon` on. The short way is for devices of one rank whose rows
 * open with one command and whose data clock never stops, under the scheduler that most have. */
SELDOM void schedule_plan(struct dram_channel *channel, cycle soon, bool update_mode)
{
    if (channel->usual)
        plan_make(channel, soon, update_mode, true);
    else
        plan_any(channel, soon, update_mode);
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

/* After a command that the mode does not outlast. With empty queues a change of mode needs no tick
 * of its own. */
SELDOM void schedule_next_mode(struct dram_channel *channel, cycle soon)
{
    channel->planned = false;
    channel->next_command = soon;
    if (channel->count[DRAM_READ] || channel->count[DRAM_WRITE] || !maintain_empty(channel))
        return;
    channel->mode_due = soon;
    schedule_plan(channel, soon, false);
}

/* After a command: plans the next one, from `soon` on. */
IN_LINE void schedule_next(struct dram_channel *channel, cycle soon)
{
    if (mode_is_over(channel))
        schedule_next_mode(channel, soon);
    else if (channel->usual)
        plan_make(channel, soon, false, true);
    else
        schedule_plan(channel, soon, false);
}

/* The command that a new request needs first; it is one of its bank's oldest. */
static inline u32 request_command(const struct dram_request *request, enum dram_oldest class)
{
    return class == DRAM_HIT    ? column_command(request->kind)
           : class == DRAM_MISS ? DRAM_PRE
                                : DRAM_ACT;
}

/* The first cycle from `soon` on at which a new request may have a command. */
static cycle request_ready(const struct dram_channel *channel, const struct dram_request *request,
                           enum dram_oldest class, cycle soon)
{
    if (class == DRAM_HIT && channel->device->synchronises_clock)
        return soon;
    const struct dram_path *path = &channel->banks[request->bank].path;
    return max_u64(timing_ready_bank(&channel->timing, path, request_command(request, class)),
                   soon);
}

/* Whether a look would offer the command of a new request, and that of any other request or of
 * maintenance as before. Only where plans have their short way. */
static bool request_is_offered(const struct dram_channel *channel,
                               const struct dram_request *request, enum dram_oldest class)
{
    u64 bank = bank_bit(request->bank);
    u64 unfit = class == DRAM_HIT ? channel->weary[request->kind] | channel->capped
                                  : channel->hits[request->kind] | channel->active;
    return channel->usual && !(unfit & bank) && maintain_empty(channel);
}

/* The new request goes next. */
static void plan_set(struct dram_channel *channel, const struct dram_request *request,
                     enum dram_oldest class, cycle ready)
{
    channel->plan = (struct dram_pick){ .at = ready,
                                        .command = request_command(request, class),
                                        .request = (u16)(request - channel->requests),
                                        .bank = request->bank };
    channel->next_command = ready;
}

/* A plan stays if the new request, which is the youngest, can only come later. A hit may go before
 * other commands of the same cycle, and keep a row open that was to be closed. */
SELDOM void schedule_served(struct dram_channel *channel, const struct dram_request *request,
                            enum dram_oldest class, cycle soon)
{
    const struct dram_pick *plan = &channel->plan;
    bool over = mode_is_over(channel), hit = class == DRAM_HIT;
    cycle ready = over ? soon : request_ready(channel, request, class, soon);
    if (!over && ready < plan->at && channel->planned &&
        request_is_offered(channel, request, class)) {
        plan_set(channel, request, class, ready);
        return;
    }
    bool keeps_open = hit && plan->command == DRAM_PRE && plan->bank == request->bank;
    if (over || ready < plan->at || (hit && ready == plan->at) || keeps_open)
        channel->planned = false;
    if (!channel->planned)
        channel->next_command = min_u64(channel->next_command, ready);
}

/* After a request entered its queue as such. Most are behind another of their bank. */
static inline void schedule_entered(struct dram_channel *channel,
                                    const struct dram_request *request, enum dram_oldest class,
                                    cycle soon)
{
    bool served = request->kind == (channel->write_mode ? DRAM_WRITE : DRAM_READ);
    if ((served && class != DRAM_OLDEST) || mode_is_over(channel))
        schedule_served(channel, request, class, soon);
}

#endif
