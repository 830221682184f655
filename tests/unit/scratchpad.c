/* scratchpad.c - shared memory in banks: who waits for whom, and what the bytes are. */
#include <string.h>

#include "ogive/isa.h"
#include "ogive/memory.h"
#include "unit/bench_unit.h"

extern const struct unit_type unit_type_scratchpad;

#define LATENCY      10
#define REQUESTS_MAX 32
#define USERS_MAX    4

struct exchange {
    cycle asked;
    u16 kind, size_bytes;
    union {
        u32 mask, amo;
    };
    u64 address, value;
    u64 stamp; /* of a store-conditional */

    cycle answered; /* 0: not yet */
    u16 answer_kind;
    u64 answer_value;
};

/* One list per user, found by mock->value. */
static struct exchange lists[USERS_MAX][REQUESTS_MAX];

static cycle step_use(struct mock *mock, cycle now)
{
    struct exchange *list = lists[mock->value];
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        struct exchange *exchange = &list[answer->tag];
        exchange->answered = now;
        exchange->answer_kind = answer->kind;
        exchange->answer_value = answer->data.dword[0];
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    while (mock->left && list[mock->script_next].asked <= now && link_can_push(mock->out[0])) {
        const struct exchange *exchange = &list[mock->script_next];
        struct message *request = link_push(mock->out[0]);
        *request = (struct message){
            .kind = exchange->kind,
            .address = exchange->address,
            .size_bytes = exchange->size_bytes,
            .mask = exchange->mask,
            .source = (u32)mock->value,
            .tag = mock->script_next++,
            .data.dword = { exchange->value, exchange->stamp },
        };
        mock->left--;
    }
    return mock->left ? max_u64(list[mock->script_next].asked, now + 1) : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *pad;
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users, u32 capacity)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(lists, 0, sizeof lists);
    stand.pad = bench_unit(stand.sim, domain, &unit_type_scratchpad, NO_CLOCK);
    bench_set(stand.pad, "latency", LATENCY);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_use);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.pad, "users", stand.users[i], 1, capacity);
    }
    return stand;
}

static void ask(struct stand *stand, u32 user, struct exchange exchange)
{
    lists[user][stand->users[user]->left++] = exchange;
    unit_hold(&stand->users[user]->base, 1);
}

static struct exchange read_of(cycle asked, u64 address, u16 size)
{
    return (struct exchange){
        .asked = asked, .kind = MEMORY_READ, .size_bytes = size, .address = address
    };
}

static struct exchange write_of(cycle asked, u64 address, u16 size, u64 value)
{
    return (struct exchange){ .asked = asked,
                              .kind = MEMORY_WRITE,
                              .size_bytes = size,
                              .mask = UINT32_MAX,
                              .address = address,
                              .value = value };
}

static struct exchange amo_of(cycle asked, u64 address, enum isa_amo amo, u64 value)
{
    return (struct exchange){ .asked = asked,
                              .kind = MEMORY_AMO,
                              .size_bytes = 8,
                              .amo = amo,
                              .address = address,
                              .value = value };
}

static struct exchange sc_of(cycle asked, u64 address, u64 value, u64 stamp)
{
    struct exchange exchange = amo_of(asked, address, AMO_SC, value);
    exchange.stamp = stamp;
    return exchange;
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->pad);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

/* Of two users, to the same bank, all in one cycle. */
static void banks_that_are_granted_are_not_waited_for(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 16);
    bench_set(stand.pad, "granted", 1);
    for (u32 i = 0; i < 8; i++)
        for (u32 user = 0; user < 2; user++)
            ask(&stand, user, read_of(3, 128 * i, 4));
    stand_finish(&stand);
    for (u32 i = 0; i < 8; i++)
        for (u32 user = 0; user < 2; user++)
            assert_int_equal(lists[user][i].answered, 3 + 2 + LATENCY);
    assert_int_equal(bench_stat(stand.pad, "conflicts"), 0);
}

