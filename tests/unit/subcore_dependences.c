/* subcore_dependences.c - how instructions wait for those before them: scoreboards, and control
 * information worked out from the program; and that nothing of all this changes what a program
 * computes. */
#include <stdio.h>
#include <string.h>

#include "ogive/memory.h"
#include "unit/subcore_stand.h"
#include "unit/writer.h"

extern const struct unit_type unit_type_memory;

static struct stand stand_with(u32 warps, const char *dependences)
{
    struct stand stand = stand_make(warps, 8);
    bench_set_choice(&stand.subcore->base, "dependences", dependences);
    return stand;
}

/* ---- What has yet to be read ---- */

/* A store of two sectors leaves in cycles 3 and 4; the register that it carries is written in
 * between. */
static void register_may_be_written_before_it_is_read(void **state)
{
    const u32 text[] = { I(slli, 5, 10, 3), I(addi, 6, 10, 100), S(sh, 6, 5, 256),
                         SET(6, 0),         READ_CYCLE(8),       EXIT_WELL };
    (void)state;
    for (u32 raw = 0; raw < 2; raw++) {
        struct stand stand = stand_with(1, raw ? "scoreboard_raw" : "scoreboard");
        struct server *memory = join_memory(&stand, 5);
        stand_go(&stand, TEXT(text));
        assert_int_equal(x_of(&stand, 0, 8), raw ? 4 : 5);
        assert_int_equal(stat(&stand, "hazard_store"), raw ? 0 : 1);
        for (u32 i = 0; i < 8; i++)
            assert_int_equal(memory->served[i / 4].message.data.word[i % 4 * 2] & 0xffff, 100 + i);
        bench_destroy(stand.sim);
    }
}

/* ---- Control information ---- */

/* In which cycle the instruction at READ_CYCLE(8) issues, by scoreboard and by control. */
static void both_check(const char *table, const u32 *text, u32 count, u64 scoreboard, u64 control)
{
    for (u32 i = 0; i < 2; i++) {
        struct stand stand = stand_with(1, i ? "control" : "scoreboard");
        struct server *memory = join_memory(&stand, 5);
        memory->delays[1] = 40;
        stand_table(&stand, table);
        stand_go(&stand, text, count);
        assert_int_equal(x_of(&stand, 0, 8), i ? control : scoreboard);
        bench_destroy(stand.sim);
    }
}

static void stall_count_is_latency_minus_distance(void **state)
{
    const u32 next[] = { R(mul, 6, 10, 10), R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL };
    const u32 third[] = { R(mul, 6, 10, 10), NOP, NOP, R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL };
    const u32 none[] = { R(mul, 6, 10, 10), NOP, READ_CYCLE(8), R(add, 7, 6, 6), EXIT_WELL };
    const u32 again[] = { R(mul, 6, 10, 10), SET(6, 1), READ_CYCLE(8), EXIT_WELL };
    const char *table = "int_mul: 6 cycles";
    (void)state;
    both_check(table, TEXT(next), 7, 7);
    both_check(table, TEXT(third), 7, 7);
    both_check(table, TEXT(none), 2, 2);
    both_check(table, TEXT(again), 7, 7);
    both_check("int_mul: 15 cycles", TEXT(next), 16, 16);
    both_check("int_mul: 16 cycles", TEXT(next), 17, 17); /* by a counter */
}

