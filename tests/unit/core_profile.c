/* core_profile.c - every thread-cycle is charged to an instruction, a reason and a call path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/bench_core.h"

/* ---- By instruction ---- */

static void issues_and_stalls_count_by_address(void **state)
{
    const u32 text[] = { SET(5, 3),       R(mul, 6, 5, 5),  I(addi, 5, 5, -1),
                         R(add, 7, 6, 6), B(bne, 5, 0, -3), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    bench_core_profile(stand.core);
    bench_core_execute(stand.core, "int_mul: 6 cycles, branch: 2 cycles");
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_profile(stand.core, 2 * 0, PROFILE_ISSUED), 1);
    assert_int_equal(bench_profile(stand.core, 2 * 1, PROFILE_ISSUED), 3);
    assert_int_equal(bench_profile(stand.core, 2 * 3, PROFILE_ISSUED), 3);
    /* The sum waits for the product, the branch for itself. */
    assert_int_equal(bench_profile(stand.core, 2 * 3, PROFILE_HAZARD + CLASS_INT_MUL), 3 * 4);
    assert_int_equal(bench_profile(stand.core, 2 * 4, PROFILE_HAZARD + CLASS_BRANCH), 3 * 1);
    assert_int_equal(bench_profile(stand.core, 2 * 1, PROFILE_HAZARD + CLASS_INT_MUL), 0);
    assert_int_equal(bench_profile(stand.core, 2 * 5, PROFILE_HAZARD + CLASS_BRANCH), 0);
}

static void turns_of_others_count_as_passed(void **state)
{
    const u32 text[] = { NOP, NOP, NOP, NOP, NOP, NOP, EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(4);
    bench_core_profile(stand.core);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_profile(stand.core, 0, PROFILE_PASSED), 0 + 1 + 2 + 3);
    assert_int_equal(bench_profile(stand.core, 2, PROFILE_PASSED), 4 * 3);
}

/* ---- By path: a profile without a core ---- */

/* Functions of 10 halfwords each: a at 0, b at 10, c at 20, d at 30. */
enum { A = 0, B_ = 10, C = 20, D = 30, TEXT_END = 40 };

static const struct insn call = { .op = OP_jal, .class = CLASS_JUMP, .rd = 1 };
static const struct insn call_indirect = { .op = OP_jalr, .class = CLASS_JUMP, .rd = 1, .rs1 = 6 };
static const struct insn give_back = {
    .op = OP_jalr, .class = CLASS_JUMP, .rd = REGISTER_NONE, .rs1 = 1
};

struct stage {
    struct sim *sim;
    struct hart_profile *profile;
    struct profile_mark mark;
    u32 path;
};

static struct profile_thread stage_thread(struct stage *stage)
{
    return (struct profile_thread){ &stage->path, &stage->mark };
}

static struct stage stage_open(void)
{
    static struct profile_function functions[] = { { A, 10 }, { B_, 10 }, { C, 10 }, { D, 10 } };
    struct stage stage = { .sim = bench_create() };
    stage.profile = profile_create(sim_chip(stage.sim)->arena, functions, 4);
    assert_non_null(stage.profile);
    profile_start(stage.profile, stage_thread(&stage), A);
    return stage;
}

static void stage_jump(struct stage *stage, const struct insn *insn, u32 site, u32 target)
{
    profile_jump(stage->profile, stage_thread(stage), insn, site, target);
    profile_look(stage->profile, stage_thread(stage), target);
}

static const struct profile_path *stage_path(const struct stage *stage)
{
    return &stage->profile->paths[stage->path];
}

static void expect_path(const struct stage *stage, u32 function, u32 site, u32 parent)
{
    const struct profile_path *path = stage_path(stage);
    assert_int_equal(path->function.first, function);
    assert_int_equal(path->site, site);
    assert_int_equal(stage->profile->paths[path->parent].function.first, parent);
}

