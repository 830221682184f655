/* rayport.c - the port through which cores work on rays that are held elsewhere: when its messages
 * come and go, and what it declines. */
#include <string.h>

#include "ogive/messages.h"
#include "ogive/stream.h"
#include "ogive/tracer.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_rayport;

#define ACTS_MAX 8

struct act {
    cycle at;
    struct message message;
};

static struct act acts[2][ACTS_MAX]; /* of the core, and of the holder */
static u32 act_count[2];
static struct message heard[ACTS_MAX]; /* by the core */
static struct message told[ACTS_MAX];  /* to the holder */
static u32 heard_count, told_count;

static cycle step_act(struct mock *mock, cycle now)
{
    u32 who = (u32)mock->value;
    for (const struct message *m; (m = link_peek(mock->in[0])); link_pop(mock->in[0])) {
        mock_note(mock, now, m->kind);
        if (who)
            told[told_count++] = *m;
        else
            heard[heard_count++] = *m;
        if (!who)
            unit_release(&mock->base, 1);
    }
    if (mock->script_next == act_count[who])
        return NEVER;
    const struct act *act = &acts[who][mock->script_next];
    if (now < act->at)
        return act->at;
    *link_push(mock->out[0]) = act->message;
    return ++mock->script_next < act_count[who] ? max_u64(act[1].at, now + 1) : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *port;
    struct mock *core, *holder;
};

static struct stand stand_create(const char *stream)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.port = bench_unit(stand.sim, domain, &unit_type_rayport, NO_CLOCK);
    bench_set_choice(stand.port, "stream", stream);
    stand.core = bench_mock(stand.sim, domain, step_act);
    stand.holder = bench_mock(stand.sim, domain, step_act);
    stand.holder->value = 1;
    bench_join(stand.sim, stand.port, "users", stand.core, 1, 8);
    bench_join(stand.sim, stand.port, "stream", stand.holder, 1, 8);
    act_count[0] = act_count[1] = heard_count = told_count = 0;
    return stand;
}

static void act_add(struct stand *stand, u32 who, cycle at, struct message message)
{
    assert_true(act_count[who] < ACTS_MAX);
    acts[who][act_count[who]++] = (struct act){ at, message };
    if (!who)
        unit_hold(&stand->core->base, 1);
}

static void core_asks(struct stand *stand, cycle at, u32 source, u32 kind)
{
    act_add(stand, 0, at, (struct message){ .kind = (u16)kind, .source = source });
}

static void core_sends(struct stand *stand, cycle at, u32 source, u32 what,
                       const struct ogv_stream_ray *ray)
{
    struct message message = { .kind = MESSAGE_STREAM_SEND, .source = source, .mask = what };
    stream_half_write(ray, 1, message.data.byte);
    act_add(stand, 0, at, message);
}

static void holder_gives(struct stand *stand, cycle at, const struct ogv_stream_ray *ray)
{
    for (u32 half = 0; half < 2; half++) {
        struct message message = { .kind = MESSAGE_STREAM_RAY, .tag = half };
        stream_half_write(ray, half, message.data.byte);
        act_add(stand, 1, at + half, message);
    }
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->port);
    unit_type_rayport.rays->tree(stand->port)->treelet_count = 4;
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    bench_run(stand->sim, 200); /* what is still on its way to the holder */
}

static struct ogv_stream_ray ray_of_treelet(u32 treelet)
{
    struct ogv_stream_ray ray = { .id = 77, .treelet = treelet & STREAM_DONE_TREELET };
    ray.ray.direction[2] = 1;
    ray.ray.t_max = 9;
    ray.hit = (struct rt_hit){ 5, 0, 0, 3 };
    return ray;
}

/* Pushed at 10, taken and sent on at 11; the second half comes at 31 and is answered in that cycle;
 * the rest is answered in the cycle in which it is asked for. */
static void ray_is_loaded_in_two_halves(void **state)
{
    (void)state;
    struct stand stand = stand_create("requeue");
    struct ogv_stream_ray ray = ray_of_treelet(2);
    core_asks(&stand, 10, 5, MESSAGE_STREAM_LOAD);
    holder_gives(&stand, 30, &ray);
    core_asks(&stand, 40, 5, MESSAGE_STREAM_REST);
    stand_finish(&stand);
    expect_note(stand.holder, 0, 12, MESSAGE_STREAM_LOAD);
    assert_int_equal(told[0].source, STREAM_ANYTHING);
    expect_note(stand.core, 0, 33, MESSAGE_STREAM_LOAD);
    expect_note(stand.core, 1, 42, MESSAGE_STREAM_REST);
    assert_memory_equal(heard[0].data.byte, &ray, STREAM_HALF_BYTES);
    assert_memory_equal(heard[1].data.byte, (const u8 *)&ray + STREAM_HALF_BYTES,
                        STREAM_HALF_BYTES);
    assert_int_equal(bench_stat(stand.port, "loaded"), 1);
    bench_destroy(stand.sim);
}