/* A counter is raised in the cycle behind the issue: whoever waits for it comes no earlier. */
static void counter_is_seen_after_two_cycles(void **state)
{
    const u32 text[] = { I(ld, 5, 2, -8), R(add, 6, 5, 5), READ_CYCLE(8), EXIT_WELL };
    const u32 apart[] = { I(ld, 5, 2, -8), NOP, R(add, 6, 5, 5), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    both_check("", TEXT(text), 2, 3);
    both_check("", TEXT(apart), 3, 3);
}

/* A word that is there in cycle 8 and one that is in cycle 44: x10 has the counter of x5, x11 has
 * another one. */
static void results_share_a_counter(void **state)
{
    const u32 same[] = { I(lw, 5, 0, 256), I(lw, 10, 0, 512), R(add, 6, 5, 5), READ_CYCLE(8),
                         EXIT_WELL };
    const u32 other[] = { I(lw, 5, 0, 256), I(lw, 11, 0, 512), R(add, 6, 5, 5), READ_CYCLE(8),
                          EXIT_WELL };
    (void)state;
    both_check("load: memory", TEXT(same), 9, 45);
    both_check("load: memory", TEXT(other), 9, 9);
}

static void stores_share_a_counter(void **state)
{
    /* Eight sectors leave in cycles 2 to 9. */
    const u32 text[] = { I(slli, 5, 10, 5), S(sw, 6, 5, 256), SET(6, 0), READ_CYCLE(8), EXIT_WELL };
    const u32 other[] = { I(slli, 5, 10, 5), S(sw, 6, 5, 256), SET(7, 0), READ_CYCLE(8),
                          EXIT_WELL };
    (void)state;
    both_check("load: memory", TEXT(text), 10, 10);
    both_check("load: memory", TEXT(other), 3, 3);
}

static void branch_leaves_nothing_of_fixed_latency_under_way(void **state)
{
    const u32 text[] = { R(mul, 6, 10, 10), B(beq, 0, 0, 2), NOP, READ_CYCLE(8), EXIT_WELL };
    (void)state;
    both_check("int_mul: 6 cycles", TEXT(text), 2, 6);
}

/* What comes behind a branch knows which counter a register has. */
static void loads_stay_under_way_over_a_branch(void **state)
{
    const u32 text[] = { I(lw, 5, 0, 256), B(beq, 0, 0, 2), NOP,
                         READ_CYCLE(8),    R(add, 6, 5, 5), EXIT_WELL };
    const u32 used[] = { I(lw, 5, 0, 256), B(beq, 0, 0, 2), NOP,
                         R(add, 6, 5, 5),  READ_CYCLE(8),   EXIT_WELL };
    (void)state;
    both_check("load: memory", TEXT(text), 2, 2);
    both_check("load: memory", TEXT(used), 9, 9);
}

/* It may go anywhere. */
static void indirect_jump_waits_for_all(void **state)
{
    const u32 text[] = { U(auipc, 1, 0), I(lw, 5, 0, 256), I(jalr, 0, 1, 16), NOP,
                         READ_CYCLE(8),  EXIT_WELL };
    (void)state;
    both_check("load: memory", TEXT(text), 3, 10);
}

/* A loop is entered with a word under way that its first instructions use: they cannot know. */
static void place_that_is_jumped_to_waits(void **state)
{
    const u32 text[] = { I(lw, 5, 0, 256), J(jal, 0, 2),  R(mul, 5, 10, 10),
                         R(add, 6, 5, 5),  READ_CYCLE(8), EXIT_WELL };
    (void)state;
    both_check("load: memory", TEXT(text), 9, 9);
}

static void control_needs_fixed_latencies(void **state)
{
    (void)state;
    struct stand stand = stand_with(1, "control");
    bench_set_choice(&stand.subcore->base, "operands", "collectors");
    bench_init_refused(&stand.subcore->base, "collectors");
    bench_destroy(stand.sim);
}

/* ---- Random programs ---- */

#define DATA_BASE   0x1000
#define THREAD_DATA 64
#define WARPS       2
#define WIDTH       8
#define DATA_BYTES  (DATA_BASE + WARPS * WIDTH * THREAD_DATA)

enum { X_DATA = 3, X_LOOP = 4 };

static void add_something(struct writer *w)
{
    u32 d = 5 + below(w, 5), s = 5 + below(w, 6), t = 5 + below(w, 6), f = below(w, 6);
    u32 g = below(w, 6), h = below(w, 6);
    int at = 8 * (int)below(w, THREAD_DATA / 8);
    const u32 codes[] = {
        R(add, d, s, t),
        R(xor, d, s, t),
        R(mul, d, s, t),
        R(div, d, s, t),
        I(addi, d, s, at),
        NOP,
        R(fadd_d, f, g, h),
        R(fmul_s, f, g, h),
        R4(fmadd_d, f, g, h, f),
        R(fdiv_s, f, g, h),
        R(fcvt_d_l, f, s, 0),
        R(fmv_x_d, d, f, 0),
        I(ld, d, X_DATA, at),
        I(lw, d, X_DATA, at),
        I(fld, f, X_DATA, at),
        S(sd, s, X_DATA, at),
        S(sb, s, X_DATA, at),
        S(fsd, f, X_DATA, at),
        I(ld, d, 2, -8 - at),
        S(sd, s, 2, -8 - at),
        I(ld, d, X_DATA, at),
        R(amoadd_d, d, X_DATA, t),
        FENCE,
        R(fsqrt_d, f, g, 0),
    };
    add(w, codes[below(w, LENGTH(codes))]);
}

/* Over the next few, for some of the threads. */
static void add_branch(struct writer *w)
{
    u32 at = w->count, s = 5 + below(w, 6), t = 5 + below(w, 6);
    add(w, 0);
    for (u32 i = 1 + below(w, 5); i; i--)
        add_something(w);
    int over = (int)(w->count - at);
    const u32 codes[] = { B(bltu, s, t, over), B(bge, s, t, over), J(jal, 1, over) };
    w->text[at] = codes[below(w, LENGTH(codes))];
}

/* Each thread has its own words, so that what it computes does not depend on time. */
static void program_write(struct writer *w, u64 seed)
{
    *w = (struct writer){ .random = seed };
    add(w, U(lui, X_DATA, DATA_BASE >> 12));
    add(w, I(slli, 5, 10, 6));
    add(w, R(add, X_DATA, X_DATA, 5));
    for (u32 x = 6; x < 10; x++)
        add(w, I(addi, x, 10, (int)below(w, 64) - 32));
    add(w, SET(X_LOOP, 1 + (int)below(w, 4)));
    u32 top = w->count;
    for (u32 i = 5 + below(w, 25); i; i--) {
        if (below(w, 5))
            add_something(w);
        else
            add_branch(w);
    }
    add(w, I(addi, X_LOOP, X_LOOP, -1));
    add(w, B(bne, X_LOOP, 0, (int)top - (int)w->count));
    const u32 end[] = { FENCE, EXIT_WELL };
    for (u32 i = 0; i < LENGTH(end); i++)
        add(w, end[i]);
}

/* What a run leaves behind that may not depend on the machine. */
struct outcome {
    u64 registers[WARPS * WIDTH][REGISTER_NONE];
    u8 memory[DATA_BYTES];
};

struct setting {
    const char *dependences, *operands, *bus;
    u32 cached;
};

static void setting_apply(struct unit *unit, const struct setting *setting, u64 *random)
{
    static const char *const tables[] = {
        "load: memory",
        "load: memory, int_add: 4 cycles, int_mul: 5 cycles, fp_add: 4 cycles, branch: 3 cycles",
        ("load: memory, int_mul: 4 cycles, int_div: 20 cycles, fp64.fp_fma: 9 cycles, "
         "jump: 2 cycles"),
    };
    bench_set_words(unit, "execute", tables[random_below(random, LENGTH(tables))]);
    bench_set_words(unit, "lanes", random_below(random, 2) ? "int_mul: 4, fp64.fp_add: 2" : "");
    bench_set(unit, "stack_latency", 1 + random_below(random, 4));
    bench_set(unit, "register_cache", setting->cached);
    bench_set_choice(unit, "dependences", setting->dependences);
    bench_set_choice(unit, "operands", setting->operands);
    bench_set_choice(unit, "result_bus", setting->bus);
}

static void setting_run(u64 seed, const struct setting *setting, struct outcome *outcome)
{
    static struct writer writer;
    u64 random = seed ^ UINT64_C(0x5eed), length;
    struct stand stand = stand_make(WARPS, WIDTH);
    struct unit *memory = join_true_memory(&stand, 1 + random_below(&random, 30));
    setting_apply(&stand.subcore->base, setting, &random);
    program_write(&writer, seed);
    stand_go(&stand, writer.text, writer.count);
    for (u32 i = 0; i < WARPS * WIDTH; i++) {
        struct hart hart;
        unit_type_subcore.programs->hart(&stand.subcore->base, i, &hart);
        memcpy(outcome->registers[i], hart.r, sizeof outcome->registers[i]);
    }
    memcpy(outcome->memory, unit_type_memory.stored(memory, 0, &length), sizeof outcome->memory);
    bench_destroy(stand.sim);
}

static void programs_compute_the_same_under_every_setting(void **state)
{
    static const struct setting settings[] = {
        { "scoreboard", "at_once", "free", 0 },     { "scoreboard_raw", "at_once", "free", 0 },
        { "control", "at_once", "free", 0 },        { "scoreboard", "collectors", "slots", 0 },
        { "scoreboard_raw", "window", "banks", 1 }, { "scoreboard_raw", "collectors", "free", 2 },
        { "control", "window", "banks", 1 },
    };
    static struct outcome expected, outcome;
    (void)state;
    for (u64 seed = 0; seed < 60; seed++) {
        setting_run(seed, &settings[0], &expected);
        for (u32 i = 1; i < LENGTH(settings); i++) {
            setting_run(seed, &settings[i], &outcome);
            if (memcmp(&expected, &outcome, sizeof outcome) != 0)
                fail_msg("seed %llu, setting %u", (unsigned long long)seed, i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(register_may_be_written_before_it_is_read),
        bench_test_all_ways(stall_count_is_latency_minus_distance),
        bench_test_all_ways(counter_is_seen_after_two_cycles),
        bench_test_all_ways(results_share_a_counter),
        bench_test_all_ways(stores_share_a_counter),
        bench_test_all_ways(branch_leaves_nothing_of_fixed_latency_under_way),
        bench_test_all_ways(loads_stay_under_way_over_a_branch),
        bench_test_all_ways(indirect_jump_waits_for_all),
        bench_test_all_ways(place_that_is_jumped_to_waits),
        bench_test_all_ways(control_needs_fixed_latencies),
        bench_test_all_ways(programs_compute_the_same_under_every_setting),
    };
    return cmocka_run_group_tests_name("subcore_dependences", tests, NULL, NULL);
}
