/* core_random.c - random programs on random chips: every thread-cycle is accounted for, one thread
 * computes what the interpreter computes, and nothing depends on how the chip is run. */
#include <stdio.h>
#include <string.h>

#include "isa/interp.h"
#include "unit/writer.h"

extern const struct unit_type unit_type_memory, unit_type_sfu, unit_type_threads,
    unit_type_scratchpad;

/* ---- Programs ---- */

#define DATA_BASE  0x1000
#define DATA_BYTES 2048

/* x3: data; x4: loop counter; x16: an address; x2, x10 and x17 as the start and the end want. */
enum { X_DATA = 3, X_LOOP = 4, X_ADDRESS = 16 };

/* A register to compute with: x5-x9 or x18-x27; sometimes x0. */
static u32 any_x(struct writer *w)
{
    u32 n = below(w, 16);
    return n == 15 ? 0 : n < 5 ? 5 + n : 13 + n;
}

static u32 any_f(struct writer *w)
{
    return below(w, 12);
}

static void add_integer(struct writer *w)
{
    u32 d = any_x(w), s = any_x(w), t = any_x(w);
    const u32 codes[] = { R(add, d, s, t),       R(sub, d, s, t),
                          R(xor, d, s, t),       R(and, d, s, t),
                          R(sltu, d, s, t),      R(sll, d, s, t),
                          R(srl, d, s, t),       R(addw, d, s, t),
                          R(mul, d, s, t),       R(mulhu, d, s, t),
                          R(mulw, d, s, t),      R(div, d, s, t),
                          R(remuw, d, s, t),     I(addi, d, s, (int)below(w, 4096) - 2048),
                          I(ori, d, s, 85),      U(lui, d, (int)below(w, 1 << 19)),
                          I(csrrs, d, 0, 0xc02), I(csrrs, d, 0, 3) };
    add(w, codes[below(w, LENGTH(codes))]);
}

static void add_float(struct writer *w)
{
    u32 d = any_f(w), s = any_f(w), t = any_f(w), x = any_x(w);
    const u32 codes[] = { R(fadd_d, d, s, t),
                          R(fmul_s, d, s, t),
                          R(fdiv_d, d, s, t),
                          R(fsqrt_s, d, s, 0),
                          R4(fmadd_d, d, s, t, any_f(w)),
                          R(fcvt_d_l, d, x, 2),
                          R(fcvt_d_l, d, x, 0),
                          R(fmv_d_x, d, x, 0),
                          R(fmv_x_d, x, s, 0),
                          R(flt_d, x, s, t),
                          R(fsgnj_d, d, s, t) };
    add(w, codes[below(w, LENGTH(codes))]);
}

static void add_access(struct writer *w)
{
    u32 x = any_x(w), f = any_f(w);
    int at = 8 * (int)below(w, DATA_BYTES / 8 - 1);
    const u32 codes[] = { I(ld, x, X_DATA, at),      I(lw, x, X_DATA, at + 4),
                          I(lbu, x, X_DATA, at + 3), I(fld, f, X_DATA, at),
                          I(flw, f, X_DATA, at + 4), S(sd, x, X_DATA, at),
                          S(sw, x, X_DATA, at + 4),  S(sb, x, X_DATA, at + 7),
                          S(fsd, f, X_DATA, at),     S(sh, x, X_DATA, at + 2) };
    add(w, codes[below(w, LENGTH(codes))]);
}

static void add_atomic(struct writer *w)
{
    u32 d = any_x(w), t = any_x(w);
    int at = 8 * (int)below(w, 32); /* few, so that threads meet */
    const u32 codes[] = { R(amoadd_d, d, X_ADDRESS, t), R(amoswap_w, d, X_ADDRESS, t),
                          R(amoxor_w, d, X_ADDRESS, t), R(amomin_d, d, X_ADDRESS, t),
                          R(amomaxu_w, d, X_ADDRESS, t) };
    add(w, I(addi, X_ADDRESS, X_DATA, at));
    if (below(w, 3)) {
        add(w, codes[below(w, LENGTH(codes))]);
        return;
    }
    add(w, I(lr_d, d, X_ADDRESS, 0));
    add(w, R(sc_d, any_x(w), X_ADDRESS, t));
}

