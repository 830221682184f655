/* raystream.c - a ray stream buffer: when rays come out, which ones, and that none gets lost. */
#include <string.h>

#include "ogive/messages.h"
#include "ogive/random.h"
#include "ogive/stream.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_raystream;

#define USERS_MAX 4
#define ACTS_MAX  128

/* What a user sends at a cycle; a ray takes that one and the next. */
struct act {
    cycle at;
    u32 kind, source;
    struct ogv_stream_ray ray;
    u32 half; /* or priority */
};

static struct act acts[USERS_MAX][ACTS_MAX];
static u32 act_count[USERS_MAX];

#define GOT(kind, what) ((u64)(kind) << 32 | (what))

static void message_note(struct mock *mock, const struct message *message, cycle now)
{
    struct ogv_stream_ray ray = { 0 };
    u32 what = message->data.word[0];
    if (message->kind == MESSAGE_STREAM_RAY && !message->tag)
        return;
    if (message->kind == MESSAGE_STREAM_RAY) {
        stream_half_read(&ray, 1, message->data.byte);
        what = ray.id;
    } else if (message->kind == MESSAGE_STREAM_HIT_LOAD) {
        what = message->data.word[4];
    }
    mock_note(mock, now, GOT(message->kind, what));
}

static cycle step_act(struct mock *mock, cycle now)
{
    const struct act *act = &acts[mock->value][mock->script_next];
    for (const struct message *message; (message = link_peek(mock->in[0])); link_pop(mock->in[0]))
        message_note(mock, message, now);
    if (mock->script_next == act_count[mock->value])
        return NEVER;
    if (now < act->at || !link_can_push(mock->out[0]))
        return max_u64(act->at, now + 1);
    struct message *message = link_push(mock->out[0]);
    *message = (struct message){ .kind = (u16)act->kind, .source = act->source, .tag = act->half };
    stream_half_write(&act->ray, act->half, message->data.byte);
    unit_release(&mock->base, 1);
    return ++mock->script_next < act_count[mock->value] ? max_u64(act[1].at, now + 1) : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *buffer;
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users, u64 rays, u64 banks, u64 latency, mock_step step)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    stand.buffer = bench_unit(stand.sim, domain, &unit_type_raystream, NO_CLOCK);
    bench_set(stand.buffer, "size", rays * 64);
    bench_set(stand.buffer, "banks", banks);
    bench_set(stand.buffer, "latency", latency);
    bench_set(stand.buffer, "queues", 64);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.buffer, "users", stand.users[i], 1, 8);
        act_count[i] = 0;
    }
    return stand;
}

static void act_add(struct stand *stand, u32 user, struct act act)
{
    assert_true(act_count[user] < ACTS_MAX);
    acts[user][act_count[user]++] = act;
    unit_hold(&stand->users[user]->base, 1);
}

static void ray_add(struct stand *stand, u32 user, cycle at, u32 source, u32 id, u32 treelet)
{
    struct act act = { .at = at, .kind = MESSAGE_STREAM_STORE, .source = source };
    act.ray = (struct ogv_stream_ray){ .id = id, .treelet = treelet & STREAM_DONE_TREELET };
    act_add(stand, user, act);
    act.at++;
    act.half = 1;
    act_add(stand, user, act);
}

static void load_add(struct stand *stand, u32 user, cycle at)
{
    act_add(stand, user, (struct act){ .at = at, .kind = MESSAGE_STREAM_LOAD });
}

static void hit_load_add(struct stand *stand, u32 user, cycle at, u32 priority)
{
    act_add(stand, user,
            (struct act){ .at = at, .kind = MESSAGE_STREAM_HIT_LOAD, .half = priority });
}

/* Until nothing moves any more: what is still in queues is held. */
static void stand_run(struct stand *stand, cycle until)
{
    bench_init(stand->buffer);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    bench_run(stand->sim, until);
    bench_report(stand->buffer, until);
}

static u64 stat(const struct stand *stand, const char *name)
{
    return bench_stat(stand->buffer, name);
}

static void expect_sums(const struct stand *stand)
{
    assert_int_equal(stat(stand, "slots_free") + stat(stand, "slots_queued") +
                         stat(stand, "slots_finished") + stat(stand, "slots_moving"),
                     stat(stand, "slot_cycles"));
    assert_true(stat(stand, "reads") + stat(stand, "writes") <= stat(stand, "bank_cycles"));
}

