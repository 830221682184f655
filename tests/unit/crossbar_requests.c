/* crossbar_requests.c - requests that cross, and answers that find their way back. */
#include <string.h>

#include "ogive/memory.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_crossbar;
extern const struct unit_type unit_type_memory;

#define LATENCY   20
#define ASKED_MAX 32
#define USERS_MAX 4
#define ROUND     (4 + LATENCY) /* two links there, the memory, two links back */

struct exchange {
    cycle asked, answered;
    u64 address, value, answer_address, answer_value;
    u16 kind, answer_kind;
    u32 answers, answer_source;
};

static struct exchange asked[USERS_MAX][ASKED_MAX];

static cycle step_use(struct mock *mock, cycle now)
{
    struct exchange *list = asked[mock->value];
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        struct exchange *exchange = &list[answer->tag];
        exchange->answers++;
        exchange->answered = now;
        exchange->answer_address = answer->address;
        exchange->answer_value = answer->data.dword[0];
        exchange->answer_kind = answer->kind;
        exchange->answer_source = answer->source;
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    for (; mock->left && list[mock->script_next].asked <= now && link_can_push(mock->out[0]);
         mock->left--) {
        const struct exchange *exchange = &list[mock->script_next];
        struct message *request = link_push(mock->out[0]);
        request->address = exchange->address;
        request->kind = exchange->kind;
        request->size_bytes = 8;
        request->mask = 0xff;
        request->source = 100 + (u32)mock->value;
        request->data.dword[0] = exchange->value;
        request->tag = mock->script_next++;
    }
    if (!mock->left)
        return NEVER;
    return list[mock->script_next].asked > now ? list[mock->script_next].asked : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *crossbar, *memories[4];
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users, u32 memories)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(asked, 0, sizeof asked);
    stand.crossbar = bench_unit(stand.sim, domain, &unit_type_crossbar, NO_CLOCK);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_use);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.crossbar, "users", stand.users[i], 1, ASKED_MAX);
    }
    for (u32 i = 0; i < memories; i++) {
        stand.memories[i] = bench_unit(stand.sim, domain, &unit_type_memory, NO_CLOCK);
        bench_set(stand.memories[i], "latency", LATENCY);
        bench_ask(stand.sim, stand.crossbar, "memories", stand.memories[i], "users", 1, 8);
    }
    struct route route = { 64, memories };
    for (u32 i = 0; i < memories && memories > 1; i++)
        bench_ports(stand.memories[i], "users")->route = route;
    if (memories > 1)
        bench_ports(stand.crossbar, "memories")->route = route;
    return stand;
}

static struct exchange *stand_ask(struct stand *stand, u32 user, cycle at, u16 kind, u64 address,
                                  u64 value)
{
    struct exchange *exchange = &asked[user][stand->users[user]->left++];
    *exchange = (struct exchange){ .asked = at, .kind = kind, .address = address, .value = value };
    if (kind != MEMORY_PREFETCH)
        unit_hold(&stand->users[user]->base, 1);
    return exchange;
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->crossbar);
    for (u32 i = 0; i < 4 && stand->memories[i]; i++)
        bench_init(stand->memories[i]);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    bench_report(stand->crossbar, sim_chip(stand->sim)->now);
}

static void answer_finds_the_one_who_asked(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 2);
    for (u32 user = 0; user < 3; user++)
        for (u32 i = 0; i < 4; i++)
            stand_ask(&stand, user, 0, MEMORY_WRITE, 1024 * user + 64 * i, 10 * user + i);
    for (u32 user = 0; user < 3; user++)
        for (u32 i = 0; i < 4; i++)
            stand_ask(&stand, user, 100, MEMORY_READ, 1024 * user + 64 * i, 0);
    stand_finish(&stand);
    for (u32 user = 0; user < 3; user++) {
        for (u32 i = 0; i < 8; i++) {
            const struct exchange *exchange = &asked[user][i];
            assert_int_equal(exchange->answers, 1);
            assert_int_equal(exchange->answer_kind, exchange->kind);
            assert_int_equal(exchange->answer_address, exchange->address);
            assert_int_equal(exchange->answer_source, 100 + user);
            if (i >= 4)
                assert_int_equal(exchange->answer_value, 10 * user + i - 4);
        }
    }
    assert_int_equal(bench_stat(stand.crossbar, "moved"), 2 * 24);
}

static void crossing_takes_no_time_but_the_links(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1);
    struct exchange *read = stand_ask(&stand, 0, 5, MEMORY_READ, 0, 0);
    stand_finish(&stand);
    assert_int_equal(read->answered, 5 + ROUND);
}

static void latency_counts_there_and_back(void **state)
{
    (void)state;
    for (u32 islip = 0; islip < 2; islip++) {
        struct stand stand = stand_create(1, 1);
        bench_set(stand.crossbar, "latency", 6);
        bench_set(stand.crossbar, "arbitration", islip);
        struct exchange *read = stand_ask(&stand, 0, 5, MEMORY_READ, 0, 0);
        stand_finish(&stand);
        assert_int_equal(read->answered, 5 + ROUND + 12);
        bench_destroy(stand.sim);
    }
}

