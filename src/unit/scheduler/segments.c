/* segments.c - which segments are worked on: from the root of the scene downwards.
 *
 * A segment is active from when it is chosen until none of its rays are left and its parent is not
 * active any more, so that none can come. First its header is read, then the scene buffer is told
 * to fetch it, then its buckets are given out. When buckets get few, the children of the segment
 * chosen last are put into a list and another one is chosen from it: by depth, the list is a stack
 * and of siblings the one with the most predicted work comes first; by breadth, it is a queue. What
 * has no rays, and whose parent is not active any more, is passed over. The others wait in the list
 * until they have some.
 *
 * New rays that come late find their segments idle again, which are then listed once more.
 * Always true: a segment with a bucket is listed or active, or has a parent that is active and has
 * not listed its children. */
#include "unit/scheduler/scheduler.h"

bool segments_place(struct scheduler *u, const struct stream_place *place, struct ogv_error *error)
{
    u->segment_count = place->treelet_count;
    u->headers_address = place->headers;
    u->rays_address = place->rays;
    if (u->segment_count > u->p.segments)
        return unit_refuse(error, "segments: the scene has %u treelets, and there are %llu",
                           u->segment_count, (unsigned long long)u->p.segments);
    u->segments = unit_alloc(&u->base, u->segment_count, sizeof *u->segments, error);
    u64 lanes = u->segment_count * u->p.lanes;
    u->lanes = u->segments ? unit_alloc(&u->base, lanes, sizeof *u->lanes, error) : NULL;
    u->scratch =
        u->lanes ? unit_alloc_aside(&u->base, u->segment_count, sizeof *u->scratch, error) : NULL;
    for (u64 i = 0; u->scratch && i < lanes; i++)
        u->lanes[i] = (struct lane){ NOBODY, NOBODY };
    for (u32 i = 0; u->scratch && i < u->segment_count; i++)
        u->segments[i] =
            (struct segment){ .header = place->copies[i], .channel = i % u->channel_count };
    u->first_listed = u->first_active = u->newest = NOBODY;
    return u->scratch;
}

/* ---- The list ---- */

static void list_put(struct scheduler *u, u32 number, bool front)
{
    struct segment *segment = &u->segments[number];
    segment->state = SEGMENT_LISTED;
    segment->next = front ? u->first_listed : NOBODY;
    if (u->first_listed == NOBODY)
        u->last_listed = number;
    else if (!front)
        u->segments[u->last_listed].next = number;
    if (front || u->first_listed == NOBODY)
        u->first_listed = number;
    if (!front)
        u->last_listed = number;
}

static void list_remove(struct scheduler *u, u32 number, u32 before)
{
    u32 next = u->segments[number].next;
    if (before == NOBODY)
        u->first_listed = next;
    else
        u->segments[before].next = next;
    if (u->last_listed == number)
        u->last_listed = before;
}

/* What decides between siblings; more goes first. */
static double segment_worth(const struct scheduler *u, u32 number)
{
    const struct segment *segment = &u->segments[number];
    if (u->p.weight == WEIGHT_memory)
        return -(double)number;
    if (u->p.weight == WEIGHT_average)
        return segment->rays ? (double)segment->weight / (double)segment->rays : 0;
    return (double)segment->weight;
}

static bool segment_before(const struct scheduler *u, u32 a, u32 b)
{
    double worth_a = segment_worth(u, a), worth_b = segment_worth(u, b);
    return worth_a > worth_b || (worth_a == worth_b && a < b);
}

/* Of a heap whose top comes last of all. */
static void heap_sink(const struct scheduler *u, u32 *heap, u32 at, u32 count)
{
    for (u32 child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && segment_before(u, heap[child], heap[child + 1]))
            child++;
        if (!segment_before(u, heap[at], heap[child]))
            return;
        u32 other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
    }
}

