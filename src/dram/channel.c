/* channel.c - a channel's life: offers, ticks, issuing. See channel.h. */
#include "dram/channel.h"

#include <string.h>

#include "dram/queue.h"
#include "dram/schedule.h"

static bool settings_check(const struct dram_controller *s, struct ogv_error *error)
{
    if (!s->read_capacity || !s->write_capacity || s->read_capacity > 16384 ||
        s->write_capacity > 16384)
        return error_user(error, "read and write queues hold 1 to 16384 requests");
    if (s->write_leave >= s->write_enter || s->write_enter > s->write_capacity)
        return error_user(error, "writes drain from %u down to %u in a queue of %u", s->write_enter,
                          s->write_leave, s->write_capacity);
    if (s->scheduler == DRAM_SCHEDULER_frfcfs_cap && !s->hit_cap)
        return error_user(error, "a cap of row hits must be at least 1");
    if (s->row_policy == DRAM_ROW_closed && !s->row_cap)
        return error_user(error, "a cap of column commands must be at least 1");
    if (s->row_policy == DRAM_ROW_timeout && !s->row_timeout)
        return error_user(error, "a row timeout must be at least 1 cycle");
    return true;
}

static void channel_clear(struct dram_channel *channel, u32 requests)
{
    const struct dram_device *device = channel->device;
    for (u32 i = 0; i < requests; i++)
        channel->requests[i].next = (u16)(i + 1 < requests ? i + 1 : DRAM_NO_REQUEST);
    for (u32 bank = 0; bank < device->banks; bank++) {
        struct dram_bank *b = &channel->banks[bank];
        memset(b->oldest, 0xff, sizeof b->oldest);
        memset(b->tail, 0xff, sizeof b->tail);
        b->path = dram_path_of(device, bank);
        b->place = dram_place_of(device, bank);
    }
    channel->active_head = channel->active_tail = DRAM_NO_REQUEST;
    channel->next_command = channel->mode_due = NEVER;
    channel->last_column_kind = DRAM_KINDS;
}

static void next_update(struct dram_channel *channel)
{
    channel->next =
        min_u64(channel->next_command, min_u64(channel->next_refresh, channel->next_timeout));
}

bool dram_channel_init(struct dram_channel *channel, const struct dram_device *device,
                       const struct dram_controller *settings, dram_allocate *allocate,
                       void *context, struct ogv_error *error)
{
    if (!settings_check(settings, error))
        return false;
    u32 requests = settings->read_capacity + settings->write_capacity + device->banks;
    u32 returns = (u32)power_of_two_above(settings->return_capacity);
    *channel = (struct dram_channel){ .device = device, .settings = *settings };
    channel->banks = allocate(context, device->banks * sizeof *channel->banks, 64);
    channel->requests = allocate(context, requests * sizeof *channel->requests, 64);
    channel->returns = allocate(context, returns * sizeof *channel->returns, 64);
    void *bounds = allocate(context, timing_bytes(device), 64);
    if (!channel->banks || !channel->requests || !channel->returns || !bounds)
        return error_system(error, "no memory for a DRAM channel");
    timing_init(&channel->timing, device, bounds);
    channel->return_mask = returns - 1;
    channel->usual = device->count[DRAM_RANK] == 1 && !device->activates_twice &&
                     !device->synchronises_clock &&
                     settings->scheduler == DRAM_SCHEDULER_frfcfs_cap;
    channel_clear(channel, requests);
    if (!maintain_init(channel, error))
        return false;
    next_update(channel);
    return true;
}

/* Time that is already in pending_cycles ends with `moving`. */
static void pending_add(struct dram_channel *channel, cycle from, cycle to)
{
    from = max_u64(from, channel->moving);
    channel->stats.pending_cycles += to > from ? to - from : 0;
}

static bool channel_is_pending(const struct dram_channel *channel)
{
    return channel->count[DRAM_READ] || channel->count[DRAM_WRITE] || channel->active;
}

void dram_channel_settle(struct dram_channel *channel, cycle now)
{
    struct dram_stats *stats = &channel->stats;
    if (channel_is_pending(channel))
        pending_add(channel, channel->pending_since, now);
    if (channel->open)
        stats->open_cycles += now - channel->open_since;
    channel->pending_since = channel->open_since = now;
    stats->read_queue_cycles = channel->queued[DRAM_READ] + now * channel->count[DRAM_READ];
    stats->write_queue_cycles = channel->queued[DRAM_WRITE] + now * channel->count[DRAM_WRITE];
}

