/* rtcore_life.c - the lives of rays: every wait of a ray in order, which rays are kept, and that
 * they add up to what the RT core counts. */
#include "unit/rtcore/life.h"

#include <stdlib.h>
#include <string.h>

#include "ogive/random.h"
#include "rt/growth.h"
#include "unit/rtcore_stand.h"

#define TAKEN    1
#define BOX      3
#define TRIANGLE 22

static void keep(struct stand *stand, u32 limit)
{
    struct ogv_error error;
    if (!rtcore_keep_lives(stand->rt, limit, &error))
        fail_msg("%s", error.message);
}

static const struct rtcore_lives *lives_of(const struct stand *stand)
{
    return ((const struct rtcore *)stand->rt)->lives;
}

static const struct life *life_numbered(const struct stand *stand, u64 number)
{
    const struct rtcore_lives *all = lives_of(stand);
    for (u32 i = 0; i < all->count; i++)
        if (all->lives[i].number == number)
            return &all->lives[i];
    return NULL;
}

/* The events of a ray; the caller frees. */
static struct life_event *events_of(const struct stand *stand, u64 number, u32 *count)
{
    const struct life *life = life_numbered(stand, number);
    u64 cycles[LIFE_REASON_COUNT];
    assert_non_null(life);
    struct life_event *events = malloc((life->event_count + 2) * sizeof *events);
    *count = life_events(lives_of(stand), life, sim_chip(stand->sim)->now, events, cycles);
    return events;
}

struct wanted {
    enum life_reason reason;
    cycle cycles;
    u64 address;
};

static void expect_life(const struct stand *stand, u64 number, cycle begin,
                        const struct wanted *wanted, u32 wanted_count)
{
    u32 count;
    struct life_event *events = events_of(stand, number, &count);
    assert_int_equal(count, wanted_count);
    for (u32 i = 0; i < count; i++) {
        assert_int_equal(events[i].begin, begin);
        assert_int_equal(events[i].reason, wanted[i].reason);
        assert_int_equal(events[i].cycles, wanted[i].cycles);
        assert_int_equal(events[i].address, wanted[i].address);
        begin += events[i].cycles;
    }
    assert_true(life_numbered(stand, number)->ended);
    assert_int_equal(life_numbered(stand, number)->end, begin);
    free(events);
}

/* A root with a leaf of one block. */
static struct stand stand_with_leaf(u32 users, u32 ports)
{
    struct stand stand = stand_create(users, ports);
    stand_node(&stand, 0, &(struct wide_node){ { stand_child(4, 6, rt_ref_leaf(0, 1)) }, 1 });
    stand_triangle(&stand, 0, 70, 5.5f);
    return stand;
}

/* One port sends two sectors in two cycles. */
static void waits_of_a_ray_in_order(void **state)
{
    (void)state;
    struct stand stand = stand_with_leaf(1, 1);
    stand_trace(&stand, 0, 10, stand_ray());
    keep(&stand, 4);
    stand_finish(&stand);
    const struct wanted wanted[] = {
        { LIFE_SENT, 1, 0 },
        { LIFE_NODE_PORT, 1, STAND_NODES },
        { LIFE_NODE_FETCH, ROUND, STAND_NODES },
        { LIFE_BOX, BOX, STAND_NODES },
        { LIFE_BLOCK_PORT, 1, STAND_BLOCKS },
        { LIFE_BLOCK_FETCH, ROUND, STAND_BLOCKS },
        { LIFE_TRIANGLE, TRIANGLE, STAND_BLOCKS },
        { LIFE_RETURNED, 1, 0 },
    };
    expect_life(&stand, 0, 10, wanted, 8);
    const struct life *life = life_numbered(&stand, 0);
    assert_int_equal(life->end, stand_lists[0][0].answered);
    assert_int_equal(life->hit.triangle, 70);
    assert_int_equal(life->nodes, 1);
    assert_int_equal(life->triangles, 1);
}

static void ray_without_a_slot_is_queued(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_set(stand.rt, "rays", 1);
    stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
    for (u32 i = 0; i < 2; i++)
        stand_trace(&stand, 0, 0, stand_ray());
    keep(&stand, 2);
    stand_finish(&stand);
    cycle left = TAKEN + ROUND + BOX; /* the first one */
    const struct wanted wanted[] = {
        { LIFE_SENT, 1, 0 },
        { LIFE_QUEUED, left + 1 - 2, 0 },
        { LIFE_NODE_FETCH, ROUND, STAND_NODES },
        { LIFE_BOX, BOX, STAND_NODES },
        { LIFE_RETURNED, 1, 0 },
    };
    expect_life(&stand, 1, 1, wanted, 5);
}

