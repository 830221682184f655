/* stream.c - an RT core in stream mode: it takes rays from what holds them by treelet, walks one
 * treelet with each, and sends on what is left of it (stream.h).
 *
 * Every free slot asks for a ray. A ray that would visit the root of another treelet leaves. With
 * `requeue` it goes as a whole, with a trail instead of its stack (stream_walk.h). When its stack
 * is empty and it has not come to its end, it goes back to the root, in the queue of the first
 * treelet. A ray below the levels of a trail stays and walks on here. With `duplicate` a work item
 * is sent for the other treelet, and the ray goes on in this one; its hit is sent at the end.
 *
 * What programs ask is passed on, and noted in a call until its answer comes. On the link to the
 * holder, rays that leave, calls and new asks take turns, a message per cycle.
 * Always true: asked <= free slots; a call is in one list, in the order of coming. */
#include "unit/rtcore/stream.h"

#include "ogive/stream_walk.h"

/* ---- Calls ---- */

static void calls_push(struct rtcore_stream *s, struct call_list *list, u32 call)
{
    if (list->count++)
        s->calls[list->tail].next = (u16)call;
    else
        list->head = (u16)call;
    list->tail = (u16)call;
}

static u32 calls_pop(struct rtcore_stream *s, struct call_list *list)
{
    u32 call = list->head;
    list->head = s->calls[call].next;
    list->count--;
    return call;
}

/* To whoever asks for a ray to be traced, or for a stream where there is none: a miss. */
static bool request_decline(struct rtcore *u, u32 user, const struct message *request)
{
    struct link *out = u->w.users.at[user].out;
    if (!link_can_push(out))
        return false;
    struct message *answer = link_push(out);
    *answer = *request;
    memset(&answer->data, 0xff, sizeof answer->data);
    u->s.faults++;
    return true;
}

bool rtcore_stream_take(struct rtcore *u, u32 user)
{
    struct rtcore_stream *s = u->stream;
    struct link *in = u->w.users.at[user].in;
    const struct message *request = link_peek(in);
    if (s && rtcore_stream_is_call(request)) {
        if (!s->idle.count)
            return false;
        u32 call = calls_pop(s, &s->idle);
        s->calls[call].request = *request;
        s->calls[call].user = user;
        calls_push(s, &s->unsent, call);
    } else if (!request_decline(u, user, request)) {
        return false;
    }
    link_pop(in);
    return true;
}

/* Programs are answered as they were asked. False: there is no room. */
static bool call_answer(struct rtcore *u, struct call_list *list, const struct message *answer)
{
    struct rtcore_stream *s = u->stream;
    const struct rtcore_call *call = &s->calls[list->head];
    struct link *out = u->w.users.at[call->user].out;
    if (!link_can_push(out))
        return false;
    struct message *message = link_push(out);
    *message = call->request;
    message->size_bytes = MESSAGE_DATA_BYTES;
    message->data = answer->data;
    calls_push(s, &s->idle, calls_pop(s, list));
    return true;
}

/* ---- Trails ---- */

void rtcore_stream_children(struct rtcore *u, struct rtcore_slot *slot, u32 count)
{
    if (u->p.stream == STREAM_requeue)
        stream_trail_children(&slot->walk, count);
}

/* ---- Rays in ---- */

static u32 treelet_root(const struct rtcore *u, u32 treelet)
{
    return treelet << u->plan.node_bits;
}

static void ray_begin(struct rtcore *u, cycle now)
{
    struct rtcore_stream *s = u->stream;
    u32 number = queue_pop(u, &u->free);
    struct rtcore_slot *slot = &u->slots[number];
    struct rtcore_visit *visit = &s->visits[number];
    *visit = (struct rtcore_visit){ .ray = s->in };
    rtcore_slot_begin(u, number, &s->in.ray);
    slot->hit = s->in.hit;
    slot->best = slot->hit.t;
    slot->any = s->in.trail & STREAM_ANY;
    slot->kind = MESSAGE_STREAM_RAY;
    u->sources[number] = 0; /* of no thread */
    u->senders[number] = (struct rtcore_sender){ u->taken++, 0, 0 };
    if (u->p.stream == STREAM_requeue)
        stream_trail_unpack(&slot->walk, s->in.trail, s->in.level, treelet_root(u, s->in.treelet));
    s->asked--;
    rtcore_ready(u, slot, now);
}

