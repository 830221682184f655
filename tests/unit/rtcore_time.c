/* rtcore_time.c - an RT core, cycle by cycle: fetches, pipes, slots, ports.
 *
 * A ray that is pushed in cycle 0 is taken in cycle 1, and its first fetch leaves then. */
#include "unit/rtcore_stand.h"

#define TAKEN    1
#define BOX      3
#define TRIANGLE 22

/* A root with a leaf of that many blocks between heights 4 and 6; triangle 70 + i is in block i. */
static void put_leaf(struct stand *stand, u32 blocks)
{
    struct wide_node root = { { stand_child(4, 6, rt_ref_leaf(0, blocks)) }, 1 };
    stand_node(stand, 0, &root);
    for (u32 i = 0; i < blocks; i++)
        stand_triangle(stand, i, 70 + i, 5.5f - (float)i / 4);
}

/* Rays that all want the same sectors at the same time. */
static void ask_together(struct stand *stand, u32 rays)
{
    bench_set(stand->rt, "accepts", 64);
    bench_set_choice(stand->rt, "coalesce", "all");
    for (u32 i = 0; i < rays; i++)
        stand_trace(stand, i, 0, stand_ray());
}

static void one_ray_and_one_node(void **state)
{
    static const u32 latencies[] = { 0, 1, 18, 300 };
    (void)state;
    for (u32 i = 0; i < 4; i++) {
        struct stand stand = stand_create(1, 2);
        stand_latency = latencies[i];
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        stand_trace(&stand, 0, 0, stand_ray());
        stand_finish(&stand);
        cycle sent = TAKEN, came = sent + 2 + latencies[i];
        assert_int_equal(stand_lists[0][0].answered, came + BOX + 1);
        expect_hit(&stand_lists[0][0], RT_NOTHING, 0);
        expect_note(stand.memory[0], 0, sent + 1, STAND_NODES);
        expect_note(stand.memory[1], 0, sent + 1, STAND_NODES + 32);
        assert_int_equal(stand_stat(&stand, "nodes"), 1);
        assert_int_equal(stand_stat(&stand, "boxes"), 6);
        assert_int_equal(stand_stat(&stand, "bytes"), 64);
        assert_int_equal(stand_stat(&stand, "slots_end"), 1);
        assert_int_equal(stand_stat(&stand, "wait_node_fetch"), 2 + latencies[i]);
        assert_int_equal(stand_stat(&stand, "wait_box"), BOX);
        assert_int_equal(stand_stat(&stand, "ray_cycles"), 2 + latencies[i] + BOX);
        bench_destroy(stand.sim);
    }
}

static void one_ray_and_one_leaf(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    put_leaf(&stand, 1);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + ROUND + BOX + ROUND + TRIANGLE + 1);
    expect_hit(&stand_lists[0][0], 70, 5.5f);
    assert_int_equal(stand_stat(&stand, "blocks"), 1);
    assert_int_equal(stand_stat(&stand, "triangles"), 1);
    assert_int_equal(stand_stat(&stand, "hits"), 1);
    assert_int_equal(stand_stat(&stand, "wait_block_fetch"), ROUND);
    assert_int_equal(stand_stat(&stand, "wait_triangle"), TRIANGLE);
    assert_int_equal(stand_stat(&stand, "idle_node_fetch"), ROUND - 1);
}

static void blocks_of_a_leaf_come_one_after_the_other(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    put_leaf(&stand, 3);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + ROUND + BOX + 3 * (ROUND + TRIANGLE) + 1);
    expect_hit(&stand_lists[0][0], 72, 5);
    assert_int_equal(stand_stat(&stand, "slots_block"), 3);
}

static void number_that_lies_apart_takes_a_fetch_more(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set_choice(stand.rt, "primitives", "tri36");
    put_leaf(&stand, 1);
    stand.tree.numbers = 32768;
    stand_bytes[32768] = 99;
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered,
                     TAKEN + ROUND + BOX + ROUND + TRIANGLE + ROUND + 1);
    expect_hit(&stand_lists[0][0], 99, 5.5f);
}

static void one_port_sends_one_sector_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1);
    put_leaf(&stand, 1);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    for (u32 i = 0; i < 2; i++)
        expect_note(stand.memory[0], i, TAKEN + 1 + i, STAND_NODES + 32 * i);
    assert_int_equal(stand_lists[0][0].answered,
                     TAKEN + ROUND + 1 + BOX + ROUND + 1 + TRIANGLE + 1);
}

static void ports_take_a_request_each_in_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 2);
    bench_set(stand.rt, "accepts", 4);
    bench_set(stand.rt, "schedule", 4);
    stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
    for (u32 i = 0; i < 4; i++)
        stand_trace(&stand, i, 0, stand_ray());
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++) {
        expect_note(stand.memory[0], i, TAKEN + 1 + i, STAND_NODES);
        expect_note(stand.memory[1], i, TAKEN + 1 + i, STAND_NODES + 32);
        assert_int_equal(stand_lists[i][0].answered, TAKEN + i + ROUND + BOX + 1);
    }
    assert_int_equal(stand_stat(&stand, "requests"), 8);
}

