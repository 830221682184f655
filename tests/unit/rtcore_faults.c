/* rtcore_faults.c - memory that is not there and trees that are none: a ray ends, whatever it
 * reads. */
#include <math.h>

#include "ogive/random.h"
#include "unit/rtcore_stand.h"

#define TAKEN 1
#define BOX   3

static void node_where_there_is_no_memory(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    stand.tree.nodes = STAND_BYTES;
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_lists[0][0].answered, TAKEN + ROUND + 1);
    expect_hit(&stand_lists[0][0], RT_NOTHING, 0);
    assert_int_equal(stand_stat(&stand, "faults"), 1);
}

/* Half of it is there. The ray waits for both. */
static void node_at_the_end_of_memory(void **state)
{
    (void)state;
    for (u32 ports = 1; ports <= 2; ports++) {
        struct stand stand = stand_create(1, ports);
        stand.tree.nodes = STAND_BYTES - 32;
        stand_trace(&stand, 0, 0, stand_ray());
        stand_finish(&stand);
        assert_int_equal(stand_lists[0][0].answered, TAKEN + (2 - ports) + ROUND + 1);
        assert_int_equal(stand_stat(&stand, "faults"), 1);
        bench_destroy(stand.sim);
    }
}

static void all_that_share_a_request_share_its_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 2);
    bench_set_choice(stand.rt, "coalesce", "all");
    stand.tree.nodes = STAND_BYTES;
    for (u32 i = 0; i < 4; i++)
        stand_trace(&stand, i, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_stat(&stand, "faults"), 4);
    assert_int_equal(stand_stat(&stand, "coalesced"), 6);
}

static void block_beyond_memory(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    u32 far = rt_ref_leaf((1 << RT_REF_BLOCK_BITS) - 1, RT_LEAF_MAX);
    bench_set_choice(stand.rt, "nodes", "bvh2");
    stand_node(&stand, 0, &(struct wide_node){ { stand_child(4, 6, far) }, 1 });
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(stand_stat(&stand, "faults"), 1);
    assert_int_equal(stand_stat(&stand, "blocks"), 1);
}

static void hit_before_the_fault_is_kept(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set_choice(stand.rt, "nodes", "bvh2");
    bench_set(stand.rt, "pop_cull", 0);
    struct wide_node root = {
        { stand_child(4, 6, rt_ref_leaf(0, 1)), stand_child(5, 7, rt_ref_node(RT_REF_LAST - 1)) }, 2
    };
    stand_node(&stand, 0, &root);
    stand_triangle(&stand, 0, 8, 5.5f);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    expect_hit(&stand_lists[0][0], 8, 5.5f);
    assert_int_equal(stand_stat(&stand, "faults"), 1);
}

static void tree_that_bites_its_tail(void **state)
{
    (void)state;
    for (u32 spill = 0; spill < 2; spill++) {
        struct stand stand = stand_create(1, 2);
        bench_set_choice(stand.rt, "nodes", "bvh2");
        bench_set(stand.rt, "stack", 12);
        bench_set(stand.rt, "overflow", spill);
        stand.tree.spill = 1 << 20;
        struct wide_node root = { { stand_child(4, 6, 0), stand_child(4, 6, 0) }, 2 };
        stand_node(&stand, 0, &root);
        stand_trace(&stand, 0, 0, stand_ray());
        stand_finish(&stand);
        expect_hit(&stand_lists[0][0], RT_NOTHING, 0);
        assert_int_equal(stand_stat(&stand, "faults"), 1);
        assert_int_equal(stand_stat(&stand, "nodes"), RT_LEVELS + 1);
        bench_destroy(stand.sim);
    }
}

