/* core_threads.c - hardware threads of one core: whose turn it is, and that nobody starves. */
#include "unit/bench_core.h"

#define NOPS_10 NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP
#define NOPS_40 NOPS_10, NOPS_10, NOPS_10, NOPS_10

static void threads_issue_in_turn(void **state)
{
    static const u32 counts[] = { 1, 2, 8, 16 };
    const u32 text[] = { READ_CYCLE(5), READ_CYCLE(6), READ_CYCLE(7), EXIT_WELL };
    (void)state;
    for (u32 c = 0; c < LENGTH(counts); c++) {
        u32 threads = counts[c];
        struct core_stand stand = stand_core(threads);
        stand_run(&stand, TEXT(text));
        for (u32 i = 0; i < threads; i++)
            for (u32 k = 0; k < 3; k++)
                assert_int_equal(bench_x(stand.core, i, 5 + k), k * threads + i);
        assert_int_equal(bench_core_stat(stand.core, "issued"), 6 * threads);
        assert_int_equal(bench_core_stat(stand.core, "cycles"), 6 * threads * threads);
        bench_destroy(stand.sim);
    }
}

static void turns_of_others_are_counted_as_passed(void **state)
{
    const u32 text[] = { NOP, EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    stand_run(&stand, TEXT(text));
    /* Thread 0 issues in 0, 2, 4, 6 and has ended in 7; thread 1 in 1, 3, 5, 7. */
    assert_int_equal(bench_core_stat(stand.core, "passed"), 3 + 4);
    assert_int_equal(bench_core_stat(stand.core, "halted"), 1);
}

static void other_thread_issues_during_a_hazard(void **state)
{
    const u32 text[] = { READ_CYCLE(8), R(mul, 6, 5, 5), R(add, 7, 6, 6), READ_CYCLE(9),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    bench_core_execute(stand.core, "int_mul: 4 cycles");
    stand_run(&stand, TEXT(text));
    /* Products in 2 and 3; both wait from 4 on; sums in 6 and 7. */
    assert_int_equal(bench_x(stand.core, 0, 9), 8);
    assert_int_equal(bench_x(stand.core, 1, 9), 9);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 2 + 3);
}

#define PAUSE UINT32_C(0x0100000f)

/* Thread 0 issues in 0, pauses in 2 and is back in 2 + 50; thread 1 has the core to itself. */
static void thread_that_pauses_stands_back(void **state)
{
    const u32 text[] = { READ_CYCLE(5), PAUSE,   READ_CYCLE(6), EXIT_WELL,
                         NOPS_10,       NOPS_10, READ_CYCLE(9), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    bench_set(&stand.core->base, "pause", 50);
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 6);
    stand_finish(&stand, SIM_FINISHED);
    assert_int_equal(bench_x(stand.core, 0, 5), 0);
    assert_int_equal(bench_x(stand.core, 0, 6), 52);
    assert_int_equal(bench_x(stand.core, 1, 9), 22);
    assert_int_equal(bench_core_stat(stand.core, "hazard_fence"), 49);
}

static void waiting_thread_costs_the_others_no_turn(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL,
                         NOPS_10,         READ_CYCLE(9),   EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    bench_core_execute(stand.core, "int_mul: 100 cycles");
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 6);
    stand_finish(&stand, SIM_FINISHED);
    /* Thread 0: product in 0, waits from 2 to 100. Thread 1 issues in 1, 2, 3 ... */
    assert_int_equal(bench_x(stand.core, 0, 8), 101);
    assert_int_equal(bench_x(stand.core, 1, 9), 11);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 98);
}

