/* pipelines.c - multipliers and adders that cores share, and that can be joined to a pipeline for
 * boxes or one for triangles (STRaTA, Kopta et al. 2013).
 *
 * While they are joined, fewer of them are left for single instructions. SimTRaX has instructions
 * to join them (SETBOXPIPE, SETTRIPIPE); here a test that comes does so: they are joined for the
 * other kind when no test of their own is waiting, or after `hold` cycles, and are single again
 * when no test waits and an instruction does. Each change takes `reconfigure` cycles in which no
 * test is taken.
 *
 * A thread first gives its ray (test_ray), which is kept; a test brings a box or triangle, and is
 * answered with where the ray meets it, exactly as rt_box.h and rt_triangle.h say. Of single
 * instructions the result is known to the core; this unit keeps time.
 * Always true: requests in = answers out + requests inside; a thread has one ray. */
#include <math.h>

#include "ogive/explain.h"
#include "ogive/isa.h"
#include "ogive/messages.h"
#include "ogive/rt_box.h"
#include "ogive/rt_triangle.h"
#include "ogive/tracer.h"
#include "unit/parts/published.h"

/* clang-format off */
#define PIPELINES_PARAMS(P)                                                                        \
    P(number, multipliers, 9, 1, 64, "multipliers; a result of each per cycle")                    \
    P(number, adders, 8, 1, 64, "adders; a result of each per cycle")                              \
    P(cycles, latency, 2, 1, 512, "cycles of a single instruction")                                \
    P(number, boxes, 1, 1, 16, "boxes that are tested per cycle when joined for boxes")            \
    P(number, box_multipliers, 6, 0, 64, "multipliers that are joined for boxes")                  \
    P(number, box_adders, 6, 0, 64, "adders that are joined for boxes")                            \
    P(cycles, box_latency, 4, 1, 512, "cycles of a test of a box")                                 \
    P(number, triangles, 2, 1, 16, "triangles that are tested per cycle when joined for these")    \
    P(number, triangle_multipliers, 8, 0, 64, "multipliers that are joined for triangles")         \
    P(number, triangle_adders, 4, 0, 64, "adders that are joined for triangles")                   \
    P(cycles, triangle_latency, 31, 1, 512, "cycles of a test of a triangle")                      \
    P(cycles, reconfigure, 1, 1, 512, "cycles without a test when they are joined otherwise")      \
    P(cycles, hold, 16, 1, 65536, "cycles after which tests of the other kind are let in")         \
    P(number, threads, 8, 1, 64, "threads of a user that can give a ray")

#define PIPELINES_STATS(S)                                                                         \
    S(issued, "requests", SUM, WORK, "single instructions executed")                               \
    S(rays, "requests", SUM, WORK, "rays given by threads")                                        \
    S(box_tests, "requests", SUM, WORK, "boxes tested")                                            \
    S(triangle_tests, "requests", SUM, WORK, "triangles tested")                                   \
    S(changes, "events", SUM, WORK, "times that they were joined otherwise")                       \
    S(faults, "requests", SUM, WORK, "tests without a ray, answered as missed")                    \
    S(all_cycles, "cycles", SUM, WORK, "cycles in all: the sum of the three below")                \
    S##_ARRAY(mode, PIPELINES_MODES)

#define PIPELINES_MODES(S)                                                                         \
    S(mode_single, "cycles", SUM, WORK, "cycles in which they were not joined")                    \
    S(mode_boxes, "cycles", SUM, WORK, "cycles in which they were joined for boxes")               \
    S(mode_triangles, "cycles", SUM, WORK, "cycles in which they were joined for triangles")

#define PIPELINES_RATIOS(R)

#define PIPELINES_ENERGY(E)                                                                        \
    E(request, issued, 0.0, "what an instruction computes is charged to the core, by class")       \
    E(box, box_tests, PJ_BOX, "7 additions, 6 multiplications, 7 comparisons; SimTRaX, 65 nm")     \
    E(triangle, triangle_tests, PJ_TRIANGLE,                                                       \
      "22 additions, 21 multiplications, a division, 9 comparisons; SimTRaX, 65 nm")

