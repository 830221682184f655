/* dram.c - one memory partition: DRAM channels, their controllers, and the data.
 *
 * Each channel takes one request per cycle from the users, in turn. A request spends `controller`
 * cycles on its way to the channel's queues and waits there, in order, until they have room. In the
 * cycle in which they accept it, it is executed on the data; so requests for one address take
 * effect in the order in which they were taken. A write is answered then, a read when the device
 * has delivered. An atomic is a read and, if it changes something, a write. src/dram decides when
 * which command issues; this file only drives it.
 *
 * A channel runs by itself, and what it does can be worked out when somebody looks: it is brought
 * up to date when a read may come back, when a request shows an effect as it is accepted (all but
 * plain reads do), and for reports. So a partition sleeps while commands issue, and while it is
 * idle.
 *
 * Always true: requests taken = answers given + slots in use, and a slot in use is in one place: on
 * the way to its channel, in the channel as a read, or in its user's list of answers. */
#include "dram/memory.h"

#include "dram/energy.h"
#include "ogive/explain.h"
#include "sim/clock.h"
#include "unit/parts/store.h"

/* The n-th choice of the list is n + 1 then. */
#define CONFIG_OR(LIST) ("config" LIST(UNIT_CHOICE_WORD, ))

/* 0, "" and `config` stand for what the configuration says. */
#define DRAM_PARAMS(P)                                                                            \
    P(words, standard, "", 0, 64, "with `preset`: the configuration STANDARD_PRESET")             \
    P(words, preset, "", 0, 64, "speed, or a timing preset of the standard")                      \
    P(words, config, "", 0, 64, "any configuration of `ogive dram list`, instead of these two")   \
    P(bytes, size, 256 * MiB, 64, 16 * GiB, "capacity in use, at most that of the devices")       \
    P(cycles, controller, 0, 0, 100000, "cycles from taking a request to the controller's queue") \
    P(number, channels, 0, 0, 64, "channels; 0: as the configuration says, also below")           \
    P(bits, width, 0, 0, 1024, "data pins of a channel")                                          \
    P(number, ranks, 0, 0, 64, "ranks of a channel")                                              \
    P(words, organisation, "", 0, 64, "size and shape of a device, see `ogive dram list`")        \
    P(words, mapper, "", 0, 128, "address bits from the highest down, such as RoBaRaCoBgChCo2")   \
    P(choice, scheduler, "config", CONFIG_OR(DRAM_SCHEDULERS), 0, "which request goes first")     \
    P(number, hit_cap, 0, 0, UINT32_MAX, "frfcfs_cap: row hits that may pass an older miss")      \
    P(choice, rows, "config", CONFIG_OR(DRAM_ROW_POLICIES), 0, "when a row is closed unasked")    \
    P(number, row_cap, 0, 0, UINT32_MAX, "closed: after this many accesses")                      \
    P(cycles, row_timeout, 0, 0, UINT32_MAX, "timeout: after this long without an access")        \
    P(choice, refresh, "config", CONFIG_OR(DRAM_REFRESHES), 0, "how rows are refreshed")          \
    P(number, reads, 0, 0, 16384, "reads that a channel's queue holds")                           \
    P(number, writes, 0, 0, 16384, "writes that a channel's queue holds")                         \
    P(number, drain_from, 0, 0, 16384, "writes waiting at which they go first")                   \
    P(number, drain_to, 0, 0, 16384, "writes left at which reads go first again")                 \
    P(number, depth, 256, 1, 16384, "requests of one channel that may be inside at once")         \
    P(flag, any_clock, 0, 0, 1, "allow a clock that is not the devices'")

