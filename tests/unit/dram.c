/* dram.c - what a DRAM partition answers and in which cycle, and that it adds nothing to the time
 * that src/dram says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dram/replay.h"
#include "ogive/isa.h"
#include "ogive/memory.h"
#include "ogive/random.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_dram, unit_type_tester;

#define REQUESTS_MAX  4096
#define USERS_MAX     4
#define LINK_CAPACITY 16

/* One request of a user's list, and what came of it. */
struct exchange {
    cycle asked; /* when to send it, or as soon after that as there is room */
    u16 kind, size_bytes;
    union {
        u32 mask, amo;
    };
    u64 address, value;
    u64 stamp; /* of a store-conditional */

    u32 answers;
    cycle answered;
    u16 answer_kind;
    u64 answer_address, answer_value;
};

/* What the users have to ask: one list each, found by mock->value. */
static struct exchange lists[USERS_MAX][REQUESTS_MAX];

static void answers_read(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        struct exchange *exchange = &lists[mock->value][answer->tag];
        exchange->answers++;
        exchange->answered = now;
        exchange->answer_kind = answer->kind;
        exchange->answer_address = answer->address;
        exchange->answer_value = answer->data.dword[0];
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
}

static cycle requests_send(struct mock *mock, cycle now)
{
    while (mock->left) {
        const struct exchange *exchange = &lists[mock->value][mock->script_next];
        if (exchange->asked > now)
            return exchange->asked;
        if (!link_can_push(mock->out[0]))
            return NEVER;
        struct message *request = link_push(mock->out[0]);
        request->kind = exchange->kind;
        request->address = exchange->address;
        request->size_bytes = exchange->size_bytes;
        request->mask = exchange->mask;
        request->source = (u32)mock->value;
        request->data.dword[0] = exchange->value;
        request->data.dword[1] = exchange->stamp;
        request->tag = mock->script_next++;
        mock->left--;
        if (exchange->kind == MEMORY_PREFETCH)
            unit_release(&mock->base, 1);
    }
    return NEVER;
}

/* Sends its list. Reads answers from cycle `ready` on. */
static cycle step_use(struct mock *mock, cycle now)
{
    if (now >= mock->ready)
        answers_read(mock, now);
    cycle next = requests_send(mock, now);
    return now < mock->ready ? min_u64(next, mock->ready) : next;
}

struct stand {
    struct sim *sim;
    struct domain *domain;
    struct unit *dram;
    struct mock *users[USERS_MAX];
};

static struct unit *partition_create(struct sim *sim, struct domain *domain, const char *config)
{
    struct unit *dram = bench_unit(sim, domain, &unit_type_dram, NO_CLOCK);
    bench_set_words(dram, "config", config);
    bench_set(dram, "size", MiB);
    return dram;
}

static struct stand stand_create(const char *config, u32 users)
{
    struct stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    memset(lists, 0, sizeof lists);
    stand.dram = partition_create(stand.sim, stand.domain, config);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, stand.domain, step_use);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.dram, "users", stand.users[i], 1, LINK_CAPACITY);
    }
    return stand;
}

static void stand_ask(struct stand *stand, u32 user, struct exchange exchange)
{
    assert_true(stand->users[user]->left < REQUESTS_MAX);
    if (!exchange.mask)
        exchange.mask = UINT32_MAX;
    lists[user][stand->users[user]->left++] = exchange;
    unit_hold(&stand->users[user]->base, 1);
}

static struct exchange read_of(cycle asked, u64 address)
{
    return (struct exchange){
        .asked = asked, .kind = MEMORY_READ, .size_bytes = 8, .address = address
    };
}

static struct exchange write_of(cycle asked, u64 address, u64 value)
{
    return (struct exchange){
        .asked = asked, .kind = MEMORY_WRITE, .size_bytes = 8, .address = address, .value = value
    };
}

static struct exchange atomic_of(cycle asked, enum isa_amo amo, u64 address, u64 value)
{
    return (struct exchange){ .asked = asked,
                              .kind = MEMORY_AMO,
                              .size_bytes = 8,
                              .amo = amo,
                              .address = address,
                              .value = value };
}

static struct exchange sc_of(cycle asked, u64 address, u64 value, u64 stamp)
{
    struct exchange exchange = atomic_of(asked, AMO_SC, address, value);
    exchange.stamp = stamp;
    return exchange;
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->dram);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

static struct dram_config config_of(const char *name)
{
    struct ogv_error error;
    const struct dram_config *config = dram_config_find(name, &error);
    assert_non_null(config);
    return *config;
}

static struct dram_device device_of(const char *name)
{
    struct ogv_error error;
    struct dram_device device;
    struct dram_config config = config_of(name);
    assert_true(dram_device_init(&device, &config, &error));
    return device;
}

/* ---- Time ---- */