#define PIPELINES_PORTS(T) T(users, SERVES, SOME, "cores that share these units")
/* clang-format on */

/* The order of the mode_ statistics, and of rings. */
enum pipelines_kind { KIND_SINGLE, KIND_BOX, KIND_TRIANGLE, KINDS };

struct pipelines_item {
    cycle at; /* when it may leave */
    u32 user;
    struct message message;
};

/* Requests of a kind, in the order of taking. */
struct pipelines_ring {
    struct pipelines_item *items;
    u64 head, tail, depth;
};

struct pipelines_thread {
    struct rt_slab slab;
    struct rt_shear shear;
    u32 source;
};

struct pipelines {
    struct unit base;
    UNIT_FIELDS(PIPELINES)
    struct pipelines_ring rings[KINDS];
    struct pipelines_thread *threads; /* `threads` of each user */
    u32 turn;
    enum pipelines_kind mode;
    cycle since;        /* when it was changed last */
    cycle charged;      /* up to which cycles are counted */
    u32 waiting[KINDS]; /* requests left in this cycle */
    u64 left[KINDS];    /* tests that can still be taken in this cycle; single: multipliers */
    u64 left_adders;
};

/* ---- Tests ---- */

static struct pipelines_thread *thread_find(struct pipelines *u, u32 user, u32 source, bool new)
{
    struct pipelines_thread *first = &u->threads[user * u->p.threads];
    for (u32 i = 0; i < u->p.threads; i++) {
        if (first[i].source == source)
            return &first[i];
        if (first[i].source == NOBODY) {
            first[i].source = new ? source : NOBODY;
            return new ? &first[i] : NULL;
        }
    }
    return NULL;
}

/* Singles in registers have all ones above. */
static void real_answer(struct message *message, const float *values, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        u32 bits;
        memcpy(&bits, &values[i], sizeof bits);
        message->data.dword[i] = UINT64_C(0xffffffff00000000) | bits;
    }
    message->size_bytes = MESSAGE_DATA_BYTES;
}

static void box_test(const struct pipelines_thread *thread, struct message *message)
{
    const float *box = message->data.real;
    float t = NAN;
    if (thread && !rt_slab_enters(&thread->slab, box[6], box, box + 3, &t))
        t = NAN;
    real_answer(message, &t, 1);
}

static void triangle_test(const struct pipelines_thread *thread, struct message *message)
{
    struct rt_hit hit = { INFINITY, 0, 0, RT_NOTHING };
    float corners[9], values[3] = { NAN, 0, 0 };
    memcpy(corners, message->data.real, sizeof(float) * 8);
    memcpy(&corners[8], &message->mask, sizeof corners[8]);
    if (thread &&
        rt_triangle_watertight(&thread->shear, corners, corners + 3, corners + 6, 0, &hit))
        memcpy(values, &hit, sizeof values);
    real_answer(message, values, 3);
}

static void ray_give(struct pipelines *u, u32 user, struct message *message)
{
    struct pipelines_thread *thread = thread_find(u, user, message->source, true);
    struct rt_ray ray = tracer_ray(message);
    if (thread) {
        thread->slab = rt_slab_make(&ray);
        thread->shear = rt_shear_make(&ray);
    }
    u->s.rays++;
    u->s.faults += !thread;
    message->data.dword[0] = thread != NULL;
}

/* ---- Taking ---- */

static enum pipelines_kind request_kind(const struct message *request)
{
    return request->kind == MESSAGE_TEST_BOX        ? KIND_BOX
           : request->kind == MESSAGE_TEST_TRIANGLE ? KIND_TRIANGLE
                                                    : KIND_SINGLE;
}

/* What of the units of this cycle a single instruction takes; false: there is not enough left. */
static bool single_begin(struct pipelines *u, const struct message *request)
{
    bool operates = request->kind == MESSAGE_OPERATION;
    bool multiplies =
        operates && (request->address == CLASS_FP_MUL || request->address == CLASS_FP_FMA);
    bool adds = operates && request->address != CLASS_FP_MUL;
    if ((multiplies && !u->left[KIND_SINGLE]) || (adds && !u->left_adders))
        return false;
    u->left[KIND_SINGLE] -= multiplies;
    u->left_adders -= adds;
    return true;
}

