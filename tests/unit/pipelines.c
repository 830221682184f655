/* pipelines.c - joined multipliers and adders: what a test answers and when, how they are joined,
 * and what is left for single instructions. */
#include <math.h>
#include <string.h>

#include "isa/table.h"
#include "ogive/messages.h"
#include "ogive/rt_ray.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_pipelines;

#define USERS_MAX 4
#define ACTS_MAX  8

struct act {
    cycle at;
    struct message message;
};

static struct act acts[USERS_MAX][ACTS_MAX];
static u32 act_count[USERS_MAX];

#define NOTE_NONE UINT32_C(0x7fffffff)

/* Notes the first value of an answer, as bits; of misses always the same. */
static cycle step_act(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0])); link_pop(mock->in[0])) {
        float value = answer->data.real[0];
        mock_note(mock, now, isnan(value) ? NOTE_NONE : answer->data.word[0]);
        unit_release(&mock->base, 1);
    }
    u32 count = act_count[mock->value];
    if (mock->script_next == count)
        return NEVER;
    const struct act *act = &acts[mock->value][mock->script_next];
    if (now < act->at || !link_can_push(mock->out[0]))
        return max_u64(act->at, now + 1);
    *link_push(mock->out[0]) = act->message;
    return ++mock->script_next < count ? max_u64(act[1].at, now + 1) : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *pipes;
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.pipes = bench_unit(stand.sim, domain, &unit_type_pipelines, NO_CLOCK);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_act);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.pipes, "users", stand.users[i], 1, 8);
        act_count[i] = 0;
    }
    return stand;
}

static void act_add(struct stand *stand, u32 user, cycle at, struct message message)
{
    assert_true(act_count[user] < ACTS_MAX);
    message.source = 10 + user;
    acts[user][act_count[user]++] = (struct act){ at, message };
    unit_hold(&stand->users[user]->base, 1);
}

/* From the origin upwards. */
static void ray_add(struct stand *stand, u32 user, cycle at)
{
    struct rt_ray ray = { .direction = { 0, 0, 1 }, .t_max = INFINITY };
    struct message message = { .kind = MESSAGE_TEST_RAY };
    memcpy(message.data.real, &ray, sizeof ray);
    act_add(stand, user, at, message);
}

/* A box around the ray between two heights. */
static void box_add(struct stand *stand, u32 user, cycle at, float low, float high)
{
    struct message message = { .kind = MESSAGE_TEST_BOX,
                               .data.real = { -1, -1, low, 1, 1, high, INFINITY } };
    act_add(stand, user, at, message);
}

/* A triangle around it; the last corner's height is in the mask. */
static void triangle_add(struct stand *stand, u32 user, cycle at, float height)
{
    struct message message = { .kind = MESSAGE_TEST_TRIANGLE,
                               .data.real = { -1, -1, height, 1, -1, height, 0, 1 } };
    memcpy(&message.mask, &height, sizeof height);
    act_add(stand, user, at, message);
}

static void operation_add(struct stand *stand, u32 user, cycle at, u32 class)
{
    act_add(stand, user, at, (struct message){ .kind = MESSAGE_OPERATION, .address = class });
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->pipes);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    bench_report(stand->pipes, 1000);
    assert_int_equal(bench_stat(stand->pipes, "mode_single") +
                         bench_stat(stand->pipes, "mode_boxes") +
                         bench_stat(stand->pipes, "mode_triangles"),
                     1000);
}

static u32 bits_of(float value)
{
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* It is there at 11, when they are not joined yet; the pipe takes it at 12 and answers at 16. */
static void box_is_tested(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    ray_add(&stand, 0, 0);
    box_add(&stand, 0, 10, 2, 3);
    box_add(&stand, 0, 20, -3, -2);
    stand_finish(&stand);
    float entered = 2 * (1 - 0x1p-21f);
    expect_note(stand.users[0], 1, 12 + 4 + 1, bits_of(entered));
    expect_note(stand.users[0], 2, 21 + 4 + 1, NOTE_NONE);
    assert_int_equal(bench_stat(stand.pipes, "box_tests"), 2);
    assert_int_equal(bench_stat(stand.pipes, "changes"), 1);
    bench_destroy(stand.sim);
}

static void triangle_is_tested(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.pipes, "reconfigure", 5);
    ray_add(&stand, 0, 0);
    triangle_add(&stand, 0, 10, 7);
    triangle_add(&stand, 0, 60, -7);
    stand_finish(&stand);
    expect_note(stand.users[0], 1, 11 + 5 + 31 + 1, bits_of(7));
    expect_note(stand.users[0], 2, 61 + 31 + 1, NOTE_NONE);
    bench_destroy(stand.sim);
}

/* A thread that gave no ray hits nothing. */
static void tests_without_a_ray_miss(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    ray_add(&stand, 0, 0);
    box_add(&stand, 1, 10, 2, 3);
    stand_finish(&stand);
    expect_note(stand.users[1], 0, 12 + 4 + 1, NOTE_NONE);
    assert_int_equal(bench_stat(stand.pipes, "faults"), 1);
    bench_destroy(stand.sim);
}

/* Both kinds wait: boxes, which came first, keep the pipe for `hold` cycles from its change on. */
static void other_kind_is_let_in_after_a_while(void **state)
{
    (void)state;
    struct stand stand = stand_create(3);
    bench_set(stand.pipes, "hold", 3);
    for (u32 user = 0; user < 3; user++)
        ray_add(&stand, user, 0);
    for (u32 i = 0; i < 6; i++) {
        box_add(&stand, 0, 10, 2, 3);
        box_add(&stand, 1, 10, 2, 3);
    }
    triangle_add(&stand, 2, 10, 7);
    stand_finish(&stand);
    /* Joined for boxes from 12 on; boxes at 12 to 15, the change at 15, the triangle at 16. */
    expect_note(stand.users[2], 1, 16 + 31 + 1, bits_of(7));
    assert_int_equal(bench_stat(stand.pipes, "changes"), 3);
    bench_destroy(stand.sim);
}

/* Two multiplications in a cycle where all are single; one where the others are joined, for boxes
 * of which more than one waits. */
static void joined_units_are_not_there_for_others(void **state)
{
    (void)state;
    for (u32 joined = 0; joined < 2; joined++) {
        struct stand stand = stand_create(4);
        bench_set(stand.pipes, "multipliers", 7);
        for (u32 user = 0; user < 2; user++) {
            ray_add(&stand, user, 0);
            for (u32 i = 0; joined && i < 3; i++)
                box_add(&stand, user, i ? 20 : 5, 2, 3);
            operation_add(&stand, user + 2, 20, CLASS_FP_MUL);
        }
        stand_finish(&stand);
        cycle last = max_u64(stand.users[2]->notes[0].at, stand.users[3]->notes[0].at);
        assert_int_equal(last, 21 + joined + 2 + 1);
        bench_destroy(stand.sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(box_is_tested),
        bench_test_all_ways(triangle_is_tested),
        bench_test_all_ways(tests_without_a_ray_miss),
        bench_test_all_ways(other_kind_is_let_in_after_a_while),
        bench_test_all_ways(joined_units_are_not_there_for_others),
    };
    return cmocka_run_group_tests_name("pipelines", tests, NULL, NULL);
}
