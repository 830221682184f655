/* subcore_operands.c - when operands are read and results written: banks, ports, collector units,
 * the read window, the register cache, the result bus. */
#include "unit/subcore_stand.h"

/* Even registers are in bank 0 and odd ones in bank 1, of x and of f. */
static struct stand stand_with(u32 warps, const char *operands)
{
    struct stand stand = stand_make(warps, 8);
    bench_set_choice(&stand.subcore->base, "operands", operands);
    return stand;
}

static void stand_set(struct stand *stand, const char *param, u64 value)
{
    bench_set(&stand->subcore->base, param, value);
}

/* ---- Collector units ---- */

/* When the sum of a sum can issue: its latency is 1. */
static u64 second_sum(const char *param, u64 value, u32 left, u32 right)
{
    const u32 text[] = { R(add, 6, left, right), R(add, 7, 6, 0), READ_CYCLE(8), EXIT_WELL };
    struct stand stand = stand_with(1, "collectors");
    stand_set(&stand, param, value);
    stand_go(&stand, TEXT(text));
    u64 at = x_of(&stand, 0, 8) - 1;
    bench_destroy(stand.sim);
    return at;
}

static void registers_of_a_bank_are_read_one_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(second_sum("register_ports", 1, 10, 11), 1);
    assert_int_equal(second_sum("register_ports", 1, 10, 12), 2);
    assert_int_equal(second_sum("register_ports", 2, 10, 12), 1);
    assert_int_equal(second_sum("register_banks", 4, 10, 12), 1);
    assert_int_equal(second_sum("register_banks", 4, 10, 14), 2);
    assert_int_equal(second_sum("register_ports", 1, 10, 0), 1); /* x0 is not read */
}

static void collector_takes_few_operands_in_a_cycle(void **state)
{
    (void)state;
    assert_int_equal(second_sum("collector_ports", 2, 10, 11), 1);
    assert_int_equal(second_sum("collector_ports", 1, 10, 11), 2);
}