#define DRAM_STATS(S)                                                                              \
    S(reads, "requests", SUM, WORK, "reads accepted")                                              \
    S(writes, "requests", SUM, WORK, "writes accepted")                                            \
    S(atomics, "requests", SUM, WORK, "atomic operations executed")                                \
    S(faults, "requests", SUM, WORK, "requests beyond the end of the memory")                      \
    S(forwarded, "requests", SUM, WORK, "reads answered by a write that still waited")             \
    S(merged, "requests", SUM, WORK, "writes that another to the same place, waiting, took in")    \
    S(bytes_read, "bytes", SUM, WORK, "data read from the devices, in whole transactions")         \
    S(bytes_written, "bytes", SUM, WORK, "data written to the devices, in whole transactions")     \
    S(row_hits, "requests", SUM, WORK, "requests that found their row open")                       \
    S(row_misses, "requests", SUM, WORK, "requests that found no row open")                        \
    S(row_conflicts, "requests", SUM, WORK, "requests that found another row open")                \
    S(rd, "commands", SUM, WORK, "column reads")                                                   \
    S(wr, "commands", SUM, WORK, "column writes")                                                  \
    S(act, "commands", SUM, WORK, "rows opened")                                                   \
    S(pre, "commands", SUM, WORK, "precharges of one bank or several")                             \
    S(ref, "commands", SUM, WORK, "refreshes of one bank or several")                              \
    S(single_access_rows, "rows", SUM, WORK, "rows closed after one access")                       \
    S(turnarounds, "times", SUM, WORK, "changes of the data bus between reading and writing")      \
    S(drains, "times", SUM, WORK, "times that writes went first")                                  \
    S(taken, "requests", SUM, WORK, "requests that reached their channel")                         \
    S(controller_cycles, "cycles", SUM, WORK, "from taking a request to its acceptance, over all") \
    S(answered, "requests", SUM, WORK, "reads whose data has come")                                \
    S(latency_cycles, "cycles", SUM, WORK, "from a read's acceptance to its data, over all")       \
    S(latency_p50, "cycles", MAX, RATE, "median of that; this and the next two at most 1/8 high")  \
    S(latency_p95, "cycles", MAX, RATE, "95 of 100 reads take no longer")                          \
    S(latency_p99, "cycles", MAX, RATE, "99 of 100 reads take no longer")                          \
    S(queue_cycles, "cycles", SUM, WORK, "of latency_cycles: until the first command")             \
    S(service_cycles, "cycles", SUM, WORK, "of latency_cycles: from the first command on")         \
    S(read_queue, "requests", SUM, WORK, "reads waiting, summed over all cycles")                  \
    S(write_queue, "requests", SUM, WORK, "writes waiting, summed over all cycles")                \
    S(channel_cycles, "cycles", SUM, WORK, "channels times cycles")                                \
    S(bus_busy, "cycles", SUM, WORK, "cycles of the data buses in use")                            \
    S(bus_cycles, "cycles", SUM, WORK, "cycles of the data buses")                                 \
    S(energy_activate, "pJ", SUM, WORK, "of opening rows; all zero: no currents are published")    \
    S(energy_precharge, "pJ", SUM, WORK, "of closing rows")                                        \
    S(energy_read, "pJ", SUM, WORK, "of column reads")                                             \
    S(energy_write, "pJ", SUM, WORK, "of column writes")                                           \
    S(energy_refresh, "pJ", SUM, WORK, "of refreshes")                                             \
    S(energy_background, "pJ", SUM, WORK, "of standing by")

#define DRAM_RATIOS(R)                                                                      \
    R(utilisation, bus_busy, bus_cycles, "share", "bandwidth as a share of the peak")       \
    R(latency_mean, latency_cycles, answered, "cycles", "average of a read's latency")      \
    R(queue_mean, queue_cycles, rd, "cycles", "average time until a read's first command")  \
    R(service_mean, service_cycles, rd, "cycles", "average time from there on")             \
    R(controller_mean, controller_cycles, taken, "cycles", "average time until acceptance") \
    R(read_queue_mean, read_queue, channel_cycles, "requests", "average reads in a queue")  \
    R(write_queue_mean, write_queue, channel_cycles, "requests", "average writes in a queue")

#define DRAM_ENERGY(E)                                                                  \
    E(activate, energy_activate, COST_COUNTED, "of opening rows, from supply currents") \
    E(precharge, energy_precharge, COST_COUNTED, "of closing rows")                     \
    E(read, energy_read, COST_COUNTED, "of column reads")                               \
    E(write, energy_write, COST_COUNTED, "of column writes")                            \
    E(refresh, energy_refresh, COST_COUNTED, "of refreshes")                            \
    E(background, energy_background, COST_COUNTED, "of standing by")                    \
    E(io_read, bytes_read, COST_UNKNOWN,                                                \
      "pins and termination, a byte read: supply currents leave them out")              \
    E(io_write, bytes_written, COST_UNKNOWN, "pins and termination, a byte written")

