/* bench_unit.c - sets a unit's parameters, joins its ports to mocks, and reads its statistics,
 * all by the names in its tables. */
#include "unit/bench_unit.h"

#include <string.h>

#define TYPES_MAX   (BENCH_TYPES - MOCK_TYPE - 1)
#define PORT_PLACES 256

/* By type index less one: mock units are the type before these. */
static const struct unit_type *types[TYPES_MAX];

static u16 type_index(const struct unit_type *type)
{
    u16 index = 0;
    while (index < TYPES_MAX && types[index] && types[index] != type)
        index++;
    assert_true(index < TYPES_MAX);
    types[index] = type;
    bench_set_tick((u16)(MOCK_TYPE + 1 + index), type->tick);
    return (u16)(MOCK_TYPE + 1 + index);
}

static const struct unit_type *type_of(const struct unit *unit)
{
    return types[unit->type - MOCK_TYPE - 1];
}

static u32 param_index(const struct unit *unit, const char *name)
{
    const struct unit_type *type = type_of(unit);
    for (u32 i = 0; type->params[i].name; i++)
        if (!strcmp(type->params[i].name, name))
            return i;
    fail_msg("%s has no parameter %s", type->name, name);
    return 0;
}

static union param_value *param_values(struct unit *unit)
{
    return (union param_value *)((u8 *)unit + type_of(unit)->params_offset);
}

void bench_set(struct unit *unit, const char *param, u64 value)
{
    param_values(unit)[param_index(unit, param)].integer = value;
}

void bench_set_real(struct unit *unit, const char *param, double value)
{
    param_values(unit)[param_index(unit, param)].real = value;
}

void bench_set_words(struct unit *unit, const char *param, const char *words)
{
    param_values(unit)[param_index(unit, param)].words = words;
}

/* The number of a choice in "a|b|c". */
static u64 choice_number(const char *choices, const char *choice)
{
    u64 number = 0;
    size_t length = strlen(choice);
    for (const char *at = choices; at; number++) {
        if (!strncmp(at, choice, length) && (!at[length] || at[length] == '|'))
            return number;
        at = strchr(at, '|');
        at = at ? at + 1 : NULL;
    }
    fail_msg("no '%s' in '%s'", choice, choices);
    return 0;
}

void bench_set_choice(struct unit *unit, const char *param, const char *choice)
{
    u32 index = param_index(unit, param);
    const char *choices = type_of(unit)->params[index].choices;
    param_values(unit)[index].integer = choice_number(choices, choice);
}

struct unit *bench_unit(struct sim *sim, struct domain *domain, const struct unit_type *type,
                        struct clock_ratio clock)
{
    struct unit *unit = sim_add_unit(sim, domain, type_index(type), type->bytes, clock);
    assert_non_null(unit);
    union param_value *values = param_values(unit);
    for (u32 i = 0; type->params[i].name; i++) {
        const struct param_row *param = &type->params[i];
        if (param->type == PARAM_CHOICE)
            values[i].integer = choice_number(param->choices, param->default_value.words);
        else
            values[i] = param->default_value;
    }
    struct ports *ports = (struct ports *)((u8 *)unit + type->ports_offset);
    for (u32 i = 0; type->ports[i].name; i++) {
        void *bytes = arena_alloc(sim_chip(sim)->arena, ports_bytes(PORT_PLACES), 64);
        assert_non_null(bytes);
        ports_put(&ports[i], bytes, PORT_PLACES);
        ports[i].pending = arena_alloc(sim_chip(sim)->arena, (PORT_PLACES + 63) / 64 * 8, 8);
        assert_non_null(ports[i].pending);
    }
    return unit;
}

struct ports *bench_ports(struct unit *unit, const char *port)
{
    const struct unit_type *type = type_of(unit);
    for (u32 i = 0; type->ports[i].name; i++)
        if (!strcmp(type->ports[i].name, port))
            return (struct ports *)((u8 *)unit + type->ports_offset) + i;
    fail_msg("%s has no port %s", type->name, port);
    return NULL;
}

static struct port *port_next(struct unit *unit, const char *name)
{
    struct ports *ports = bench_ports(unit, name);
    assert_true(ports->count < PORT_PLACES);
    return &ports->at[ports->count++];
}

