/* rtcore_walk.c - an RT core finds what the walk on the host finds, and visits what it visits:
 * every format, stacks of every size, with restarts and with spilling, whatever the order of
 * answers. */
#include <string.h>

#include "ogive/random.h"
#include "unit/rtcore_stand.h"

#define TRIANGLES 300
#define RAYS      120

static struct bvh build_treelets(const struct mesh *mesh, u32 nodes, u32 primitives,
                                 u32 treelet_bytes)
{
    struct ogv_error error;
    struct bvh bvh;
    struct bvh_options options = bvh_options_default();
    options.nodes = node_formats[nodes];
    options.primitives = primitive_formats[primitives];
    options.treelet_bytes = treelet_bytes;
    options.threads = 1;
    if (!bvh_build(mesh, &options, &bvh, &error))
        fail_msg("%s", error.message);
    return bvh;
}

static struct bvh build(const struct mesh *mesh, u32 nodes, u32 primitives)
{
    return build_treelets(mesh, nodes, primitives, 0);
}

/* An RT core with the tree, and RAYS rays from all users. */
static struct stand stand_for(const struct bvh *bvh, u32 nodes, u32 primitives, u32 capacity)
{
    struct stand stand = stand_create_narrow(STAND_USERS, 2, capacity);
    u64 random = 11;
    bench_set(stand.rt, "nodes", nodes);
    bench_set(stand.rt, "primitives", primitives);
    stand_tree(&stand, bvh);
    for (u32 i = 0; i < RAYS; i++)
        stand_trace(&stand, i % STAND_USERS, 0, stand_random_ray(&random));
    return stand;
}

static const struct stand_request *asked(u32 ray)
{
    return &stand_lists[ray % STAND_USERS][ray / STAND_USERS];
}

/* With a stack of that many entries on the host; 0: a full one. */
static void check_walks(const struct stand *stand, const struct bvh *bvh, u32 stack)
{
    struct bvh_visits visits = { 0 };
    for (u32 i = 0; i < RAYS; i++) {
        struct rt_hit hit = bvh_trace(bvh, &asked(i)->ray, stack, false, &visits);
        assert_memory_equal(&hit, &asked(i)->hit, sizeof hit);
    }
    assert_int_equal(visits.nodes, stand_stat(stand, "nodes"));
    assert_int_equal(visits.blocks, stand_stat(stand, "blocks"));
    assert_int_equal(visits.triangles, stand_stat(stand, "triangles"));
    assert_int_equal(visits.culled, stand_stat(stand, "culled"));
    assert_int_equal(visits.restarts, stand_stat(stand, "restarts"));
    assert_int_equal(stand_stat(stand, "rays"), RAYS);
    assert_int_equal(stand_stat(stand, "faults"), 0);
    assert_true(stand_stat(stand, "hits") > RAYS / 2);
}

static void every_format_is_walked_as_on_the_host(void **state)
{
    (void)state;
    struct mesh mesh = stand_mesh(TRIANGLES, 3);
    for (u32 nodes = 0; node_formats[nodes]; nodes++) {
        for (u32 primitives = 0; primitive_formats[primitives]; primitives++) {
            struct bvh bvh = build(&mesh, nodes, primitives);
            struct stand stand = stand_for(&bvh, nodes, primitives, 8);
            stand_finish(&stand);
            check_walks(&stand, &bvh, 32);
            bench_destroy(stand.sim);
            bvh_free(&bvh);
        }
    }
    mesh_free(&mesh);
}

/* Also with restarts, spilling, prefetching and coalescing, which have addresses of nodes too. */
static void trees_in_treelets_are_walked_as_on_the_host(void **state)
{
    (void)state;
    struct mesh mesh = stand_mesh(TRIANGLES, 3);
    for (u32 nodes = 0; node_formats[nodes]; nodes++) {
        for (u32 primitives = 0; primitive_formats[primitives]; primitives++) {
            u32 bytes = RT_TREELET_BYTES_MIN << (nodes + primitives) % 2;
            struct bvh plain = build(&mesh, nodes, primitives);
            struct bvh bvh = build_treelets(&mesh, nodes, primitives, bytes);
            struct stand stand = stand_for(&bvh, nodes, primitives, 8);
            bool spills = primitives % 2;
            assert_true(bvh.treelet_count > 1 || bytes > RT_TREELET_BYTES_MIN);
            bench_set(stand.rt, "treelets", bytes);
            bench_set(stand.rt, "stack", spills ? 12 : 4);
            bench_set_choice(stand.rt, "overflow", spills ? "spill" : "restart");
            bench_set_choice(stand.rt, "coalesce", nodes % 2 ? "all" : "none");
            bench_set(stand.rt, "prefetch", nodes % 3 == 0);
            stand_finish(&stand);
            check_walks(&stand, &bvh, spills ? 0 : 4);
            check_walks(&stand, &plain, spills ? 0 : 4);
            bench_destroy(stand.sim);
            bvh_free(&bvh);
            bvh_free(&plain);
        }
    }
    mesh_free(&mesh);
}

