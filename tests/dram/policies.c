/* policies.c - schedulers and row policies, one behaviour each. */
#include "support.h"

struct rig {
    struct arena *arena;
    struct dram_memory *memory;
    struct dram_channel *channel;
    cycle now;
};

static struct rig rig_create(const struct dram_config *config)
{
    struct rig rig = { 0 };
    rig.memory = test_memory(config, &rig.arena);
    rig.channel = &rig.memory->channel[0];
    return rig;
}

static u64 address_of(const struct rig *rig, u64 bank, u64 row, u64 column)
{
    struct dram_place p = dram_place_of(&rig->memory->device, (u32)bank);
    u64 field[DRAM_LEVELS] = { 0, (u64)p.rank, (u64)p.group, (u64)p.bank, row, column };
    return dram_map_compose(&rig->memory->map, field);
}

static bool rig_offer(struct rig *rig, enum dram_kind kind, u64 bank, u64 row, u64 column, u64 tag)
{
    return dram_memory_offer(rig->memory, rig->now, kind, address_of(rig, bank, row, column), tag);
}

static bool rig_tick(struct rig *rig, struct dram_tick *tick)
{
    dram_channel_tick(rig->channel, ++rig->now, tick);
    return tick->issued;
}

/* Runs until a column command for the tag; its cycle. */
static cycle rig_until(struct rig *rig, u64 tag)
{
    struct dram_tick tick;
    for (cycle end = rig->now + 100000; rig->now < end;)
        if (rig_tick(rig, &tick) && tick.issue.tag == tag &&
            (tick.issue.command == DRAM_RD || tick.issue.command == DRAM_WR))
            return rig->now;
    fail_msg("request %llu was never served", (unsigned long long)tag);
    return 0;
}

static struct dram_config gddr6(enum dram_scheduler scheduler)
{
    struct dram_config config = *test_config("gddr6_14000");
    config.controller.scheduler = scheduler;
    config.controller.refresh = DRAM_REFRESH_none;
    return config;
}

static void fcfs_keeps_the_order(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_fcfs);
    struct rig rig = rig_create(&config);
    rig_offer(&rig, DRAM_READ, 0, 1, 0, 0);
    rig_offer(&rig, DRAM_READ, 0, 2, 0, 1); /* conflict */
    rig_offer(&rig, DRAM_READ, 0, 1, 1, 2); /* would be a hit */
    cycle first = rig_until(&rig, 0), second = rig_until(&rig, 1), third = rig_until(&rig, 2);
    assert_true(first < second && second < third);
    assert_int_equal(rig.channel->stats.conflicts[DRAM_READ], 2);
    arena_destroy(rig.arena);
}

static void hits_go_first_with_a_cap(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs_cap);
    struct rig rig = rig_create(&config);
    rig_offer(&rig, DRAM_READ, 0, 1, 0, 0);
    rig_offer(&rig, DRAM_READ, 0, 2, 0, 1);
    rig_offer(&rig, DRAM_READ, 0, 1, 1, 2);
    cycle first = rig_until(&rig, 0), third = rig_until(&rig, 2), second = rig_until(&rig, 1);
    assert_true(first < third && third < second);
    assert_int_equal(rig.channel->stats.conflicts[DRAM_READ], 1);
    arena_destroy(rig.arena);
}

/* From acceptance to column command of a read that conflicts with an endless stream of hits. */
static cycle conflict_waits(struct rig *rig, u64 columns)
{
    u64 tag = 1, column = 0;
    struct dram_tick tick;
    while (rig->now < 500) {
        rig_offer(rig, DRAM_READ, 0, 1, column++ % columns, tag++);
        rig_tick(rig, &tick);
    }
    while (!rig_offer(rig, DRAM_READ, 0, 2, 0, 0))
        rig_tick(rig, &tick);
    for (cycle accepted = rig->now; rig->now < accepted + 100000;) {
        rig_offer(rig, DRAM_READ, 0, 1, column++ % columns, tag++);
        if (rig_tick(rig, &tick) && tick.issue.tag == 0 && tick.issue.command == DRAM_RD)
            return rig->now - accepted;
    }
    fail_msg("it was never served");
    return 0;
}

/* For so many column commands of the bank, older hits in the queue first by right, then PRE, ACT
 * and RD. */
static u64 conflict_bound(const struct rig *rig, const struct dram_config *config, u64 passing)
{
    const i32 *t = rig->memory->device.timing;
    return (config->controller.read_capacity + passing + 1) * (u64)t[nCCDL] +
           (u64)(t[nRTP] + t[nRP] + t[nRCDRD]) + 8;
}

static void cap_bounds_starvation(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs_cap);
    struct rig rig = rig_create(&config);
    assert_true(conflict_waits(&rig, 128) <=
                conflict_bound(&rig, &config, config.controller.hit_cap));
    arena_destroy(rig.arena);
}

/* Without a cap, too, there is an end to it. */
static void patience_bounds_starvation(void **state)
{
    (void)state;
    static const enum dram_scheduler schedulers[] = { DRAM_SCHEDULER_frfcfs,
                                                      DRAM_SCHEDULER_frfcfs_cap };
    for (u32 i = 0; i < 2; i++) {
        struct dram_config config = gddr6(schedulers[i]);
        config.controller.hit_cap = UINT32_MAX;
        struct rig rig = rig_create(&config);
        assert_true(conflict_waits(&rig, 128) <= conflict_bound(&rig, &config, DRAM_PATIENCE));
        arena_destroy(rig.arena);
    }
}

