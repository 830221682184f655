/* rtcore_stream.c - an RT core in stream mode, cycle by cycle, with a mock that holds its rays.
 *
 * Two treelets: the root has the root of treelet 1 between heights 2 and 3 and a leaf between 4 and
 * 6; that one has a leaf between 2 and 3. Four ports bring a node at once. */
#include <string.h>

#include "ogive/stream.h"
#include "unit/rtcore_stand.h"

#define BOX      3
#define TRIANGLE 22
#define SECOND   64 /* number of the root of treelet 1: 8 KiB of nodes of 128 bytes */
#define AT       68 /* where that lies, in nodes: a sixteenth behind */
#define ACTS_MAX 8

struct act {
    cycle at;
    struct ogv_stream_ray ray;
    u32 kind;
};

static struct act acts[ACTS_MAX];
static u32 act_count;

/* What came to the holder that is no ask, and when its last half did. */
struct got {
    cycle at;
    u32 kind, source;
    struct ogv_stream_ray ray;
};

static struct got got[STAND_LIST];
static u32 got_count;

static void holder_take(struct mock *mock, const struct message *message, cycle now)
{
    struct got *next = &got[got_count];
    if (message->kind == MESSAGE_STREAM_LOAD) {
        mock_note(mock, now, MESSAGE_STREAM_LOAD);
        return;
    }
    bool whole = message->kind == MESSAGE_STREAM_STORE || message->kind == MESSAGE_STREAM_HIT;
    if (whole)
        stream_half_read(&next->ray, message->tag, message->data.byte);
    if (whole && !message->tag)
        return;
    next->at = now;
    next->kind = message->kind;
    next->source = message->source;
    got_count++;
}

/* Sends both halves of each ray, one after the other. */
static cycle step_hold(struct mock *mock, cycle now)
{
    u32 half = mock->script_next % 2;
    const struct act *act = &acts[mock->script_next / 2];
    for (const struct message *message; (message = link_peek(mock->in[0])); link_pop(mock->in[0]))
        holder_take(mock, message, now);
    if (mock->script_next == 2 * act_count)
        return NEVER;
    if (now < act->at + half)
        return act->at + half;
    struct message *message = link_push(mock->out[0]);
    *message = (struct message){ .kind = (u16)act->kind, .tag = half };
    stream_half_write(&act->ray, half, message->data.byte);
    if (act->kind != MESSAGE_STREAM_RAY)
        mock->script_next++; /* one message */
    unit_release(&mock->base, act->kind == MESSAGE_STREAM_RAY ? 1 : 2);
    return ++mock->script_next < 2 * act_count ? now + 1 : NEVER;
}

static struct stand stream_create(const char *mode, struct mock **holder)
{
    struct stand stand = stand_create(1, 4);
    bench_set_choice(stand.rt, "stream", mode);
    bench_set_choice(stand.rt, "nodes", "bvh4");
    bench_set(stand.rt, "treelets", 8192);
    bench_set(stand.rt, "rays", 3);
    *holder = bench_mock(stand.sim, stand.rt->domain, step_hold);
    bench_join(stand.sim, stand.rt, "stream", *holder, 1, 8);
    unit_hold(&(*holder)->base, 1); /* as long as rays may be under way */
    stand_node(&stand, 0,
               &(struct wide_node){
                   { stand_child(2, 3, SECOND), stand_child(4, 6, rt_ref_leaf(0, 1)) }, 2 });
    stand_node(&stand, AT, &(struct wide_node){ { stand_child(2, 3, rt_ref_leaf(1, 1)) }, 1 });
    stand_triangle(&stand, 0, 70, 5);
    stand_triangle(&stand, 1, 71, 2.5f);
    act_count = got_count = 0;
    memset(got, 0, sizeof got);
    return stand;
}

static struct ogv_stream_ray ray_new(u32 id)
{
    struct ogv_stream_ray ray = { .ray = stand_ray(), .id = id };
    ray.hit = rt_hit_none(&ray.ray);
    return ray;
}

static void act_add(struct mock *holder, cycle at, u32 kind, struct ogv_stream_ray ray)
{
    assert_true(act_count < ACTS_MAX);
    acts[act_count++] = (struct act){ at, ray, kind };
    unit_hold(&holder->base, 2);
}

