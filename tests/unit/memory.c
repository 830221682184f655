/* memory.c - what a memory answers, and in which cycle. */
#include "ogive/memory.h"

#include <string.h>

#include "unit/bench_unit.h"

extern const struct unit_type unit_type_memory;

#define LATENCY      20
#define REQUESTS_MAX 16
#define USERS_MAX    4

/* One request of a user's list, and what came of it. */
struct exchange {
    cycle asked; /* when to send it */
    u16 kind, size_bytes;
    u64 address, value;

    u32 answers;
    cycle answered;
    u16 answer_kind;
    u64 answer_address, answer_value;
};

/* What the users have to ask: one list each, found by mock->value. */
static struct exchange lists[USERS_MAX][REQUESTS_MAX];

/* Sends its list; the link is deep enough for all of it. */
static cycle step_use(struct mock *mock, cycle now)
{
    struct exchange *list = lists[mock->value];
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        struct exchange *exchange = &list[answer->tag];
        exchange->answers++;
        exchange->answered = now;
        exchange->answer_kind = answer->kind;
        exchange->answer_address = answer->address;
        exchange->answer_value = answer->data.dword[0];
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    while (mock->left && list[mock->script_next].asked == now) {
        const struct exchange *exchange = &list[mock->script_next];
        struct message *request = link_push(mock->out[0]);
        request->kind = exchange->kind;
        request->address = exchange->address;
        request->size_bytes = exchange->size_bytes;
        request->mask = UINT32_MAX;
        request->data.dword[0] = exchange->value;
        request->tag = mock->script_next++;
        mock->left--;
    }
    return mock->left ? list[mock->script_next].asked : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *memory;
    struct mock *users[USERS_MAX];
};

static struct stand stand_create(u32 users)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(lists, 0, sizeof lists);
    stand.memory = bench_unit(stand.sim, domain, &unit_type_memory, NO_CLOCK);
    bench_set(stand.memory, "latency", LATENCY);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_use);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.memory, "users", stand.users[i], 1, REQUESTS_MAX);
    }
    return stand;
}

static void stand_ask(struct stand *stand, u32 user, struct exchange exchange)
{
    lists[user][stand->users[user]->left++] = exchange;
    unit_hold(&stand->users[user]->base, 1);
}

static struct exchange read_of(cycle asked, u64 address)
{
    return (struct exchange){
        .asked = asked, .kind = MEMORY_READ, .size_bytes = 8, .address = address
    };
}

static struct exchange write_of(cycle asked, u64 address, u64 value)
{
    return (struct exchange){
        .asked = asked, .kind = MEMORY_WRITE, .size_bytes = 8, .address = address, .value = value
    };
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->memory);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

static void answer_comes_after_the_latency(void **state)
{
    static const cycle latencies[] = { 1, 2, 100, 254, 255, 256, 1000 };
    (void)state;
    for (u32 i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        struct stand stand = stand_create(1);
        bench_set(stand.memory, "latency", latencies[i]);
        stand_ask(&stand, 0, read_of(5, 0));
        stand_ask(&stand, 0, read_of(2000, 0));
        stand_finish(&stand);
        /* One cycle there, the latency, one cycle back. */
        assert_int_equal(lists[0][0].answered, 5 + 2 + latencies[i]);
        assert_int_equal(lists[0][1].answered, 2000 + 2 + latencies[i]);
        bench_destroy(stand.sim);
    }
}

static void read_gives_what_was_written(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_ask(&stand, 0, write_of(0, 64, 0x1122334455667788));
    stand_ask(&stand, 0, write_of(1, 72, 99));
    stand_ask(&stand, 0, read_of(2, 64));
    stand_ask(&stand, 0, read_of(3, 68));
    stand_ask(&stand, 0, read_of(4, 72));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answer_kind, MEMORY_WRITE);
    assert_int_equal(lists[0][2].answer_kind, MEMORY_READ);
    assert_int_equal(lists[0][2].answer_value, 0x1122334455667788);
    assert_int_equal(lists[0][3].answer_value, UINT64_C(99) << 32 | 0x11223344);
    assert_int_equal(lists[0][4].answer_value, 99);
}

static void fresh_memory_reads_zero(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange read = read_of(0, 4096);
    read.value = 0xdead; /* what stands in the request must not come back */
    stand_ask(&stand, 0, read);
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answer_value, 0);
}

static void small_write_leaves_its_neighbours_alone(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange byte = write_of(1, 3, 0xee);
    byte.size_bytes = 1;
    stand_ask(&stand, 0, write_of(0, 0, UINT64_MAX));
    stand_ask(&stand, 0, byte);
    stand_ask(&stand, 0, read_of(2, 0));
    stand_finish(&stand);
    assert_int_equal(lists[0][2].answer_value, 0xffffffffeeffffff);
    assert_int_equal(bench_stat(stand.memory, "bytes_written"), 9);
    assert_int_equal(bench_stat(stand.memory, "bytes_read"), 8);
    assert_int_equal(bench_stat(stand.memory, "writes"), 2);
    assert_int_equal(bench_stat(stand.memory, "reads"), 1);
}

