/* formulas.c - what follows from the numbers alone, for every correct configuration and above all
 * for those that no reference run covers (LPDDR5, HBM3): the latency of a read in an idle memory,
 * the peak bandwidth, the share of time lost to refresh. */
#include "support.h"

#include "dram/energy.h"

static u32 either(const struct dram_device *device, enum dram_timing a, enum dram_timing b)
{
    return (u32)(device->timing[a] > 0 ? device->timing[a] : device->timing[b]);
}

static void idle_read_check(const struct dram_config *config)
{
    struct arena *arena;
    struct dram_memory *memory = test_memory(config, &arena);
    const struct dram_device *device = &memory->device;
    struct dram_channel *channel = &memory->channel[0];
    assert_true(dram_memory_offer(memory, 0, DRAM_READ, 0, 1));
    struct dram_tick tick = { 0 };
    cycle now = 0;
    while (!tick.returned && now < 10000)
        dram_channel_tick(channel, ++now, &tick);
    /* ACT in cycle 1; the data clock is synchronised while the row opens. */
    u32 wanted = 1 + either(device, nRCD, nRCDRD) + device->read_latency;
    assert_int_equal(now, wanted);
    assert_int_equal(channel->stats.issued[DRAM_CASRD], device->synchronises_clock);
    assert_int_equal(channel->stats.issued[DRAM_ACT2], device->activates_twice);
    arena_destroy(arena);
}

static void idle_latency_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++)
        idle_read_check(config);
}

/* Sequential addresses: the data bus must be busy but for rows, groups and refresh. */
static double bus_share(const struct dram_config *config, u64 requests)
{
    struct arena *arena;
    struct dram_memory *memory = test_memory(config, &arena);
    u64 next = 0, returned = 0;
    cycle now = 0;
    for (; returned < requests; now++) {
        while (next < requests && dram_memory_offer(memory, now, DRAM_READ,
                                                    next * memory->device.transaction_bytes, next))
            next++;
        for (u32 i = 0; i < memory->channels; i++) {
            struct dram_tick tick;
            dram_channel_tick(&memory->channel[i], now + 1, &tick);
            returned += tick.returned;
        }
    }
    const char *rank = dram_standard_at(memory->device.standard)->rank_name;
    u32 buses = memory->channels;
    if (rank && !strcmp(rank, "pseudochannel"))
        buses *= memory->device.count[DRAM_RANK];
    u64 busy = requests * memory->device.burst;
    arena_destroy(arena);
    return (double)busy / (double)(now * buses);
}

struct peak {
    const char *config;
    double gigabytes_per_second; /* pins x rate / 8, all channels */
};

static void correct_clocks_give_the_pins_bandwidth(void **state)
{
    (void)state;
    const struct peak peaks[] = {
        { "gddr6_14000", 2 * 16 * 14.0 / 8 },
        { "gddr6_16000", 2 * 16 * 16.0 / 8 },
        { "gddr6x_21000", 2 * 16 * 21.0 / 8 },
        { "lpddr5_6400", 16 * 6.4 / 8 },
        { "hbm2_2000", 128 * 2.0 / 8 },
        { "hbm3_2000", 128 * 2.0 / 8 },
        { "gddr5_8000", 32 * 8.0 / 8 },
        { "gddr5x_12000", 32 * 12.0 / 8 },
        { "simtrax_gddr5", 512 },
        { "ddr4_3200", 64 * 3.2 / 8 },
        { "ddr5_3200", 32 * 3.2 / 8 },
    };
    for (u32 i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        struct dram_device d;
        struct ogv_error error;
        const struct dram_config *config = test_config(peaks[i].config);
        assert_true(dram_device_init(&d, config, &error));
        const char *rank = dram_standard_at(d.standard)->rank_name;
        u32 buses = d.count[DRAM_CHANNEL];
        if (rank && !strcmp(rank, "pseudochannel"))
            buses *= d.count[DRAM_RANK];
        double got = 1000.0 * d.transaction_bytes * buses / (d.burst * (double)d.tck_ps);
        assert_true(got > peaks[i].gigabytes_per_second * 0.99);
        assert_true(got < peaks[i].gigabytes_per_second * 1.01);
    }
}

static void interleaved_streams_reach_the_peak(void **state)
{
    (void)state;
    assert_true(bus_share(test_config("lpddr5_6400"), 20000) > 0.85);
    /* Two pseudochannels share one command per cycle, which row commands take from columns. */
    assert_true(bus_share(test_config("hbm3_2000"), 20000) > 0.75);
    assert_true(bus_share(test_config("hbm2_2000"), 20000) > 0.75);
    assert_true(bus_share(test_config("ddr5_3200"), 20000) > 0.85);
    assert_true(bus_share(test_config("gddr6_14000"), 20000) > 0.85);
}