/* What the interpreter does not have: private memory, the scratchpad, numbers. */
static void add_special(struct writer *w)
{
    u32 x = any_x(w);
    int at = -8 * (int)(1 + below(w, 8));
    const u32 codes[] = { S(sd, x, 2, at), I(ld, x, 2, at), NEXT(x), I(csrrs, x, 0, 0xc00) };
    u32 which = below(w, LENGTH(codes) + 1);
    if (which < LENGTH(codes)) {
        add(w, codes[which]);
        return;
    }
    add(w, SET(X_ADDRESS, 0x7e));
    add(w, I(slli, X_ADDRESS, X_ADDRESS, 40));
    add(w, below(w, 2) ? S(sd, x, X_ADDRESS, 8 * (int)below(w, 16)) : I(ld, x, X_ADDRESS, 64));
}

/* What a run is made of, and now and then a store or another rounding mode. */
static void add_plain(struct writer *w)
{
    u32 d = any_x(w), s = any_x(w), t = any_x(w), f = any_f(w), g = any_f(w), h = any_f(w);
    const u32 codes[] = { R(add, d, s, t),
                          R(xor, d, s, t),
                          R(sll, d, s, t),
                          I(addi, d, s, 77),
                          R(fmul_s, f, g, h) | 7u << 12,
                          R(fadd_d, f, g, h) | 7u << 12,
                          R(fcvt_d_l, f, s, 0) | 7u << 12,
                          R(fmv_d_x, f, s, 0),
                          R(flt_d, d, g, h),
                          R4(fmadd_d, f, g, h, f),
                          S(sd, s, X_DATA, 64),
                          I(csrrwi, 0, below(w, 5), 2) };
    add(w, codes[below(w, LENGTH(codes))]);
}

static void add_something(struct writer *w)
{
    u32 kind = below(w, w->alone ? 20 : 24);
    if (w->plain && below(w, 8))
        add_plain(w);
    else if (w->crowded && below(w, 4))
        add_access(w);
    else if (kind < 8)
        add_integer(w);
    else if (kind < 12)
        add_float(w);
    else if (kind < 17)
        add_access(w);
    else if (kind < 19)
        add_atomic(w);
    else if (kind < 20)
        add(w, below(w, 4) ? NOP : FENCE);
    else
        add_special(w);
}

/* Over the next few, if the registers say so. */
static void add_branch(struct writer *w)
{
    u32 at = w->count;
    add(w, 0);
    for (u32 i = 1 + below(w, 4); i; i--)
        add_something(w);
    int over = (int)(w->count - at);
    u32 s = any_x(w), t = any_x(w);
    const u32 codes[] = { B(beq, s, t, over), B(bltu, s, t, over), B(bge, s, t, over),
                          J(jal, 1, over) };
    w->text[at] = codes[below(w, LENGTH(codes))];
}

struct plan {
    u64 seed;
    u32 cores, threads;
    bool alone;
    bool watched;  /* the other cores are profiled; of crowded ones, all instead of none */
    bool together; /* in one domain: windows are long, and answers come in the midst of them */
    bool plain;    /* all but memory and other units takes one cycle; long stretches only compute */
    bool crowded;  /* most instructions go to memory, and cores are usual ones if not watched */
};

