/* cache.c - what a cache costs: nanoseconds per request, askers and memory included and without.
 *
 * 64 askers keep as many requests under way as they may; behind the cache is a unit that answers at
 * once. The same askers on that unit alone say what they themselves and the links cost. Every
 * number is the median of several runs. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "measure.h"
#include "ogive/memory.h"
#include "ogive/random.h"
#include "ogive/unit.h"
#include "sim/sim.h"

extern const struct unit_type unit_type_cache;

#define ROUNDS      7
#define CYCLES      40000
#define ASKERS      64
#define OUTSTANDING 4

/* ---- Units ---- */

struct asker {
    struct unit base;
    struct link *in, *out;
    u64 random, span, under_way, answered;
    u16 kind;
};

static cycle asker_tick(struct unit *unit, cycle now)
{
    struct asker *u = (struct asker *)unit;
    (void)now;
    while (link_peek(u->in)) {
        link_pop(u->in);
        u->answered++;
        u->under_way--;
    }
    while (u->under_way < OUTSTANDING && link_can_push(u->out)) {
        struct message *request = link_push(u->out);
        request->address = random_below(&u->random, u->span) & ~UINT64_C(31);
        request->size_bytes = 32;
        request->mask = UINT32_MAX;
        request->kind = u->kind;
        u->under_way++;
    }
    return NEVER;
}

/* Answers whatever comes, at once. */
struct echo {
    struct unit base;
    struct ports users;
};

static cycle echo_tick(struct unit *unit, cycle now)
{
    struct echo *u = (struct echo *)unit;
    bool left = false;
    for (u32 i = ports_pending(&u->users, 0); i != NOBODY; i = ports_pending(&u->users, i + 1)) {
        struct link *in = u->users.at[i].in, *out = u->users.at[i].out;
        for (u32 k = 0; k < 8 && link_peek(in) && link_can_push(out); k++) {
            *link_push(out) = *link_peek(in);
            link_pop(in);
        }
        left |= link_peek(in) != NULL;
    }
    return left ? now + 1 : NEVER;
}

static cycle cache_tick(struct unit *unit, cycle now)
{
    return unit_type_cache.tick(unit, now);
}

enum { ASKER, ECHO, CACHE };
static const tick_function ticks[] = { asker_tick, echo_tick, cache_tick };
static const struct clock_ratio same_clock = { 1, 1 };

/* ---- The chip ---- */

struct bench {
    struct sim *sim;
    struct domain *domain;
    struct asker *askers[ASKERS];
};

static void ports_create(struct bench *bench, struct ports *ports, u32 count)
{
    struct arena *arena = sim_chip(bench->sim)->arena;
    ports_put(ports, arena_alloc(arena, ports_bytes(count), 64), count);
    ports->pending = arena_alloc(arena, (count + 63) / 64 * sizeof *ports->pending, 8);
}

static void join(struct bench *bench, struct unit *from, struct unit *to, struct port *left,
                 struct ports *right)
{
    struct port *port = &right->at[right->count++];
    left->out = port->in = sim_add_link(bench->sim, from, to, 1, 8);
    left->in = port->out = sim_add_link(bench->sim, to, from, 1, 8);
    ports_watch(right, right->count - 1);
}

struct setting {
    const char *param;
    u64 value;
};

static struct unit *cache_create(struct bench *bench, const struct setting *settings)
{
    const struct unit_type *type = &unit_type_cache;
    struct unit *unit = sim_add_unit(bench->sim, bench->domain, CACHE, type->bytes, same_clock);
    union param_value *values = (union param_value *)((u8 *)unit + type->params_offset);
    for (u32 i = 0; type->params[i].name; i++) {
        if (type->params[i].type != PARAM_CHOICE) /* the first choice is 0 */
            values[i] = type->params[i].default_value;
        for (u32 k = 0; settings[k].param; k++)
            if (!strcmp(type->params[i].name, settings[k].param))
                values[i].integer = settings[k].value;
    }
    return unit;
}

static struct ports *unit_ports(struct unit *unit)
{
    return (struct ports *)((u8 *)unit + unit_type_cache.ports_offset);
}

