/* core_faults.c - programs that end: well, badly, or by doing what cannot be done. */
#include "ogive/memory.h"

#include "base/text.h"
#include "unit/bench_core.h"

static struct server *join_memory(struct core_stand *stand, cycle latency)
{
    struct server *memory = bench_server(stand->sim, stand->domain, 0, latency);
    bench_core_ask(stand->sim, stand->core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand->core, "load: memory");
    return memory;
}

static void expect_fault(const struct core_stand *stand, enum program_fault_kind kind, cycle at,
                         u64 pc, u64 address)
{
    const struct program_fault *fault = &stand->core->output.fault;
    assert_int_equal(fault->kind, kind);
    assert_int_equal(fault->at, at);
    assert_int_equal(fault->pc, pc);
    assert_int_equal(fault->address, address);
}

static void run_to_fault(struct core_stand *stand, const u32 *text, u32 count)
{
    stand_load(stand, text, count);
    stand_finish(stand, SIM_STOPPED);
}

/* ---- Calls to the host ---- */

static void exit_code_is_the_first_that_is_not_zero(void **state)
{
    const u32 text[] = { EXIT };
    (void)state;
    struct core_stand stand = stand_core(4);
    stand_run(&stand, TEXT(text));
    assert_int_equal(stand.core->output.exit_code, 1); /* the number of the thread is in a0 */
    assert_int_equal(stand.core->output.fault.kind, FAULT_NONE);
}

static void exit_code_may_be_large(void **state)
{
    const u32 text[] = { SET(10, -1), EXIT };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(stand.core->output.exit_code, UINT64_MAX);
}

static void halted_cycles_are_counted(void **state)
{
    const u32 text[] = { EXIT, NOP, NOP, NOP, NOP, EXIT };
    (void)state;
    struct core_stand stand = stand_core(2);
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 2);
    stand_finish(&stand, SIM_FINISHED);
    /* Thread 0 issues in 0 and 2, thread 1 in 1, 3, 4, 5, 6, 7. */
    assert_int_equal(bench_core_stat(stand.core, "halted"), 8 - 3);
    assert_int_equal(bench_core_stat(stand.core, "passed"), 1 + 2);
}

static void expect_console(const struct core *core, const char *words)
{
    struct text text = { 0 };
    program_console_read(&core->output.console, &text);
    assert_string_equal(text_get(&text), words);
    text_fini(&text);
}

