/* schedule.c - which command a channel issues next.
 *
 * In this order: requests whose row was opened for them; then the oldest maintenance; then reads,
 * or writes while they are being drained. From a queue only up to three requests per bank can be
 * next (queue.c), so a choice looks at banks, not at requests, and at none of them for a class of
 * commands that the channel as a whole does not allow yet.
 *
 * A look that finds nothing says when to look again: the earliest cycle at which something that
 * was not allowed now might be. Between two looks no state changes, so skipping them changes
 * nothing. */
#include "dram/controller.h"

/* The best so far, and the earliest cycle of those that have to wait. */
struct choice {
    u64 age;
    cycle next;
    u32 command;
    u16 request;
    u8 bank;
};

#define NO_CHOICE                                                  \
    {                                                              \
        .age = UINT64_MAX, .next = NEVER, .command = DRAM_COMMANDS \
    }

static inline void choice_offer(struct choice *choice, cycle ready, cycle now, u64 age, u16 request,
                                u32 command, u32 bank)
{
    if (ready > now) {
        choice->next = min_u64(choice->next, ready);
    } else if (age < choice->age) {
        choice->age = age;
        choice->request = request;
        choice->command = command;
        choice->bank = (u8)bank;
    }
}

/* The oldest request of the wanted class in each bank of the mask, with its command. */
static inline void scan(const struct dram_channel *channel, struct choice *choice, cycle now,
                        u64 banks, u32 command, u32 kind, enum dram_oldest class)
{
    cycle floor = timing_ready_channel(&channel->timing, command);
    if (!banks)
        return;
    if (floor > now) {
        choice->next = min_u64(choice->next, floor);
        return;
    }
    for (; banks; banks &= banks - 1) {
        u32 bank = (u32)__builtin_ctzll(banks);
        const struct dram_bank *b = &channel->banks[bank];
        cycle ready = timing_ready_below(&channel->timing, b->path, command);
        if (ready > now) { /* without a look at the request: it may be far from the cache */
            choice->next = min_u64(choice->next, ready);
            continue;
        }
        u16 request = b->oldest[kind][class];
        choice_offer(choice, ready, now, channel->requests[request].sequence, request, command,
                     bank);
    }
}

/* A column command while the data clock may have stopped: the synchronising command takes its place
 * where the clock has stopped or will have by then. */
static void column_offer(const struct dram_channel *channel, struct choice *choice, cycle now,
                         u32 bank, u16 request, u64 age)
{
    const struct dram_bank *b = &channel->banks[bank];
    bool write = channel->requests[request].kind == DRAM_WRITE;
    u32 column = write ? DRAM_WR : DRAM_RD, synchronise = write ? DRAM_CASWR : DRAM_CASRD;
    cycle ready = max_u64(timing_ready_channel(&channel->timing, column),
                          timing_ready_below(&channel->timing, b->path, column));
    cycle until = channel->synchronised_until[b->rank];
    if (!channel->device->synchronises_clock || max_u64(ready, now) <= until) {
        choice_offer(choice, ready, now, age, request, column, bank);
        return;
    }
    /* As late as possible: the cycle before the column command may issue. */
    cycle start = max_u64(until + 1, ready ? ready - 1 : 0);
    start = max_u64(start, max_u64(timing_ready_channel(&channel->timing, synchronise),
                                   channel->timing.node[b->path.rank].earliest[synchronise]));
    choice_offer(choice, start, now, age, request, synchronise, bank);
}

static void scan_columns(const struct dram_channel *channel, struct choice *choice, cycle now,
                         u64 banks, u32 kind)
{
    if (!channel->device->synchronises_clock) {
        scan(channel, choice, now, banks, kind == DRAM_WRITE ? DRAM_WR : DRAM_RD, kind, DRAM_HIT);
        return;
    }
    for (; banks; banks &= banks - 1) {
        u32 bank = (u32)__builtin_ctzll(banks);
        u16 request = channel->banks[bank].oldest[kind][DRAM_HIT];
        column_offer(channel, choice, now, bank, request, channel->requests[request].sequence);
    }
}

