/* rtcore_stand.c - mock cores and memories around an RT core, trees and rays for it, and the
 * accounts that must balance after every run. */
#include "unit/rtcore_stand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ogive/random.h"
#include "rt/growth.h"

extern const struct unit_type unit_type_rtcore;

struct stand_request stand_lists[STAND_USERS][STAND_LIST];
u8 stand_bytes[STAND_BYTES];
u32 stand_latency, stand_jitter;

/* ---- The mock cores ---- */

static void answer_note(struct mock *mock, const struct message *answer, cycle now)
{
    struct stand_request *request = &stand_lists[mock->value][answer->tag];
    request->answers++;
    request->answered = now;
    request->word = answer->data.dword[0];
    u32 words[4];
    for (u32 i = 0; i < 4; i++)
        words[i] = (u32)answer->data.dword[i];
    memcpy(&request->hit, words, sizeof words);
    mock_note(mock, now, answer->tag);
    unit_release(&mock->base, 1);
}

static bool request_may_go(const struct mock *mock, cycle now)
{
    const struct stand_request *list = stand_lists[mock->value];
    const struct stand_request *request = &list[mock->script_next];
    return now >= request->at && (!request->ticket_of || list[request->ticket_of - 1].answers) &&
           link_can_push(mock->out[0]);
}

static void request_push(struct mock *mock)
{
    const struct stand_request *list = stand_lists[mock->value];
    const struct stand_request *request = &list[mock->script_next];
    struct message *message = link_push(mock->out[0]);
    *message = (struct message){ .tag = mock->script_next,
                                 .source = request->source,
                                 .kind = request->kind };
    memcpy(message->data.real, &request->ray, sizeof request->ray);
    if (request->kind == MESSAGE_TRACE_WAIT)
        message->data.dword[0] =
            request->ticket_of ? list[request->ticket_of - 1].word : request->ticket;
    mock->script_next++;
    mock->left--;
}

static cycle step_core(struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0]));) {
        answer_note(mock, answer, now);
        link_pop(mock->in[0]);
    }
    if (mock->left && request_may_go(mock, now))
        request_push(mock);
    if (!mock->left)
        return NEVER;
    cycle due = stand_lists[mock->value][mock->script_next].at;
    return due > now ? due : now + 1;
}

/* ---- The mock memory ---- */

#define QUEUE 4096

/* Answers to come, by port: a ring each. */
static struct {
    struct message message;
    cycle due;
} queues[STAND_PORTS][QUEUE];

static void memory_do(struct message *message)
{
    u64 address = message->address;
    if (address % MEMORY_SECTOR || address > STAND_BYTES - MEMORY_SECTOR)
        message->kind = MEMORY_FAULT;
    else if ((message->kind & MEMORY_KIND) == MEMORY_READ)
        memcpy(message->data.byte, stand_bytes + address, MEMORY_SECTOR);
    else
        memcpy(stand_bytes + address, message->data.byte, MEMORY_SECTOR);
}

static void memory_take(struct mock *mock, const struct message *message, cycle now)
{
    u64 late = stand_jitter ? message->address / MEMORY_SECTOR * 2654435761u % stand_jitter : 0;
    mock_note(mock, now, message->address | message->kind);
    if ((message->kind & MEMORY_KIND) == MEMORY_PREFETCH)
        return;
    u32 place = mock->script_count++ % QUEUE;
    queues[mock->value][place].message = *message;
    queues[mock->value][place].due = now + stand_latency + late;
    memory_do(&queues[mock->value][place].message);
}

/* In order: a late answer holds up those behind it. */
static cycle step_memory(struct mock *mock, cycle now)
{
    for (const struct message *message;
         mock->script_count - mock->script_next < QUEUE && (message = link_peek(mock->in[0]));) {
        memory_take(mock, message, now);
        link_pop(mock->in[0]);
    }
    for (; mock->script_next != mock->script_count; mock->script_next++) {
        u32 place = mock->script_next % QUEUE;
        if (queues[mock->value][place].due > now)
            return queues[mock->value][place].due;
        if (!link_can_push(mock->out[0]))
            return now + 1;
        *link_push(mock->out[0]) = queues[mock->value][place].message;
    }
    return NEVER;
}

/* ---- Putting it together ---- */