static void hit_that_is_held_lives_on(void **state)
{
    (void)state;
    struct stand stand = stand_with_leaf(1, 2);
    stand_ask(&stand, 0, (struct stand_request){ .kind = MESSAGE_TRACE_START, .ray = stand_ray() });
    stand_ask(&stand, 0,
              (struct stand_request){ .at = 500, .kind = MESSAGE_TRACE_WAIT, .ticket_of = 1 });
    keep(&stand, 1);
    stand_finish(&stand);
    const struct life *life = life_numbered(&stand, 0);
    assert_int_equal(life->cycles[LIFE_HELD], 500 - (ROUND + BOX + ROUND + TRIANGLE));
    assert_int_equal(life->end, 500 + TAKEN + 1);
    assert_int_equal(life->kind, MESSAGE_TRACE_START);
}

/* Another ray's request is under way: no port is waited for. */
static void shared_request_waits_for_no_port(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 1);
    bench_set(stand.rt, "accepts", 2);
    bench_set(stand.rt, "schedule", 2);
    bench_set_choice(stand.rt, "coalesce", "all");
    stand_node(&stand, 0, &(struct wide_node){ .count = 0 });
    for (u32 i = 0; i < 2; i++)
        stand_trace(&stand, i, 0, stand_ray());
    keep(&stand, 2);
    stand_finish(&stand);
    assert_int_equal(life_numbered(&stand, 0)->cycles[LIFE_NODE_PORT], 1);
    assert_int_equal(life_numbered(&stand, 1)->cycles[LIFE_NODE_PORT], 0);
    assert_int_equal(life_numbered(&stand, 1)->cycles[LIFE_NODE_FETCH], ROUND + 1);
}

/* ---- Random rays ---- */

#define RAYS 300

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

static void run_random(struct stand *stand, const char *overflow, u64 warp, u32 limit)
{
    struct mesh mesh = stand_mesh(800, 5);
    struct bvh bvh = tree_of(&mesh);
    u64 random = 11;
    *stand = stand_create_narrow(STAND_USERS, 2, 8);
    bench_set(stand->rt, "rays", 16);
    bench_set(stand->rt, "warp", warp);
    bench_set(stand->rt, "stack", 12);
    bench_set_choice(stand->rt, "overflow", overflow);
    stand_tree(stand, &bvh);
    stand_jitter = 50;
    for (u32 i = 0; i < RAYS; i++)
        stand_trace(stand, i % STAND_USERS, 0, stand_random_ray(&random));
    keep(stand, limit);
    stand_finish(stand);
    bvh_free(&bvh);
    mesh_free(&mesh);
}

static u64 cycles_of(const struct stand *stand, enum life_reason reason)
{
    const struct rtcore_lives *all = lives_of(stand);
    u64 sum = 0;
    for (u32 i = 0; i < all->count; i++)
        sum += all->lives[i].cycles[reason];
    return sum;
}

static void check_sums(const struct stand *stand)
{
    static const struct {
        enum life_reason first, last;
        const char *stat;
    } parts[] = {
        { LIFE_SCHEDULE, LIFE_SCHEDULE, "wait_schedule" },
        { LIFE_NODE_PORT, LIFE_NODE_FETCH, "wait_node_fetch" },
        { LIFE_BOX_QUEUE, LIFE_BOX_QUEUE, "wait_box_queue" },
        { LIFE_BOX, LIFE_BOX, "wait_box" },
        { LIFE_BLOCK_PORT, LIFE_BLOCK_FETCH, "wait_block_fetch" },
        { LIFE_TRIANGLE_QUEUE, LIFE_TRIANGLE_QUEUE, "wait_triangle_queue" },
        { LIFE_TRIANGLE, LIFE_TRIANGLE, "wait_triangle" },
        { LIFE_STACK_PORT, LIFE_STACK_FETCH, "wait_stack_fetch" },
        { LIFE_WARP, LIFE_WARP, "wait_warp" },
        { LIFE_ANSWER, LIFE_ANSWER, "wait_answer" },
        { LIFE_HELD, LIFE_HELD, "wait_held" },
    };
    for (u32 i = 0; i < sizeof parts / sizeof *parts; i++) {
        u64 sum = 0;
        for (enum life_reason reason = parts[i].first; reason <= parts[i].last; reason++)
            sum += cycles_of(stand, reason);
        assert_int_equal(sum, stand_stat(stand, parts[i].stat));
    }
}

