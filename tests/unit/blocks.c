/* blocks.c - thread blocks begin where and when there is room for them, their barriers open when
 * all threads have come, and nobody leaves a grid before all of its blocks have ended. */
#include "unit/blocks_stand.h"

/* ---- Blocks begin ---- */

/* Asked for in 0; all have come in 1; the number is asked for, is given in 2 and is here in 3. */
static void block_begins_so_many_cycles_after_its_number_came(void **state)
{
    (void)state;
    for (u64 start = 0; start < 30; start += 7) {
        struct sm sm = sm_create(1, 1, 128);
        bench_set(sm.blocks, "start", start);
        sm_go(&sm);
        for (u32 i = 0; i < 4; i++) {
            assert_int_equal(sm.user[i]->count, 2);
            expect_told(sm.user[i], 0, 3 + start + 1, BLOCK(0, 0), PART(32 * i, 0));
        }
        assert_int_equal(bench_stat(sm.blocks, "started"), 1);
        assert_int_equal(bench_stat(sm.blocks, "resident"), 102); /* there and back: 2 */
        bench_destroy(sm.stand.sim);
    }
}

/* Four blocks of two warps: numbers come one per cycle, and so the blocks begin. Where two
 * sub-cores have more warps that wait, the next block's go there. */
static void warps_go_to_subcores_in_order(void **state)
{
    (void)state;
    struct sm sm = sm_create(2, 4, 64);
    for (u32 i = 0; i < 4; i++)
        user_needs(sm.user[i], 0, 300);
    sm_go(&sm);
    for (u32 i = 0; i < 4; i++) {
        expect_told(sm.user[i], 0, 25 + i / 2, BLOCK(i / 2, i / 2), PART(i % 2 * 32, i / 2 * 512));
        expect_told(sm.user[i], 1, 27 + i / 2, BLOCK(2 + i / 2, 2 + i / 2),
                    PART(i % 2 * 32, (2 + i / 2) * 512));
    }
    assert_int_equal(bench_stat(sm.blocks, "started"), 4);
}

/* A place that is free again has the same part of the shared memory. */
static void next_block_begins_when_one_has_ended(void **state)
{
    (void)state;
    struct sm sm = sm_create(1, 3, 128);
    sm_go(&sm);
    /* The first begins in 24, asks again in 124, is there in 125: it is told of and another one is
     * asked for. The grid takes one message per cycle, so that the number is given in 127, here in
     * 128, begins in 148. */
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(sm.user[i]->count, 4);
        expect_told(sm.user[i], 0, 24, BLOCK(0, 0), PART(32 * i, 0));
        expect_told(sm.user[i], 1, 149, BLOCK(1, 0), PART(32 * i, 0));
        expect_told(sm.user[i], 2, 274, BLOCK(2, 0), PART(32 * i, 0));
    }
    assert_int_equal(bench_stat(sm.blocks, "started"), 3);
}

/* Each sub-core takes its part when its link has room, in the order of warps. */
static void block_begins_as_links_have_room(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *blocks = add_blocks(&stand);
    struct user *user = add_narrow_user(&stand, blocks, 4, 1, 128, 1);
    blocks_init_among(blocks, 0);
    assert_int_equal(stand_go(&stand), SIM_FINISHED);
    assert_int_equal(user->count, 8);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(user->told[i].warp, i);
        assert_int_equal(user->told[i].second, PART(32 * i, 0));
        assert_true(!i || user->told[i].at > user->told[i - 1].at);
    }
    assert_int_equal(bench_stat(blocks, "started"), 1);
}

/* ---- Limits ---- */

struct limit {
    const char *param, *stat;
    u64 amount; /* of which a block needs a third, but for what is rounded */
    u64 registers, shared, threads;
};

/* How many of eight blocks begin before the first has ended. */
static u64 blocks_together(const struct limit *limit, u64 amount)
{
    u64 together = 0;
    struct sm sm = sm_create(8, 8, limit->threads);
    for (u32 i = 0; i < 4; i++) {
        user_needs(sm.user[i], limit->registers, limit->shared);
        sm.user[i]->works = 1000;
    }
    bench_set(sm.blocks, limit->param, amount);
    sm_go(&sm);
    assert_int_equal(bench_stat(sm.blocks, "started"), 8);
    assert_int_equal(bench_stat(sm.blocks, limit->stat), 1);
    for (u32 i = 0; i < 4; i++)
        for (u32 k = 0; k < sm.user[i]->count; k++)
            together += sm.user[i]->told[k].at < 1000;
    bench_destroy(sm.stand.sim);
    return together / ((limit->threads + 31) / 32);
}

