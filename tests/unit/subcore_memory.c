/* subcore_memory.c - the memory pipe of sub-cores and the load/store unit that they share: which
 * access has the L1 or the scratchpad when, what bank conflicts cost, and the latencies and
 * intervals that were published for a modern core.
 *
 * Huerta, Abaie Shoushtary, Cruz, González, "Dissecting and Modeling the Architecture of Modern GPU
 * Cores", MICRO 2025, is [M]; `modern` below is what makes this pipe like the one measured there.
 * Accesses of 128 bits do not exist in RV64, so that those rows are left out. */
#include "unit/subcore/subcore.h"

#include "ogive/memory.h"
#include "ogive/random.h"
#include "unit/bench_core.h"

extern const struct unit_type unit_type_cache, unit_type_lsu, unit_type_memory,
    unit_type_scratchpad;

#define SUBCORES_MAX 4
#define BUFFER       0x1000 /* data in memory */

struct setting {
    const char *param;
    u64 value;
};

/* [M] unless said otherwise. A load takes 4 cycles to and from the load/store unit and its
 * structure; the latencies of these are the rest of what was measured. */
static const struct setting modern[] = {
    { "queue", 5 }, /* 4 and a latch */
    { "pipe_read", 9 },
    { "pipe_interval", 4 },
    { "pipe_lanes", 2 },
    { "pipe_scratch_lanes", 0 },
    { "pipe_store", 1 },
    { "pipe_store_lanes", 2 },
    { "pipe_store_word", 2 },
    { "pipe_spread", 1 },
    { "pipe_buffer", 2 },           /* assumed: not measured */
    { "pipe_return", 64 },          /* 512 bits */
    { "pipe_scratch_word", 8 },     /* assumed: 64 bits take no longer than 32 */
    { "pipe_scratch_return", 256 }, /* the same */
    { 0 },
};
#define MODERN_L1_LATENCY      14
#define MODERN_SCRATCH_LATENCY 9

struct sm {
    struct sim *sim;
    struct domain *domain;
    struct subcore *subcores[SUBCORES_MAX];
    struct unit *lsu, *l1, *scratch, *memory;
    u32 count;
};

static void sm_join(struct sm *sm, struct unit *subcore, struct unit *unit, const char *name)
{
    bench_ask(sm->sim, subcore, "units", unit, "users", 1, 64);
    struct ports *units = bench_ports(subcore, "units");
    units->at[units->count - 1].peer = name;
}

static struct unit *sm_unit(struct sm *sm, const struct unit_type *type)
{
    return bench_unit(sm->sim, sm->domain, type, NO_CLOCK);
}

/* Sub-cores with an L1 and a scratchpad that are no limit of their own. */
static struct sm sm_make(u32 subcores, u32 width, u64 l1_latency, u64 scratch_latency)
{
    struct sm sm = { .sim = bench_create(), .count = subcores };
    sm.domain = bench_domain(sm.sim);
    sm.lsu = sm_unit(&sm, &unit_type_lsu);
    sm.l1 = sm_unit(&sm, &unit_type_cache);
    sm.scratch = sm_unit(&sm, &unit_type_scratchpad);
    sm.memory = sm_unit(&sm, &unit_type_memory);
    bench_set(sm.l1, "latency", l1_latency);
    bench_set(sm.l1, "ports", 16);
    bench_set(sm.l1, "bursts", 1);
    bench_set(sm.l1, "queue", 1024);
    bench_set(sm.l1, "mshrs", 64);
    bench_set(sm.scratch, "latency", scratch_latency);
    bench_set(sm.scratch, "granted", 1);
    bench_ask(sm.sim, sm.l1, "next", sm.memory, "users", 1, 8);
    for (u32 i = 0; i < subcores; i++) {
        struct unit *subcore = sm_unit(&sm, &unit_type_subcore);
        sm.subcores[i] = (struct subcore *)subcore;
        bench_set(subcore, "warps", 1);
        bench_set(subcore, "width", width);
        bench_set_words(subcore, "execute", "load: l1, scratch: scratch");
        sm_join(&sm, subcore, sm.l1, "l1");
        sm_join(&sm, subcore, sm.scratch, "scratch");
        sm_join(&sm, subcore, sm.lsu, "lsu");
    }
    return sm;
}

