/* scenebuffer.c - the scene buffer, and the fork in front of it: what goes where, and when. */
#include <string.h>

#include "ogive/memory.h"
#include "ogive/stream_role.h"
#include "unit/bench_unit.h"
#include "unit/parts/bucket.h"

extern const struct unit_type unit_type_scenebuffer, unit_type_split, unit_type_memory;

#define TREELET   8192
#define STRIDE    rt_treelet_stride(TREELET)
#define TREELETS  4
#define BASE      65536
#define LATENCY   4
#define DELAY     20
#define READS_MAX 16

/* ---- A user that reads ---- */

struct read {
    cycle asked, answered;
    u64 address, value;
};

static struct read reads[2][READS_MAX];

static cycle step_read(struct mock *mock, cycle now)
{
    struct read *list = reads[mock->value];
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        list[answer->tag].answered = now;
        list[answer->tag].value = answer->data.dword[0];
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    while (mock->left && list[mock->script_next].asked <= now && link_can_push(mock->out[0])) {
        *link_push(mock->out[0]) = (struct message){ .kind = MEMORY_READ,
                                                     .address = list[mock->script_next].address,
                                                     .size_bytes = 8,
                                                     .tag = mock->script_next };
        mock->script_next++;
        mock->left--;
    }
    return mock->left ? max_u64(list[mock->script_next].asked, now + 1) : NEVER;
}

/* ---- A scheduler: prefetches and retires as it is told, and notes answers ---- */

static struct {
    cycle at;
    u16 kind;
    u32 segment;
    u64 bytes;
} orders[8];

static cycle step_order(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        mock_note(mock, now, answer->tag << 1 | answer->data.dword[0]);
        link_pop(mock->in[0]);
    }
    while (mock->left && orders[mock->script_next].at <= now && link_can_push(mock->out[0])) {
        *link_push(mock->out[0]) = (struct message){ .kind = orders[mock->script_next].kind,
                                                     .tag = orders[mock->script_next].segment,
                                                     .address = orders[mock->script_next].bytes };
        mock->script_next++;
        mock->left--;
        unit_release(&mock->base, 1);
    }
    return mock->left ? max_u64(orders[mock->script_next].at, now + 1) : NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *buffer, *memory, *split;
    struct mock *users[2], *scheduler;
};

static struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(reads, 0, sizeof reads);
    stand.buffer = bench_unit(stand.sim, domain, &unit_type_scenebuffer, NO_CLOCK);
    bench_set(stand.buffer, "latency", LATENCY);
    bench_set(stand.buffer, "size", 2 * TREELET);
    stand.memory = bench_unit(stand.sim, domain, &unit_type_memory, NO_CLOCK);
    bench_set(stand.memory, "latency", DELAY);
    bench_ask(stand.sim, stand.buffer, "memory", stand.memory, "users", 1, 64);
    for (u32 i = 0; i < 2; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_read);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.buffer, "users", stand.users[i], 1, 8);
    }
    stand.scheduler = bench_mock(stand.sim, domain, step_order);
    bench_join(stand.sim, stand.buffer, "scheduler", stand.scheduler, 1, 8);
    return stand;
}

static void read_at(struct stand *stand, u32 user, cycle at, u64 address)
{
    reads[user][stand->users[user]->left++] = (struct read){ .asked = at, .address = address };
    unit_hold(&stand->users[user]->base, 1);
}

static void order_at(struct stand *stand, cycle at, u16 kind, u32 segment, u64 bytes)
{
    u64 n = stand->scheduler->left++;
    orders[n].at = at;
    orders[n].kind = kind;
    orders[n].segment = segment;
    orders[n].bytes = bytes;
    unit_hold(&stand->scheduler->base, 1);
}

/* Every eight bytes of memory have their address as value. */
static void memory_fill(struct stand *stand)
{
    for (u64 address = BASE; address < BASE + STRIDE * TREELETS; address += 8) {
        u64 length;
        memcpy(unit_type_memory.stored(stand->memory, address, &length), &address, 8);
    }
}

static void place(struct unit *unit, const struct unit_type *type)
{
    struct ogv_error error;
    struct stream_place where = { .treelets = BASE,
                                  .treelet_bytes = TREELET,
                                  .treelet_count = TREELETS };
    assert_true(type->streams->place(unit, &where, &error));
}

static void stand_finish(struct stand *stand)
{
    bench_init(stand->memory);
    bench_init(stand->buffer);
    place(stand->buffer, &unit_type_scenebuffer);
    memory_fill(stand);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
}

/* A sector per cycle: the last of 8 is asked for 7 cycles after the first. */
static void segment_is_there_when_its_last_sector_is(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    order_at(&stand, 0, SEGMENT_PREFETCH, 1, 8 * 32);
    read_at(&stand, 0, 100, BASE + STRIDE + 64);
    stand_finish(&stand);
    assert_int_equal(stand.scheduler->noted, 1);
    expect_note(stand.scheduler, 0, 1 + 7 + 1 + DELAY + 1 + 1, 1 << 1 | 1);
    assert_int_equal(reads[0][0].answered, 100 + 1 + LATENCY + 1);
    assert_int_equal(reads[0][0].value, BASE + STRIDE + 64);
    assert_int_equal(bench_stat(stand.buffer, "filled"), 256);
    assert_int_equal(bench_stat(stand.buffer, "misses"), 0);
}

