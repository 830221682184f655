/* literal.c - the reference's rules written as plainly as possible, against the channel that skips.
 *
 * The literal controller looks at every request in every cycle, in the words of the rules: return
 * one read, append refreshes, pick from the active buffer, then maintenance, then reads or writes,
 * veto, issue. It shares only the timing engine with the real one. Both get the same offers and
 * must do the same in each cycle; in cycles that the real one would skip, the literal one must do
 * nothing. */
#include "support.h"

#define BUFFER 256

struct entry {
    u64 address, row, tag;
    cycle arrival;
    u32 bank, column, kind;
};

struct buffer {
    struct entry at[BUFFER];
    u32 count;
};

struct waiting_refresh {
    i32 rank; /* -1: close-row of `entry` */
    struct entry entry;
};

struct literal {
    const struct dram_device *device;
    struct dram_controller settings;
    struct dram_timing_state timing;
    struct buffer read, write, active;
    struct waiting_refresh priority[BUFFER];
    u32 priorities;
    struct {
        u64 tag;
        cycle depart;
    } pending[8192];
    u32 pending_head, pending_tail;
    bool open[DRAM_BANKS_MAX];
    u64 row[DRAM_BANKS_MAX];
    u32 columns[DRAM_BANKS_MAX];
    bool write_mode;
};

static void literal_init(struct literal *l, const struct dram_device *device,
                         const struct dram_controller *settings, struct arena *arena)
{
    memset(l, 0, sizeof *l);
    l->device = device;
    l->settings = *settings;
    timing_init(&l->timing, device, arena_alloc(arena, timing_bytes(device), 64));
}

static void buffer_remove(struct buffer *buffer, u32 index)
{
    memmove(&buffer->at[index], &buffer->at[index + 1],
            (--buffer->count - index) * sizeof buffer->at[0]);
}

static bool write_waits(const struct literal *l, u64 address)
{
    for (u32 i = 0; i < l->write.count; i++)
        if (l->write.at[i].address == address)
            return true;
    return false;
}

static bool literal_offer(struct literal *l, cycle now, const struct entry *entry)
{
    struct buffer *buffer = entry->kind == DRAM_READ ? &l->read : &l->write;
    u32 capacity =
        entry->kind == DRAM_READ ? l->settings.read_capacity : l->settings.write_capacity;
    if (entry->kind == DRAM_READ && write_waits(l, entry->address)) {
        l->pending[l->pending_tail].tag = entry->tag;
        l->pending[l->pending_tail++].depart = now + 1;
        return true;
    }
    if (entry->kind == DRAM_WRITE && l->settings.merge_writes && write_waits(l, entry->address))
        return true;
    if (buffer->count == capacity)
        return false;
    buffer->at[buffer->count] = *entry;
    buffer->at[buffer->count++].arrival = now;
    return true;
}

static u32 command_for(const struct literal *l, const struct entry *e)
{
    if (!l->open[e->bank])
        return DRAM_ACT;
    if (l->row[e->bank] != e->row)
        return DRAM_PRE;
    return e->kind == DRAM_READ ? DRAM_RD : DRAM_WR;
}

static bool allowed(const struct literal *l, u32 command, struct dram_place place, cycle now)
{
    return timing_ready(&l->timing, l->device, command, place) <= now;
}

static bool entry_allowed(const struct literal *l, const struct entry *e, cycle now)
{
    return allowed(l, command_for(l, e), dram_place_of(l->device, e->bank), now);
}

/* The reference's champion: allowed beats not allowed, then the earlier arrival, then the order. */
static int buffer_best(const struct literal *l, const struct buffer *buffer, cycle now)
{
    int best = -1;
    for (u32 i = 0; i < buffer->count; i++) {
        if (best < 0) {
            best = (int)i;
            continue;
        }
        bool a = entry_allowed(l, &buffer->at[i], now);
        bool b = entry_allowed(l, &buffer->at[best], now);
        if (a != b ? a : buffer->at[i].arrival < buffer->at[best].arrival)
            best = (int)i;
    }
    return best;
}

