/* rtcore_choices.c - what an RT core can be told to do differently: whose turn it is, what is
 * culled, shared, fetched ahead, and kept out of the first cache. */
#include "unit/rtcore_stand.h"

#define TAKEN    1
#define BOX      3
#define TRIANGLE 22

static cycle answered(u32 user)
{
    return stand_lists[user][0].answered;
}

/* A root with two leaves: triangle 0 at height 9, and before it 1 at height 5. */
static void put_two_leaves(struct stand *stand)
{
    struct wide_node root = {
        { stand_child(8, 10, rt_ref_leaf(0, 1)), stand_child(4, 6, rt_ref_leaf(1, 1)) }, 2
    };
    stand_node(stand, 0, &root);
    stand_triangle(stand, 0, 0, 9);
    stand_triangle(stand, 1, 1, 5);
}

static void entry_behind_the_hit_costs_a_slot(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    put_two_leaves(&stand);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    /* In one cycle the entry is dropped, in the next the ray ends. */
    assert_int_equal(answered(0), TAKEN + ROUND + BOX + ROUND + TRIANGLE + 1 + 1);
    expect_hit(&stand_lists[0][0], 1, 5);
    assert_int_equal(stand_stat(&stand, "culled"), 1);
    assert_int_equal(stand_stat(&stand, "slots_cull"), 1);
    assert_int_equal(stand_stat(&stand, "blocks"), 1);
}

static void without_culling_it_costs_a_fetch(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set(stand.rt, "pop_cull", 0);
    put_two_leaves(&stand);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    assert_int_equal(answered(0), TAKEN + ROUND + BOX + 2 * (ROUND + TRIANGLE) + 1);
    expect_hit(&stand_lists[0][0], 1, 5);
    assert_int_equal(stand_stat(&stand, "culled"), 0);
    assert_int_equal(stand_stat(&stand, "blocks"), 2);
}

static void any_hit_ends_a_ray_that_asks_for_no_more(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    put_two_leaves(&stand);
    stand_ask(&stand, 0, (struct stand_request){ .kind = MESSAGE_TRACE_ANY, .ray = stand_ray() });
    stand_finish(&stand);
    assert_int_equal(answered(0), TAKEN + ROUND + BOX + ROUND + TRIANGLE + 1);
    assert_int_equal(stand_stat(&stand, "culled"), 0);
    assert_int_equal(stand_stat(&stand, "blocks"), 1);
}

/* A stack of one entry forgets the farther leaf, and finds it again from the root. */
static void forgotten_entry_takes_a_restart(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set(stand.rt, "stack", 1);
    put_two_leaves(&stand);
    struct rt_ray ray = stand_ray();
    stand_triangle(&stand, 1, 1, 100); /* not where its box is, and beyond the ray's end */
    ray.t_max = 50;
    stand_trace(&stand, 0, 0, ray);
    stand_finish(&stand);
    assert_int_equal(answered(0), TAKEN + 2 * (ROUND + BOX) + 2 * (ROUND + TRIANGLE) + 1);
    expect_hit(&stand_lists[0][0], 0, 9);
    assert_int_equal(stand_stat(&stand, "restarts"), 1);
    assert_int_equal(stand_stat(&stand, "nodes"), 2);
}

/* A root with a node and seven leaves, the node with eight; no leaf is hit. */
static void put_fifteen_leaves(struct stand *stand)
{
    struct wide_node node = { .count = 8 };
    for (u32 level = 0; level < 2; level++) {
        for (u32 i = 0; i < 8; i++)
            node.children[i] = stand_child(4 + (float)i, 20, rt_ref_leaf(8 * level + i, 1));
        if (!level)
            node.children[0].ref = 1;
        stand_node(stand, level, &node);
    }
    for (u32 i = 0; i < 16; i++)
        stand_triangle(stand, i, i, 2000);
}