/* Requests whose row is open (or opening) on their behalf, in the order in which rows were opened:
 * the earliest arrival wins, the first of equals stays. */
static void scan_active(const struct dram_channel *channel, struct choice *choice, cycle now)
{
    for (u16 index = channel->active_head; index != DRAM_NO_REQUEST;) {
        const struct dram_request *r = &channel->requests[index];
        const struct dram_bank *b = &channel->banks[r->bank];
        if (channel->opening & bank_bit(r->bank)) {
            cycle ready = max_u64(timing_ready_channel(&channel->timing, DRAM_ACT2),
                                  timing_ready_below(&channel->timing, b->path, DRAM_ACT2));
            choice_offer(choice, ready, now, r->arrival, index, DRAM_ACT2, r->bank);
        } else {
            column_offer(channel, choice, now, r->bank, index, r->arrival);
        }
        index = r->next;
    }
}

/* Whether the queues' sizes ask for the other mode. Once switched they no longer do, so between two
 * changes of the sizes it is enough to look once. */
static bool mode_is_over(const struct dram_channel *channel)
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

static void mode_update(struct dram_channel *channel)
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

/* FR-FCFS as the reference has it: any command of the oldest request that can go. */
static void scan_frfcfs(const struct dram_channel *channel, struct choice *choice, cycle now,
                        u32 kind, u64 banks)
{
    scan_columns(channel, choice, now, channel->hits[kind] & ~channel->weary[kind] & banks, kind);
    scan(channel, choice, now, channel->misses[kind] & channel->open & banks, DRAM_PRE, kind,
         DRAM_MISS);
    scan(channel, choice, now, channel->waiting[kind] & ~(channel->open | channel->opening) & banks,
         DRAM_ACT, kind, DRAM_HEAD);
}

/* Banks whose hits have passed an older miss often enough. */
static u64 banks_capped(const struct dram_channel *channel, u32 kind)
{
    u64 capped = 0;
    for (u64 both = channel->hits[kind] & channel->misses[kind]; both; both &= both - 1) {
        u32 bank = (u32)__builtin_ctzll(both);
        const u16 *oldest = channel->banks[bank].oldest[kind];
        if (channel->banks[bank].streak >= channel->settings.hit_cap &&
            channel->requests[oldest[DRAM_MISS]].sequence <
                channel->requests[oldest[DRAM_HIT]].sequence)
            capped |= bank_bit(bank);
    }
    return capped;
}