struct stand stand_create_narrow(u32 users, u32 ports, u32 capacity)
{
    struct stand stand = { .sim = bench_create(), .user_count = users, .port_count = ports };
    struct domain *domain = bench_domain(stand.sim);
    memset(stand_lists, 0, sizeof stand_lists);
    memset(stand_bytes, 0, sizeof stand_bytes);
    stand_latency = STAND_LATENCY;
    stand_jitter = 0;
    stand.rt = bench_unit(stand.sim, domain, &unit_type_rtcore, NO_CLOCK);
    for (u32 i = 0; i < users; i++) {
        stand.users[i] = bench_mock(stand.sim, domain, step_core);
        stand.users[i]->value = i;
        bench_join(stand.sim, stand.rt, "users", stand.users[i], 1, capacity);
    }
    for (u32 i = 0; i < ports; i++) {
        stand.memory[i] = bench_mock(stand.sim, domain, step_memory);
        stand.memory[i]->value = i;
        bench_join(stand.sim, stand.rt, "memory", stand.memory[i], 1, capacity);
    }
    stand.tree = (struct tree_place){ .nodes = STAND_NODES, .blocks = STAND_BLOCKS };
    return stand;
}

struct stand stand_create(u32 users, u32 ports)
{
    return stand_create_narrow(users, ports, 64);
}

static const struct node_format *nodes_of(const struct stand *stand)
{
    return node_formats[((const struct rtcore *)stand->rt)->p.nodes];
}

static const struct primitive_format *primitives_of(const struct stand *stand)
{
    return primitive_formats[((const struct rtcore *)stand->rt)->p.primitives];
}

void stand_node(const struct stand *stand, u32 number, const struct wide_node *node)
{
    const struct node_format *format = nodes_of(stand);
    format->encode(node, stand_bytes + STAND_NODES + (size_t)number * format->bytes);
}

/* A triangle that covers x and y from -1 to 1. */
void stand_triangle(const struct stand *stand, u32 block, u32 number, float z)
{
    const struct primitive_format *format = primitives_of(stand);
    float vertices[3][3] = { { -1, -1, z }, { 3, -1, z }, { -1, 3, z } };
    u32(*triangles)[3] = calloc(number + 1, sizeof *triangles);
    memcpy(triangles[number], (u32[3]){ 0, 1, 2 }, sizeof triangles[number]);
    struct mesh mesh = { vertices, triangles, NULL, 3, number + 1 };
    format->encode(&mesh, &number, 1, stand_bytes + STAND_BLOCKS + (size_t)block * format->bytes);
    free(triangles);
}

struct wide_child stand_child(float low, float high, u32 ref)
{
    return (struct wide_child){ { { -1, -1, low }, { 1, 1, high } }, ref };
}

static u64 bytes_put(u64 at, const void *bytes, u64 length)
{
    at = (at + 127) / 128 * 128;
    assert_true(at + length <= STAND_BYTES);
    memcpy(stand_bytes + at, bytes, length);
    return at;
}

void stand_tree(struct stand *stand, const struct bvh *bvh)
{
    struct bvh_bytes bytes = bvh_bytes(bvh);
    stand->tree.nodes = bytes_put(STAND_NODES, bvh->nodes, bytes.nodes);
    stand->tree.blocks = stand->tree.nodes;
    u64 end = stand->tree.nodes + bytes.nodes;
    if (!bvh->treelet_bytes) {
        stand->tree.blocks = bytes_put(end, bvh->blocks, bytes.blocks);
        end = stand->tree.blocks + bytes.blocks;
    }
    stand->tree.numbers = end;
    if (bytes.numbers)
        stand->tree.numbers = bytes_put(end, bvh->numbers, bytes.numbers);
    stand->tree.spill = (stand->tree.numbers + bytes.numbers + 127) / 128 * 128;
}

u32 stand_ask(struct stand *stand, u32 user, struct stand_request request)
{
    u32 index = (u32)stand->users[user]->left++;
    assert_true(index < STAND_LIST);
    stand_lists[user][index] = request;
    unit_hold(&stand->users[user]->base, 1);
    return index;
}

u32 stand_trace(struct stand *stand, u32 user, cycle at, struct rt_ray ray)
{
    return stand_ask(stand, user,
                     (struct stand_request){ .at = at, .kind = MESSAGE_TRACE, .ray = ray });
}

struct rt_ray stand_ray(void)
{
    return (struct rt_ray){ { 0.1f, 0.1f, 0 }, 0, { 0, 0, 1 }, 1000 };
}