static void collector_is_occupied_until_all_is_read(void **state)
{
    const u32 text[] = { R(add, 6, 10, 12), SET(7, 1), SET(9, 1), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    for (u32 units = 1; units <= 2; units++) {
        struct stand stand = stand_with(1, "collectors");
        stand_set(&stand, "collectors", units);
        stand_go(&stand, TEXT(text));
        /* Of one, until the end of cycle 1; the other serves the next two meanwhile. */
        assert_int_equal(x_of(&stand, 0, 8), units == 1 ? 4 : 3);
        assert_int_equal(stat(&stand, "operands"), units == 1 ? 1 : 0);
        assert_int_equal(stat(&stand, "operand_reads"), 2);
        assert_int_equal(stat(&stand, "register_conflicts"), 1);
        bench_destroy(stand.sim);
    }
}

static u64 conflicts_of_two_warps(const char *bank)
{
    const u32 text[] = { R(add, 6, 10, 12), EXIT_WELL };
    struct stand stand = stand_with(2, "collectors");
    bench_set_choice(&stand.subcore->base, "bank_of", bank);
    stand_go(&stand, TEXT(text));
    u64 conflicts = stat(&stand, "register_conflicts");
    bench_destroy(stand.sim);
    return conflicts;
}

/* The first warp reads in cycles 0 and 1, the second in 2 and 3, or, from the other bank, in 1 and
 * 2. */
static void bank_may_depend_on_the_warp(void **state)
{
    (void)state;
    assert_int_equal(conflicts_of_two_warps("by_register"), 3);
    assert_int_equal(conflicts_of_two_warps("by_register_and_warp"), 2);
}

static void access_is_sent_once_its_operands_are_read(void **state)
{
    const u32 text[] = { S(sw, 12, 10, 256), EXIT_WELL };
    (void)state;
    for (u32 ports = 1; ports <= 2; ports++) {
        struct stand stand = stand_with(1, "collectors");
        stand_set(&stand, "register_ports", ports);
        struct server *memory = join_memory(&stand, 5);
        stand_go(&stand, TEXT(text));
        assert_int_equal(memory->served[0].taken, 2);
        bench_destroy(stand.sim);
    }
    /* Four reads of one bank last to cycle 3: it leaves then, and arrives in 4. */
    const u32 late[] = { R(add, 6, 10, 12), S(sw, 12, 10, 256), EXIT_WELL };
    struct stand stand = stand_with(1, "collectors");
    struct server *memory = join_memory(&stand, 5);
    stand_go(&stand, TEXT(late));
    assert_int_equal(memory->served[0].taken, 4);
}

/* ---- The window ---- */

#define FMA(rd, rs1, rs2, rs3) R4(fmadd_s, rd, rs1, rs2, rs3)

/* Three reads of one bank fill the window of three cycles: nothing issues before the next three
 * fit. */
static void window_that_is_full_stops_all_warps(void **state)
{
    const u32 text[] = { FMA(1, 2, 4, 6), FMA(3, 2, 4, 6), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = stand_with(1, "window");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 4);
    assert_int_equal(stat(&stand, "operands"), 2);
    assert_int_equal(stat(&stand, "register_conflicts"), 2 + 2);
    bench_destroy(stand.sim);

    stand = stand_with(2, "window");
    stand_go(&stand, TEXT(text));
    /* In cycles 0, 3, 6 and 9, warps in turn, then each reads the cycle. */
    assert_int_equal(x_of(&stand, 0, 8), 10);
    assert_int_equal(x_of(&stand, 8, 8), 11);
    assert_int_equal(stat(&stand, "operands"), 2 * (2 + 2 + 2));
}

static void window_takes_two_reads_of_a_bank_for_a_while(void **state)
{
    const u32 text[] = { R(add, 5, 10, 12), R(add, 6, 10, 12), R(add, 7, 10, 12), READ_CYCLE(8),
                         EXIT_WELL };
    (void)state;
    /* Read in 0 and 1, in 2 and 3, and in 4 and 5: the third cannot issue before 3. */
    struct stand stand = stand_with(1, "window");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 4);
    bench_destroy(stand.sim);
    stand = stand_with(1, "window");
    stand_set(&stand, "read_window", 4);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 3);
    bench_destroy(stand.sim);
    stand = stand_with(1, "window");
    stand_set(&stand, "register_ports", 2);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 3);
}

/* ---- The register cache ---- */