/* Row hits first, rows with hits left open until the cap. */
static void scan_frfcfs_cap(const struct dram_channel *channel, struct choice *choice, cycle now,
                            u32 kind, u64 banks)
{
    u64 useful = channel->hits[kind] & ~channel->weary[kind] & ~banks_capped(channel, kind);
    scan_columns(channel, choice, now, useful & banks, kind);
    if (choice->command != DRAM_COMMANDS)
        return;
    u64 closable = channel->misses[kind] & channel->open & ~useful & ~channel->active;
    scan(channel, choice, now, closable & banks, DRAM_PRE, kind, DRAM_MISS);
    scan(channel, choice, now, channel->waiting[kind] & ~(channel->open | channel->opening) & banks,
         DRAM_ACT, kind, DRAM_HEAD);
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

static void scan_fcfs(const struct dram_channel *channel, struct choice *choice, cycle now,
                      u32 kind, u64 banks)
{
    if (!channel->waiting[kind])
        return;
    u32 bank = bank_of_oldest(channel, kind);
    const u16 *oldest = channel->banks[bank].oldest[kind];
    u64 bit = bank_bit(bank) & banks;
    if (channel->open & bit && oldest[DRAM_HEAD] == oldest[DRAM_HIT])
        scan_columns(channel, choice, now, bit, kind);
    else if (channel->open & bit)
        scan(channel, choice, now, bit, DRAM_PRE, kind, DRAM_HEAD);
    else if (!(channel->opening & bit))
        scan(channel, choice, now, bit, DRAM_ACT, kind, DRAM_HEAD);
}

static void scan_queue(const struct dram_channel *channel, struct choice *choice, cycle now,
                       u64 banks)
{
    u32 kind = channel->write_mode ? DRAM_WRITE : DRAM_READ;
    switch (channel->settings.scheduler) {
    case DRAM_SCHEDULER_frfcfs:
        scan_frfcfs(channel, choice, now, kind, banks);
        break;
    case DRAM_SCHEDULER_fcfs:
        scan_fcfs(channel, choice, now, kind, banks);
        break;
    case DRAM_SCHEDULER_frfcfs_cap:
        scan_frfcfs_cap(channel, choice, now, kind, banks);
        break;
    }
}

/* The oldest maintenance: what it needs next, and when that is allowed. Closing commands wait for
 * the active requests of their banks. */
static bool pick_maintenance(struct dram_channel *channel, cycle now, struct pick *pick)
{
    const struct dram_maintenance *m = maintain_head(channel);
    bool closed = !((channel->open | channel->opening) & m->banks);
    bool prepare = m->prepare != DRAM_COMMANDS && !closed;
    u32 command = prepare ? m->prepare : m->final;
    bool closes = prepare || command == DRAM_PRE;
    cycle ready = timing_ready(&channel->timing, channel->device, command, m->place);
    if (ready > now) {
        pick->next = min_u64(pick->next, ready);
        return false;
    }
    if (closes && channel->active & m->banks)
        return false;
    pick->command = command;
    return true;
}

static struct pick pick_of(const struct choice *choice, bool from_active)
{
    return (struct pick){ .command = choice->command,
                          .request = choice->request,
                          .bank = choice->bank,
                          .from_active = from_active,
                          .next = choice->next };
}

static struct pick pick_at(struct dram_channel *channel, cycle now, bool update_mode)
{
    struct choice choice = NO_CHOICE;
    u64 banks = UINT64_MAX;
    scan_active(channel, &choice, now);
    if (choice.command != DRAM_COMMANDS)
        return pick_of(&choice, true);
    if (!maintain_empty(channel)) {
        struct pick pick = { .command = DRAM_COMMANDS,
                             .request = DRAM_NO_REQUEST,
                             .next = choice.next };
        if (pick_maintenance(channel, now, &pick) || channel->settings.refresh_blocks_all)
            return pick;
        choice.next = pick.next;
        banks = ~maintain_head(channel)->banks;
    }
    if (update_mode)
        mode_update(channel);
    scan_queue(channel, &choice, now, banks);
    /* The reference tries no second-best when its choice would close a row in use. */
    if (choice.command == DRAM_PRE && channel->active & bank_bit(choice.bank))
        choice.command = DRAM_COMMANDS;
    return pick_of(&choice, false);
}

struct pick schedule_pick(struct dram_channel *channel, cycle now)
{
    return pick_at(channel, now, true);
}

void schedule_catch_up(struct dram_channel *channel, cycle now)
{
    if (channel->mode_due <= now)
        mode_update(channel);
}

/* With empty queues a change of mode needs no tick of its own. */
cycle schedule_next(struct dram_channel *channel, cycle soon)
{
    if (mode_is_over(channel)) {
        if (channel->count[DRAM_READ] || channel->count[DRAM_WRITE] || !maintain_empty(channel))
            return soon;
        channel->mode_due = soon;
    }
    struct pick pick = pick_at(channel, soon, false);
    return pick.command == DRAM_COMMANDS ? pick.next : soon;
}

cycle schedule_entered(const struct dram_channel *channel, const struct dram_request *request,
                       enum dram_oldest class, cycle soon)
{
    bool served = request->kind == (channel->write_mode ? DRAM_WRITE : DRAM_READ);
    if (mode_is_over(channel))
        return soon;
    if (!served || class == DRAM_OLDEST)
        return NEVER;
    if (class == DRAM_HIT && channel->device->synchronises_clock)
        return soon;
    u32 column = request->kind == DRAM_WRITE ? DRAM_WR : DRAM_RD;
    u32 command = class == DRAM_HIT ? column : class == DRAM_MISS ? DRAM_PRE : DRAM_ACT;
    cycle ready =
        max_u64(timing_ready_channel(&channel->timing, command),
                timing_ready_below(&channel->timing, channel->banks[request->bank].path, command));
    return max_u64(ready, soon);
}
