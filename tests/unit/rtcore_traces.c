/* rtcore_traces.c - traces of rays: every wait of a ray in order, which rays are kept, and that
 * they add up to what the RT core counts. */
#include "ogive/ray_trace.h"

#include <stdlib.h>
#include <string.h>

#include "ogive/random.h"
#include "rt/growth.h"
#include "unit/rtcore_stand.h"

extern const struct unit_type unit_type_rtcore;

#define TAKEN    1
#define BOX      3
#define TRIANGLE 22

static void keep(struct stand *stand, u32 limit)
{
    struct ogv_error error;
    if (!unit_type_rtcore.rays->follow(stand->rt, limit, &error))
        fail_msg("%s", error.message);
}

static const struct ray_traces *traces_of(const struct stand *stand)
{
    return unit_type_rtcore.rays->followed(stand->rt);
}

static const struct ray_trace *trace_numbered(const struct stand *stand, u64 number)
{
    const struct ray_traces *all = traces_of(stand);
    for (u32 i = 0; i < all->count; i++)
        if (all->traces[i].number == number)
            return &all->traces[i];
    return NULL;
}

/* The events of a ray; the caller frees. */
static struct ray_trace_event *events_of(const struct stand *stand, u64 number, u32 *count)
{
    const struct ray_trace *trace = trace_numbered(stand, number);
    u64 cycles[RAY_TRACE_REASON_COUNT];
    assert_non_null(trace);
    struct ray_trace_event *events = malloc((trace->event_count + 2) * sizeof *events);
    *count = ray_trace_events(traces_of(stand), trace, sim_chip(stand->sim)->now, events, cycles);
    return events;
}

struct wanted {
    enum ray_trace_reason reason;
    cycle cycles;
    u64 address;
};

static void expect_trace(const struct stand *stand, u64 number, cycle begin,
                         const struct wanted *wanted, u32 wanted_count)
{
    u32 count;
    struct ray_trace_event *events = events_of(stand, number, &count);
    assert_int_equal(count, wanted_count);
    for (u32 i = 0; i < count; i++) {
        assert_int_equal(events[i].begin, begin);
        assert_int_equal(events[i].reason, wanted[i].reason);
        assert_int_equal(events[i].cycles, wanted[i].cycles);
        assert_int_equal(events[i].address, wanted[i].address);
        begin += events[i].cycles;
    }
    assert_true(trace_numbered(stand, number)->ended);
    assert_int_equal(trace_numbered(stand, number)->end, begin);
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
        { RAY_TRACE_SENT, 1, 0 },
        { RAY_TRACE_NODE_PORT, 1, STAND_NODES },
        { RAY_TRACE_NODE_FETCH, ROUND, STAND_NODES },
        { RAY_TRACE_BOX, BOX, STAND_NODES },
        { RAY_TRACE_BLOCK_PORT, 1, STAND_BLOCKS },
        { RAY_TRACE_BLOCK_FETCH, ROUND, STAND_BLOCKS },
        { RAY_TRACE_TRIANGLE, TRIANGLE, STAND_BLOCKS },
        { RAY_TRACE_RETURNED, 1, 0 },
    };
    expect_trace(&stand, 0, 10, wanted, 8);
    const struct ray_trace *trace = trace_numbered(&stand, 0);
    assert_int_equal(trace->end, stand_lists[0][0].answered);
    assert_int_equal(trace->outcome.hit.triangle, 70);
    assert_int_equal(trace->outcome.nodes, 1);
    assert_int_equal(trace->outcome.triangles, 1);
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
        { RAY_TRACE_SENT, 1, 0 },
        { RAY_TRACE_QUEUED, left + 1 - 2, 0 },
        { RAY_TRACE_NODE_FETCH, ROUND, STAND_NODES },
        { RAY_TRACE_BOX, BOX, STAND_NODES },
        { RAY_TRACE_RETURNED, 1, 0 },
    };
    expect_trace(&stand, 1, 1, wanted, 5);
}

