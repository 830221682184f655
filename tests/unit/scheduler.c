/* scheduler.c - the stream scheduler between a staging buffer, memory and a scene buffer, all made
 * up: what goes when. */
#include <math.h>
#include <string.h>

#include "ogive/stream_role.h"
#include "unit/ear.h"
#include "unit/parts/bucket.h"

extern const struct unit_type unit_type_scheduler;

#define DELAY      10
#define SETTLE     100
#define BUCKETS    (UINT64_C(1) << 20)
#define HEADERS    4096
#define FULL_TAKES BUCKET_SECTORS

static struct ear at_user, at_memory, at_scene;
static u8 bytes[4 * BUCKET_BYTES];
static struct rt_treelet tree[3];
static struct said script[128];

static cycle step_user(struct mock *mock, cycle now)
{
    while (link_peek(mock->in[0]))
        hear(&at_user, mock->in[0], now);
    while (mock->left && script[mock->script_next].at <= now && link_can_push(mock->out[0])) {
        *link_push(mock->out[0]) = script[mock->script_next++].message;
        mock->left--;
        unit_release(&mock->base, 1);
    }
    return mock->left ? max_u64(script[mock->script_next].at, now + 1) : NEVER;
}

/* Takes a request per cycle and answers it DELAY cycles later. */
static cycle step_memory(struct mock *mock, cycle now)
{
    static struct said waiting[SAID_MAX];
    if (link_peek(mock->in[0])) {
        waiting[mock->script_count++ % SAID_MAX] =
            (struct said){ now + DELAY, *link_peek(mock->in[0]) };
        hear(&at_memory, mock->in[0], now);
    }
    const struct said *oldest = &waiting[mock->script_next % SAID_MAX];
    if (mock->script_next != mock->script_count && oldest->at <= now) {
        struct message *answer = link_push(mock->out[0]);
        *answer = oldest->message;
        u8 *at = answer->address >= BUCKETS ? bytes + (answer->address - BUCKETS)
                                            : (u8 *)tree + (answer->address - HEADERS);
        if (answer->kind == MEMORY_READ)
            memcpy(answer->data.byte, at, MEMORY_SECTOR);
        for (u32 i = 0; answer->kind == MEMORY_WRITE && i < MEMORY_SECTOR; i++)
            at[i] = answer->mask >> i & 1 ? answer->data.byte[i] : at[i];
        mock->script_next++;
    }
    return mock->script_next == mock->script_count
               ? NEVER
               : max_u64(waiting[mock->script_next % SAID_MAX].at, now + 1);
}

static cycle step_scene(struct mock *mock, cycle now)
{
    while (link_peek(mock->in[0])) {
        if (link_peek(mock->in[0])->kind == SEGMENT_PREFETCH) {
            struct message *answer = link_push(mock->out[0]);
            *answer = *link_peek(mock->in[0]);
            answer->data.dword[0] = 1;
        }
        hear(&at_scene, mock->in[0], now);
    }
    return NEVER;
}

struct stand {
    struct sim *sim;
    struct unit *scheduler;
    struct mock *user, *memory, *scene;
};

static struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(&at_user, 0, sizeof at_user);
    memset(&at_memory, 0, sizeof at_memory);
    memset(&at_scene, 0, sizeof at_scene);
    tree[0] = (struct rt_treelet){ .first_child = 1, .child_count = 2, .bytes = 4096 };
    tree[1] = (struct rt_treelet){ .first_child = 3, .bytes = 1024, .depth = 1 };
    tree[2] = (struct rt_treelet){ .first_child = 3, .bytes = 2048, .depth = 1 };
    stand.scheduler = bench_unit(stand.sim, domain, &unit_type_scheduler, NO_CLOCK);
    bench_set(stand.scheduler, "memory", 64 * KiB);
    bench_set(stand.scheduler, "settle", SETTLE);
    bench_set(stand.scheduler, "ids", 1024);
    stand.user = bench_mock(stand.sim, domain, step_user);
    stand.memory = bench_mock(stand.sim, domain, step_memory);
    stand.scene = bench_mock(stand.sim, domain, step_scene);
    bench_join(stand.sim, stand.scheduler, "users", stand.user, 1, 64);
    bench_join(stand.sim, stand.scheduler, "memory", stand.memory, 1, 64);
    bench_join(stand.sim, stand.scheduler, "scene", stand.scene, 1, 8);
    return stand;
}

static void say(struct stand *stand, cycle at, struct message message)
{
    script[stand->user->left++] = (struct said){ at, message };
    unit_hold(&stand->user->base, 1);
}