/* With a cache of these settings, or without one. */
static struct bench bench_create(const struct setting *settings, u64 span, u16 kind)
{
    struct ogv_error error;
    struct bench bench = { .sim = sim_create(&error) };
    if (!bench.sim)
        ogv_bug("%s", error.message);
    sim_set_ticks(bench.sim, ticks);
    bench.domain = sim_add_domain(bench.sim);
    struct echo *echo =
        (struct echo *)sim_add_unit(bench.sim, bench.domain, ECHO, sizeof *echo, same_clock);
    ports_create(&bench, &echo->users, ASKERS);
    struct unit *server = &echo->base, *cache = NULL;
    struct ports *users = &echo->users;
    if (settings) {
        server = cache = cache_create(&bench, settings);
        users = unit_ports(cache);
        ports_create(&bench, &users[0], ASKERS);
        ports_create(&bench, &users[1], 1);
        join(&bench, cache, &echo->base, &users[1].at[0], &echo->users);
        users[1].count = 1;
        ports_watch(&users[1], 0);
    }
    for (u32 i = 0; i < ASKERS; i++) {
        struct asker *asker =
            (struct asker *)sim_add_unit(bench.sim, bench.domain, ASKER, sizeof *asker, same_clock);
        struct port port;
        join(&bench, &asker->base, server, &port, users);
        asker->in = port.in;
        asker->out = port.out;
        asker->random = i;
        asker->span = span;
        asker->kind = kind;
        bench.askers[i] = asker;
    }
    if (!sim_seal(bench.sim, &error) || (cache && !unit_type_cache.init(cache, &error)))
        ogv_bug("%s", error.message);
    sim_set_options(bench.sim, &(struct sim_options){ .threads = 1 });
    unit_hold(&echo->base, 1);
    return bench;
}

static u64 bench_answered(const struct bench *bench)
{
    u64 answered = 0;
    for (u32 i = 0; i < ASKERS; i++)
        answered += bench->askers[i]->answered;
    return answered;
}

static double bench_measure(struct bench bench, double *per_cycle)
{
    double costs[ROUNDS];
    sim_run(bench.sim, CYCLES, (struct sim_poll){ 0 });
    for (u32 i = 0; i < ROUNDS; i++) {
        u64 before = bench_answered(&bench);
        double start = work_clock();
        sim_run(bench.sim, (i + 2) * CYCLES, (struct sim_poll){ 0 });
        double seconds = work_clock() - start;
        u64 answered = bench_answered(&bench) - before;
        costs[i] = seconds / (double)answered * 1e9;
        *per_cycle = (double)answered / CYCLES;
    }
    sim_destroy(bench.sim);
    return measure_median(costs, ROUNDS);
}

static const char *only = ""; /* of what is measured, what has this in its name */

static void bench_print(const char *what, const struct setting *settings, u64 span, u16 kind,
                        double without)
{
    if (!strstr(what, only))
        return;
    double per_cycle, cost = bench_measure(bench_create(settings, span, kind), &per_cycle);
    printf("%-36s %7.1f ns per request, %7.1f without askers  (%.2f per cycle)\n", what, cost,
           cost - without, per_cycle);
}

int main(int count, char **arguments)
{
    only = count > 1 ? arguments[1] : "";
    /* The L1 and a partition's L2 of an RTX 2080, as in archs. */
    static const struct setting l1[] = { { "size", 64 * KiB }, { "ways", 32 },   { "banks", 4 },
                                         { "mshrs", 256 },     { "merges", 16 }, { "passes", 256 },
                                         { "width", 4 },       { "depth", 64 },  { 0 } };
    static const struct setting l2[] = {
        { "size", 512 * KiB }, { "ways", 16 },  { "slices", 4 }, { "latency", 80 },
        { "mshrs", 192 },      { "merges", 4 }, { "write", 1 },  { "write_miss", 1 },
        { "atomics", 1 },      { "fence", 1 },  { "level", 2 },  { 0 }
    };
    double per_cycle, without = 0;
    if (!*only)
        without = bench_measure(bench_create(NULL, MiB, MEMORY_READ), &per_cycle);
    printf("Cache, %u askers, medians of %d runs\n", ASKERS, ROUNDS);
    printf("%-36s %7.1f ns per request\n", "askers alone", without);
    bench_print("L1, reads that hit", l1, 32 * KiB, MEMORY_READ, without);
    bench_print("L1, reads that miss", l1, GiB, MEMORY_READ, without);
    bench_print("L1, writes (through, around)", l1, 32 * KiB, MEMORY_WRITE, without);
    bench_print("L2, reads that hit", l2, 256 * KiB, MEMORY_READ, without);
    bench_print("L2, reads that miss", l2, GiB, MEMORY_READ, without);
    bench_print("L2, writes that hit", l2, 256 * KiB, MEMORY_WRITE, without);
    bench_print("L2, writes that evict", l2, GiB, MEMORY_WRITE, without);
    return 0;
}