static void idle_read_takes_the_controller_and_the_device(void **state)
{
    static const cycle controllers[] = { 0, 1, 2, 100, 255, 256, 1000 };
    (void)state;
    struct dram_device device = device_of("gddr6_14000");
    for (u32 i = 0; i < sizeof controllers / sizeof *controllers; i++) {
        struct stand stand = stand_create("gddr6_14000", 1);
        bench_set(stand.dram, "controller", controllers[i]);
        bench_set_choice(stand.dram, "refresh", "none");
        stand_ask(&stand, 0, read_of(5, 0));
        stand_ask(&stand, 0, read_of(5000, 8)); /* the row is open */
        stand_finish(&stand);
        /* ACT or RD one cycle after acceptance; one cycle on the link each way. */
        cycle hit = 1 + controllers[i] + 1 + device.read_latency + 1;
        cycle miss = hit + (cycle)device.timing[nRCDRD];
        assert_int_equal(lists[0][0].answered, 5 + miss);
        assert_int_equal(lists[0][1].answered, 5000 + hit);
        bench_destroy(stand.sim);
    }
}

static void other_row_of_the_bank_costs_a_precharge(void **state)
{
    (void)state;
    struct dram_device device = device_of("gddr6_14000");
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set_choice(stand.dram, "refresh", "none");
    bench_set_words(stand.dram, "mapper", "RoBaRaCoBgChCo2");
    bench_set(stand.dram, "size", 2 * GiB);
    stand_ask(&stand, 0, read_of(0, 0));
    stand_ask(&stand, 0, read_of(1000, GiB)); /* the highest bits are the row's */
    stand_finish(&stand);
    cycle hit = 1 + 1 + device.read_latency + 1;
    assert_int_equal(lists[0][1].answered,
                     1000 + hit + (cycle)(device.timing[nRP] + device.timing[nRCDRD]));
    bench_report(stand.dram, 2000);
    assert_int_equal(bench_stat(stand.dram, "row_conflicts"), 1);
    assert_int_equal(bench_stat(stand.dram, "single_access_rows"), 1);
    assert_int_equal(bench_stat(stand.dram, "act"), 2);
    assert_int_equal(bench_stat(stand.dram, "pre"), 1);
}

static void write_is_answered_when_it_is_accepted(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set(stand.dram, "controller", 30);
    stand_ask(&stand, 0, write_of(7, 64, 1));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answered, 7 + 1 + 30 + 1);
    assert_int_equal(lists[0][0].answer_kind, MEMORY_WRITE);
}

static void channel_takes_one_request_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 3);
    bench_set(stand.dram, "controller", 10);
    /* 128 bytes of a line lie in one channel, the next 128 in the other. */
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < 4; i++)
            stand_ask(&stand, user, write_of(0, 1024 * user + 8 * i, 1));
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, 2, write_of(0, 128 + 8 * i, 1));
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(lists[0][i].answered, 12 + 2 * i); /* in turn */
        assert_int_equal(lists[1][i].answered, 12 + 2 * i + 1);
        assert_int_equal(lists[2][i].answered, 12 + i); /* alone in its channel */
    }
}

static void user_gives_each_channel_one_request_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    for (u32 i = 0; i < 8; i++)
        stand_ask(&stand, 0, write_of(0, 128 * i, 1));
    stand_finish(&stand);
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(lists[0][i].answered, 2 + i / 2);
}

static void full_queue_holds_requests_back(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set(stand.dram, "channels", 1);
    bench_set(stand.dram, "writes", 4);
    for (u32 i = 0; i < 8; i++)
        stand_ask(&stand, 0, write_of(0, 1024 * i, 1));
    stand_finish(&stand);
    assert_int_equal(lists[0][3].answered, 2 + 3);
    assert_true(lists[0][7].answered > 30); /* rows have to be opened first */
    for (u32 i = 1; i < 8; i++)
        assert_true(lists[0][i].answered > lists[0][i - 1].answered);
}

static void no_more_than_depth_requests_are_inside(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set(stand.dram, "channels", 1);
    bench_set(stand.dram, "controller", 50);
    bench_set(stand.dram, "depth", 2);
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, 0, write_of(0, 1024 * i, 1));
    stand_finish(&stand);
    /* A slot that an answer leaves in one cycle is taken in the next. */
    assert_int_equal(lists[0][0].answered, 2 + 50);
    assert_int_equal(lists[0][1].answered, 3 + 50);
    assert_int_equal(lists[0][2].answered, 3 + 2 * 50);
    assert_int_equal(lists[0][3].answered, 4 + 2 * 50);
}

/* ---- What is answered ---- */

static void read_gives_what_was_written(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    struct exchange byte = write_of(0, 67, 0xee);
    byte.size_bytes = 1;
    struct exchange masked = write_of(0, 64, UINT64_MAX);
    masked.mask = 0x80;
    stand_ask(&stand, 0, write_of(0, 64, 0x1122334455667788));
    stand_ask(&stand, 0, byte);
    stand_ask(&stand, 0, masked);
    stand_ask(&stand, 0, read_of(0, 64));
    stand_ask(&stand, 0, write_of(0, 64, 5));
    stand_ask(&stand, 0, read_of(3000, 64));
    struct exchange fresh = read_of(0, 4096);
    fresh.value = 0xdead; /* what stands in the request must not come back */
    stand_ask(&stand, 0, fresh);
    stand_finish(&stand);
    assert_int_equal(lists[0][3].answer_value, 0xff223344ee667788);
    assert_int_equal(lists[0][3].answer_address, 64);
    assert_int_equal(lists[0][5].answer_value, 5);
    assert_int_equal(lists[0][6].answer_value, 0);
    bench_report(stand.dram, 10000);
    assert_int_equal(bench_stat(stand.dram, "forwarded"), 1);
    assert_int_equal(bench_stat(stand.dram, "merged"), 2); /* the last came too late */
    assert_int_equal(bench_stat(stand.dram, "wr"), 2);
    assert_int_equal(bench_stat(stand.dram, "reads"), 3);
    assert_int_equal(bench_stat(stand.dram, "writes"), 4);
    assert_int_equal(bench_stat(stand.dram, "bytes_read"), 2 * 32);
}