static void say_item(struct stand *stand, cycle at, u32 id, u32 segment, u32 order, bool new)
{
    struct rt_ray ray = { .t_max = INFINITY };
    struct message item = {
        .kind = BUCKET_ITEM, .tag = id, .source = bucket_source(segment, order), .mask = new
    };
    memcpy(item.data.byte, &ray, sizeof ray);
    say(stand, at, item);
}

static void say_wanted(struct stand *stand, cycle at, u32 part)
{
    say(stand, at, (struct message){ .kind = BUCKET_WANTED, .tag = part, .address = NOBODY });
}

static void say_done(struct stand *stand, cycle at, u32 segment, u32 buckets, u32 rays)
{
    say(stand, at,
        (struct message){
            .kind = BUCKET_DONE, .address = segment, .tag = buckets, .source = rays });
}

static void stand_run(struct stand *stand, cycle until)
{
    struct ogv_error error;
    struct stream_place place = { .rays = BUCKETS,
                                  .headers = HEADERS,
                                  .ray_count = 1024,
                                  .treelet_bytes = 8192,
                                  .treelet_count = 3,
                                  .copies = tree };
    bench_init(stand->scheduler);
    assert_true(unit_type_scheduler.streams->place(stand->scheduler, &place, &error));
    bench_seal(stand->sim, (struct sim_options){ 0 });
    bench_run(stand->sim, until);
}

/* A full bucket: 56 rays come in 56 cycles; the last one seals it; a sector per cycle goes. */
static void full_bucket_is_written(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    for (u32 i = 0; i < BUCKET_RAYS; i++)
        say_item(&stand, i, i, 0, 0, true);
    stand_run(&stand, 1000);
    assert_int_equal(count_of(&at_user, BUCKET_TAKEN), BUCKET_RAYS);
    assert_int_equal(nth(&at_user, BUCKET_TAKEN, 0)->at, 1 + 1);
    assert_int_equal(count_of(&at_memory, MEMORY_WRITE), FULL_TAKES);
    cycle sealed = BUCKET_RAYS - 1 + 1;
    assert_int_equal(nth(&at_memory, MEMORY_WRITE, 0)->at, sealed + 1);
    assert_int_equal(nth(&at_memory, MEMORY_WRITE, FULL_TAKES - 1)->at, sealed + FULL_TAKES);
    assert_int_equal(nth(&at_memory, MEMORY_WRITE, 0)->message.address, BUCKETS);
    struct bucket_header header;
    memcpy(&header, bytes, sizeof header);
    assert_int_equal(header.rays, BUCKET_RAYS);
    assert_int_equal(bench_stat(stand.scheduler, "bank_items"), BUCKET_RAYS);
}

/* A bucket that is not full is written when no new ray has come for long enough. */
static void partial_bucket_waits_for_more(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    say_item(&stand, 0, 7, 0, 0, true);
    stand_run(&stand, 1000);
    assert_int_equal(count_of(&at_memory, MEMORY_WRITE), 2); /* 52 bytes */
    assert_int_equal(nth(&at_memory, MEMORY_WRITE, 0)->at, 1 + SETTLE + 1);
    assert_int_equal(nth(&at_memory, MEMORY_WRITE, 0)->message.mask, UINT32_MAX);
    assert_int_equal(nth(&at_memory, MEMORY_WRITE, 1)->message.mask, (1 << 20) - 1);
}

/* The header is read when the segment is taken up, with the first ray; then it is fetched. */
static void header_is_read_before_the_segment_is_fetched(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    say_item(&stand, 0, 7, 0, 0, true);
    stand_run(&stand, 1000);
    const struct said *header = nth(&at_memory, MEMORY_READ, 0);
    assert_int_equal(header->message.address, HEADERS);
    assert_int_equal(nth(&at_scene, SEGMENT_PREFETCH, 0)->at, header->at + DELAY + 1 + 1);
    assert_int_equal(nth(&at_scene, SEGMENT_PREFETCH, 0)->message.address, 4096);
    assert_int_equal(bench_stat(stand.scheduler, "headers_read"), 1);
}

static void headers_may_be_free(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set_choice(stand.scheduler, "headers", "free");
    say_item(&stand, 0, 7, 0, 0, true);
    stand_run(&stand, 1000);
    assert_int_equal(count_of(&at_memory, MEMORY_READ), 0);
    assert_int_equal(count_of(&at_scene, SEGMENT_PREFETCH), 1);
    assert_int_equal(bench_stat(stand.scheduler, "headers_read"), 0);
}

