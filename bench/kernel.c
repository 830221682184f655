/* kernel.c - what the simulation kernel itself costs: a tick, a message, a barrier, a sleeping
 * chip.
 *
 * Every number is the median of several runs. What one thread costs is measured in the time that it
 * computed; what is compared is measured by the wall clock, in turns, so that a change of the
 * machine's mood hits both sides. */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "measure.h"
#include "sim/sim.h"

#define ROUNDS 7

/* ---- Units: one that ticks always, one that sleeps, one that passes messages on ---- */

struct busy_unit {
    struct unit base;
    u64 ticks;
};

struct sleepy_unit {
    struct unit base;
    cycle due, nap;
};

struct relay_unit {
    struct unit base;
    struct link *in, *out;
    u64 passed;
};

static cycle busy_tick(struct unit *unit, cycle now)
{
    ((struct busy_unit *)unit)->ticks++;
    return now + 1;
}

static cycle sleepy_tick(struct unit *unit, cycle now)
{
    struct sleepy_unit *u = (struct sleepy_unit *)unit;
    if (now >= u->due)
        u->due = u->nap == NEVER ? NEVER : now + u->nap;
    return u->due;
}

static cycle relay_tick(struct unit *unit, cycle now)
{
    struct relay_unit *u = (struct relay_unit *)unit;
    const struct message *message = link_peek(u->in);
    (void)now;
    if (message && link_can_push(u->out)) {
        *link_push(u->out) = *message;
        link_pop(u->in);
        u->passed++;
    }
    return NEVER;
}

enum { BUSY, SLEEPY, RELAY };
static const tick_function ticks[] = { busy_tick, sleepy_tick, relay_tick };
static const struct clock_ratio same_clock = { 1, 1 };

/* ---- Chips ---- */

static struct sim *chip_new(void)
{
    struct ogv_error error;
    struct sim *sim = sim_create(&error);
    if (!sim)
        ogv_bug("%s", error.message);
    sim_set_ticks(sim, ticks);
    return sim;
}

static void chip_seal(struct sim *sim, u32 threads)
{
    struct ogv_error error;
    if (!sim_seal(sim, &error))
        ogv_bug("%s", error.message);
    sim_set_options(sim, &(struct sim_options){ .threads = threads });
}

/* Work that never ends, so that the run is bounded by cycles alone. */
static void chip_never_ends(struct sim *sim)
{
    unit_hold(sim_chip(sim)->units[0], 1);
}

typedef double clock_function(void);

static double chip_time(struct sim *sim, cycle cycles, clock_function *clock)
{
    cycle target = sim_chip(sim)->now + cycles;
    double start = clock();
    enum sim_end end = sim_run(sim, target, (struct sim_poll){ 0 });
    double seconds = clock() - start;
    if (end != SIM_REACHED)
        ogv_bug("the benchmark's chip stopped early (%d)", (int)end);
    return seconds;
}

struct shape {
    u32 sms, sm_units, partitions, partition_units, window;
};

/* 46 SMs of 70 units, 8 memory partitions of 5, a window of 32: the outline of an RTX 2080. */
static const struct shape rtx2080 = { 46, 70, 8, 5, 32 };

/* `awake` of every 100 units tick in every cycle; the others sleep for `nap` cycles at a time. */
struct mood {
    u32 awake;
    cycle nap;
};

static struct unit *domain_fill(struct sim *sim, u32 units, struct mood mood, u32 *dealt)
{
    struct domain *domain = sim_add_domain(sim);
    struct unit *unit = NULL;
    for (u32 i = 0; i < units; i++) {
        u64 before = (u64)*dealt * mood.awake / 100;
        bool busy = (u64)++ * dealt * mood.awake / 100 != before;
        size_t bytes = busy ? sizeof(struct busy_unit) : sizeof(struct sleepy_unit);
        unit = sim_add_unit(sim, domain, busy ? BUSY : SLEEPY, bytes, same_clock);
        if (!busy)
            ((struct sleepy_unit *)unit)->nap = mood.nap;
    }
    return unit;
}

static struct sim *chip_shaped(const struct shape *shape, struct mood mood, u32 threads)
{
    struct sim *sim = chip_new();
    struct unit *one = NULL, *other = NULL;
    u32 dealt = 0;
    for (u32 i = 0; i < shape->sms; i++)
        one = domain_fill(sim, shape->sm_units, mood, &dealt);
    for (u32 i = 0; i < shape->partitions; i++)
        other = domain_fill(sim, shape->partition_units, mood, &dealt);
    sim_add_link(sim, one, other, shape->window, 8); /* never used: it sets the window */
    chip_seal(sim, threads);
    chip_never_ends(sim);
    return sim;
}

/* Seconds for `cycles` cycles of two chips, measured in turns; medians. */
static void time_both(struct sim *a, struct sim *b, cycle cycles, double *seconds_a,
                      double *seconds_b, double *ratio)
{
    double first[ROUNDS], second[ROUNDS], ratios[ROUNDS];
    chip_time(a, cycles / 4 + 1, wall_clock);
    chip_time(b, cycles / 4 + 1, wall_clock);
    for (u32 i = 0; i < ROUNDS; i++) {
        first[i] = chip_time(a, cycles, wall_clock);
        second[i] = chip_time(b, cycles, wall_clock);
        ratios[i] = first[i] / second[i];
    }
    *seconds_a = measure_median(first, ROUNDS);
    *seconds_b = measure_median(second, ROUNDS);
    *ratio = measure_median(ratios, ROUNDS);
}