u64 dram_channel_held(const struct dram_channel *channel)
{
    u64 active = (u64)__builtin_popcountll(channel->active);
    return channel->count[DRAM_READ] + channel->count[DRAM_WRITE] + active +
           (channel->return_tail - channel->return_head);
}

/* ---- Offers ---- */

static bool write_holds(const struct dram_channel *channel, u64 address, u32 bank)
{
    if (!(channel->waiting[DRAM_WRITE] & bank_bit(bank)))
        return false;
    return queue_find_write(channel, address, bank) != DRAM_NO_REQUEST;
}

static bool active_write_holds(const struct dram_channel *channel, u64 address)
{
    for (u16 i = channel->active_head; i != DRAM_NO_REQUEST; i = channel->requests[i].next)
        if (channel->requests[i].kind == DRAM_WRITE && channel->requests[i].address == address)
            return true;
    return false;
}

static bool read_forwards(const struct dram_channel *channel, u64 address, u32 bank)
{
    return channel->writes_inside &&
           (write_holds(channel, address, bank) ||
            (channel->settings.forward_active && active_write_holds(channel, address)));
}

static void return_push(struct dram_channel *channel, u64 tag, cycle arrival, cycle depart)
{
    channel->returns[channel->return_tail++ & channel->return_mask] =
        (struct dram_return){ tag, depart, arrival };
}

static inline __attribute__((always_inline)) void
request_enter(struct dram_channel *channel, cycle now, enum dram_kind kind, u64 address,
              const struct dram_address *place, u64 tag)
{
    u16 index = channel->free;
    struct dram_request *r = &channel->requests[index];
    if (!channel_is_pending(channel))
        channel->pending_since = now;
    channel->queued[kind] -= now;
    schedule_catch_up(channel, now);
    channel->free = r->next;
    *r = (struct dram_request){ .address = address,
                                .row = place->row,
                                .tag = tag,
                                .sequence = channel->sequence++,
                                .arrival = now,
                                .column = place->column,
                                .bank = (u8)place->bank,
                                .kind = (u8)kind,
                                .account = (u8)place->account };
    enum dram_oldest class = queue_add(channel, index);
    channel->writes_inside += kind == DRAM_WRITE;
    schedule_entered(channel, r, class, now + 1);
    channel->next = min_u64(channel->next, channel->next_command);
}

static bool read_offer(struct dram_channel *channel, cycle now, u64 address,
                       const struct dram_address *place, u64 tag)
{
    if (channel->reads_inside > channel->return_mask)
        return false;
    if (read_forwards(channel, address, place->bank)) {
        return_push(channel, tag, now, now + 1);
        channel->stats.reads_forwarded++;
    } else if (channel->count[DRAM_READ] < channel->settings.read_capacity) {
        request_enter(channel, now, DRAM_READ, address, place, tag);
    } else {
        return false;
    }
    channel->reads_inside++;
    channel->stats.reads++;
    return true;
}

static bool write_offer(struct dram_channel *channel, cycle now, u64 address,
                        const struct dram_address *place, u64 tag)
{
    if (channel->settings.merge_writes && write_holds(channel, address, place->bank))
        channel->stats.writes_merged++;
    else if (channel->count[DRAM_WRITE] < channel->settings.write_capacity)
        request_enter(channel, now, DRAM_WRITE, address, place, tag);
    else
        return false;
    channel->stats.writes++;
    return true;
}

bool dram_channel_offer(struct dram_channel *channel, cycle now, enum dram_kind kind, u64 address,
                        const struct dram_address *place, u64 tag)
{
    bool accepted = kind == DRAM_READ ? read_offer(channel, now, address, place, tag)
                                      : write_offer(channel, now, address, place, tag);
    channel->stats.refused += !accepted;
    return accepted;
}

bool dram_channel_accepts(const struct dram_channel *channel, enum dram_kind kind, u64 address,
                          u32 bank)
{
    if (kind == DRAM_WRITE)
        return channel->count[DRAM_WRITE] < channel->settings.write_capacity ||
               (channel->settings.merge_writes && write_holds(channel, address, bank));
    return channel->reads_inside <= channel->return_mask &&
           (channel->count[DRAM_READ] < channel->settings.read_capacity ||
            read_forwards(channel, address, bank));
}

/* ---- Issuing ---- */