static void atomics_execute_in_order(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 2);
    stand_ask(&stand, 0, write_of(0, 8, 40));
    stand_ask(&stand, 0, atomic_of(1, AMO_ADD, 8, 2));
    stand_ask(&stand, 0, atomic_of(2, AMO_SWAP, 8, 7));
    stand_ask(&stand, 0, read_of(3, 8));
    stand_ask(&stand, 0, atomic_of(1000, AMO_LR, 8, 0));
    stand_ask(&stand, 0, sc_of(1001, 8, 9, 1));
    stand_ask(&stand, 0, read_of(1002, 8));
    stand_ask(&stand, 0, atomic_of(2000, AMO_LR, 8, 0));
    stand_ask(&stand, 0, sc_of(2010, 8, 10, 2));
    stand_ask(&stand, 1, write_of(2005, 16, 1)); /* the same sector: takes the reservation away */
    stand_ask(&stand, 1, read_of(3000, 8));
    stand_finish(&stand);
    assert_int_equal(lists[0][1].answer_kind, MEMORY_AMO);
    assert_int_equal(lists[0][1].answer_value, 40);
    assert_int_equal(lists[0][2].answer_value, 42);
    assert_int_equal(lists[0][3].answer_value, 7);
    assert_int_equal(lists[0][4].answer_value, 7);
    assert_int_equal(lists[0][5].answer_value, 0); /* stored */
    assert_int_equal(lists[0][6].answer_value, 9);
    assert_int_equal(lists[0][8].answer_value, 1); /* failed */
    assert_int_equal(lists[1][1].answer_value, 9);
    assert_int_equal(bench_stat(stand.dram, "atomics"), 6);
}

static void atomic_reads_and_writes_the_device(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    stand_ask(&stand, 0, atomic_of(0, AMO_ADD, 8, 2));
    stand_ask(&stand, 0, sc_of(1000, 8, 2, 0)); /* fails: nothing to write */
    stand_finish(&stand);
    bench_report(stand.dram, 5000);
    assert_int_equal(bench_stat(stand.dram, "rd"), 2);
    assert_int_equal(bench_stat(stand.dram, "wr"), 1);
}

static void fence_waits_for_the_writes_before_it(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 2);
    bench_set(stand.dram, "controller", 20);
    bench_set(stand.dram, "writes", 1);
    bench_set(stand.dram, "drain_from", 1);
    bench_set(stand.dram, "drain_to", 0);
    struct exchange fence = { .asked = 0, .kind = MEMORY_FENCE };
    for (u32 i = 0; i < 3; i++)
        stand_ask(&stand, 0, write_of(0, 128 + 4096 * i, 1)); /* none in the fence's channel */
    stand_ask(&stand, 0, fence);
    stand_ask(&stand, 1, fence);
    stand_finish(&stand);
    assert_int_equal(lists[0][3].answers, 1);
    assert_int_equal(lists[0][3].answer_kind, MEMORY_FENCE);
    /* Taken in the cycle after the last write was accepted. */
    assert_int_equal(lists[0][3].answered, lists[0][2].answered + 1 + 20);
    assert_int_equal(lists[1][0].answered, 2 + 20); /* has nothing to wait for */
}

/* Of the scene, the first 4 KiB; elsewhere it is a read like any other. */
static void what_would_have_been_nearer_takes_no_time(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    struct exchange near = read_of(1000, 64);
    near.kind |= MEMORY_AT_ONCE;
    stand_ask(&stand, 0, write_of(0, 64, 7));
    stand_ask(&stand, 0, near);
    near.asked = 2000;
    near.address = 4096;
    stand_ask(&stand, 0, near);
    bench_init(stand.dram);
    assert_true(unit_type_dram.mark(stand.dram, 0, 4096, PURPOSE_SCENE));
    bench_seal(stand.sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
    assert_int_equal(lists[0][1].answered, 1000 + 2); /* there and back */
    assert_int_equal(lists[0][1].answer_value, 7);
    assert_true(lists[0][2].answered > 2000 + 20);
    bench_report(stand.dram, 5000);
    assert_int_equal(bench_stat(stand.dram, "reads"), 1);
    assert_int_equal(bench_stat(stand.dram, "rd"), 1);
}

static void prefetch_is_dropped(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    struct exchange prefetch = read_of(0, 0);
    prefetch.kind = MEMORY_PREFETCH;
    for (u32 i = 0; i < 2 * LINK_CAPACITY; i++)
        stand_ask(&stand, 0, prefetch);
    stand_ask(&stand, 0, write_of(0, 0, 1));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answers, 0);
    assert_int_equal(lists[0][2 * LINK_CAPACITY].answers, 1);
    bench_report(stand.dram, 1000);
    assert_int_equal(bench_stat(stand.dram, "rd"), 0);
}