/* ---- What is true of every run ---- */

u64 stand_stat(const struct stand *stand, const char *stat)
{
    return bench_stat(stand->rt, stat);
}

static u64 sum_of(const u64 *first, const u64 *last)
{
    u64 sum = 0;
    for (; first <= last; first++)
        sum += *first;
    return sum;
}

static void check_accounts(const struct stand *stand, cycle cycles)
{
    const struct rtcore *rt = (const struct rtcore *)stand->rt;
    const u64 used = rt->s.slots_used;
    const u64 idle = sum_of(&rt->s.idle_empty, &rt->s.idle_held);
    assert_int_equal(sum_of(&rt->s.wait_schedule, &rt->s.wait_held), rt->s.ray_cycles);
    assert_true(rt->s.ray_cycles <= rt->s.slot_cycles);
    assert_int_equal(rt->s.slot_cycles, rt->p.rays * cycles);
    assert_int_equal(rt->s.slots, rt->p.schedule * cycles);
    assert_true(used <= rt->p.schedule * (cycles - idle));
    assert_true(used >= cycles - idle);
    assert_int_equal(sum_of(&rt->s.nodes_log2_0, &rt->s.nodes_log2_15), rt->s.rays);
    assert_int_equal(sum_of(&rt->s.triangles_log2_0, &rt->s.triangles_log2_15), rt->s.rays);
    assert_int_equal(sum_of(&rt->s.bytes_log2_0, &rt->s.bytes_log2_15), rt->s.rays);
    assert_true(rt->s.box_busy <= rt->s.box_cycles);
    assert_true(rt->s.triangle_busy <= rt->s.triangle_cycles);
}

static void check_requests(const struct stand *stand)
{
    u64 taken = 0;
    for (u32 i = 0; i < stand->port_count; i++)
        taken += stand->memory[i]->noted;
    assert_int_equal(taken, stand_stat(stand, "requests"));
}

void stand_begin(struct stand *stand)
{
    bench_init(stand->rt);
    *unit_type_rtcore.rays->tree(stand->rt) = stand->tree;
    bench_seal(stand->sim, (struct sim_options){ 0 });
}

void stand_end(struct stand *stand)
{
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    for (u32 user = 0; user < stand->user_count; user++)
        for (u32 i = 0; i < stand->users[user]->script_next; i++)
            assert_int_equal(stand_lists[user][i].answers, 1);
    cycle cycles = sim_chip(stand->sim)->now;
    bench_report(stand->rt, cycles);
    check_accounts(stand, cycles);
    check_requests(stand);
}

void stand_finish(struct stand *stand)
{
    stand_begin(stand);
    stand_end(stand);
}

/* ---- Random scenes ---- */

static float random_unit(u64 *random)
{
    return (float)random_below(random, 1 << 20) / (1 << 20);
}

struct mesh stand_mesh(u32 triangles, u64 seed)
{
    struct growth growth = { 0 };
    struct ogv_error error;
    struct mesh mesh;
    for (u32 i = 0; i < triangles; i++) {
        float at[3] = { random_unit(&seed), random_unit(&seed), random_unit(&seed) };
        u32 corners[3];
        for (u32 k = 0; k < 3; k++) {
            float x = at[0] + random_unit(&seed) / 4, y = at[1] + random_unit(&seed) / 4;
            corners[k] = growth_vertex(&growth, x, y, at[2] + random_unit(&seed) / 4);
        }
        growth_triangle(&growth, corners[0], corners[1], corners[2]);
    }
    assert_true(growth_finish(&growth, "random", &mesh, &error));
    return mesh;
}

struct rt_ray stand_random_ray(u64 *random)
{
    struct rt_ray ray = { .t_min = 0, .t_max = 10 };
    for (u32 axis = 0; axis < 3; axis++) {
        ray.origin[axis] = random_unit(random) * 3 - 1;
        ray.direction[axis] = random_unit(random) - ray.origin[axis];
    }
    return ray;
}

void expect_hit(const struct stand_request *request, u32 triangle, float t)
{
    assert_int_equal(request->hit.triangle, triangle);
    if (triangle != RT_NOTHING && !(fabsf(request->hit.t - t) < 1e-5f))
        fail_msg("hit at %g, should be %g", (double)request->hit.t, (double)t);
}