static void closed_rows_close_after_the_cap(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs_cap);
    config.controller.row_policy = DRAM_ROW_closed;
    config.controller.row_cap = 2;
    struct rig rig = rig_create(&config);
    struct dram_tick tick;
    rig_offer(&rig, DRAM_READ, 3, 1, 0, 0);
    rig_offer(&rig, DRAM_READ, 3, 1, 1, 1);
    rig_until(&rig, 1);
    assert_true(rig.channel->open);
    while (rig.channel->open && rig.now < 1000)
        rig_tick(&rig, &tick);
    assert_int_equal(rig.channel->open, 0);
    assert_int_equal(rig.channel->stats.issued[DRAM_PRE], 1);
    arena_destroy(rig.arena);
}

static void idle_rows_close_after_the_timeout(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs);
    config.controller.row_policy = DRAM_ROW_timeout;
    config.controller.row_timeout = 300;
    struct rig rig = rig_create(&config);
    struct dram_tick tick;
    rig_offer(&rig, DRAM_READ, 3, 1, 0, 0);
    cycle served = rig_until(&rig, 0);
    while (rig.channel->open && rig.now < 2000)
        rig_tick(&rig, &tick);
    assert_int_equal(rig.now, served + 300);
    rig_tick(&rig, &tick);
    assert_int_equal(dram_channel_next(rig.channel), NEVER);
    arena_destroy(rig.arena);
}

static void reads_are_forwarded_from_waiting_writes(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs_cap);
    struct rig rig = rig_create(&config);
    struct dram_tick tick;
    rig_offer(&rig, DRAM_WRITE, 1, 5, 0, 0);
    rig_offer(&rig, DRAM_WRITE, 1, 5, 0, 1);
    rig_offer(&rig, DRAM_READ, 1, 5, 0, 2);
    rig_tick(&rig, &tick);
    assert_true(tick.returned);
    assert_int_equal(tick.returned_tag, 2);
    assert_int_equal(rig.channel->stats.writes_merged, 1);
    assert_int_equal(rig.channel->stats.reads_forwarded, 1);
    arena_destroy(rig.arena);
}

/* A read that meets writes drained only for want of reads does not wait for the drain. */
static void reads_interrupt_an_idle_drain(void **state)
{
    (void)state;
    for (u32 yields = 0; yields < 2; yields++) {
        struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs_cap);
        config.controller.yield_to_reads = yields;
        struct rig rig = rig_create(&config);
        struct dram_tick tick;
        for (u64 i = 0; i < 40; i++)
            rig_offer(&rig, DRAM_WRITE, 0, i, 0, i);
        for (u32 i = 0; i < 10; i++)
            rig_tick(&rig, &tick);
        rig_offer(&rig, DRAM_READ, 5, 1, 0, 100);
        cycle waited = rig_until(&rig, 100) - 10;
        assert_true(yields ? waited < 200 : waited > 1000);
        arena_destroy(rig.arena);
    }
}

/* A miss and, 100 cycles later, a hit: queue and service add up to the latency. */
static void latencies_are_told_apart(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs);
    struct rig rig = rig_create(&config);
    const i32 *t = rig.memory->device.timing;
    struct dram_tick tick;
    rig_offer(&rig, DRAM_READ, 0, 1, 0, 0);
    while (rig.now < 100)
        rig_tick(&rig, &tick);
    rig_offer(&rig, DRAM_READ, 0, 1, 1, 1);
    while (rig.now < 200)
        rig_tick(&rig, &tick);
    const struct dram_stats *s = &rig.channel->stats;
    u64 read = rig.memory->device.read_latency;
    assert_int_equal(s->queue_cycles, 2);
    assert_int_equal(s->service_cycles, (u64)t[nRCDRD] + 2 * read);
    assert_int_equal(s->latency.cycles, s->queue_cycles + s->service_cycles);
    u64 longest = dram_latency_percentile(&s->latency, 0.99), real = 1 + (u64)t[nRCDRD] + read;
    assert_true(longest >= real && longest <= real + real / 8);
    arena_destroy(rig.arena);
}

static void queues_hold_what_they_say(void **state)
{
    (void)state;
    struct dram_config config = gddr6(DRAM_SCHEDULER_frfcfs);
    struct rig rig = rig_create(&config);
    u32 accepted = 0;
    while (rig_offer(&rig, DRAM_READ, accepted % 16, accepted, 0, accepted))
        accepted++;
    assert_int_equal(accepted, config.controller.read_capacity);
    assert_int_equal(rig.channel->stats.refused, 1);
    assert_int_equal(dram_channel_held(rig.channel), accepted);
    arena_destroy(rig.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fcfs_keeps_the_order),
        cmocka_unit_test(hits_go_first_with_a_cap),
        cmocka_unit_test(cap_bounds_starvation),
        cmocka_unit_test(patience_bounds_starvation),
        cmocka_unit_test(closed_rows_close_after_the_cap),
        cmocka_unit_test(idle_rows_close_after_the_timeout),
        cmocka_unit_test(reads_are_forwarded_from_waiting_writes),
        cmocka_unit_test(reads_interrupt_an_idle_drain),
        cmocka_unit_test(latencies_are_told_apart),
        cmocka_unit_test(queues_hold_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