static void request_beyond_the_end_is_a_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set(stand.dram, "controller", 9);
    struct exchange large = read_of(100, 0);
    large.size_bytes = MESSAGE_DATA_BYTES + 1;
    stand_ask(&stand, 0, read_of(0, MiB));
    stand_ask(&stand, 0, write_of(100, MiB - 4, 1));
    stand_ask(&stand, 0, read_of(100, UINT64_MAX));
    stand_ask(&stand, 0, large);
    struct exchange wide_atomic = atomic_of(100, AMO_ADD, 0, 1);
    wide_atomic.size_bytes = 16;
    stand_ask(&stand, 0, wide_atomic);
    stand_ask(&stand, 0, read_of(200, MiB - 8)); /* the last that fits */
    stand_finish(&stand);
    for (u32 i = 0; i < 5; i++)
        assert_int_equal(lists[0][i].answer_kind, MEMORY_FAULT);
    assert_int_equal(lists[0][5].answer_kind, MEMORY_READ);
    assert_int_equal(lists[0][0].answered, 1 + 9 + 1);
    assert_int_equal(bench_stat(stand.dram, "faults"), 5);
}

static void user_that_reads_late_loses_nothing(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 2);
    bench_set(stand.dram, "depth", 24);
    stand.users[0]->ready = 5000;
    for (u32 i = 0; i < 500; i++) {
        stand_ask(&stand, 0, read_of(0, 64 * i));
        stand_ask(&stand, 1, read_of(0, 64 * i));
    }
    stand_finish(&stand);
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < 500; i++)
            assert_int_equal(lists[user][i].answers, 1);
}

static void host_finds_the_bytes(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_ports(stand.dram, "users")->route = (struct route){ .interleave = 256, .ways = 2 };
    stand_ask(&stand, 0, write_of(0, 512 + 8, 77)); /* the second block of this partition */
    stand_finish(&stand);
    u64 length, value;
    u8 *bytes = unit_type_dram.stored(stand.dram, 512 + 8, &length);
    memcpy(&value, bytes, sizeof value);
    assert_int_equal(value, 77);
    assert_int_equal(length, 256 - 8);
    assert_null(unit_type_dram.stored(stand.dram, 2 * MiB, &length));
}

/* ---- Many requests ---- */

/* Testers and partitions, linked by address. */
static void partitions_test(const char *config, u32 partitions, u32 clock_times)
{
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct unit *drams[4], *testers[2];
    struct route route = { .interleave = 256, .ways = partitions };
    u64 reads = 0, writes = 0;
    for (u32 t = 0; t < 2; t++) {
        testers[t] = bench_unit(sim, domain, &unit_type_tester, NO_CLOCK);
        testers[t]->ordinal = t;
        bench_set(testers[t], "requests", 3000);
        bench_set(testers[t], "outstanding", 100);
        bench_set(testers[t], "span", 64 * KiB);
        bench_ports(testers[t], "memory")->route = route;
    }
    for (u32 i = 0; i < partitions; i++) {
        drams[i] = bench_unit(sim, domain, &unit_type_dram,
                              (struct clock_ratio){ clock_times, clock_times == 1 ? 1 : 6 });
        bench_set_words(drams[i], "config", config);
        bench_set(drams[i], "size", 128 * KiB / partitions + 256);
        bench_set(drams[i], "controller", 10 * i);
        bench_ports(drams[i], "users")->route = route;
        for (u32 t = 0; t < 2; t++)
            bench_ask(sim, testers[t], "memory", drams[i], "users", 1 + t, 8);
        bench_init(drams[i]);
    }
    for (u32 t = 0; t < 2; t++)
        bench_init(testers[t]);
    bench_seal(sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_FINISHED);
    for (u32 t = 0; t < 2; t++) {
        assert_int_equal(bench_stat(testers[t], "answered"), 3000);
        assert_int_equal(bench_stat(testers[t], "wrong"), 0);
    }
    for (u32 i = 0; i < partitions; i++) {
        reads += bench_stat(drams[i], "reads");
        writes += bench_stat(drams[i], "writes");
        assert_int_equal(drams[i]->held, 0);
    }
    assert_int_equal(reads + writes, 6000);
    bench_destroy(sim);
}

static void testers_find_nothing_wrong(void **state)
{
    (void)state;
    for (u32 partitions = 1; partitions <= 4; partitions++)
        partitions_test("gddr6_14000", partitions, 1);
    partitions_test("ddr4_3200", 2, 7); /* transactions of two sectors; a faster clock */
    partitions_test("lpddr5_6400", 3, 5);
    partitions_test("arches_gddr6_14000", 4, 1);
}

static void every_configuration_works(void **state)
{
    (void)state;
    const struct dram_config *config;
    u32 tested = 0;
    for (u32 i = 0; (config = dram_config_at(i)); i++) {
        if (device_of(config->name).transaction_bytes < MEMORY_SECTOR)
            continue; /* refused, see below */
        partitions_test(config->name, 1, 1);
        tested++;
    }
    assert_true(tested >= 20);
}

/* ---- The same as a replay ---- */

struct stream {
    const char *config;
    u32 channels;
    u64 gap;    /* at most, between requests */
    u64 writes; /* in 8 */
    u64 span;
};