static void write_program(struct writer *w, const struct plan *plan)
{
    bool alone = plan->alone;
    *w = (struct writer){
        .random = plan->seed, .alone = alone, .plain = plan->plain, .crowded = plan->crowded
    };
    add(w, U(lui, X_DATA, DATA_BASE >> 12));
    for (u32 x = 5; x < 28; x++)
        if (x < 10 || x >= 18)
            add(w, I(addi, x, alone ? 0 : 10, (int)below(w, 4096) - 2048));
    for (u32 loops = 1 + below(w, 3); loops; loops--) {
        add(w, SET(X_LOOP, 1 + (int)below(w, 6)));
        u32 top = w->count;
        for (u32 i = 5 + below(w, 20); i; i--) {
            if (below(w, 5))
                add_something(w);
            else
                add_branch(w);
        }
        add(w, I(addi, X_LOOP, X_LOOP, -1));
        add(w, B(bne, X_LOOP, 0, (int)top - (int)w->count));
    }
    if (alone || below(w, 2))
        add(w, FENCE); /* else threads end with answers still to come */
    add(w, SET(10, 0));
    add(w, SET(17, CALL_EXIT));
    add(w, I(ecall, 0, 0, 0));
}

/* ---- Chips ---- */

#define CORES_MAX 4
#define TABLE_MAX 512

struct built {
    struct sim *sim;
    struct core *cores[CORES_MAX];
    struct unit *memory, *mul, *div, *pad, *numbers;
};

/* The table must outlive the chip. */
static char tables[CORES_MAX][TABLE_MAX];

static void write_table(char *table, u64 *random, bool fetches, bool plain)
{
    static const char *const classes[] = { "int_add", "int_logic", "int_shift", "branch", "jump",
                                           "fp_add",  "fp_mul",    "fp_move",   "csr" };
    int length = snprintf(table, TABLE_MAX,
                          "load: memory, int_mul: mul, int_div: div, fp_div: div, scratch: pad, "
                          "custom.next: numbers");
    if (fetches)
        length += snprintf(table + length, TABLE_MAX - (size_t)length, ", fetch: text");
    for (u32 i = 0; i < LENGTH(classes) && !plain; i++)
        if (random_below(random, 2))
            length += snprintf(table + length, TABLE_MAX - (size_t)length, ", %s: %u cycles",
                               classes[i], (u32)(1 + random_below(random, 6)));
}

static u32 any_capacity(u64 *random)
{
    return UINT32_C(1) << random_below(random, 4);
}

static void add_units(struct built *b, struct domain *domain, u64 *random)
{
    b->memory = bench_unit(b->sim, domain, &unit_type_memory, NO_CLOCK);
    bench_set(b->memory, "latency", 1 + random_below(random, 40));
    bench_set(b->memory, "width", 1 + random_below(random, 3));
    bench_set(b->memory, "depth", 1 + random_below(random, 64));
    b->mul = bench_unit(b->sim, domain, &unit_type_sfu, NO_CLOCK);
    bench_set(b->mul, "latency", 1 + random_below(random, 8));
    bench_set(b->mul, "width", 1 + random_below(random, 3));
    b->div = bench_unit(b->sim, domain, &unit_type_sfu, NO_CLOCK);
    bench_set(b->div, "latency", 1 + random_below(random, 30));
    bench_set(b->div, "interval", 1 + random_below(random, 10));
    b->pad = bench_unit(b->sim, domain, &unit_type_scratchpad, NO_CLOCK);
    bench_set(b->pad, "banks", 1 + random_below(random, 8));
    bench_set(b->pad, "latency", 1 + random_below(random, 20));
    b->numbers = bench_unit(b->sim, domain, &unit_type_threads, NO_CLOCK);
}

