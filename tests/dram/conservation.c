/* conservation.c - under random traffic, for every configuration, scheduler and row policy: each
 * request is answered exactly once, no command comes before its time, writes to one address stay in
 * order, reads never see older data than what was already written, none returns sooner than the
 * channel said, and neither skipping idle cycles nor looking for commands in all of them changes
 * anything. Nor do the short ways of plans and of ticks that nobody watches. */
#include "support.h"

#define REQUESTS   3000
#define ADDRESSES  512
#define CYCLES_MAX 4000000

struct request {
    u64 address;
    u32 slot; /* of the address */
    bool write, accepted, answered;
    u32 version; /* writes: what it stores */
    u32 floor;   /* reads: the newest version stored when it was accepted */
};

struct world {
    struct dram_memory *memory;
    struct arena *arena;
    struct request requests[REQUESTS];
    u64 addresses[ADDRESSES];
    u32 stored[ADDRESSES];  /* by WR commands */
    u32 offered[ADDRESSES]; /* newest version accepted */
    u64 next, answered, merged, written;
    u64 digest;                        /* of every event with its cycle */
    cycle return_from[DRAM_BANKS_MAX]; /* per channel: no read returns before that */
};

/* Which cycles are ticked, and whether a channel may keep to its plans. */
enum way { SKIPPING, STEPPING, LOOKING };

static void world_note(struct world *world, cycle now, u64 what)
{
    world->digest = (world->digest ^ now) * UINT64_C(1099511628211);
    world->digest = (world->digest ^ what) * UINT64_C(1099511628211);
}

static void world_init(struct world *world, const struct dram_config *config, u64 seed)
{
    *world = (struct world){ 0 };
    world->memory = test_memory(config, &world->arena);
    u32 bytes = world->memory->device.transaction_bytes;
    for (u32 i = 0; i < ADDRESSES; i++)
        world->addresses[i] =
            (random_below(&seed, 64 * MiB) & ~(u64)(bytes - 1)) + (i % 4 ? 0 : i * (u64)bytes);
    for (u64 i = 0; i < REQUESTS; i++) {
        struct request *r = &world->requests[i];
        r->slot = (u32)random_below(&seed, i % 3 ? ADDRESSES : 16);
        r->address = world->addresses[r->slot];
        r->write = random_below(&seed, 10) < 4;
    }
}

/* Same address twice in the list: they share data. */
static u32 slot_of(const struct world *world, u64 address)
{
    u32 slot = 0;
    while (world->addresses[slot] != address)
        slot++;
    return slot;
}

static void request_offer(struct world *world, cycle now)
{
    struct request *r = &world->requests[world->next];
    u32 slot = slot_of(world, r->address);
    struct dram_address place;
    struct dram_channel *channel = dram_memory_find(world->memory, r->address, &place);
    u64 merged = channel->stats.writes_merged, forwarded = channel->stats.reads_forwarded;
    enum dram_kind kind = r->write ? DRAM_WRITE : DRAM_READ;
    bool would = dram_channel_accepts(channel, kind, r->address, place.bank);
    cycle earliest = dram_channel_return_of(channel, now);
    assert_false(would && kind == DRAM_READ && dram_channel_refuses_reads(channel));
    bool did = dram_memory_offer(world->memory, now, kind, r->address, world->next);
    assert_int_equal(would, did);
    if (!did)
        return;
    r->accepted = true;
    if (r->write) {
        r->version = ++world->offered[slot];
    } else {
        r->floor = world->stored[slot];
        world->return_from[place.channel] = min_u64(world->return_from[place.channel], earliest);
    }
    if (channel->stats.writes_merged > merged) {
        r->answered = true;
        world->merged++;
        world->answered++;
    }
    if (channel->stats.reads_forwarded > forwarded)
        assert_true(world->offered[slot] > world->stored[slot] || world->merged);
    world->next++;
}

static void command_check(struct world *world, const struct dram_issue *issue)
{
    if (issue->tag == DRAM_NO_TAG || (issue->command != DRAM_WR && issue->command != DRAM_RD))
        return;
    struct request *r = &world->requests[issue->tag];
    u32 slot = slot_of(world, r->address);
    if (issue->command == DRAM_RD) {
        assert_true(world->stored[slot] >= r->floor);
        return;
    }
    assert_false(r->answered);
    assert_true(r->version > world->stored[slot]);
    world->stored[slot] = r->version;
    r->answered = true;
    world->answered++;
    world->written++;
}

static void channel_tick(struct world *world, u32 index, cycle now)
{
    struct dram_tick tick;
    struct dram_channel *channel = &world->memory->channel[index];
    dram_channel_tick(channel, now, &tick);
    if (tick.returned) {
        assert_true(now >= world->return_from[index]);
        struct request *r = &world->requests[tick.returned_tag];
        assert_false(r->write || r->answered);
        r->answered = true;
        world->answered++;
        world_note(world, now, tick.returned_tag);
    }
    if (tick.issued) {
        command_check(world, &tick.issue);
        world_note(world, now, tick.issue.command << 16 | index);
    }
    world->return_from[index] = dram_channel_next_return(channel);
}

