/* core_issue.c - when one thread's instructions issue, and what its waiting is charged to. */
#include "unit/bench_core.h"

/* A request sent in cycle t over links of one cycle is answered in t + 2 + latency. */
#define THERE_AND_BACK 2

static void one_instruction_issues_per_cycle(void **state)
{
    const u32 text[] = { READ_CYCLE(5), NOP, NOP, READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), 0);
    assert_int_equal(bench_x(stand.core, 0, 6), 3);
    assert_int_equal(bench_core_stat(stand.core, "issued"), 7);
    assert_int_equal(bench_core_stat(stand.core, "issued_csr"), 2);
    assert_int_equal(bench_core_stat(stand.core, "issued_int_add"), 4);
    assert_int_equal(bench_core_stat(stand.core, "issued_system"), 1);
    assert_int_equal(bench_core_stat(stand.core, "cycles"), 7);
}

static void result_can_be_read_after_the_latency(void **state)
{
    const u32 text[] = { SET(5, 3), R(mul, 6, 5, 5), R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL };
    static const struct {
        const char *table;
        u64 cycles;
    } cases[] = { { "", 1 },
                  { "int_mul: 2 cycles", 2 },
                  { "int_mul: 3 cycles", 3 },
                  { "int_mul: 255 cycles", 255 },
                  { "int_mul: 256 cycles", 256 },
                  { "int_mul: 1000 cycles", 1000 } };
    (void)state;
    for (u32 i = 0; i < LENGTH(cases); i++) {
        struct core_stand stand = stand_core(1);
        bench_core_execute(stand.core, cases[i].table);
        stand_run(&stand, TEXT(text));
        /* The product issues in cycle 1, the sum `cycles` later, and then the clock is read. */
        assert_int_equal(bench_x(stand.core, 0, 8), 1 + cases[i].cycles + 1);
        assert_int_equal(bench_x(stand.core, 0, 7), 18);
        assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), cases[i].cycles - 1);
        bench_destroy(stand.sim);
    }
}

static void independent_instructions_hide_the_latency(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), NOP, NOP, R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "int_mul: 4 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 5);
    assert_int_equal(bench_core_stat(stand.core, "hazard"), 1);
}

static void register_is_not_written_again_before_the_first_write(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), SET(6, 9), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "int_mul: 5 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 6);
    assert_int_equal(bench_x(stand.core, 0, 6), 9);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 4);
}

static void source_may_be_written_at_once(void **state)
{
    const u32 text[] = { SET(5, 3), R(mul, 6, 5, 5), SET(5, 100), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "int_mul: 50 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 3);
    assert_int_equal(bench_x(stand.core, 0, 6), 9);
}

static void x0_is_never_waited_for(void **state)
{
    const u32 text[] = { R(mul, 0, 5, 5), I(ld, 0, 5, 0), R(add, 7, 0, 0),
                         R(mul, 0, 5, 5), READ_CYCLE(8),  EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 500);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "int_mul: 100 cycles, load: memory");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 4);
    assert_int_equal(bench_x(stand.core, 0, 7), 0);
    assert_int_equal(bench_core_stat(stand.core, "hazard"), 0);
}

static void integer_and_float_registers_are_apart(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5),    R(fadd_d, 6, 7, 8), READ_CYCLE(8),
                         R(fadd_d, 9, 6, 6), READ_CYCLE(9),      EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "int_mul: 50 cycles, fp_add: 10 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 2);
    assert_int_equal(bench_x(stand.core, 0, 9), 1 + 10 + 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_fp_add"), 8);
}

static void fused_multiply_add_waits_for_its_third_source(void **state)
{
    const u32 text[] = { R(fadd_d, 9, 1, 2), R4(fmadd_d, 10, 1, 2, 9), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "fp_add: 10 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 11);
}

static void answer_with(struct message *answer, u32 index)
{
    answer->data.dword[0] = 1000 + index;
}

static void younger_instructions_finish_before_an_older_load(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 64), SET(6, 7),      R(add, 7, 6, 6), READ_CYCLE(8),
                         R(add, 9, 5, 7), READ_CYCLE(11), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 50);
    memory->change = answer_with;
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "load: memory");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 3);
    assert_int_equal(bench_x(stand.core, 0, 9), 1014);
    assert_int_equal(bench_x(stand.core, 0, 11), THERE_AND_BACK + 50 + 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_load"), 52 - 4);
}

static void loads_may_be_answered_out_of_order(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 64), I(ld, 6, 0, 72), R(add, 7, 6, 0), READ_CYCLE(8),
                         R(add, 9, 5, 0), READ_CYCLE(11),  EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 50);
    memory->change = answer_with;
    memory->delays[1] = 10;
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "load: memory");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 7), 1001);
    assert_int_equal(bench_x(stand.core, 0, 8), 1 + THERE_AND_BACK + 10 + 1);
    assert_int_equal(bench_x(stand.core, 0, 9), 1000);
    assert_int_equal(bench_x(stand.core, 0, 11), THERE_AND_BACK + 50 + 1);
}