/* False: it has to wait for room. */
static bool message_take(struct rtcore *u, const struct message *message, cycle now)
{
    struct rtcore_stream *s = u->stream;
    if (message->kind == MESSAGE_STREAM_STORE)
        return call_answer(u, &s->stores, message);
    if (message->kind == MESSAGE_STREAM_HIT_LOAD)
        return call_answer(u, &s->hits[message->tag], message);
    stream_half_read(&s->in, message->tag, message->data.byte);
    if (message->tag)
        ray_begin(u, now);
    return true;
}

void rtcore_stream_receive(struct rtcore *u, cycle now)
{
    struct link *in = u->w.stream.at[0].in;
    const struct message *message = link_peek(in);
    if (message && message_take(u, message, now))
        link_pop(in);
}

/* ---- Rays that leave ---- */

static void ray_leave(struct rtcore *u, struct rtcore_slot *slot, enum stream_send send, cycle now)
{
    u32 number = rtcore_slot_number(u, slot);
    u->stream->visits[number].send = (u8)send;
    rtcore_enter(u, slot, PHASE_ANSWER, now);
    queue_push(u, &u->stream->leaving, number);
}

/* The whole ray goes on in another treelet, whose root is on the level of its walk. */
static void ray_requeue(struct rtcore *u, struct rtcore_slot *slot, u32 treelet, bool restarts,
                        cycle now)
{
    struct ogv_stream_ray *ray = &u->stream->visits[rtcore_slot_number(u, slot)].ray;
    ray->trail &= STREAM_ANY;
    ray->trail |= restarts ? stream_trail_restart(&slot->walk) : stream_trail_pack(&slot->walk);
    ray->treelet = treelet & STREAM_DONE_TREELET;
    ray->level = (u8)slot->walk.level;
    ray->hit = slot->hit;
    ray_leave(u, slot, STREAM_SEND_BACK, now);
}

static bool requeue_entry(struct rtcore *u, struct rtcore_slot *slot, enum rt_visit visit,
                          u32 treelet, cycle now)
{
    if (!stream_trail_fits(&slot->walk))
        return false;
    ray_requeue(u, slot, treelet, visit == RT_VISIT_RESTART, now);
    return true;
}

static bool duplicate_entry(struct rtcore *u, struct rtcore_slot *slot, u32 treelet, cycle now)
{
    u->stream->visits[rtcore_slot_number(u, slot)].child = treelet;
    ray_leave(u, slot, STREAM_SEND_MORE, now);
    return true;
}

bool rtcore_stream_entry(struct rtcore *u, struct rtcore_slot *slot, enum rt_visit visit,
                         struct rt_child *entry, cycle now)
{
    u32 here = u->stream->visits[rtcore_slot_number(u, slot)].ray.treelet;
    u32 node = rt_ref_node(entry->ref), bits = u->plan.node_bits;
    if (visit == RT_VISIT_END || rt_ref_is_leaf(entry->ref) ||
        (visit == RT_VISIT_CULLED && u->plan.culls))
        return false;
    if (u->p.stream == STREAM_duplicate && !slot->walk.level)
        entry->ref = treelet_root(u, here);
    else if (node >> bits << bits == node && node >> bits != here)
        return u->p.stream == STREAM_requeue ? requeue_entry(u, slot, visit, node >> bits, now)
                                             : duplicate_entry(u, slot, node >> bits, now);
    return false;
}

