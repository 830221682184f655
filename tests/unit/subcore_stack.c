/* subcore_stack.c - threads of a warp that come apart, with a stack of ways: who goes first, where
 * they meet again, and that nobody waits for ever. */
#include "unit/subcore_stand.h"

static struct stand stack_make(u32 warps, u32 width, const char *policy)
{
    struct stand stand = stand_make(warps, width);
    bench_set_choice(&stand.subcore->base, "reconvergence", policy);
    return stand;
}

/* The cycles in which odd and even threads were where a register was set. */
static void cycles_check(const struct stand *stand, u32 number, u64 odd, u64 even)
{
    for (u32 thread = 0; thread < stand->subcore->p.width; thread++)
        assert_int_equal(x_of(stand, thread, number), thread % 2 ? odd : even);
}

/* ---- Who goes first, and where they meet ---- */

static void whoever_takes_the_branch_goes_first(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),                /* odd threads ... */
        B(beq, 5, 0, 3),   READ_CYCLE(8), /* ... go here */
        J(jal, 0, 2),      READ_CYCLE(8), /* even ones there, */
        READ_CYCLE(9),                    /* and all of them here */
        EXIT_WELL,
    };
    (void)state;
    struct stand stand = stack_make(1, 8, "stack");
    stand_go(&stand, TEXT(text));
    cycles_check(&stand, 8, 3, 2);
    cycles_check(&stand, 9, 5, 5);
    bench_destroy(stand.sim);
    stand = stack_make(1, 8, "least_pc");
    stand_go(&stand, TEXT(text));
    cycles_check(&stand, 8, 2, 4);
    cycles_check(&stand, 9, 5, 5);
}

/* A block out of line, as compilers put what is not likely, lies behind the place where it leads:
 * with the least pc first its threads come too late. */
static void ways_meet_in_front_of_a_block_out_of_line(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(bne, 5, 0, 6), READ_CYCLE(9), EXIT_WELL,
        I(jalr, 0, 1, 0),  SET(6, 7),       J(jal, 0, -6),
    };
    (void)state;
    struct stand stand = stack_make(1, 8, "stack");
    stand_go(&stand, TEXT(text));
    cycles_check(&stand, 9, 4, 4);
    assert_int_equal(stat(&stand, "issued"), 2 + 2 + 1 + 2 + 8);
    bench_destroy(stand.sim);
    stand = stack_make(1, 8, "least_pc");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 9), 2);
    assert_int_equal(stat(&stand, "issued"), 2 + 2 + 2 * (1 + 2) + 8);
}

/* The inner ways end first, and one that ends where an outer one does ends both. */
static void ways_within_ways(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), I(andi, 6, 10, 2), B(beq, 5, 0, 3), /* even threads to 5 */
        READ_CYCLE(8),     J(jal, 0, 4),                       /* odd ones, then to 8 */
        B(beq, 6, 0, 2),   READ_CYCLE(8),                      /* 2, 6; 0 and 4 do not */
        READ_CYCLE(9),                                         /* all even ones */
        READ_CYCLE(7),     EXIT_WELL,
    };
    (void)state;
    struct stand stand = stack_make(1, 8, "stack");
    stand_go(&stand, TEXT(text));
    cycles_check(&stand, 7, 8, 8);
    for (u32 thread = 0; thread < 8; thread += 2) {
        assert_int_equal(x_of(&stand, thread, 9), 5);
        assert_int_equal(x_of(&stand, thread, 8), thread % 4 ? 4 : 0);
    }
    assert_int_equal(x_of(&stand, 1, 8), 6);
}

/* Two returns, and nothing in the function that both ways come to: they meet where it was called.
 */
static void ways_to_returns_meet_behind_the_call(void **state)
{
    const u32 text[] = {
        J(jal, 1, 5), READ_CYCLE(9),    EXIT_WELL, I(andi, 5, 10, 1), B(bne, 5, 0, 3),
        SET(6, 5),    I(jalr, 0, 1, 0), SET(6, 7), SET(6, 8),         I(jalr, 0, 1, 0),
    };
    (void)state;
    struct stand stand = stack_make(1, 8, "stack");
    stand_go(&stand, TEXT(text));
    cycles_check(&stand, 6, 8, 5);
    cycles_check(&stand, 9, 8, 8);
}

/* Each thread calls the function as often as its number says; the place where its ways meet comes
 * once for every depth, and those that are deeper come first. */
static void the_stack_pointer_tells_depths_apart(void **state)
{
    const u32 text[] = {
        J(jal, 1, 4),       EXIT_WELL, /* 0 */
        B(beq, 10, 0, 7),              /* 4: the function */
        I(addi, 2, 2, -16), S(sd, 1, 2, 8),    I(addi, 10, 10, -1), J(jal, 1, -4),
        I(ld, 1, 2, 8),     I(addi, 2, 2, 16), I(addi, 7, 7, 1), /* 11: all depths */
        I(jalr, 0, 1, 0),
    };
    (void)state;
    struct stand stand = stack_make(1, 4, "stack");
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 4; thread++)
        assert_int_equal(x_of(&stand, thread, 7), thread + 1);
    assert_int_equal(stat(&stand, "issued"), 1 + 4 + 3 * 6 + 4 * 2 + 2 + 4);
}

/* Targets of a jump from a register go one after the other, the least one first, and meet where
 * the function returns to. */
