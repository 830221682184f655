/* subcore_whole.c - instructions for whole warps: when they issue, when their results are there,
 * and that they wait for all threads of the warp that have not ended. */
#include "unit/subcore_stand.h"

#define ACROSS(number, rd, rs1, rs2) encode_r(0x7bu | (u32)(number) << 25, rd, rs1, rs2)
#define SHUFFLE_XOR(rd, rs1, rs2)    ACROSS(1, rd, rs1, rs2)
#define BALLOT(rd, rs1)              ACROSS(8, rd, rs1, 0)
#define BLOCK_NEXT(rd, rs1, rs2)     encode_r(0x0bu | 6u << 25, rd, rs1, rs2)
#define BLOCK_BARRIER(rd, place)     encode_r(0x0bu | 7u << 25, rd, place, 0)

static struct stand whole_make(u32 warps, u32 width, const char *reconvergence)
{
    struct stand stand = stand_make(warps, width);
    bench_set_choice(&stand.subcore->base, "reconvergence", reconvergence);
    return stand;
}

static const char *const policies[] = { "least_pc", "stack", "order" };

/* ---- When ---- */

static void shuffle_can_be_read_after_the_latency(void **state)
{
    const u32 text[] = { SET(5, 1),       SHUFFLE_XOR(6, 10, 5), READ_CYCLE(8),
                         R(add, 7, 6, 6), READ_CYCLE(9),         EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 8);
    stand_table(&stand, "custom3: 24 cycles");
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 8; thread++) {
        assert_int_equal(x_of(&stand, thread, 7), 2 * (thread ^ 1));
        assert_int_equal(x_of(&stand, thread, 8), 2);  /* it does not stop what does not need it */
        assert_int_equal(x_of(&stand, thread, 9), 26); /* shuffled in 1, there in 25 */
    }
    assert_int_equal(stat(&stand, "hazard_custom3"), 22);
}

static void ballot_can_be_read_after_the_latency(void **state)
{
    const u32 text[] = { I(andi, 5, 10, 2), BALLOT(6, 5), I(addi, 7, 6, 1), READ_CYCLE(8),
                         EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 8);
    stand_table(&stand, "custom3: 24 cycles");
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 8; thread++) {
        assert_int_equal(x_of(&stand, thread, 7), 0xcc + 1);
        assert_int_equal(x_of(&stand, thread, 8), 26);
    }
}

/* Of any warp: shuffles in cycles 2, 6, 10 and 14, two of each warp. In 15 it is the first one's
 * turn. */
static void next_one_issues_after_the_interval(void **state)
{
    const u32 text[] = { SET(5, 1), SHUFFLE_XOR(6, 10, 5), SHUFFLE_XOR(7, 10, 5), READ_CYCLE(8),
                         EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(2, 4);
    bench_set_words(&stand.subcore->base, "interval", "custom3: 4 cycles");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 11);
    assert_int_equal(x_of(&stand, 4, 8), 16);
    assert_int_equal(x_of(&stand, 7, 7), 6);
}

/* ---- For whom ---- */

/* Odd threads take a way out of line: where the least pc goes first, the others are there long
 * before them. */
static void ballot_waits_for_threads_that_are_late(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(bne, 5, 0, 6), BALLOT(6, 2), READ_CYCLE(7), EXIT_WELL, NOP, NOP,
        J(jal, 0, -7),
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        stand_go(&stand, TEXT(text));
        for (u32 thread = 0; thread < 8; thread++) {
            assert_int_equal(x_of(&stand, thread, 6), 0xff);
            assert_int_equal(x_of(&stand, thread, 7), 6); /* 2, 3 and 4 are the way, 5 the ballot */
        }
        bench_destroy(stand.sim);
    }
}

/* Each way has one of its own, of another kind. None issues before all threads stand at one: the
 * even ones take three cycles longer. Then the odd ones, which are furthest behind, have theirs in
 * cycle 5, and the even ones when these have ended: in 15. */
static void threads_at_different_ones_go_one_group_after_the_other(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),
        B(beq, 5, 0, 4),
        BALLOT(6, 2),
        READ_CYCLE(7),
        J(jal, 0, 6),
        NOP,
        NOP,
        I(addi, 5, 5, 1),
        SHUFFLE_XOR(6, 10, 5),
        READ_CYCLE(7),
        READ_CYCLE(8),
        EXIT_WELL,
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        stand_go(&stand, TEXT(text));
        for (u32 thread = 0; thread < 8; thread++) {
            assert_int_equal(x_of(&stand, thread, 6), thread % 2 ? 0xaa : thread);
            assert_int_equal(x_of(&stand, thread, 7), thread % 2 ? 6 : 16);
            assert_int_equal(x_of(&stand, thread, 8), thread % 2 ? 8 : 17);
        }
        bench_destroy(stand.sim);
    }
}