/* Threads count as whole warps, registers of a thread 8 at a time, shared memory 256 bytes. */
static void blocks_run_as_far_as_there_is_room(void **state)
{
    static const struct limit limits[] = {
        { "blocks", "by_blocks", 3, 0, 0, 64 },
        { "threads", "by_threads", 3 * 64, 0, 0, 64 },
        { "threads", "by_threads", 3 * 64, 0, 0, 33 },
        { "registers", "by_registers", 3 * 64 * 32, 0, 0, 64 },
        { "registers", "by_registers", 3 * 64 * 40, 40, 0, 64 },
        { "registers", "by_registers", 3 * 64 * 40, 33, 0, 33 },
        { "shared", "by_shared", 3 * 512, 0, 512, 64 },
        { "shared", "by_shared", 3 * 512, 0, 257, 64 },
    };
    (void)state;
    for (u32 i = 0; i < sizeof limits / sizeof *limits; i++) {
        assert_int_equal(blocks_together(&limits[i], limits[i].amount), 3);
        assert_int_equal(blocks_together(&limits[i], limits[i].amount - 1), 2);
    }
}

/* What the sub-cores have room for counts, whatever the parameter says. */
static void there_are_no_more_threads_than_warps_have(void **state)
{
    const struct limit limit = { "threads", "by_threads", 0, 0, 0, 256 };
    (void)state;
    assert_int_equal(blocks_together(&limit, 65536), 4);
}

static void refusal_check(const char *param, u64 fits, u64 registers, u64 shared)
{
    for (u32 lacks = 0; lacks < 2; lacks++) {
        struct sm sm = sm_create(1, 5, 128);
        for (u32 i = 0; i < 4; i++)
            user_needs(sm.user[i], registers, shared);
        bench_set(sm.blocks, param, fits - lacks);
        sm_go(&sm);
        for (u32 i = 0; i < 4 && lacks; i++) {
            assert_int_equal(sm.user[i]->count, 1);
            expect_told(sm.user[i], 0, 2, BLOCKS_REFUSED, 0);
        }
        assert_int_equal(bench_stat(sm.blocks, "started"), lacks ? 0 : 5);
        bench_destroy(sm.stand.sim);
    }
}

static void block_that_never_fits_is_refused(void **state)
{
    (void)state;
    refusal_check("threads", 128, 0, 0);
    refusal_check("registers", UINT64_C(128) * 65536, 65535, 0);
    refusal_check("registers", 128 * 32, 0, 0);
    refusal_check("shared", 4096, 0, 4096);
    refusal_check("shared", 4096, 0, 4000);
}

/* The most that a message can say: nothing wraps around. */
static void largest_numbers_are_refused(void **state)
{
    (void)state;
    struct sm sm = sm_create(1, UINT32_MAX, 0xffff);
    for (u32 i = 0; i < 4; i++)
        user_needs(sm.user[i], 0xffff, UINT32_MAX);
    sm_go(&sm);
    for (u32 i = 0; i < 4; i++)
        expect_told(sm.user[i], 0, 2, BLOCKS_REFUSED, 0);
}

static void grid_without_blocks_ends_at_once(void **state)
{
    (void)state;
    struct sm sm = sm_create(1, 0, 128);
    sm_go(&sm);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(sm.user[i]->count, 1);
        expect_told(sm.user[i], 0, 4, BLOCKS_DONE, 0);
    }
    assert_int_equal(bench_stat(sm.stand.grid, "grids"), 1);
    assert_int_equal(bench_stat(sm.stand.grid, "given"), 0);
}

/* ---- Barriers ---- */

/* Four warps of a block: there in 24, but one works longer than the others: it comes to the barrier
 * in 24 + 140 + 1, where it opens after 12 + 4 * 2 cycles. */