static void turn_goes_on_behind_the_thread_that_issued_last(void **state)
{
    const u32 text[] = { R(mul, 6, 5, 5), R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL,
                         NOPS_10,         NOPS_10,         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(3);
    bench_core_execute(stand.core, "int_mul: 6 cycles");
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 0, 6);
    stand_enter_at(&stand, 2, 6);
    stand_finish(&stand, SIM_FINISHED);
    /* Threads 0, 1, 2 in 0, 1, 2; 0 in 3; 1 waits from 4 to 7, so 2 in 4, 0 in 5, 2 in 6; now it is
     * the turn of 0, in 7, then of 1 in 8; 2 in 9, 0 in 10, 1 in 11. */
    assert_int_equal(bench_x(stand.core, 1, 8), 11);
    assert_int_equal(bench_core_stat(stand.core, "hazard_int_mul"), 7 - 4);
}

/* ---- Greedy, then oldest ---- */

static void greedy_thread_goes_on_until_it_waits(void **state)
{
    const u32 text[] = { READ_CYCLE(5), R(mul, 6, 5, 5), R(add, 7, 6, 6), READ_CYCLE(8), EXIT };
    static const u32 order[] = { 2, 0, 1 }; /* "the last" of a core that has not begun */
    (void)state;
    struct core_stand stand = stand_core(3);
    bench_set_choice(&stand.core->base, "policy", "greedy");
    bench_core_execute(stand.core, "int_mul: 10 cycles");
    stand_run(&stand, TEXT(text));
    /* Products in 1, 3, 5; sums from 11 on, four instructions each to the end. */
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(bench_x(stand.core, order[i], 5), 2 * i);
        assert_int_equal(bench_x(stand.core, order[i], 8), 12 + 4 * i);
    }
}

/* While thread 0 computes, first thread 2 and then thread 1 become ready. */
static void greedy_choice(cycle reported_at)
{
    const u32 text[] = { I(ld, 5, 0, 0),  R(add, 6, 5, 5), READ_CYCLE(7), EXIT, R(mul, 6, 5, 5),
                         R(add, 7, 6, 6), NOPS_40,         NOPS_40,       EXIT };
    struct core_stand stand = stand_core(3);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 0);
    bench_set_choice(&stand.core->base, "policy", "greedy");
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "int_mul: 10 cycles, load: memory");
    memory->delays[0] = 40; /* thread 2: load in 0, answer in 42 */
    memory->delays[1] = 50; /* thread 1: load in 2, answer in 54 */
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 0, 5);
    if (reported_at) {
        assert_int_equal(bench_run(stand.sim, reported_at), SIM_REACHED);
        bench_report(&stand.core->base, reported_at);
    }
    stand_finish(&stand, SIM_FINISHED);
    /* Thread 0: product in 1, then from 11 to 93: sum, 80 times nothing, two to end. */
    assert_int_equal(bench_x(stand.core, 2, 7), 95);
    assert_int_equal(bench_x(stand.core, 1, 7), 99);
    bench_destroy(stand.sim);
}

static void greedy_core_goes_on_with_who_was_ready_first(void **state)
{
    (void)state;
    greedy_choice(0);
}

static void report_does_not_change_the_choice(void **state)
{
    (void)state;
    greedy_choice(64);
    greedy_choice(70);
}

/* ---- Room ---- */

#define STORES_4 S(sd, 5, 0, 0), S(sd, 5, 0, 0), S(sd, 5, 0, 0), S(sd, 5, 0, 0)

/* A port of one place, which the memory empties in the next cycle: a store in every other cycle. */
static struct core_stand narrow_stand(struct server **memory, const char *policy)
{
    struct core_stand stand = stand_core(3);
    *memory = bench_server(stand.sim, stand.domain, 0, 1);
    bench_set_choice(&stand.core->base, "policy", policy);
    bench_core_ask(stand.sim, stand.core, "memory", (*memory)->mock, 1, 1);
    bench_core_execute(stand.core, "load: memory");
    return stand;
}