static void unit_executes_in_its_own_time(void **state)
{
    const u32 text[] = { SET(5, 3), R(mul, 6, 5, 5), R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = bench_server(stand.sim, stand.domain, 0, 7);
    bench_core_ask(stand.sim, stand.core, "muldiv", unit->mock, 1, 8);
    bench_core_execute(stand.core, "int_mul: muldiv");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 7), 18);
    assert_int_equal(bench_x(stand.core, 0, 8), 1 + THERE_AND_BACK + 7 + 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), THERE_AND_BACK + 7 - 1);
    assert_int_equal(unit->served[0].taken, 2);
    assert_int_equal(unit->served[0].message.address, CLASS_INT_MUL);
}

/* ---- What waiting is charged to ---- */

static void hazard_is_charged_to_the_later_of_two_results(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), R(div, 7, 5, 5), R(add, 8, 6, 7), READ_CYCLE(9),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "int_mul: 5 cycles, int_div: 20 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 9), 22);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_div"), 19);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 0);
}

static void hazard_is_charged_to_a_load_before_a_short_latency(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), I(ld, 7, 0, 0), R(add, 8, 6, 7), READ_CYCLE(9),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 30);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "int_mul: 5 cycles, load: memory");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 9), 1 + THERE_AND_BACK + 30 + 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_load"), 33 - 2);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 0);
}

static void hazard_is_charged_to_each_of_three_classes_under_way(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), R(div, 7, 5, 5), R(mul, 8, 5, 5), R(fadd_d, 9, 1, 2),
                         R(add, 9, 6, 0), R(add, 9, 8, 0), R(add, 9, 7, 0), R(fadd_d, 10, 9, 9),
                         R(mul, 6, 5, 5), R(add, 9, 6, 0), READ_CYCLE(11),  EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "int_mul: 10 cycles, int_div: 20 cycles, fp_add: 30 cycles");
    stand_run(&stand, TEXT(text));
    /* The sums issue in cycles 10, 12, 21, 33 and 44. */
    assert_int_equal(bench_x(stand.core, 0, 11), 45);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), (10 - 4) + (12 - 11) + 9);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_div"), 21 - 13);
    assert_int_equal(bench_core_stat(stand.core, "hazard_fp_add"), 33 - 22);
}

static void hazard_is_charged_to_one_answer_then_to_the_other(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), I(ld, 7, 0, 0), R(add, 8, 6, 7), READ_CYCLE(9),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 30);
    struct server *unit = bench_server(stand.sim, stand.domain, 1, 5);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_ask(stand.sim, stand.core, "muldiv", unit->mock, 1, 8);
    bench_core_execute(stand.core, "int_mul: muldiv, load: memory");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 9), 33 + 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 7 - 2);
    assert_int_equal(bench_core_stat(stand.core, "hazard_load"), 33 - 7);
}

/* A thread that still waits for one of two answers was not ready when the first one came, even if
 * another thread issued in that cycle. */
static void first_of_two_answers_does_not_make_a_thread_ready(void **state)
{
    const u32 text[] = { B(bne, 10, 0, 5),
                         R(mul, 6, 5, 5),
                         I(ld, 7, 0, 0),
                         R(add, 8, 6, 7),
                         J(jal, 0, 41),
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         NOP,
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(3);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 31);
    struct server *unit = bench_server(stand.sim, stand.domain, 1, 5);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_ask(stand.sim, stand.core, "muldiv", unit->mock, 1, 8);
    bench_core_execute(stand.core, "int_mul: muldiv, load: memory");
    stand_run(&stand, TEXT(text));
    /* Thread 0: branch 0, product 3, load 6, the sum waits from 9 on: for the product until 10,
     * when it is thread 2's turn, then for the load until 39. */
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 10 - 9);
    assert_int_equal(bench_core_stat(stand.core, "hazard_load"), 39 - 10);
}

static void unit_without_room_is_charged_to_the_class_that_waits(void **state)
{
    const u32 text[] = { R(mul, 5, 0, 0), R(mul, 6, 0, 0), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = bench_server(stand.sim, stand.domain, 0, 1);
    unit->closed_to = 20;
    bench_core_ask(stand.sim, stand.core, "muldiv", unit->mock, 1, 1);
    bench_core_execute(stand.core, "int_mul: muldiv");
    stand_run(&stand, TEXT(text));
    /* Taken in cycle 20, so there is room from 21 on. */
    assert_int_equal(bench_x(stand.core, 0, 8), 22);
    assert_int_equal(bench_core_stat(stand.core, "busy"), 20);
    assert_int_equal(bench_core_stat(stand.core, "busy_int_mul"), 20);
}

static void full_memory_port_is_charged_to_load_or_store(void **state)
{
    const u32 text[] = { S(sd, 5, 0, 0), S(sd, 5, 0, 8), READ_CYCLE(8),
                         I(ld, 6, 0, 0), READ_CYCLE(9),  EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 1);
    memory->closed_to = 20;
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 1);
    bench_core_execute(stand.core, "load: memory");
    stand_run(&stand, TEXT(text));
    /* The second store issues in 21, is taken in 22; the load could have gone in 23 anyway. */
    assert_int_equal(bench_x(stand.core, 0, 8), 22);
    assert_int_equal(bench_x(stand.core, 0, 9), 24);
    assert_int_equal(bench_core_stat(stand.core, "busy_store"), 20);
    assert_int_equal(bench_core_stat(stand.core, "busy_load"), 0);
}

