/* subcore_pipes.c - pipelines of a sub-core: how wide they are, who shares them, double precision,
 * and those outside that sub-cores of an SM share. */
#include "unit/subcore_stand.h"

extern const struct unit_type unit_type_sfu;

static void stand_words(struct stand *stand, const char *param, const char *words)
{
    bench_set_words(&stand->subcore->base, param, words);
}

/* When the instruction behind two others issues. */
static u64 third_issues(struct stand *stand, u32 first, u32 second)
{
    const u32 text[] = { first, second, READ_CYCLE(8), EXIT_WELL };
    stand_go(stand, TEXT(text));
    return x_of(stand, 0, 8);
}

static u64 products_with_lanes(u32 width, const char *lanes)
{
    struct stand stand = stand_make(1, width);
    stand_words(&stand, "lanes", lanes);
    u64 at = third_issues(&stand, R(mul, 6, 10, 10), R(mul, 7, 10, 10));
    bench_destroy(stand.sim);
    return at;
}

static void narrow_pipeline_is_occupied_for_longer(void **state)
{
    (void)state;
    assert_int_equal(products_with_lanes(32, ""), 2);
    assert_int_equal(products_with_lanes(32, "int_mul: 32"), 2);
    assert_int_equal(products_with_lanes(32, "int_mul: 16"), 3);
    assert_int_equal(products_with_lanes(32, "int_mul: 12"), 4);
    assert_int_equal(products_with_lanes(16, "int_mul: 16"), 2);
    assert_int_equal(products_with_lanes(8, "int_mul: 16"), 2);
}

static void lanes_and_interval_multiply(void **state)
{
    (void)state;
    struct stand stand = stand_make(1, 32);
    stand_words(&stand, "lanes", "int_mul: 16");
    stand_words(&stand, "interval", "int_mul: 3 cycles");
    assert_int_equal(third_issues(&stand, R(mul, 6, 10, 10), R(mul, 7, 10, 10)), 7);
    assert_int_equal(stat(&stand, "busy_int_mul"), 5);
}

static u64 quotient_behind_product(const char *pipe)
{
    struct stand stand = stand_make(1, 4);
    stand_words(&stand, "interval", "int_mul: 4 cycles");
    stand_words(&stand, "pipe_as", pipe);
    u64 at = third_issues(&stand, R(mul, 6, 10, 10), R(div, 7, 10, 10));
    bench_destroy(stand.sim);
    return at;
}

static void classes_share_a_pipeline(void **state)
{
    (void)state;
    assert_int_equal(quotient_behind_product(""), 2);
    assert_int_equal(quotient_behind_product("int_div: int_mul"), 5);
    assert_int_equal(quotient_behind_product("fp_div: int_mul"), 2);
}

static void interval_holds_for_accesses_too(void **state)
{
    (void)state;
    struct stand stand = stand_make(1, 8);
    join_memory(&stand, 5);
    stand_words(&stand, "interval", "load: 4 cycles");
    assert_int_equal(third_issues(&stand, I(lw, 6, 0, 256), I(lw, 7, 0, 512)), 5);
    assert_int_equal(stat(&stand, "busy_load"), 3);
}

/* ---- Double precision ---- */

static u64 sum_is_there(const char *table, u32 sum, u32 use)
{
    const u32 text[] = { sum, use, READ_CYCLE(8), EXIT_WELL };
    struct stand stand = stand_make(1, 4);
    stand_table(&stand, table);
    stand_go(&stand, TEXT(text));
    u64 at = x_of(&stand, 0, 8) - 1;
    bench_destroy(stand.sim);
    return at;
}

static void double_precision_has_a_latency_of_its_own(void **state)
{
    const u32 single = R(fadd_s, 1, 2, 3), sum = R(fadd_d, 1, 2, 3), use = R(fmv_x_d, 5, 1, 0);
    const char *table = "fp_add: 4 cycles, fp64.fp_add: 8 cycles";
    (void)state;
    assert_int_equal(sum_is_there(table, single, use), 4);
    assert_int_equal(sum_is_there(table, sum, use), 8);
    assert_int_equal(sum_is_there("fp_add: 4 cycles", sum, use), 4);
    assert_int_equal(sum_is_there("fp64.fp_convert: 9 cycles", R(fcvt_s_d, 1, 2, 1), use), 9);
    assert_int_equal(sum_is_there("fp64.fp_convert: 9 cycles", R(fcvt_d_s, 1, 2, 0), use), 9);
    assert_int_equal(sum_is_there("fp64.fp_convert: 9 cycles", R(fcvt_s_w, 1, 5, 0), use), 1);
}

static u64 sums_of_both(const char *pipe, u32 first, u32 second)
{
    struct stand stand = stand_make(1, 4);
    stand_words(&stand, "interval", "fp64.fp_add: 2 cycles");
    stand_words(&stand, "pipe_as", pipe);
    u64 at = third_issues(&stand, first, second);
    bench_destroy(stand.sim);
    return at;
}

static void double_precision_has_an_interval_of_its_own(void **state)
{
    const u32 single = R(fadd_s, 1, 2, 3), sum = R(fadd_d, 4, 2, 3);
    (void)state;
    assert_int_equal(sums_of_both("", single, single), 2);
    assert_int_equal(sums_of_both("", sum, sum), 3);
    assert_int_equal(sums_of_both("", sum, single), 3); /* one pipeline for both */
    assert_int_equal(sums_of_both("fp64.fp_add: fp64.fp_fma", sum, single), 2);
    assert_int_equal(sums_of_both("fp64.fp_add: fp64.fp_fma", sum, sum), 3);
}