/* As if something had changed that a plan does not know of. */
static void channel_forget(struct dram_channel *channel, cycle now)
{
    channel->planned = false;
    channel->next = channel->next_command = now;
}

static void world_run(struct world *world, u64 gap, enum way way)
{
    cycle now = 0;
    while (world->answered < REQUESTS) {
        if (world->next < REQUESTS && now >= world->next * gap)
            request_offer(world, now);
        cycle next = way == SKIPPING ? max_u64(now + 1, dram_memory_next(world->memory)) : now + 1;
        now = world->next < REQUESTS ? now + 1 : next;
        for (u32 i = 0; i < world->memory->channels; i++) {
            if (way == LOOKING)
                channel_forget(&world->memory->channel[i], now);
            channel_tick(world, i, now);
        }
        assert_true(now < CYCLES_MAX);
    }
    for (u32 i = 0; i < world->memory->channels; i++)
        assert_int_equal(dram_channel_held(&world->memory->channel[i]), 0);
}

static void config_check(const struct dram_config *config, u64 seed, u64 gap)
{
    static struct world skipping, other;
    world_init(&skipping, config, seed);
    world_run(&skipping, gap, SKIPPING);
    for (enum way way = STEPPING; way <= LOOKING; way++) {
        world_init(&other, config, seed);
        world_run(&other, gap, way);
        assert_int_equal(skipping.digest, other.digest);
        arena_destroy(other.arena);
    }
    struct dram_stats sum = { 0 };
    for (u32 i = 0; i < skipping.memory->channels; i++)
        dram_stats_add(&sum, &skipping.memory->channel[i].stats);
    assert_int_equal(sum.reads + sum.writes, REQUESTS);
    assert_int_equal(sum.writes, skipping.written + skipping.merged);
    assert_int_equal(sum.issued[DRAM_WR], skipping.written);
    assert_int_equal(sum.issued[DRAM_RD] + sum.reads_forwarded, sum.reads);
    arena_destroy(skipping.arena);
}

static void every_configuration_conserves_requests(void **state)
{
    (void)state;
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++)
        for (u64 seed = 1; seed <= 3; seed++)
            config_check(config, seed * 77 + i, seed == 3 ? 60 : 0);
}

/* A channel whose plans take the short way, if it has one, and that is not asked for commands,
 * beside one that makes all plans at length and is ticked in each cycle. The first is left alone
 * until a read returns or somebody looks. */
static void channels_agree(struct dram_channel *shortly, struct dram_channel *at_length, cycle now,
                           bool look)
{
    struct dram_tick tick;
    dram_channel_tick(at_length, now, &tick);
    if (!look && !tick.returned)
        return;
    if (tick.returned)
        assert_true(dram_channel_next_return(shortly) <= now);
    dram_channel_advance(shortly, now);
    bool returned = dram_channel_return_at(shortly) <= now;
    assert_int_equal(returned, tick.returned);
    if (returned)
        assert_int_equal(dram_channel_return(shortly), tick.returned_tag);
    assert_int_equal(dram_channel_next(shortly), dram_channel_next(at_length));
}

/* Counters may be settled at any time. */
static void counters_agree(struct dram_channel *shortly, struct dram_channel *at_length, cycle now,
                           bool both)
{
    if (both)
        dram_channel_settle(shortly, now);
    dram_channel_settle(at_length, now);
    if (both)
        assert_memory_equal(&shortly->stats, &at_length->stats, sizeof shortly->stats);
}

static void short_ways_change_nothing(void **state)
{
    (void)state;
    static struct world shortly, at_length;
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++) {
        cycle end = 20000;
        u64 gap = i % 3 * 7 + 1;
        world_init(&shortly, config, i);
        world_init(&at_length, config, i);
        for (u32 k = 0; k < at_length.memory->channels; k++)
            at_length.memory->channel[k].usual = false;
        for (cycle now = 1; now <= end; now++) {
            bool offers = now % gap == 0 && now / gap / 200 % 3 != 2;
            for (u32 k = 0; k < shortly.memory->channels; k++) {
                bool counts = now % 97 == 0 || now == end;
                channels_agree(&shortly.memory->channel[k], &at_length.memory->channel[k], now,
                               offers || counts || i % 2);
                if (counts)
                    counters_agree(&shortly.memory->channel[k], &at_length.memory->channel[k], now,
                                   now % 2000 == 0);
            }
            const struct request *r = &shortly.requests[now / gap % REQUESTS];
            if (offers)
                assert_int_equal(
                    dram_memory_offer(shortly.memory, now, r->write, r->address, now),
                    dram_memory_offer(at_length.memory, now, r->write, r->address, now));
        }
        arena_destroy(shortly.arena);
        arena_destroy(at_length.arena);
    }
}