static bool request_begin(struct pipelines *u, const struct message *request,
                          enum pipelines_kind kind)
{
    const struct pipelines_ring *ring = &u->rings[kind];
    if (ring->tail - ring->head == ring->depth)
        return false;
    if (kind == KIND_SINGLE)
        return single_begin(u, request);
    if (!u->left[kind])
        return false;
    u->left[kind]--;
    return true;
}

static void request_do(struct pipelines *u, struct pipelines_item *item, enum pipelines_kind kind)
{
    struct message *message = &item->message;
    if (message->kind == MESSAGE_TEST_RAY) {
        ray_give(u, item->user, message);
        return;
    }
    u->s.issued += kind == KIND_SINGLE;
    u->s.box_tests += kind == KIND_BOX;
    u->s.triangle_tests += kind == KIND_TRIANGLE;
    if (kind == KIND_SINGLE)
        return;
    struct pipelines_thread *thread = thread_find(u, item->user, message->source, false);
    u->s.faults += !thread;
    if (kind == KIND_BOX)
        box_test(thread, message);
    else
        triangle_test(thread, message);
}

static void request_take(struct pipelines *u, u32 user, cycle now)
{
    const u64 latencies[] = { u->p.latency, u->p.box_latency, u->p.triangle_latency };
    struct link *in = u->w.users.at[user].in;
    const struct message *request = link_peek(in);
    enum pipelines_kind kind = request_kind(request);
    if (!request_begin(u, request, kind)) {
        u->waiting[kind]++;
        return;
    }
    struct pipelines_ring *ring = &u->rings[kind];
    struct pipelines_item *item = &ring->items[ring->tail++ % ring->depth];
    *item = (struct pipelines_item){ now + latencies[kind], user, *request };
    link_pop(in);
    unit_hold(&u->base, 1);
    request_do(u, item, kind);
    u->turn = user + 1;
}

/* One request of each user, in turn. */
static void pipelines_take(struct pipelines *u, cycle now)
{
    const struct ports *users = &u->w.users;
    u32 turn = u->turn;
    for (u32 i = ports_arrived(users, turn); i != NOBODY; i = ports_arrived(users, i + 1))
        request_take(u, i, now);
    for (u32 i = ports_arrived(users, 0); i < turn; i = ports_arrived(users, i + 1))
        request_take(u, i, now);
}

/* ---- Joining ---- */

static u64 without(u64 all, u64 joined)
{
    return all > joined ? all - joined : 0;
}

/* What there is for the requests of this cycle. A single instruction can always be taken. */
static void units_count(struct pipelines *u, cycle now)
{
    const u64 multipliers[] = { 0, u->p.box_multipliers, u->p.triangle_multipliers };
    const u64 adders[] = { 0, u->p.box_adders, u->p.triangle_adders };
    bool ready = now >= u->since;
    u->left[KIND_SINGLE] = max_u64(1, without(u->p.multipliers, multipliers[u->mode]));
    u->left_adders = max_u64(1, without(u->p.adders, adders[u->mode]));
    u->left[KIND_BOX] = ready && u->mode == KIND_BOX ? u->p.boxes : 0;
    u->left[KIND_TRIANGLE] = ready && u->mode == KIND_TRIANGLE ? u->p.triangles : 0;
    memset(u->waiting, 0, sizeof u->waiting);
}

static void cycles_charge(struct pipelines *u, cycle now)
{
    u->s.mode[u->mode] += now - u->charged;
    u->charged = now;
}

/* Tests waiting for the other kind of pipeline get it; instructions, if no test waits. */
static void units_join(struct pipelines *u, cycle now)
{
    enum pipelines_kind other = u->mode == KIND_BOX ? KIND_TRIANGLE : KIND_BOX;
    enum pipelines_kind next = u->mode;
    if (u->mode == KIND_SINGLE)
        next = u->waiting[KIND_BOX] ? KIND_BOX : u->waiting[KIND_TRIANGLE] ? KIND_TRIANGLE : next;
    else if (u->waiting[other] && (!u->waiting[u->mode] || now >= u->since + u->p.hold))
        next = other;
    else if (u->waiting[KIND_SINGLE] && !u->waiting[KIND_BOX] && !u->waiting[KIND_TRIANGLE])
        next = KIND_SINGLE;
    if (next == u->mode || now < u->since)
        return;
    cycles_charge(u, now);
    u->mode = next;
    u->since = now + u->p.reconfigure;
    u->s.changes++;
}