#define DRAM_PORTS(T) T(users, SERVES, SOME, "who may ask")

/* A request inside; `next` is in whichever list it is. */
struct slot_of_request {
    struct message message; /* the answer, once it was executed */
    struct dram_address place;
    cycle ready; /* when it reaches the channel's queues */
    u32 user, next;
    bool moves_data; /* no fence, and there is such memory */
};

struct list {
    u32 first, last; /* slots; NOBODY: empty */
};

/* A channel's side of the partition. */
struct lane {
    cycle next;           /* nothing comes out of it before this cycle */
    cycle ran_to;         /* cycle of the channel's last tick */
    cycle offer_at;       /* when the first of `arriving` is offered to the channel; NEVER: none */
    cycle taken_at;       /* cycle of the last request taken */
    struct list arriving; /* in the order in which they were taken */
    u32 arriving_to_show; /* of those, all but plain reads */
    u32 free;             /* slots, in a list as well */
    u32 turn;             /* the user behind the one served last */
    u32 chosen;           /* while requests are taken: the user whose turn it is */
    bool refused;         /* the first of `arriving` waits for a tick that makes room */
};

struct user {
    struct list answers; /* that wait for room in the link */
    u32 writes;          /* taken and not yet executed: a fence waits for them */
};

struct dram {
    struct unit base;
    UNIT_FIELDS(DRAM)
    struct dram_memory *memory;
    struct store store;
    struct slot_of_request *slots; /* those of channel i: [i x depth, (i + 1) x depth) */
    struct lane *lanes;
    struct user *users;
    u64 *answering; /* bit i: user i has answers waiting */
};

/* ---- Lists of slots ---- */

static void list_append(struct dram *u, struct list *list, u32 index)
{
    u->slots[index].next = NOBODY;
    if (list->first == NOBODY)
        list->first = index;
    else
        u->slots[list->last].next = index;
    list->last = index;
}

static u32 list_take(struct dram *u, struct list *list)
{
    u32 index = list->first;
    list->first = u->slots[index].next;
    return index;
}

/* ---- Building ---- */

/* Queue sizes; watermarks that are not given follow a size that is. */
static void controller_set_queues(struct dram_controller *c, const struct dram *u)
{
    if (u->p.reads)
        c->read_capacity = (u32)u->p.reads;
    if (u->p.writes) {
        c->write_capacity = (u32)u->p.writes;
        c->write_enter = (u32)max_u64(u->p.writes * 3 / 4, 1);
        c->write_leave = (u32)u->p.writes / 4;
    }
    if (u->p.drain_from)
        c->write_enter = (u32)u->p.drain_from;
    if (u->p.drain_to)
        c->write_leave = (u32)u->p.drain_to;
}

static void controller_set(struct dram_controller *c, const struct dram *u)
{
    if (u->p.scheduler)
        c->scheduler = (enum dram_scheduler)(u->p.scheduler - 1);
    if (u->p.hit_cap)
        c->hit_cap = (u32)u->p.hit_cap;
    if (u->p.rows)
        c->row_policy = (enum dram_row_policy)(u->p.rows - 1);
    if (u->p.row_cap)
        c->row_cap = (u32)u->p.row_cap;
    if (u->p.row_timeout)
        c->row_timeout = (u32)u->p.row_timeout;
    if (u->p.refresh)
        c->refresh = (enum dram_refresh)(u->p.refresh - 1);
    controller_set_queues(c, u);
}

static bool config_choose(struct dram_config *config, const struct dram *u, struct ogv_error *error)
{
    if (*u->p.config && (*u->p.standard || *u->p.preset))
        return unit_refuse(error, "`config` stands for `standard` and `preset`; give it or them");
    if (*u->p.config) {
        const struct dram_config *named = dram_config_find(u->p.config, error);
        if (named)
            *config = *named;
        return named;
    }
    if (!*u->p.standard || !*u->p.preset)
        return unit_refuse(error,
                           "needs to know which memory it is; write `standard: gddr6, preset: "
                           "14000`, or `config:` and a name of `ogive dram list`");
    return dram_config_choose(config, u->p.standard, u->p.preset, error);
}