static void targets_of_a_switch_go_in_order(void **state)
{
    const u32 text[] = {
        J(jal, 1, 5),      READ_CYCLE(9),     EXIT_WELL,      /* 0 */
        I(andi, 5, 10, 3), I(slli, 5, 5, 3),  U(auipc, 6, 0), /* 5 */
        R(add, 6, 6, 5),   I(jalr, 0, 6, 12),                 /* 8: 8 bytes for each case */
        READ_CYCLE(8),     I(jalr, 0, 1, 0),  READ_CYCLE(8),  I(jalr, 0, 1, 0),
        READ_CYCLE(8),     I(jalr, 0, 1, 0),  READ_CYCLE(8),  I(jalr, 0, 1, 0),
    };
    (void)state;
    struct stand stand = stack_make(1, 8, "stack");
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 8; thread++) {
        assert_int_equal(x_of(&stand, thread, 8), 6 + 2 * (thread % 4));
        assert_int_equal(x_of(&stand, thread, 9), 14);
    }
}

/* ---- Waiting ---- */

/* Threads that wait for an atomic keep the others of their warp from going on, until these have
 * waited for `patience` cycles. */
static u64 cycle_of_the_others(const char *policy, u64 patience, u64 *met)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),
        B(beq, 5, 0, 3),
        READ_CYCLE(8),
        J(jal, 0, 4),
        R(amoswap_w, 6, 5, 0),
        R(add, 7, 6, 6),
        NOP,
        READ_CYCLE(9),
        EXIT_WELL,
    };
    struct stand stand = stack_make(1, 4, policy);
    bench_set(&stand.subcore->base, "patience", patience);
    join_memory(&stand, 40);
    stand_go(&stand, TEXT(text));
    u64 issued = x_of(&stand, 1, 8);
    *met = x_of(&stand, 1, 9);
    bench_destroy(stand.sim);
    return issued;
}

static void others_wait_for_an_answer_too(void **state)
{
    u64 met;
    (void)state;
    /* Issued in cycle 2, sent in 3 and 4, answered 40 cycles after 5: the sum issues in 46. */
    assert_int_equal(cycle_of_the_others("stack", 1000, &met), 48);
    assert_int_equal(met, 50);
    assert_int_equal(cycle_of_the_others("stack", 20, &met), 1 + 20);
    assert_int_equal(cycle_of_the_others("least_pc", 1000, &met), 2);
}

/* ---- Nobody waits for ever ---- */

static void threads_take_a_lock_in_turn(const char *policy)
{
    const u32 text[] = {
        SET(5, 256),           SET(6, 1),       R(amoswap_w, 7, 5, 6), /* until the lock was free */
        B(bne, 7, 0, -1),      I(lw, 8, 5, 64), I(addi, 8, 8, 1),
        S(sw, 8, 5, 64),       FENCE, /* what it guards */
        R(amoswap_w, 0, 5, 0), EXIT_WELL,
    };
    struct stand stand = stack_make(2, 16, policy);
    join_true_memory(&stand, 9);
    stand_go(&stand, TEXT(text));
    u64 most = 0;
    for (u32 thread = 0; thread < 32; thread++)
        most = max_u64(most, x_of(&stand, thread, 8));
    assert_int_equal(most, 32);
    bench_destroy(stand.sim);
}

static void locks_within_a_warp(void **state)
{
    (void)state;
    threads_take_a_lock_in_turn("least_pc");
    threads_take_a_lock_in_turn("stack");
    threads_take_a_lock_in_turn("order");
}

static void threads_count_with_reservations(const char *policy)
{
    const u32 text[] = {
        SET(5, 256),      R(lr_w, 6, 5, 0), I(addi, 7, 6, 1),
        R(sc_w, 8, 5, 7), B(bne, 8, 0, -3), EXIT_WELL,
    };
    struct stand stand = stack_make(2, 8, policy);
    join_true_memory(&stand, 9);
    stand_go(&stand, TEXT(text));
    u64 seen = 0;
    for (u32 thread = 0; thread < 16; thread++)
        seen |= UINT64_C(1) << x_of(&stand, thread, 7);
    assert_int_equal(seen, 0x1fffe); /* 1 to 16, each once */
    bench_destroy(stand.sim);
}

static void reservations_within_a_warp(void **state)
{
    (void)state;
    threads_count_with_reservations("least_pc");
    threads_count_with_reservations("stack");
    threads_count_with_reservations("order");
}

/* The first thread is to set what all others look at, without an atomic, a pause or a fence. They
 * took the branch and go first: from cycle 2 on it waits, and has its turn when they have gone
 * round often enough. */
static void whoever_is_looked_for_comes(void **state)
{
    const u32 text[] = {
        SET(5, 256),  SET(6, 1),      B(bne, 10, 0, 4), READ_CYCLE(8), S(sw, 6, 5, 0),
        J(jal, 0, 3), I(lw, 7, 5, 0), B(beq, 7, 0, -1), EXIT_WELL,
    };
    (void)state;
    struct stand stand = stack_make(1, 4, "stack");
    bench_set(&stand.subcore->base, "patience", 100);
    join_true_memory(&stand, 9);
    stand_go(&stand, TEXT(text));
    /* They branch in cycle 15 and every 13 cycles from then on: 102 is over in 106. */
    assert_int_equal(x_of(&stand, 0, 8), 107);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(whoever_takes_the_branch_goes_first),
        bench_test_all_ways(ways_meet_in_front_of_a_block_out_of_line),
        bench_test_all_ways(ways_within_ways),
        bench_test_all_ways(ways_to_returns_meet_behind_the_call),
        bench_test_all_ways(the_stack_pointer_tells_depths_apart),
        bench_test_all_ways(targets_of_a_switch_go_in_order),
        bench_test_all_ways(others_wait_for_an_answer_too),
        bench_test_all_ways(locks_within_a_warp),
        bench_test_all_ways(reservations_within_a_warp),
        bench_test_all_ways(whoever_is_looked_for_comes),
    };
    return cmocka_run_group_tests_name("subcore_stack", tests, NULL, NULL);
}