static void barrier_opens_after_the_last_thread_has_come(void **state)
{
    (void)state;
    struct sm sm = sm_create(1, 1, 128);
    bench_set(sm.blocks, "barrier", 12);
    bench_set(sm.blocks, "barrier_warp", 2);
    for (u32 i = 0; i < 4; i++)
        sm.user[i]->barriers = 1;
    sm.user[2]->works = 140;
    sm_go(&sm);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(sm.user[i]->told[1].kind, MESSAGE_BLOCK_BARRIER);
        expect_told(sm.user[i], 1, 165 + 20 + 1, 0, 0);
    }
    assert_int_equal(bench_stat(sm.blocks, "barriers"), 1);
    assert_int_equal(bench_stat(sm.blocks, "waited"), 40);
}

static void barriers_of_blocks_do_not_mix(void **state)
{
    (void)state;
    struct sm sm = sm_create(1, 2, 64);
    for (u32 i = 0; i < 4; i++)
        sm.user[i]->barriers = 3;
    sm.user[0]->works = 50; /* block 0 is on the first two */
    sm.user[1]->works = 20;
    sm_go(&sm);
    assert_int_equal(bench_stat(sm.blocks, "barriers"), 6);
    for (u32 k = 0; k < 3; k++)
        for (u32 i = 0; i < 4; i++) /* there in 24 and 25; then 50 or 100, and 2 on the way */
            expect_told(sm.user[i], 1 + k, i < 2 ? 24 + 52 * (k + 1) : 25 + 102 * (k + 1), 0, 0);
}

/* ---- Grids end ---- */

/* One SM has its blocks done long before the other. */
static void nobody_goes_on_before_all_blocks_have_ended(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *sms[2] = { add_blocks(&stand), add_blocks(&stand) };
    for (u32 i = 0; i < 2; i++) {
        struct user *user = add_user(&stand, sms[i], 2, 4, 32);
        user->works = i ? 700 : 10;
        user->launches = 2;
    }
    blocks_init_among(sms[0], 0);
    blocks_init_among(sms[1], 1);
    assert_int_equal(stand_go(&stand), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.grid, "grids"), 2);
    assert_int_equal(bench_stat(stand.grid, "given"), 8);
    for (u32 i = 0; i < 2; i++) {
        u32 done = 0;
        for (u32 k = 0; k < users[i].count; k++) {
            const struct told *told = &users[i].told[k];
            if (told->first != BLOCKS_DONE) /* of the second grid only when the first is over */
                assert_true(done < 2 ? told->at < 700 : told->at > 700);
            else
                assert_true(told->at > 700 * (1 + done++ / 2));
        }
        assert_int_equal(done, 4);
    }
    assert_int_equal(users[0].count + users[1].count, 8 + 8);
}

static void grids_follow_each_other(void **state)
{
    (void)state;
    struct sm sm = sm_create(1, 1, 128);
    for (u32 i = 0; i < 4; i++)
        sm.user[i]->launches = 3;
    sm_go(&sm);
    /* There in 24, asks in 124, is there in 125; the end is told in 126, another number asked for
     * in 127; the grid is over then, which is here in 128, and told in 129: then all again. */
    for (u32 i = 0; i < 4; i++)
        for (u32 k = 0; k < 3; k++) {
            expect_told(sm.user[i], 2 * k, 24 + 129 * k, BLOCK(0, 0), PART(32 * i, 0));
            expect_told(sm.user[i], 2 * k + 1, 129 + 129 * k, BLOCKS_DONE, 0);
        }
    assert_int_equal(bench_stat(sm.stand.grid, "grids"), 3);
}

/* One answer per cycle: the first warp is back for the next grid before the last has left. */
static void whoever_left_early_waits_for_the_next_grid(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *blocks = add_blocks(&stand);
    struct user *user = add_narrow_user(&stand, blocks, 8, 1, 256, 1);
    user->launches = 3;
    blocks_init_among(blocks, 0);
    assert_int_equal(stand_go(&stand), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.grid, "grids"), 3);
    assert_int_equal(bench_stat(blocks, "started"), 3);
    assert_int_equal(user->count, 3 * 2 * 8);
    for (u32 i = 0; i < user->count; i++)
        assert_int_equal(user->told[i].first == BLOCKS_DONE, i / 8 % 2);
}