/* With the node's eight children there are fifteen entries: the four oldest of twelve make room. */
static void oldest_entries_are_spilled_and_read_back(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 8);
    bench_set_choice(stand.rt, "nodes", "bvh8");
    bench_set_choice(stand.rt, "overflow", "spill");
    bench_set(stand.rt, "stack", 12);
    stand.tree.spill = 1 << 20;
    put_fifteen_leaves(&stand);
    for (u32 i = 0; i < 2; i++)
        stand_trace(&stand, i, 1000 * i, stand_ray());
    stand_finish(&stand);
    for (u32 i = 0; i < 2; i++) {
        const struct mock *port = stand.memory[i];
        u64 place = stand.tree.spill + i * RTCORE_SPILL_BYTES;
        cycle written = 1000 * i + TAKEN + 2 * (ROUND + BOX);
        cycle read = written + 1 + 11 * (ROUND + TRIANGLE);
        u32 seen = 0;
        for (u32 k = 0; k < port->noted; k++) {
            if (port->notes[k].what < stand.tree.spill)
                continue;
            expect_note(port, k, 1 + (seen ? read : written),
                        place | (seen ? MEMORY_READ : MEMORY_WRITE));
            seen++;
        }
        assert_int_equal(seen, 2);
        assert_int_equal(answered(i), read + ROUND + 4 * (ROUND + TRIANGLE) + 1);
    }
    assert_int_equal(stand_stat(&stand, "spills"), 2);
    assert_int_equal(stand_stat(&stand, "refills"), 2);
    assert_int_equal(stand_stat(&stand, "blocks"), 2 * 15);
    assert_int_equal(stand_stat(&stand, "wait_stack_fetch"), 2 * ROUND);
    assert_int_equal(stand_stat(&stand, "restarts"), 0);
}

static void rays_share_a_request_for_the_same_sector(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 2);
    bench_set_choice(stand.rt, "coalesce", "all");
    stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
    for (u32 i = 0; i < 4; i++)
        stand_trace(&stand, i, 0, stand_ray());
    stand_finish(&stand);
    /* Taken in 1 to 4, they all have the node when the first has; one goes through the pipe after
     * the other. */
    u64 sum = 0;
    for (u32 i = 0; i < 4; i++)
        sum += answered(i) - (TAKEN + ROUND + BOX + 1);
    assert_int_equal(sum, 0 + 1 + 2 + 3);
    assert_int_equal(stand_stat(&stand, "requests"), 2);
    assert_int_equal(stand_stat(&stand, "coalesced"), 6);
    assert_int_equal(stand_stat(&stand, "bytes"), 4 * 64);
}

static void answered_request_is_joined_no_more(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 2);
    bench_set_choice(stand.rt, "coalesce", "all");
    stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
    stand_trace(&stand, 0, 0, stand_ray());
    stand_trace(&stand, 1, ROUND, stand_ray());
    stand_finish(&stand);
    assert_int_equal(answered(1), ROUND + TAKEN + ROUND + BOX + 1);
    assert_int_equal(stand_stat(&stand, "coalesced"), 0);
}

/* Two inner nodes without children, one behind the other or side by side. */
static void put_two_nodes(struct stand *stand, bool beside)
{
    struct wide_node root = { { stand_child(4, 6, 1), stand_child(8, 10, 2) }, 2 };
    if (beside) {
        root.children[0].box.high[0] = 0;
        root.children[1].box.low[0] = 0.05f;
    }
    stand_node(stand, 0, &root);
    stand_node(stand, 1, &(struct wide_node){ .count = 0 });
    stand_node(stand, 2, &(struct wide_node){ .count = 0 });
}

static void second_child_is_fetched_ahead(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set(stand.rt, "prefetch", 1);
    put_two_nodes(&stand, false);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_finish(&stand);
    /* It is asked for when the boxes are tested: before the ray's own next fetch. */
    for (u32 port = 0; port < 2; port++) {
        u64 second = STAND_NODES + 2 * 64 + port * 32;
        expect_note(stand.memory[port], 1, TAKEN + ROUND + 1 + 1, second | MEMORY_PREFETCH);
        expect_note(stand.memory[port], 2, TAKEN + ROUND + BOX + 1, STAND_NODES + 64 + port * 32);
        expect_note(stand.memory[port], 3, TAKEN + 2 * (ROUND + BOX) + 1, second);
    }
    assert_int_equal(stand_stat(&stand, "prefetches"), 2);
    assert_int_equal(answered(0), TAKEN + 3 * (ROUND + BOX) + 1);
}