static bool config_make(struct dram_config *config, const struct dram *u, struct ogv_error *error)
{
    if (!config_choose(config, u, error))
        return false;
    if (u->p.channels)
        config->channels = (u32)u->p.channels;
    if (u->p.width)
        config->channel_width = (u32)u->p.width;
    if (u->p.ranks)
        config->ranks = (u32)u->p.ranks;
    if (*u->p.organisation)
        config->organisation = u->p.organisation;
    if (*u->p.mapper)
        config->mapper = u->p.mapper;
    controller_set(&config->controller, u);
    return true;
}

static bool clock_check(const struct dram *u, struct ogv_error *error)
{
    double own = (double)unit_clock_hz(&u->base);
    double device = (double)dram_device_clock_hz(&u->memory->device);
    if (own == 0 || u->p.any_clock || (own > 0.99 * device && own < 1.01 * device))
        return true;
    return unit_refuse(error,
                       "its clock is %g MHz, that of its devices %g MHz; write `clock: %.12g MHz`, "
                       "or `any_clock: true` if the other is meant",
                       own / 1e6, device / 1e6, device / 1e6);
}

static bool device_check(const struct dram *u, struct ogv_error *error)
{
    const struct dram_device *device = &u->memory->device;
    u64 capacity = dram_device_capacity(device);
    if (device->transaction_bytes < MEMORY_SECTOR)
        return unit_refuse(error,
                           "its channels move %u bytes at a time, a sector has %d; use wider ones",
                           device->transaction_bytes, MEMORY_SECTOR);
    if (u->p.size > capacity)
        return unit_refuse(error, "`size` is %llu bytes, its devices hold only %llu",
                           (unsigned long long)u->p.size, (unsigned long long)capacity);
    return clock_check(u, error);
}

static void *partition_allocate(void *context, u64 size, u64 align)
{
    (void)align; /* at most a cache line, as unit_alloc gives */
    return unit_alloc(context, size, 1, NULL);
}

static void partition_clear(struct dram *u)
{
    u32 depth = (u32)u->p.depth;
    for (u32 i = 0; i < u->memory->channels; i++) {
        u->lanes[i] = (struct lane){ .next = NEVER,
                                     .offer_at = NEVER,
                                     .taken_at = NEVER,
                                     .arriving = { NOBODY, NOBODY },
                                     .free = i * depth,
                                     .chosen = NOBODY };
        for (u32 k = 0; k < depth; k++)
            u->slots[i * depth + k].next = k + 1 < depth ? i * depth + k + 1 : NOBODY;
    }
    for (u32 i = 0; i < u->w.users.count; i++)
        u->users[i].answers = (struct list){ NOBODY, NOBODY };
}

static u64 dram_holds(const struct unit *unit)
{
    return ((const struct dram *)unit)->p.size;
}

static bool dram_init(struct unit *unit, struct ogv_error *error)
{
    struct dram *u = (struct dram *)unit;
    struct dram_config config;
    if (!config_make(&config, u, error))
        return false;
    u->memory = dram_memory_create(&config, partition_allocate, unit, error);
    if (!u->memory || !device_check(u, error) ||
        !store_init(&u->store, unit, u->p.size, &u->w.users.route, error))
        return false;
    u32 channels = u->memory->channels, users = u->w.users.count;
    u->slots = unit_alloc(unit, channels * u->p.depth, sizeof *u->slots, error);
    u->lanes = u->slots ? unit_alloc(unit, channels, sizeof *u->lanes, error) : NULL;
    u->users = u->lanes ? unit_alloc(unit, users, sizeof *u->users, error) : NULL;
    u->answering = u->users ? unit_alloc(unit, (users + 63) / 64, sizeof(u64), error) : NULL;
    if (!u->answering)
        return false;
    partition_clear(u);
    return true;
}

/* ---- Answers ---- */

static void answer_queue(struct dram *u, u32 index)
{
    u32 user = u->slots[index].user;
    list_append(u, &u->users[user].answers, index);
    u->answering[user / 64] |= UINT64_C(1) << (user % 64);
}