/* ---- The chip ---- */

/* Three SMs with room for two blocks each. */
static void sms_get_numbers_in_turn_one_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct unit *sms[3];
    for (u32 i = 0; i < 3; i++) {
        sms[i] = add_blocks(&stand);
        add_user(&stand, sms[i], 2, 6, 32)->from = i == 1 ? 40 : 0; /* one comes late */
    }
    for (u32 i = 0; i < 3; i++)
        blocks_init_among(sms[i], i);
    assert_int_equal(stand_go(&stand), SIM_FINISHED);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(users[i].count, 4);
        for (u32 k = 0; k < 2; k++)
            expect_told(&users[i], k, 65 + i + 3 * k, BLOCK(i + 3 * k, k), PART(0, 0));
        assert_int_equal(bench_stat(sms[i], "started"), 2);
    }
}

/* ---- Programs that do what they should not ---- */

/* Asks for blocks of 16 threads, for warps of the sizes in its script, whose answers nobody waits
 * for. */
static cycle step_ask_for(struct mock *mock, cycle now)
{
    for (; mock->script_next < mock->left && link_can_push(mock->out[0]); mock->script_next++) {
        u32 threads = (u32)mock->script[mock->script_next % mock->script_count];
        struct message *message = link_push(mock->out[0]);
        *message =
            (struct message){ .kind = MESSAGE_BLOCK_NEXT, .size_bytes = 16, .mask = threads };
        message->data.dword[0] = 9 | UINT64_C(16) << 32;
    }
    while (link_peek(mock->in[0]))
        link_pop(mock->in[0]);
    return mock->script_next < mock->left ? now + 1 : NEVER;
}

/* All that it asks is not answered, but the chip comes to a rest. */
static struct unit *misuse(u32 warps, u64 messages, const cycle *threads, u32 count)
{
    struct stand stand = stand_create();
    struct unit *blocks = add_blocks(&stand);
    struct mock *mock = bench_mock(stand.sim, stand.domain, step_ask_for);
    bench_join(stand.sim, blocks, "users", mock, 1, 1);
    users[user_count++] = (struct user){ .warps = warps };
    mock->left = messages;
    mock->script = threads;
    mock->script_count = count;
    blocks_init_among(blocks, 0);
    assert_int_equal(stand_go(&stand), SIM_DEADLOCK);
    return blocks;
}

/* As three never make 32, no grid begins. */
static void there_are_no_more_guests_than_threads(void **state)
{
    static const cycle threads[] = { 3 };
    (void)state;
    struct unit *blocks = misuse(1, 500, threads, 1);
    assert_int_equal(blocks->held, 32);
    assert_int_equal(bench_stat(blocks, "started"), 0);
}

/* Warps that are not alike: one block has the first two, and the third is too few for another. */
static void block_without_warps_does_not_begin(void **state)
{
    static const cycle threads[] = { 8, 24, 32 };
    (void)state;
    assert_int_equal(bench_stat(misuse(2, 3, threads, 3), "started"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(block_begins_so_many_cycles_after_its_number_came),
        bench_test_all_ways(warps_go_to_subcores_in_order),
        bench_test_all_ways(next_block_begins_when_one_has_ended),
        bench_test_all_ways(block_begins_as_links_have_room),
        bench_test_all_ways(blocks_run_as_far_as_there_is_room),
        bench_test_all_ways(there_are_no_more_threads_than_warps_have),
        bench_test_all_ways(block_that_never_fits_is_refused),
        bench_test_all_ways(largest_numbers_are_refused),
        bench_test_all_ways(grid_without_blocks_ends_at_once),
        bench_test_all_ways(barrier_opens_after_the_last_thread_has_come),
        bench_test_all_ways(barriers_of_blocks_do_not_mix),
        bench_test_all_ways(nobody_goes_on_before_all_blocks_have_ended),
        bench_test_all_ways(grids_follow_each_other),
        bench_test_all_ways(whoever_left_early_waits_for_the_next_grid),
        bench_test_all_ways(sms_get_numbers_in_turn_one_per_cycle),
        bench_test_all_ways(there_are_no_more_guests_than_threads),
        bench_test_all_ways(block_without_warps_does_not_begin),
    };
    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
