/* hitrecords.c - a slice of the hit record updater: what it keeps, and when it answers. */
#include <math.h>
#include <string.h>

#include "ogive/memory.h"
#include "ogive/messages.h"
#include "ogive/rt_ray.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_hitrecords;

#define LATENCY      4
#define MEMORY_DELAY 50
#define REQUESTS_MAX 16
#define RECORDS      64

struct exchange {
    cycle asked;
    u16 kind;
    u64 record;
    float t;
    u32 triangle;

    cycle answered;
    struct rt_hit hit;
};

static struct exchange list[REQUESTS_MAX];
static struct rt_hit stored[RECORDS];

static cycle step_use(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        list[answer->tag].answered = now;
        memcpy(&list[answer->tag].hit, answer->data.real, sizeof(struct rt_hit));
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    while (mock->left && list[mock->script_next].asked <= now && link_can_push(mock->out[0])) {
        const struct exchange *exchange = &list[mock->script_next];
        struct rt_hit hit = { exchange->t, 0, 0, exchange->triangle };
        struct message *request = link_push(mock->out[0]);
        *request = (struct message){ .kind = exchange->kind,
                                     .address = exchange->record * sizeof hit,
                                     .tag = mock->script_next++,
                                     .size_bytes = sizeof hit };
        memcpy(request->data.real, &hit, sizeof hit);
        mock->left--;
    }
    return mock->left ? max_u64(list[mock->script_next].asked, now + 1) : NEVER;
}

/* Answers MEMORY_DELAY cycles after it was asked, one at a time; notes what was written. */
static cycle step_remember(struct mock *mock, cycle now)
{
    const struct message *request = link_peek(mock->in[0]);
    if (request && !mock->ready)
        mock->ready = now + MEMORY_DELAY;
    if (!request || now < mock->ready)
        return request ? mock->ready : NEVER;
    struct message *answer = link_push(mock->out[0]);
    *answer = *request;
    if (request->kind == MEMORY_WRITE) {
        mock_note(mock, now, request->address / sizeof(struct rt_hit));
        memcpy(&stored[request->address / sizeof(struct rt_hit)], request->data.real,
               sizeof(struct rt_hit));
    } else {
        memcpy(answer->data.real, &stored[request->address / sizeof(struct rt_hit)],
               sizeof(struct rt_hit));
    }
    link_pop(mock->in[0]);
    mock->ready = 0;
    return now + 1;
}

struct stand {
    struct sim *sim;
    struct unit *slice;
    struct mock *user, *memory;
};

static struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(list, 0, sizeof list);
    for (u32 i = 0; i < RECORDS; i++)
        stored[i] = (struct rt_hit){ INFINITY, 0, 0, RT_NOTHING };
    stand.slice = bench_unit(stand.sim, domain, &unit_type_hitrecords, NO_CLOCK);
    bench_set(stand.slice, "latency", LATENCY);
    stand.user = bench_mock(stand.sim, domain, step_use);
    bench_join(stand.sim, stand.slice, "users", stand.user, 1, 8);
    return stand;
}

static void join_memory(struct stand *stand)
{
    stand->memory = bench_mock(stand->sim, stand->slice->domain, step_remember);
    struct ports *memory = bench_ports(stand->slice, "memory");
    struct port *port = &memory->at[memory->count++];
    port->out = sim_add_link(stand->sim, stand->slice, &stand->memory->base, 1, 8);
    port->in = sim_add_link(stand->sim, &stand->memory->base, stand->slice, 1, 8);
    stand->memory->in[stand->memory->in_count++] = port->out;
    stand->memory->out[stand->memory->out_count++] = port->in;
    ports_watch(memory, memory->count - 1);
}

static void ask(struct stand *stand, struct exchange exchange)
{
    list[stand->user->left++] = exchange;
    unit_hold(&stand->user->base, 1);
}

static struct exchange store_of(cycle asked, u64 record, float t, u32 triangle)
{
    return (struct exchange){
        .asked = asked, .kind = MESSAGE_STREAM_HIT, .record = record, .t = t, .triangle = triangle
    };
}

static struct exchange load_of(cycle asked, u64 record)
{
    return (struct exchange){ .asked = asked, .kind = MESSAGE_STREAM_HIT_LOAD, .record = record };
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->slice);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

/* One cycle there, taken; one there, memory, one back; the latency; one back. */
#define MISS_TAKES (1 + 1 + MEMORY_DELAY + 1 + LATENCY + 1)