static void box_pipe_takes_a_node_per_interval(void **state)
{
    static const struct {
        u64 pipes, width, interval, taken;
    } cases[] = { { 1, 8, 1, 1 }, { 1, 6, 1, 1 }, { 1, 3, 1, 2 }, { 1, 1, 1, 6 },
                  { 1, 8, 5, 5 }, { 1, 1, 4, 6 }, { 2, 8, 1, 1 }, { 2, 2, 1, 3 } };
    (void)state;
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stand stand = stand_create(4, 2);
        bench_set(stand.rt, "box_pipes", cases[i].pipes);
        bench_set(stand.rt, "box_width", cases[i].width);
        bench_set(stand.rt, "box_interval", cases[i].interval);
        bench_set(stand.rt, "schedule", 4);
        bench_set(stand.rt, "answers", 4);
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        ask_together(&stand, 4);
        stand_finish(&stand);
        for (u32 k = 0, first = 0; k < 4; k++) {
            cycle begun = TAKEN + ROUND + k / cases[i].pipes * cases[i].taken;
            cycle answered = begun + cases[i].taken - 1 + BOX + 1;
            for (u32 user = 0; user < 4; user++)
                first += stand_lists[user][0].answered == answered;
            assert_true(first > k);
        }
        assert_int_equal(stand_stat(&stand, "box_busy"), 4 * cases[i].taken);
        bench_destroy(stand.sim);
    }
}

static void triangle_pipe_takes_a_triangle_per_interval(void **state)
{
    static const struct {
        u64 pipes, interval, latency;
    } cases[] = { { 1, 1, 22 }, { 1, 3, 22 }, { 2, 3, 22 }, { 4, 7, 1 }, { 1, 4, 1 } };
    (void)state;
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stand stand = stand_create(4, 2);
        bench_set(stand.rt, "box_pipes", 4);
        bench_set(stand.rt, "triangle_pipes", cases[i].pipes);
        bench_set(stand.rt, "triangle_interval", cases[i].interval);
        bench_set(stand.rt, "triangle_latency", cases[i].latency);
        bench_set(stand.rt, "schedule", 4);
        bench_set(stand.rt, "answers", 4);
        put_leaf(&stand, 1);
        ask_together(&stand, 4);
        stand_finish(&stand);
        cycle begun = TAKEN + ROUND + BOX + ROUND, last = 0;
        for (u32 user = 0; user < 4; user++)
            if (stand_lists[user][0].answered > last)
                last = stand_lists[user][0].answered;
        u64 turns = 4 / cases[i].pipes;
        assert_int_equal(last, begun + turns * cases[i].interval - 1 + cases[i].latency + 1);
        assert_int_equal(stand_stat(&stand, "triangle_busy"), 4 * cases[i].interval);
        bench_destroy(stand.sim);
    }
}

/* Two triangles that share vertices lie in one block. */
static void triangles_of_a_block_take_a_turn_each(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 4);
    bench_set_choice(stand.rt, "primitives", "tristrip128");
    float vertices[4][3] = { { -1, -1, 5 }, { 3, -1, 5 }, { -1, 3, 5 }, { 3, 3, 5 } };
    u32 triangles[2][3] = { { 0, 1, 2 }, { 3, 2, 1 } }, both[] = { 0, 1 };
    struct mesh mesh = { vertices, triangles, NULL, 4, 2 };
    struct wide_node root = { { stand_child(4, 6, rt_ref_leaf(0, 1)) }, 1 };
    stand_node(&stand, 0, &root);
    u32 held = primitive_format_find("tristrip128", NULL)
                   ->encode(&mesh, both, 2, stand_bytes + STAND_BLOCKS);
    assert_int_equal(held, 2);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + ROUND + BOX + ROUND + 1 + TRIANGLE + 1);
    assert_int_equal(stand_stat(&stand, "triangles"), 2);
}

static void so_many_rays_are_taken_per_cycle(void **state)
{
    (void)state;
    for (u64 accepts = 1; accepts <= 4; accepts *= 2) {
        struct stand stand = stand_create(4, 8);
        bench_set(stand.rt, "accepts", accepts);
        bench_set(stand.rt, "schedule", 4);
        bench_set(stand.rt, "box_pipes", 4);
        bench_set(stand.rt, "answers", 4);
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        for (u32 i = 0; i < 4; i++)
            stand_trace(&stand, i, 0, stand_ray());
        stand_finish(&stand);
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(stand_lists[i][0].answered, TAKEN + i / accepts + ROUND + BOX + 1);
        bench_destroy(stand.sim);
    }
}