/* A chain of as many nodes as there may be, with a leaf beside and below each. */
static void deepest_tree_there_may_be(void **state)
{
    static const u32 stacks[] = { 1, 2, 12, 512 };
    (void)state;
    for (u32 i = 0; i < 5; i++) {
        struct stand stand = stand_create(1, 2);
        bench_set_choice(stand.rt, "nodes", "bvh2");
        bench_set(stand.rt, "overflow", i == 4);
        bench_set(stand.rt, "stack", i == 4 ? 12 : stacks[i]);
        stand.tree.spill = 1 << 20;
        struct wide_node node = { { stand_child(4, 6, 0), stand_child(7, 9, 0) }, 2 };
        for (u32 level = 0; level < RT_LEVELS; level++) {
            bool last = level + 1 == RT_LEVELS;
            node.children[0].ref = last ? rt_ref_leaf(RT_LEVELS, 1) : level + 1;
            node.children[1].ref = rt_ref_leaf(level, 1);
            stand_node(&stand, level, &node);
            stand_triangle(&stand, level, level, level ? 2000 : 8); /* only the root's is met */
        }
        stand_triangle(&stand, RT_LEVELS, RT_LEVELS, 2000);
        stand_trace(&stand, 0, 0, stand_ray());
        stand_finish(&stand);
        expect_hit(&stand_lists[0][0], 0, 8);
        assert_int_equal(stand_stat(&stand, "faults"), 0);
        assert_int_equal(stand_stat(&stand, "blocks"), RT_LEVELS + 1);
        bench_destroy(stand.sim);
    }
}

static void rays_that_are_no_rays(void **state)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 0, 1e38f, 1e-45f };
    (void)state;
    struct stand stand = stand_create(1, 2);
    stand_node(&stand, 0, &(struct wide_node){ { stand_child(4, 6, rt_ref_leaf(0, 1)) }, 1 });
    stand_triangle(&stand, 0, 0, 5);
    for (u32 i = 0; i < 6 * 8; i++) {
        struct rt_ray ray = stand_ray();
        float *parts = ray.origin; /* eight of them, one after the other */
        parts[i % 8] = odd[i / 8];
        stand_trace(&stand, 0, 0, ray);
    }
    stand_finish(&stand);
    assert_int_equal(stand_stat(&stand, "rays") + stand_stat(&stand, "empty"), 48);
}

/* Bytes by chance for nodes, blocks, numbers, and spilled stacks. Many of the refs lie in memory.
 */
static void rubbish_instead_of_a_tree(void **state)
{
    (void)state;
    u64 random = 5;
    for (u32 i = 0; i < 6 * 4 * 4; i++) {
        struct stand stand = stand_create(STAND_USERS, 2);
        bench_set(stand.rt, "nodes", i % 6);
        bench_set(stand.rt, "primitives", i / 6 % 4);
        bench_set(stand.rt, "overflow", i / 24 % 2);
        bench_set(stand.rt, "stack", 12);
        bench_set(stand.rt, "prefetch", i / 48);
        stand.tree.numbers = 1 << 19;
        stand.tree.spill = 1 << 20;
        for (u32 at = 0; at < 1 << 17; at++)
            stand_bytes[at] = at % 4 < 2 ? (u8)random_below(&random, 256) : 0;
        for (u32 k = 0; k < 64; k++)
            stand_trace(&stand, k % STAND_USERS, 0, stand_random_ray(&random));
        stand_finish(&stand);
        assert_int_equal(stand_stat(&stand, "rays"), 64);
        bench_destroy(stand.sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(node_where_there_is_no_memory),
        bench_test_all_ways(node_at_the_end_of_memory),
        bench_test_all_ways(all_that_share_a_request_share_its_fault),
        bench_test_all_ways(block_beyond_memory),
        bench_test_all_ways(hit_before_the_fault_is_kept),
        bench_test_all_ways(tree_that_bites_its_tail),
        bench_test_all_ways(deepest_tree_there_may_be),
        bench_test_all_ways(rays_that_are_no_rays),
        bench_test(rubbish_instead_of_a_tree),
    };
    return cmocka_run_group_tests_name("rtcore_faults", tests, NULL, NULL);
}
