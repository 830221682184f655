/* staging.c - a ray staging buffer between a scheduler, an RT core and hit records, all made up:
 * what goes when. */
#include <math.h>
#include <string.h>

#include "ogive/messages.h"
#include "ogive/stream.h"
#include "ogive/stream_role.h"
#include "unit/ear.h"
#include "unit/parts/bucket.h"

extern const struct unit_type unit_type_staging;

#define SEGMENT   5
#define RAYS      3
#define BEGINS    20 /* when the bucket's first sector is sent */
#define HIT_DELAY 30
#define HITS_AT   4096
#define SECTORS   ((16 + RAYS * 36 + 31) / 32)

/* What each of the three has heard. */
static struct ear at_scheduler, at_core, at_hits;
static u8 bucket[BUCKET_BYTES];
static float record_t; /* of all records */

/* Sends one bucket, a sector per cycle, for the first part that asks. */
static cycle step_scheduler(struct mock *mock, cycle now)
{
    while (hear(&at_scheduler, mock->in[0], now))
        ;
    if (!mock->left)
        return NEVER;
    if (now < BEGINS)
        return BEGINS;
    u64 offset = (SECTORS - mock->left) * MEMORY_SECTOR;
    struct message *sector = link_push(mock->out[0]);
    *sector = (struct message){
        .kind = BUCKET_SECTOR, .source = SEGMENT, .mask = RAYS, .address = offset
    };
    memcpy(sector->data.byte, bucket + offset, MEMORY_SECTOR);
    unit_release(&mock->base, 1);
    return --mock->left ? now + 1 : NEVER;
}

/* Asks for `value` rays in cycle 0. Of each that comes, it sends a work item, a hit and the end,
 * from cycle `ready` on. */
static cycle step_core(struct mock *mock, cycle now)
{
    while (hear(&at_core, mock->in[0], now))
        ;
    for (; mock->value; mock->value--)
        *link_push(mock->out[0]) = (struct message){ .kind = MESSAGE_STREAM_LOAD };
    if (now < mock->ready)
        return mock->ready;
    if (!mock->left)
        return NEVER;
    struct ogv_stream_ray ray = { .ray = { .t_max = 9 }, .id = 2, .treelet = SEGMENT + 1 };
    static const u16 kinds[] = { MESSAGE_STREAM_STORE, MESSAGE_STREAM_STORE, MESSAGE_STREAM_HIT,
                                 MESSAGE_STREAM_HIT, MESSAGE_STREAM_FINISHED };
    u32 step = mock->script_next++ % 5;
    struct message *message = link_push(mock->out[0]);
    *message = (struct message){ .kind = kinds[step], .tag = step % 2, .source = STREAM_MORE };
    stream_half_write(&ray, step % 2, message->data.byte);
    if (step == 4) {
        message->data.dword[0] = SEGMENT;
        mock->left--;
        unit_release(&mock->base, 1);
    }
    return mock->left ? now + 1 : NEVER;
}

/* Answers HIT_DELAY cycles later, one at a time. */
static cycle step_hits(struct mock *mock, cycle now)
{
    const struct message *request = link_peek(mock->in[0]);
    if (request && !mock->ready)
        mock->ready = now + HIT_DELAY;
    if (!request || now < mock->ready)
        return request ? mock->ready : NEVER;
    struct message *answer = link_push(mock->out[0]);
    *answer = *request;
    answer->data.real[0] = record_t;
    mock->ready = 0;
    hear(&at_hits, mock->in[0], now);
    return now + 1;
}

struct stand {
    struct sim *sim;
    struct unit *staging;
    struct mock *scheduler, *core, *hits;
};

static struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    struct domain *domain = bench_domain(stand.sim);
    memset(&at_scheduler, 0, sizeof at_scheduler);
    memset(&at_core, 0, sizeof at_core);
    memset(&at_hits, 0, sizeof at_hits);
    memset(bucket, 0, sizeof bucket);
    for (u32 i = 0; i < RAYS; i++) {
        struct rt_ray ray = { .origin = { (float)i }, .t_min = 1, .t_max = 9 };
        bucket_put(bucket, i, &ray, 10 + i);
    }
    record_t = INFINITY;
    stand.staging = bench_unit(stand.sim, domain, &unit_type_staging, NO_CLOCK);
    stand.scheduler = bench_mock(stand.sim, domain, step_scheduler);
    stand.core = bench_mock(stand.sim, domain, step_core);
    stand.hits = bench_mock(stand.sim, domain, step_hits);
    bench_join(stand.sim, stand.staging, "users", stand.core, 1, 16);
    bench_join(stand.sim, stand.staging, "scheduler", stand.scheduler, 1, 16);
    bench_join(stand.sim, stand.staging, "hits", stand.hits, 1, 16);
    stand.scheduler->left = SECTORS;
    unit_hold(&stand.scheduler->base, SECTORS);
    return stand;
}

static void core_answers(struct stand *stand, cycle from, u32 rays)
{
    stand->core->ready = from;
    stand->core->left = rays;
    unit_hold(&stand->core->base, rays);
}

static void stand_finish(struct stand *stand)
{
    struct ogv_error error;
    struct stream_place place = { .hits = HITS_AT };
    bench_init(stand->staging);
    assert_true(unit_type_staging.streams->place(stand->staging, &place, &error));
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_run(stand->sim, 1000), SIM_FINISHED);
}

