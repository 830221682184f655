/* rayport.c - what the cores of an SM use to work on rays that are held by treelet (stream.h), on a
 * machine without RT cores: programs load rays, walk treelets themselves and send on what is left.
 *
 * It has registers for a ray of each thread, as STRaTA's READ_RAY fills them. A thread asks for a
 * ray (stream_load) and gets the first half of it when it comes; the second half (stream_rest) is
 * read from the registers; stream_send sends the ray back, or a work item, or a hit, with a second
 * half from the thread. Ray and id are always those of the registers. In a cycle, up to `width`
 * requests are taken, from users in turn; one message goes to the holder and one comes from there.
 *
 * What makes no sense is declined and counted (`faults`): a ray sent that the thread does not have,
 * a treelet that does not exist, what belongs to the other kind of machine, more threads than there
 * are registers.
 * Always true: a thread has at most one request inside; requests in = answers out + inside. */
#include "ogive/explain.h"
#include "ogive/messages.h"
#include "ogive/rt_treelet.h"
#include "ogive/stream.h"
#include "ogive/tracer.h"
#include "unit/parts/array.h"
#include "unit/parts/published.h"

/* clang-format off */
#define RAYPORT_STREAMS(C, with) C(requeue, with) C(duplicate, with)

#define RAYPORT_PARAMS(P)                                                                          \
    P(choice, stream, "requeue", UNIT_CHOICES(RAYPORT_STREAMS), 0,                                 \
      "how a ray goes on in another treelet: as a whole (STRaTA), or as one more work item "       \
      "(Dual Streaming)")                                                                          \
    P(number, threads, 8, 1, 64, "threads of a user that have registers for a ray")                \
    P(number, width, 4, 1, 64, "requests taken per cycle")                                         \
    P(choice, nodes, "bvh6", UNIT_CHOICES(RT_NODE_FORMATS), 0, "format of the nodes")              \
    P(choice, primitives, "tri64", UNIT_CHOICES(RT_PRIMITIVE_FORMATS), 0,                          \
      "format of the blocks of primitives")                                                        \
    P(choice, builder, "spatial", UNIT_CHOICES(RT_BUILDERS), 0,                                    \
      "how the tree is built, unless --builder says it")                                           \
    P(bytes, treelets, 8 * KiB, RT_TREELET_BYTES_MIN, RT_TREELET_BYTES_MAX,                        \
      "size of the treelets that the tree lies in, a power of two")                                \
    P(flag, pipelines, 0, 0, 1,                                                                    \
      "programs test boxes and triangles by instructions (unit `pipelines`)")

#define RAYPORT_STATS(S)                                                                           \
    S(rays, "rays", SUM, WORK, "rays traced to their end, but for empty ones")                     \
    S(empty, "rays", SUM, WORK, "rays that were empty")                                            \
    S(stored, "rays", SUM, WORK, "new rays that were taken")                                       \
    S(loaded, "rays", SUM, WORK, "rays given to threads to be walked")                             \
    S(collected, "rays", SUM, WORK, "finished rays given to threads")                              \
    S(ends, "requests", SUM, WORK, "requests for rays when none was under way")                    \
    S(returned, "rays", SUM, WORK, "rays sent back to go on in another treelet")                   \
    S(items, "items", SUM, WORK, "work items sent for other treelets")                             \
    S(hits, "hits", SUM, WORK, "hits sent to be compared")                                         \
    S(requests, "requests", SUM, WORK, "requests taken from cores")                                \
    S(faults, "requests", SUM, WORK, "requests that made no sense, and were declined")

#define RAYPORT_RATIOS(R)

#define RAYPORT_ENERGY(E)                                                                          \
    E(request, requests, COST_DERIVED, "32 bytes of the registers, by their size, as a cache")

#define RAYPORT_PORTS(T)                                                                           \
    T(users, SERVES, SOME, "cores")                                                                \
    T(stream, ASKS, ONE, "what holds rays: a ray stream buffer or a staging buffer")
/* clang-format on */

enum rayport_stream { RAYPORT_STREAMS(UNIT_CHOICE_VALUE, PORT_) };

/* The registers of a thread, and its request. */
struct rayport_thread {
    struct ogv_stream_ray ray;
    struct message request;
    u32 source; /* the thread's number; NOBODY: not given to any yet */
    u32 user;
    bool busy;  /* there is a request */
    bool walks; /* it has a ray to walk */
};

/* Threads in the order of coming: a ring with a place for each. */
struct rayport_ring {
    u32 *at;
    u32 head, count;
};

