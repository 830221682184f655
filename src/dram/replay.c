/* replay.c - see replay.h.
 *
 * Cycles in which no channel has anything to do and no request can be offered are skipped; a
 * refused offer would have been repeated in each of them, so they are counted.
 *
 * Commands are held back until it is certain that they lie within total_cycles: until a read
 * returns or a column command issues in the same cycle or later. */
#include "dram/replay.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/text.h"
#include "dram/trace.h"

#define FNV_OFFSET     UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME      UINT64_C(1099511628211)
#define STALL_CYCLES   10000000 /* without a column command or a return: the memory is stuck */
#define UNKNOWN        UINT64_MAX
#define PROGRESS_TURNS 65536

/* For a read: accept, data complete, returned. For a write: accept, WR command. UNKNOWN where it
 * never happened (a merged write has no command). */
struct request_times {
    cycle accept, depart, returned;
};

struct held_command {
    cycle at;
    u32 channel;
    struct dram_issue issue;
};

struct replay {
    const struct dram_replay_options *options;
    struct dram_replay_result *result;
    struct dram_memory *memory;
    struct dram_trace trace;
    struct request_times *times;
    cycle clock, progress; /* last cycle with a column command or a return */
    u64 next;              /* request to offer */
    u64 outstanding;
    bool refused;
    struct held_command *held;
    u64 held_count, held_capacity;
    const struct dram_standard *standard;
};

/* ---- The command stream ---- */

static size_t command_write(char *line, size_t size, const struct replay *replay,
                            const struct held_command *command)
{
    const struct dram_issue *issue = &command->issue;
    int length = snprintf(line, size, "%llu %u %s", (unsigned long long)command->at,
                          command->channel, dram_command_names[issue->command]);
    size_t used = (size_t)length;
    i64 value[DRAM_LEVELS] = { 0,          issue->place.rank, issue->place.group, issue->place.bank,
                               issue->row, issue->column };
    for (u32 level = DRAM_RANK; level < DRAM_LEVELS; level++)
        if (dram_standard_level(replay->standard, (enum dram_level)level))
            used += (size_t)snprintf(line + used, size - used, " %lld", (long long)value[level]);
    used += (size_t)snprintf(line + used, size - used, " %lld\n",
                             issue->tag == DRAM_NO_TAG ? -1LL : (long long)issue->tag);
    return used;
}

static void command_count(struct replay *replay, const struct held_command *command)
{
    char line[256];
    size_t length = command_write(line, sizeof line, replay, command);
    u64 hash = replay->result->cmd_fnv1a64;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (u8)line[i]) * FNV_PRIME;
    replay->result->cmd_fnv1a64 = hash;
    replay->result->n_commands++;
    replay->result->issued[command->issue.command]++;
    if (replay->options->commands)
        fwrite(line, 1, length, replay->options->commands);
}

static void commands_release(struct replay *replay)
{
    for (u64 i = 0; i < replay->held_count; i++)
        command_count(replay, &replay->held[i]);
    replay->held_count = 0;
}

static void command_hold(struct replay *replay, u32 channel, const struct dram_issue *issue)
{
    if (replay->held_count == replay->held_capacity) {
        replay->held_capacity = replay->held_capacity ? 2 * replay->held_capacity : 64;
        replay->held = heap_grow(replay->held, replay->held_capacity, sizeof *replay->held);
    }
    replay->held[replay->held_count++] = (struct held_command){ replay->clock, channel, *issue };
}

/* ---- The loop ---- */

static bool request_offer(struct replay *replay)
{
    const struct dram_trace_request *r = &replay->trace.requests[replay->next];
    struct request_times *times = &replay->times[replay->next];
    if (!dram_memory_offer(replay->memory, replay->clock, r->write ? DRAM_WRITE : DRAM_READ,
                           r->address, replay->next))
        return false;
    *times = (struct request_times){ replay->clock, UNKNOWN, UNKNOWN };
    replay->next++;
    if (!r->write) {
        replay->outstanding++;
        replay->result->max_outstanding_reads =
            max_u64(replay->result->max_outstanding_reads, replay->outstanding);
    }
    return true;
}

/* Whether the next request may be offered at this clock. */
static bool request_is_due(const struct replay *replay)
{
    if (replay->next == replay->trace.count)
        return false;
    const struct dram_trace_request *r = &replay->trace.requests[replay->next];
    u64 limit = replay->trace.outstanding;
    return r->arrive <= replay->clock && (r->write || !limit || replay->outstanding < limit);
}

static void requests_offer(struct replay *replay)
{
    replay->refused = false;
    for (u64 i = 0; i < replay->trace.per_cycle && request_is_due(replay); i++) {
        if (request_offer(replay))
            continue;
        replay->refused = true;
        replay->result->inject_rejections++;
        return;
    }
}