/* ---- Time ---- */

/* The second half, pushed at 11, is there at 12; the ray is written and read; its second half
 * leaves a cycle after the first. */
static void ray_takes_two_latencies(void **state)
{
    static const u64 latencies[] = { 1, 2, 100, 512 };
    (void)state;
    for (u32 i = 0; i < 4; i++) {
        u64 latency = latencies[i];
        struct stand stand = stand_create(1, 16, 4, latency, step_act);
        load_add(&stand, 0, 0);
        ray_add(&stand, 0, 10, STREAM_NEW, 7, 3);
        stand_run(&stand, 2000);
        expect_note(stand.users[0], 0, 13, GOT(MESSAGE_STREAM_STORE, 1));
        expect_note(stand.users[0], 1, 12 + 2 * latency + 2, GOT(MESSAGE_STREAM_RAY, 7));
        assert_int_equal(stand.users[0]->noted, 2);
        assert_int_equal(stat(&stand, "slots_moving"), 2 * latency + 1);
        expect_sums(&stand);
        bench_destroy(stand.sim);
    }
}

/* A hit is one message. */
static void finished_ray_is_given_to_who_asks(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 16, 4, 10, step_act);
    load_add(&stand, 0, 0);
    ray_add(&stand, 0, 10, STREAM_NEW, 7, 3);
    ray_add(&stand, 0, 50, STREAM_BACK, 7, STREAM_DONE_TREELET);
    hit_load_add(&stand, 0, 100, STREAM_DRAINING);
    hit_load_add(&stand, 0, 101, STREAM_DRAINING);
    stand_run(&stand, 200);
    expect_note(stand.users[0], 2, 101 + 10 + 1, GOT(MESSAGE_STREAM_HIT_LOAD, 7));
    expect_note(stand.users[0], 3, 101 + 10 + 2, GOT(MESSAGE_STREAM_HIT_LOAD, STREAM_NO_ID));
    assert_int_equal(stat(&stand, "ends"), 1);
    assert_int_equal(stat(&stand, "slots_finished"), 101 - (52 + 10));
    expect_sums(&stand);
}

static void bank_takes_one_ray_per_cycle(void **state)
{
    (void)state;
    for (u32 banks = 1; banks <= 2; banks++) {
        struct stand stand = stand_create(2, 16, banks, 5, step_act);
        for (u32 user = 0; user < 2; user++) {
            ray_add(&stand, user, 10, STREAM_NEW, user, user);
            load_add(&stand, user, 12);
        }
        stand_run(&stand, 200);
        expect_note(stand.users[0], 0, 13, GOT(MESSAGE_STREAM_STORE, 1));
        expect_note(stand.users[1], 0, banks == 1 ? 14 : 13, GOT(MESSAGE_STREAM_STORE, 1));
        assert_int_equal(stat(&stand, "conflicts"), banks == 1);
        assert_int_equal(stand.users[0]->noted + stand.users[1]->noted, 4);
        bench_destroy(stand.sim);
    }
}

/* Four users send two rays in a cycle, for which there is one bank: each gets as much of it. */
static void bank_serves_users_in_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 256, 1, 1, step_act);
    for (u32 user = 0; user < 4; user++)
        for (u32 i = 0; i < 40; i++)
            ray_add(&stand, user, 2 * i, STREAM_NEW, i, user);
    stand_run(&stand, 500);
    for (u32 user = 0; user < 4; user++) {
        assert_int_equal(stand.users[user]->noted, 40);
        for (u32 i = 1; i < 40; i++)
            assert_true(stand.users[user]->notes[i].at - stand.users[user]->notes[i - 1].at <= 4);
    }
    assert_true(stand.users[0]->notes[39].at >= 157);
}

/* ---- Room ---- */