static void requests_can_pass_the_first_cache(void **state)
{
    (void)state;
    for (u32 bypass = 0; bypass < 2; bypass++) {
        struct stand stand = stand_create(1, 1);
        bench_set(stand.rt, "bypass", bypass);
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        stand_trace(&stand, 0, 0, stand_ray());
        stand_finish(&stand);
        expect_note(stand.memory[0], 0, TAKEN + 1, STAND_NODES | (bypass ? MEMORY_SKIP(1) : 0));
        bench_destroy(stand.sim);
    }
}

/* Two new rays come a cycle before the first ray's node has been tested; of the three steps that
 * are ready then, one is begun per cycle. */
static struct stand stand_of_three(const char *policy)
{
    struct stand stand = stand_create(3, 2);
    bench_set(stand.rt, "accepts", 2);
    bench_set(stand.rt, "answers", 4);
    bench_set_choice(stand.rt, "policy", policy);
    put_two_nodes(&stand, true);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_trace(&stand, 1, ROUND + BOX - 1, stand_ray());
    stand_trace(&stand, 2, ROUND + BOX - 1, stand_ray());
    stand_finish(&stand);
    return stand;
}

static void first_come_is_first_served(void **state)
{
    (void)state;
    struct stand stand = stand_of_three("fcfs");
    cycle ready = TAKEN + ROUND + BOX;
    expect_note(stand.memory[0], 1, ready - 1 + 1, STAND_NODES);
    expect_note(stand.memory[0], 2, ready + 1, STAND_NODES);
    expect_note(stand.memory[0], 3, ready + 1 + 1, STAND_NODES + 2 * 64);
    assert_int_equal(answered(0), ready + 1 + ROUND + BOX + 1);
}

static void oldest_ray_goes_first(void **state)
{
    (void)state;
    struct stand stand = stand_of_three("oldest");
    cycle ready = TAKEN + ROUND + BOX;
    expect_note(stand.memory[0], 1, ready - 1 + 1, STAND_NODES);
    expect_note(stand.memory[0], 2, ready + 1, STAND_NODES + 2 * 64);
    expect_note(stand.memory[0], 3, ready + 1 + 1, STAND_NODES);
    assert_int_equal(answered(0), ready + ROUND + BOX + 1);
}

/* Three rays are ready at once: for node 1, for node 2, for node 1. Their requests leave in the
 * order in which their steps were begun, two ports for each. */
static void rays_for_the_same_node_go_together(void **state)
{
    static const char *const policies[] = { "fcfs", "grouped" };
    (void)state;
    for (u32 grouped = 0; grouped < 2; grouped++) {
        struct stand stand = stand_create(3, 6);
        struct rt_ray left = stand_ray(), right = stand_ray();
        left.origin[0] = -0.5f;
        bench_set(stand.rt, "accepts", 3);
        bench_set(stand.rt, "schedule", 3);
        bench_set(stand.rt, "box_pipes", 3);
        bench_set_choice(stand.rt, "policy", policies[grouped]);
        put_two_nodes(&stand, true);
        stand_trace(&stand, 0, 0, left);
        stand_trace(&stand, 1, 0, right);
        stand_trace(&stand, 2, 0, left);
        stand_finish(&stand);
        cycle sent = TAKEN + ROUND + BOX;
        expect_note(stand.memory[0], 1, sent + 1, STAND_NODES + 64);
        expect_note(stand.memory[2], 1, sent + 1, STAND_NODES + (grouped ? 64 : 2 * 64));
        expect_note(stand.memory[4], 1, sent + 1, STAND_NODES + (grouped ? 2 * 64 : 64));
        bench_destroy(stand.sim);
    }
}