static void outstanding_limits_what_is_under_way(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 0), I(ld, 6, 0, 8), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    for (u64 outstanding = 1; outstanding <= 2; outstanding++) {
        struct core_stand stand = stand_core(1);
        struct server *memory = bench_server(stand.sim, stand.domain, 0, 10);
        bench_set(&stand.core->base, "outstanding", outstanding);
        bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
        bench_core_execute(stand.core, "load: memory");
        stand_run(&stand, TEXT(text));
        cycle second = outstanding == 1 ? THERE_AND_BACK + 10 : 1;
        assert_int_equal(bench_x(stand.core, 0, 8), second + 1);
        assert_int_equal(bench_core_stat(stand.core, "busy_load"), second - 1);
        bench_destroy(stand.sim);
    }
}

static void branch_delays_what_comes_after_it(void **state)
{
    const u32 text[] = { B(beq, 0, 0, 2), NOP, READ_CYCLE(5), B(bne, 0, 0, -2), READ_CYCLE(6),
                         J(jal, 1, 2),    NOP, READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_execute(stand.core, "branch: 3 cycles, jump: 5 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), 3);  /* taken in 0 */
    assert_int_equal(bench_x(stand.core, 0, 6), 7);  /* not taken in 4 */
    assert_int_equal(bench_x(stand.core, 0, 7), 13); /* jumped in 8 */
    assert_int_equal(bench_x(stand.core, 0, 1), PC(6));
    assert_int_equal(bench_core_stat(stand.core, "hazard_branch"), 2 + 2);
    assert_int_equal(bench_core_stat(stand.core, "hazard_jump"), 4);
    assert_int_equal(bench_core_stat(stand.core, "passed"), 0);
}

static void stall_counters_do_not_wrap(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 0), R(add, 6, 5, 5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, UINT64_C(5000000000));
    bench_core_profile(stand.core);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "load: memory");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_profile(stand.core, 2, PROFILE_HAZARD + CLASS_LOAD),
                     UINT64_C(5000000002) - 1);
}

/* ---- What the program starts with ---- */

static void thread_starts_with_its_number_and_its_stack(void **state)
{
    const u32 text[] = { EXIT };
    (void)state;
    struct core_stand stand = stand_core(4);
    bench_set(&stand.core->base, "stack", 256);
    stand_run(&stand, TEXT(text));
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(bench_x(stand.core, i, 10), i);
        assert_int_equal(bench_x(stand.core, i, 11), 4);
        assert_int_equal(bench_x(stand.core, i, 2), STACK_WINDOW + 256);
    }
}

static void retired_instructions_are_counted_by_thread(void **state)
{
    const u32 text[] = { NOP, NOP, I(csrrs, 5, 0, 0xc02), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), 2);
    assert_int_equal(bench_x(stand.core, 1, 5), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(one_instruction_issues_per_cycle),
        bench_test_all_ways(result_can_be_read_after_the_latency),
        bench_test_all_ways(independent_instructions_hide_the_latency),
        bench_test_all_ways(register_is_not_written_again_before_the_first_write),
        bench_test_all_ways(source_may_be_written_at_once),
        bench_test_all_ways(x0_is_never_waited_for),
        bench_test_all_ways(integer_and_float_registers_are_apart),
        bench_test_all_ways(fused_multiply_add_waits_for_its_third_source),
        bench_test_all_ways(younger_instructions_finish_before_an_older_load),
        bench_test_all_ways(loads_may_be_answered_out_of_order),
        bench_test_all_ways(unit_executes_in_its_own_time),
        bench_test_all_ways(hazard_is_charged_to_the_later_of_two_results),
        bench_test_all_ways(hazard_is_charged_to_a_load_before_a_short_latency),
        bench_test_all_ways(hazard_is_charged_to_each_of_three_classes_under_way),
        bench_test_all_ways(hazard_is_charged_to_one_answer_then_to_the_other),
        bench_test_all_ways(first_of_two_answers_does_not_make_a_thread_ready),
        bench_test_all_ways(unit_without_room_is_charged_to_the_class_that_waits),
        bench_test_all_ways(full_memory_port_is_charged_to_load_or_store),
        bench_test_all_ways(outstanding_limits_what_is_under_way),
        bench_test_all_ways(branch_delays_what_comes_after_it),
        bench_test(stall_counters_do_not_wrap),
        bench_test_all_ways(thread_starts_with_its_number_and_its_stack),
        bench_test_all_ways(retired_instructions_are_counted_by_thread),
    };
    return cmocka_run_group_tests_name("core_issue", tests, NULL, NULL);
}