/* The place of a ray is free when its hit has left, not when it is finished. */
static void new_ray_is_refused_without_a_place(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2, 1, 1, step_act);
    for (u32 i = 0; i < 3; i++)
        ray_add(&stand, 0, 10 * (i + 1), STREAM_NEW, i, 0);
    load_add(&stand, 0, 40);
    ray_add(&stand, 0, 50, STREAM_BACK, 0, STREAM_DONE_TREELET);
    ray_add(&stand, 0, 60, STREAM_NEW, 3, 0);
    hit_load_add(&stand, 0, 70, STREAM_SPAWNING);
    ray_add(&stand, 0, 80, STREAM_NEW, 4, 0);
    stand_run(&stand, 200);
    static const u64 expected[] = { GOT(MESSAGE_STREAM_STORE, 1), GOT(MESSAGE_STREAM_STORE, 1),
                                    GOT(MESSAGE_STREAM_STORE, 0), GOT(MESSAGE_STREAM_RAY, 0),
                                    GOT(MESSAGE_STREAM_STORE, 0), GOT(MESSAGE_STREAM_HIT_LOAD, 0),
                                    GOT(MESSAGE_STREAM_STORE, 1) };
    for (u32 i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(stand.users[0]->notes[i].what, expected[i]);
    assert_int_equal(stat(&stand, "stored"), 3);
    assert_int_equal(stat(&stand, "refused"), 2);
}

/* Both ask before there is one. */
static void spawning_goes_before_draining(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 16, 4, 1, step_act);
    ray_add(&stand, 2, 10, STREAM_NEW, 5, 0);
    load_add(&stand, 2, 12);
    hit_load_add(&stand, 0, 20, STREAM_DRAINING);
    hit_load_add(&stand, 1, 21, STREAM_SPAWNING);
    ray_add(&stand, 2, 30, STREAM_BACK, 5, STREAM_DONE_TREELET);
    stand_run(&stand, 200);
    expect_note(stand.users[1], 0, 32 + 1 + 1 + 1, GOT(MESSAGE_STREAM_HIT_LOAD, 5));
    expect_note(stand.users[0], 0, 32 + 1 + 1 + 2, GOT(MESSAGE_STREAM_HIT_LOAD, STREAM_NO_ID));
}

/* ---- Which queue ---- */

/* Treelets 4, 5 and 6 have one ray, three and two; rays are known by treelet and number. */
static struct stand stand_with_rays(u32 users, const char *policy)
{
    static const u32 rays[] = { 1, 3, 2 };
    struct stand stand = stand_create(users, 64, 64, 1, step_act);
    bench_set_choice(stand.buffer, "policy", policy);
    cycle at = 10;
    for (u32 treelet = 0; treelet < 3; treelet++)
        for (u32 i = 0; i < rays[treelet]; i++, at += 2)
            ray_add(&stand, users - 1, at, STREAM_NEW, (treelet + 4) * 10 + i, treelet + 4);
    return stand;
}

static u64 first_ray(const struct mock *mock, u32 skipped)
{
    for (u32 i = 0; i < mock->noted; i++)
        if (mock->notes[i].what >> 32 == MESSAGE_STREAM_RAY && !skipped--)
            return (u32)mock->notes[i].what;
    return STREAM_NO_ID;
}

static void policies_choose_a_queue(void **state)
{
    static const struct {
        const char *policy;
        u32 ray;
    } cases[] = { { "first", 40 }, { "most", 50 }, { "join", 40 } };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct stand stand = stand_with_rays(1, cases[i].policy);
        load_add(&stand, 0, 50);
        stand_run(&stand, 200);
        assert_int_equal(first_ray(stand.users[0], 0), cases[i].ray);
        assert_int_equal(stat(&stand, "choices"), 1);
        assert_int_equal(stat(&stand, "longest"), 3);
        bench_destroy(stand.sim);
    }
}

/* One that an SM has is for another one only if it has `share` rays for each; the first SM has
 * taken one of three. */
static void queue_is_shared_when_it_is_long(void **state)
{
    (void)state;
    for (u32 share = 2; share <= 3; share++) {
        struct stand stand = stand_with_rays(3, "first");
        bench_set(stand.buffer, "share", share);
        load_add(&stand, 0, 50);
        load_add(&stand, 1, 60);
        load_add(&stand, 2, 70);
        stand_run(&stand, 200);
        assert_int_equal(first_ray(stand.users[0], 0), 40);
        assert_int_equal(first_ray(stand.users[1], 0), 50);
        assert_int_equal(first_ray(stand.users[2], 0), share == 2 ? 51 : 60);
        bench_destroy(stand.sim);
    }
}

/* The first SM has queue 5 and one of its rays, besides that of queue 4. */
static void queue_of_a_full_user_is_joined(void **state)
{
    (void)state;
    for (u32 full = 2; full <= 3; full++) {
        struct stand stand = stand_with_rays(2, "join");
        bench_set(stand.buffer, "full", full);
        bench_set(stand.buffer, "leave", 1);
        load_add(&stand, 0, 50);
        load_add(&stand, 0, 51);
        load_add(&stand, 1, 60);
        stand_run(&stand, 200);
        assert_int_equal(first_ray(stand.users[0], 1), 50);
        assert_int_equal(first_ray(stand.users[1], 0), full == 2 ? 51 : 60);
        bench_destroy(stand.sim);
    }
}