static void thread_that_waits_for_room_is_not_passed_over(void **state)
{
    const u32 text[] = { STORES_4,      STORES_4,  STORES_4, EXIT_WELL, S(sd, 6, 0, 8),
                         READ_CYCLE(7), EXIT_WELL, NOPS_40,  EXIT_WELL };
    (void)state;
    struct server *memory;
    struct core_stand stand = narrow_stand(&memory, "round_robin");
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 15);
    stand_enter_at(&stand, 2, 20);
    stand_finish(&stand, SIM_FINISHED);
    /* Thread 0 stores in 0; thread 1 finds no room in 1, so thread 2 issues. In 2 there is room,
     * and it would be the turn of thread 0; but thread 1 has waited. */
    assert_int_equal(memory->served[0].message.source, 0);
    assert_int_equal(memory->served[1].message.source, 1);
    assert_int_equal(memory->served[1].taken, 3);
    assert_int_equal(bench_x(stand.core, 1, 7), 5);
}

static void threads_that_wait_for_room_get_it_in_turn(const char *policy, u32 first)
{
    const u32 text[] = { STORES_4, EXIT_WELL };
    struct server *memory;
    struct core_stand stand = narrow_stand(&memory, policy);
    stand_run(&stand, TEXT(text));
    assert_int_equal(memory->count, 12);
    for (u32 i = 0; i < 12; i++) {
        assert_int_equal(memory->served[i].message.source, (first + i) % 3);
        assert_int_equal(memory->served[i].taken, 2 * i + 1);
    }
}

static void room_goes_round(void **state)
{
    (void)state;
    threads_that_wait_for_room_get_it_in_turn("round_robin", 0);
}

static void room_goes_round_among_greedy_threads(void **state)
{
    (void)state;
    threads_that_wait_for_room_get_it_in_turn("greedy", 2);
}

static void order_of_an_ended_thread_is_free_again(void **state)
{
    const u32 text[] = { S(sd, 5, 0, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 30);
    bench_set(&stand.core->base, "outstanding", 1);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "load: memory");
    stand_run(&stand, TEXT(text));
    /* Thread 0 has ended when its store is answered in 32; thread 1 stores then. */
    assert_int_equal(memory->served[1].taken, 33);
    assert_int_equal(stand.core->threads[0].under_way, 0);
    assert_int_equal(stand.core->threads[1].under_way, 0);
    assert_int_equal(bench_core_stat(stand.core, "busy_store"), 32 - 1);
    /* Acknowledged in 64, and that is the end. */
    assert_int_equal(sim_chip(stand.sim)->ended_at, 65);
}

static void sixteen_threads_hide_a_load(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 0), R(add, 6, 5, 5), READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(16);
    struct server *memory = bench_server(stand.sim, stand.domain, 0, 20);
    bench_core_ask(stand.sim, stand.core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand.core, "load: memory");
    stand_run(&stand, TEXT(text));
    /* Loads in 0 to 15, answers from 22 to 37; a thread that is ready takes turns with those before
     * it. Each issues six instructions: 96 in all, of which 80 after cycle 21. */
    assert_int_equal(sim_chip(stand.sim)->ended_at, 22 + 80);
    assert_int_equal(bench_core_stat(stand.core, "active"), 96);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(thread_that_pauses_stands_back),
        bench_test_all_ways(threads_issue_in_turn),
        bench_test_all_ways(turns_of_others_are_counted_as_passed),
        bench_test_all_ways(other_thread_issues_during_a_hazard),
        bench_test_all_ways(waiting_thread_costs_the_others_no_turn),
        bench_test_all_ways(turn_goes_on_behind_the_thread_that_issued_last),
        bench_test_all_ways(greedy_thread_goes_on_until_it_waits),
        bench_test_all_ways(greedy_core_goes_on_with_who_was_ready_first),
        bench_test_all_ways(report_does_not_change_the_choice),
        bench_test_all_ways(thread_that_waits_for_room_is_not_passed_over),
        bench_test_all_ways(room_goes_round),
        bench_test_all_ways(room_goes_round_among_greedy_threads),
        bench_test_all_ways(order_of_an_ended_thread_is_free_again),
        bench_test_all_ways(sixteen_threads_hide_a_load),
    };
    return cmocka_run_group_tests_name("core_threads", tests, NULL, NULL);
}