static void sm_stage(struct sm *sm, const struct setting *settings)
{
    for (u32 i = 0; i < sm->count; i++) {
        struct unit *subcore = &sm->subcores[i]->base;
        bench_set_choice(subcore, "pipe", "staged");
        bench_set_words(subcore, "pipe_arbiter", "lsu");
        for (const struct setting *row = settings; row && row->param; row++)
            bench_set(subcore, row->param, row->value);
    }
}

static struct sm sm_modern(u32 subcores)
{
    struct sm sm = sm_make(subcores, 32, MODERN_L1_LATENCY, MODERN_SCRATCH_LATENCY);
    sm_stage(&sm, modern);
    bench_set(sm.lsu, "interval", 2);         /* [M] shared structures accept 1 per 2 cycles */
    bench_set(sm.lsu, "scratch_interval", 2); /* the same */
    return sm;
}

/* Every warp-cycle and every thread of an instruction once. */
static void subcore_settle(struct subcore *u, cycle now)
{
    bench_report(&u->base, now);
    u64 spent = u->s.passed + u->s.hazard + u->s.busy + u->s.pipe + u->s.fence + u->s.halted;
    assert_int_equal(u->s.active + spent, u->p.warps * now);
    assert_int_equal(u->s.executed + u->s.masked, u->s.issued * u->p.width);
}

static void sm_go(struct sm *sm, const u32 *text, u32 count)
{
    u32 harts = (u32)(sm->subcores[0]->p.warps * sm->subcores[0]->p.width);
    const struct chip_program *program = bench_program(sm->sim, text, count, harts * sm->count);
    struct unit *shared[] = { sm->lsu, sm->l1, sm->scratch, sm->memory };
    for (u32 i = 0; i < LENGTH(shared); i++)
        bench_init(shared[i]);
    for (u32 i = 0; i < sm->count; i++) {
        bench_init(&sm->subcores[i]->base);
        unit_type_subcore.programs->start(&sm->subcores[i]->base, program, i * harts, NULL);
    }
    bench_seal(sm->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sm->sim), SIM_FINISHED);
    const struct chip *chip = sim_chip(sm->sim);
    for (u32 i = 0; i < sm->count; i++)
        subcore_settle(sm->subcores[i], chip->ended_at);
}

static u64 x_of(const struct sm *sm, u32 subcore, u32 thread, u32 number)
{
    struct hart hart;
    unit_type_subcore.programs->hart(&sm->subcores[subcore]->base, thread, &hart);
    return hart.x[number];
}

/* ---- Programs ---- */

/* x5: `stride` bytes times the thread's number, from BUFFER on; x4: the same in the scratchpad. */
#define ADDRESSES(stride)                                                                          \
    SET(6, stride), I(andi, 7, 10, 31), R(mul, 7, 7, 6), U(lui, 5, BUFFER >> 12), R(add, 5, 5, 7), \
        SET(4, 0x7e), I(slli, 4, 4, 40), R(add, 4, 4, 7)

/* Once for the L1 to have it, then from READ_CYCLE to what must wait, and the next READ_CYCLE. */
#define TIMED(warm, access, waits) \
    warm, warm, FENCE_LESS, READ_CYCLE(8), access, waits, READ_CYCLE(9), EXIT_WELL
#define FENCE_LESS R(add, 11, 11, 11), NOP

/* Cycles from the issue of `access` to that of `waits`, if the latter can issue no earlier for its
 * registers. `warm` loads what is accessed. */
static u64 distance(struct sm sm, int stride, u32 warm, u32 access, u32 waits)
{
    const u32 text[] = { ADDRESSES(stride), TIMED(warm, access, waits) };
    sm_go(&sm, TEXT(text));
    u64 cycles = x_of(&sm, 0, 0, 9) - x_of(&sm, 0, 0, 8) - 2;
    bench_destroy(sm.sim);
    return cycles;
}