static void so_many_hits_leave_per_cycle(void **state)
{
    (void)state;
    for (u64 answers = 1; answers <= 4; answers *= 2) {
        struct stand stand = stand_create(4, 8);
        bench_set(stand.rt, "schedule", 4);
        bench_set(stand.rt, "box_pipes", 4);
        bench_set(stand.rt, "answers", answers);
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        ask_together(&stand, 4);
        stand_finish(&stand);
        u32 seen[4] = { 0 };
        for (u32 i = 0; i < 4; i++) {
            cycle late = stand_lists[i][0].answered - (TAKEN + ROUND + BOX + 1);
            assert_true(late < 4);
            seen[late]++;
        }
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(seen[i], i < 4 / answers ? answers : 0);
        assert_int_equal(stand_stat(&stand, "coalesced"), 6);
        bench_destroy(stand.sim);
    }
}

static void so_many_steps_begin_per_cycle(void **state)
{
    (void)state;
    for (u64 schedule = 1; schedule <= 4; schedule *= 2) {
        struct stand stand = stand_create(4, 8);
        bench_set(stand.rt, "accepts", 4);
        bench_set(stand.rt, "schedule", schedule);
        bench_set(stand.rt, "box_pipes", 4);
        bench_set(stand.rt, "answers", 4);
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        for (u32 i = 0; i < 4; i++)
            stand_trace(&stand, i, 0, stand_ray());
        stand_finish(&stand);
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(stand_lists[i][0].answered, TAKEN + i / schedule + ROUND + BOX + 1);
        bench_destroy(stand.sim);
    }
}

static void slot_is_free_the_cycle_after_its_hit_left(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 2);
    bench_set(stand.rt, "rays", 1);
    stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
    for (u32 i = 0; i < 6; i++)
        stand_trace(&stand, i % 2, 0, stand_ray());
    stand_finish(&stand);
    for (u32 i = 0; i < 6; i++)
        assert_int_equal(stand_lists[i % 2][i / 2].answered,
                         TAKEN + i * (ROUND + BOX + 1) + ROUND + BOX + 1);
}

/* Slots run out while several users wait, and more may be taken than there are. */
static void waiting_users_are_taken_in_turn(void **state)
{
    (void)state;
    for (u64 accepts = 1; accepts <= 4; accepts++) {
        struct stand stand = stand_create(4, 8);
        bench_set(stand.rt, "rays", 2);
        bench_set(stand.rt, "accepts", accepts);
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        for (u32 i = 0; i < 40; i++)
            stand_trace(&stand, i % 4, 0, stand_ray());
        stand_finish(&stand);
        for (u32 i = 4; i < 40; i++)
            assert_true(stand_lists[i % 4][i / 4].answered >
                        stand_lists[(i - 4) % 4][i / 4 - 1].answered);
        for (u32 i = 1; i < 40; i++)
            assert_true(stand_lists[i % 4][i / 4].answered >
                        stand_lists[(i - 1) % 4][(i - 1) / 4].answered);
        bench_destroy(stand.sim);
    }
}

static void empty_ray_costs_a_slot_and_no_fetch(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    struct rt_ray ray = stand_ray();
    put_leaf(&stand, 1);
    ray.t_min = 1;
    ray.t_max = 0;
    stand_trace(&stand, 0, 0, ray);
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + 1);
    expect_hit(&stand_lists[0][0], RT_NOTHING, 0);
    assert_int_equal(stand_stat(&stand, "empty"), 1);
    assert_int_equal(stand_stat(&stand, "rays"), 0);
    assert_int_equal(stand_stat(&stand, "nodes"), 0);
    assert_int_equal(stand_stat(&stand, "slots_end"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(one_ray_and_one_node),
        bench_test_all_ways(one_ray_and_one_leaf),
        bench_test_all_ways(blocks_of_a_leaf_come_one_after_the_other),
        bench_test_all_ways(number_that_lies_apart_takes_a_fetch_more),
        bench_test_all_ways(one_port_sends_one_sector_per_cycle),
        bench_test_all_ways(ports_take_a_request_each_in_turn),
        bench_test_all_ways(box_pipe_takes_a_node_per_interval),
        bench_test_all_ways(triangle_pipe_takes_a_triangle_per_interval),
        bench_test_all_ways(triangles_of_a_block_take_a_turn_each),
        bench_test_all_ways(so_many_rays_are_taken_per_cycle),
        bench_test_all_ways(so_many_hits_leave_per_cycle),
        bench_test_all_ways(so_many_steps_begin_per_cycle),
        bench_test_all_ways(slot_is_free_the_cycle_after_its_hit_left),
        bench_test_all_ways(waiting_users_are_taken_in_turn),
        bench_test_all_ways(empty_ray_costs_a_slot_and_no_fetch),
    };
    return cmocka_run_group_tests_name("rtcore_time", tests, NULL, NULL);
}
