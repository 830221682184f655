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
#define MODERN_CONST_LATENCY   11
#define CONSTANTS              0x2000 /* of so many bytes */
#define CONSTANT_BYTES         0x1000

struct sm {
    struct sim *sim;
    struct domain *domain;
    struct subcore *subcores[SUBCORES_MAX];
    struct unit *lsu, *l1, *scratch, *constant, *memory;
    u32 count;
};

static void sm_join(struct sm *sm, struct unit *subcore, struct unit *unit, const char *name)
{
    bench_ask(sm->sim, subcore, "units", unit, "users", 1, 64);
    struct ports *units = bench_ports(subcore, "units");
    ports_note(units, units->count - 1)->peer = name;
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

/* With a cache of constants, which sub-cores ask for in `pipe: direct`, too. */
static struct sm sm_with_constants(struct sm sm, u64 latency)
{
    sm.constant = sm_unit(&sm, &unit_type_cache);
    bench_set(sm.constant, "size", 2 * KiB);
    bench_set(sm.constant, "latency", latency);
    bench_ask(sm.sim, sm.constant, "next", sm.memory, "users", 1, 8);
    for (u32 i = 0; i < sm.count; i++) {
        struct unit *subcore = &sm.subcores[i]->base;
        bench_set_words(subcore, "execute", "load: l1, scratch: scratch, constant: constant");
        sm_join(&sm, subcore, sm.constant, "constant");
    }
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
    struct chip_program *program = bench_program(sm->sim, text, count, harts * sm->count);
    program->constants = CONSTANTS;
    program->constant_bytes = CONSTANT_BYTES;
    struct unit *shared[] = { sm->lsu, sm->l1, sm->scratch, sm->memory, sm->constant };
    for (u32 i = 0; i < LENGTH(shared) && shared[i]; i++)
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

/* x14: `stride` bytes times the thread's number, from there on. */
#define CONSTANT_ADDRESSES(stride) ADDRESSES(stride), U(lui, 14, CONSTANTS >> 12), R(add, 14, 14, 7)

/* [M] a constant whose address is known to all threads: 26 cycles. */
static void modern_constant_takes_what_was_measured(void **state)
{
    const u32 text[] = { CONSTANT_ADDRESSES(0),
                         TIMED(I(lw, 11, 14, 0), I(lw, 12, 14, 0), R(add, 13, 12, 12)) };
    (void)state;
    struct sm sm = sm_with_constants(sm_modern(1), MODERN_CONST_LATENCY);
    sm_go(&sm, TEXT(text));
    assert_int_equal(x_of(&sm, 0, 0, 9) - x_of(&sm, 0, 0, 8) - 2, 26);
    assert_int_equal(bench_stat(sm.lsu, "accesses_constant"), 3);
    assert_int_equal(bench_stat(sm.lsu, "accesses_l1"), 0);
    bench_destroy(sm.sim);
}

/* A word for all threads at a time, whatever its bank. Stores and what lies behind the constants
 * are not theirs. */
static void constants_are_given_word_by_word(void **state)
{
    const struct {
        int stride;
        u32 access;
        u64 busy; /* 0: it goes to the L1 */
    } cases[] = {
        { 0, I(lw, 12, 14, 0), 1 }, { 0, I(ld, 12, 14, 0), 2 },  { 4, I(lw, 12, 14, 0), 32 },
        { 1, I(lb, 12, 14, 0), 8 }, { 8, I(ld, 12, 14, 0), 64 }, { 0, S(sw, 12, 14, 0), 0 },
        { 0, I(lw, 12, 5, 0), 0 },
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(cases); i++) {
        const u32 text[] = { CONSTANT_ADDRESSES(cases[i].stride), cases[i].access, EXIT_WELL };
        struct sm sm = sm_with_constants(sm_modern(1), MODERN_CONST_LATENCY);
        bench_set(sm.lsu, "constant_interval", 1);
        sm_go(&sm, TEXT(text));
        assert_int_equal(bench_stat(sm.lsu, "busy_constant"), cases[i].busy);
        assert_int_equal(bench_stat(sm.lsu, "accesses_l1"), !cases[i].busy);
        bench_destroy(sm.sim);
    }
}

/* Threads 16 and on load what lies behind the constants: those before go first, and all get what
 * memory has. The same with and without stages. */
static void threads_part_where_constants_end(void **state)
{
    const u32 text[] = { ADDRESSES(4),         U(lui, 14, (CONSTANTS + CONSTANT_BYTES) >> 12),
                         I(addi, 14, 14, -64), R(add, 14, 14, 7),
                         I(lw, 12, 14, 0),     EXIT_WELL };
    (void)state;
    for (u32 staged = 0; staged < 2; staged++) {
        struct sm sm = sm_make(1, 32, 10, 10);
        if (staged)
            sm_stage(&sm, modern);
        sm = sm_with_constants(sm, 10);
        sm_go(&sm, TEXT(text));
        assert_int_equal(bench_stat(sm.constant, "reads"), 2);
        assert_int_equal(bench_stat(sm.l1, "reads"), 2);
        assert_int_equal(sm.subcores[0]->s.accesses, 2);
        bench_destroy(sm.sim);
    }
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

/* ---- Banks, lines and sectors ---- */

/* A shallow pipe, with what comes back at 512 bits per cycle by passes, as an H200's. */
static struct sm sm_plain(u32 subcores)
{
    static const struct setting settings[] = { { "pipe_return", 64 },
                                               { "pipe_scratch_return", 64 },
                                               { 0 } };
    struct sm sm = sm_make(subcores, 32, 10, 10);
    sm_stage(&sm, settings);
    for (u32 i = 0; i < subcores; i++)
        bench_set_choice(&sm.subcores[i]->base, "pipe_return_by", "passes");
    return sm;
}

static u64 divisor(u64 a, u64 b)
{
    return b ? divisor(b, a % b) : a;
}

static void further_conflict_takes_two_cycles_to_return(void **state)
{
    (void)state;
    for (u64 stride = 1; stride <= 32; stride++) {
        u64 words =
            distance(sm_plain(1), (int)(4 * stride), NOP, I(lw, 12, 4, 0), R(add, 13, 12, 12));
        u64 doubles =
            distance(sm_plain(1), (int)(8 * stride), NOP, I(ld, 12, 4, 0), R(add, 13, 12, 12));
        /* Read one cycle after issue, four on the way, ten inside, two back for each pass. */
        assert_int_equal(words, 5 + 10 + 2 * divisor(stride, 32));
        assert_int_equal(doubles, 5 + 10 + 2 * divisor(2 * stride, 32));
    }
}

/* Cycles from the issue of the first of two loads of words that lie in one bank to the use of the
 * second one's result, if wide ones keep the way to the registers for so many cycles more. */
static u64 two_loads(u64 further, u32 base, u32 first, u32 second)
{
    const u32 text[] = { ADDRESSES(128), I(ld, 11, base, 0), I(ld, 11, base, 0),
                         FENCE_LESS,     READ_CYCLE(8),      first,
                         second,         R(add, 14, 13, 13), READ_CYCLE(9),
                         EXIT_WELL };
    struct sm sm = sm_plain(1);
    bench_set(&sm.subcores[0]->base, "pipe_return_wide", further);
    sm_go(&sm, TEXT(text));
    u64 cycles = x_of(&sm, 0, 0, 9) - x_of(&sm, 0, 0, 8);
    bench_destroy(sm.sim);
    return cycles;
}

static void wide_load_keeps_the_way_back_for_longer(void **state)
{
    (void)state;
    for (u64 further = 1; further <= 3; further++) {
        for (u32 base = 4; base <= 5; base++) { /* the scratchpad, and memory */
            u32 word = I(lw, 12, base, 0), wide = I(ld, 12, base, 0), next = I(lw, 13, base, 0);
            u64 late = base == 5 ? further : 0;
            assert_int_equal(two_loads(further, base, word, next), two_loads(0, base, word, next));
            assert_int_equal(two_loads(further, base, wide, next),
                             two_loads(0, base, wide, next) + late);
        }
    }
}

/* How long one access has a structure. */
static u64 busy_check(struct sm sm, int stride, u32 access, const char *stat)
{
    const u32 text[] = { ADDRESSES(stride), access, EXIT_WELL };
    sm_go(&sm, TEXT(text));
    u64 busy = bench_stat(sm.lsu, stat);
    bench_destroy(sm.sim);
    return busy;
}

/* Four lines are looked up per cycle. */
static void access_has_the_l1_for_conflicts_and_lines(void **state)
{
    (void)state;
    for (u64 stride = 1; stride <= 32; stride++) {
        u64 lines = (31 * 4 * stride + 4 + 127) / 128, doubles = (31 * 8 * stride + 8 + 127) / 128;
        u64 word = busy_check(sm_plain(1), (int)(4 * stride), I(lw, 12, 5, 0), "busy_l1");
        u64 pair = busy_check(sm_plain(1), (int)(8 * stride), I(ld, 12, 5, 0), "busy_l1");
        assert_int_equal(word, max_u64(divisor(stride, 32), (lines + 3) / 4));
        assert_int_equal(pair, max_u64(divisor(2 * stride, 32), (min_u64(doubles, 32) + 3) / 4));
    }
    assert_int_equal(busy_check(sm_plain(1), 20, I(lw, 12, 5, 0), "busy_l1"), 2);
}

static void same_word_is_no_conflict_but_for_atomics(void **state)
{
    (void)state;
    assert_int_equal(busy_check(sm_plain(1), 0, I(lw, 12, 4, 0), "busy_scratch"), 1);
    assert_int_equal(busy_check(sm_plain(1), 1, I(lb, 12, 4, 0), "busy_scratch"), 1);
    assert_int_equal(busy_check(sm_plain(1), 128, S(sw, 10, 4, 0), "busy_scratch"), 32);
    assert_int_equal(busy_check(sm_plain(1), 4, R(amoadd_w, 12, 4, 6), "busy_scratch"), 1);
    assert_int_equal(busy_check(sm_plain(1), 0, R(amoadd_w, 12, 4, 6), "busy_scratch"), 32);
}

/* As an H200: a sector takes a cycle of the way below, and a line in which not whole sectors are
 * stored one more (bench/silicon/h200.csv, stores: 40.6 cycles for 32 sectors in 8 lines). */
static struct sm sm_below(void)
{
    struct sm sm = sm_plain(1);
    bench_set(sm.lsu, "write_sector", 1);
    bench_set(sm.lsu, "write_head", 1);
    bench_set(&sm.subcores[0]->base, "atomics_together", 1);
    return sm;
}

static void writes_take_the_way_below_for_sectors_and_lines(void **state)
{
    static const struct {
        int stride;
        u64 stored, added;
    } rows[] = { { 4, 4, 5 },    { 8, 10, 10 },  { 16, 20, 20 },
                 { 32, 40, 40 }, { 64, 48, 48 }, { 128, 64, 64 } };
    (void)state;
    for (u32 i = 0; i < LENGTH(rows); i++) {
        int stride = rows[i].stride;
        assert_int_equal(busy_check(sm_below(), stride, S(sw, 10, 5, 0), "busy_below"),
                         rows[i].stored);
        assert_int_equal(busy_check(sm_below(), stride, R(amoadd_w, 12, 5, 6), "busy_below"),
                         rows[i].added);
    }
    assert_int_equal(busy_check(sm_below(), 1, S(sb, 10, 5, 0), "busy_below"), 2);
    assert_int_equal(busy_check(sm_below(), 8, S(sd, 10, 5, 0), "busy_below"), 8);
    assert_int_equal(busy_check(sm_below(), 0, R(amoadd_w, 12, 5, 6), "busy_below"), 64);
    assert_int_equal(busy_check(sm_below(), 32, I(lw, 12, 5, 0), "busy_below"), 0);
    assert_int_equal(busy_check(sm_below(), 32, S(sw, 10, 4, 0), "busy_below"), 0);
}

static struct sm sm_sectors(void)
{
    struct sm sm = sm_plain(1);
    bench_set_choice(sm.lsu, "latch", "sm");
    bench_set(sm.lsu, "conflicts", 0);
    bench_set(sm.lsu, "lookups", 0);
    bench_set(sm.lsu, "sectors", 4);
    return sm;
}

/* As Accel-Sim has it: four sectors per cycle, whatever words of them. */
static void baseline_counts_sectors(void **state)
{
    (void)state;
    assert_int_equal(busy_check(sm_sectors(), 4, I(lw, 12, 5, 0), "busy_l1"), 1);
    assert_int_equal(busy_check(sm_sectors(), 8, I(lw, 12, 5, 0), "busy_l1"), 2);
    assert_int_equal(busy_check(sm_sectors(), 32, I(lw, 12, 5, 0), "busy_l1"), 8);
    assert_int_equal(busy_check(sm_sectors(), 128, I(lw, 12, 5, 0), "busy_l1"), 8);
    assert_int_equal(busy_check(sm_sectors(), 128, I(lw, 12, 4, 0), "busy_scratch"), 32);
}

static struct sm sm_coalescing(const char *blocks)
{
    static const struct setting settings[] = { { "sends", 64 }, { 0 } };
    struct sm sm = sm_make(1, 32, 10, 10);
    sm_stage(&sm, settings);
    bench_set_words(&sm.subcores[0]->base, "pipe_arbiter", "");
    bench_set_choice(&sm.subcores[0]->base, "pipe_coalesce", blocks);
    return sm;
}

/* From the scratchpad, which has all of them in the same cycle. */
static void address_stage_finds_one_block_per_cycle(void **state)
{
    u32 load = I(lw, 12, 4, 0), use = R(add, 13, 12, 12);
    (void)state;
    assert_int_equal(distance(sm_coalescing("free"), 32, NOP, load, use), 3 + 10);
    assert_int_equal(distance(sm_coalescing("lines"), 32, NOP, load, use), 3 + 10 + 7);
    assert_int_equal(distance(sm_coalescing("sectors"), 32, NOP, load, use), 3 + 10 + 31);
    assert_int_equal(distance(sm_coalescing("sectors"), 4, NOP, load, use), 3 + 10 + 3);
}

/* ---- Who waits for whom ---- */

/* Two loads with 32 conflicts in the L1, then one from the scratchpad, x4 for all threads: cycles
 * until the latter's result can be read. */
static u64 behind_conflicts(const char *latch)
{
    const u32 text[] = { ADDRESSES(128),     R(sub, 4, 4, 7),    I(lw, 12, 5, 0), I(lw, 13, 5, 4),
                         R(add, 12, 12, 13), READ_CYCLE(8),      I(lw, 12, 5, 0), I(lw, 13, 5, 4),
                         I(lw, 14, 4, 0),    R(add, 14, 14, 14), READ_CYCLE(9),   EXIT_WELL };
    struct sm sm = sm_make(1, 32, 10, 10);
    sm_stage(&sm, NULL);
    bench_set_choice(sm.lsu, "latch", latch);
    sm_go(&sm, TEXT(text));
    u64 cycles = x_of(&sm, 0, 0, 9) - x_of(&sm, 0, 0, 8) - 4;
    bench_destroy(sm.sim);
    return cycles;
}

/* The first load asks in cycle 1 after its issue and has the L1 for 32 cycles from the next on;
 * the third would be granted the scratchpad two cycles after the first has the L1. */
static void access_passes_those_for_another_structure(void **state)
{
    (void)state;
    assert_int_equal(behind_conflicts("structure"), 5 + 10);
    assert_int_equal(behind_conflicts("user"), 5 + 10 + 30);
    assert_int_equal(behind_conflicts("sm"), 5 + 10 + 62);
}

/* Four sub-cores with four loads each: one access to the scratchpad per cycle in all, and each has
 * its last one so many cycles after the sub-core before it. */
static void turns_check(bool greedy, u64 apart)
{
    const u32 text[] = { ADDRESSES(4),    I(lw, 12, 4, 0),    I(lw, 13, 4, 0), I(lw, 14, 4, 0),
                         I(lw, 15, 4, 0), R(add, 16, 15, 15), READ_CYCLE(9),   EXIT_WELL };
    struct sm sm = sm_make(4, 32, 10, 10);
    sm_stage(&sm, NULL);
    bench_set(sm.lsu, "scratch_greedy", greedy);
    sm_go(&sm, TEXT(text));
    assert_int_equal(bench_stat(sm.lsu, "accesses_scratch"), 16);
    assert_int_equal(bench_stat(sm.lsu, "busy_scratch"), 16);
    /* Four ask in each of four cycles; one has it in each of sixteen. */
    assert_int_equal(bench_stat(sm.lsu, "waited_scratch"), 120 - 4 * (0 + 1 + 2 + 3));
    for (u32 i = 1; i < 4; i++)
        assert_int_equal(x_of(&sm, i, 0, 9), x_of(&sm, 0, 0, 9) + apart * i);
    bench_destroy(sm.sim);
}

static void subcores_take_turns(void **state)
{
    (void)state;
    turns_check(false, 1);
}

static void a_subcore_may_keep_its_turn(void **state)
{
    (void)state;
    turns_check(true, 4);
}

static void arbiter_must_be_there(void **state)
{
    (void)state;
    struct sm sm = sm_make(1, 32, 10, 10);
    bench_set_words(&sm.subcores[0]->base, "pipe_arbiter", "lsu");
    bench_init_refused(&sm.subcores[0]->base, "set pipe: staged");
    bench_set_choice(&sm.subcores[0]->base, "pipe", "staged");
    bench_destroy(sm.sim);
    sm = sm_make(1, 32, 10, 10);
    sm_stage(&sm, NULL);
    bench_set_words(&sm.subcores[0]->base, "pipe_arbiter", "lsy");
    bench_init_refused(&sm.subcores[0]->base, "did you mean 'lsu'");
    bench_destroy(sm.sim);
}

/* ---- Atomics of a warp ---- */

/* Requests that an addition to words that are `stride` bytes apart is sent as. */
static u64 atomic_pieces(int stride, u32 base, u32 atomic, bool together)
{
    const u32 text[] = { ADDRESSES(stride), R(add, 14, base, 0), atomic, EXIT_WELL };
    struct sm sm = sm_plain(1);
    bench_set(&sm.subcores[0]->base, "atomics_together", together);
    sm_go(&sm, TEXT(text));
    u64 pieces = bench_stat(&sm.subcores[0]->base, "pieces");
    bench_destroy(sm.sim);
    return pieces;
}

static void atomics_in_a_sector_travel_together(void **state)
{
    u32 word = R(amoadd_w, 12, 14, 6), pair = R(amoadd_d, 12, 14, 6);
    (void)state;
    assert_int_equal(atomic_pieces(4, 5, word, false), 32);
    assert_int_equal(atomic_pieces(4, 5, word, true), 4);
    assert_int_equal(atomic_pieces(8, 5, pair, true), 8);
    assert_int_equal(atomic_pieces(32, 5, word, true), 32);
    assert_int_equal(atomic_pieces(0, 5, word, true), 32); /* on one word: each on its own */
    assert_int_equal(atomic_pieces(4, 4, word, true), 4);
    assert_int_equal(atomic_pieces(4, 5, I(lr_w, 12, 14, 0), true), 32);
}

/* Old values are those that threads before have left. */
static void atomics_on_one_word_go_in_order(void **state)
{
    const u32 text[] = { ADDRESSES(0), SET(6, 3), R(amoadd_w, 12, 5, 6), R(add, 13, 12, 12),
                         EXIT_WELL };
    (void)state;
    struct sm sm = sm_plain(1);
    bench_set(&sm.subcores[0]->base, "atomics_together", 1);
    sm_go(&sm, TEXT(text));
    for (u32 thread = 0; thread < 32; thread++)
        assert_int_equal(x_of(&sm, 0, thread, 13), 2 * 3 * thread);
    bench_destroy(sm.sim);
}

/* ---- Same results whatever the pipe ---- */

#define PROGRAM_LENGTH 160
#define RESULTS        10

/* Each thread loads and stores within 256 bytes of its own in memory (x5) and 64 in the scratchpad
 * (x4), at random offsets, and changes its word among its neighbours' (x16); all add to the same
 * word (x3), whose old values nobody looks at. */
static u32 program_write(u32 *text, u64 *random)
{
    const u32 start[] = { SET(6, 256),  R(mul, 7, 10, 6),  U(lui, 5, 4),      R(add, 5, 5, 7),
                          SET(4, 0x7e), I(slli, 4, 4, 40), I(slli, 7, 10, 6), R(add, 4, 4, 7),
                          U(lui, 3, 2), I(slli, 7, 10, 2), R(add, 16, 3, 7),  I(addi, 16, 16, 64) };
    const u32 end[] = { FENCE, EXIT_WELL };
    u32 count = 0;
    for (u32 i = 0; i < LENGTH(start); i++)
        text[count++] = start[i];
    for (u32 i = 0; i < PROGRAM_LENGTH; i++) {
        u32 x = 18 + (u32)random_below(random, RESULTS),
            y = 18 + (u32)random_below(random, RESULTS);
        int far = 8 * (int)random_below(random, 32), near = 8 * (int)random_below(random, 8);
        const u32 codes[] = { I(ld, x, 5, far),      I(lw, x, 5, far + 4),
                              S(sd, x, 5, far),      S(sb, x, 5, far),
                              I(ld, x, 4, near),     S(sw, x, 4, near),
                              R(add, x, y, 10),      I(addi, x, y, 77),
                              R(amoadd_w, 0, 3, x),  R(amoadd_w, x, 16, y),
                              R(amomax_w, x, 16, y), R(amoxor_d, x, 5, y),
                              R(amoadd_w, x, 4, y),  FENCE };
        text[count++] = codes[random_below(random, LENGTH(codes))];
    }
    for (u32 i = 0; i < LENGTH(end); i++)
        text[count++] = end[i];
    return count;
}

static void results_of(struct sm sm, const u32 *text, u32 count, u64 *results)
{
    sm_go(&sm, text, count);
    for (u32 subcore = 0; subcore < 2; subcore++)
        for (u32 thread = 0; thread < 16; thread++)
            for (u32 i = 0; i < RESULTS; i++)
                *results++ = x_of(&sm, subcore, thread, 18 + i);
    bench_destroy(sm.sim);
}

static struct sm sm_random(u32 kind)
{
    static const char *const latches[] = { "structure", "user", "sm" };
    static const struct setting shallow[] = { { "queue", 1 }, { "pipe_buffer", 1 }, { 0 } };
    struct sm sm = sm_make(2, 16, 10, 10);
    bench_set(&sm.subcores[0]->base, "requests", 8);
    if (!kind)
        return sm;
    sm_stage(&sm, kind % 2 ? modern : shallow);
    bench_set_choice(sm.lsu, "latch", latches[kind % 3]);
    for (u32 i = 0; i < sm.count; i++)
        bench_set(&sm.subcores[i]->base, "atomics_together", kind > 3);
    return sm;
}

static void results_do_not_depend_on_the_pipe(void **state)
{
    static u64 first[2 * 16 * RESULTS], next[2 * 16 * RESULTS];
    (void)state;
    for (u64 seed = 1; seed <= 12; seed++) {
        u32 text[PROGRAM_LENGTH + 32];
        u64 random = seed;
        u32 count = program_write(text, &random);
        results_of(sm_random(0), text, count, first);
        for (u32 kind = 1; kind <= 6; kind++) {
            results_of(sm_random(kind), text, count, next);
            assert_memory_equal(first, next, sizeof first);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(modern_loads_take_what_was_measured),
        bench_test_all_ways(modern_constant_takes_what_was_measured),
        bench_test_all_ways(constants_are_given_word_by_word),
        bench_test_all_ways(threads_part_where_constants_end),
        bench_test_all_ways(modern_stores_read_when_it_was_measured),
        bench_test_all_ways(modern_queue_takes_five_and_then_one_per_interval),
        bench_test_all_ways(further_conflict_takes_two_cycles_to_return),
        bench_test_all_ways(wide_load_keeps_the_way_back_for_longer),
        bench_test_all_ways(access_has_the_l1_for_conflicts_and_lines),
        bench_test_all_ways(same_word_is_no_conflict_but_for_atomics),
        bench_test_all_ways(writes_take_the_way_below_for_sectors_and_lines),
        bench_test_all_ways(baseline_counts_sectors),
        bench_test_all_ways(address_stage_finds_one_block_per_cycle),
        bench_test_all_ways(access_passes_those_for_another_structure),
        bench_test_all_ways(subcores_take_turns),
        bench_test_all_ways(a_subcore_may_keep_its_turn),
        bench_test_all_ways(arbiter_must_be_there),
        bench_test_all_ways(atomics_in_a_sector_travel_together),
        bench_test_all_ways(atomics_on_one_word_go_in_order),
        bench_test_all_ways(results_do_not_depend_on_the_pipe),
    };
    return cmocka_run_group_tests_name("subcore_memory", tests, NULL, NULL);
}