static bool channel_tick(struct replay *replay, u32 index)
{
    struct dram_tick tick;
    dram_channel_tick(&replay->memory->channel[index], replay->clock, &tick);
    if (tick.returned) {
        struct request_times *times = &replay->times[tick.returned_tag];
        times->depart = tick.returned_depart;
        times->returned = replay->clock;
        replay->outstanding--;
    }
    if (!tick.issued)
        return tick.returned;
    command_hold(replay, index, &tick.issue);
    if (tick.issue.command == DRAM_WR)
        replay->times[tick.issue.tag].depart = replay->clock;
    return tick.returned || tick.issue.command == DRAM_WR || tick.issue.command == DRAM_RD;
}

static void memory_tick(struct replay *replay)
{
    bool progress = false;
    for (u32 i = 0; i < replay->memory->channels; i++)
        progress |= channel_tick(replay, i);
    if (!progress)
        return;
    replay->progress = replay->clock;
    commands_release(replay);
}

/* The next clock at which a request becomes due that no tick has to make so; NEVER if there is
 * none. */
static cycle offer_next(const struct replay *replay)
{
    if (replay->next == replay->trace.count || replay->refused)
        return NEVER;
    cycle arrive = replay->trace.requests[replay->next].arrive;
    if (arrive > replay->clock)
        return arrive;
    return request_is_due(replay) ? replay->clock + 1 : NEVER;
}

static void clock_advance(struct replay *replay)
{
    cycle tick = max_u64(dram_memory_next(replay->memory), replay->clock + 1);
    cycle offer = offer_next(replay);
    if (replay->options->every_cycle)
        tick = replay->clock + 1;
    if (offer < tick) {
        replay->clock = offer;
        return;
    }
    if (replay->refused)
        replay->result->inject_rejections += tick - replay->clock - 1;
    replay->clock = tick;
    memory_tick(replay);
}

static bool replay_done(const struct replay *replay)
{
    if (replay->next < replay->trace.count || replay->outstanding)
        return false;
    for (u32 i = 0; i < replay->memory->channels; i++)
        if (dram_channel_held(&replay->memory->channel[i]))
            return false;
    return true;
}

static void replay_loop(struct replay *replay)
{
    const struct dram_replay_options *options = replay->options;
    requests_offer(replay);
    for (u64 turn = 1; !replay_done(replay); turn++) {
        if (options->progress && turn % PROGRESS_TURNS == 0)
            options->progress(options->progress_context, replay->next, replay->trace.count);
        clock_advance(replay);
        requests_offer(replay);
        if (replay->next == replay->trace.count &&
            replay->clock > replay->progress + STALL_CYCLES) {
            replay->result->dead = 1;
            return;
        }
    }
}

/* ---- The result ---- */

static int latency_compare(const void *a, const void *b)
{
    u64 left = *(const u64 *)a, right = *(const u64 *)b;
    return left < right ? -1 : left > right;
}

static u64 share_of(const u64 *sorted, u64 count, u64 percent)
{
    return sorted[count * percent / 100];
}

static double ratio(u64 sum, u64 count)
{
    return count ? (double)sum / (double)count : 0;
}

static void result_latencies(struct replay *replay)
{
    struct dram_replay_result *result = replay->result;
    u64 *latency = heap_array(replay->trace.count, sizeof *latency);
    u64 count = 0, sum = 0, returned = 0;
    for (u64 i = 0; i < replay->trace.count; i++) {
        const struct request_times *t = &replay->times[i];
        if (replay->trace.requests[i].write || t->depart == UNKNOWN)
            continue;
        latency[count] = t->depart - t->accept;
        sum += latency[count++];
        returned += t->returned - t->accept;
    }
    qsort(latency, count, sizeof *latency, latency_compare);
    result->avg_read_latency = ratio(sum, count);
    result->avg_read_callback_latency = ratio(returned, count);
    /* A forwarded read takes one cycle. */
    u64 forwarded = result->reads_forwarded;
    result->avg_read_latency_nonforwarded = ratio(sum - forwarded, count - forwarded);
    if (count) {
        result->min_lat = latency[0];
        result->p50_lat = share_of(latency, count, 50);
        result->p95_lat = share_of(latency, count, 95);
        result->p99_lat = share_of(latency, count, 99);
        result->max_lat = latency[count - 1];
    }
    free(latency);
}

static void result_commands(struct dram_replay_result *result)
{
    result->ACT = result->issued[DRAM_ACT];
    result->PRE = result->issued[DRAM_PRE];
    result->PREA = result->issued[DRAM_PREA];
    result->RD = result->issued[DRAM_RD];
    result->WR = result->issued[DRAM_WR];
    result->REFab = result->issued[DRAM_REFAB];
}