/* Random requests, as a trace and as a user's list. */
static void stream_make(const struct stream *stream, struct stand *stand, u32 count, FILE *trace)
{
    u64 random = 11;
    cycle arrive = 1;
    for (u32 i = 0; i < count; i++) {
        u64 address = random_below(&random, stream->span) & ~UINT64_C(63);
        bool write = random_below(&random, 8) < stream->writes;
        arrive += 1 + random_below(&random, stream->gap);
        fprintf(trace, "%llu %c %llx\n", (unsigned long long)arrive, write ? 'W' : 'R',
                (unsigned long long)address);
        stand_ask(stand, 0,
                  write ? write_of(arrive - 1, address, i) : read_of(arrive - 1, address));
    }
    fclose(trace);
}

static void stream_replay(const struct stream *stream, const char *path, FILE *requests,
                          struct dram_replay_result *result)
{
    struct ogv_error error;
    struct dram_config config = config_of(stream->config);
    config.channels = stream->channels;
    struct dram_replay_options options = { .trace = path,
                                           .explicit = &config,
                                           .requests = requests };
    if (!dram_replay(&options, result, &error))
        fail_msg("%s", error.message);
    rewind(requests);
}

static void stream_compare_requests(u32 count, FILE *requests)
{
    char line[128];
    cycle accept = 0;
    for (u32 i = 0; i < count; i++) {
        long long since, depart = 0, returned = 0;
        assert_non_null(fgets(line, sizeof line, requests));
        int fields = sscanf(line, "%lld %lld %lld", &since, &depart, &returned);
        accept += (cycle)since;
        cycle answered = fields == 3 ? accept + (cycle)(depart + returned) : accept;
        if (lists[0][i].answered != answered + 1)
            fail_msg("request %u is answered at %llu, not %llu", i,
                     (unsigned long long)lists[0][i].answered, (unsigned long long)answered + 1);
    }
}

static void stream_compare_counts(const struct unit *dram, const struct dram_replay_result *result)
{
    assert_int_equal(bench_stat(dram, "rd"), result->RD);
    assert_int_equal(bench_stat(dram, "wr"), result->WR);
    assert_int_equal(bench_stat(dram, "row_hits"), result->row_hits);
    assert_int_equal(bench_stat(dram, "row_misses"), result->row_misses);
    assert_int_equal(bench_stat(dram, "row_conflicts"), result->row_conflicts);
    assert_int_equal(bench_stat(dram, "forwarded"), result->reads_forwarded);
    assert_int_equal(bench_stat(dram, "merged"), result->writes_merged);
    assert_int_equal(bench_stat(dram, "latency_cycles"), result->stats.latency.cycles);
    assert_int_equal(bench_stat(dram, "queue_cycles"), result->stats.queue_cycles);
    assert_int_equal(bench_stat(dram, "service_cycles"), result->stats.service_cycles);
    assert_int_equal(bench_stat(dram, "turnarounds"), result->stats.turnarounds);
    assert_int_equal(bench_stat(dram, "answered"), result->reads);
    u64 p99 = bench_stat(dram, "latency_p99");
    assert_true(p99 >= result->p99_lat && p99 <= result->p99_lat + result->p99_lat / 8);
}

static void stream_compare(const struct stream *stream, u32 count)
{
    char path[] = "/tmp/ogive-test-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *requests = tmpfile();
    struct dram_replay_result result;
    assert_true(descriptor >= 0 && requests);
    struct stand stand = stand_create(stream->config, 1);
    bench_set(stand.dram, "channels", stream->channels);
    bench_set(stand.dram, "size", stream->span);
    bench_set(stand.dram, "depth", 2048);
    stream_make(stream, &stand, count, fdopen(descriptor, "w"));
    stream_replay(stream, path, requests, &result);
    stand_finish(&stand);
    unlink(path);
    /* A full channel stops the other one in a replay, not here. */
    if (stream->channels > 1)
        assert_int_equal(result.inject_rejections, 0);
    stream_compare_requests(count, requests);
    bench_report(stand.dram, sim_chip(stand.sim)->now + 1000000); /* the last writes drain */
    stream_compare_counts(stand.dram, &result);
    fclose(requests);
    bench_destroy(stand.sim);
}

static void unit_answers_when_a_replay_does(void **state)
{
    static const struct stream streams[] = {
        { "gddr6_14000", 1, 1, 2, 64 * MiB },        /* saturated */
        { "gddr6_14000", 1, 40, 4, 64 * KiB },       /* hits, forwards, merges */
        { "gddr6_14000", 2, 20, 2, 64 * MiB },       /* two channels */
        { "arches_gddr6_14000", 1, 1, 2, 64 * MiB }, /* the reference's controller */
        { "ddr4_2400r_closed_mop", 1, 1, 3, 64 * MiB }, { "lpddr5_6400", 1, 1, 2, 64 * MiB },
        { "ddr4_3200", 1, 2000, 2, 64 * MiB }, /* mostly idle: refreshes are caught up with */
        { "gddr6_14000", 1, 1, 0, 64 * MiB },  /* reads alone: channels run behind */
        { "gddr6_14000", 2, 20, 0, 64 * KiB },          { "arches_gddr6_14000", 1, 8, 0, 64 * MiB },
        { "ddr4_3200", 1, 2000, 0, 64 * MiB },          { "hbm3_2000", 1, 8, 0, 64 * MiB },
    };
    (void)state;
    for (u32 i = 0; i < sizeof streams / sizeof *streams; i++)
        stream_compare(&streams[i], 1500);
}