/* ---- Time ---- */

static void ring_answer(struct pipelines *u, struct pipelines_ring *ring, cycle now)
{
    while (ring->head != ring->tail) {
        const struct pipelines_item *oldest = &ring->items[ring->head % ring->depth];
        struct link *out = u->w.users.at[oldest->user].out;
        if (oldest->at > now || !link_can_push(out))
            return;
        *link_push(out) = oldest->message;
        ring->head++;
        unit_release(&u->base, 1);
    }
}

static cycle ring_next(const struct pipelines *u, const struct pipelines_ring *ring, cycle now)
{
    if (ring->head == ring->tail)
        return NEVER;
    const struct pipelines_item *oldest = &ring->items[ring->head % ring->depth];
    if (oldest->at > now)
        return oldest->at;
    return link_can_push(u->w.users.at[oldest->user].out) ? now + 1 : NEVER;
}

static cycle pipelines_tick(struct unit *unit, cycle now)
{
    struct pipelines *u = (struct pipelines *)unit;
    for (u32 kind = 0; kind < KINDS; kind++)
        ring_answer(u, &u->rings[kind], now);
    units_count(u, now);
    pipelines_take(u, now);
    units_join(u, now);
    cycle next = ports_arrived(&u->w.users, 0) != NOBODY ? now + 1 : NEVER;
    for (u32 kind = 0; kind < KINDS; kind++)
        next = min_u64(next, ring_next(u, &u->rings[kind], now));
    return next;
}

static bool ring_init(struct pipelines *u, enum pipelines_kind kind, u64 depth,
                      struct ogv_error *error)
{
    u->rings[kind].depth = depth;
    u->rings[kind].items = unit_alloc(&u->base, depth, sizeof *u->rings[kind].items, error);
    return u->rings[kind].items;
}

static bool pipelines_init(struct unit *unit, struct ogv_error *error)
{
    struct pipelines *u = (struct pipelines *)unit;
    u64 width = u->p.multipliers + u->p.adders + u->w.users.count, threads = u->p.threads;
    u->threads = unit_alloc(unit, u->w.users.count * threads, sizeof *u->threads, error);
    if (!u->threads || !ring_init(u, KIND_SINGLE, width * (u->p.latency + 1), error) ||
        !ring_init(u, KIND_BOX, u->p.boxes * (u->p.box_latency + 1), error) ||
        !ring_init(u, KIND_TRIANGLE, u->p.triangles * (u->p.triangle_latency + 1), error))
        return false;
    for (u64 i = 0; i < u->w.users.count * threads; i++)
        u->threads[i].source = NOBODY;
    return true;
}

static void pipelines_report(struct unit *unit, cycle now)
{
    struct pipelines *u = (struct pipelines *)unit;
    cycles_charge(u, now);
    u->s.all_cycles = now;
}

static void pipelines_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct pipelines *u = (const struct pipelines *)unit;
    costs->area = MM2_FP_MUL * (double)u->p.multipliers + MM2_FP_ADD * (double)u->p.adders;
}

static const struct resource_row pipelines_resource_rows[] = {
    { .name = "boxes",
      .kind = RESOURCE_WORK,
      .capacity = "boxes",
      .used = "box_tests",
      .held = "users_room + users_answer" },
    { .name = "triangles",
      .kind = RESOURCE_WORK,
      .capacity = "triangles",
      .used = "triangle_tests" },
    { 0 },
};

UNIT_TYPE(pipelines, PIPELINES, "multipliers and adders that are joined to test boxes or triangles",
          .init = pipelines_init, .tick = pipelines_tick, .report = pipelines_report,
          UNIT_ENERGY(PIPELINES), .costs = pipelines_costs,
          .area_help = "of multipliers and adders; SimTRaX, 65 nm",
          .resources = pipelines_resource_rows)