static void add_core(struct built *b, u32 number, const struct plan *plan, struct domain *domain,
                     u64 *random, bool fetches)
{
    struct core *core = b->cores[number] = bench_core(b->sim, domain, plan->threads);
    struct unit *unit = &core->base;
    unit->ordinal = number;
    bool greedy = random_below(random, 2) && !plan->crowded;
    bench_set_choice(unit, "policy", greedy ? "greedy" : "round_robin");
    bench_set(unit, "outstanding", 1 + random_below(random, 16));
    bench_set(unit, "stack_latency", 1 + random_below(random, plan->crowded ? 2 : 5));
    bool half = random_below(random, 2);
    if (plan->crowded ? plan->watched : half != plan->watched)
        bench_core_profile(core);
    struct {
        const char *name;
        struct unit *unit;
    } peers[] = { { "memory", b->memory }, { "mul", b->mul },         { "div", b->div },
                  { "pad", b->pad },       { "numbers", b->numbers }, { "text", b->memory } };
    for (u32 i = 0; i < LENGTH(peers); i++)
        bench_core_ask_unit(b->sim, core, peers[i].name, peers[i].unit, "users",
                            1 + (u32)random_below(random, 12), any_capacity(random));
    write_table(tables[number], random, fetches, plan->plain);
    bench_core_execute(core, tables[number]);
}

static struct built build(const struct plan *plan)
{
    static struct writer writer;
    struct built b = { .sim = bench_create() };
    u64 random = plan->seed ^ UINT64_C(0x5eed);
    bool fetches = random_below(&random, 2) && !plan->plain && !plan->crowded;
    struct domain *domain = bench_domain(b.sim);
    add_units(&b, domain, &random);
    for (u32 i = 0; i < plan->cores; i++)
        add_core(&b, i, plan, plan->together ? domain : bench_domain(b.sim), &random, fetches);
    bench_init(b.memory);
    bench_init(b.mul);
    bench_init(b.div);
    bench_init(b.pad);
    bench_init(b.numbers);
    write_program(&writer, plan);
    const struct chip_program *program =
        bench_program(b.sim, writer.text, writer.count, plan->cores * plan->threads);
    for (u32 i = 0; i < plan->cores; i++)
        bench_core_start(b.cores[i], program);
    return b;
}

static void finish(struct built *b, const struct plan *plan)
{
    enum sim_end end = bench_finish(b->sim);
    if (end != SIM_FINISHED)
        fail_msg("seed %llu ended with %d, fault %d", (unsigned long long)plan->seed, end,
                 b->cores[0]->output.fault.kind);
    for (u32 i = 0; i < plan->cores; i++)
        bench_core_settle(b->cores[i], sim_chip(b->sim)->ended_at);
}

/* ---- The tests ---- */

static const u32 thread_counts[] = { 1, 2, 3, 8, 16 };

static void every_thread_cycle_is_accounted_for(void **state)
{
    (void)state;
    for (u64 seed = 0; seed < 150; seed++) {
        struct plan plan = { seed,
                             1 + (u32)(seed % CORES_MAX),
                             thread_counts[seed % LENGTH(thread_counts)],
                             false,
                             false,
                             false,
                             false,
                             false };
        struct built b = build(&plan);
        bench_seal(b.sim, (struct sim_options){ 0 });
        finish(&b, &plan); /* settles, and there it is checked */
        bench_destroy(b.sim);
    }
}

static void accounts_are_exact_at_any_time(void **state)
{
    (void)state;
    for (u64 seed = 1000; seed < 1030; seed++) {
        struct plan plan = { seed, 2, 4, false, false, false, false, false };
        struct built b = build(&plan);
        bench_seal(b.sim, (struct sim_options){ 0 });
        for (cycle at = 0; bench_run(b.sim, at) == SIM_REACHED; at += 1 + seed % 97)
            for (u32 i = 0; i < plan.cores; i++)
                bench_core_settle(b.cores[i], at);
        finish(&b, &plan);
        bench_destroy(b.sim);
    }
}

