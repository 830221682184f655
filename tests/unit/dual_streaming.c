/* dual_streaming.c - the units of Dual Streaming together, around RT cores that are made up: every
 * ray is collected once, with the closest hit of all segments that it went through, whatever the
 * sizes of tables, buffers and links are.
 *
 * A made-up RT core goes through no tree. Which children of a segment a ray enters, and what it
 * hits in the segment, follows from its number and the segment's, so that the outcome is known. It
 * also is the program: it stores its share of the rays, collects when it is refused, and collects
 * until no ray is left. */
#include <math.h>
#include <string.h>

#include "ogive/memory.h"
#include "ogive/messages.h"
#include "ogive/random.h"
#include "ogive/stream.h"
#include "ogive/stream_role.h"
#include "unit/bench_unit.h"
#include "unit/parts/bucket.h"

extern const struct unit_type unit_type_scheduler, unit_type_staging, unit_type_hitrecords,
    unit_type_scenebuffer, unit_type_memory;

#define MACHINES     250
#define SEGMENTS_MAX 64
#define RAYS_MAX     400
#define CORES_MAX    4
#define CHANNELS_MAX 3
#define OUT_MAX      4096
#define TREELET      8192
#define HEADERS      (UINT64_C(1) << 20)
#define TREELETS     (UINT64_C(2) << 20)
#define BUCKETS      (UINT64_C(4) << 20)
#define MEMORY_BYTES (64 * MiB)

/* ---- The scene and what rays do in it ---- */

static struct rt_treelet tree[SEGMENTS_MAX];
static u32 tree_count, ray_count, hits_every;

static u32 mix(u32 a, u32 b)
{
    u64 seed = (u64)a << 32 | b;
    return (u32)(random_next(&seed) >> 16);
}

static bool ray_enters(u32 id, u32 segment)
{
    return mix(id, segment) % 3 != 0;
}

static struct rt_hit ray_hits(u32 id, u32 segment)
{
    u32 value = mix(id + 1000000, segment);
    return value % hits_every
               ? (struct rt_hit){ INFINITY, 0, 0, RT_NOTHING }
               : (struct rt_hit){ (float)(value / hits_every % 100000 + 1), 0, 0, segment };
}

static struct rt_hit ray_expects(u32 id, u32 segment)
{
    struct rt_hit best = ray_hits(id, segment);
    for (u32 i = 0; i < tree[segment].child_count; i++) {
        u32 child = tree[segment].first_child + i;
        struct rt_hit hit = ray_enters(id, child) ? ray_expects(id, child) : best;
        best = hit.t < best.t ? hit : best;
    }
    return best;
}

/* Each segment, in order, has the next few as children. */
static void tree_make(u64 *random, u32 most)
{
    u32 most_children = 1 + (u32)(random_next(random) % 12);
    tree_count = 1;
    memset(tree, 0, sizeof tree);
    for (u32 i = 0; i < tree_count; i++) {
        u32 count = (u32)(random_next(random) % (most_children + 1));
        count = count > most - tree_count ? most - tree_count : count;
        tree[i].first_child = tree_count;
        tree[i].child_count = count;
        tree[i].bytes = 64 + (u32)(random_next(random) % (TREELET - 64));
        for (u32 k = 0; k < count; k++) {
            tree[tree_count + k].parent = i;
            tree[tree_count + k].depth = tree[i].depth + 1;
        }
        tree_count += count;
    }
}

/* ---- RT cores ---- */

struct core {
    struct message out[OUT_MAX];
    u32 head, tail;
    struct ogv_stream_ray in;
    u32 asked, slots;
    u32 next_id, step; /* rays to be stored: ids from next_id on, every step-th */
    bool waits, over;
};

static struct core cores[CORES_MAX];
static u32 collected[RAYS_MAX];
static struct rt_hit found[RAYS_MAX];

static struct message *core_say(struct core *core, u16 kind)
{
    struct message *message = &core->out[core->tail++ % OUT_MAX];
    *message = (struct message){ .kind = kind };
    return message;
}

static void core_say_ray(struct core *core, const struct ogv_stream_ray *ray, u16 kind, u32 source)
{
    for (u32 half = 0; half < 2; half++) {
        struct message *message = core_say(core, kind);
        message->tag = half;
        message->source = source;
        stream_half_write(ray, half, message->data.byte);
    }
}