static bool rank_matches(const struct literal *l, i32 rank, u32 bank)
{
    return dram_place_of(l->device, bank).rank == rank;
}

static bool active_in(const struct literal *l, i32 rank, u32 bank)
{
    for (u32 i = 0; i < l->active.count; i++)
        if (rank >= 0 ? rank_matches(l, rank, l->active.at[i].bank) : l->active.at[i].bank == bank)
            return true;
    return false;
}

static void close_rank(struct literal *l, i32 rank)
{
    for (u32 bank = 0; bank < l->device->banks; bank++)
        if (rank_matches(l, rank, bank))
            l->open[bank] = false;
}

static bool rank_is_open(const struct literal *l, i32 rank)
{
    for (u32 bank = 0; bank < l->device->banks; bank++)
        if (l->open[bank] && rank_matches(l, rank, bank))
            return true;
    return false;
}

static void issue(struct literal *l, u32 command, struct dram_place place, u64 tag, cycle now,
                  struct dram_tick *tick)
{
    timing_issue(&l->timing, l->device, command, place, now);
    tick->issued = true;
    tick->issue.command = command;
    tick->issue.place = place;
    tick->issue.tag = tag;
}

static void counters_clear(struct literal *l, i32 rank, u32 bank)
{
    for (u32 i = 0; i < l->device->banks; i++)
        if (rank >= 0 ? rank_matches(l, rank, i) : i == bank)
            l->columns[i] = 0;
}

static void priority_tick(struct literal *l, cycle now, struct dram_tick *tick)
{
    struct waiting_refresh head = l->priority[0];
    struct dram_place place = { head.rank, DRAM_ALL, DRAM_ALL };
    u32 command = DRAM_PRE;
    if (head.rank < 0)
        place = dram_place_of(l->device, head.entry.bank);
    else
        command = rank_is_open(l, head.rank) ? DRAM_PREA : DRAM_REFAB;
    if (!allowed(l, command, place, now))
        return;
    if (command != DRAM_REFAB && active_in(l, head.rank, head.entry.bank))
        return;
    counters_clear(l, head.rank, head.entry.bank);
    issue(l, command, place, DRAM_NO_TAG, now, tick);
    if (command == DRAM_PRE)
        l->open[head.entry.bank] = false;
    else
        close_rank(l, head.rank);
    if (command != DRAM_PREA)
        memmove(l->priority, l->priority + 1, --l->priorities * sizeof head);
}

static void row_policy(struct literal *l, const struct entry *e, u32 command)
{
    if (l->settings.row_policy != DRAM_ROW_closed)
        return;
    if (command == DRAM_PRE)
        l->columns[e->bank] = 0;
    if (command != DRAM_RD && command != DRAM_WR)
        return;
    if (++l->columns[e->bank] == l->settings.row_cap) {
        l->priority[l->priorities].rank = -1;
        l->priority[l->priorities++].entry = *e;
        l->columns[e->bank] = 0;
    }
}

static void entry_issue(struct literal *l, struct buffer *buffer, u32 index, cycle now,
                        struct dram_tick *tick)
{
    struct entry e = buffer->at[index];
    u32 command = command_for(l, &e);
    row_policy(l, &e, command);
    issue(l, command, dram_place_of(l->device, e.bank), e.tag, now, tick);
    l->open[e.bank] = command != DRAM_PRE;
    if (command == DRAM_PRE)
        return;
    buffer_remove(buffer, index);
    if (command == DRAM_ACT) {
        l->row[e.bank] = e.row;
        l->active.at[l->active.count++] = e;
    } else if (command == DRAM_RD) {
        l->pending[l->pending_tail].tag = e.tag;
        l->pending[l->pending_tail++].depart = now + l->device->read_latency;
    }
}

static void mode_update(struct literal *l)
{
    if (!l->write_mode)
        l->write_mode = l->write.count >= l->settings.write_enter || !l->read.count;
    else if (l->write.count <= l->settings.write_leave && l->read.count)
        l->write_mode = false;
}