static void interpret(struct interp *interp, const struct built *b, u8 *memory)
{
    const struct core *core = b->cores[0];
    *interp = (struct interp){
        .program = core->program->text,
        .environment.isa = isa_shared(),
        .memory = memory,
        .base = 0,
        .size = DATA_BASE + 2 * DATA_BYTES,
    };
    hart_init(&interp->hart, TEXT_BASE);
    interp->hart.x[2] = STACK_WINDOW + core->p.stack;
    interp->hart.x[11] = 1;
    interp->hart.x[13] = 1;
    assert_int_equal(interp_run(interp, 1000000), INTERP_ECALL);
}

static void one_thread_computes_what_the_interpreter_does(void **state)
{
    (void)state;
    for (u64 seed = 2000; seed < 2200; seed++) {
        static u8 memory[DATA_BASE + 2 * DATA_BYTES];
        struct plan plan = { seed, 1, 1, true, false, false, false, false };
        struct built b = build(&plan);
        struct interp interp;
        memset(memory, 0, sizeof memory);
        interpret(&interp, &b, memory);
        bench_seal(b.sim, (struct sim_options){ 0 });
        finish(&b, &plan);
        const struct hart *hart = &b.cores[0]->threads[0].hart;
        for (u32 i = 0; i < 64; i++)
            if (hart->r[i] != interp.hart.r[i])
                fail_msg("seed %llu: register %u", (unsigned long long)seed, i);
        assert_int_equal(hart->fcsr, interp.hart.fcsr);
        assert_int_equal(hart->pc, interp.hart.pc);
        assert_int_equal(b.cores[0]->s.issued, interp.environment.instret + 1);
        u64 length;
        const u8 *stored = unit_type_memory.stored(b.memory, 0, &length);
        assert_memory_equal(stored, memory, sizeof memory);
        bench_destroy(b.sim);
    }
}

/* All that a run leaves behind. */
struct outcome {
    cycle ended_at;
    u8 stats[CORES_MAX][sizeof((struct core *)0)->s];
    u64 registers[CORES_MAX][16][REGISTER_NONE];
    u64 units[6];
    u8 memory[DATA_BASE + DATA_BYTES];
};

/* A report in the middle is one more thing that must not matter. */
static void run_plan(const struct plan *plan, struct sim_options options, cycle report,
                     struct outcome *outcome)
{
    struct built b = build(plan);
    bench_seal(b.sim, options);
    if (report && bench_run(b.sim, report) == SIM_REACHED)
        for (u32 i = 0; i < plan->cores; i++)
            bench_report(&b.cores[i]->base, report);
    finish(&b, plan);
    u64 length;
    memset(outcome, 0, sizeof *outcome);
    outcome->ended_at = sim_chip(b.sim)->ended_at;
    for (u32 i = 0; i < plan->cores; i++) {
        memcpy(outcome->stats[i], &b.cores[i]->s, sizeof b.cores[i]->s);
        for (u32 t = 0; t < plan->threads; t++)
            memcpy(outcome->registers[i][t], b.cores[i]->threads[t].hart.r,
                   REGISTER_NONE * sizeof(u64));
    }
    outcome->units[0] = bench_stat(b.memory, "reads");
    outcome->units[1] = bench_stat(b.memory, "bytes_written");
    outcome->units[2] = bench_stat(b.mul, "issued");
    outcome->units[3] = bench_stat(b.div, "busy");
    outcome->units[4] = bench_stat(b.pad, "conflicts");
    outcome->units[5] = bench_stat(b.numbers, "given");
    memcpy(outcome->memory, unit_type_memory.stored(b.memory, 0, &length), sizeof outcome->memory);
    bench_destroy(b.sim);
}