static void row_open(struct dram_channel *channel, u32 bank, cycle now)
{
    if (!channel->open)
        channel->open_since = now;
    channel->open |= bank_bit(bank);
    channel->opening &= ~bank_bit(bank);
    queue_row_opened(channel, bank);
}

static void row_close(struct dram_channel *channel, u32 bank, cycle now)
{
    if (!(channel->open & bank_bit(bank)))
        return;
    channel->open &= ~bank_bit(bank);
    channel->due &= ~bank_bit(bank);
    if (!channel->open)
        channel->stats.open_cycles += now - channel->open_since;
    channel->stats.single_access_rows += channel->banks[bank].served == 1;
    queue_row_closed(channel, bank);
}

static void request_classify(struct dram_channel *channel, struct dram_request *r, cycle now)
{
    struct dram_stats *stats = &channel->stats;
    if (r->first)
        return;
    r->first = now;
    if (!(channel->open & bank_bit(r->bank)))
        stats->misses[r->kind]++;
    else if (channel->banks[r->bank].row == r->row)
        stats->hits[r->kind]++;
    else
        stats->conflicts[r->kind]++;
}

IN_LINE void request_activate(struct dram_channel *channel, u16 index, cycle now)
{
    struct dram_request *r = &channel->requests[index];
    struct dram_bank *bank = &channel->banks[r->bank];
    bank->row = r->row;
    bank->served = bank->streak = 0;
    channel->weary[DRAM_READ] &= ~bank_bit(r->bank);
    channel->weary[DRAM_WRITE] &= ~bank_bit(r->bank);
    channel->capped &= ~bank_bit(r->bank);
    bank->last_column = now;
    channel->queued[r->kind] += now;
    queue_activate(channel, index);
    if (channel->device->activates_twice)
        channel->opening |= bank_bit(r->bank);
    else
        row_open(channel, r->bank, now);
}

static void clock_synchronise(struct dram_channel *channel, u32 bank, u32 kind, cycle now)
{
    const struct dram_device *device = channel->device;
    u32 latency = kind == DRAM_READ ? device->read_latency : device->write_latency;
    cycle *until = &channel->synchronised_until[channel->banks[bank].place.rank];
    *until = max_u64(*until, now + latency + 1);
}

static void read_finish(struct dram_channel *channel, const struct dram_request *r, cycle depart)
{
    channel->stats.queue_cycles += r->first - r->arrival;
    return_push(channel, r->tag, r->arrival, depart);
    channel->stats.service_cycles += depart - r->first;
}

/* Counts whom the column command passes. */
IN_LINE void request_pass(struct dram_channel *channel, const struct dram_request *r)
{
    struct dram_bank *bank = &channel->banks[r->bank];
    u16 miss = bank->oldest[r->kind][DRAM_MISS];
    if (miss != DRAM_NO_REQUEST && channel->requests[miss].sequence < r->sequence) {
        bank->streak++;
        if (bank->streak >= DRAM_PATIENCE)
            channel->weary[r->kind] |= bank_bit(r->bank);
        if (bank->streak >= channel->settings.hit_cap)
            channel->capped |= bank_bit(r->bank);
    }
    if (r->kind == DRAM_WRITE)
        channel->passing = channel->count[DRAM_READ] ? channel->passing + 1 : 0;
    else if (channel->owed)
        channel->owed--;
}

/* The column command: a read goes to the return ring, a write is done. */
IN_LINE void request_finish(struct dram_channel *channel, u16 index, bool from_active, cycle now)
{
    struct dram_request *r = &channel->requests[index];
    struct dram_bank *bank = &channel->banks[r->bank];
    request_pass(channel, r);
    bank->served++;
    bank->last_column = now;
    if (channel->last_column_kind != r->kind)
        channel->stats.turnarounds += channel->last_column_kind != DRAM_KINDS;
    channel->last_column_kind = r->kind;
    if (channel->device->synchronises_clock)
        clock_synchronise(channel, r->bank, r->kind, now);
    cycle end = now + (r->kind == DRAM_READ ? channel->device->read_latency
                                            : channel->device->column_distance);
    pending_add(channel, channel->pending_since, end);
    channel->moving = max_u64(channel->moving, end);
    if (r->kind == DRAM_READ)
        read_finish(channel, r, end);
    else
        channel->writes_inside--;
    if (from_active) {
        queue_deactivate(channel, index);
    } else {
        channel->queued[r->kind] += now;
        queue_remove(channel, index);
    }
    r->next = channel->free;
    channel->free = index;
}