/* Walks a segment: work items for children, the hit, the end. */
static void core_walk(struct core *core)
{
    struct ogv_stream_ray ray = core->in;
    u32 segment = ray.treelet, order = 0;
    for (u32 i = 0; i < tree[segment].child_count; i++) {
        u32 child = tree[segment].first_child + i;
        if (!ray_enters(ray.id, child))
            continue;
        ray.treelet = child & STREAM_DONE_TREELET;
        ray.level = (u8)order++;
        core_say_ray(core, &ray, MESSAGE_STREAM_STORE, STREAM_MORE);
    }
    ray.hit = ray_hits(ray.id, segment);
    if (ray.hit.triangle != RT_NOTHING && ray.hit.t <= ray.ray.t_max)
        core_say_ray(core, &ray, MESSAGE_STREAM_HIT, 0);
    core_say(core, MESSAGE_STREAM_FINISHED)->data.dword[0] = segment;
}

static void core_store(struct core *core)
{
    struct ogv_stream_ray ray = { .ray = { .t_max = INFINITY }, .id = core->next_id };
    core_say_ray(core, &ray, MESSAGE_STREAM_STORE, STREAM_NEW);
    core->waits = true;
}

static void core_collect(struct core *core, u32 priority)
{
    core_say(core, MESSAGE_STREAM_HIT_LOAD)->tag = priority;
    core->waits = true;
}

/* True if the core has got what it waited for. */
static void core_hear(struct core *core, struct mock *mock, const struct message *message)
{
    if (message->kind == MESSAGE_STREAM_RAY) {
        stream_half_read(&core->in, message->tag, message->data.byte);
        core->asked -= message->tag;
        if (message->tag)
            core_walk(core);
        return;
    }
    core->waits = false;
    if (message->kind == MESSAGE_STREAM_STORE) {
        if (message->data.dword[0])
            core->next_id += core->step;
        else
            core_collect(core, 0);
        return;
    }
    u32 id = message->data.word[4];
    if (id == STREAM_NO_ID) {
        if (core->next_id >= ray_count && !core->over) {
            core->over = true;
            unit_release(&mock->base, 1);
        }
        return;
    }
    collected[id]++;
    memcpy(&found[id], message->data.byte, sizeof found[id]);
}

static cycle step_core(struct mock *mock, cycle now)
{
    struct core *core = &cores[mock->value];
    const struct message *message = link_peek(mock->in[0]);
    if (message) {
        core_hear(core, mock, message);
        link_pop(mock->in[0]);
    }
    if (!core->waits && !core->over) {
        if (core->next_id < ray_count)
            core_store(core);
        else
            core_collect(core, 1);
    }
    if (core->asked < core->slots && core->tail - core->head < 64) {
        core_say(core, MESSAGE_STREAM_LOAD);
        core->asked++;
    }
    if (core->head == core->tail || !link_can_push(mock->out[0]))
        return NEVER;
    *link_push(mock->out[0]) = core->out[core->head++ % OUT_MAX];
    return now + 1;
}

/* ---- Machines ---- */

struct machine {
    struct sim *sim;
    struct unit *scheduler, *scene;
    struct unit *memories[CHANNELS_MAX], *slices[CHANNELS_MAX], *records[CHANNELS_MAX];
    struct unit *stagings[CORES_MAX];
    u32 cores, channels, slice_count;
    struct route route, hit_route;
};

static u64 any(u64 *random, u64 least, u64 most)
{
    return least + random_next(random) % (most - least + 1);
}

static void set_any(struct unit *unit, const char *param, u64 *random, u64 least, u64 most)
{
    bench_set(unit, param, any(random, least, most));
}

static void scheduler_make(struct machine *m, struct domain *domain, u64 *random)
{
    struct unit *unit = m->scheduler = bench_unit(m->sim, domain, &unit_type_scheduler, NO_CLOCK);
    u64 strips = any(random, 1, any(random, 1, 2) == 1 ? 12 : 200);
    set_any(unit, "banks", random, 1, 4);
    set_any(unit, "entries", random, 1, 4);
    set_any(unit, "lanes", random, 1, 3);
    bench_set(unit, "memory", strips * 8 * KiB * m->channels);
    bench_set(unit, "segments", SEGMENTS_MAX);
    set_any(unit, "candidates", random, 1, 6);
    set_any(unit, "prefetches", random, 1, 3);
    set_any(unit, "ready", random, 1, 8);
    set_any(unit, "order", random, 0, 1);
    set_any(unit, "weight", random, 0, 2);
    set_any(unit, "headers", random, 0, 1);
    set_any(unit, "rays", random, 0, 1);
    set_any(unit, "settle", random, 1, 300);
    bench_set(unit, "ids", 512);
}