/* One request per cycle goes to the scheduler, from when the RT core has asked for a ray on. */
static void free_parts_ask_for_buckets(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    stand.core->value = 1;
    stand_finish(&stand);
    const struct said *first = nth(&at_scheduler, BUCKET_WANTED, 0);
    const struct said *second = nth(&at_scheduler, BUCKET_WANTED, 1);
    assert_int_equal(first->at, 1 + 1 + 1);
    assert_int_equal(second->at, 1 + 1 + 2);
    assert_int_equal(first->message.tag, 0);
    assert_int_equal(second->message.tag, 1);
    assert_int_equal(count_of(&at_scheduler, BUCKET_WANTED), 2);
}

/* Sectors come from BEGINS + 1 on; with the last one the first ray goes, a cycle's way. */
static void rays_go_when_the_bucket_is_there(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    stand.core->value = 8;
    stand_finish(&stand);
    assert_int_equal(count_of(&at_core, MESSAGE_STREAM_RAY), 2 * RAYS);
    for (u32 i = 0; i < 2 * RAYS; i++) {
        const struct said *half = nth(&at_core, MESSAGE_STREAM_RAY, i);
        assert_int_equal(half->at, BEGINS + SECTORS + 1 + i / 2);
        assert_int_equal(half->message.tag, i % 2);
    }
    struct ogv_stream_ray ray;
    stream_half_read(&ray, 0, nth(&at_core, MESSAGE_STREAM_RAY, 2)->message.data.byte);
    stream_half_read(&ray, 1, nth(&at_core, MESSAGE_STREAM_RAY, 3)->message.data.byte);
    assert_int_equal(ray.id, 11);
    assert_int_equal(ray.treelet, SEGMENT);
    assert_true(ray.ray.origin[0] == 1.0f && ray.hit.t == 9.0f);
    assert_int_equal(bench_stat(stand.staging, "given"), RAYS);
}

static void rays_wait_to_be_asked_for(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    stand.core->value = 2;
    stand_finish(&stand);
    assert_int_equal(count_of(&at_core, MESSAGE_STREAM_RAY), 2 * 2);
    bench_report(stand.staging, 100);
    assert_int_equal(bench_stat(stand.staging, "part_cycles"), 200);
    assert_int_equal(bench_stat(stand.staging, "parts_filling"), SECTORS - 1);
    assert_int_equal(bench_stat(stand.staging, "parts_giving"), 100 - BEGINS - SECTORS);
}

/* The last hit leaves the RT core at 100 + 13 and is compared HIT_DELAY after all before it. */
static void end_is_told_when_hits_are_compared(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    stand.core->value = 8;
    core_answers(&stand, 100, RAYS);
    stand_finish(&stand);
    const struct said *done = nth(&at_scheduler, BUCKET_DONE, 0);
    assert_int_equal(count_of(&at_scheduler, BUCKET_ITEM), RAYS);
    assert_int_equal(count_of(&at_hits, MESSAGE_STREAM_HIT), RAYS);
    assert_int_equal(nth(&at_hits, MESSAGE_STREAM_HIT, 0)->message.address, HITS_AT + 2 * 16);
    assert_int_equal(done->message.address, SEGMENT);
    assert_int_equal(done->message.tag, 1);
    assert_int_equal(done->message.source, RAYS);
    cycle compared = nth(&at_hits, MESSAGE_STREAM_HIT, RAYS - 1)->at;
    assert_int_equal(done->at, compared + 1 + 1); /* back here, and to the scheduler */
}

static void items_are_passed_on(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    stand.core->value = 8;
    core_answers(&stand, 100, 1);
    stand_finish(&stand);
    const struct said *item = nth(&at_scheduler, BUCKET_ITEM, 0);
    assert_int_equal(item->at, 100 + 1 + 1 + 1); /* with its second half */
    assert_int_equal(bucket_source_segment(item->message.source), SEGMENT + 1);
    assert_int_equal(item->message.mask, 0);
    assert_int_equal(item->message.tag, 2);
}

/* The record is asked for when the bucket is there; a ray at a time. */
static void early_record_ends_the_ray(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set(stand.staging, "early", 1);
    record_t = 4;
    stand.core->value = 8;
    stand_finish(&stand);
    const struct said *first = nth(&at_core, MESSAGE_STREAM_RAY, 0);
    assert_int_equal(first->at, BEGINS + SECTORS + 1 + HIT_DELAY + 1 + 1);
    assert_true(first->message.data.real[7] == 4.0f);
    assert_int_equal(bench_stat(stand.staging, "early_reads"), RAYS);
    assert_int_equal(bench_stat(stand.staging, "cut"), 0);
}

/* Rays begin at 1: nothing is left of them, and the bucket is done. */
static void ray_behind_its_hit_is_not_given(void **state)
{
    (void)state;
    struct stand stand = stand_create();
    bench_set(stand.staging, "early", 3);
    record_t = 0.5f;
    stand.core->value = 8;
    stand_finish(&stand);
    assert_int_equal(count_of(&at_core, MESSAGE_STREAM_RAY), 0);
    assert_int_equal(bench_stat(stand.staging, "cut"), RAYS);
    assert_int_equal(nth(&at_scheduler, BUCKET_DONE, 0)->message.source, RAYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(free_parts_ask_for_buckets),
        bench_test_all_ways(rays_go_when_the_bucket_is_there),
        bench_test_all_ways(rays_wait_to_be_asked_for),
        bench_test_all_ways(end_is_told_when_hits_are_compared),
        bench_test_all_ways(items_are_passed_on),
        bench_test_all_ways(early_record_ends_the_ray),
        bench_test_all_ways(ray_behind_its_hit_is_not_given),
    };
    return cmocka_run_group_tests_name("staging", tests, NULL, NULL);
}