static void calls_and_returns_move_along_the_tree(void **state)
{
    (void)state;
    struct stage stage = stage_open();
    u32 start = stage.path;
    stage_jump(&stage, &call, A + 3, B_);
    expect_path(&stage, B_, A + 3, A);
    u32 from_3 = stage.path;
    stage_jump(&stage, &call_indirect, B_ + 2, C);
    expect_path(&stage, C, B_ + 2, B_);
    stage_jump(&stage, &give_back, C + 5, B_ + 4);
    assert_int_equal(stage.path, from_3);
    assert_int_equal(stage.mark.row, stage_path(&stage)->rows + 4);
    stage_jump(&stage, &give_back, B_ + 9, A + 5);
    assert_int_equal(stage.path, start);
    stage_jump(&stage, &call, A + 7, B_);
    assert_int_not_equal(stage.path, from_3); /* another place, another path */
    stage_jump(&stage, &give_back, B_ + 9, A + 9);
    stage_jump(&stage, &call, A + 3, B_);
    assert_int_equal(stage.path, from_3);
    assert_int_equal(stage_path(&stage)->calls, 2);
    assert_int_equal(stage.profile->path_count, 2 + 4);
}

static void tail_call_takes_the_place_of_its_caller(void **state)
{
    static const struct insn jump = { .op = OP_jal, .class = CLASS_JUMP, .rd = REGISTER_NONE };
    (void)state;
    struct stage stage = stage_open();
    u32 start = stage.path;
    stage_jump(&stage, &call, A + 3, B_);
    stage_jump(&stage, &jump, B_ + 8, D);
    expect_path(&stage, D, A + 3, A);
    assert_int_equal(stage_path(&stage)->calls, 1);
    stage_jump(&stage, &give_back, D + 2, A + 5);
    assert_int_equal(stage.path, start);
}

static void return_over_several_functions_finds_its_target(void **state)
{
    (void)state;
    struct stage stage = stage_open();
    u32 start = stage.path;
    stage_jump(&stage, &call, A + 3, B_);
    stage_jump(&stage, &call, B_ + 3, C);
    stage_jump(&stage, &call, C + 3, D);
    stage_jump(&stage, &give_back, D + 3, A + 8);
    assert_int_equal(stage.path, start);
}

/* Deeper than there are paths: it is still known which instruction, and the way back is found. */
static void recursion_beyond_the_limit_finds_back(void **state)
{
    (void)state;
    struct stage stage = stage_open();
    u32 start = stage.path, depth = stage.profile->path_limit + 1000;
    for (u32 i = 0; i < depth; i++)
        stage_jump(&stage, &call, i ? B_ + 4 : A + 4, B_);
    assert_int_equal(stage.path, PATH_LOST);
    assert_int_equal(stage.mark.row, B_);
    for (u32 i = 0; i < depth; i++)
        stage_jump(&stage, &give_back, B_ + 8, i + 1 < depth ? B_ + 6 : A + 6);
    assert_int_equal(stage.path, start);
}

/* A call through t0 is a call, though a return-address stack would take it for a swap. */
static void call_through_a_link_register_is_a_call(void **state)
{
    static const struct insn through = { .op = OP_jalr, .class = CLASS_JUMP, .rd = 1, .rs1 = 5 };
    (void)state;
    struct stage stage = stage_open();
    u32 start = stage.path;
    stage_jump(&stage, &through, A + 3, C);
    expect_path(&stage, C, A + 3, A);
    stage_jump(&stage, &give_back, C + 3, A + 5);
    assert_int_equal(stage.path, start);
}

static void jump_to_nowhere_changes_nothing(void **state)
{
    (void)state;
    struct stage stage = stage_open();
    u32 start = stage.path;
    profile_jump(stage.profile, stage_thread(&stage), &call, A + 1, TEXT_END);
    profile_jump(stage.profile, stage_thread(&stage), &call, A + 1, UINT64_MAX / 2);
    assert_int_equal(stage.path, start);
}

static void returns_without_calls_do_no_harm(void **state)
{
    (void)state;
    struct stage stage = stage_open();
    for (u32 i = 0; i < 5; i++)
        stage_jump(&stage, &give_back, A + 1, C + i);
    assert_int_equal(stage_path(&stage)->function.first, C);
    stage_jump(&stage, &give_back, C + 1, A + 5);
    assert_int_equal(stage_path(&stage)->function.first, A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(issues_and_stalls_count_by_address),
        bench_test_all_ways(turns_of_others_count_as_passed),
        bench_test(calls_and_returns_move_along_the_tree),
        bench_test(tail_call_takes_the_place_of_its_caller),
        bench_test(return_over_several_functions_finds_its_target),
        bench_test(recursion_beyond_the_limit_finds_back),
        bench_test(call_through_a_link_register_is_a_call),
        bench_test(jump_to_nowhere_changes_nothing),
        bench_test(returns_without_calls_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