/* The first ray of a warp has two leaves to visit, the second misses them. */
static struct stand stand_of_a_warp(u64 warp, u64 rays, const char *coalesce)
{
    struct stand stand = stand_create(2, 4);
    struct rt_ray away = stand_ray();
    away.origin[0] = 5;
    bench_set(stand.rt, "rays", rays);
    bench_set(stand.rt, "warp", warp);
    bench_set(stand.rt, "accepts", 2);
    bench_set(stand.rt, "schedule", 2);
    bench_set(stand.rt, "box_pipes", 2);
    bench_set_choice(stand.rt, "coalesce", coalesce);
    put_two_leaves(&stand);
    stand_trace(&stand, 0, 0, stand_ray());
    stand_trace(&stand, 1, 0, away);
    stand_trace(&stand, 1, 5, away);
    stand_finish(&stand);
    return stand;
}

static void rays_of_a_warp_leave_together(void **state)
{
    (void)state;
    struct stand stand = stand_of_a_warp(2, 2, "none");
    cycle done = TAKEN + ROUND + BOX + ROUND + TRIANGLE + 1;
    assert_int_equal(answered(0), done + 1);
    assert_int_equal(answered(1), done + 2);
    /* A cycle after both have left there is room for the next, alone in its warp. */
    assert_int_equal(stand_lists[1][1].answered, done + 2 + ROUND + BOX + 1);
    assert_int_equal(stand_stat(&stand, "wait_warp"), ROUND + TRIANGLE + 1);
    assert_int_equal(stand_stat(&stand, "wait_answer"), 1);
}

static void without_warps_they_leave_one_by_one(void **state)
{
    (void)state;
    struct stand stand = stand_of_a_warp(1, 2, "none");
    assert_int_equal(answered(0), TAKEN + ROUND + BOX + ROUND + TRIANGLE + 1 + 1);
    assert_int_equal(answered(1), TAKEN + ROUND + BOX + 1);
    assert_int_equal(stand_lists[1][1].answered, 2 * (ROUND + BOX) + TAKEN + 1 + 1);
    assert_int_equal(stand_stat(&stand, "wait_warp"), 0);
}

/* The third ray comes when there is no room in the warp of the other two. */
static void warp_shares_requests_with_itself(void **state)
{
    (void)state;
    static const struct {
        const char *coalesce;
        u64 shared;
    } cases[] = { { "none", 0 }, { "warp", 2 }, { "all", 4 } };
    for (u32 i = 0; i < 3; i++) {
        struct stand stand = stand_of_a_warp(2, 4, cases[i].coalesce);
        assert_int_equal(stand_stat(&stand, "coalesced"), cases[i].shared);
        bench_destroy(stand.sim);
    }
}

/* Four rays in two warps, all ready in the same cycle. A step is begun for both rays of the older
 * warp, and in the next cycle for those of the other. */
static void warps_take_turns_as_a_whole(void **state)
{
    (void)state;
    for (u32 shares = 0; shares < 2; shares++) {
        struct stand stand = stand_create(4, 4);
        bench_set(stand.rt, "rays", 4);
        bench_set(stand.rt, "warp", 2);
        bench_set(stand.rt, "accepts", 4);
        bench_set(stand.rt, "box_pipes", 4);
        bench_set_choice(stand.rt, "policy", "warp");
        bench_set_choice(stand.rt, "coalesce", shares ? "warp" : "none");
        stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
        for (u32 user = 0; user < 4; user++)
            stand_trace(&stand, user, 0, stand_ray());
        stand_finish(&stand);
        /* Without sharing both warps take all four ports, with it two: a node for two rays. */
        for (u32 port = 0; port < 4; port++) {
            assert_int_equal(stand.memory[port]->noted, shares && port > 1 ? 0 : 2);
            for (u32 i = 0; i < stand.memory[port]->noted; i++)
                expect_note(stand.memory[port], i, TAKEN + 1 + i, STAND_NODES + 32 * (port % 2));
        }
        assert_int_equal(stand_stat(&stand, "coalesced"), shares ? 4 : 0);
        assert_int_equal(stand_stat(&stand, "slots_used"), 4);
        assert_int_equal(stand_stat(&stand, "slots_node"), 4);
        bench_destroy(stand.sim);
    }
}