/* An SM with a ray keeps its empty queue until it asks for `leave` more. */
static void queue_is_left_after_so_many_asks(void **state)
{
    (void)state;
    for (u32 asks = 2; asks <= 3; asks++) {
        struct stand stand = stand_with_rays(1, "first");
        bench_set(stand.buffer, "leave", 3);
        load_add(&stand, 0, 50);
        for (u32 i = 0; i < asks; i++)
            load_add(&stand, 0, 60 + i);
        stand_run(&stand, 200);
        assert_int_equal(first_ray(stand.users[0], 1), asks == 3 ? 50 : STREAM_NO_ID);
        assert_int_equal(stat(&stand, "given"), asks == 3 ? 4 : 1);
        bench_destroy(stand.sim);
    }
}

/* The first SM is done with the only ray of treelet 4 and asks for no more; the second one gets the
 * next ray of that treelet, as soon as if nobody had had the queue. While the first one still asks,
 * the ray is for it. */
static void queue_is_lost_by_who_asks_no_more(void **state)
{
    static const char *const policies[] = { "first", "most", "join" };
    (void)state;
    for (u32 i = 0; i < 6; i++) {
        bool asks = i >= 3;
        struct stand stand = stand_create(2, 64, 64, 1, step_act);
        bench_set_choice(stand.buffer, "policy", policies[i % 3]);
        ray_add(&stand, 0, 10, STREAM_NEW, 40, 4);
        load_add(&stand, 0, 12);
        ray_add(&stand, 0, 30, STREAM_BACK, 40, STREAM_DONE_TREELET);
        load_add(&stand, 1, 50);
        if (asks)
            load_add(&stand, 0, 50);
        ray_add(&stand, 1, 60, STREAM_NEW, 41, 4);
        stand_run(&stand, 200);
        assert_int_equal(first_ray(stand.users[1], 0), asks ? STREAM_NO_ID : 41);
        assert_int_equal(first_ray(stand.users[0], 1), asks ? 41 : STREAM_NO_ID);
        expect_note(stand.users[!asks], asks ? 2 : 1, 62 + 2 * 1 + 2, GOT(MESSAGE_STREAM_RAY, 41));
        bench_destroy(stand.sim);
    }
}

/* ---- Nothing gets lost ---- */

#define RAYS  40
#define SLOTS 3

/* A user as an RT core with its program: stores its rays while they are taken, gives back what it
 * is given, and collects what is finished until there is nothing left. */
struct agent {
    u64 random;
    struct ogv_stream_ray out, in, backs[SLOTS];
    u32 stored, loads, back_count;
    u32 source;   /* of the ray that is being sent */
    bool half;    /* its second half is next */
    bool waits;   /* for an answer */
    bool refused; /* so that it collects */
    bool over;
};

static struct agent agents[USERS_MAX];
static u32 collected[USERS_MAX * RAYS];

static void agent_take(struct mock *mock, struct agent *agent, const struct message *message)
{
    if (message->kind == MESSAGE_STREAM_STORE) {
        agent->waits = false;
        agent->refused = !message->data.dword[0];
        agent->stored += !agent->refused;
    } else if (message->kind == MESSAGE_STREAM_HIT_LOAD) {
        u32 id = message->data.word[4];
        agent->waits = agent->refused = false;
        agent->over = id == STREAM_NO_ID && agent->stored == RAYS;
        if (id != STREAM_NO_ID)
            collected[id]++;
        if (agent->over)
            unit_release(&mock->base, 1);
    } else {
        stream_half_read(&agent->in, message->tag, message->data.byte);
        if (!message->tag)
            return;
        agent->backs[agent->back_count++] = agent->in;
        agent->loads--;
    }
}