static void other_segments_are_read_from_memory(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    read_at(&stand, 0, 0, BASE + 8);
    stand_finish(&stand);
    assert_int_equal(reads[0][0].answered, 1 + 1 + DELAY + 1 + 1);
    assert_int_equal(reads[0][0].value, BASE + 8);
    assert_int_equal(bench_stat(stand.buffer, "misses"), 1);
}

/* Two slots: the third has to do without, until one is given back. */
static void full_buffer_refuses(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    for (u32 i = 0; i < 3; i++)
        order_at(&stand, i, SEGMENT_PREFETCH, i, 32);
    order_at(&stand, 100, SEGMENT_RETIRE, 0, 0);
    order_at(&stand, 101, SEGMENT_PREFETCH, 3, 32);
    read_at(&stand, 0, 200, BASE);
    stand_finish(&stand);
    assert_int_equal(stand.scheduler->noted, 4);
    expect_note(stand.scheduler, 0, 2 + 1 + 1, 2 << 1);
    expect_note(stand.scheduler, 3, 101 + 1 + 1 + DELAY + 1 + 1, 3 << 1 | 1);
    assert_int_equal(bench_stat(stand.buffer, "refused"), 1);
    assert_int_equal(bench_stat(stand.buffer, "retired"), 1);
    assert_int_equal(bench_stat(stand.buffer, "misses"), 1);
}

static void banks_read_one_sector_per_cycle(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    order_at(&stand, 0, SEGMENT_PREFETCH, 0, TREELET);
    read_at(&stand, 0, 500, BASE);
    read_at(&stand, 1, 500, BASE + 32 * 128); /* 32 banks: the same one */
    read_at(&stand, 0, 600, BASE);
    read_at(&stand, 1, 600, BASE + 128);
    stand_finish(&stand);
    assert_int_equal(reads[0][0].answered, 500 + 1 + LATENCY + 1);
    assert_int_equal(reads[1][0].answered, 500 + 1 + LATENCY + 2);
    assert_int_equal(reads[0][1].answered, 600 + 1 + LATENCY + 1);
    assert_int_equal(reads[1][1].answered, 600 + 1 + LATENCY + 1);
    assert_int_equal(bench_stat(stand.buffer, "conflicts"), 1);
}

/* ---- The fork ---- */

static void reads_of_treelets_go_to_the_scene_buffer(void **state)
{
    (void)state;
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(reads, 0, sizeof reads);
    stand.split = bench_unit(stand.sim, domain, &unit_type_split, NO_CLOCK);
    stand.memory = bench_unit(stand.sim, domain, &unit_type_memory, NO_CLOCK);
    stand.buffer = bench_unit(stand.sim, domain, &unit_type_memory, NO_CLOCK);
    bench_set(stand.memory, "latency", 10);
    bench_set(stand.buffer, "latency", 30);
    bench_ask(stand.sim, stand.split, "memory", stand.memory, "users", 1, 8);
    bench_ask(stand.sim, stand.split, "scene", stand.buffer, "users", 1, 8);
    stand.users[0] = bench_mock(stand.sim, domain, step_read);
    bench_join(stand.sim, stand.split, "users", stand.users[0], 1, 8);
    read_at(&stand, 0, 0, BASE - 8);
    read_at(&stand, 0, 0, BASE);
    read_at(&stand, 0, 0, BASE + STRIDE * TREELETS - 8);
    read_at(&stand, 0, 0, BASE + STRIDE * TREELETS);
    bench_init(stand.memory);
    bench_init(stand.buffer);
    bench_init(stand.split);
    place(stand.split, &unit_type_split);
    bench_seal(stand.sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
    assert_int_equal(reads[0][0].answered, 1 + 1 + 10 + 1 + 1);
    assert_int_equal(reads[0][1].answered, 1 + 1 + 30 + 1 + 1);
    assert_int_equal(reads[0][2].answered, 1 + 1 + 30 + 1 + 1 + 1);
    assert_int_equal(reads[0][3].answered, 1 + 1 + 10 + 1 + 1 + 1);
    assert_int_equal(bench_stat(stand.split, "scene"), 2);
    assert_int_equal(bench_stat(stand.split, "others"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(segment_is_there_when_its_last_sector_is),
        bench_test_all_ways(other_segments_are_read_from_memory),
        bench_test_all_ways(full_buffer_refuses),
        bench_test_all_ways(banks_read_one_sector_per_cycle),
        bench_test_all_ways(reads_of_treelets_go_to_the_scene_buffer),
    };
    return cmocka_run_group_tests_name("scenebuffer", tests, NULL, NULL);
}