void rtcore_stream_done(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    struct ogv_stream_ray *ray = &u->stream->visits[rtcore_slot_number(u, slot)].ray;
    bool whole = u->p.stream == STREAM_requeue;
    bool found = slot->hit.triangle != RT_NOTHING;
    bool counts = (whole || !ray->treelet) && !rt_ray_is_empty(&slot->ray);
    u->s.rays += counts;
    u->s.empty += rt_ray_is_empty(&slot->ray) && (whole || !ray->treelet);
    u->s.hits += whole && found;
    u->s.faults += slot->broken;
    ray->hit = slot->hit;
    if (whole)
        ray->treelet = STREAM_DONE_TREELET;
    ray_leave(u, slot,
              whole   ? STREAM_SEND_BACK
              : found ? STREAM_SEND_HIT
                      : STREAM_SEND_FINISHED,
              now);
}

/* ---- Sending ---- */

static void half_send(struct rtcore *u, const struct ogv_stream_ray *ray, u32 kind, u32 source)
{
    struct rtcore_stream *s = u->stream;
    struct message *message = link_push(u->w.stream.at[0].out);
    *message = (struct message){ .kind = (u16)kind, .source = source, .tag = s->half };
    message->size_bytes = STREAM_HALF_BYTES;
    stream_half_write(ray, s->half, message->data.byte);
    s->half = !s->half;
}

static void finished_send(struct rtcore *u, u32 treelet)
{
    struct message *message = link_push(u->w.stream.at[0].out);
    *message = (struct message){ .kind = MESSAGE_STREAM_FINISHED, .size_bytes = 8 };
    message->data.dword[0] = treelet;
}

/* One more work item of the ray, up to its hit. */
static struct ogv_stream_ray visit_more(const struct rtcore_visit *visit,
                                        const struct rtcore_slot *slot)
{
    struct ogv_stream_ray ray = visit->ray;
    ray.ray.t_max = slot->best;
    ray.hit = rt_hit_none(&ray.ray);
    ray.treelet = visit->child & STREAM_DONE_TREELET;
    ray.level = visit->order;
    return ray;
}

static void slot_free(struct rtcore *u, struct rtcore_slot *slot, cycle now)
{
    u->s.restarts += slot->walk.restarts;
    rtcore_enter(u, slot, PHASE_FREE, now);
    queue_push(u, &u->free, rtcore_slot_number(u, slot));
}

/* The first ray that leaves sends a message; with its last one it is gone, or goes on. */
static void leaving_send(struct rtcore *u, cycle now)
{
    struct rtcore_stream *s = u->stream;
    u32 number = s->leaving.head;
    struct rtcore_slot *slot = &u->slots[number];
    struct rtcore_visit *visit = &s->visits[number];
    enum stream_send send = visit->send;
    struct ogv_stream_ray ray = send == STREAM_SEND_MORE ? visit_more(visit, slot) : visit->ray;
    if (send == STREAM_SEND_FINISHED)
        finished_send(u, ray.treelet);
    else
        half_send(u, &ray, send == STREAM_SEND_HIT ? MESSAGE_STREAM_HIT : MESSAGE_STREAM_STORE,
                  send == STREAM_SEND_MORE ? STREAM_MORE : STREAM_BACK);
    if (s->half)
        return;
    if (send == STREAM_SEND_HIT) {
        visit->send = STREAM_SEND_FINISHED;
        return;
    }
    queue_pop(u, &s->leaving);
    if (send != STREAM_SEND_MORE) {
        slot_free(u, slot, now);
        return;
    }
    visit->order = (u8)(visit->order + (visit->order < UINT8_MAX));
    rtcore_ready(u, slot, now);
}

static struct ogv_stream_ray call_ray(const struct rtcore_call *call)
{
    struct ogv_stream_ray ray = { .ray = tracer_ray(&call->request), .id = call->request.mask };
    ray.hit = rt_hit_none(&ray.ray);
    return ray;
}