static void answer_repeats_address_and_tag(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    for (u32 i = 0; i < 8; i++)
        stand_ask(&stand, 0, read_of(0, 1000 * i));
    stand_finish(&stand);
    for (u32 i = 0; i < 8; i++) {
        assert_int_equal(lists[0][i].answers, 1); /* found by the tag */
        assert_int_equal(lists[0][i].answer_address, 1000 * i);
    }
}

static void one_request_is_taken_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    for (u32 i = 0; i < 8; i++)
        stand_ask(&stand, 0, read_of(0, 0));
    stand_finish(&stand);
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(lists[0][i].answered, 2 + LATENCY + i);
}

static void users_are_served_in_turn(void **state)
{
    (void)state;
    struct stand stand = stand_create(3);
    for (u32 user = 0; user < 3; user++)
        for (u32 i = 0; i < 4; i++)
            stand_ask(&stand, user, read_of(0, 0));
    stand_finish(&stand);
    for (u32 user = 0; user < 3; user++)
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(lists[user][i].answered, 2 + LATENCY + 3 * i + user);
}

static void width_is_how_many_are_taken_and_answered_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create(4);
    bench_set(stand.memory, "width", 2);
    for (u32 user = 0; user < 4; user++)
        for (u32 i = 0; i < 3; i++)
            stand_ask(&stand, user, read_of(0, 0));
    stand_finish(&stand);
    /* Users 0 and 1, then 2 and 3, then 0 and 1 again. */
    for (u32 user = 0; user < 4; user++)
        for (u32 i = 0; i < 3; i++)
            assert_int_equal(lists[user][i].answered, 2 + LATENCY + 2 * i + user / 2);
}

static void user_alone_gives_one_request_per_cycle_at_any_width(void **state)
{
    (void)state;
    struct stand stand = stand_create(2);
    bench_set(stand.memory, "width", 8);
    for (u32 i = 0; i < 4; i++)
        stand_ask(&stand, 1, read_of(0, 0));
    stand_finish(&stand);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(lists[1][i].answered, 2 + LATENCY + i);
}

static void full_memory_takes_the_next_when_it_answers(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.memory, "depth", 2);
    for (u32 i = 0; i < 6; i++)
        stand_ask(&stand, 0, read_of(0, 0));
    stand_finish(&stand);
    /* Taken at 1 and 2, then whenever one is answered. */
    for (u32 i = 0; i < 6; i++)
        assert_int_equal(lists[0][i].answered, 2 + LATENCY + i / 2 * LATENCY + i % 2);
}

static void request_beyond_the_end_is_a_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.memory, "size", 1024);
    stand_ask(&stand, 0, read_of(0, 1016));       /* the last that fits */
    stand_ask(&stand, 0, read_of(0, 1017));       /* half out */
    stand_ask(&stand, 0, read_of(0, 1024));       /* all out */
    stand_ask(&stand, 0, write_of(0, 1024, 1));   /* writes too */
    stand_ask(&stand, 0, read_of(0, UINT64_MAX)); /* around the end of numbers */
    stand_ask(&stand, 0, write_of(0, UINT64_MAX - 3, 1));
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answer_kind, MEMORY_READ);
    for (u32 i = 1; i < 6; i++)
        assert_int_equal(lists[0][i].answer_kind, MEMORY_FAULT);
    assert_int_equal(bench_stat(stand.memory, "faults"), 5);
    assert_int_equal(bench_stat(stand.memory, "reads"), 1);
    assert_int_equal(bench_stat(stand.memory, "writes"), 0);
    assert_int_equal(lists[0][5].answered, 2 + LATENCY + 5); /* in the usual time */
}

static void request_larger_than_a_message_is_a_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange largest = read_of(0, 0), larger = read_of(0, 0);
    largest.size_bytes = MESSAGE_DATA_BYTES;
    larger.size_bytes = MESSAGE_DATA_BYTES + 1;
    stand_ask(&stand, 0, largest);
    stand_ask(&stand, 0, larger);
    stand_finish(&stand);
    assert_int_equal(lists[0][0].answer_kind, MEMORY_READ);
    assert_int_equal(lists[0][1].answer_kind, MEMORY_FAULT);
}