static void answer_comes_after_the_latency(void **state)
{
    static const cycle latencies[] = { 1, 20, 255, 256, 1000 };
    (void)state;
    for (u32 i = 0; i < 5; i++) {
        struct stand stand = stand_create(1, 8);
        bench_set(stand.pad, "latency", latencies[i]);
        ask(&stand, 0, read_of(3, 0, 4));
        stand_finish(&stand);
        assert_int_equal(lists[0][0].answered, 3 + 2 + latencies[i]);
        bench_destroy(stand.sim);
    }
}

static void read_gives_what_was_written(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 8);
    struct exchange masked = write_of(1, 64, 4, 0);
    masked.mask = 2;
    ask(&stand, 0, write_of(0, 64, 8, UINT64_MAX));
    ask(&stand, 0, masked);
    ask(&stand, 0, read_of(2, 64, 8));
    stand_finish(&stand);
    assert_int_equal(lists[0][2].answer_value, UINT64_C(0xffffffffffff00ff));
    assert_int_equal(bench_stat(stand.pad, "reads"), 1);
    assert_int_equal(bench_stat(stand.pad, "writes"), 2);
}

static void different_banks_work_in_the_same_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 8);
    for (u32 i = 0; i < 4; i++)
        ask(&stand, i, read_of(0, 4 * i, 4));
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(lists[i][0].answered, 2 + LATENCY);
    assert_int_equal(bench_stat(stand.pad, "conflicts"), 0);
}

static void requests_for_one_bank_wait_for_each_other(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 8);
    for (u32 i = 0; i < 4; i++)
        ask(&stand, i, read_of(0, 128 * i, 4)); /* 32 banks of 4 bytes: all in bank 0 */
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(lists[i][0].answered, 2 + LATENCY + i);
    assert_int_equal(bench_stat(stand.pad, "conflicts"), 3 + 2 + 1);
}

static void banks_and_words_are_parameters(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 8);
    bench_set(stand.pad, "banks", 2);
    bench_set(stand.pad, "word", 8);
    ask(&stand, 0, read_of(0, 0, 4));
    ask(&stand, 1, read_of(0, 8, 4));
    ask(&stand, 2, read_of(0, 20, 4)); /* third word: bank 0 again */
    stand_finish(&stand);
    assert_int_equal(lists[1][0].answered, 2 + LATENCY);
    assert_int_equal(lists[2][0].answered, 2 + LATENCY + 1);
}

static void wide_request_takes_all_its_banks(void **state)
{
    (void)state;
    struct stand stand = stand_create(3, 8);
    ask(&stand, 0, read_of(0, 0, 8));
    ask(&stand, 1, read_of(0, 4, 4)); /* the other's second word */
    ask(&stand, 2, read_of(0, 8, 4));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answered, 2 + LATENCY);
    assert_int_equal(lists[1][0].answered, 2 + LATENCY + 1);
    assert_int_equal(lists[2][0].answered, 2 + LATENCY);
    assert_int_equal(bench_stat(stand.pad, "conflicts"), 1);
}

static void request_wider_than_all_banks_is_served(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 8);
    bench_set(stand.pad, "banks", 1);
    ask(&stand, 0, read_of(0, 0, 32));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answered, 2 + LATENCY);
}

/* Users 0 and 1 of four want one bank all the time: each gets every other cycle. */
static void users_in_conflict_take_turns(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 32);
    for (u32 k = 0; k < 8; k++) {
        ask(&stand, 0, read_of(0, 0, 4));
        ask(&stand, 1, read_of(0, 128, 4));
    }
    stand_finish(&stand);
    for (u32 k = 0; k < 8; k++) {
        assert_int_equal(lists[0][k].answered, 2 + LATENCY + 2 * k);
        assert_int_equal(lists[1][k].answered, 2 + LATENCY + 2 * k + 1);
    }
}

static void one_user_gives_one_request_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 8);
    for (u32 k = 0; k < 4; k++)
        ask(&stand, 0, read_of(0, 4 * k, 4));
    stand_finish(&stand);
    for (u32 k = 0; k < 4; k++)
        assert_int_equal(lists[0][k].answered, 2 + LATENCY + k);
}