/* Ready when its last sector has been answered; then it is read, and comes as it was written. */
static void bucket_is_given_when_it_is_written(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set_choice(stand.scheduler, "headers", "free");
    say_wanted(&stand, 0, 1);
    say_item(&stand, 0, 7, 0, 0, true);
    stand_run(&stand, 1000);
    cycle written = nth(&at_memory, MEMORY_WRITE, 1)->at;
    const struct said *read = nth(&at_memory, MEMORY_READ, 0);
    assert_int_equal(read->at, written + DELAY + 1 + 1);
    const struct said *sector = nth(&at_user, BUCKET_SECTOR, 0);
    assert_int_equal(sector->at, read->at + DELAY + 1 + 1);
    assert_int_equal(sector->message.tag, 1);
    assert_int_equal(sector->message.mask, 1);
    assert_int_equal(sector->message.source, 0);
    assert_int_equal(count_of(&at_user, BUCKET_SECTOR), 2);
}

/* Where nobody may be left to walk it, a bucket waits until the user asks for a finished ray, too.
 */
static void bucket_is_for_who_asks_for_finished_rays(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set_choice(stand.scheduler, "headers", "free");
    say(&stand, 0, (struct message){ .kind = BUCKET_WANTED, .address = NOBODY, .mask = 1 });
    say_item(&stand, 0, 7, 0, 0, true);
    say(&stand, 800, (struct message){ .kind = BUCKET_NUMBER, .tag = 1 });
    stand_run(&stand, 1000);
    assert_int_equal(count_of(&at_memory, MEMORY_WRITE), 2);
    assert_int_equal(nth(&at_memory, MEMORY_READ, 0)->at, 800 + 1 + 1);
    assert_int_equal(count_of(&at_user, BUCKET_SECTOR), 2);
    assert_int_equal(count_of(&at_user, BUCKET_FINISHED), 0);
}

/* An entry for two segments: the ray that came first, 36 bytes behind the header, goes to memory in
 * two cycles, and the other one is taken behind it. The bucket goes on in the same place later. */
static void full_bank_writes_what_it_has(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set(stand.scheduler, "banks", 1);
    bench_set(stand.scheduler, "entries", 1);
    say_wanted(&stand, 0, 0);
    say_item(&stand, 0, 7, 0, 0, true); /* the parent; two sectors */
    say_item(&stand, 300, 7, 1, 1, false);
    say_item(&stand, 310, 7, 2, 0, false);
    stand_run(&stand, 400);
    const struct said *first = nth(&at_memory, MEMORY_WRITE, 2);
    const struct said *second = nth(&at_memory, MEMORY_WRITE, 3);
    assert_int_equal(first->at, 311 + 1);
    assert_int_equal(first->message.mask, UINT32_MAX << 16); /* the bucket is still open */
    assert_int_equal(second->at, 312 + 1);
    assert_int_equal(second->message.mask, (1 << 20) - 1);
    assert_int_equal(count_of(&at_memory, MEMORY_WRITE), 4);
    assert_int_equal(bench_stat(stand.scheduler, "evicted"), 1);
    bench_report(stand.scheduler, 400);
    assert_int_equal(bench_stat(stand.scheduler, "bank_items"), 3);
    assert_int_equal(bench_stat(stand.scheduler, "bank_full"), 313 - 311);
    assert_int_equal(bench_stat(stand.scheduler, "bank_idle"), 400 - 3 - 2);
}

/* The children of segment 0 have a ray each; its order has segment 2 first, which weighs more. */
static void next_segment_is_chosen(const char *order, u32 first)
{
    struct stand stand = stand_create();
    bench_set_choice(stand.scheduler, "headers", "free");
    bench_set_choice(stand.scheduler, "order", order);
    bench_set(stand.scheduler, "candidates", 1);
    for (u32 i = 0; i < 3; i++)
        say_wanted(&stand, 0, i);
    say_item(&stand, 0, 7, 0, 0, true);
    say_item(&stand, 300, 7, 1, 1, false);
    say_item(&stand, 301, 7, 2, 0, false);
    say_done(&stand, 302, 0, 1, 1);
    say_done(&stand, 500, first, 1, 1);
    say_done(&stand, 700, 3 - first, 1, 1);
    stand_run(&stand, 1000);
    assert_int_equal(count_of(&at_user, BUCKET_SECTOR), 3 * 2);
    assert_int_equal(nth(&at_user, BUCKET_SECTOR, 2)->message.source, first);
    assert_int_equal(nth(&at_user, BUCKET_SECTOR, 4)->message.source, 3 - first);
    assert_int_equal(count_of(&at_scene, SEGMENT_RETIRE), 3);
    assert_int_equal(bench_stat(stand.scheduler, "finished"), 3);
    assert_int_equal(bench_stat(stand.scheduler, "single"), 3);
}