static void schedule(struct literal *l, cycle now, struct dram_tick *tick)
{
    int best = buffer_best(l, &l->active, now);
    if (best >= 0 && entry_allowed(l, &l->active.at[best], now)) {
        entry_issue(l, &l->active, (u32)best, now, tick);
        return;
    }
    if (l->priorities) {
        priority_tick(l, now, tick);
        return;
    }
    mode_update(l);
    struct buffer *buffer = l->write_mode ? &l->write : &l->read;
    best = buffer_best(l, buffer, now);
    if (best < 0 || !entry_allowed(l, &buffer->at[best], now))
        return;
    if (command_for(l, &buffer->at[best]) == DRAM_PRE && active_in(l, -1, buffer->at[best].bank))
        return;
    entry_issue(l, buffer, (u32)best, now, tick);
}

static void literal_tick(struct literal *l, cycle now, struct dram_tick *tick)
{
    *tick = (struct dram_tick){ 0 };
    if (l->pending_head < l->pending_tail && l->pending[l->pending_head].depart <= now) {
        tick->returned = true;
        tick->returned_depart = l->pending[l->pending_head].depart;
        tick->returned_tag = l->pending[l->pending_head++].tag;
    }
    if (l->device->refreshes && now % (cycle)l->device->timing[nREFI] == 0)
        for (u32 rank = 0; rank < l->device->count[DRAM_RANK]; rank++)
            l->priority[l->priorities++].rank = (i32)rank;
    schedule(l, now, tick);
}

/* ---- Traffic ---- */

struct traffic {
    u64 seed;
    u32 writes;      /* per cent */
    u32 rows, banks; /* how many are in use */
    u32 per_cycle;
    cycle busy, idle; /* alternating spans */
    bool repeats;     /* few columns: forwards and merges */
    bool refreshes;   /* as often as possible */
};

static struct entry traffic_next(struct traffic *t, const struct dram_memory *memory, u64 tag)
{
    u32 columns = memory->device.count[DRAM_COLUMN] / memory->device.prefetch;
    u32 bank = (u32)random_below(&t->seed,
                                 t->banks < memory->device.banks ? t->banks : memory->device.banks);
    struct dram_place p = dram_place_of(&memory->device, bank);
    u64 field[DRAM_LEVELS] = { 0,
                               (u64)p.rank,
                               (u64)p.group,
                               (u64)p.bank,
                               random_below(&t->seed, t->rows),
                               random_below(&t->seed, t->repeats ? 2 : columns) };
    return (struct entry){ .address = dram_map_compose(&memory->map, field),
                           .row = field[DRAM_ROW],
                           .column = (u32)field[DRAM_COLUMN],
                           .bank = bank,
                           .tag = tag,
                           .kind =
                               random_below(&t->seed, 100) < t->writes ? DRAM_WRITE : DRAM_READ };
}

static void ticks_compare(const struct dram_tick *a, const struct dram_tick *b, const char *name,
                          cycle now)
{
    bool same = a->issued == b->issued && a->returned == b->returned;
    if (same && a->returned)
        same = a->returned_tag == b->returned_tag && a->returned_depart == b->returned_depart;
    if (same && a->issued)
        same = a->issue.command == b->issue.command && a->issue.tag == b->issue.tag &&
               !memcmp(&a->issue.place, &b->issue.place, sizeof a->issue.place);
    if (!same)
        fail_msg("%s, cycle %llu: the rules say %s, the channel does %s", name,
                 (unsigned long long)now, b->issued ? dram_command_names[b->issue.command] : "none",
                 a->issued ? dram_command_names[a->issue.command] : "none");
}

static void cycle_compare(struct dram_channel *channel, struct literal *literal, cycle now,
                          const char *name)
{
    struct dram_tick real = { 0 }, rules;
    if (now >= dram_channel_next(channel))
        dram_channel_tick(channel, now, &real);
    literal_tick(literal, now, &rules);
    ticks_compare(&real, &rules, name, now);
}

