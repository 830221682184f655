/* core_custom.c - custom instructions: functions with a latency, and messages to units. */
#include <string.h>

#include "unit/bench_core.h"
#include "unit/shipped_customs.h"

extern const struct unit_type unit_type_threads, unit_type_barrier;

#define THERE_AND_BACK 2

static u64 add_three(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs3, (void)immediate;
    return rs1 + rs2 + 3;
}

/* All in custom-1; funct3 tells them apart. */
enum { TRIPLE, BLOCK_2, BLOCK_8, WIDE_4, WIDE_6, PAIR };

static const struct isa_custom customs[] = {
    { "triple", 1, TRIPLE, 0, "d,s,t", add_three, 0 },
    { "block2", 1, BLOCK_2, 0, "d,s2,t", NULL, 42 },  /* three values: 64 bits each */
    { "block8", 1, BLOCK_8, 0, "D,S8", NULL, 43 },    /* eight: 32 bits each */
    { "wide4", 1, WIDE_4, 0, "d4,s", NULL, 44 },      /* four results */
    { "wide6", 1, WIDE_6, 0, "D6,s", NULL, 45 },      /* six, as floats */
    { "pair", 1, PAIR, ISA_ANY, "d,s,t,r", NULL, 46 } /* rs1, rs2, rs3 */
};

#define CUSTOM(funct3, rd, rs1, rs2) encode_r(0x2bu | (funct3) << 12, rd, rs1, rs2)

static int add_customs(void **state)
{
    struct ogv_error error;
    (void)state;
    for (u32 i = 0; i < LENGTH(customs); i++)
        if (!isa_add(isa_shared(), &customs[i], &error))
            return -1;
    return 0;
}

static struct server *join_unit(struct core_stand *stand, const char *table)
{
    struct server *unit = bench_server(stand->sim, stand->domain, 0, 10);
    bench_core_ask(stand->sim, stand->core, "unit", unit->mock, 1, 8);
    bench_core_execute(stand->core, table);
    return unit;
}

/* ---- Functions ---- */

static void function_run(const char *table, cycle latency)
{
    const u32 text[] = { SET(5, 10),      SET(6, 20),    CUSTOM(TRIPLE, 7, 5, 6),
                         R(add, 8, 7, 0), READ_CYCLE(9), EXIT_WELL };
    struct core_stand stand = stand_core(1);
    join_unit(&stand, table);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 8), 33);
    assert_int_equal(bench_x(stand.core, 0, 9), 2 + latency + 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_custom1"), latency - 1);
    bench_destroy(stand.sim);
}

static void function_takes_the_latency_of_its_name_or_class(void **state)
{
    (void)state;
    function_run("", 1);
    function_run("custom.triple: 7 cycles", 7);
    function_run("custom1: 5 cycles", 5);
    function_run("custom.triple: 7 cycles, custom1: 5 cycles", 7);
    function_run("custom0: 5 cycles", 1);
}

static void function_may_be_timed_by_a_unit(void **state)
{
    (void)state;
    function_run("custom.triple: unit", THERE_AND_BACK + 10);
    function_run("custom1: unit", THERE_AND_BACK + 10);
}

/* ---- Messages ---- */