/* The thread is answered at once, and the two halves follow each other. */
static void ray_goes_back_as_a_whole(void **state)
{
    (void)state;
    struct stand stand = stand_create("requeue");
    struct ogv_stream_ray ray = ray_of_treelet(2), found;
    core_asks(&stand, 10, 5, MESSAGE_STREAM_LOAD);
    holder_gives(&stand, 30, &ray);
    ray.treelet = 3;
    ray.id = 1; /* it stays what it was */
    core_sends(&stand, 50, 5, STREAM_SEND_BACK, &ray);
    stand_finish(&stand);
    expect_note(stand.core, 1, 52, MESSAGE_STREAM_SEND);
    assert_int_equal(heard[1].data.dword[0], 1);
    expect_note(stand.holder, 1, 52, MESSAGE_STREAM_STORE);
    expect_note(stand.holder, 2, 53, MESSAGE_STREAM_STORE);
    assert_int_equal(told[1].source, STREAM_BACK);
    stream_half_read(&found, 0, told[1].data.byte);
    stream_half_read(&found, 1, told[2].data.byte);
    assert_int_equal(found.treelet, 3);
    assert_int_equal(found.id, 77);
    assert_int_equal(bench_stat(stand.port, "returned"), 1);
    bench_destroy(stand.sim);
}

/* A work item ends at the hit and has none; the ray is still there for its end. */
static void work_items_end_at_the_hit(void **state)
{
    (void)state;
    struct stand stand = stand_create("duplicate");
    struct ogv_stream_ray ray = ray_of_treelet(0), found;
    core_asks(&stand, 10, 5, MESSAGE_STREAM_LOAD);
    holder_gives(&stand, 30, &ray);
    ray.treelet = 1;
    core_sends(&stand, 50, 5, STREAM_SEND_MORE, &ray);
    core_sends(&stand, 60, 5, STREAM_SEND_FINISHED, &ray);
    stand_finish(&stand);
    assert_int_equal(told[1].source, STREAM_MORE);
    stream_half_read(&found, 0, told[1].data.byte);
    stream_half_read(&found, 1, told[2].data.byte);
    assert_true(found.ray.t_max == 5);
    assert_int_equal(found.hit.triangle, RT_NOTHING);
    expect_note(stand.holder, 3, 62, MESSAGE_STREAM_FINISHED);
    assert_int_equal(told[3].data.dword[0], 0); /* the ray's own treelet */
    assert_int_equal(bench_stat(stand.port, "items"), 1);
    assert_int_equal(bench_stat(stand.port, "rays"), 1);
    bench_destroy(stand.sim);
}

/* Of rays that are finished, or of none, the second half comes alone. */
static void finished_rays_are_not_walked(void **state)
{
    (void)state;
    struct stand stand = stand_create("requeue");
    struct ogv_stream_ray ray = ray_of_treelet(STREAM_DONE_TREELET);
    struct message half = { .kind = MESSAGE_STREAM_RAY, .tag = 1 };
    core_asks(&stand, 10, 5, MESSAGE_STREAM_LOAD);
    stream_half_write(&ray, 1, half.data.byte);
    act_add(&stand, 1, 30, half);
    core_sends(&stand, 50, 5, STREAM_SEND_BACK, &ray);
    stand_finish(&stand);
    assert_int_equal(bench_stat(stand.port, "collected"), 1);
    assert_int_equal(bench_stat(stand.port, "faults"), 1); /* it had no ray to send */
    assert_int_equal(told_count, 1);
    bench_destroy(stand.sim);
}

static void nonsense_is_declined(void **state)
{
    static const struct {
        const char *stream;
        u32 what, treelet;
    } cases[] = {
        { "requeue", STREAM_SEND_MORE, 1 },      { "requeue", STREAM_SEND_HIT, 1 },
        { "requeue", STREAM_SEND_FINISHED, 1 },  { "requeue", STREAM_SEND_BACK, 4 },
        { "duplicate", STREAM_SEND_BACK, 1 },    { "duplicate", STREAM_SEND_MORE, 4 },
        { "duplicate", STREAM_SEND_MORE, 1000 }, { "duplicate", 99, 1 },
    };
    (void)state;
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stand stand = stand_create(cases[i].stream);
        struct ogv_stream_ray ray = ray_of_treelet(1);
        core_asks(&stand, 10, 5, MESSAGE_STREAM_LOAD);
        holder_gives(&stand, 30, &ray);
        ray.treelet = cases[i].treelet & STREAM_DONE_TREELET;
        core_sends(&stand, 50, 5, cases[i].what, &ray);
        stand_finish(&stand);
        assert_int_equal(bench_stat(stand.port, "faults"), 1);
        assert_int_equal(told_count, 1);
        assert_true(heard[1].data.dword[0] == UINT64_MAX);
        bench_destroy(stand.sim);
    }
}

static void threads_without_registers_are_declined(void **state)
{
    (void)state;
    struct stand stand = stand_create("requeue");
    bench_set(stand.port, "threads", 1);
    core_asks(&stand, 10, 5, MESSAGE_STREAM_REST);
    core_asks(&stand, 20, 6, MESSAGE_STREAM_REST);
    stand_finish(&stand);
    assert_int_equal(bench_stat(stand.port, "faults"), 1);
    bench_destroy(stand.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(ray_is_loaded_in_two_halves),
        bench_test_all_ways(ray_goes_back_as_a_whole),
        bench_test_all_ways(work_items_end_at_the_hit),
        bench_test_all_ways(finished_rays_are_not_walked),
        bench_test(nonsense_is_declined),
        bench_test(threads_without_registers_are_declined),
    };
    return cmocka_run_group_tests_name("rayport", tests, NULL, NULL);
}