static void check_events(const struct stand *stand)
{
    for (u32 i = 0; i < lives_of(stand)->count; i++) {
        const struct life *life = &lives_of(stand)->lives[i];
        u32 count;
        struct life_event *events = events_of(stand, life->number, &count);
        u64 cycles[LIFE_REASON_COUNT] = { 0 };
        cycle at = life->begin;
        for (u32 k = 0; k < count; k++) {
            assert_int_equal(events[k].begin, at);
            assert_true(events[k].cycles > 0);
            at += events[k].cycles;
            cycles[events[k].reason] += events[k].cycles;
        }
        assert_int_equal(life->lost, 0);
        assert_int_equal(at, life->end);
        assert_memory_equal(cycles, life->cycles, sizeof cycles);
        free(events);
    }
}

static void lives_of_all_rays_are_what_is_counted(void **state)
{
    static const struct {
        const char *overflow;
        u64 warp;
    } cases[] = { { "restart", 1 }, { "spill", 1 }, { "restart", 4 } };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand;
        run_random(&stand, cases[i].overflow, cases[i].warp, RAYS);
        assert_int_equal(lives_of(&stand)->count, RAYS);
        assert_int_equal(stand_stat(&stand, "spills") > 0, !strcmp(cases[i].overflow, "spill"));
        check_sums(&stand);
        check_events(&stand);
        bench_destroy(stand.sim);
    }
}

/* Smaller numbers of lives are parts of larger ones, and nothing else changes. */
static void rays_of_the_smallest_ranks_are_kept(void **state)
{
    struct stand all, some;
    (void)state;
    run_random(&all, "spill", 1, RAYS);
    run_random(&some, "spill", 1, 30);
    assert_int_equal(lives_of(&some)->count, 30);
    check_events(&some);
    u64 largest = 0;
    u32 below = 0;
    for (u32 i = 0; i < 30; i++) {
        const struct life *life = &lives_of(&some)->lives[i];
        const struct life *same = life_numbered(&all, life->number);
        assert_int_equal(life->begin, same->begin);
        assert_memory_equal(life->cycles, same->cycles, sizeof life->cycles);
        largest = life->rank > largest ? life->rank : largest;
    }
    for (u32 i = 0; i < RAYS; i++)
        below += lives_of(&all)->lives[i].rank <= largest;
    assert_int_equal(below, 30);
    assert_int_equal(stand_stat(&some, "ray_cycles"), stand_stat(&all, "ray_cycles"));
}

/* ---- More than there is room for ---- */

/* Triangles one behind the other whose boxes a ray enters and that it misses. */
static struct mesh mesh_missed(u32 triangles)
{
    struct growth growth = { 0 };
    struct ogv_error error;
    struct mesh mesh;
    for (u32 i = 0; i < triangles; i++) {
        float z = 1 + (float)i;
        u32 a = growth_vertex(&growth, -1, 1, z), b = growth_vertex(&growth, 1, -1, z);
        growth_triangle(&growth, a, b, growth_vertex(&growth, 1, 1, z));
    }
    assert_true(growth_finish(&growth, "missed", &mesh, &error));
    return mesh;
}

static void events_without_room_are_counted(void **state)
{
    (void)state;
    struct mesh mesh = mesh_missed(700);
    struct bvh bvh = tree_of(&mesh);
    struct stand stand = stand_create(1, 2);
    struct rt_ray ray = { { -0.1f, -0.1f, 0 }, 0, { 0, 0, 1 }, 1000 };
    stand_tree(&stand, &bvh);
    stand_trace(&stand, 0, 0, ray);
    keep(&stand, 1);
    stand_finish(&stand);
    const struct life *life = life_numbered(&stand, 0);
    u64 sum = 0;
    u32 count;
    struct life_event *events = events_of(&stand, 0, &count);
    for (u32 i = 0; i < LIFE_REASON_COUNT; i++)
        sum += life->cycles[i];
    assert_int_equal(life->triangles, 700);
    assert_int_equal(count, lives_of(&stand)->block_limit * LIFE_BLOCK_EVENTS);
    assert_true(life->lost > 0);
    assert_int_equal(sum, life->end - life->begin);
    assert_int_equal(cycles_of(&stand, LIFE_TRIANGLE), 700 * TRIANGLE);
    assert_true(events[count - 1].begin + events[count - 1].cycles < life->end);
    free(events);
    bvh_free(&bvh);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(waits_of_a_ray_in_order),
        bench_test_all_ways(ray_without_a_slot_is_queued),
        bench_test(hit_that_is_held_lives_on),
        bench_test_all_ways(shared_request_waits_for_no_port),
        bench_test(lives_of_all_rays_are_what_is_counted),
        bench_test(rays_of_the_smallest_ranks_are_kept),
        bench_test(events_without_room_are_counted),
    };
    return cmocka_run_group_tests_name("rtcore_life", tests, NULL, NULL);
}