static void memories_make(struct machine *m, struct domain *domain, u64 *random)
{
    m->channels = (u32)any(random, 1, CHANNELS_MAX);
    m->slice_count = (u32)any(random, 1, CHANNELS_MAX);
    m->route = m->channels > 1 ? (struct route){ 8 * KiB, m->channels } : (struct route){ 0 };
    m->hit_route = m->slice_count > 1 ? (struct route){ 64, m->slice_count } : (struct route){ 0 };
    for (u32 i = 0; i < m->channels; i++) {
        m->memories[i] = bench_unit(m->sim, domain, &unit_type_memory, NO_CLOCK);
        bench_set(m->memories[i], "size", MEMORY_BYTES);
        set_any(m->memories[i], "latency", random, 1, 80);
        bench_ports(m->memories[i], "users")->route = m->route;
    }
    for (u32 i = 0; i < m->slice_count; i++) {
        m->records[i] = bench_unit(m->sim, domain, &unit_type_memory, NO_CLOCK);
        set_any(m->records[i], "latency", random, 1, 80);
        m->slices[i] = bench_unit(m->sim, domain, &unit_type_hitrecords, NO_CLOCK);
        u64 ways = any(random, 1, 4);
        bench_set(m->slices[i], "ways", ways);
        bench_set(m->slices[i], "size", 16 * ways * any(random, 1, 8));
        set_any(m->slices[i], "depth", random, 1, 8);
        bench_ports(m->slices[i], "users")->route = m->hit_route;
        bench_ask(m->sim, m->slices[i], "memory", m->records[i], "users", 1,
                  (u32)any(random, 1, 4));
    }
}

static void ask_memories(struct machine *m, struct unit *unit, u64 *random)
{
    u32 latency = (u32)any(random, 1, 20), capacity = (u32)any(random, 1, 8);
    for (u32 i = 0; i < m->channels; i++)
        bench_ask(m->sim, unit, "memory", m->memories[i], "users", latency, capacity);
    bench_ports(unit, "memory")->route = m->route;
}

static void core_make(struct machine *m, struct domain *domain, u32 number, u64 *random)
{
    struct unit *unit = bench_unit(m->sim, domain, &unit_type_staging, NO_CLOCK);
    struct mock *mock = bench_mock(m->sim, domain, step_core);
    m->stagings[number] = unit;
    mock->value = number;
    cores[number] =
        (struct core){ .slots = (u32)any(random, 1, 12), .next_id = number, .step = m->cores };
    set_any(unit, "buckets", random, 1, 3);
    set_any(unit, "segments", random, 1, 4);
    set_any(unit, "early", random, 0, 3);
    bench_join(m->sim, unit, "users", mock, (u32)any(random, 1, 4), (u32)any(random, 1, 8));
    bench_ask(m->sim, unit, "scheduler", m->scheduler, "users", (u32)any(random, 1, 20),
              (u32)any(random, 1, 8));
    for (u32 i = 0; i < m->slice_count; i++)
        bench_ask(m->sim, unit, "hits", m->slices[i], "users", 2, (u32)any(random, 1, 8));
    bench_ports(unit, "hits")->route = m->hit_route;
    unit_hold(&mock->base, 1);
}

static void headers_write(struct machine *m)
{
    for (u32 i = 0; i < tree_count; i++) {
        u64 address = HEADERS + i * sizeof *tree, length;
        u32 channel = m->channels > 1 ? route_way(&m->route, address) : 0;
        memcpy(unit_type_memory.stored(m->memories[channel], address, &length), &tree[i],
               sizeof *tree);
    }
}

/* Nothing hit anywhere. */
static void hits_write(struct machine *m)
{
    struct rt_hit none = { INFINITY, 0, 0, RT_NOTHING };
    u64 length;
    for (u32 i = 0; i < m->slice_count; i++)
        for (u32 k = 0; k < RAYS_MAX + 8; k++)
            memcpy(unit_type_memory.stored(m->records[i], k * sizeof none, &length), &none,
                   sizeof none);
}

static bool machine_place(struct machine *m)
{
    struct ogv_error error;
    struct stream_place place = { .treelets = TREELETS,
                                  .headers = HEADERS,
                                  .rays = BUCKETS,
                                  .ray_count = ray_count,
                                  .treelet_bytes = TREELET,
                                  .treelet_count = tree_count,
                                  .copies = tree };
    for (u32 i = 0; i < m->cores; i++)
        assert_true(unit_type_staging.streams->place(m->stagings[i], &place, &error));
    if (m->scene)
        assert_true(unit_type_scenebuffer.streams->place(m->scene, &place, &error));
    return unit_type_scheduler.streams->place(m->scheduler, &place, &error);
}