static void interleaved_memory_holds_every_nth_block(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.memory, "size", 128);
    bench_ports(stand.memory, "users")->route = (struct route){ .interleave = 64, .ways = 2 };
    stand_ask(&stand, 0, write_of(0, 8, 1));   /* block 0: its first */
    stand_ask(&stand, 0, write_of(0, 136, 2)); /* block 2: its second */
    stand_ask(&stand, 0, write_of(0, 264, 3)); /* block 4: beyond its end */
    stand_ask(&stand, 0, read_of(0, 8));
    stand_ask(&stand, 0, read_of(0, 136));
    stand_finish(&stand);
    assert_int_equal(lists[0][2].answer_kind, MEMORY_FAULT);
    assert_int_equal(lists[0][3].answer_value, 1);
    assert_int_equal(lists[0][4].answer_value, 2);
    assert_int_equal(lists[0][4].answer_address, 136); /* the address as it was asked for */
}

/* Blocks 0 and 2 of two memories' are this one's: its bytes 0 to 63 and 64 to 127. */
static void bytes_are_counted_by_purpose(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_ports(stand.memory, "users")->route = (struct route){ .interleave = 64, .ways = 2 };
    stand_ask(&stand, 0, read_of(0, 24));
    stand_ask(&stand, 0, read_of(0, 32));
    stand_ask(&stand, 0, read_of(0, 136));
    stand_ask(&stand, 0, write_of(0, 152, 1));
    stand_ask(&stand, 0, write_of(0, 160, 1));
    stand_ask(&stand, 0, write_of(0, 256, 1));
    bench_init(stand.memory);
    assert_true(unit_type_memory.mark(stand.memory, 32, 128, PURPOSE_RAY));
    assert_true(unit_type_memory.mark(stand.memory, 0, 32, PURPOSE_SCENE));
    assert_false(unit_type_memory.mark(stand.memory, 128, 16, PURPOSE_FRAME)); /* a ray's already */
    bench_seal(stand.sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.memory, "bytes_read_scene"), 8);
    assert_int_equal(bench_stat(stand.memory, "bytes_read_ray"), 16);
    assert_int_equal(bench_stat(stand.memory, "bytes_read"), 24);
    assert_int_equal(bench_stat(stand.memory, "bytes_written_ray"), 8);
    assert_int_equal(bench_stat(stand.memory, "bytes_written_other"), 16);
    assert_int_equal(bench_stat(stand.memory, "bytes_written"), 24);
    assert_int_equal(bench_stat(stand.memory, "bytes_read_frame"), 0);
}

static void memory_can_be_marked_only_so_often(void **state)
{
    (void)state;
    struct purposes purposes = { .count = 0 };
    assert_true(purposes_add(&purposes, 100, 110, PURPOSE_RAY));
    assert_true(purposes_add(&purposes, 110, 120, PURPOSE_RAY)); /* one range together */
    assert_int_equal(purposes.count, 1);
    assert_int_equal(purposes_find(&purposes, 99), PURPOSE_OTHER);
    assert_int_equal(purposes_find(&purposes, 100), PURPOSE_RAY);
    assert_int_equal(purposes_find(&purposes, 119), PURPOSE_RAY);
    assert_int_equal(purposes_find(&purposes, 120), PURPOSE_OTHER);
    assert_false(purposes_add(&purposes, 90, 101, PURPOSE_HIT));
    assert_false(purposes_add(&purposes, 119, 121, PURPOSE_HIT));
    for (u64 i = 1; i < PURPOSE_RANGES_MAX; i++)
        assert_true(purposes_add(&purposes, 1000 - 10 * i, 1001 - 10 * i, PURPOSE_HIT));
    assert_false(purposes_add(&purposes, 2000, 2001, PURPOSE_HIT));
    assert_int_equal(purposes_find(&purposes, 990), PURPOSE_HIT);
    assert_int_equal(purposes_find(&purposes, 991), PURPOSE_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(answer_comes_after_the_latency),
        bench_test_all_ways(read_gives_what_was_written),
        bench_test_all_ways(fresh_memory_reads_zero),
        bench_test_all_ways(small_write_leaves_its_neighbours_alone),
        bench_test_all_ways(answer_repeats_address_and_tag),
        bench_test_all_ways(one_request_is_taken_per_cycle),
        bench_test_all_ways(users_are_served_in_turn),
        bench_test_all_ways(width_is_how_many_are_taken_and_answered_per_cycle),
        bench_test_all_ways(user_alone_gives_one_request_per_cycle_at_any_width),
        bench_test_all_ways(full_memory_takes_the_next_when_it_answers),
        bench_test_all_ways(request_beyond_the_end_is_a_fault),
        bench_test_all_ways(request_larger_than_a_message_is_a_fault),
        bench_test_all_ways(interleaved_memory_holds_every_nth_block),
        bench_test_all_ways(bytes_are_counted_by_purpose),
        bench_test(memory_can_be_marked_only_so_often),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