/* The host tests a leaf to its end, an RT core a block: they need not find the same triangle. */
static void any_hit_is_found_where_there_is_one(void **state)
{
    (void)state;
    struct mesh mesh = stand_mesh(TRIANGLES / 5, 3);
    for (u32 primitives = 0; primitive_formats[primitives]; primitives++) {
        struct bvh bvh = build(&mesh, 4, primitives);
        struct stand stand = stand_for(&bvh, 4, primitives, 8);
        struct bvh_visits all = { 0 };
        u32 missed = 0;
        for (u32 i = 0; i < RAYS; i++)
            stand_lists[i % STAND_USERS][i / STAND_USERS].kind = MESSAGE_TRACE_ANY;
        stand_finish(&stand);
        for (u32 i = 0; i < RAYS; i++) {
            struct rt_hit hit = bvh_trace(&bvh, &asked(i)->ray, 0, false, &all);
            assert_int_equal(hit.triangle == RT_NOTHING, asked(i)->hit.triangle == RT_NOTHING);
            assert_true(hit.triangle == RT_NOTHING || asked(i)->hit.triangle < TRIANGLES / 5);
            assert_true(hit.t <= asked(i)->hit.t);
            missed += hit.triangle == RT_NOTHING;
        }
        assert_true(missed > 0 && missed < RAYS);
        assert_true(stand_stat(&stand, "nodes") < all.nodes);
        bench_destroy(stand.sim);
        bvh_free(&bvh);
    }
    mesh_free(&mesh);
}

static void short_stacks_restart_as_on_the_host(void **state)
{
    static const u32 stacks[] = { 1, 2, 3, 5, 8, 31, 512 };
    (void)state;
    struct mesh mesh = stand_mesh(TRIANGLES, 4);
    for (u32 nodes = 0; node_formats[nodes]; nodes++) {
        struct bvh bvh = build(&mesh, nodes, 0);
        for (u32 i = 0; i < sizeof stacks / sizeof *stacks; i++) {
            struct stand stand = stand_for(&bvh, nodes, 0, 8);
            bench_set(stand.rt, "stack", stacks[i]);
            stand_finish(&stand);
            check_walks(&stand, &bvh, stacks[i]);
            assert_true(stacks[i] > 2 || stand_stat(&stand, "restarts"));
            assert_true(stacks[i] < 512 || !stand_stat(&stand, "restarts"));
            bench_destroy(stand.sim);
        }
        bvh_free(&bvh);
    }
    mesh_free(&mesh);
}

static void spilled_stacks_are_full_stacks(void **state)
{
    (void)state;
    struct mesh mesh = stand_mesh(800, 5);
    for (u32 nodes = 0; node_formats[nodes]; nodes++) {
        struct bvh bvh = build(&mesh, nodes, 0);
        for (u32 capacity = 1; capacity <= 8; capacity *= 8) {
            struct stand stand = stand_for(&bvh, nodes, 0, capacity);
            bench_set(stand.rt, "stack", 12);
            bench_set_choice(stand.rt, "overflow", "spill");
            bench_set_choice(stand.rt, "coalesce", capacity == 1 ? "all" : "none");
            stand_finish(&stand);
            check_walks(&stand, &bvh, 0);
            assert_true(stand_stat(&stand, "spills") >= stand_stat(&stand, "refills"));
            assert_int_equal(stand_stat(&stand, "refills"), stand_stat(&stand, "slots_stack"));
            if (node_formats[nodes]->width >= 6)
                assert_true(stand_stat(&stand, "refills") > 0);
            bench_destroy(stand.sim);
        }
        bvh_free(&bvh);
    }
    mesh_free(&mesh);
}

