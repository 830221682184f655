/* rtcore_plain.c - the short ways of an RT core's requests and answers against the general ones, on
 * random rays.
 *
 * An RT core whose rays are followed sends every request through its outbox and takes every answer
 * the general way, here also as if memory were far and it could begin several steps; one that
 * nobody follows sends a step's request with the step, takes sectors where they arrive, lets a ray
 * that leaves a pipe go on at once, and writes children where they lie on the stack. Both must do
 * the same in the same cycles. */
#include <string.h>

#include "ogive/random.h"
#include "unit/rtcore_stand.h"

extern const struct unit_type unit_type_rtcore;

#define RAYS  48
#define SEEDS 64

/* What came of a run. */
struct outcome {
    struct stand_request answered[RAYS];
    u64 stats[160];
};

static struct outcome plain, general;
static u32 usual; /* runs whose ticks are those made for most RT cores */

static struct bvh tree_of(const struct mesh *mesh)
{
    struct ogv_error error;
    struct bvh bvh;
    struct bvh_options options = bvh_options_default();
    options.threads = 1;
    if (!bvh_build(mesh, &options, &bvh, &error))
        fail_msg("%s", error.message);
    return bvh;
}

/* The seed also says what the RT core is like; few ports, mostly two, with little room, so that
 * they refuse, and stacks that have room for a node's children in a row always, at times or seldom.
 */
static struct stand stand_of(u64 seed)
{
    u32 ports = seed % 3 ? 2 : 1 + (u32)seed / 3 % 3;
    struct stand stand = stand_create_narrow(STAND_USERS, ports, seed & 1 ? 2 : 8);
    bench_set(stand.rt, "rays", seed & 2 ? 4 : 24);
    bench_set(stand.rt, "warp", seed % 5 == 0 ? 4 : 1);
    bench_set(stand.rt, "schedule", seed % 7 == 0 ? 2 : 1);
    bench_set(stand.rt, "box_pipes", seed & 4 ? 2 : 1);
    bench_set(stand.rt, "stack", seed & 8 ? 12 : seed & 16 ? 32 : 10);
    bench_set(stand.rt, "prefetch", seed % 11 == 0);
    bench_set_choice(stand.rt, "overflow", seed & 16 ? "spill" : "restart");
    return stand;
}

static void outcome_of(struct outcome *outcome, const struct bvh *bvh, u64 seed, bool followed)
{
    u64 random = seed;
    struct ogv_error error;
    struct stand stand = stand_of(seed);
    stand_tree(&stand, bvh);
    stand_jitter = seed & 1 ? 50 : 0;
    for (u32 i = 0; i < RAYS; i++)
        stand_trace(&stand, i % STAND_USERS, i / STAND_USERS * (seed % 4),
                    stand_random_ray(&random));
    stand_begin(&stand);
    if (followed && !unit_type_rtcore.rays->follow(stand.rt, 1, &error))
        fail_msg("%s", error.message);
    struct rtcore_plan *plan = &((struct rtcore *)stand.rt)->plan;
    usual += plan->usual && !followed;
    plan->near = plan->near && !followed;
    plan->singly = plan->singly && !followed;
    stand_end(&stand);
    for (u32 i = 0; i < RAYS; i++)
        outcome->answered[i] = stand_lists[i % STAND_USERS][i / STAND_USERS];
    for (u32 i = 0; unit_type_rtcore.stats[i].name; i++)
        outcome->stats[i] = stand_stat(&stand, unit_type_rtcore.stats[i].name);
    bench_destroy(stand.sim);
}

static void expect_same(u64 seed)
{
    for (u32 i = 0; i < RAYS; i++) {
        assert_int_equal(plain.answered[i].answered, general.answered[i].answered);
        assert_memory_equal(&plain.answered[i].hit, &general.answered[i].hit,
                            sizeof plain.answered[i].hit);
    }
    for (u32 i = 0; unit_type_rtcore.stats[i].name; i++)
        if (plain.stats[i] != general.stats[i])
            fail_msg("seed %llu: %s is %llu and %llu", (unsigned long long)seed,
                     unit_type_rtcore.stats[i].name, (unsigned long long)plain.stats[i],
                     (unsigned long long)general.stats[i]);
}

static void both_ways_do_the_same(void **state)
{
    struct mesh mesh = stand_mesh(400, 5);
    struct bvh bvh = tree_of(&mesh);
    (void)state;
    usual = 0;
    for (u64 seed = 1; seed <= SEEDS; seed++) {
        outcome_of(&plain, &bvh, seed, false);
        outcome_of(&general, &bvh, seed, true);
        expect_same(seed);
    }
    assert_true(usual >= 8);
    bvh_free(&bvh);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = { bench_test_all_ways(both_ways_do_the_same) };
    return cmocka_run_group_tests_name("rtcore_plain", tests, NULL, NULL);
}