/* To be called once the link into the newest place is there. */
static void port_watch_last(struct unit *unit, const char *name)
{
    struct ports *ports = bench_ports(unit, name);
    ports_watch(ports, ports->count - 1);
}

static struct link *link_from_mock(struct sim *sim, struct mock *mock, struct unit *unit,
                                   u32 latency, u32 capacity)
{
    assert_true(mock->out_count < MOCK_LINKS);
    struct link *link = sim_add_link(sim, &mock->base, unit, latency, capacity);
    assert_non_null(link);
    mock->out[mock->out_count++] = link;
    return link;
}

static struct link *link_to_mock(struct sim *sim, struct unit *unit, struct mock *mock, u32 latency,
                                 u32 capacity)
{
    assert_true(mock->in_count < MOCK_LINKS);
    struct link *link = sim_add_link(sim, unit, &mock->base, latency, capacity);
    assert_non_null(link);
    mock->in[mock->in_count++] = link;
    return link;
}

struct link *bench_feed(struct sim *sim, struct unit *unit, const char *port, struct mock *mock,
                        u32 latency, u32 capacity)
{
    struct port *place = port_next(unit, port);
    place->in = link_from_mock(sim, mock, unit, latency, capacity);
    port_watch_last(unit, port);
    return place->in;
}

struct link *bench_drain(struct sim *sim, struct unit *unit, const char *port, struct mock *mock,
                         u32 latency, u32 capacity)
{
    return port_next(unit, port)->out = link_to_mock(sim, unit, mock, latency, capacity);
}

void bench_join(struct sim *sim, struct unit *unit, const char *port, struct mock *mock,
                u32 latency, u32 capacity)
{
    struct port *place = port_next(unit, port);
    place->in = link_from_mock(sim, mock, unit, latency, capacity);
    port_watch_last(unit, port);
    place->out = link_to_mock(sim, unit, mock, latency, capacity);
}

void bench_ask(struct sim *sim, struct unit *asking, const char *asks, struct unit *serving,
               const char *serves, u32 latency, u32 capacity)
{
    struct port *asker = port_next(asking, asks), *server = port_next(serving, serves);
    asker->out = server->in = sim_add_link(sim, asking, serving, latency, capacity);
    asker->in = server->out = sim_add_link(sim, serving, asking, latency, capacity);
    port_watch_last(asking, asks);
    port_watch_last(serving, serves);
    assert_true(asker->in && asker->out);
}

/* As a chip is built: up to 64 ports have their word beside them. */
static void ports_settle(struct ports *ports)
{
    if (ports->count > 64)
        return;
    ports->pending = &ports->pending_word;
    for (u32 i = 0; i < ports->count; i++)
        if (ports->at[i].in)
            ports_watch(ports, i);
}

void bench_init(struct unit *unit)
{
    struct ogv_error error = { 0 };
    const struct unit_type *type = type_of(unit);
    for (u32 i = 0; type->ports[i].name; i++)
        ports_settle((struct ports *)((u8 *)unit + type->ports_offset) + i);
    if (type->init && !type->init(unit, &error))
        fail_msg("%s", error.message);
}

void bench_init_refused(struct unit *unit, const char *words)
{
    struct ogv_error error = { 0 };
    assert_false(type_of(unit)->init(unit, &error));
    assert_int_equal(error.kind, OGV_ERROR_USER);
    if (!strstr(error.message, words))
        fail_msg("expected '%s' in '%s'", words, error.message);
}

void bench_report(struct unit *unit, cycle now)
{
    type_of(unit)->report(unit, now);
}

u64 bench_stat(const struct unit *unit, const char *stat)
{
    const struct unit_type *type = type_of(unit);
    for (u32 i = 0; type->stats[i].name; i++)
        if (!strcmp(type->stats[i].name, stat))
            return ((const u64 *)((const u8 *)unit + type->stats_offset))[i];
    fail_msg("%s has no statistic %s", type->name, stat);
    return 0;
}

void expect_note(const struct mock *mock, u32 index, cycle at, u64 what)
{
    assert_true(index < mock->noted);
    assert_int_equal(mock->notes[index].at, at);
    assert_int_equal(mock->notes[index].what, what);
}
