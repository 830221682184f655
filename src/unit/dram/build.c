/* build.c - a DRAM partition from its parameters: the configuration that they name and change,
 * checked against clock and devices, and its channels. */
#include "unit/dram/dram.h"

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
                                     .spare = i * depth,
                                     .chosen = NOBODY };
        for (u32 k = i * depth; k < (i + 1) * depth; k++)
            u->slots[k].next = u->arrivals[k].next = k + 1 < (i + 1) * depth ? k + 1 : NOBODY;
    }
    for (u32 i = 0; i < u->w.users.count; i++)
        u->users[i].answers = (struct list){ NOBODY, NOBODY };
}

bool dram_init(struct unit *unit, struct ogv_error *error)
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
    u->place = dram_map_address(&u->memory->map, &u->memory->device, u->placed);
    u->transaction_mask = ~(u64)(u->memory->device.transaction_bytes - 1);
    u->slots = unit_alloc(unit, channels * u->p.depth, sizeof *u->slots, error);
    u->arrivals =
        u->slots ? unit_alloc(unit, channels * u->p.depth, sizeof *u->arrivals, error) : NULL;
    u->lanes = u->arrivals ? unit_alloc(unit, channels, sizeof *u->lanes, error) : NULL;
    u->users = u->lanes ? unit_alloc(unit, users, sizeof *u->users, error) : NULL;
    u->answering = u->users ? unit_alloc(unit, (users + 63) / 64, sizeof(u64), error) : NULL;
    if (!u->answering)
        return false;
    partition_clear(u);
    return true;
}