struct rayport {
    struct unit base;
    UNIT_FIELDS(RAYPORT)
    struct rayport_thread *threads; /* `threads` of each user */
    struct rayport_ring unsent, stores, loads;
    struct ogv_stream_ray in; /* whose second half is to come */
    struct tree_place tree;
    u32 count; /* of threads */
    u32 turn;  /* the user that is looked at first */
    bool half; /* the first half of a ray was sent last */
};

/* ---- Threads ---- */

static void ring_push(struct rayport *u, struct rayport_ring *ring, u32 thread)
{
    ring->at[(ring->head + ring->count++) % u->count] = thread;
}

static u32 ring_pop(struct rayport *u, struct rayport_ring *ring)
{
    u32 thread = ring->at[ring->head];
    ring->head = (ring->head + 1) % u->count;
    ring->count--;
    return thread;
}

/* Whose registers a request is about; NOBODY: it has none, and there are none left. */
static u32 thread_find(struct rayport *u, u32 user, u32 source)
{
    u32 first = user * (u32)u->p.threads;
    for (u32 i = first; i < first + u->p.threads; i++) {
        if (u->threads[i].source == NOBODY)
            u->threads[i].source = source;
        if (u->threads[i].source == source)
            return i;
    }
    return NOBODY;
}

/* ---- Answers ---- */

/* With 32 bytes, or declined with all ones. The user's link must have room. */
static void user_answer(struct rayport *u, u32 user, const struct message *request,
                        const void *data)
{
    struct message *answer = link_push(u->w.users.at[user].out);
    *answer = *request;
    answer->size_bytes = MESSAGE_DATA_BYTES;
    if (data)
        memcpy(answer->data.byte, data, MESSAGE_DATA_BYTES);
    else
        memset(answer->data.byte, 0xff, MESSAGE_DATA_BYTES);
    u->s.faults += !data;
}

static bool thread_may_answer(struct rayport *u, const struct rayport_thread *thread)
{
    return link_can_push(u->w.users.at[thread->user].out);
}

static void thread_answer(struct rayport *u, struct rayport_thread *thread, const void *data)
{
    user_answer(u, thread->user, &thread->request, data);
    thread->busy = false;
}

static bool store_arrive(struct rayport *u, const struct message *message)
{
    struct rayport_thread *thread = &u->threads[u->stores.at[u->stores.head]];
    if (!thread_may_answer(u, thread))
        return false;
    ring_pop(u, &u->stores);
    u->s.stored += message->data.dword[0] == 1;
    thread_answer(u, thread, message->data.byte);
    return true;
}

static bool ray_arrive(struct rayport *u, const struct message *message)
{
    struct rayport_thread *thread = &u->threads[u->loads.at[u->loads.head]];
    if (message->tag && !thread_may_answer(u, thread))
        return false;
    stream_half_read(&u->in, message->tag, message->data.byte);
    if (!message->tag)
        return true;
    bool none = u->in.id == STREAM_NO_ID, done = u->in.treelet == STREAM_DONE_TREELET;
    ring_pop(u, &u->loads);
    thread->ray = u->in;
    thread->walks = !none && !done;
    u->s.ends += none;
    u->s.collected += !none && done;
    u->s.loaded += thread->walks;
    thread_answer(u, thread, &thread->ray);
    return true;
}

static bool rayport_receive(struct rayport *u)
{
    struct link *in = u->w.stream.at[0].in;
    const struct message *message = link_peek(in);
    if (!message || !(message->kind == MESSAGE_STREAM_STORE ? store_arrive(u, message)
                                                            : ray_arrive(u, message)))
        return false;
    link_pop(in);
    return true;
}

/* ---- Requests ---- */

/* Whether a thread may send this. */
static bool send_fits(const struct rayport *u, const struct rayport_thread *thread,
                      const struct ogv_stream_ray *ray, u32 what)
{
    bool exists = ray->treelet < u->tree.treelet_count;
    if (!thread->walks)
        return false;
    if (u->p.stream == PORT_requeue)
        return what == STREAM_SEND_BACK && (exists || ray->treelet == STREAM_DONE_TREELET);
    return what == STREAM_SEND_HIT || what == STREAM_SEND_FINISHED ||
           (what == STREAM_SEND_MORE && exists);
}

/* What a thread asks to be sent: registers, and the second half from the thread. */
static struct ogv_stream_ray send_ray(const struct rayport_thread *thread)
{
    struct ogv_stream_ray ray = thread->ray;
    stream_half_read(&ray, 1, thread->request.data.byte);
    ray.id = thread->ray.id;
    if (thread->request.mask == STREAM_SEND_MORE) {
        ray.ray.t_max = ray.hit.t;
        ray.hit = rt_hit_none(&ray.ray);
    }
    return ray;
}