/* The same with ballots: all threads are in both, and nobody gathers again for the second. */
static void threads_at_two_of_a_kind_tell_each_other(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),
        B(beq, 5, 0, 4),
        BALLOT(6, 2),
        READ_CYCLE(7),
        J(jal, 0, 6),
        NOP,
        NOP,
        NOP,
        BALLOT(6, 2),
        READ_CYCLE(7),
        READ_CYCLE(8),
        EXIT_WELL,
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        stand_go(&stand, TEXT(text));
        for (u32 thread = 0; thread < 8; thread++) {
            assert_int_equal(x_of(&stand, thread, 6), 0xff);
            assert_int_equal(x_of(&stand, thread, 7), thread % 2 ? 6 : 9);
            assert_int_equal(x_of(&stand, thread, 8), 10);
        }
        bench_destroy(stand.sim);
    }
}

/* Even threads write over what they tell. They are at theirs while the odd ones, at one behind it,
 * wait for what these tell, which comes from memory. */
static void shuffles_at_two_places_have_registers_of_their_own(void **state)
{
    const u32 text[] = {
        SET(11, 1),         I(slli, 12, 10, 2), I(addi, 14, 10, 100),
        S(sw, 14, 12, 256), I(andi, 5, 10, 1),  B(beq, 5, 0, 3),
        I(lw, 13, 12, 256), J(jal, 0, 4),       SHUFFLE_XOR(10, 10, 11),
        R(add, 7, 10, 10),  J(jal, 0, 3),       SHUFFLE_XOR(8, 13, 11),
        R(add, 7, 8, 8),    EXIT_WELL,
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        join_true_memory(&stand, 200);
        stand_go(&stand, TEXT(text));
        for (u32 thread = 0; thread < 8; thread++)
            assert_int_equal(x_of(&stand, thread, 7), 2 * ((thread ^ 1) + (thread % 2 ? 0 : 100)));
        bench_destroy(stand.sim);
    }
}

/* One of the two, and behind it what all come to next, lie before the other. */
static void the_next_one_waits_for_both_of_a_kind(void **state)
{
    const u32 text[] = {
        SET(11, 1),   I(andi, 5, 10, 1), B(beq, 5, 0, 4), BALLOT(6, 2), SHUFFLE_XOR(7, 10, 11),
        J(jal, 0, 3), BALLOT(6, 2),      J(jal, 0, -3),   EXIT_WELL,
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        stand_go(&stand, TEXT(text));
        for (u32 thread = 0; thread < 8; thread++) {
            assert_int_equal(x_of(&stand, thread, 6), 0xff);
            assert_int_equal(x_of(&stand, thread, 7), thread ^ 1);
        }
        bench_destroy(stand.sim);
    }
}

static void ballot_does_not_wait_for_threads_that_have_ended(void **state)
{
    const u32 text[] = { I(andi, 5, 10, 1), B(beq, 5, 0, 4), EXIT_WELL, BALLOT(6, 2), EXIT_WELL };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        stand_go(&stand, TEXT(text));
        for (u32 thread = 0; thread < 8; thread += 2)
            assert_int_equal(x_of(&stand, thread, 6), 0x55);
        bench_destroy(stand.sim);
    }
}

/* ---- Messages ---- */

static struct server *join_blocks(struct stand *stand, cycle latency)
{
    struct server *blocks = bench_server(stand->sim, stand->domain, 1, latency);
    bench_join(stand->sim, &stand->subcore->base, "units", blocks->mock, 1, 8);
    stand_name(stand, "blocks");
    stand_table(stand, "custom0: blocks");
    return blocks;
}

/* One message, which tells how many threads it is of. */
static void barrier_is_one_message_of_a_warp(void **state)
{
    const u32 text[] = { BLOCK_BARRIER(5, 10), R(add, 6, 5, 5), READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(2, 8);
    struct server *blocks = join_blocks(&stand, 20);
    stand_go(&stand, TEXT(text));
    assert_int_equal(blocks->count, 2);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(blocks->served[i].taken, 2 + i); /* issued in i, sent in the next */
        assert_int_equal(blocks->served[i].message.mask, 8);
        assert_int_equal(blocks->served[i].message.data.dword[0], 8 * i);
        assert_int_equal(x_of(&stand, 8 * i, 7), 25 + i); /* there in 23, and in 24 */
    }
    assert_int_equal(stat(&stand, "barrier"), 21 + 22); /* from 2 on; and to 23 */
}

