/* maintain.c - refresh and row policies: requests that the controller makes for itself.
 *
 * They wait in one queue, in order; only its head is looked at. All-bank refresh asks for one
 * refresh per rank every nREFI, all ranks in the same cycle. Per-bank refresh spreads the same
 * work: every nREFI / n one of the n banks (or bank numbers, where one command reaches that bank of
 * each group) is due in each rank.
 *
 * The closed row policy counts a bank's column commands and asks for a close after `row_cap`; the
 * timeout policy asks once a bank has had none for `row_timeout` cycles. */
#include "dram/controller.h"

static u64 banks_at(const struct dram_channel *channel, struct dram_place place)
{
    u64 banks = 0;
    for (u32 bank = 0; bank < channel->device->banks; bank++) {
        struct dram_place at = channel->banks[bank].place;
        if ((place.rank == DRAM_ALL || place.rank == at.rank) &&
            (place.group == DRAM_ALL || place.group == at.group) &&
            (place.bank == DRAM_ALL || place.bank == at.bank))
            banks |= bank_bit(bank);
    }
    return banks;
}

static void maintain_add(struct dram_channel *channel, const struct dram_maintenance *request)
{
    if (channel->maintenance_tail - channel->maintenance_head == DRAM_MAINTENANCE_MAX)
        return;
    channel->maintenance[channel->maintenance_tail++ % DRAM_MAINTENANCE_MAX] = *request;
}

/* The command that refreshes less than a rank; DRAM_COMMANDS if the standard has none. */
static u32 refresh_command(const struct dram_device *device)
{
    if (device->scope[DRAM_REFPB] != DRAM_NO_SCOPE)
        return DRAM_REFPB;
    return device->scope[DRAM_REFSB] != DRAM_NO_SCOPE ? DRAM_REFSB : DRAM_COMMANDS;
}

bool maintain_init(struct dram_channel *channel, struct ogv_error *error)
{
    const struct dram_device *device = channel->device;
    channel->next_refresh = channel->next_timeout = NEVER;
    if (!device->refresh_targets)
        return true;
    if (channel->settings.refresh == DRAM_REFRESH_per_bank &&
        refresh_command(device) == DRAM_COMMANDS)
        return error_user(error, "%s has no command to refresh single banks",
                          dram_standard_at(device->standard)->name);
    channel->refresh_interval = (u32)device->timing[nREFI] / device->refresh_targets;
    if (!channel->refresh_interval)
        return error_user(error, "a refresh interval of %d cycles is too short for %u banks",
                          device->timing[nREFI], device->refresh_targets);
    channel->next_refresh = channel->refresh_interval;
    return true;
}

static void refresh_add(struct dram_channel *channel, u32 rank)
{
    const struct dram_device *device = channel->device;
    struct dram_maintenance m = { .place = { (i32)rank, DRAM_ALL, DRAM_ALL },
                                  .row = -1,
                                  .column = -1,
                                  .final = DRAM_REFAB,
                                  .prepare = DRAM_PREA };
    if (device->scope[DRAM_REFAB] == DRAM_CHANNEL)
        m.place.rank = DRAM_ALL;
    if (device->refresh_targets > 1) {
        u32 target = channel->refresh_target;
        bool same_bank = dram_device_refreshes_same_bank(device);
        m.place = same_bank ? (struct dram_place){ (i32)rank, DRAM_ALL, (i32)target }
                            : channel->banks[rank * device->banks_of_rank + target].place;
        m.final = (u8)refresh_command(device);
        m.prepare = same_bank ? DRAM_PRESB : DRAM_PRE;
    }
    m.banks = banks_at(channel, m.place);
    maintain_add(channel, &m);
}

static void refresh_schedule(struct dram_channel *channel)
{
    const struct dram_device *device = channel->device;
    bool whole = device->refresh_targets == 1 && device->scope[DRAM_REFAB] == DRAM_CHANNEL;
    u32 ranks = whole ? 1 : device->count[DRAM_RANK];
    for (u32 rank = 0; rank < ranks; rank++)
        refresh_add(channel, rank);
    channel->refresh_target = (channel->refresh_target + 1) % device->refresh_targets;
    channel->next_refresh += channel->refresh_interval;
}

static void close_add(struct dram_channel *channel, u32 bank, i64 row, i64 column)
{
    struct dram_maintenance m = { .place = channel->banks[bank].place,
                                  .banks = bank_bit(bank),
                                  .row = row,
                                  .column = column,
                                  .final = DRAM_PRE,
                                  .prepare = DRAM_COMMANDS };
    maintain_add(channel, &m);
}

/* Closes idle banks whose time is up and that nobody wants, and says when the next one is. */
static void timeout_schedule(struct dram_channel *channel, cycle now)
{
    u64 wanted = channel->hits[DRAM_READ] | channel->hits[DRAM_WRITE] | channel->active;
    channel->next_timeout = NEVER;
    for (u64 banks = channel->open & ~channel->due; banks; banks &= banks - 1) {
        u32 bank = (u32)__builtin_ctzll(banks);
        cycle at = channel->banks[bank].last_column + channel->settings.row_timeout;
        if (at <= now && wanted & bank_bit(bank))
            at = now + channel->settings.row_timeout;
        if (at <= now) {
            close_add(channel, bank, (i64)channel->banks[bank].row, -1);
            channel->due |= bank_bit(bank);
        } else {
            channel->next_timeout = min_u64(channel->next_timeout, at);
        }
    }
}

void maintain_schedule(struct dram_channel *channel, cycle now)
{
    if (now >= channel->next_refresh)
        refresh_schedule(channel);
    if (now >= channel->next_timeout)
        timeout_schedule(channel, now);
    channel->next_command = now;
    channel->planned = false;
}

static void closed_observe(struct dram_channel *channel, const struct dram_pick *pick)
{
    struct dram_bank *bank = &channel->banks[pick->bank];
    const struct dram_request *r = &channel->requests[pick->request];
    if (++bank->columns < channel->settings.row_cap)
        return;
    bank->columns = 0;
    close_add(channel, pick->bank, (i64)r->row, (i64)r->column);
}

/* Banks that a picked command closes or refreshes count from zero again. */
static void counters_reset(struct dram_channel *channel, const struct dram_pick *pick)
{
    u64 banks =
        pick->request == DRAM_NO_REQUEST ? maintain_head(channel)->banks : bank_bit(pick->bank);
    for (; banks; banks &= banks - 1)
        channel->banks[__builtin_ctzll(banks)].columns = 0;
}

void maintain_observe(struct dram_channel *channel, const struct dram_pick *pick, cycle now)
{
    bool column = pick->command == DRAM_RD || pick->command == DRAM_WR;
    if (channel->settings.row_policy == DRAM_ROW_timeout) {
        cycle at = now + channel->settings.row_timeout;
        if (column || pick->command == DRAM_ACT)
            channel->next_timeout = min_u64(channel->next_timeout, at);
    }
    if (channel->settings.row_policy != DRAM_ROW_closed)
        return;
    if (column)
        closed_observe(channel, pick);
    else if (pick->command != DRAM_ACT && pick->command != DRAM_ACT2)
        counters_reset(channel, pick);
}