/* A thread's request is here; false: it waits for room. */
static bool request_begin(struct rayport *u, struct rayport_thread *thread, u32 number)
{
    static const u64 taken[4] = { 1 };
    const struct message *request = &thread->request;
    if (request->kind == MESSAGE_STREAM_STORE || request->kind == MESSAGE_STREAM_LOAD) {
        thread->busy = true;
        ring_push(u, &u->unsent, number);
        return true;
    }
    if (!thread_may_answer(u, thread))
        return false;
    struct ogv_stream_ray ray = send_ray(thread);
    if (request->kind == MESSAGE_STREAM_REST) {
        thread_answer(u, thread, (const u8 *)&thread->ray + STREAM_HALF_BYTES);
    } else if (request->kind == MESSAGE_STREAM_SEND && send_fits(u, thread, &ray, request->mask)) {
        thread_answer(u, thread, taken);
        thread->busy = true; /* until it is sent */
        ring_push(u, &u->unsent, number);
    } else {
        thread_answer(u, thread, NULL);
    }
    return true;
}

static bool request_take(struct rayport *u, u32 user)
{
    struct link *in = u->w.users.at[user].in;
    const struct message *request = link_peek(in);
    u32 number = thread_find(u, user, request->source);
    if (number == NOBODY) {
        if (!link_can_push(u->w.users.at[user].out))
            return false;
        user_answer(u, user, request, NULL);
    } else {
        struct rayport_thread *thread = &u->threads[number];
        if (thread->busy)
            return false;
        thread->request = *request;
        thread->user = user;
        if (!request_begin(u, thread, number))
            return false;
    }
    link_pop(in);
    u->s.requests++;
    return true;
}

/* Users in [from, to), one request of each, up to `left`; how many were taken. */
static u32 users_take(struct rayport *u, u32 from, u32 to, u32 left)
{
    u32 taken = 0;
    for (u32 i = ports_arrived(&u->w.users, from); i < to && taken < left;
         i = ports_arrived(&u->w.users, i + 1)) {
        if (!request_take(u, i))
            continue;
        taken++;
        u->turn = i + 1;
    }
    return taken;
}

/* ---- Sending ---- */

static struct message *message_send(struct rayport *u, enum custom_message kind, u32 source)
{
    struct message *message = link_push(u->w.stream.at[0].out);
    *message = (struct message){ .kind = (u16)kind, .source = source };
    return message;
}

static void half_send(struct rayport *u, const struct ogv_stream_ray *ray, enum custom_message kind,
                      u32 source)
{
    struct message *message = message_send(u, kind, source);
    message->tag = u->half;
    message->size_bytes = STREAM_HALF_BYTES;
    stream_half_write(ray, u->half, message->data.byte);
    u->half = !u->half;
}

/* The whole of it is on its way. */
static void send_end(struct rayport *u, struct rayport_thread *thread,
                     const struct ogv_stream_ray *ray)
{
    u32 what = thread->request.mask;
    bool done = what == STREAM_SEND_BACK && ray->treelet == STREAM_DONE_TREELET;
    bool counts = done || (what == STREAM_SEND_FINISHED && !thread->ray.treelet);
    bool empty = rt_ray_is_empty(&thread->ray.ray);
    u->s.rays += counts && !empty;
    u->s.empty += counts && empty;
    u->s.returned += what == STREAM_SEND_BACK && !done;
    u->s.items += what == STREAM_SEND_MORE;
    u->s.hits += what == STREAM_SEND_HIT;
    thread->walks = what == STREAM_SEND_MORE || what == STREAM_SEND_HIT;
    thread->busy = false;
}

static void sending_send(struct rayport *u, struct rayport_thread *thread)
{
    struct ogv_stream_ray ray = send_ray(thread);
    u32 what = thread->request.mask;
    if (what == STREAM_SEND_FINISHED)
        message_send(u, MESSAGE_STREAM_FINISHED, 0)->data.dword[0] = thread->ray.treelet;
    else if (what == STREAM_SEND_HIT)
        half_send(u, &ray, MESSAGE_STREAM_HIT, 0);
    else
        half_send(u, &ray, MESSAGE_STREAM_STORE,
                  what == STREAM_SEND_MORE ? STREAM_MORE : STREAM_BACK);
    if (!u->half)
        send_end(u, thread, &ray);
}

static void store_send(struct rayport *u, const struct message *request)
{
    struct ogv_stream_ray ray = { .ray = tracer_ray(request), .id = request->mask };
    ray.hit = rt_hit_none(&ray.ray);
    half_send(u, &ray, MESSAGE_STREAM_STORE, STREAM_NEW);
}