/* Rays of two users come in turn, those of the first miss what the others visit. The last ray of
 * the first user is of another warp of threads: it does not join the one before. */
static void warp_is_of_the_same_threads(void **state)
{
    (void)state;
    for (u32 same = 0; same < 2; same++) {
        struct stand stand = stand_create(2, 8);
        struct rt_ray away = stand_ray();
        away.origin[0] = 5;
        bench_set(stand.rt, "rays", 12);
        bench_set(stand.rt, "warp", 4);
        bench_set_choice(stand.rt, "joins", same ? "warp" : "all");
        put_two_leaves(&stand);
        for (u32 i = 0; i < 2; i++) {
            stand_ask(&stand, 0, (struct stand_request){ 0, MESSAGE_TRACE, i, .ray = away });
            stand_ask(&stand, 1,
                      (struct stand_request){ 0, MESSAGE_TRACE, 2 + i, .ray = stand_ray() });
        }
        stand_ask(&stand, 0, (struct stand_request){ 0, MESSAGE_TRACE, 4, .ray = away });
        stand_finish(&stand);
        u64 longer = ROUND + TRIANGLE + 1;
        u64 waits = same ? 2 + 2 : longer + 3 + 2 + longer + 1;
        assert_int_equal(stand_stat(&stand, "wait_warp"), waits);
        bench_destroy(stand.sim);
    }
}

static void warp_need_not_be_full(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set(stand.rt, "warp", 32);
    put_two_leaves(&stand);
    for (u32 i = 0; i < 3; i++)
        stand_trace(&stand, 0, 100 * i, stand_ray());
    stand_finish(&stand);
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(stand_lists[0][i].answered,
                         100 * i + TAKEN + ROUND + BOX + ROUND + TRIANGLE + 1 + 1);
}

static void what_cannot_work_is_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1);
    bench_set_choice(stand.rt, "overflow", "spill");
    bench_set(stand.rt, "stack", 11);
    bench_init_refused(stand.rt, "a stack of 11 entries cannot spill; it takes at least 12");
    bench_set(stand.rt, "warp", 3);
    bench_init_refused(stand.rt, "64 slots are not a whole number of warps of 3 rays");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(entry_behind_the_hit_costs_a_slot),
        bench_test_all_ways(without_culling_it_costs_a_fetch),
        bench_test_all_ways(any_hit_ends_a_ray_that_asks_for_no_more),
        bench_test_all_ways(forgotten_entry_takes_a_restart),
        bench_test_all_ways(oldest_entries_are_spilled_and_read_back),
        bench_test_all_ways(rays_share_a_request_for_the_same_sector),
        bench_test_all_ways(answered_request_is_joined_no_more),
        bench_test_all_ways(second_child_is_fetched_ahead),
        bench_test_all_ways(requests_can_pass_the_first_cache),
        bench_test_all_ways(first_come_is_first_served),
        bench_test_all_ways(oldest_ray_goes_first),
        bench_test_all_ways(rays_for_the_same_node_go_together),
        bench_test_all_ways(rays_of_a_warp_leave_together),
        bench_test_all_ways(without_warps_they_leave_one_by_one),
        bench_test_all_ways(warp_shares_requests_with_itself),
        bench_test_all_ways(warps_take_turns_as_a_whole),
        bench_test_all_ways(warp_is_of_the_same_threads),
        bench_test_all_ways(warp_need_not_be_full),
        bench_test(what_cannot_work_is_refused),
    };
    return cmocka_run_group_tests_name("rtcore_choices", tests, NULL, NULL);
}