static void user_answer(struct dram *u, u32 index)
{
    struct list *answers = &u->users[index].answers;
    struct link *out = u->w.users.at[index].out;
    while (answers->first != NOBODY && link_can_push(out)) {
        u32 slot = list_take(u, answers);
        struct lane *lane = &u->lanes[u->slots[slot].place.channel];
        *link_push(out) = u->slots[slot].message;
        u->slots[slot].next = lane->free;
        lane->free = slot;
        unit_release(&u->base, 1);
        unit_progress(&u->base);
    }
    if (answers->first == NOBODY)
        u->answering[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

static void partition_answer(struct dram *u)
{
    for (u32 word = 0; word * 64 < u->w.users.count; word++)
        for (u64 left = u->answering[word]; left; left &= left - 1)
            user_answer(u, word * 64 + (u32)__builtin_ctzll(left));
}

/* ---- Channels ---- */

/* Requests are aligned to transactions, so that two to the same one are seen to be. */
static u64 request_address(const struct dram *u, const struct message *request)
{
    u64 local = store_local(&u->store, request->address);
    return local & ~(u64)(u->memory->device.transaction_bytes - 1);
}

static bool request_writes(u32 kind)
{
    return kind == MEMORY_WRITE || kind == MEMORY_AMO;
}

/* Whether others can see at once that the request was accepted. */
static bool request_shows(const struct slot_of_request *slot)
{
    return (slot->message.kind & MEMORY_KIND) != MEMORY_READ || !slot->moves_data;
}

static void request_count(struct dram *u, const struct message *answer)
{
    u32 kind = answer->kind & MEMORY_KIND;
    u->s.reads += kind == MEMORY_READ;
    u->s.writes += kind == MEMORY_WRITE;
    u->s.atomics += kind == MEMORY_AMO;
    u->s.faults += kind == MEMORY_FAULT;
}

/* A read and, if it changes something, a write. */
static bool atomic_enter(struct dram *u, struct dram_channel *channel, u32 index, u64 address,
                         cycle now)
{
    struct slot_of_request *slot = &u->slots[index];
    if (!dram_channel_accepts(channel, DRAM_READ, address, slot->place.bank) ||
        !dram_channel_accepts(channel, DRAM_WRITE, address, slot->place.bank))
        return false;
    dram_channel_offer(channel, now, DRAM_READ, address, &slot->place, index);
    if (store_execute(&u->store, &slot->message))
        dram_channel_offer(channel, now, DRAM_WRITE, address, &slot->place, DRAM_NO_TAG);
    return true;
}

/* Hands a request that moves data to the channel; true if it was accepted, and executed. */
static bool request_enter(struct dram *u, struct dram_channel *channel, u32 index, cycle now)
{
    struct slot_of_request *slot = &u->slots[index];
    u32 kind = slot->message.kind & MEMORY_KIND;
    u64 address = request_address(u, &slot->message);
    if (kind == MEMORY_AMO)
        return atomic_enter(u, channel, index, address, now);
    bool write = kind == MEMORY_WRITE;
    if (!dram_channel_offer(channel, now, write ? DRAM_WRITE : DRAM_READ, address, &slot->place,
                            write ? DRAM_NO_TAG : index))
        return false;
    store_execute(&u->store, &slot->message);
    if (write)
        answer_queue(u, index);
    return true;
}

/* Offers the request that has waited longest to the channel. */
static void lane_offer(struct dram *u, struct lane *lane, struct dram_channel *channel, cycle now)
{
    u32 index = lane->arriving.first;
    struct slot_of_request *slot = &u->slots[index];
    u32 kind = slot->message.kind & MEMORY_KIND, after = slot->next;
    bool shows = request_shows(slot);
    lane->refused = slot->moves_data && !request_enter(u, channel, index, now);
    if (lane->refused)
        return;
    lane->arriving.first = after;
    lane->arriving_to_show -= shows;
    lane->offer_at = after == NOBODY ? NEVER : max_u64(u->slots[after].ready, now + 1);
    u->users[slot->user].writes -= request_writes(kind);
    u->s.taken++;
    u->s.controller_cycles += now - slot->ready + u->p.controller;
    if (!slot->moves_data) {
        store_execute(&u->store, &slot->message);
        answer_queue(u, index);
    }
    request_count(u, &slot->message);
}

/* Whether the channel may accept the lane's oldest request at `now`, after its tick. */
static bool lane_may_offer(const struct lane *lane, const struct dram_channel *channel, cycle now)
{
    if (!lane->refused)
        return lane->offer_at == now;
    return lane->arriving_to_show || !dram_channel_refuses_reads(channel);
}

/* Lets a channel do all that it does up to `now`. In a cycle it ticks first, and then may accept a
 * request. */
static void lane_run(struct dram *u, u32 index, cycle now)
{
    struct dram_channel *channel = &u->memory->channel[index];
    struct lane *lane = &u->lanes[index];
    for (;;) {
        cycle tick_at = max_u64(dram_channel_next(channel), lane->ran_to + 1);
        cycle at = lane->refused ? tick_at : min_u64(tick_at, lane->offer_at);
        if (at > now)
            return;
        if (at == tick_at) {
            struct dram_tick tick;
            dram_channel_tick(channel, at, &tick);
            lane->ran_to = at;
            if (tick.returned)
                answer_queue(u, (u32)tick.returned_tag);
        }
        if (lane_may_offer(lane, channel, at))
            lane_offer(u, lane, channel, at);
    }
}

/* The first cycle after `now` in which something may come out of the lane. */
static cycle lane_next(const struct dram *u, u32 index, cycle now)
{
    const struct lane *lane = &u->lanes[index];
    const struct dram_channel *channel = &u->memory->channel[index];
    cycle next = dram_channel_next_return(channel);
    if (lane->arriving.first != NOBODY) {
        cycle offer = max_u64(lane->refused ? dram_channel_next(channel) : lane->offer_at, now + 1);
        bool shows = lane->arriving_to_show;
        next = min_u64(next, shows ? offer : dram_channel_return_of(channel, offer));
    }
    return max_u64(next, now + 1);
}

/* ---- Requests ---- */

/* The channel that can take the user's next request, except that it may have taken one in this
 * cycle already; NOBODY: none. */
static u32 user_lane(struct dram *u, u32 user, const struct message *request,
                     struct dram_address *place)
{
    u32 kind = request->kind & MEMORY_KIND;
    *place = (struct dram_address){ 0 };
    if (kind == MEMORY_FENCE && u->users[user].writes)
        return NOBODY;
    if (kind != MEMORY_FENCE)
        *place = dram_map_address(&u->memory->map, &u->memory->device, request_address(u, request));
    return u->lanes[place->channel].free == NOBODY ? NOBODY : place->channel;
}

/* Takes the request of the chosen user, whose place is in the slot already. */
static void lane_take(struct dram *u, struct lane *lane, cycle now)
{
    u32 user = lane->chosen, index = lane->free;
    struct link *in = u->w.users.at[user].in;
    struct slot_of_request *slot = &u->slots[index];
    lane->free = slot->next;
    lane->taken_at = now;
    lane->turn = user + 1;
    lane->chosen = NOBODY;
    slot->message = *link_peeked(in);
    slot->ready = now + u->p.controller;
    slot->user = user;
    u32 kind = slot->message.kind & MEMORY_KIND;
    slot->moves_data = kind != MEMORY_FENCE && store_has(&u->store, &slot->message);
    lane->offer_at = min_u64(lane->offer_at, slot->ready);
    list_append(u, &lane->arriving, index);
    u->users[user].writes += request_writes(kind);
    link_pop(in);
    unit_hold(&u->base, 1);
    const struct dram_channel *channel = &u->memory->channel[slot->place.channel];
    bool shows = request_shows(slot);
    lane->arriving_to_show += shows;
    lane->next =
        min_u64(lane->next, shows ? slot->ready : dram_channel_return_of(channel, slot->ready));
}

/* Puts a user forward for the channel that its next request is for. Users take turns: who stands
 * nearest behind the one served last goes first. False: it has no request that can be taken. */
static bool user_propose(struct dram *u, u32 user, cycle now)
{
    struct link *in = u->w.users.at[user].in;
    const struct message *request;
    struct dram_address place;
    while ((request = link_peek(in)) && (request->kind & MEMORY_KIND) == MEMORY_PREFETCH)
        link_pop(in); /* there is nowhere nearer to bring it to */
    u32 channel = request ? user_lane(u, user, request, &place) : NOBODY;
    if (channel == NOBODY || u->lanes[channel].taken_at == now)
        return false;
    struct lane *lane = &u->lanes[channel];
    bool passed = user < lane->turn;
    if (lane->chosen == NOBODY || (lane->chosen < lane->turn && !passed)) {
        lane->chosen = user;
        u->slots[lane->free].place = place;
    }
    return true;
}

/* One request for each channel that can have one; false: nothing was taken. */
static bool partition_take(struct dram *u, cycle now)
{
    const struct ports *users = &u->w.users;
    bool proposed = false;
    for (u32 i = ports_pending(users, 0); i != NOBODY; i = ports_pending(users, i + 1))
        proposed |= user_propose(u, i, now);
    for (u32 i = 0; proposed && i < u->memory->channels; i++)
        if (u->lanes[i].chosen != NOBODY)
            lane_take(u, &u->lanes[i], now);
    return proposed;
}

/* Whether a request has arrived that can be taken in the next cycle. */
static bool partition_wanted(struct dram *u)
{
    const struct ports *users = &u->w.users;
    struct dram_address place;
    for (u32 i = ports_pending(users, 0); i != NOBODY; i = ports_pending(users, i + 1)) {
        const struct message *request = link_peek(users->at[i].in);
        if (request && user_lane(u, i, request, &place) != NOBODY)
            return true;
    }
    return false;
}

static cycle dram_step(struct unit *unit, cycle now)
{
    struct dram *u = (struct dram *)unit;
    cycle next = NEVER;
    while (ports_any(&u->w.users) && partition_take(u, now))
        ; /* a user's next request may be for another channel */
    for (u32 i = 0; i < u->memory->channels; i++) {
        struct lane *lane = &u->lanes[i];
        if (lane->next <= now) {
            lane_run(u, i, now);
            lane->next = lane_next(u, i, now);
        }
        next = min_u64(next, lane->next);
    }
    partition_answer(u);
    return ports_any(&u->w.users) && partition_wanted(u) ? now + 1 : next;
}

/* Brings all channels up to the beginning of `now`. */
static void partition_run(struct dram *u, cycle now)
{
    for (u32 i = 0; now && i < u->memory->channels; i++)
        lane_run(u, i, now - 1);
}

/* Who writes there must not change what reads of earlier cycles find. */
static u8 *dram_stored(struct unit *unit, u64 address, u64 *length)
{
    struct dram *u = (struct dram *)unit;
    cycle now = unit->clocked ? clock_own(unit->clock, unit->domain->now) : unit->domain->now;
    partition_run(u, now);
    return store_find(&u->store, address, length);
}

/* ---- Statistics ---- */

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
    u->s.queue_cycles = sum->queue.cycles;
    u->s.service_cycles = sum->service.cycles;
    u->s.read_queue = sum->read_queue_cycles;
    u->s.write_queue = sum->write_queue_cycles;
    u->s.channel_cycles = now * u->memory->channels;
    u->s.bus_cycles = now * dram_device_buses(&u->memory->device);
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

static void dram_report(struct unit *unit, cycle now)
{
    struct dram *u = (struct dram *)unit;
    struct dram_stats sum = { 0 };
    partition_run(u, now);
    for (u32 i = 0; i < u->memory->channels; i++) {
        dram_channel_settle(&u->memory->channel[i], now);
        dram_stats_add(&sum, &u->memory->channel[i].stats);
    }
    report_commands(u, &sum);
    report_times(u, &sum, now);
    report_energy(u, now);
}

/* Energy is counted in picojoules where the devices' currents are known. */
static void dram_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct dram *u = (const struct dram *)unit;
    struct dram_stats none = { 0 };
    struct dram_energy energy;
    if (dram_energy(&u->memory->device, &none, 0, &energy))
        return;
    for (u32 i = 0; i < UNIT_ENERGIES_MAX; i++)
        costs->energy[i] = COST_UNKNOWN;
}

static const struct resource_row dram_resource_rows[] = {
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

static const struct figure_row dram_figure_rows[] = {
    { "dram_bandwidth_share", "bus_busy", "bus_cycles" },
    { "dram_read_bytes", "bytes_read", NULL },
    { "dram_write_bytes", "bytes_written", NULL },
    { 0 },
};

UNIT_TYPE(dram, DRAM, "DRAM partition: channels, controllers and data", .init = dram_init,
          .tick = dram_step, .report = dram_report, .stored = dram_stored, .holds = dram_holds,
          UNIT_ENERGY(DRAM), .costs = dram_costs, .resources = dram_resource_rows,
          .figures = dram_figure_rows, .scales = "channels")