/* ---- Channels that run behind ---- */

/* Reads with a few writes among them; the cycles of all answers, in one number. */
static u64 mixture_digest(cycle look_every)
{
    struct stand stand = stand_create("gddr6_14000", 2);
    u64 random = 3, digest = 0;
    bench_set(stand.dram, "controller", 40);
    for (u32 i = 0; i < 1000; i++) {
        u64 address = random_below(&random, MiB) & ~UINT64_C(31);
        cycle asked = (cycle)i * (i / 100 % 2 ? 1 : 20);
        bool write = i > 500 && !random_below(&random, 16);
        stand_ask(&stand, i % 2, write ? write_of(asked, address, i) : read_of(asked, address));
    }
    bench_init(stand.dram);
    bench_seal(stand.sim, (struct sim_options){ 0 });
    for (cycle now = look_every; bench_run(stand.sim, now) != SIM_FINISHED; now += look_every)
        bench_report(stand.dram, sim_chip(stand.sim)->now);
    for (u32 i = 0; i < 1000; i++)
        digest = (digest ^ lists[i % 2][i / 2].answered) * UINT64_C(1099511628211) +
                 lists[i % 2][i / 2].answer_value;
    bench_destroy(stand.sim);
    return digest;
}

static void reports_change_no_answer(void **state)
{
    (void)state;
    u64 digest = mixture_digest(1000000);
    assert_int_equal(mixture_digest(1), digest);
    assert_int_equal(mixture_digest(17), digest);
}

/* All kinds of requests of the first user, in bursts and one by one; others ask nothing. */
static u64 first_user_digest(const char *config, u32 users, u64 seed)
{
    struct stand stand = stand_create(config, users);
    u64 digest = 0, count = 1500;
    cycle asked = 0;
    for (u64 i = 0; i < count; i++) {
        u64 address = random_below(&seed, i % 4 ? MiB / 32 + 64 : 8) * 32, what;
        asked += i / 100 % 2 ? random_below(&seed, 90) : 0;
        what = random_below(&seed, 16);
        stand_ask(&stand, 0,
                  what < 9    ? read_of(asked, address)
                  : what < 13 ? write_of(asked, address, i)
                  : what < 14 ? (struct exchange){ .asked = asked, .kind = MEMORY_FENCE }
                  : what < 15 ? atomic_of(asked, AMO_ADD, address, i)
                              : (struct exchange){ .asked = asked, .kind = MEMORY_PREFETCH });
    }
    stand_finish(&stand);
    for (u64 i = 0; i < count; i++)
        digest = (digest ^ lists[0][i].answered) * UINT64_C(1099511628211) +
                 lists[0][i].answer_value + lists[0][i].answer_kind;
    bench_destroy(stand.sim);
    return digest;
}

/* It is served in a shorter way than several are. */
static void the_only_user_is_served_as_one_of_several(void **state)
{
    (void)state;
    static const char *const names[] = { "gddr6_14000", "hbm3_2000", "lpddr5_6400" };
    for (u64 seed = 1; seed <= 12; seed++)
        assert_int_equal(first_user_digest(names[seed % 3], 1, seed),
                         first_user_digest(names[seed % 3], 3, seed));
}

static u64 purposes_sum(const struct unit *dram, const char *what)
{
    static const char *const names[] = {
#define PURPOSE_NAME(with, name, NAME, words) #name,
        PURPOSES(PURPOSE_NAME, )
#undef PURPOSE_NAME
    };
    char stat[64];
    u64 sum = 0;
    for (u32 i = 0; i < PURPOSE_COUNT; i++) {
        snprintf(stat, sizeof stat, "%s_%s", what, names[i]);
        sum += bench_stat(dram, stat);
    }
    return sum;
}

/* Rays in the lower half, the image above. In every cycle the parts add up, also where a write that
 * waits answers a read or takes another in. */
static void bytes_are_counted_by_purpose(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    u64 random = 5, seen = 0;
    for (u32 i = 0; i < 600; i++) {
        u64 address = random_below(&random, MiB / 64) * 64;
        bool write = !random_below(&random, 3);
        stand_ask(&stand, 0, write ? write_of(i, address, i) : read_of(i, address));
    }
    bench_init(stand.dram);
    assert_true(unit_type_dram.mark(stand.dram, 0, MiB / 2, PURPOSE_RAY));
    assert_true(unit_type_dram.mark(stand.dram, MiB / 2, MiB / 4, PURPOSE_FRAME));
    bench_seal(stand.sim, (struct sim_options){ 0 });
    for (cycle now = 1; bench_run(stand.sim, now) != SIM_FINISHED; now++) {
        bench_report(stand.dram, sim_chip(stand.sim)->now);
        assert_int_equal(purposes_sum(stand.dram, "bytes_read"),
                         bench_stat(stand.dram, "bytes_read"));
        assert_int_equal(purposes_sum(stand.dram, "bytes_written"),
                         bench_stat(stand.dram, "bytes_written"));
        seen += bench_stat(stand.dram, "bytes_written") > 0;
    }
    assert_true(seen > 100);
    assert_int_equal(bench_stat(stand.dram, "bytes_read_scene"), 0);
    assert_true(bench_stat(stand.dram, "bytes_read_ray") >
                bench_stat(stand.dram, "bytes_read_frame"));
    assert_true(bench_stat(stand.dram, "bytes_read_frame") > 0);
    assert_true(bench_stat(stand.dram, "bytes_read_other") > 0);
    assert_true(bench_stat(stand.dram, "bytes_written_ray") > 0);
    bench_destroy(stand.sim);
}