static void few_operands_are_packed_as_64_bits(void **state)
{
    const u32 text[] = { SET(5, -5), SET(6, 6), SET(7, 7), CUSTOM(BLOCK_2, 8, 5, 7), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = join_unit(&stand, "custom.block2: unit");
    stand_run(&stand, TEXT(text));
    const struct message *message = &unit->served[0].message;
    assert_int_equal(message->kind, 42);
    assert_int_equal(message->data.dword[0], UINT64_MAX - 4);
    assert_int_equal(message->data.dword[1], 6);
    assert_int_equal(message->data.dword[2], 7);
    assert_int_equal(message->data.dword[3], 0);
    assert_int_equal(message->size_bytes, MESSAGE_DATA_BYTES);
}

static void class_names_the_unit_of_all_its_messages(void **state)
{
    const u32 text[] = { CUSTOM(BLOCK_2, 8, 5, 7), CUSTOM(WIDE_4, 8, 5, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = join_unit(&stand, "custom1: unit");
    stand_run(&stand, TEXT(text));
    assert_int_equal(unit->served[0].message.kind, 42);
    assert_int_equal(unit->served[1].message.kind, 44);
}

static void many_operands_are_packed_as_32_bits(void **state)
{
    const u32 text[] = { SET(5, 100),          R(fmv_w_x, 8, 5, 0),      SET(5, 107),
                         R(fmv_w_x, 15, 5, 0), CUSTOM(BLOCK_8, 1, 8, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = join_unit(&stand, "custom.block8: unit");
    stand_run(&stand, TEXT(text));
    const struct message *message = &unit->served[0].message;
    assert_int_equal(message->data.word[0], 100);
    assert_int_equal(message->data.word[7], 107);
    assert_int_equal(message->data.word[3], 0);
}

static void third_source_comes_last(void **state)
{
    const u32 text[] = { SET(5, 50), SET(6, 60), SET(7, 70), CUSTOM(PAIR, 8, 5, 6) | 7u << 27,
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = join_unit(&stand, "custom.pair: unit");
    stand_run(&stand, TEXT(text));
    const struct message *message = &unit->served[0].message;
    assert_int_equal(message->data.dword[0], 50);
    assert_int_equal(message->data.dword[1], 60);
    assert_int_equal(message->data.dword[2], 70);
}

static void answer_words(struct message *answer, u32 index)
{
    (void)index;
    for (u32 i = 0; i < 8; i++)
        answer->data.word[i] = 0x80000000 + i;
}

static void few_results_are_unpacked_as_64_bits(void **state)
{
    const u32 text[] = { CUSTOM(WIDE_4, 20, 5, 0), R(add, 5, 20, 0), READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = join_unit(&stand, "custom.wide4: unit");
    unit->change = answer_words;
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 20), UINT64_C(0x8000000180000000));
    assert_int_equal(bench_x(stand.core, 0, 23), UINT64_C(0x8000000780000006));
    assert_int_equal(bench_x(stand.core, 0, 24), 0);
    assert_int_equal(bench_x(stand.core, 0, 6), THERE_AND_BACK + 10 + 1);
}

static void many_results_are_unpacked_as_boxed_floats(void **state)
{
    const u32 text[] = { CUSTOM(WIDE_6, 20, 5, 0), R(fmv_x_d, 5, 25, 0), READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = join_unit(&stand, "custom.wide6: unit");
    unit->change = answer_words;
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), UINT64_C(0xffffffff80000005));
    assert_int_equal(bench_x(stand.core, 0, 6), THERE_AND_BACK + 10 + 1);
    assert_int_equal(stand.core->threads[0].hart.f[26], 0);
}

static void all_registers_of_a_block_are_waited_for(void **state)
{
    const u32 text[] = {
        CUSTOM(WIDE_4, 20, 5, 0), SET(24, 1), READ_CYCLE(5), SET(23, 1), READ_CYCLE(6), EXIT_WELL
    };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_unit(&stand, "custom.wide4: unit");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), 2);
    assert_int_equal(bench_x(stand.core, 0, 6), THERE_AND_BACK + 10 + 1);
    assert_int_equal(bench_x(stand.core, 0, 23), 1);
    assert_int_equal(bench_core_stat(stand.core, "hazard_custom1"), 12 - 3);
}

static void answer_to_a_message_is_never_a_memory_fault(void **state)
{
    const u32 text[] = { CUSTOM(BLOCK_2, 8, 5, 7), CUSTOM(PAIR, 8, 5, 6), R(add, 9, 8, 0),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_unit(&stand, "custom1: unit"); /* 42 and 46 have nothing to do with enum memory_kind */
    stand_run(&stand, TEXT(text));
    assert_int_equal(stand.core->output.fault.kind, FAULT_NONE);
}

/* What was in the place before must not look like operands. */
static void message_without_operands_is_empty(void **state)
{
    const u32 text[] = { SET(5, 99), CUSTOM(BLOCK_2, 8, 5, 7), R(add, 8, 8, 0), NEXT(9),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *unit = bench_server(stand.sim, stand.domain, 0, 1);
    bench_core_ask(stand.sim, stand.core, "unit", unit->mock, 1, 1);
    bench_core_execute(stand.core, "custom.block2: unit, custom.next: unit");
    stand_run(&stand, TEXT(text));
    assert_int_equal(unit->served[1].message.kind, MESSAGE_NEXT);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(unit->served[1].message.data.dword[i], 0);
}

/* ---- Those that come with Ogive ---- */

static void next_gives_each_thread_its_own_numbers(void **state)
{
    const u32 text[] = { NEXT(5), NEXT(6), R(add, 7, 5, 6), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    struct unit *threads = bench_unit(stand.sim, stand.domain, &unit_type_threads, NO_CLOCK);
    bench_core_ask_unit(stand.sim, stand.core, "dispatch", threads, "users", 1, 4);
    bench_core_execute(stand.core, "custom.next: dispatch");
    bench_init(threads);
    stand_run(&stand, TEXT(text));
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(bench_x(stand.core, i, 5), i);
        assert_int_equal(bench_x(stand.core, i, 6), 2 + i);
        /* The second is asked for in 2 + i and answered two cycles later. */
        assert_int_equal(bench_x(stand.core, i, 8), 6 + i);
    }
    assert_int_equal(bench_stat(threads, "given"), 4);
}

static void barrier_holds_threads_until_the_last_has_come(void **state)
{
    const u32 text[] = {
        BARRIER(5), R(add, 6, 5, 0), READ_CYCLE(7), EXIT_WELL, NOP, NOP, NOP, NOP, NOP, NOP,
        NOP,        J(jal, 0, -13)
    };
    (void)state;
    struct core_stand stand = stand_core(3);
    struct unit *barrier = bench_unit(stand.sim, stand.domain, &unit_type_barrier, NO_CLOCK);
    bench_set(barrier, "arrivals", 3);
    bench_core_ask_unit(stand.sim, stand.core, "barrier", barrier, "users", 1, 1);
    bench_core_execute(stand.core, "custom.barrier: barrier");
    bench_init(barrier);
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 6);
    stand_finish(&stand, SIM_FINISHED);
    /* Thread 1 comes last: sent in 10, there in 11, released in 12. The link of one place takes an
     * answer in every other cycle: the core has them in 13, 15, 17, those of threads 0, 2 and 1. */
    assert_int_equal(bench_x(stand.core, 0, 7), 14);
    assert_int_equal(bench_x(stand.core, 2, 7), 18);
    assert_int_equal(bench_x(stand.core, 1, 7), 20);
    assert_int_equal(bench_stat(barrier, "rounds"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(function_takes_the_latency_of_its_name_or_class),
        bench_test_all_ways(function_may_be_timed_by_a_unit),
        bench_test_all_ways(few_operands_are_packed_as_64_bits),
        bench_test_all_ways(class_names_the_unit_of_all_its_messages),
        bench_test_all_ways(many_operands_are_packed_as_32_bits),
        bench_test_all_ways(third_source_comes_last),
        bench_test_all_ways(few_results_are_unpacked_as_64_bits),
        bench_test_all_ways(many_results_are_unpacked_as_boxed_floats),
        bench_test_all_ways(all_registers_of_a_block_are_waited_for),
        bench_test_all_ways(answer_to_a_message_is_never_a_memory_fault),
        bench_test_all_ways(message_without_operands_is_empty),
        bench_test_all_ways(next_gives_each_thread_its_own_numbers),
        bench_test_all_ways(barrier_holds_threads_until_the_last_has_come),
    };
    return cmocka_run_group_tests_name("core_custom", tests, add_customs, NULL);
}