/* A refresh interval little longer than a refresh meets the queues in every state. */
static void refresh_often(struct dram_memory *memory)
{
    i32 *t = memory->device.timing;
    i32 interval = (t[nRFC] > 0 ? t[nRFC] : t[nRFC1]) + 150;
    t[nREFI] = interval * (i32)memory->device.count[DRAM_RANK];
    if (!memory->device.refreshes)
        return;
    memory->channel[0].refresh_interval = (u32)t[nREFI];
    memory->channel[0].next_refresh = memory->channel[0].next = (cycle)t[nREFI];
}

static u64 traffic_run(const struct dram_config *config, struct traffic traffic, cycle cycles)
{
    static struct literal literal;
    struct arena *arena;
    struct dram_config roomy = *config;
    roomy.controller.return_capacity = 8192;
    struct dram_memory *memory = test_memory(&roomy, &arena);
    struct dram_channel *channel = &memory->channel[0];
    if (traffic.refreshes)
        refresh_often(memory);
    literal_init(&literal, &memory->device, &roomy.controller, arena);
    u64 tag = 0;
    struct entry entry = traffic_next(&traffic, memory, tag);
    for (cycle now = 0; now < cycles && tag < 8000; now++) {
        bool busy = now % (traffic.busy + traffic.idle) < traffic.busy;
        for (u32 i = 0; busy && i < traffic.per_cycle; i++) {
            struct dram_address place = { .bank = entry.bank,
                                          .column = entry.column,
                                          .row = entry.row };
            bool real = dram_channel_offer(channel, now, entry.kind, entry.address, &place, tag);
            assert_int_equal(real, literal_offer(&literal, now, &entry));
            if (!real)
                break;
            entry = traffic_next(&traffic, memory, ++tag);
        }
        cycle_compare(channel, &literal, now + 1, config->name);
    }
    arena_destroy(arena);
    return tag;
}

static void config_run(const struct dram_config *config, u64 seed)
{
    u64 total = 0;
    for (u32 i = 0; i < 36; i++) {
        struct traffic traffic = { .seed = seed * 1000 + i,
                                   .writes = i % 4 * 30,
                                   .rows = i % 3 == 0   ? 2
                                           : i % 3 == 1 ? 5
                                                        : 4000,
                                   .banks = i % 5 == 0   ? 1
                                            : i % 5 == 1 ? 3
                                                         : 64,
                                   .per_cycle = i % 2 ? 4 : 1,
                                   .busy = i < 8    ? 1000000
                                           : i < 16 ? 20
                                                    : 3,
                                   .idle = i < 8    ? 0
                                           : i < 16 ? 400
                                                    : 97,
                                   .repeats = i % 7 == 0,
                                   .refreshes = i % 3 == 2 };
        total += traffic_run(config, traffic, 15000);
    }
    assert_true(total > 3000);
}

static void recorded_configurations_follow_the_rules(void **state)
{
    (void)state;
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++)
        if (config->variant != DRAM_CORRECT)
            config_run(config, i + 1);
}

static void other_settings_follow_the_rules(void **state)
{
    (void)state;
    const char *names[] = { "ddr4_2400r_2rank", "ddr5_3200an", "arches_gddr6_14000_bankfix" };
    for (u32 i = 0; i < 9; i++) {
        struct dram_config config = *test_config(names[i % 3]);
        struct dram_controller *c = &config.controller;
        c->read_capacity = 5 + 7 * i;
        c->write_capacity = 6 + 3 * i;
        c->write_enter = 4 + i;
        c->write_leave = 1 + i / 2;
        c->merge_writes = i & 1;
        c->row_policy = i / 3 == 1 ? DRAM_ROW_closed : DRAM_ROW_open;
        c->row_cap = 1 + i % 4;
        config_run(&config, i + 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_configurations_follow_the_rules),
        cmocka_unit_test(other_settings_follow_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