static void a_read_counts_for_its_range_when_its_column_is_read(void **state)
{
    (void)state;
    struct dram_device device = device_of("gddr6_14000");
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set_choice(stand.dram, "refresh", "none");
    stand_ask(&stand, 0, read_of(5, 4096));
    bench_init(stand.dram);
    assert_true(unit_type_dram.mark(stand.dram, 4096, 32, PURPOSE_HIT));
    bench_seal(stand.sim, (struct sim_options){ 0 });
    /* A cycle on the link, ACT a cycle after acceptance, then the column. */
    cycle column = 5 + 1 + 1 + (cycle)device.timing[nRCDRD];
    assert_int_equal(bench_run(stand.sim, column), SIM_REACHED);
    bench_report(stand.dram, column); /* what happened before that cycle */
    assert_int_equal(bench_stat(stand.dram, "bytes_read_hit"), 0);
    assert_int_equal(bench_run(stand.sim, column + 1), SIM_REACHED);
    bench_report(stand.dram, column + 1);
    assert_int_equal(bench_stat(stand.dram, "bytes_read_hit"), device.transaction_bytes);
    assert_int_equal(bench_stat(stand.dram, "bytes_read"), device.transaction_bytes);
    bench_destroy(stand.sim);
}

/* A read finds what was stored when it was accepted, although its channel has not been run that
 * far when the host writes. */
static void host_writes_behind_a_read_that_was_accepted(void **state)
{
    (void)state;
    for (cycle wait = 1; wait <= 3; wait++) {
        struct stand stand = stand_create("gddr6_14000", 1);
        u64 length, value = 9;
        stand_ask(&stand, 0, read_of(0, 64)); /* there and accepted at 1 */
        bench_init(stand.dram);
        bench_seal(stand.sim, (struct sim_options){ 0 });
        assert_int_equal(bench_run(stand.sim, wait), SIM_REACHED);
        memcpy(unit_type_dram.stored(stand.dram, 64, &length), &value, sizeof value);
        assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
        assert_int_equal(lists[0][0].answer_value, wait == 1 ? 9 : 0);
        bench_destroy(stand.sim);
    }
}

/* ---- Idle ---- */

static void *idle_allocate(void *context, u64 size, u64 align)
{
    return arena_alloc(context, size, align);
}

/* Refreshes of a memory to which nothing happens. */
static u64 refreshes_until(const char *name, cycle end)
{
    struct ogv_error error;
    struct arena *arena = arena_create(&error);
    struct dram_config config = config_of(name);
    struct dram_memory *memory = dram_memory_create(&config, idle_allocate, arena, &error);
    struct dram_tick tick;
    u64 count = 0;
    assert_non_null(memory);
    for (cycle now = 1; now < end; now++)
        for (u32 i = 0; i < memory->channels; i++)
            dram_channel_tick(&memory->channel[i], now, &tick);
    for (u32 i = 0; i < memory->channels; i++)
        count += memory->channel[i].stats.issued[DRAM_REFPB] +
                 memory->channel[i].stats.issued[DRAM_REFAB];
    arena_destroy(arena);
    return count;
}

static void idle_partition_sleeps_and_refreshes_all_the_same(void **state)
{
    static const char *const names[] = { "gddr6_14000", "ddr4_3200", "hbm2_2000" };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand = stand_create(names[i], 1);
        stand_finish(&stand);
        assert_true(sim_chip(stand.sim)->ended_at < 300);
        for (cycle end = 1000; end < 200000; end += 33333) {
            bench_report(stand.dram, end);
            assert_int_equal(bench_stat(stand.dram, "ref"), refreshes_until(names[i], end));
        }
        assert_int_equal(bench_stat(stand.dram, "bus_busy"), 0);
        assert_true(bench_stat(stand.dram, "ref") > 0);
        bench_destroy(stand.sim);
    }
}

static void energy_follows_the_commands(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set_choice(stand.dram, "refresh", "none");
    stand_ask(&stand, 0, read_of(0, 0));
    stand_ask(&stand, 0, write_of(500, 0, 1));
    stand_finish(&stand);
    bench_report(stand.dram, 10000);
    assert_true(bench_stat(stand.dram, "energy_activate") > 0);
    assert_true(bench_stat(stand.dram, "energy_read") > 0);
    assert_true(bench_stat(stand.dram, "energy_write") > 0);
    assert_int_equal(bench_stat(stand.dram, "energy_refresh"), 0);
    u64 background = bench_stat(stand.dram, "energy_background");
    bench_report(stand.dram, 20000);
    assert_true(bench_stat(stand.dram, "energy_background") > background);
    assert_int_equal(bench_stat(stand.dram, "bus_busy"), 2 * 2);
    assert_int_equal(bench_stat(stand.dram, "bus_cycles"), 2 * 20000);
}