/* ---- What was published ---- */

/* RAW: a load's result is read. WAR: a register that it reads is written. */
static void load_check(int stride, u32 base, u32 code, u64 raw, u64 war)
{
    u32 warm = I(lw, 11, base, 0);
    assert_int_equal(distance(sm_modern(1), stride, warm, code, R(add, 13, 12, 12)), raw);
    assert_int_equal(distance(sm_modern(1), stride, warm, code, SET(base, 1)), war);
}

/* The register with the data is written again. */
static void store_check(int stride, u32 base, u32 code, u64 war)
{
    u32 warm = I(lw, 11, base, 0);
    assert_int_equal(distance(sm_modern(1), stride, warm, code, SET(12, 1)), war);
}

static void modern_loads_take_what_was_measured(void **state)
{
    (void)state;
    load_check(0, 5, I(lw, 12, 5, 0), 29, 9);
    load_check(0, 5, I(ld, 12, 5, 0), 31, 9);
    load_check(4, 5, I(lw, 12, 5, 0), 32, 11);
    load_check(8, 5, I(ld, 12, 5, 0), 34, 11);
    load_check(0, 4, I(lw, 12, 4, 0), 23, 9);
    load_check(0, 4, I(ld, 12, 4, 0), 23, 9);
    load_check(4, 4, I(lw, 12, 4, 0), 24, 9);
    load_check(8, 4, I(ld, 12, 4, 0), 24, 9);
}

static void modern_stores_read_when_it_was_measured(void **state)
{
    (void)state;
    store_check(0, 5, S(sw, 12, 5, 0), 10);
    store_check(0, 5, S(sd, 12, 5, 0), 12);
    store_check(4, 5, S(sw, 12, 5, 0), 14);
    store_check(8, 5, S(sd, 12, 5, 0), 16);
    store_check(0, 4, S(sw, 12, 4, 0), 10);
    store_check(0, 4, S(sd, 12, 4, 0), 12);
    store_check(4, 4, S(sw, 12, 4, 0), 12);
    store_check(8, 4, S(sd, 12, 4, 0), 14);
}

/* Cycles from the issue of the first load of the first sub-core to that of its n-th. */
static u64 nth_issue(u32 subcores, u32 n)
{
    const u32 start[] = { ADDRESSES(4), I(lw, 11, 5, 0), R(add, 11, 11, 11), READ_CYCLE(8) };
    const u32 end[] = { READ_CYCLE(9), EXIT_WELL };
    u32 text[64], count = 0;
    for (u32 i = 0; i < LENGTH(start); i++)
        text[count++] = start[i];
    for (u32 i = 0; i < n; i++)
        text[count++] = I(lw, 18 + i, 5, 0);
    for (u32 i = 0; i < LENGTH(end); i++)
        text[count++] = end[i];
    struct sm sm = sm_modern(subcores);
    sm_go(&sm, text, count);
    u64 cycles = x_of(&sm, 0, 0, 9) - x_of(&sm, 0, 0, 8) - 2;
    bench_destroy(sm.sim);
    return cycles;
}

static void modern_queue_takes_five_and_then_one_per_interval(void **state)
{
    static const u64 steady[SUBCORES_MAX + 1] = { 0, 4, 4, 6, 8 };
    (void)state;
    for (u32 n = 1; n <= 5; n++)
        assert_int_equal(nth_issue(1, n), n - 1);
    assert_int_equal(nth_issue(1, 6), 11); /* when the first has read its registers */
    assert_int_equal(nth_issue(1, 7), 11 + 4);
    for (u32 subcores = 1; subcores <= SUBCORES_MAX; subcores++)
        for (u32 n = 12; n <= 14; n++)
            assert_int_equal(nth_issue(subcores, n) - nth_issue(subcores, n - 1), steady[subcores]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(modern_loads_take_what_was_measured),
        bench_test_all_ways(modern_stores_read_when_it_was_measured),
        bench_test_all_ways(modern_queue_takes_five_and_then_one_per_interval),
    };
    return cmocka_run_group_tests_name("subcore_memory", tests, NULL, NULL);
}