static void characters_are_kept_in_order(void **state)
{
    const u32 text[] = { SET(10, 'h'), CALL(CALL_PUTC), SET(10, 'i'), CALL(CALL_PUTC), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    expect_console(stand.core, "hi");
    assert_int_equal(bench_core_stat(stand.core, "issued_system"), 3);
}

/* Prints `a` to `z` again and again: 1500 times three of one. */
static void load_printing(struct core_stand *stand)
{
    const u32 text[] = { SET(5, 1500),       SET(6, 'z'),        SET(10, 'a'),
                         SET(17, CALL_PUTC), I(ecall, 0, 0, 0),  I(ecall, 0, 0, 0),
                         I(ecall, 0, 0, 0),  I(addi, 10, 10, 1), B(bge, 6, 10, 2),
                         SET(10, 'a'),       I(addi, 5, 5, -1),  B(bne, 5, 0, -7),
                         EXIT_WELL };
    stand_load(stand, TEXT(text));
}

static void characters_without_end_are_kept(void **state)
{
    char words[4501] = "";
    u32 calls = 0;
    (void)state;
    struct core_stand stand = stand_core(1);
    load_printing(&stand);
    while (bench_run(stand.sim, NEVER) == SIM_CALLED) {
        stand.domain->called = false;
        unit_type_core.attend(&stand.core->base);
        calls++;
    }
    assert_int_equal(calls, 1);
    for (u32 i = 0; i < 4500; i++)
        words[i] = (char)('a' + i / 3 % 26);
    expect_console(stand.core, words);
    assert_int_equal(stand.core->output.console.lost, 0);
}

/* As when the chip's state has taken all the room that there is. */
static void characters_that_are_lost_are_counted(void **state)
{
    (void)state;
    struct core_stand stand = stand_core(1);
    load_printing(&stand);
    stand.core->output.console.call_at = UINT32_MAX;
    stand_finish(&stand, SIM_FINISHED);
    assert_int_equal(stand.core->output.console.length, 4096);
    assert_int_equal(stand.core->output.console.lost, 4500 - 4096);
}

static void image_is_remembered(void **state)
{
    const u32 text[] = { SET(10, 1024), SET(11, 64), SET(12, 48), CALL(CALL_IMAGE), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(stand.core->output.image.address, 1024);
    assert_int_equal(stand.core->output.image.width, 64);
    assert_int_equal(stand.core->output.image.height, 48);
}

static void unknown_call_is_a_fault(void **state)
{
    const u32 text[] = { SET(17, 1234), I(ecall, 0, 0, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_CALL, 1, PC(1), 1234);
    assert_int_equal(bench_core_stat(stand.core, "issued"), 1);
}

/* ---- What cannot be done ---- */

static void illegal_instruction_is_a_fault(void **state)
{
    const u32 text[] = { NOP, 0xffffffff, EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_ILLEGAL, 1, PC(1), 0);
}

/* Whatever the others do at once: in turn, four threads come to it in cycle 8. */
static void reserved_rounding_is_a_fault_in_its_turn(void **state)
{
    const u32 text[] = {
        I(csrrwi, 0, 5, 2), NOP, R(fadd_s, 1, 2, 3) | 7u << 12, NOP, NOP, NOP, NOP, NOP, NOP,
        EXIT_WELL
    };
    (void)state;
    struct core_stand stand = stand_core(4);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_ILLEGAL, 8, PC(2), 0);
}

static void ebreak_is_a_fault(void **state)
{
    const u32 text[] = { NOP, I(ebreak, 0, 0, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_BREAK, 1, PC(1), 0);
}

static void jump_out_of_the_text_is_a_fault(void **state)
{
    const u32 text[] = { I(jalr, 1, 0, 0x100), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_FETCH, 1, 0x100, 0x100);
}

static void running_over_the_end_is_a_fault(void **state)
{
    const u32 text[] = { NOP, NOP };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_profile(stand.core);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_FETCH, 2, PC(2), PC(2));
}

static void load_without_a_memory_is_a_fault(void **state)
{
    const u32 text[] = { NOP, I(ld, 5, 0, 64), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_NO_UNIT, 1, PC(1), 64);
}

static void message_without_a_unit_is_a_fault(void **state)
{
    const u32 text[] = { NOP, NEXT(5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_NO_UNIT, 1, PC(1), 0);
}

static void access_across_a_sector_is_a_fault(void **state)
{
    const u32 text[] = { NOP, I(ld, 5, 0, 25), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_memory(&stand, 5);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_MISALIGNED, 1, PC(1), 25);
}

static void misaligned_atomic_is_a_fault(void **state)
{
    const u32 text[] = { SET(5, 4), R(amoadd_d, 6, 5, 5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_memory(&stand, 5);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_MISALIGNED, 1, PC(1), 4);
}

static void misaligned_private_atomic_is_a_fault(void **state)
{
    const u32 text[] = { I(addi, 5, 2, -12), R(amoadd_d, 6, 5, 5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_MISALIGNED, 1, PC(1), STACK_WINDOW + 1024 - 12);
}

static void access_outside_the_stack_is_a_fault(void **state)
{
    static const struct {
        int offset; /* from the end of a stack of 256 bytes */
        bool fits;
    } cases[] = { { -8, true }, { -256, true }, { -257, false }, { -264, false },
                  { 0, false }, { -4, false },  { 2047, false }, { -2048, false } };
    (void)state;
    for (u32 i = 0; i < LENGTH(cases); i++) {
        const u32 text[] = { NOP, S(sd, 5, 2, cases[i].offset), EXIT_WELL };
        struct core_stand stand = stand_core(2);
        bench_set(&stand.core->base, "stack", 256);
        stand_load(&stand, TEXT(text));
        stand_finish(&stand, cases[i].fits ? SIM_FINISHED : SIM_STOPPED);
        if (!cases[i].fits)
            expect_fault(&stand, FAULT_STACK, 2, PC(1),
                         STACK_WINDOW + 256 + (u64)(i64)cases[i].offset);
        bench_destroy(stand.sim);
    }
}

static void address_far_below_the_stack_belongs_to_it(void **state)
{
    const u32 text[] = { U(lui, 5, 0xff0), R(sub, 6, 2, 5), I(ld, 7, 6, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_memory(&stand, 5);
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_STACK, 2, PC(2), STACK_WINDOW + 1024 - 0xff0000);
}

/* ---- Faults that memory finds ---- */

static void fail_second(struct message *answer, u32 index)
{
    if (index == 1)
        answer->kind = MEMORY_FAULT;
}

static void access_fault_names_the_access(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 0), I(ld, 6, 0, 512), NOP, NOP, R(add, 7, 5, 5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 10);
    memory->change = fail_second;
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_ACCESS, 1 + 2 + 10, PC(1), 512);
    assert_int_equal(bench_core_stat(stand.core, "issued"), 5);
}

static void fault_of_a_scratchpad_names_the_address_in_its_window(void **state)
{
    const u32 text[] = { SET(5, 0x7e),    I(slli, 5, 5, 40), NOP,      NOP,
                         I(ld, 6, 5, 16), I(ld, 6, 5, 8),    EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *pad = bench_server(stand.sim, stand.domain, 0, 3);
    pad->change = fail_second;
    bench_core_ask(stand.sim, stand.core, "pad", pad->mock, 1, 8);
    bench_core_execute(stand.core, "scratch: pad");
    run_to_fault(&stand, TEXT(text));
    assert_int_equal(stand.core->output.fault.address, SCRATCH_WINDOW + 8);
}

static void last_store_of_an_ended_thread_can_still_fail(void **state)
{
    const u32 text[] = { S(sd, 5, 0, 0), S(sd, 5, 0, 1024), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 50);
    memory->change = fail_second;
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_ACCESS, 53, PC(1), 1024);
    assert_int_equal(stand.core->output.exit_code, 0);
}

static void only_the_first_fault_is_kept(void **state)
{
    const u32 text[] = { NOP, 0, NOP, NOP, NOP, I(ebreak, 0, 0, 0) };
    (void)state;
    struct core_stand stand = stand_core(2);
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 0, 2);
    stand_finish(&stand, SIM_STOPPED);
    assert_int_equal(stand.core->output.fault.thread, 1);
    assert_int_equal(stand.core->output.fault.kind, FAULT_ILLEGAL);
    assert_int_equal(stand.core->running, 0);
}

static void answers_to_a_failed_thread_change_nothing(void **state)
{
    const u32 text[] = { SET(5, 7), I(ld, 5, 0, 0), 0 };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_memory(&stand, 20);
    run_to_fault(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), 7);
    assert_int_equal(stand.core->threads[0].under_way, 0);
}

static void failed_fetch_is_an_access_fault(void **state)
{
    const u32 text[] = { NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *icache = bench_server(stand.sim, stand.domain, 0, 3);
    icache->change = fail_second;
    bench_core_ask(stand.sim, stand.core, "icache", icache->mock, 1, 8);
    bench_core_execute(stand.core, "fetch: icache");
    run_to_fault(&stand, TEXT(text));
    expect_fault(&stand, FAULT_ACCESS, 5 + 8 + 5, PC(8), PC(8));
}

/* ---- The table ---- */

static void refused_table(const char *table, const char *words)
{
    struct core_stand stand = stand_core(1);
    join_memory(&stand, 5);
    bench_core_execute(stand.core, table);
    bench_init_refused(&stand.core->base, words);
    bench_destroy(stand.sim);
}

static void wrong_tables_are_refused(void **state)
{
    (void)state;
    refused_table("int_mull: 3 cycles", "'int_mul'");
    refused_table("load: memroy", "'memory'");
    refused_table("int_mul: 0 cycles", "1 to 1000");
    refused_table("int_mul: 1001 cycles", "1 to 1000");
    refused_table("int_mul: 3 MHz", "execute");
    refused_table("custom.nxt: memory", "'next'");
    refused_table("fetch: 3 cycles", "3 cycles");
    refused_table("load: 3 cycles", "load");
    refused_table("load: memory, atomic: 3 cycles", "atomic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(exit_code_is_the_first_that_is_not_zero),
        bench_test_all_ways(exit_code_may_be_large),
        bench_test_all_ways(halted_cycles_are_counted),
        bench_test_all_ways(characters_are_kept_in_order),
        bench_test_all_ways(characters_without_end_are_kept),
        bench_test_all_ways(characters_that_are_lost_are_counted),
        bench_test_all_ways(image_is_remembered),
        bench_test_all_ways(unknown_call_is_a_fault),
        bench_test_all_ways(illegal_instruction_is_a_fault),
        bench_test_all_ways(reserved_rounding_is_a_fault_in_its_turn),
        bench_test_all_ways(ebreak_is_a_fault),
        bench_test_all_ways(jump_out_of_the_text_is_a_fault),
        bench_test_all_ways(running_over_the_end_is_a_fault),
        bench_test_all_ways(load_without_a_memory_is_a_fault),
        bench_test_all_ways(message_without_a_unit_is_a_fault),
        bench_test_all_ways(access_across_a_sector_is_a_fault),
        bench_test_all_ways(misaligned_atomic_is_a_fault),
        bench_test_all_ways(misaligned_private_atomic_is_a_fault),
        bench_test_all_ways(access_outside_the_stack_is_a_fault),
        bench_test_all_ways(address_far_below_the_stack_belongs_to_it),
        bench_test_all_ways(access_fault_names_the_access),
        bench_test_all_ways(fault_of_a_scratchpad_names_the_address_in_its_window),
        bench_test_all_ways(last_store_of_an_ended_thread_can_still_fail),
        bench_test_all_ways(only_the_first_fault_is_kept),
        bench_test_all_ways(answers_to_a_failed_thread_change_nothing),
        bench_test_all_ways(failed_fetch_is_an_access_fault),
        bench_test(wrong_tables_are_refused),
    };
    return cmocka_run_group_tests_name("core_faults", tests, NULL, NULL);
}