/* The odd threads are none of the block's. They stand further behind, and as deep in calls as the
 * others, whose kernel takes no stack; but do not ask for the next block before these do. */
static void threads_outside_let_others_end_their_kernel(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(beq, 5, 0, 3), BLOCK_NEXT(6, 10, 0), J(jal, 0, 4),   BALLOT(8, 2),
        BALLOT(9, 2),      J(jal, 0, -4),   R(add, 6, 6, 6),      READ_CYCLE(12), EXIT_WELL,
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        struct server *blocks = join_blocks(&stand, 20);
        stand_go(&stand, TEXT(text));
        assert_int_equal(blocks->count, 1);
        assert_int_equal(blocks->served[0].message.mask, 8);
        for (u32 thread = 0; thread < 8; thread += 2) {
            assert_int_equal(x_of(&stand, thread, 8), 0x55);
            assert_int_equal(x_of(&stand, thread, 9), 0x55);
        }
        bench_destroy(stand.sim);
    }
}

/* The second warp may be what the first one waits for, so that it goes on although there is only
 * one request. */
static void whoever_waits_at_a_barrier_leaves_room(void **state)
{
    const u32 text[] = { BLOCK_BARRIER(5, 10), R(add, 6, 5, 5), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(2, 8);
    bench_set(&stand.subcore->base, "requests", 1);
    struct server *blocks = join_blocks(&stand, 20);
    stand_go(&stand, TEXT(text));
    assert_int_equal(blocks->count, 2);
    assert_int_equal(blocks->served[0].taken, 2);
    assert_int_equal(blocks->served[1].taken, 3); /* and not 22 cycles later */
}

/* Where compilers have made two barriers of one: threads that stand at the second, and have let the
 * others come, are waited for at the first. Even threads branch, and with a stack go first. */
static void barrier_of_two_places_is_answered_once_all_have_come(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),
        B(beq, 5, 0, 6),
        NOP,
        NOP,
        NOP,
        BLOCK_BARRIER(6, 10),
        J(jal, 0, 2),
        BLOCK_BARRIER(6, 10),
        R(add, 7, 6, 6),
        READ_CYCLE(8),
        EXIT_WELL,
    };
    const u64 taken[] = { 9, 9, 9 };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        struct server *blocks = join_blocks(&stand, 20);
        blocks->delays[0] = 5000; /* is not answered before the other has come */
        stand_go(&stand, TEXT(text));
        assert_int_equal(blocks->count, 2);
        assert_int_equal(blocks->served[1].taken, taken[i]);
        bench_destroy(stand.sim);
    }
}

/* Threads that do not look at what a barrier answers, and are at the next one while they are still
 * waited for at the last: a program that does so gets what it asked for, and harms nobody. */
static void barriers_may_follow_each_other_unanswered(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),    B(beq, 5, 0, 4),      BLOCK_BARRIER(0, 10),
        BLOCK_BARRIER(0, 10), J(jal, 0, 4),         NOP,
        BLOCK_BARRIER(0, 10), BLOCK_BARRIER(0, 10), EXIT_WELL,
    };
    (void)state;
    for (u32 i = 0; i < LENGTH(policies); i++) {
        struct stand stand = whole_make(1, 8, policies[i]);
        struct server *blocks = join_blocks(&stand, 100);
        stand_go(&stand, TEXT(text));
        assert_int_equal(blocks->count, 4);
        for (u32 k = 0; k < 4; k++)
            assert_int_equal(blocks->served[k].message.mask, 4);
        bench_destroy(stand.sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(shuffle_can_be_read_after_the_latency),
        bench_test_all_ways(ballot_can_be_read_after_the_latency),
        bench_test_all_ways(next_one_issues_after_the_interval),
        bench_test_all_ways(ballot_waits_for_threads_that_are_late),
        bench_test_all_ways(threads_at_different_ones_go_one_group_after_the_other),
        bench_test_all_ways(threads_at_two_of_a_kind_tell_each_other),
        bench_test_all_ways(shuffles_at_two_places_have_registers_of_their_own),
        bench_test_all_ways(the_next_one_waits_for_both_of_a_kind),
        bench_test_all_ways(ballot_does_not_wait_for_threads_that_have_ended),
        bench_test_all_ways(barrier_is_one_message_of_a_warp),
        bench_test_all_ways(threads_outside_let_others_end_their_kernel),
        bench_test_all_ways(whoever_waits_at_a_barrier_leaves_room),
        bench_test_all_ways(barrier_of_two_places_is_answered_once_all_have_come),
        bench_test_all_ways(barriers_may_follow_each_other_unanswered),
    };
    return cmocka_run_group_tests_name("subcore_whole", tests, NULL, NULL);
}