static void stream_run(struct stand *stand, cycle until)
{
    stand_begin(stand);
    bench_run(stand->sim, until);
    bench_report(stand->rt, until);
    const struct rtcore *rt = (const struct rtcore *)stand->rt;
    u64 sum = 0;
    for (u32 phase = 0; phase < PHASES; phase++)
        sum += rt->s.wait[phase];
    assert_int_equal(sum, rt->s.ray_cycles);
}

static void expect_got(u32 index, cycle at, u32 kind, u32 source)
{
    assert_true(index < got_count);
    assert_int_equal(got[index].at, at);
    assert_int_equal(got[index].kind, kind);
    assert_int_equal(got[index].source, source);
}

/* ---- Rays ---- */

/* Pushed in cycles 0, 1, 2; and again when one is gone, behind its halves. */
static void every_free_slot_asks(void **state)
{
    struct mock *holder;
    struct ogv_stream_ray empty = ray_new(5);
    (void)state;
    struct stand stand = stream_create("requeue", &holder);
    empty.ray.t_max = -1;
    act_add(holder, 20, MESSAGE_STREAM_RAY, empty);
    stream_run(&stand, 100);
    for (u32 i = 0; i < 3; i++)
        expect_note(holder, i, 1 + i, MESSAGE_STREAM_LOAD);
    expect_got(0, 22 + 1 + 1, MESSAGE_STREAM_STORE, STREAM_BACK);
    expect_note(holder, 3, 22 + 2 + 1, MESSAGE_STREAM_LOAD);
    assert_int_equal(holder->noted, 4);
    assert_int_equal(stand_stat(&stand, "empty"), 1);
    assert_int_equal(stand_stat(&stand, "rays"), 0);
}

/* The ray is there at 12; the root at 32; its halves leave at 35 and 36. It comes back at 52, finds
 * its hit, and leaves for the root: the first of its children is done. There, that is skipped, and
 * the other one lies behind the hit. */
static void ray_leaves_for_other_treelets(void **state)
{
    struct mock *holder;
    struct ogv_stream_ray ray = ray_new(5);
    (void)state;
    struct stand stand = stream_create("requeue", &holder);
    act_add(holder, 10, MESSAGE_STREAM_RAY, ray);
    ray.treelet = ray.level = 1;
    act_add(holder, 50, MESSAGE_STREAM_RAY, ray);
    ray.treelet = ray.level = 0;
    ray.trail = 1;
    ray.hit = (struct rt_hit){ 2.5f, 0, 0, 71 };
    act_add(holder, 150, MESSAGE_STREAM_RAY, ray);
    stream_run(&stand, 300);

    expect_got(0, 12 + ROUND + BOX + 2, MESSAGE_STREAM_STORE, STREAM_BACK);
    assert_int_equal(got[0].ray.id, 5);
    assert_int_equal(got[0].ray.treelet, 1);
    assert_int_equal(got[0].ray.level, 1);
    assert_int_equal(got[0].ray.trail, 0);
    assert_int_equal(got[0].ray.hit.triangle, RT_NOTHING);

    expect_got(1, 52 + ROUND + BOX + ROUND + TRIANGLE + 2, MESSAGE_STREAM_STORE, STREAM_BACK);
    assert_int_equal(got[1].ray.treelet, 0);
    assert_int_equal(got[1].ray.level, 0);
    assert_int_equal(got[1].ray.trail, 1);
    assert_int_equal(got[1].ray.hit.triangle, 71);

    expect_got(2, 152 + ROUND + BOX + 2, MESSAGE_STREAM_STORE, STREAM_BACK);
    assert_int_equal(got[2].ray.treelet, STREAM_DONE_TREELET);
    assert_int_equal(got[2].ray.hit.triangle, 71);
    assert_int_equal(stand_stat(&stand, "rays"), 1);
    assert_int_equal(stand_stat(&stand, "hits"), 1);
    assert_int_equal(stand_stat(&stand, "nodes"), 3);
    assert_int_equal(stand_stat(&stand, "restarts"), 1);
}

/* The last child of the root: its ray has no way back. */
static void last_child_ends_the_walk(void **state)
{
    struct mock *holder;
    struct ogv_stream_ray ray = ray_new(5);
    (void)state;
    struct stand stand = stream_create("requeue", &holder);
    ray.treelet = ray.level = 1;
    ray.trail = 7;
    act_add(holder, 10, MESSAGE_STREAM_RAY, ray);
    stream_run(&stand, 300);
    expect_got(0, 12 + ROUND + BOX + ROUND + TRIANGLE + 2, MESSAGE_STREAM_STORE, STREAM_BACK);
    assert_int_equal(got[0].ray.treelet, STREAM_DONE_TREELET);
    assert_int_equal(got_count, 1);
}