static void result_rows(struct dram_replay_result *result)
{
    const struct dram_stats *s = &result->stats;
    result->read_hits = s->hits[DRAM_READ];
    result->read_misses = s->misses[DRAM_READ];
    result->read_conflicts = s->conflicts[DRAM_READ];
    result->write_hits = s->hits[DRAM_WRITE];
    result->write_misses = s->misses[DRAM_WRITE];
    result->write_conflicts = s->conflicts[DRAM_WRITE];
    result->row_hits = result->read_hits + result->write_hits;
    result->row_misses = result->read_misses + result->write_misses;
    result->row_conflicts = result->read_conflicts + result->write_conflicts;
}

static void result_bandwidth(struct replay *replay)
{
    struct dram_replay_result *result = replay->result;
    const struct dram_device *device = &replay->memory->device;
    u64 moved = result->requests - result->reads_forwarded - result->writes_merged;
    result->tx_bytes = device->transaction_bytes;
    result->bytes_per_cycle = ratio(device->transaction_bytes * moved, result->total_cycles);
    result->peak_bytes_per_cycle =
        ratio((u64)device->transaction_bytes * dram_device_buses(device), device->column_distance);
    result->utilisation = result->bytes_per_cycle / result->peak_bytes_per_cycle;
}

static void result_fill(struct replay *replay)
{
    struct dram_replay_result *result = replay->result;
    for (u32 i = 0; i < replay->memory->channels; i++) {
        dram_channel_settle(&replay->memory->channel[i], replay->clock);
        dram_stats_add(&result->stats, &replay->memory->channel[i].stats);
    }
    result->requests = replay->trace.count;
    result->reads = replay->trace.reads;
    result->writes = replay->trace.count - replay->trace.reads;
    result->total_cycles = replay->progress;
    result->reads_forwarded = result->stats.reads_forwarded;
    result->writes_merged = result->stats.writes_merged;
    result_latencies(replay);
    result_commands(result);
    result_rows(result);
    result_bandwidth(replay);
}

static void requests_write(const struct replay *replay)
{
    cycle previous = 0;
    FILE *out = replay->options->requests;
    if (!out)
        return;
    for (u64 i = 0; i < replay->trace.count; i++) {
        const struct request_times *t = &replay->times[i];
        long long accept = (long long)(t->accept - previous);
        long long depart = t->depart == UNKNOWN ? -1 : (long long)(t->depart - t->accept);
        previous = t->accept;
        if (replay->trace.requests[i].write)
            fprintf(out, "%lld %lld\n", accept, depart);
        else
            fprintf(out, "%lld %lld %lld\n", accept, depart, (long long)(t->returned - t->depart));
    }
}

static void *replay_allocate(void *context, u64 size, u64 align)
{
    return arena_alloc(context, size, align);
}

static bool replay_run(struct replay *replay, const struct dram_config *config, struct arena *arena,
                       struct ogv_error *error)
{
    struct dram_config roomy = *config;
    /* The reference returns without bound; the ring must hold every read of the trace. */
    if (roomy.variant != DRAM_CORRECT)
        roomy.controller.return_capacity = (u32)(replay->trace.reads + 1);
    replay->memory = dram_memory_create(&roomy, replay_allocate, arena, error);
    if (!replay->memory)
        return false;
    replay->standard = dram_standard_at(replay->memory->device.standard);
    replay->times = heap_array(replay->trace.count, sizeof *replay->times);
    replay_loop(replay);
    result_fill(replay);
    requests_write(replay);
    free(replay->times);
    free(replay->held);
    return true;
}

bool dram_replay(const struct dram_replay_options *options, struct dram_replay_result *result,
                 struct ogv_error *error)
{
    struct replay replay = { .options = options, .result = result };
    const struct dram_config *config =
        options->explicit ? options->explicit : dram_config_find(options->config, error);
    *result = (struct dram_replay_result){ .cmd_fnv1a64 = FNV_OFFSET };
    if (!config)
        return false;
    bool good = dram_trace_read(&replay.trace, options->trace, error);
    struct arena *arena = good ? arena_create(error) : NULL;
    good = arena && replay_run(&replay, config, arena, error);
    if (arena)
        arena_destroy(arena);
    dram_trace_fini(&replay.trace);
    return good;
}

/* ---- Columns by name ---- */

static void column_count(struct text *text, u64 value, u32 decimals)
{
    (void)decimals;
    text_add(text, "%llu", (unsigned long long)value);
}

static void column_hash(struct text *text, u64 value, u32 decimals)
{
    (void)decimals;
    text_add(text, "%016llx", (unsigned long long)value);
}

static void column_real(struct text *text, double value, u32 decimals)
{
    text_add(text, "%.*f", (int)decimals, value);
}

const char *dram_replay_column(const struct dram_replay_result *result, u32 index,
                               struct text *value)
{
    u32 i = 0;
#define DRAM_REPLAY_COLUMN(type, name, decimals)      \
    if (i++ == index) {                               \
        column_##type(value, result->name, decimals); \
        return #name;                                 \
    }
    DRAM_REPLAY_COLUMNS(DRAM_REPLAY_COLUMN)
#undef DRAM_REPLAY_COLUMN
    return NULL;
}