/* What it sends next; 0 if nothing. */
static u32 agent_choose(struct agent *agent, u32 user)
{
    bool program = !agent->waits && !agent->over;
    if (agent->half)
        return MESSAGE_STREAM_STORE;
    agent->source = STREAM_BACK;
    if (agent->back_count && random_below(&agent->random, 3)) {
        bool done = !random_below(&agent->random, 4);
        agent->out = agent->backs[--agent->back_count];
        agent->out.treelet = done ? STREAM_DONE_TREELET : random_below(&agent->random, 99) & 127;
        return MESSAGE_STREAM_STORE;
    }
    if (agent->loads + agent->back_count < SLOTS)
        return MESSAGE_STREAM_LOAD;
    if (program && !agent->refused && agent->stored < RAYS) {
        agent->source = STREAM_NEW;
        agent->out = (struct ogv_stream_ray){ .id = user * RAYS + agent->stored };
        return MESSAGE_STREAM_STORE;
    }
    return program ? MESSAGE_STREAM_HIT_LOAD : 0;
}

static void agent_send(struct agent *agent, u32 kind, struct message *message)
{
    *message = (struct message){ .kind = (u16)kind };
    agent->loads += kind == MESSAGE_STREAM_LOAD;
    if (kind == MESSAGE_STREAM_STORE) {
        message->source = agent->source;
        message->tag = agent->half;
        stream_half_write(&agent->out, agent->half, message->data.byte);
        agent->half = !agent->half;
        agent->waits |= agent->source == STREAM_NEW;
    } else if (kind == MESSAGE_STREAM_HIT_LOAD) {
        message->tag = agent->stored == RAYS ? STREAM_DRAINING : STREAM_SPAWNING;
        agent->waits = true;
    }
}

static cycle step_agent(struct mock *mock, cycle now)
{
    struct agent *agent = &agents[mock->value];
    for (const struct message *message; (message = link_peek(mock->in[0])); link_pop(mock->in[0]))
        agent_take(mock, agent, message);
    if (!link_can_push(mock->out[0]))
        return now + 1;
    u32 kind = agent_choose(agent, (u32)mock->value);
    if (kind)
        agent_send(agent, kind, link_push(mock->out[0]));
    return now + 1;
}

static void hostile_run(u64 *random)
{
    static const char *const policies[] = { "first", "most", "join" };
    u32 users = 1 + (u32)random_below(random, USERS_MAX);
    struct stand stand =
        stand_create(users, 2 + random_below(random, 64), 1 + random_below(random, 4),
                     1 + random_below(random, 20), step_agent);
    bench_set_choice(stand.buffer, "policy", policies[random_below(random, 3)]);
    bench_set(stand.buffer, "queues", 1 + random_below(random, 9));
    bench_set(stand.buffer, "leave", 1 + random_below(random, 40));
    bench_set(stand.buffer, "share", 1 + random_below(random, 40));
    bench_set(stand.buffer, "full", 1 + random_below(random, 6));
    memset(collected, 0, sizeof collected);
    for (u32 i = 0; i < users; i++) {
        agents[i] = (struct agent){ .random = random_next(random) };
        unit_hold(&stand.users[i]->base, 1);
    }
    bench_init(stand.buffer);
    bench_seal(stand.sim, (struct sim_options){ 0 });
    bench_run(stand.sim, 200000);
    bench_report(stand.buffer, 200000);
    for (u32 i = 0; i < users * RAYS; i++)
        assert_int_equal(collected[i], 1);
    assert_int_equal(stat(&stand, "finished"), users * RAYS);
    assert_int_equal(stat(&stand, "given"), stat(&stand, "returned") + stat(&stand, "finished"));
    expect_sums(&stand);
    bench_destroy(stand.sim);
}

static void every_ray_is_collected_once(void **state)
{
    u64 random = 1;
    (void)state;
    for (u32 i = 0; i < 100; i++)
        hostile_run(&random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(ray_takes_two_latencies),
        bench_test_all_ways(finished_ray_is_given_to_who_asks),
        bench_test_all_ways(bank_takes_one_ray_per_cycle),
        bench_test_all_ways(bank_serves_users_in_turn),
        bench_test_all_ways(new_ray_is_refused_without_a_place),
        bench_test_all_ways(spawning_goes_before_draining),
        bench_test_all_ways(policies_choose_a_queue),
        bench_test_all_ways(queue_is_shared_when_it_is_long),
        bench_test_all_ways(queue_of_a_full_user_is_joined),
        bench_test_all_ways(queue_is_left_after_so_many_asks),
        bench_test_all_ways(queue_is_lost_by_who_asks_no_more),
        bench_test(every_ray_is_collected_once),
    };
    return cmocka_run_group_tests_name("raystream", tests, NULL, NULL);
}