/* A work item for treelet 1, then the leaf, then the hit and the end. */
static void ray_is_duplicated(void **state)
{
    struct mock *holder;
    (void)state;
    struct stand stand = stream_create("duplicate", &holder);
    act_add(holder, 10, MESSAGE_STREAM_RAY, ray_new(5));
    stream_run(&stand, 300);
    cycle more = 12 + ROUND + BOX + 1, end = more + ROUND + TRIANGLE;
    expect_got(0, more + 1, MESSAGE_STREAM_STORE, STREAM_MORE);
    assert_int_equal(got[0].ray.treelet, 1);
    assert_int_equal(got[0].ray.level, 0);
    assert_true(got[0].ray.ray.t_max == 1000);
    expect_got(1, end + 3, MESSAGE_STREAM_HIT, STREAM_BACK);
    assert_int_equal(got[1].ray.hit.triangle, 70);
    expect_got(2, end + 4, MESSAGE_STREAM_FINISHED, 0);
    assert_int_equal(got_count, 3);
    assert_int_equal(stand_stat(&stand, "rays"), 1);
}

/* ---- Programs ---- */

/* Taken in cycle 21; the asks are long gone. */
static void requests_of_programs_are_passed_on(void **state)
{
    struct mock *holder;
    struct ogv_stream_ray answer = { .ray = { .origin = { 0 } } };
    (void)state;
    struct stand stand = stream_create("requeue", &holder);
    stand_ask(&stand, 0,
              (struct stand_request){ .at = 20, .kind = MESSAGE_STREAM_STORE, .ray = stand_ray() });
    u32 one = 1;
    memcpy(&answer, &one, sizeof one);
    act_add(holder, 40, MESSAGE_STREAM_STORE, answer);
    stream_run(&stand, 100);
    expect_got(0, 21 + 1 + 1, MESSAGE_STREAM_STORE, STREAM_NEW);
    assert_int_equal(got[0].ray.treelet, 0);
    assert_int_equal(got[0].ray.hit.triangle, RT_NOTHING);
    assert_int_equal(stand_lists[0][0].answers, 1);
    assert_int_equal(stand_lists[0][0].answered, 42);
    assert_int_equal(stand_lists[0][0].word, 1);
}

static void rays_to_be_traced_at_once_are_declined(void **state)
{
    struct mock *holder;
    (void)state;
    struct stand stand = stream_create("requeue", &holder);
    stand_trace(&stand, 0, 10, stand_ray());
    stream_run(&stand, 100);
    assert_int_equal(stand_lists[0][0].answered, 12);
    assert_int_equal(stand_lists[0][0].hit.triangle, RT_NOTHING);
    assert_int_equal(stand_stat(&stand, "faults"), 1);
}

/* ---- What cannot be ---- */

static void odd_parameters_are_refused(void **state)
{
    static const struct {
        const char *param;
        u64 value;
        const char *words;
    } cases[] = {
        { "treelets", 0, "takes a tree in treelets" },
        { "warp", 3, "`warp` must be 1, not 3" },
    };
    struct mock *holder;
    (void)state;
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stand stand = stream_create("requeue", &holder);
        bench_set(stand.rt, cases[i].param, cases[i].value);
        bench_init_refused(stand.rt, cases[i].words);
        bench_destroy(stand.sim);
    }
    struct stand stand = stream_create("requeue", &holder);
    bench_set_choice(stand.rt, "overflow", "spill");
    bench_init_refused(stand.rt, "`overflow` must be restart");
    bench_destroy(stand.sim);
    stand = stream_create("none", &holder);
    bench_init_refused(stand.rt, "`stream` is none");
    bench_destroy(stand.sim);
    stand = stand_create(1, 1);
    bench_set_choice(stand.rt, "stream", "requeue");
    bench_init_refused(stand.rt, "takes a link to what holds rays");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(every_free_slot_asks),
        bench_test_all_ways(ray_leaves_for_other_treelets),
        bench_test_all_ways(last_child_ends_the_walk),
        bench_test_all_ways(ray_is_duplicated),
        bench_test_all_ways(requests_of_programs_are_passed_on),
        bench_test_all_ways(rays_to_be_traced_at_once_are_declined),
        bench_test(odd_parameters_are_refused),
    };
    return cmocka_run_group_tests_name("rtcore_stream", tests, NULL, NULL);
}