static void compare_ways(const struct plan *plan)
{
    static const struct sim_options ways[] = { { .sleepless = true },
                                               { .order = SIM_ORDER_REVERSE },
                                               { .window = 1 },
                                               { .threads = 2 },
                                               { .threads = 3, .order = SIM_ORDER_REVERSE } };
    static struct outcome expected, outcome;
    run_plan(plan, (struct sim_options){ 0 }, 0, &expected);
    for (u32 i = 0; i <= LENGTH(ways); i++) {
        if (i < LENGTH(ways))
            run_plan(plan, ways[i], 0, &outcome);
        else
            run_plan(plan, (struct sim_options){ 0 }, expected.ended_at / 2, &outcome);
        if (memcmp(&expected, &outcome, sizeof outcome) != 0)
            fail_msg("seed %llu, way %u: ended at %llu and %llu", (unsigned long long)plan->seed, i,
                     (unsigned long long)expected.ended_at, (unsigned long long)outcome.ended_at);
    }
}

static void nothing_depends_on_how_it_is_run(void **state)
{
    (void)state;
    for (u64 seed = 3000; seed < 3040; seed++) {
        struct plan plan = { .seed = seed,
                             .cores = 1 + (u32)(seed % CORES_MAX),
                             .threads = thread_counts[seed % LENGTH(thread_counts)] };
        compare_ways(&plan);
    }
}

/* With windows of one cycle, one of the ways, a core does each cycle in a tick of its own. */
static void running_ahead_changes_nothing(void **state)
{
    (void)state;
    for (u64 seed = 5000; seed < 5040; seed++) {
        struct plan plan = { .seed = seed,
                             .cores = 1 + (u32)(seed % CORES_MAX),
                             .threads = thread_counts[seed % LENGTH(thread_counts)],
                             .together = true };
        compare_ways(&plan);
    }
}

/* Stretches without a word to anybody, which threads do at once, with stores under way. */
static void running_plainly_changes_nothing(void **state)
{
    (void)state;
    for (u64 seed = 6000; seed < 6060; seed++) {
        struct plan plan = { .seed = seed,
                             .cores = 1 + (u32)(seed % CORES_MAX),
                             .threads = thread_counts[seed % LENGTH(thread_counts)],
                             .together = seed % 3,
                             .plain = true };
        compare_ways(&plan);
    }
}

/* Threads that wait for room in the port to memory, and begin to before their cycle has come. */
static void waiting_ahead_changes_nothing(void **state)
{
    (void)state;
    for (u64 seed = 7000; seed < 7120; seed++) {
        struct plan plan = { .seed = seed,
                             .cores = 1 + (u32)(seed % CORES_MAX),
                             .threads = thread_counts[seed % LENGTH(thread_counts)],
                             .together = true,
                             .crowded = true };
        compare_ways(&plan);
    }
}

/* A core that is profiled takes the long way of every tick. */
static void short_and_long_ways_agree(void **state)
{
    static struct outcome expected, outcome;
    (void)state;
    for (u64 seed = 4000; seed < 4240; seed++) {
        struct plan plan = { .seed = seed,
                             .cores = 1 + (u32)(seed % CORES_MAX),
                             .threads = thread_counts[seed % LENGTH(thread_counts)],
                             .together = seed % 4,
                             .plain = seed % 4 == 2 || seed % 8 == 7,
                             .crowded = seed % 4 == 3 };
        run_plan(&plan, (struct sim_options){ 0 }, 0, &expected);
        plan.watched = true;
        run_plan(&plan, (struct sim_options){ 0 }, 0, &outcome);
        if (memcmp(&expected, &outcome, sizeof outcome) != 0)
            fail_msg("seed %llu: ended at %llu and %llu", (unsigned long long)seed,
                     (unsigned long long)expected.ended_at, (unsigned long long)outcome.ended_at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(every_thread_cycle_is_accounted_for),
        bench_test(accounts_are_exact_at_any_time),
        bench_test(one_thread_computes_what_the_interpreter_does),
        bench_test(nothing_depends_on_how_it_is_run),
        bench_test(running_ahead_changes_nothing),
        bench_test(running_plainly_changes_nothing),
        bench_test(waiting_ahead_changes_nothing),
        bench_test(short_and_long_ways_agree),
    };
    return cmocka_run_group_tests_name("core_random", tests, NULL, NULL);
}