static void call_send(struct rtcore *u)
{
    struct rtcore_stream *s = u->stream;
    const struct message *request = &s->calls[s->unsent.head].request;
    if (request->kind == MESSAGE_STREAM_STORE) {
        struct ogv_stream_ray ray = call_ray(&s->calls[s->unsent.head]);
        half_send(u, &ray, MESSAGE_STREAM_STORE, STREAM_NEW);
        if (!s->half)
            calls_push(s, &s->stores, calls_pop(s, &s->unsent));
        return;
    }
    u32 priority = request->data.dword[0] ? STREAM_DRAINING : STREAM_SPAWNING;
    struct message *message = link_push(u->w.stream.at[0].out);
    *message = (struct message){ .kind = MESSAGE_STREAM_HIT_LOAD, .tag = priority };
    calls_push(s, &s->hits[priority], calls_pop(s, &s->unsent));
}

static void ask_send(struct rtcore *u)
{
    struct message *message = link_push(u->w.stream.at[0].out);
    *message = (struct message){ .kind = MESSAGE_STREAM_LOAD };
    u->stream->asked++;
}

/* Whether a source of messages has one. */
static bool source_has(const struct rtcore *u, u32 source)
{
    const struct rtcore_stream *s = u->stream;
    switch (source) {
    case SOURCE_LEAVING:
        return s->leaving.count;
    case SOURCE_CALLS:
        return s->unsent.count;
    default:
        return u->free.count > s->asked;
    }
}

/* The two halves of a ray follow each other. */
static u32 source_next(const struct rtcore *u)
{
    const struct rtcore_stream *s = u->stream;
    if (s->half)
        return s->source;
    for (u32 n = 1; n <= SOURCES; n++)
        if (source_has(u, (s->source + n) % SOURCES))
            return (s->source + n) % SOURCES;
    return NOBODY;
}

void rtcore_stream_send(struct rtcore *u, cycle now)
{
    u32 source = source_next(u);
    if (source == NOBODY || !link_can_push(u->w.stream.at[0].out))
        return;
    u->stream->source = (u8)source;
    if (source == SOURCE_LEAVING)
        leaving_send(u, now);
    else if (source == SOURCE_CALLS)
        call_send(u);
    else
        ask_send(u);
}

bool rtcore_stream_busy(const struct rtcore *u)
{
    return source_next(u) != NOBODY ||
           (u->base.clocked && ports_arrived(&u->w.stream, 0) != NOBODY);
}

/* ---- Starting ---- */

static bool stream_fits(const struct rtcore *u, struct ogv_error *error)
{
    if (u->p.stream == STREAM_none)
        return !u->w.stream.count ||
               unit_refuse(error, "it is linked to what holds rays, but `stream` is none");
    if (!u->w.stream.count)
        return unit_refuse(error, "`stream` takes a link to what holds rays");
    if (!u->p.treelets)
        return unit_refuse(error, "`stream` takes a tree in treelets: set `treelets`");
    if (u->p.warp > 1)
        return unit_refuse(error, "in stream mode rays come and go alone: `warp` must be 1, not %u",
                           (u32)u->p.warp);
    if (u->p.overflow != OVERFLOW_restart)
        return unit_refuse(error, "in stream mode stacks are short: `overflow` must be restart");
    return true;
}

bool rtcore_stream_init(struct rtcore *u, struct ogv_error *error)
{
    if (!stream_fits(u, error))
        return false;
    if (u->p.stream == STREAM_none)
        return true;
    struct rtcore_stream *s = unit_alloc(&u->base, 1, sizeof *s, error);
    if (!s)
        return false;
    u->stream = s;
    s->visits = unit_alloc(&u->base, u->p.rays, sizeof *s->visits, error);
    s->calls = s->visits ? unit_alloc(&u->base, u->p.calls, sizeof *s->calls, error) : NULL;
    for (u32 i = 0; s->calls && i < u->p.calls; i++)
        calls_push(s, &s->idle, i);
    return s->calls;
}