static void miss_is_answered_when_memory_has_been(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    join_memory(&stand);
    ask(&stand, store_of(0, 3, 2.0f, 7));
    ask(&stand, load_of(200, 3));
    stand_finish(&stand);
    assert_int_equal(list[0].answered, MISS_TAKES);
    assert_int_equal(list[1].answered, 200 + 1 + LATENCY + 1);
    assert_int_equal(list[1].hit.triangle, 7);
    assert_int_equal(bench_stat(stand.slice, "misses"), 1);
    assert_int_equal(bench_stat(stand.slice, "fetched"), 1);
}

static void closer_hit_is_kept(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    join_memory(&stand);
    stored[5] = (struct rt_hit){ 3.0f, 0, 0, 1 };
    ask(&stand, store_of(0, 5, 4.0f, 2));   /* farther than memory's */
    ask(&stand, store_of(1, 5, 2.0f, 3));   /* while that comes */
    ask(&stand, store_of(2, 5, 2.5f, 4));   /* farther again */
    ask(&stand, load_of(3, 5));             /* waits, too */
    ask(&stand, store_of(100, 5, 2.0f, 5)); /* as far: the first stays */
    ask(&stand, load_of(101, 5));
    stand_finish(&stand);
    assert_int_equal(list[3].answered, MISS_TAKES); /* with the one that began it */
    assert_int_equal(list[3].hit.triangle, 3);
    assert_int_equal(list[5].hit.triangle, 3);
    assert_int_equal(bench_stat(stand.slice, "closer"), 1);
    assert_int_equal(bench_stat(stand.slice, "joined"), 3);
    assert_int_equal(bench_stat(stand.slice, "fetched"), 1);
}

/* Two sets of one way: 0 and 2 share a set. */
static void changed_record_is_written_back(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    join_memory(&stand);
    bench_set(stand.slice, "size", 32);
    bench_set(stand.slice, "ways", 1);
    ask(&stand, store_of(0, 0, 1.0f, 9));
    ask(&stand, load_of(100, 2));
    ask(&stand, load_of(300, 0));
    ask(&stand, load_of(500, 2)); /* not changed: nothing is written */
    stand_finish(&stand);
    assert_int_equal(stand.memory->noted, 1);
    expect_note(stand.memory, 0, 100 + 1 + 1 + MEMORY_DELAY, 0);
    assert_int_equal(list[2].hit.triangle, 9);
    assert_int_equal(list[1].hit.triangle, RT_NOTHING);
    assert_int_equal(bench_stat(stand.slice, "written_back"), 1);
    assert_int_equal(bench_stat(stand.slice, "fetched"), 4);
}

/* Both ways of the set wait for memory: a third record has to wait for one of them. */
static void full_set_makes_wait(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    join_memory(&stand);
    bench_set(stand.slice, "size", 32);
    bench_set(stand.slice, "ways", 2);
    for (u32 i = 0; i < 3; i++)
        ask(&stand, load_of(0, i));
    stand_finish(&stand);
    assert_int_equal(list[0].answered, MISS_TAKES);
    assert_true(list[2].answered > list[1].answered);
    assert_int_equal(bench_stat(stand.slice, "crowded"), 1);
    assert_int_equal(bench_stat(stand.slice, "loads"), 3);
}

static void slice_on_chip_asks_nobody(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set(stand.slice, "on_chip", 1);
    ask(&stand, store_of(0, 6, 1.0f, 2));
    ask(&stand, load_of(0, 6));
    ask(&stand, load_of(0, 7));
    stand_finish(&stand);
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(list[i].answered, 1 + i + LATENCY + 1);
    assert_int_equal(list[1].hit.triangle, 2);
    assert_int_equal(list[2].hit.triangle, RT_NOTHING);
}

static void one_request_is_taken_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set(stand.slice, "on_chip", 1);
    for (u32 i = 0; i < 8; i++)
        ask(&stand, load_of(0, 6));
    stand_finish(&stand);
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(list[i].answered, 1 + i + LATENCY + 1);
    bench_report(stand.slice, 100);
    assert_int_equal(bench_stat(stand.slice, "busy"), 8);
    assert_int_equal(bench_stat(stand.slice, "slice_cycles"), 100);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_init_refused(stand.slice, "on_chip");
    bench_set(stand.slice, "on_chip", 1);
    bench_set(stand.slice, "size", 16);
    bench_init_refused(stand.slice, "size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(miss_is_answered_when_memory_has_been),
        bench_test_all_ways(closer_hit_is_kept),
        bench_test_all_ways(changed_record_is_written_back),
        bench_test_all_ways(full_set_makes_wait),
        bench_test_all_ways(slice_on_chip_asks_nobody),
        bench_test_all_ways(one_request_is_taken_per_cycle),
        bench_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("hitrecords", tests, NULL, NULL);
}