static inline __attribute__((always_inline)) void
request_issue(struct dram_channel *channel, const struct dram_pick *pick, cycle now)
{
    struct dram_request *r = &channel->requests[pick->request];
    request_classify(channel, r, now);
    timing_issue_bank(&channel->timing, channel->device, pick->command, pick->bank,
                      &channel->banks[pick->bank].path, now);
    switch (pick->command) {
    case DRAM_ACT:
        request_activate(channel, pick->request, now);
        break;
    case DRAM_ACT2:
        row_open(channel, pick->bank, now);
        break;
    case DRAM_PRE:
        row_close(channel, pick->bank, now);
        break;
    case DRAM_CASRD:
    case DRAM_CASWR:
        clock_synchronise(channel, pick->bank, r->kind, now);
        break;
    default:
        channel->stats.columns[r->kind][r->account]++;
        request_finish(channel, pick->request, pick->from_active, now);
    }
}

static void maintenance_issue(struct dram_channel *channel, const struct dram_pick *pick, cycle now)
{
    const struct dram_maintenance *m = maintain_head(channel);
    timing_issue(&channel->timing, channel->device, pick->command, m->place, now);
    if (pick->command == m->prepare || pick->command == DRAM_PRE)
        for (u64 banks = m->banks; banks; banks &= banks - 1)
            row_close(channel, (u32)__builtin_ctzll(banks), now);
    if (pick->command == m->final) {
        channel->due &= ~m->banks;
        channel->maintenance_head++;
    }
}

static void issue_tell(struct dram_channel *channel, const struct dram_pick *pick,
                       struct dram_issue *issue)
{
    if (pick->request == DRAM_NO_REQUEST) {
        const struct dram_maintenance *m = maintain_head(channel);
        *issue = (struct dram_issue){ pick->command, m->place, m->row, m->column, DRAM_NO_TAG };
        return;
    }
    const struct dram_request *r = &channel->requests[pick->request];
    *issue = (struct dram_issue){ .command = pick->command,
                                  .place = channel->banks[pick->bank].place,
                                  .row = (i64)r->row,
                                  .column = r->column,
                                  .tag = r->tag };
}

/* `tick` is NULL if nobody wants to know. */
static inline __attribute__((always_inline)) void command_tick(struct dram_channel *channel,
                                                               cycle now, struct dram_tick *tick)
{
    schedule_catch_up(channel, now - 1);
    channel->mode_due = NEVER;
    if (!schedule_pick(channel, now))
        return;
    const struct dram_pick pick = channel->plan;
    channel->stats.issued[pick.command]++;
    if (tick) {
        tick->issued = true;
        issue_tell(channel, &pick, &tick->issue);
    }
    if (channel->settings.row_policy != DRAM_ROW_open)
        maintain_observe(channel, &pick, now);
    if (pick.request == DRAM_NO_REQUEST)
        maintenance_issue(channel, &pick, now);
    else
        request_issue(channel, &pick, now);
    schedule_next(channel, now + 1);
}

static const struct dram_return *return_take(struct dram_channel *channel)
{
    const struct dram_return *r = &channel->returns[channel->return_head & channel->return_mask];
    latency_add(&channel->stats.latency, r->depart - r->arrival);
    channel->return_from = max_u64(channel->return_from, r->depart) + 1;
    channel->return_head++;
    channel->reads_inside--;
    return r;
}

u64 dram_channel_return(struct dram_channel *channel)
{
    return return_take(channel)->tag;
}

/* What comes behind a return. */
IN_LINE void channel_go_on(struct dram_channel *channel, cycle now, struct dram_tick *tick)
{
    if (now >= channel->next_refresh || now >= channel->next_timeout)
        maintain_schedule(channel, now);
    if (now >= channel->next_command)
        command_tick(channel, now, tick);
    next_update(channel);
}

void dram_channel_tick(struct dram_channel *channel, cycle now, struct dram_tick *tick)
{
    tick->issued = tick->returned = false;
    if (dram_channel_return_at(channel) <= now) {
        const struct dram_return *r = return_take(channel);
        tick->returned = true;
        tick->returned_tag = r->tag;
        tick->returned_depart = r->depart;
    }
    if (channel->next <= now)
        channel_go_on(channel, now, tick);
}

void dram_channel_advance(struct dram_channel *channel, cycle to)
{
    while (channel->next <= to)
        channel_go_on(channel, channel->next, NULL);
}