/* ---- Outside ---- */

static void unit_outside_is_sent_one_message_for_a_warp(void **state)
{
    const u32 text[] = { R(fsqrt_d, 1, 2, 0), R(fmv_x_d, 5, 1, 0), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(2, 8);
    struct server *roots = bench_server(stand.sim, stand.domain, 0, 5);
    bench_join(stand.sim, &stand.subcore->base, "units", roots->mock, 1, 8);
    stand_name(&stand, "roots");
    stand_table(&stand, "fp_sqrt: roots");
    stand_go(&stand, TEXT(text));
    assert_int_equal(roots->count, 2);
    assert_int_equal(roots->served[0].taken, 2); /* issued in 0, sent in 1 */
    assert_int_equal(roots->served[1].taken, 3);
    /* Answered in 7, there in 8; the other warp's in 9. */
    assert_int_equal(x_of(&stand, 0, 8), 10);
    assert_int_equal(stat(&stand, "hazard_fp_sqrt"), 6 + 7); /* in 1 the other issues */
}

/* Two sub-cores and one pipeline for double precision, which takes an instruction of a warp every
 * four cycles. */
static void subcores_share_a_unit(void **state)
{
    const u32 text[] = { R(fadd_d, 1, 2, 3), R(fadd_s, 4, 2, 3), R(fmv_x_d, 5, 1, 0), READ_CYCLE(8),
                         EXIT_WELL };
    (void)state;
    struct stand stands[2] = { stand_make(1, 8) };
    stands[1] = stands[0];
    stands[1].subcore =
        (struct subcore *)bench_unit(stands[0].sim, stands[0].domain, &unit_type_subcore, NO_CLOCK);
    bench_set(&stands[1].subcore->base, "warps", 1);
    bench_set(&stands[1].subcore->base, "width", 8);
    struct unit *shared = bench_unit(stands[0].sim, stands[0].domain, &unit_type_sfu, NO_CLOCK);
    bench_set(shared, "latency", 8);
    bench_set(shared, "interval", 4);
    const struct chip_program *program = bench_program(stands[0].sim, TEXT(text), 16);
    for (u32 i = 0; i < 2; i++) {
        bench_ask(stands[i].sim, &stands[i].subcore->base, "units", shared, "users", 1, 4);
        stand_name(&stands[i], "fp64");
        stand_table(&stands[i], "fp64.fp_add: fp64");
        bench_init(&stands[i].subcore->base);
        unit_type_subcore.programs->start(&stands[i].subcore->base, program, 8 * i, NULL);
    }
    bench_init(shared);
    bench_seal(stands[0].sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stands[0].sim), SIM_FINISHED);
    /* Sent in 1, taken in 2 and 6, answered in 10 and 14, there a cycle later. */
    assert_int_equal(x_of(&stands[0], 0, 8), 12);
    assert_int_equal(x_of(&stands[1], 0, 8), 16);
    assert_int_equal(bench_stat(shared, "issued"), 2);
    const struct unit *waited = &stands[0].subcore->base;
    assert_ptr_equal(unit_type_subcore.awaits(waited, "hazard_fp_add"), shared);
    assert_null(unit_type_subcore.awaits(waited, "hazard_fp_mul"));
}

/* ---- Mistakes ---- */

static void tables_refuse(const char *param, const char *words, const char *why)
{
    struct stand stand = stand_make(1, 8);
    stand_words(&stand, param, words);
    bench_init_refused(&stand.subcore->base, why);
    bench_destroy(stand.sim);
}

static void mistakes_in_tables_are_refused(void **state)
{
    (void)state;
    tables_refuse("lanes", "int_mull: 16", "did you mean 'int_mul'");
    tables_refuse("lanes", "int_mul: 16 cycles", "lanes");
    tables_refuse("lanes", "int_mul: 0", "1 to 1000");
    tables_refuse("lanes", "fp64.int_mul: 16", "no class of instructions 'fp64.int_mul'");
    tables_refuse("pipe_as", "fp_sqrt: fp_divv", "did you mean 'fp_div'");
    tables_refuse("pipe_as", "fp_sqrt: fp_div, fp_div: int_div", "fp_div is itself");
    struct core_stand core = stand_core(1);
    bench_core_execute(core.core, "fp64.fp_add: 8 cycles");
    bench_init_refused(&core.core->base, "fp64");
    bench_destroy(core.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(narrow_pipeline_is_occupied_for_longer),
        bench_test_all_ways(lanes_and_interval_multiply),
        bench_test_all_ways(classes_share_a_pipeline),
        bench_test_all_ways(interval_holds_for_accesses_too),
        bench_test_all_ways(double_precision_has_a_latency_of_its_own),
        bench_test_all_ways(double_precision_has_an_interval_of_its_own),
        bench_test_all_ways(unit_outside_is_sent_one_message_for_a_warp),
        bench_test_all_ways(subcores_share_a_unit),
        bench_test_all_ways(mistakes_in_tables_are_refused),
    };
    return cmocka_run_group_tests_name("subcore_pipes", tests, NULL, NULL);
}