/* Sizes that leave no room for anything, and answers that come late and unevenly. */
static void nothing_changes_when_everything_is_narrow(void **state)
{
    static const char *const policies[] = { "fcfs", "oldest", "grouped" };
    (void)state;
    struct mesh mesh = stand_mesh(TRIANGLES, 6);
    struct bvh bvh = build(&mesh, 4, 0);
    for (u32 i = 0; i < 24; i++) {
        struct stand stand = stand_for(&bvh, 4, 0, 1 + i % 2);
        stand_jitter = i % 5 * 16;
        bench_set(stand.rt, "rays", i < 12 ? 1 + i % 3 : 64);
        bench_set(stand.rt, "warp", i < 12 || i % 2 ? 1 : UINT64_C(4) << i % 5);
        bench_set(stand.rt, "accepts", 1 + i % 4);
        bench_set(stand.rt, "answers", 1 + i % 3);
        bench_set(stand.rt, "schedule", 1 + i % 2);
        bench_set(stand.rt, "stack", 1 + i);
        bench_set(stand.rt, "prefetch", i % 3 == 1);
        bench_set(stand.rt, "coalesce", i % 3);
        bench_set_choice(stand.rt, "policy", policies[i % 3]);
        stand_finish(&stand);
        check_walks(&stand, &bvh, 1 + i);
        bench_destroy(stand.sim);
    }
    bvh_free(&bvh);
    mesh_free(&mesh);
}

/* What the statistics must have been in the cycle before. */
struct moment {
    u64 wait[PHASES], idle[PHASES], idle_empty, steps;
};

static struct moment moment_read(const struct rtcore *rt)
{
    struct moment moment = { .idle_empty = rt->s.idle_empty };
    memcpy(moment.wait, rt->s.wait, sizeof moment.wait);
    memcpy(moment.idle, rt->s.idle, sizeof moment.idle);
    moment.steps = rt->s.slots_node + rt->s.slots_block + rt->s.slots_cull + rt->s.slots_stack +
                   rt->s.slots_end;
    return moment;
}

/* A cycle later: every ray has waited for what it waits for, and a cycle without a step is charged
 * to the phase that most rays are in. */
static void moment_pass(struct moment *moment, const struct rtcore *rt)
{
    u32 rays[PHASES + 1] = { 0 }, most = 0;
    for (u32 i = 0; i < rt->p.rays; i++)
        rays[rt->slots[i].phase]++;
    for (u32 phase = 0; phase < PHASES; phase++) {
        moment->wait[phase] += rays[phase];
        most = rays[phase] > rays[most] ? phase : most;
    }
    struct moment now = moment_read(rt);
    if (now.steps == moment->steps)
        *(rays[most] ? &moment->idle[most] : &moment->idle_empty) += 1;
    moment->steps = now.steps;
    assert_memory_equal(moment, &now, sizeof now);
}

static void statistics_are_true_in_every_cycle(void **state)
{
    (void)state;
    struct mesh mesh = stand_mesh(TRIANGLES, 7);
    struct bvh bvh = build(&mesh, 4, 0);
    for (u32 i = 0; i < 4; i++) {
        struct stand stand = stand_for(&bvh, 4, 0, 2);
        const struct rtcore *rt = (const struct rtcore *)stand.rt;
        struct moment moment = { 0 };
        stand_jitter = 16 * i;
        bench_set(stand.rt, "rays", 24);
        bench_set(stand.rt, "warp", UINT64_C(1) << i);
        bench_set(stand.rt, "policy", i % 3);
        stand_begin(&stand);
        enum sim_end end = SIM_REACHED;
        for (cycle now = 1; end == SIM_REACHED; now++) {
            end = bench_run(stand.sim, now);
            bench_report(stand.rt, now);
            if (end == SIM_REACHED)
                moment_pass(&moment, rt);
        }
        assert_int_equal(end, SIM_FINISHED);
        check_walks(&stand, &bvh, 32);
        bench_destroy(stand.sim);
    }
    bvh_free(&bvh);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(every_format_is_walked_as_on_the_host),
        bench_test(trees_in_treelets_are_walked_as_on_the_host),
        bench_test(any_hit_is_found_where_there_is_one),
        bench_test(short_stacks_restart_as_on_the_host),
        bench_test_all_ways(spilled_stacks_are_full_stacks),
        bench_test_all_ways(nothing_changes_when_everything_is_narrow),
        bench_test_all_ways(statistics_are_true_in_every_cycle),
    };
    return cmocka_run_group_tests_name("rtcore_walk", tests, NULL, NULL);
}