/* Lists the children that are idle: the one that is to go last is put down first. */
static void children_list(struct scheduler *u, u32 number)
{
    struct segment *segment = &u->segments[number];
    u32 count = 0, *heap = u->scratch;
    segment->ordered = true;
    for (u32 i = 0; i < segment->header.child_count; i++) {
        u32 child = segment->header.first_child + i;
        if (u->segments[child].state != SEGMENT_IDLE)
            continue;
        if (u->p.order == ORDER_breadth)
            list_put(u, child, false);
        else
            heap[count++] = child;
    }
    for (u32 i = count / 2; i-- > 0;)
        heap_sink(u, heap, i, count);
    while (count) {
        list_put(u, heap[0], true);
        heap[0] = heap[--count];
        heap_sink(u, heap, 0, count);
    }
}

static bool parent_active(const struct scheduler *u, u32 number)
{
    return number && u->segments[u->segments[number].header.parent].state == SEGMENT_ACTIVE;
}

void segments_wake(struct scheduler *u, u32 number)
{
    const struct segment *parent = &u->segments[u->segments[number].header.parent];
    u->unsettled = true;
    if (u->segments[number].state == SEGMENT_IDLE && (!parent_active(u, number) || parent->ordered))
        list_put(u, number, u->p.order == ORDER_depth);
}

void segments_ready(struct scheduler *u, u32 bucket)
{
    struct segment *segment = &u->segments[u->buckets[bucket].segment];
    u->buckets[bucket].next = NOBODY;
    if (segment->ready++)
        u->buckets[segment->last].next = bucket;
    else
        segment->first = bucket;
    segment->last = bucket;
    u->ready += segment->state == SEGMENT_ACTIVE;
}

/* ---- Active ones ---- */

static void segment_activate(struct scheduler *u, u32 number)
{
    struct segment *segment = &u->segments[number];
    segment->state = SEGMENT_ACTIVE;
    segment->data = u->p.headers == HEADERS_read ? DATA_NONE : DATA_HEADER;
    segment->ordered = segment->cached = false;
    segment->given = 0;
    segment->next = NOBODY;
    if (u->first_active == NOBODY)
        u->first_active = number;
    else
        u->segments[u->last_active].next = number;
    u->last_active = number;
    u->active_count++;
    u->newest = number;
    u->ready += segment->ready;
    u->s.launched++;
}

/* Chooses the first of the list that has rays; passes over those that will have none. */
static bool list_choose(struct scheduler *u)
{
    u32 before = NOBODY;
    for (u32 number = u->first_listed; number != NOBODY;) {
        u32 next = u->segments[number].next;
        bool rays = u->segments[number].kept;
        if (!rays && parent_active(u, number)) {
            before = number;
            number = next;
            continue;
        }
        list_remove(u, number, before);
        u->segments[number].state = SEGMENT_IDLE;
        if (rays) {
            segment_activate(u, number);
            return true;
        }
        u->s.culled++;
        number = next;
    }
    u->unsettled = false;
    return false;
}

/* Works on another segment if there are few buckets; on any but the root only when no more new rays
 * are thought to come soon. */
static bool another_begin(struct scheduler *u, cycle now)
{
    if (!u->unsettled || u->active_count >= u->p.candidates || u->ready >= u->p.ready ||
        (u->active_count && !segments_settled(u, now)))
        return false;
    if (u->newest != NOBODY && !u->segments[u->newest].ordered) {
        if (u->segments[u->newest].data < DATA_HEADER)
            return false;
        children_list(u, u->newest);
    }
    return list_choose(u);
}

/* ---- Steps of an active one ---- */

static struct link *memory_link(const struct scheduler *u, u64 address)
{
    const struct ports *memory = &u->w.memory;
    return memory->at[memory->count > 1 ? route_way(&memory->route, address) : 0].out;
}