/* A message of the thread that has waited longest; the two halves of a ray follow each other. */
static bool rayport_send(struct rayport *u)
{
    if (!u->unsent.count || !link_can_push(u->w.stream.at[0].out))
        return false;
    u32 number = u->unsent.at[u->unsent.head];
    struct rayport_thread *thread = &u->threads[number];
    u32 kind = thread->request.kind;
    if (kind == MESSAGE_STREAM_SEND)
        sending_send(u, thread);
    else if (kind == MESSAGE_STREAM_STORE)
        store_send(u, &thread->request);
    else
        message_send(u, MESSAGE_STREAM_LOAD, STREAM_ANYTHING);
    if (u->half)
        return true;
    ring_pop(u, &u->unsent);
    if (kind == MESSAGE_STREAM_STORE)
        ring_push(u, &u->stores, number);
    else if (kind == MESSAGE_STREAM_LOAD)
        ring_push(u, &u->loads, number);
    return true;
}

/* ---- Time ---- */

static cycle rayport_tick(struct unit *unit, cycle now)
{
    struct rayport *u = (struct rayport *)unit;
    bool moved = rayport_receive(u);
    u32 turn = u->turn, taken = users_take(u, turn, u->w.users.count, (u32)u->p.width);
    taken += users_take(u, 0, turn, (u32)u->p.width - taken);
    moved |= taken != 0;
    moved |= rayport_send(u);
    return moved ? now + 1 : NEVER;
}

static bool ring_init(struct rayport *u, struct rayport_ring *ring, struct ogv_error *error)
{
    ring->at = unit_alloc(&u->base, u->count, sizeof *ring->at, error);
    return ring->at;
}

static bool rayport_init(struct unit *unit, struct ogv_error *error)
{
    struct rayport *u = (struct rayport *)unit;
    u->count = u->w.users.count * (u32)u->p.threads;
    if (!rt_treelet_bytes_fit(u->p.treelets))
        return unit_refuse(error, "treelets of %llu bytes: the size is a power of two",
                           (unsigned long long)u->p.treelets);
    u->threads = unit_alloc(unit, u->count, sizeof *u->threads, error);
    if (!u->threads || !ring_init(u, &u->unsent, error) || !ring_init(u, &u->stores, error) ||
        !ring_init(u, &u->loads, error))
        return false;
    for (u32 i = 0; i < u->count; i++)
        u->threads[i].source = NOBODY;
    return true;
}

/* ---- What it says of itself ---- */

static void rayport_wants(const struct unit *unit, struct tree_wanted *wanted)
{
    const struct rayport *u = (const struct rayport *)unit;
    wanted->nodes = (u32)u->p.nodes;
    wanted->primitives = (u32)u->p.primitives;
    wanted->builder = (u32)u->p.builder;
    wanted->treelet_bytes = (u32)u->p.treelets;
    wanted->streams = u->p.stream == PORT_requeue ? STREAM_MODE_REQUEUE : STREAM_MODE_DUPLICATE;
    wanted->software = true;
    wanted->pipelines = u->p.pipelines;
}

static struct tree_place *rayport_tree(struct unit *unit)
{
    return &((struct rayport *)unit)->tree;
}

static void rayport_waits(const struct unit *unit, struct unit_words *words)
{
    const struct rayport *u = (const struct rayport *)unit;
    if (u->loads.count || u->unsent.count)
        unit_say(words, "%u threads wait for rays, %u to send", u->loads.count, u->unsent.count);
}

static void rayport_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct rayport *u = (const struct rayport *)unit;
    u64 bytes = (u64)u->count * sizeof(struct ogv_stream_ray);
    costs->energy[0] = array_access_pj(bytes) * STREAM_HALF_BYTES / ARRAY_LINE_BYTES;
    costs->area = array_area_mm2(bytes);
    costs->leakage = MW_PER_KIB * (double)bytes / (double)KiB;
}

static const struct resource_row rayport_resource_rows[] = {
    { .name = "requests",
      .kind = RESOURCE_WORK,
      .capacity = "width",
      .used = "requests",
      .held = "users_room + users_answer" },
    { 0 },
};

static const struct ray_role rayport_rays = {
    .rays = "rays",
    .wants = rayport_wants,
    .tree = rayport_tree,
};

UNIT_TYPE(rayport, RAYPORT, "rays held by treelet, for cores that walk them", .init = rayport_init,
          .tick = rayport_tick, .waits = rayport_waits, UNIT_ENERGY(RAYPORT),
          .costs = rayport_costs, .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
          .area_help = "of the registers, by size, as a cache", .resources = rayport_resource_rows,
          .rays = &rayport_rays)