static void memories_work_at_the_same_time(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 2);
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < 4; i++)
            stand_ask(&stand, user, 0, MEMORY_READ, 64 * user, 0);
    stand_finish(&stand);
    for (u32 user = 0; user < 2; user++)
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(asked[user][i].answered, ROUND + i);
    assert_int_equal(bench_stat(stand.crossbar, "conflicts"), 0);
}

static void users_take_turns_at_a_memory(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 1);
    for (u32 user = 0; user < 3; user++)
        for (u32 i = 0; i < 4; i++)
            stand_ask(&stand, user, 0, MEMORY_READ, 0, 0);
    stand_finish(&stand);
    for (u32 user = 0; user < 3; user++)
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(asked[user][i].answered, ROUND + 3 * i + user);
}

static void outstanding_limits_requests(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1);
    bench_set(stand.crossbar, "outstanding", 2);
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, 0, 0, MEMORY_READ, 8 * i, 0);
    stand_finish(&stand);
    /* Passed at 1 and 2, then whenever an answer comes back. */
    cycle back = ROUND - 2;
    assert_int_equal(asked[0][1].answered, ROUND + 1);
    assert_int_equal(asked[0][2].answered, ROUND + back);
    assert_int_equal(asked[0][3].answered, ROUND + back + 1);
    assert_true(bench_stat(stand.crossbar, "full") > 0);
}

static void prefetch_leaves_no_record(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 1);
    bench_set(stand.crossbar, "outstanding", 1);
    stand_ask(&stand, 0, 0, MEMORY_PREFETCH, 0, 0);
    struct exchange *read = stand_ask(&stand, 0, 1, MEMORY_READ, 0, 0);
    stand_finish(&stand);
    assert_int_equal(read->answered, 1 + ROUND);
    assert_int_equal(asked[0][0].answers, 0);
}

static void interleaved_crossbar_counts_its_own_blocks(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 2);
    bench_ports(stand.crossbar, "users")->route = (struct route){ 256, 4 };
    bench_set(stand.memories[0], "size", 256);
    bench_set(stand.memories[1], "size", 256);
    /* Its second block: local 256 to 511, of which each memory has 128 bytes. */
    struct exchange *write = stand_ask(&stand, 0, 0, MEMORY_WRITE, 1024 + 72, 7);
    struct exchange *read = stand_ask(&stand, 0, 50, MEMORY_READ, 1024 + 72, 0);
    struct exchange *beyond = stand_ask(&stand, 0, 100, MEMORY_READ, 2048, 0);
    stand_finish(&stand);
    assert_int_equal(write->answer_kind, MEMORY_WRITE);
    assert_int_equal(read->answer_value, 7);
    assert_int_equal(read->answer_address, 1024 + 72);
    assert_int_equal(beyond->answer_kind, MEMORY_FAULT);
    u64 address = 1024 + 72, length;
    assert_ptr_equal(unit_type_crossbar.toward(stand.crossbar, &address),
                     bench_ports(stand.crossbar, "memories")->at[1].out);
    assert_int_equal(address, 256 + 72);
    assert_int_equal(*unit_type_memory.stored(stand.memories[1], address, &length), 7);
}

/* Two users at a crossbar each, both in front of a third one that leads to two memories. */
static void crossbars_can_be_stacked(void **state)
{
    (void)state;
    struct stand stand = stand_create(0, 2);
    struct domain *domain = stand.crossbar->domain;
    struct unit *first[2];
    for (u32 i = 0; i < 2; i++) {
        first[i] = bench_unit(stand.sim, domain, &unit_type_crossbar, NO_CLOCK);
        bench_set_choice(first[i], "arbitration", "islip");
        bench_ask(stand.sim, first[i], "memories", stand.crossbar, "users", 1, 4);
        for (u32 k = 0; k < 2; k++) {
            u32 user = 2 * i + k;
            stand.users[user] = bench_mock(stand.sim, domain, step_use);
            stand.users[user]->value = user;
            bench_join(stand.sim, first[i], "users", stand.users[user], 1, 2);
        }
        bench_init(first[i]);
    }
    for (u32 user = 0; user < 4; user++) {
        for (u32 i = 0; i < 8; i++)
            stand_ask(&stand, user, 0, MEMORY_WRITE, 1024 * user + 64 * i, 10 * user + i);
        for (u32 i = 0; i < 8; i++)
            stand_ask(&stand, user, 200, MEMORY_READ, 1024 * user + 64 * i, 0);
    }
    stand_finish(&stand);
    for (u32 user = 0; user < 4; user++)
        for (u32 i = 0; i < 8; i++)
            assert_int_equal(asked[user][8 + i].answer_value, 10 * user + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(answer_finds_the_one_who_asked),
        bench_test_all_ways(crossing_takes_no_time_but_the_links),
        bench_test_all_ways(latency_counts_there_and_back),
        bench_test_all_ways(memories_work_at_the_same_time),
        bench_test_all_ways(users_take_turns_at_a_memory),
        bench_test_all_ways(outstanding_limits_requests),
        bench_test_all_ways(prefetch_leaves_no_record),
        bench_test_all_ways(interleaved_crossbar_counts_its_own_blocks),
        bench_test_all_ways(crossbars_can_be_stacked),
    };
    return cmocka_run_group_tests_name("crossbar_requests", tests, NULL, NULL);
}