static bool header_ask(struct scheduler *u, u32 number)
{
    u64 address = u->headers_address + number * sizeof(struct rt_treelet);
    struct link *out = memory_link(u, address);
    if (!link_can_push(out))
        return false;
    *link_push(out) = (struct message){ .kind = MEMORY_READ,
                                        .address = address,
                                        .tag = HEADER_TAG | number,
                                        .size_bytes = sizeof(struct rt_treelet) };
    u->segments[number].data = DATA_HEADER_COMING;
    u->s.headers_read++;
    return true;
}

void segments_header(struct scheduler *u, const struct message *answer)
{
    struct segment *segment = &u->segments[answer->tag & ~HEADER_TAG];
    memcpy(&segment->header, answer->data.byte, sizeof segment->header);
    segment->data = DATA_HEADER;
    u->unsettled = true;
}

static bool prefetch_ask(struct scheduler *u, u32 number)
{
    struct segment *segment = &u->segments[number];
    if (!u->w.scene.count) {
        segment->data = DATA_THERE;
        return true;
    }
    if (u->prefetching == u->p.prefetches || !link_can_push(u->w.scene.at[0].out))
        return false;
    *link_push(u->w.scene.at[0].out) = (struct message){ .kind = SEGMENT_PREFETCH,
                                                         .tag = number,
                                                         .address = segment->header.bytes };
    segment->data = DATA_COMING;
    u->prefetching++;
    return true;
}

bool segments_scene(struct scheduler *u)
{
    struct link *in = u->w.scene.count ? u->w.scene.at[0].in : NULL;
    const struct message *answer = in ? link_peek(in) : NULL;
    if (!answer)
        return false;
    struct segment *segment = &u->segments[answer->tag];
    segment->data = DATA_THERE;
    segment->cached = answer->data.dword[0];
    u->s.uncached += !segment->cached;
    u->prefetching--;
    link_pop(in);
    return true;
}

/* No more rays can come, as far as that is known. */
static bool segment_complete(const struct scheduler *u, u32 number, cycle now)
{
    return number ? !parent_active(u, number) : segments_settled(u, now);
}

static void active_remove(struct scheduler *u, u32 number, u32 before)
{
    u32 next = u->segments[number].next;
    if (before == NOBODY)
        u->first_active = next;
    else
        u->segments[before].next = next;
    if (u->last_active == number)
        u->last_active = before;
    u->active_count--;
}

static bool segment_retire(struct scheduler *u, u32 number, u32 before)
{
    struct segment *segment = &u->segments[number];
    if (segment->cached) {
        if (!link_can_push(u->w.scene.at[0].out))
            return false;
        *link_push(u->w.scene.at[0].out) =
            (struct message){ .kind = SEGMENT_RETIRE, .tag = number };
    }
    active_remove(u, number, before);
    if (!segment->ordered)
        children_list(u, number);
    u->newest = u->newest == number ? NOBODY : u->newest;
    segment->state = SEGMENT_IDLE;
    segment->weight = segment->rays = 0;
    u->s.single += segment->given == 1;
    u->unsettled = true;
    return true;
}

static bool segment_step(struct scheduler *u, u32 number, u32 before, cycle now)
{
    struct segment *segment = &u->segments[number];
    bool complete = segment_complete(u, number, now);
    if (segment->data == DATA_NONE)
        return header_ask(u, number);
    if (segment->opened && complete) {
        coalesce_seal(u, number);
        return true;
    }
    if (segment->data == DATA_HEADER && segment->kept)
        return prefetch_ask(u, number);
    bool still = segment->data == DATA_HEADER || segment->data == DATA_THERE;
    return still && complete && !segment->kept && !segment->out &&
           segment_retire(u, number, before);
}

/* One step of the first active segment that can make one, and a look for another segment. */
bool segments_step(struct scheduler *u, cycle now)
{
    u32 before = NOBODY, number = u->first_active;
    while (number != NOBODY && !segment_step(u, number, before, now)) {
        before = number;
        number = u->segments[number].next;
    }
    return another_begin(u, now) || number != NOBODY;
}