static void heavier_child_is_first_in_depth(void **state)
{
    (void)state;
    next_segment_is_chosen("depth", 2);
}

static void children_come_in_turn_in_breadth(void **state)
{
    (void)state;
    next_segment_is_chosen("breadth", 1);
}

/* What is finished is handed out only when no work item is left. */
static void numbers_wait_for_the_last_item(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set_choice(stand.scheduler, "headers", "free");
    say_wanted(&stand, 0, 0);
    say_item(&stand, 0, 7, 0, 0, true);
    say(&stand, 1, (struct message){ .kind = BUCKET_NUMBER, .tag = 1 });
    say(&stand, 2, (struct message){ .kind = BUCKET_NUMBER, .tag = 0 });
    say_done(&stand, 600, 0, 1, 1);
    stand_run(&stand, 1000);
    const struct said *first = nth(&at_user, BUCKET_FINISHED, 0);
    assert_int_equal(first->at, 600 + 1 + 1);
    assert_int_equal(first->message.tag, 0); /* the more urgent */
    assert_int_equal(first->message.data.dword[0], 7);
    const struct said *second = nth(&at_user, BUCKET_FINISHED, 1);
    assert_int_equal(second->at, 600 + 1 + 2);
    assert_true(second->message.data.dword[0] == UINT64_MAX);
}

/* Three finished rays for three requests: in a cycle each, or two in the first. */
static void numbers_are_collected(u64 at_once, cycle second_at, cycle third_at)
{
    struct stand stand = stand_create();
    bench_set_choice(stand.scheduler, "headers", "free");
    bench_set(stand.scheduler, "collects", at_once);
    say_wanted(&stand, 0, 0);
    for (u32 i = 0; i < 3; i++) {
        say_item(&stand, i, 7 + i, 0, i, true);
        say(&stand, 10 + i, (struct message){ .kind = BUCKET_NUMBER, .tag = 0 });
    }
    say_done(&stand, 600, 0, 1, 3);
    stand_run(&stand, 1000);
    const cycle at[] = { 0, second_at, third_at };
    for (u32 i = 0; i < 3; i++) {
        const struct said *answer = nth(&at_user, BUCKET_FINISHED, i);
        assert_int_equal(answer->at, 600 + 1 + 1 + at[i]);
        assert_int_equal(answer->message.data.dword[0], 7 + i);
    }
}

static void one_finished_ray_is_handed_out_per_cycle(void **state)
{
    (void)state;
    numbers_are_collected(1, 1, 2);
}

static void several_are_if_it_says_so(void **state)
{
    (void)state;
    numbers_are_collected(2, 0, 1);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    struct ogv_error error = { 0 };
    struct stream_place place = { .ray_count = 2000, .treelet_count = 3, .copies = tree };
    bench_set(stand.scheduler, "memory", 4096);
    bench_init_refused(stand.scheduler, "memory");
    bench_set(stand.scheduler, "memory",
              8192); /* four buckets; a tree with two children needs five */
    bench_set(stand.scheduler, "segments", 2);
    bench_init(stand.scheduler);
    assert_false(unit_type_scheduler.streams->place(stand.scheduler, &place, &error));
    assert_non_null(strstr(error.message, "ids"));
    place.ray_count = 10;
    assert_false(unit_type_scheduler.streams->place(stand.scheduler, &place, &error));
    assert_non_null(strstr(error.message, "segments"));
    tree[0].child_count = 4;
    bench_set(stand.scheduler, "segments", 3);
    assert_false(unit_type_scheduler.streams->place(stand.scheduler, &place, &error));
    assert_non_null(strstr(error.message, "buckets"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(full_bucket_is_written),
        bench_test_all_ways(partial_bucket_waits_for_more),
        bench_test_all_ways(header_is_read_before_the_segment_is_fetched),
        bench_test_all_ways(headers_may_be_free),
        bench_test_all_ways(bucket_is_given_when_it_is_written),
        bench_test_all_ways(bucket_is_for_who_asks_for_finished_rays),
        bench_test_all_ways(full_bank_writes_what_it_has),
        bench_test_all_ways(heavier_child_is_first_in_depth),
        bench_test_all_ways(children_come_in_turn_in_breadth),
        bench_test_all_ways(numbers_wait_for_the_last_item),
        bench_test_all_ways(one_finished_ray_is_handed_out_per_cycle),
        bench_test_all_ways(several_are_if_it_says_so),
        bench_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}