static void every_policy_conserves_requests(void **state)
{
    (void)state;
    const enum dram_scheduler schedulers[] = { DRAM_SCHEDULER_frfcfs, DRAM_SCHEDULER_fcfs,
                                               DRAM_SCHEDULER_frfcfs_cap };
    const enum dram_row_policy rows[] = { DRAM_ROW_open, DRAM_ROW_closed, DRAM_ROW_timeout };
    const enum dram_refresh refreshes[] = { DRAM_REFRESH_all_bank, DRAM_REFRESH_per_bank };
    const char *names[] = { "gddr6_14000", "ddr5_3200", "lpddr5_6400", "hbm3_2000" };
    for (u32 i = 0; i < 4 * 3 * 3 * 2; i++) {
        struct dram_config config = *test_config(names[i % 4]);
        config.controller.scheduler = schedulers[i / 4 % 3];
        config.controller.row_policy = rows[i / 12 % 3];
        config.controller.refresh = refreshes[i / 36];
        config.controller.hit_cap = 4;
        config.controller.row_cap = 2;
        config.controller.row_timeout = 100;
        config_check(&config, i + 1, i % 2 ? 0 : 40);
    }
}

/* The bytes of the arena are the whole state: put back, they go on as they did. */
static void an_arena_put_back_goes_on_the_same(void **state)
{
    (void)state;
    static struct world world, again;
    world_init(&world, test_config("gddr6_14000"), 4);
    cycle now = 0;
    for (; now < 3000; now++) {
        request_offer(&world, now);
        for (u32 i = 0; i < world.memory->channels; i++)
            channel_tick(&world, i, now + 1);
    }
    u64 used = world.arena->used;
    char *copy = malloc(used);
    memcpy(copy, world.arena, used);
    again = world;
    for (cycle later = now; later < 9000; later++)
        for (u32 i = 0; i < world.memory->channels; i++)
            channel_tick(&world, i, later + 1);
    memcpy(world.arena, copy, used);
    for (cycle later = now; later < 9000; later++)
        for (u32 i = 0; i < again.memory->channels; i++)
            channel_tick(&again, i, later + 1);
    assert_int_equal(world.digest, again.digest);
    free(copy);
    arena_destroy(world.arena);
}

/* ---- No command before its time, by a checker that shares nothing with the timing engine ---- */

#define HISTORY 4096

struct past {
    cycle at;
    u32 command;
    struct dram_place place;
};

static bool overlap(i32 a, i32 b)
{
    return a == DRAM_ALL || b == DRAM_ALL || a == b;
}

static bool same_node(u32 level, struct dram_place a, struct dram_place b)
{
    return (level < DRAM_RANK || overlap(a.rank, b.rank)) &&
           (level < DRAM_BANKGROUP || overlap(a.group, b.group)) &&
           (level < DRAM_BANK || overlap(a.bank, b.bank));
}

static void command_is_in_time(const struct dram_device *device, const struct dram_distance *list,
                               u32 count, const struct past *past, u64 length)
{
    const struct past *now = &past[length % HISTORY];
    for (u32 i = 0; i < count; i++) {
        const struct dram_distance *d = &list[i];
        u32 seen = 0;
        if (d->later != now->command || d->level > device->scope[now->command])
            continue;
        for (u64 k = length; k-- && k + HISTORY > length;) {
            const struct past *before = &past[k % HISTORY];
            if (before->at + d->cycles <= now->at)
                break;
            bool related = d->sibling ? !overlap(before->place.rank, now->place.rank)
                                      : same_node(d->level, before->place, now->place);
            if (before->command == d->earlier && related && ++seen == d->window)
                fail_msg("%s to %s after %llu cycles instead of %u", dram_command_names[d->earlier],
                         dram_command_names[d->later], (unsigned long long)(now->at - before->at),
                         d->cycles);
        }
    }
}

static void commands_keep_their_distances(void **state)
{
    (void)state;
    static struct world world;
    static struct past past[HISTORY];
    static struct dram_distance list[1024];
    const struct dram_config *config;
    for (u32 c = 0; (config = dram_config_at(c)); c++) {
        world_init(&world, config, c + 5);
        const struct dram_device *device = &world.memory->device;
        struct dram_channel *channel = &world.memory->channel[0];
        u32 count = 0;
        for (u64 cursor = 0; dram_device_distance(device, &cursor, &list[count]);)
            count++;
        u64 length = 0;
        u64 seed = c;
        for (cycle now = 0; now < 20000; now++) {
            u64 address = world.addresses[random_below(&seed, ADDRESSES)];
            struct dram_address place = dram_map_address(&world.memory->map, device, address);
            dram_channel_offer(channel, now, random_below(&seed, 3) ? DRAM_READ : DRAM_WRITE,
                               address, &place, 0);
            struct dram_tick tick;
            dram_channel_tick(channel, now + 1, &tick);
            if (!tick.issued)
                continue;
            past[length % HISTORY] = (struct past){ now + 1, tick.issue.command, tick.issue.place };
            command_is_in_time(device, list, count, past, length++);
        }
        assert_true(length > 1000);
        arena_destroy(world.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_configuration_conserves_requests),
        cmocka_unit_test(every_policy_conserves_requests),
        cmocka_unit_test(short_ways_change_nothing),
        cmocka_unit_test(an_arena_put_back_goes_on_the_same),
        cmocka_unit_test(commands_keep_their_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