static void cache_spares_what_is_read_again(void **state)
{
    const u32 same[] = { FMA(1, 2, 4, 6), FMA(3, 2, 4, 6), READ_CYCLE(8), EXIT_WELL };
    const u32 moved[] = { FMA(1, 2, 4, 6), FMA(3, 4, 6, 2), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = stand_with(1, "window");
    stand_set(&stand, "register_cache", 1);
    stand_go(&stand, TEXT(same));
    assert_int_equal(x_of(&stand, 0, 8), 2);
    assert_int_equal(stat(&stand, "register_hits"), 3);
    assert_int_equal(stat(&stand, "operand_reads"), 6);
    bench_destroy(stand.sim);
    stand = stand_with(1, "window");
    stand_set(&stand, "register_cache", 1);
    stand_go(&stand, TEXT(moved)); /* at other positions */
    assert_int_equal(x_of(&stand, 0, 8), 4);
    assert_int_equal(stat(&stand, "register_hits"), 0);
}

/* The first two read x10 at the same position, the third does not, and so there is no entry for the
 * fourth. */
static void entry_dies_unless_the_next_reads_it(void **state)
{
    const u32 text[] = { R(add, 5, 10, 12), R(add, 6, 10, 0), R(add, 7, 0, 12), R(add, 5, 10, 0),
                         EXIT_WELL };
    (void)state;
    struct stand stand = stand_with(1, "window");
    stand_set(&stand, "register_cache", 1);
    stand_go(&stand, TEXT(text));
    assert_int_equal(stat(&stand, "register_hits"), 1);
}

/* Warps in turn: one entry is overwritten by the other warp's before it is of use. */
static void warps_take_entries_from_each_other(void **state)
{
    const u32 text[] = { FMA(1, 2, 4, 6), FMA(3, 2, 4, 6), EXIT_WELL };
    (void)state;
    for (u32 entries = 1; entries <= 2; entries++) {
        struct stand stand = stand_with(2, "window");
        stand_set(&stand, "register_cache", entries);
        stand_go(&stand, TEXT(text));
        assert_int_equal(stat(&stand, "register_hits"), entries == 1 ? 0 : 6);
        bench_destroy(stand.sim);
    }
}

/* ---- Results ---- */

/* A product that is there in cycle 3, and what else issues in 1 and 2, with a latency of 1. */
static u64 behind_a_product(const char *bus, u32 slots, u32 beside)
{
    const u32 text[] = { R(mul, 5, 10, 10), SET(6, 1), SET(beside, 1), READ_CYCLE(8), EXIT_WELL };
    struct stand stand = stand_make(1, 8);
    stand_table(&stand, "int_mul: 3 cycles");
    bench_set_choice(&stand.subcore->base, "result_bus", bus);
    stand_set(&stand, "result_slots", slots);
    stand_set(&stand, "result_ports", slots);
    stand_go(&stand, TEXT(text));
    u64 at = x_of(&stand, 0, 8);
    assert_int_equal(stat(&stand, "result"), at - 3);
    bench_destroy(stand.sim);
    return at;
}

static void result_waits_for_a_place(void **state)
{
    (void)state;
    assert_int_equal(behind_a_product("free", 1, 7), 3);
    assert_int_equal(behind_a_product("slots", 1, 7), 4);
    assert_int_equal(behind_a_product("slots", 1, 18), 4);
    assert_int_equal(behind_a_product("slots", 2, 7), 3);
    assert_int_equal(behind_a_product("slots", 1, 0), 3); /* no result */
    assert_int_equal(behind_a_product("banks", 1, 7), 4);
    assert_int_equal(behind_a_product("banks", 1, 18), 3); /* to the other bank */
    assert_int_equal(behind_a_product("banks", 2, 7), 3);
}

/* The word arrives in cycle 9, as does the product, which was there first if to the same bank. */
static u64 load_beside_a_product(const char *bus, u32 product)
{
    const u32 text[] = { I(slli, 9, 10, 2), I(lw, 7, 9, 256), R(mul, product, 10, 10),
                         R(add, 18, 7, 7),  READ_CYCLE(8),    EXIT_WELL };
    struct stand stand = stand_make(1, 8);
    join_memory(&stand, 5);
    stand_table(&stand, "load: memory, int_mul: 7 cycles");
    bench_set_choice(&stand.subcore->base, "result_bus", bus);
    stand_go(&stand, TEXT(text));
    u64 at = x_of(&stand, 0, 8) - 1;
    assert_int_equal(stat(&stand, "results_late"), at - 9);
    bench_destroy(stand.sim);
    return at;
}

static void loads_lose_by_a_cycle(void **state)
{
    (void)state;
    assert_int_equal(load_beside_a_product("free", 5), 9);
    assert_int_equal(load_beside_a_product("banks", 5), 10);
    assert_int_equal(load_beside_a_product("banks", 6), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(registers_of_a_bank_are_read_one_after_the_other),
        bench_test_all_ways(collector_takes_few_operands_in_a_cycle),
        bench_test_all_ways(collector_is_occupied_until_all_is_read),
        bench_test_all_ways(bank_may_depend_on_the_warp),
        bench_test_all_ways(access_is_sent_once_its_operands_are_read),
        bench_test_all_ways(window_that_is_full_stops_all_warps),
        bench_test_all_ways(window_takes_two_reads_of_a_bank_for_a_while),
        bench_test_all_ways(cache_spares_what_is_read_again),
        bench_test_all_ways(entry_dies_unless_the_next_reads_it),
        bench_test_all_ways(warps_take_entries_from_each_other),
        bench_test_all_ways(result_waits_for_a_place),
        bench_test_all_ways(loads_lose_by_a_cycle),
    };
    return cmocka_run_group_tests_name("subcore_operands", tests, NULL, NULL);
}
