/* report.c - what a DRAM partition counts, what that cost, and what it explains. */
#include "dram/energy.h"
#include "unit/dram/dram.h"

static void report_commands(struct dram *u, const struct dram_stats *sum)
{
    const struct dram_device *device = &u->memory->device;
    u->s.rd = sum->issued[DRAM_RD];
    u->s.wr = sum->issued[DRAM_WR];
    u->s.act = sum->issued[DRAM_ACT];
    u->s.pre = sum->issued[DRAM_PRE] + sum->issued[DRAM_PREA] + sum->issued[DRAM_PRESB];
    u->s.ref = sum->issued[DRAM_REFAB] + sum->issued[DRAM_REFPB] + sum->issued[DRAM_REFSB];
    u->s.bytes_read = u->s.rd * device->transaction_bytes;
    u->s.bytes_written = u->s.wr * device->transaction_bytes;
    for (u32 i = 0; i < PURPOSE_COUNT; i++) {
        u->s.read_for[i] = sum->columns[DRAM_READ][i] * device->transaction_bytes;
        u->s.written_for[i] = sum->columns[DRAM_WRITE][i] * device->transaction_bytes;
    }
    u->s.bus_busy = (u->s.rd + u->s.wr) * device->column_distance;
    u->s.row_hits = sum->hits[DRAM_READ] + sum->hits[DRAM_WRITE];
    u->s.row_misses = sum->misses[DRAM_READ] + sum->misses[DRAM_WRITE];
    u->s.row_conflicts = sum->conflicts[DRAM_READ] + sum->conflicts[DRAM_WRITE];
    u->s.single_access_rows = sum->single_access_rows;
    u->s.turnarounds = sum->turnarounds;
    u->s.drains = sum->drains;
    u->s.forwarded = sum->reads_forwarded;
    u->s.merged = sum->writes_merged;
}

static void report_times(struct dram *u, const struct dram_stats *sum, cycle now)
{
    u->s.answered = sum->reads;
    for (u32 i = 0; i < u->memory->channels; i++)
        u->s.answered -= u->memory->channel[i].reads_inside;
    u->s.latency_cycles = sum->latency.cycles;
    u->s.latency_p50 = dram_latency_percentile(&sum->latency, 0.50);
    u->s.latency_p95 = dram_latency_percentile(&sum->latency, 0.95);
    u->s.latency_p99 = dram_latency_percentile(&sum->latency, 0.99);
    u->s.queue_cycles = sum->queue_cycles;
    u->s.service_cycles = sum->service_cycles;
    u->s.read_queue = sum->read_queue_cycles;
    u->s.write_queue = sum->write_queue_cycles;
    u->s.channel_cycles = now * u->memory->channels;
    u64 buses = dram_device_buses(&u->memory->device);
    u->s.bus_cycles = now * buses;
    u->s.bus_pending = sum->pending_cycles * buses / u->memory->channels;
}

static void report_energy(struct dram *u, cycle now)
{
    struct dram_energy sum = { 0 };
    for (u32 i = 0; i < u->memory->channels; i++) {
        struct dram_energy e;
        if (!dram_energy(&u->memory->device, &u->memory->channel[i].stats, now, &e))
            return;
        sum.activate += e.activate;
        sum.precharge += e.precharge;
        sum.read += e.read;
        sum.write += e.write;
        sum.refresh += e.refresh;
        sum.background += e.background;
    }
    u->s.energy_activate = (u64)(sum.activate + 0.5);
    u->s.energy_precharge = (u64)(sum.precharge + 0.5);
    u->s.energy_read = (u64)(sum.read + 0.5);
    u->s.energy_write = (u64)(sum.write + 0.5);
    u->s.energy_refresh = (u64)(sum.refresh + 0.5);
    u->s.energy_background = (u64)(sum.background + 0.5);
}

void dram_report(struct unit *unit, cycle now)
{
    struct dram *u = (struct dram *)unit;
    struct dram_stats sum = { 0 };
    dram_run(u, now);
    for (u32 i = 0; i < u->memory->channels; i++) {
        dram_channel_settle(&u->memory->channel[i], now);
        dram_stats_add(&sum, &u->memory->channel[i].stats);
    }
    report_commands(u, &sum);
    report_times(u, &sum, now);
    report_energy(u, now);
}

/* Energy is counted in picojoules where the devices' currents are known. */
void dram_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct dram *u = (const struct dram *)unit;
    struct dram_stats none = { 0 };
    struct dram_energy energy;
    if (dram_energy(&u->memory->device, &none, 0, &energy))
        return;
    for (u32 i = 0; i < UNIT_ENERGIES_MAX; i++)
        costs->energy[i] = COST_UNKNOWN;
}

const struct resource_row dram_resource_rows[] = {
    { .name = "data bus",
      .kind = RESOURCE_WORK,
      .capacity = "bus_cycles",
      .used = "bus_busy",
      .held = "queue_cycles" },
    { .name = "rows in conflict",
      .kind = RESOURCE_DELAY,
      .capacity = "row_hits + row_misses + row_conflicts",
      .used = "row_conflicts",
      .held = "service_cycles",
      .words = "of requests found another row open" },
    { .name = "controller", .kind = RESOURCE_DELAY, .held = "controller_cycles" },
    { 0 },
};

const struct figure_row dram_figure_rows[] = {
    { "dram_bandwidth_share", "bus_busy", "bus_cycles" },
    { "dram_efficiency", "bus_busy", "bus_pending" },
    { "dram_read_bytes", "bytes_read", NULL },
    { "dram_write_bytes", "bytes_written", NULL },
    { 0 },
};