/* In an idle memory: one all-bank refresh per rank and nREFI, or n times as many of one bank. */
static void refresh_check(const struct dram_config *given, enum dram_refresh kind)
{
    struct dram_config config = *given;
    config.controller.refresh = kind;
    struct arena *arena;
    struct dram_memory *memory = test_memory(&config, &arena);
    struct dram_channel *channel = &memory->channel[0];
    const struct dram_device *device = &memory->device;
    cycle end = 100 * (cycle)device->timing[nREFI] + 100;
    for (cycle now = dram_channel_next(channel); now <= end; now = dram_channel_next(channel)) {
        struct dram_tick tick;
        dram_channel_tick(channel, now, &tick);
    }
    const u64 *issued = channel->stats.issued;
    u64 refreshes = issued[DRAM_REFAB] + issued[DRAM_REFPB] + issued[DRAM_REFSB];
    u64 intervals = end / channel->refresh_interval;
    assert_int_equal(refreshes, intervals * device->count[DRAM_RANK]);
    arena_destroy(arena);
}

static void refreshes_come_at_their_rate(void **state)
{
    (void)state;
    const char *names[] = { "lpddr5_6400", "hbm3_2000", "hbm2_2000", "ddr5_3200", "gddr6_14000" };
    for (u32 i = 0; i < 5; i++) {
        refresh_check(test_config(names[i]), DRAM_REFRESH_all_bank);
        refresh_check(test_config(names[i]), DRAM_REFRESH_per_bank);
    }
}

/* Saturated with hits to one row, all-bank refresh costs nRFC + closing and opening per nREFI. */
static void refresh_share_check(const char *name, enum dram_timing rfc)
{
    struct dram_config config = *test_config(name);
    config.controller.refresh = DRAM_REFRESH_all_bank;
    double with = bus_share(&config, 40000);
    config.controller.refresh = DRAM_REFRESH_none;
    double without = bus_share(&config, 40000);
    struct dram_device device;
    assert_true(dram_device_init(&device, &config, NULL));
    double lost = 1 - with / without;
    double least = (double)device.timing[rfc] / device.timing[nREFI];
    double most = (device.timing[rfc] + 200.0) / device.timing[nREFI];
    assert_true(lost > least * 0.8 && lost < most * 1.2);
}

static void refresh_takes_its_share(void **state)
{
    (void)state;
    refresh_share_check("lpddr5_6400", nRFCab);
    refresh_share_check("hbm3_2000", nRFC);
}

static void assert_near(double got, double wanted)
{
    assert_true(got > wanted * 0.999999 && got < wanted * 1.000001);
}

/* One read of a closed bank by hand: DDR4-3200, 8 chips of x8, tCK 0.625 ns, currents of ddr4.c. */
static void energy_follows_the_currents(void **state)
{
    (void)state;
    struct dram_device device;
    struct dram_energy energy;
    struct dram_stats stats = { .open_cycles = 1000 };
    stats.issued[DRAM_ACT] = stats.issued[DRAM_RD] = stats.issued[DRAM_REFAB] = 1;
    assert_true(dram_device_init(&device, test_config("ddr4_3200"), NULL));
    assert_true(dram_energy(&device, &stats, 3000, &energy));
    const double chips_ns = 8 * 0.625;
    assert_near(energy.activate, 1.2 * (60 - 55) * 52 * chips_ns);
    assert_near(energy.precharge, 1.2 * (60 - 50) * 22 * chips_ns);
    assert_near(energy.read, 1.2 * (145 - 55) * 4 * chips_ns);
    assert_near(energy.refresh, (1.2 * (362 - 55) + 2.5 * (48 - 3)) * 576 * chips_ns);
    double open = (1.2 * 55 + 2.5 * 3) * 1000, idle = (1.2 * 50 + 2.5 * 3) * 2000;
    assert_near(energy.background, (open + idle) * chips_ns);
    assert_true(dram_device_init(&device, test_config("ddr3_1600k"), NULL));
    assert_false(dram_energy(&device, &stats, 3000, &energy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latency_is_the_sum_of_its_parts),
        cmocka_unit_test(correct_clocks_give_the_pins_bandwidth),
        cmocka_unit_test(interleaved_streams_reach_the_peak),
        cmocka_unit_test(refreshes_come_at_their_rate),
        cmocka_unit_test(refresh_takes_its_share),
        cmocka_unit_test(energy_follows_the_currents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
