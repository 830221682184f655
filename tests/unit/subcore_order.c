/* subcore_order.c - threads of a warp that come apart, with an order of the program's ways: whoever
 * is to be waited for goes first, wherever a compiler has put it. */
#include "unit/subcore_stand.h"

static struct stand order_make(u32 width, const char *policy)
{
    struct stand stand = stand_make(1, width);
    bench_set_choice(&stand.subcore->base, "reconvergence", policy);
    return stand;
}

/* The cycles in which odd and even threads came to the end, where they read them. */
static void ends_check(const u32 *text, u32 count, const char *policy, u64 odd, u64 even)
{
    struct stand stand = order_make(8, policy);
    stand_go(&stand, text, count);
    for (u32 thread = 0; thread < 8; thread++)
        assert_int_equal(x_of(&stand, thread, 9), thread % 2 ? odd : even);
    bench_destroy(stand.sim);
}

static void a_block_out_of_line_is_waited_for(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(bne, 5, 0, 6), READ_CYCLE(9), EXIT_WELL,
        I(jalr, 0, 1, 0),  SET(6, 7),       J(jal, 0, -6),
    };
    (void)state;
    ends_check(TEXT(text), "order", 4, 4);
    ends_check(TEXT(text), "least_pc", 11, 2);
}

/* The way out of the loop lies in the middle of it. */
static void whoever_has_left_a_loop_waits(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(bne, 5, 0, 6),   READ_CYCLE(9), EXIT_WELL, /* 1: the loop's head */
        I(jalr, 0, 1, 0),  I(addi, 5, 5, -1), J(jal, 0, -7),
    };
    (void)state;
    ends_check(TEXT(text), "order", 5, 5);
    ends_check(TEXT(text), "least_pc", 12, 2);
}

/* A function that takes no stack lies behind the loop that calls it; odd threads call it twice. */
static void whoever_has_called_goes_first(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), J(jal, 1, 7), I(addi, 5, 5, -1), B(bge, 5, 0, -2),
        READ_CYCLE(9),     EXIT_WELL,    I(addi, 6, 6, 1), /* 8: the function */
        I(jalr, 0, 1, 0),
    };
    (void)state;
    ends_check(TEXT(text), "order", 11, 11);
    ends_check(TEXT(text), "least_pc", 18, 7);
}

/* Each thread calls the function as often as its number says: those that are deeper come first. */
static void depths_are_told_apart(void **state)
{
    const u32 text[] = {
        J(jal, 1, 4),       EXIT_WELL, /* 0 */
        B(beq, 10, 0, 7),              /* 4: the function */
        I(addi, 2, 2, -16), S(sd, 1, 2, 8),    I(addi, 10, 10, -1), J(jal, 1, -4),
        I(ld, 1, 2, 8),     I(addi, 2, 2, 16), I(addi, 7, 7, 1), /* 11: all depths */
        I(jalr, 0, 1, 0),
    };
    (void)state;
    struct stand stand = order_make(4, "order");
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 4; thread++)
        assert_int_equal(x_of(&stand, thread, 7), thread + 1);
    assert_int_equal(stat(&stand, "issued"), 1 + 4 + 3 * 6 + 4 * 2 + 2 + 4);
}

/* The first thread is to set what all others look at, without an atomic, a pause or a fence: it
 * comes behind their loop, and has its turn when they have gone round often enough. */
static void whoever_is_looked_for_comes(void **state)
{
    const u32 text[] = {
        SET(5, 256),  SET(6, 1),     B(beq, 10, 0, 4), I(lw, 7, 5, 0), B(beq, 7, 0, -1),
        J(jal, 0, 3), READ_CYCLE(8), S(sw, 6, 5, 0),   EXIT_WELL,
    };
    (void)state;
    struct stand stand = order_make(4, "order");
    bench_set(&stand.subcore->base, "patience", 100);
    join_true_memory(&stand, 9);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 107);
    assert_int_equal(x_of(&stand, 3, 7), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(a_block_out_of_line_is_waited_for),
        bench_test_all_ways(whoever_has_left_a_loop_waits),
        bench_test_all_ways(whoever_has_called_goes_first),
        bench_test_all_ways(depths_are_told_apart),
        bench_test_all_ways(whoever_is_looked_for_comes),
    };
    return cmocka_run_group_tests_name("subcore_order", tests, NULL, NULL);
}