static void machine_init(struct machine *m)
{
    for (u32 i = 0; i < m->channels; i++)
        bench_init(m->memories[i]);
    for (u32 i = 0; i < m->slice_count; i++) {
        bench_init(m->records[i]);
        bench_init(m->slices[i]);
    }
    for (u32 i = 0; i < m->cores; i++)
        bench_init(m->stagings[i]);
    bench_init(m->scheduler);
    if (m->scene)
        bench_init(m->scene);
    headers_write(m);
    hits_write(m);
}

static struct machine machine_make(u64 *random)
{
    struct machine m = { .sim = bench_create() };
    struct domain *domain = bench_domain(m.sim);
    m.cores = (u32)any(random, 1, CORES_MAX);
    tree_make(random, (u32)any(random, 1, SEGMENTS_MAX));
    ray_count = (u32)any(random, 1, RAYS_MAX);
    hits_every = (u32)any(random, 1, 8);
    memset(collected, 0, sizeof collected);
    memories_make(&m, domain, random);
    scheduler_make(&m, domain, random);
    ask_memories(&m, m.scheduler, random);
    if (any(random, 0, 1)) {
        m.scene = bench_unit(m.sim, domain, &unit_type_scenebuffer, NO_CLOCK);
        bench_set(m.scene, "size", TREELET * any(random, 1, 4));
        bench_ask(m.sim, m.scheduler, "scene", m.scene, "scheduler", 1, (u32)any(random, 1, 4));
        ask_memories(&m, m.scene, random);
    }
    for (u32 i = 0; i < m.cores; i++)
        core_make(&m, domain, i, random);
    machine_init(&m);
    return m;
}

/* ---- What is always true in the end ---- */

static void rays_check(u32 seed)
{
    for (u32 id = 0; id < ray_count; id++) {
        struct rt_hit expected = ray_expects(id, 0);
        if (collected[id] != 1 || found[id].t != expected.t)
            fail_msg("machine %u: ray %u was collected %u times, hit at %g instead of %g", seed, id,
                     collected[id], (double)found[id].t, (double)expected.t);
    }
}

static void sums_check(struct machine *m)
{
    struct unit *unit = m->scheduler;
    u64 given = 0, cut = 0, came = 0, now = 1000000;
    bench_report(unit, now);
    assert_int_equal(bench_stat(unit, "items"), bench_stat(unit, "finished"));
    assert_int_equal(bench_stat(unit, "items"), bench_stat(unit, "bucket_rays"));
    assert_int_equal(bench_stat(unit, "buckets_made"), bench_stat(unit, "buckets_read"));
    assert_int_equal(bench_stat(unit, "new_rays"), ray_count);
    assert_int_equal(bench_stat(unit, "collected"), ray_count);
    assert_int_equal(bench_stat(unit, "bank_items"), bench_stat(unit, "items"));
    assert_int_equal(bench_stat(unit, "bank_cycles"), bench_stat(unit, "bank_items") +
                                                          bench_stat(unit, "bank_full") +
                                                          bench_stat(unit, "bank_idle"));
    for (u32 i = 0; i < m->cores; i++) {
        struct unit *staging = m->stagings[i];
        bench_report(staging, now);
        given += bench_stat(staging, "given");
        cut += bench_stat(staging, "cut");
        came += bench_stat(staging, "bucket_rays");
        assert_int_equal(bench_stat(staging, "given"), bench_stat(staging, "finished"));
        assert_int_equal(bench_stat(staging, "part_cycles"),
                         bench_stat(staging, "parts_empty") + bench_stat(staging, "parts_filling") +
                             bench_stat(staging, "parts_giving"));
    }
    assert_int_equal(came, given + cut);
    assert_int_equal(came, bench_stat(unit, "bucket_rays"));
}

static void machines_finish_or_are_refused(void **state)
{
    (void)state;
    u32 finished = 0, throttled = 0, evicted = 0, refused = 0;
    for (u32 seed = 1; seed <= MACHINES; seed++) {
        u64 random = seed;
        struct machine m = machine_make(&random);
        if (machine_place(&m)) {
            bench_seal(m.sim, (struct sim_options){ 0 });
            enum sim_end end = bench_finish(m.sim);
            if (end != SIM_FINISHED)
                fail_msg("machine %u ends with %d", seed, (int)end);
            rays_check(seed);
            sums_check(&m);
            finished++;
            throttled += bench_stat(m.scheduler, "throttled") > 0;
            evicted += bench_stat(m.scheduler, "evicted") > 0;
            refused += bench_stat(m.scheduler, "refused") > 0;
        }
        bench_destroy(m.sim);
    }
    /* What happens when tables are full has happened. */
    assert_true(finished > MACHINES / 2);
    assert_true(throttled && evicted && refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(machines_finish_or_are_refused),
    };
    return cmocka_run_group_tests_name("dual_streaming", tests, NULL, NULL);
}