static void atomics_give_the_old_value(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 8);
    ask(&stand, 0, amo_of(0, 8, AMO_ADD, 5));
    ask(&stand, 1, amo_of(0, 8, AMO_ADD, 7));
    ask(&stand, 0, amo_of(50, 8, AMO_SWAP, 1));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answer_value, 0);
    assert_int_equal(lists[1][0].answer_value, 5);
    assert_int_equal(lists[0][1].answer_value, 12);
    assert_int_equal(bench_stat(stand.pad, "atomics"), 3);
}

static void write_takes_a_reservation_away(void **state)
{
    (void)state;
    struct stand stand = stand_create(2, 8);
    ask(&stand, 0, amo_of(0, 8, AMO_LR, 0));
    ask(&stand, 0, sc_of(1, 8, 33, 1)); /* succeeds */
    ask(&stand, 0, amo_of(10, 8, AMO_LR, 0));
    ask(&stand, 1, write_of(20, 16, 8, 1)); /* in the same sector */
    ask(&stand, 0, sc_of(30, 8, 44, 2));
    ask(&stand, 0, read_of(40, 8, 8));
    stand_finish(&stand);
    assert_int_equal(lists[0][1].answer_value, 0);
    assert_int_equal(lists[0][3].answer_value, 1);
    assert_int_equal(lists[0][4].answer_value, 33);
}

static void request_beyond_the_end_is_a_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create(1, 8);
    bench_set(stand.pad, "size", 1024);
    ask(&stand, 0, read_of(0, 1016, 8));
    ask(&stand, 0, read_of(0, 1017, 8));
    ask(&stand, 0, write_of(0, 1024, 8, 1));
    ask(&stand, 0, amo_of(0, UINT64_MAX - 7, AMO_ADD, 1));
    ask(&stand, 0, read_of(0, 0, MESSAGE_DATA_BYTES + 1));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answer_kind, MEMORY_READ);
    for (u32 i = 1; i < 5; i++)
        assert_int_equal(lists[0][i].answer_kind, MEMORY_FAULT);
    assert_int_equal(bench_stat(stand.pad, "faults"), 4);
}

static void links_of_one_place_lose_nothing(void **state)
{
    (void)state;
    struct stand stand = stand_create(4, 1);
    bench_set(stand.pad, "latency", 1);
    for (u32 k = 0; k < REQUESTS_MAX; k++)
        for (u32 i = 0; i < 4; i++)
            ask(&stand, i, amo_of(0, 8, AMO_ADD, 1));
    stand_finish(&stand);
    u64 sum = 0;
    for (u32 k = 0; k < REQUESTS_MAX; k++)
        for (u32 i = 0; i < 4; i++)
            sum += lists[i][k].answer_value;
    assert_int_equal(sum, 127 * 128 / 2); /* each value once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(answer_comes_after_the_latency),
        bench_test_all_ways(banks_that_are_granted_are_not_waited_for),
        bench_test_all_ways(read_gives_what_was_written),
        bench_test_all_ways(different_banks_work_in_the_same_cycle),
        bench_test_all_ways(requests_for_one_bank_wait_for_each_other),
        bench_test_all_ways(banks_and_words_are_parameters),
        bench_test_all_ways(wide_request_takes_all_its_banks),
        bench_test_all_ways(request_wider_than_all_banks_is_served),
        bench_test_all_ways(users_in_conflict_take_turns),
        bench_test_all_ways(one_user_gives_one_request_per_cycle),
        bench_test_all_ways(atomics_give_the_old_value),
        bench_test_all_ways(write_takes_a_reservation_away),
        bench_test_all_ways(request_beyond_the_end_is_a_fault),
        bench_test_all_ways(links_of_one_place_lose_nothing),
    };
    return cmocka_run_group_tests_name("scratchpad", tests, NULL, NULL);
}