static double time_one(struct sim *sim, cycle cycles)
{
    double seconds[ROUNDS];
    chip_time(sim, cycles / 4 + 1, work_clock);
    for (u32 i = 0; i < ROUNDS; i++)
        seconds[i] = chip_time(sim, cycles, work_clock);
    sim_destroy(sim);
    return measure_median(seconds, ROUNDS);
}

/* ---- What is measured ---- */

static void bench_tick(void)
{
    const u32 units = 70;
    const cycle cycles = 300000;
    struct shape one = { 1, units, 1, 1, 32 };
    double seconds = time_one(chip_shaped(&one, (struct mood){ 100, NEVER }, 1), cycles);
    printf("awake unit-tick                  %8.2f ns        (target <= 6)\n",
           seconds / (double)cycles / (units + 1) * 1e9);
}

/* A ring of relays in one domain or in two, every link half full: each tick pops one and pushes
 * one. */
static struct sim *chip_ring(u32 relays, u32 domains, u32 latency)
{
    struct sim *sim = chip_new();
    struct relay_unit **ring = heap_array(relays, sizeof *ring);
    struct domain *domain = NULL;
    for (u32 i = 0; i < relays; i++) {
        if (i % (relays / domains) == 0)
            domain = sim_add_domain(sim);
        ring[i] =
            (struct relay_unit *)sim_add_unit(sim, domain, RELAY, sizeof *ring[i], same_clock);
    }
    for (u32 i = 0; i < relays; i++) {
        struct relay_unit *next = ring[(i + 1) % relays];
        u32 capacity = 2 * latency < 4 ? 4 : 2 * latency; /* the defaults of links */
        next->in = ring[i]->out = sim_add_link(sim, &ring[i]->base, &next->base, latency, capacity);
    }
    chip_seal(sim, 1);
    for (u32 i = 0; i < relays; i++)
        for (u32 k = 0; k < latency; k++)
            link_push(ring[i]->out)->tag = i;
    free(ring);
    chip_never_ends(sim);
    return sim;
}

static u64 chip_passed(const struct chip *chip)
{
    u64 passed = 0;
    for (u32 i = 0; i < chip->unit_count; i++)
        passed += ((const struct relay_unit *)chip->units[i])->passed;
    return passed;
}

static void bench_message(const char *what, u32 domains, u32 latency, const char *target)
{
    const u32 relays = 64;
    const cycle cycles = 100000;
    struct sim *sim = chip_ring(relays, domains, latency);
    double costs[ROUNDS];
    chip_time(sim, cycles / 4, work_clock);
    for (u32 i = 0; i < ROUNDS; i++) {
        u64 before = chip_passed(sim_chip(sim));
        double seconds = chip_time(sim, cycles, work_clock);
        costs[i] = seconds / (double)(chip_passed(sim_chip(sim)) - before);
    }
    printf("%-32s %8.2f ns        %s\n", what, measure_median(costs, ROUNDS) * 1e9, target);
    sim_destroy(sim);
}

/* Two domains with one unit each and a window of one cycle: a barrier per cycle and little else. */
static void bench_barrier(void)
{
    const cycle cycles = 100000;
    struct shape two = { 1, 1, 1, 1, 1 };
    struct mood awake = { 100, NEVER };
    struct sim *alone = chip_shaped(&two, awake, 1), *both = chip_shaped(&two, awake, 2);
    double one_thread, two_threads, ratio;
    time_both(alone, both, cycles, &one_thread, &two_threads, &ratio);
    printf("window, planned by 1 thread      %8.0f ns\n", one_thread / (double)cycles * 1e9);
    printf("window and barrier of 2 threads  %8.0f ns\n", two_threads / (double)cycles * 1e9);
    sim_destroy(alone);
    sim_destroy(both);
}

static void bench_shape(const char *what, struct mood mood, cycle cycles, const char *target)
{
    double seconds = time_one(chip_shaped(&rtx2080, mood, 1), cycles);
    printf("%-32s %8.0f kcycles/s %s\n", what, (double)cycles / seconds / 1e3, target);
}

/* All awake with 1 thread against 2, 4, ... up to the cores of this machine. */
static void bench_threads(void)
{
    const cycle cycles = 4000;
    struct mood awake = { 100, NEVER };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (u32 threads = 2; threads == 2 || threads <= cores; threads *= 2) {
        struct sim *alone = chip_shaped(&rtx2080, awake, 1);
        struct sim *many = chip_shaped(&rtx2080, awake, threads);
        double one, all, ratio;
        time_both(alone, many, cycles, &one, &all, &ratio);
        if (threads == 2)
            printf("all awake,  1 thread             %8.1f kcycles/s\n",
                   (double)cycles / one / 1e3);
        printf("all awake, %2u threads            %8.1f kcycles/s, %.2f x 1 thread%s\n", threads,
               (double)cycles / all / 1e3, ratio, threads == 2 ? " (target >= 1.75)" : "");
        sim_destroy(alone);
        sim_destroy(many);
    }
}

int main(void)
{
    printf("Kernel, medians of %d runs\n", ROUNDS);
    bench_tick();
    bench_message("message within a domain", 1, 1, "(target <= 12, ticks included)");
    bench_message("message between two domains", 64, 32, "(each hop changes the domain)");
    bench_barrier();
    printf("46 domains x 70 units + 8 x 5, window 32:\n");
    bench_shape("all asleep (1000 cycles a nap)", (struct mood){ 0, 1000 }, 2000000,
                "(target >= 10000)");
    bench_shape("all asleep but 2%", (struct mood){ 2, NEVER }, 200000, "");
    bench_threads();
    return 0;
}