static void hit_that_is_held_is_traced_on(void **state)
{
    (void)state;
    struct stand stand = stand_with_leaf(1, 2);
    stand_ask(&stand, 0, (struct stand_request){ .kind = MESSAGE_TRACE_START, .ray = stand_ray() });
    stand_ask(&stand, 0,
              (struct stand_request){ .at = 500, .kind = MESSAGE_TRACE_WAIT, .ticket_of = 1 });
    keep(&stand, 1);
    stand_finish(&stand);
    const struct ray_trace *trace = trace_numbered(&stand, 0);
    assert_int_equal(trace->cycles[RAY_TRACE_HELD], 500 - (ROUND + BOX + ROUND + TRIANGLE));
    assert_int_equal(trace->end, 500 + TAKEN + 1);
    assert_int_equal(trace->kind, MESSAGE_TRACE_START);
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
    assert_int_equal(trace_numbered(&stand, 0)->cycles[RAY_TRACE_NODE_PORT], 1);
    assert_int_equal(trace_numbered(&stand, 1)->cycles[RAY_TRACE_NODE_PORT], 0);
    assert_int_equal(trace_numbered(&stand, 1)->cycles[RAY_TRACE_NODE_FETCH], ROUND + 1);
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

static u64 cycles_of(const struct stand *stand, enum ray_trace_reason reason)
{
    const struct ray_traces *all = traces_of(stand);
    u64 sum = 0;
    for (u32 i = 0; i < all->count; i++)
        sum += all->traces[i].cycles[reason];
    return sum;
}

static void check_sums(const struct stand *stand)
{
    static const struct {
        enum ray_trace_reason first, last;
        const char *stat;
    } parts[] = {
        { RAY_TRACE_SCHEDULE, RAY_TRACE_SCHEDULE, "wait_schedule" },
        { RAY_TRACE_NODE_PORT, RAY_TRACE_NODE_FETCH, "wait_node_fetch" },
        { RAY_TRACE_BOX_QUEUE, RAY_TRACE_BOX_QUEUE, "wait_box_queue" },
        { RAY_TRACE_BOX, RAY_TRACE_BOX, "wait_box" },
        { RAY_TRACE_BLOCK_PORT, RAY_TRACE_BLOCK_FETCH, "wait_block_fetch" },
        { RAY_TRACE_TRIANGLE_QUEUE, RAY_TRACE_TRIANGLE_QUEUE, "wait_triangle_queue" },
        { RAY_TRACE_TRIANGLE, RAY_TRACE_TRIANGLE, "wait_triangle" },
        { RAY_TRACE_STACK_PORT, RAY_TRACE_STACK_FETCH, "wait_stack_fetch" },
        { RAY_TRACE_WARP, RAY_TRACE_WARP, "wait_warp" },
        { RAY_TRACE_ANSWER, RAY_TRACE_ANSWER, "wait_answer" },
        { RAY_TRACE_HELD, RAY_TRACE_HELD, "wait_held" },
    };
    for (u32 i = 0; i < sizeof parts / sizeof *parts; i++) {
        u64 sum = 0;
        for (enum ray_trace_reason reason = parts[i].first; reason <= parts[i].last; reason++)
            sum += cycles_of(stand, reason);
        assert_int_equal(sum, stand_stat(stand, parts[i].stat));
    }
}

static void check_events(const struct stand *stand)
{
    for (u32 i = 0; i < traces_of(stand)->count; i++) {
        const struct ray_trace *trace = &traces_of(stand)->traces[i];
        u32 count;
        struct ray_trace_event *events = events_of(stand, trace->number, &count);
        u64 cycles[RAY_TRACE_REASON_COUNT] = { 0 };
        cycle at = trace->begin;
        for (u32 k = 0; k < count; k++) {
            assert_int_equal(events[k].begin, at);
            assert_true(events[k].cycles > 0);
            at += events[k].cycles;
            cycles[events[k].reason] += events[k].cycles;
        }
        assert_int_equal(trace->lost, 0);
        assert_int_equal(at, trace->end);
        assert_memory_equal(cycles, trace->cycles, sizeof cycles);
        free(events);
    }
}

static void traces_of_all_rays_are_what_is_counted(void **state)
{
    static const struct {
        const char *overflow;
        u64 warp;
    } cases[] = { { "restart", 1 }, { "spill", 1 }, { "restart", 4 } };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand;
        run_random(&stand, cases[i].overflow, cases[i].warp, RAYS);
        assert_int_equal(traces_of(&stand)->count, RAYS);
        assert_int_equal(stand_stat(&stand, "spills") > 0, !strcmp(cases[i].overflow, "spill"));
        check_sums(&stand);
        check_events(&stand);
        bench_destroy(stand.sim);
    }
}

/* Smaller numbers of traces are parts of larger ones, and nothing else changes. */
static void rays_of_the_smallest_ranks_are_kept(void **state)
{
    struct stand all, some;
    (void)state;
    run_random(&all, "spill", 1, RAYS);
    run_random(&some, "spill", 1, 30);
    assert_int_equal(traces_of(&some)->count, 30);
    check_events(&some);
    u64 largest = 0;
    u32 below = 0;
    for (u32 i = 0; i < 30; i++) {
        const struct ray_trace *trace = &traces_of(&some)->traces[i];
        const struct ray_trace *same = trace_numbered(&all, trace->number);
        assert_int_equal(trace->begin, same->begin);
        assert_memory_equal(trace->cycles, same->cycles, sizeof trace->cycles);
        largest = trace->rank > largest ? trace->rank : largest;
    }
    for (u32 i = 0; i < RAYS; i++)
        below += traces_of(&all)->traces[i].rank <= largest;
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
    const struct ray_trace *trace = trace_numbered(&stand, 0);
    u64 sum = 0;
    u32 count;
    struct ray_trace_event *events = events_of(&stand, 0, &count);
    for (u32 i = 0; i < RAY_TRACE_REASON_COUNT; i++)
        sum += trace->cycles[i];
    assert_int_equal(trace->outcome.triangles, 700);
    assert_int_equal(count, traces_of(&stand)->block_limit * RAY_TRACE_BLOCK_EVENTS);
    assert_true(trace->lost > 0);
    assert_int_equal(sum, trace->end - trace->begin);
    assert_int_equal(cycles_of(&stand, RAY_TRACE_TRIANGLE), 700 * TRIANGLE);
    assert_true(events[count - 1].begin + events[count - 1].cycles < trace->end);
    free(events);
    bvh_free(&bvh);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(waits_of_a_ray_in_order),
        bench_test_all_ways(ray_without_a_slot_is_queued),
        bench_test(hit_that_is_held_is_traced_on),
        bench_test_all_ways(shared_request_waits_for_no_port),
        bench_test(traces_of_all_rays_are_what_is_counted),
        bench_test(rays_of_the_smallest_ranks_are_kept),
        bench_test(events_without_room_are_counted),
    };
    return cmocka_run_group_tests_name("rtcore_traces", tests, NULL, NULL);
}