/* ---- What is refused ---- */

static void refuse(const char *param, const char *words, const char *message)
{
    struct stand stand = stand_create("", 1);
    if (param)
        bench_set_words(stand.dram, param, words);
    bench_init_refused(stand.dram, message);
    bench_destroy(stand.sim);
}

static void unknown_memory_is_refused(void **state)
{
    (void)state;
    refuse(NULL, NULL, "which memory");
    refuse("standard", "gddr6", "which memory");
    refuse("config", "gddr6_1400", "did you mean 'gddr6_14000'?");
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set_words(stand.dram, "standard", "gddr6");
    bench_init_refused(stand.dram, "give it or them");
    bench_set_words(stand.dram, "config", "");
    bench_set_words(stand.dram, "preset", "15000");
    bench_init_refused(stand.dram, "no DRAM configuration is called 'gddr6_15000'; did you mean");
    bench_set_words(stand.dram, "preset", "14000");
    bench_set_words(stand.dram, "mapper", "RoBa");
    bench_init_refused(stand.dram, "address mapping");
    bench_set_words(stand.dram, "mapper", "");
    bench_set(stand.dram, "channels", 3);
    bench_init_refused(stand.dram, "power of two");
}

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    bench_set(stand.dram, "size", 2 * GiB + 1);
    bench_init_refused(stand.dram, "`size` is 2147483649 bytes, its devices hold only 2147483648");
    bench_set(stand.dram, "size", MiB);
    bench_set(stand.dram, "drain_from", 65);
    bench_init_refused(stand.dram, "writes drain from 65");
    bench_set_words(stand.dram, "config", "hbm2_2gbps");
    bench_set(stand.dram, "drain_from", 0);
    bench_init_refused(stand.dram, "move 16 bytes at a time, a sector has 32");
}

static void foreign_clock_is_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create("gddr6_14000", 1);
    sim_chip(stand.sim)->clock_hz = 1515 * MHz;
    bench_init_refused(stand.dram, "its clock is 1515 MHz, that of its devices 1750 MHz; write "
                                   "`clock: 1750 MHz`");
    sim_chip(stand.sim)->clock_hz = 1770 * MHz;
    bench_init_refused(stand.dram, "1750 MHz");
    sim_chip(stand.sim)->clock_hz = 1760 * MHz; /* near enough */
    bench_init(stand.dram);
    sim_chip(stand.sim)->clock_hz = 3500 * MHz;
    bench_set(stand.dram, "any_clock", 1);
    bench_init(stand.dram);
}

static void timing_preset_of_a_standard_will_do(void **state)
{
    (void)state;
    struct stand stand = stand_create("", 1);
    bench_set_words(stand.dram, "standard", "gddr6a");
    bench_set_words(stand.dram, "preset", "GDDR6_12000_1250mV_quad");
    sim_chip(stand.sim)->clock_hz = 1500 * MHz;
    stand_ask(&stand, 0, read_of(0, 0));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answered, 1 + 1 + 24 + 24 + 2 + 1); /* nRCDRD, nCL, nBL */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(idle_read_takes_the_controller_and_the_device),
        bench_test_all_ways(other_row_of_the_bank_costs_a_precharge),
        bench_test_all_ways(write_is_answered_when_it_is_accepted),
        bench_test_all_ways(channel_takes_one_request_per_cycle),
        bench_test_all_ways(user_gives_each_channel_one_request_per_cycle),
        bench_test_all_ways(full_queue_holds_requests_back),
        bench_test_all_ways(no_more_than_depth_requests_are_inside),
        bench_test_all_ways(read_gives_what_was_written),
        bench_test_all_ways(atomics_execute_in_order),
        bench_test_all_ways(atomic_reads_and_writes_the_device),
        bench_test_all_ways(fence_waits_for_the_writes_before_it),
        bench_test_all_ways(what_would_have_been_nearer_takes_no_time),
        bench_test_all_ways(prefetch_is_dropped),
        bench_test_all_ways(request_beyond_the_end_is_a_fault),
        bench_test_all_ways(user_that_reads_late_loses_nothing),
        bench_test_all_ways(host_finds_the_bytes),
        bench_test_all_ways(testers_find_nothing_wrong),
        bench_test(every_configuration_works),
        bench_test_all_ways(unit_answers_when_a_replay_does),
        bench_test_all_ways(reports_change_no_answer),
        bench_test_all_ways(the_only_user_is_served_as_one_of_several),
        bench_test_all_ways(bytes_are_counted_by_purpose),
        bench_test_all_ways(a_read_counts_for_its_range_when_its_column_is_read),
        bench_test_all_ways(host_writes_behind_a_read_that_was_accepted),
        bench_test_all_ways(idle_partition_sleeps_and_refreshes_all_the_same),
        bench_test_all_ways(energy_follows_the_commands),
        bench_test(unknown_memory_is_refused),
        bench_test(wrong_sizes_are_refused),
        bench_test(foreign_clock_is_refused),
        bench_test_all_ways(timing_preset_of_a_standard_will_do),
    };
    return cmocka_run_group_tests_name("dram", tests, NULL, NULL);
}
