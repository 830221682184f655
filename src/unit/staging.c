/* staging.c - the ray staging buffer of an SM (Dual Streaming, Shkurko et al. 2017): buckets of
 * rays on their way to an RT core, and what the RT core says back.
 *
 * It has a few parts of one bucket each. A part that is free asks the scheduler for a bucket, which
 * comes sector by sector; then its rays are given to the RT core, one per cycle, as they are asked
 * for. When all rays of the buckets of a segment are finished, and all hits that they found have
 * been compared, the scheduler is told. New rays, work items and requests for finished rays go on
 * to the scheduler, hits to the slices of the hit record updater.
 *
 * With `early`, the record of a ray's hit is read before the ray is given, that many rays ahead,
 * and the ray ends there; a ray of which nothing is left is finished without being given.
 *
 * One message per cycle goes to the scheduler and one comes from it. Of what goes there, a request
 * for a bucket is first, then what the RT core sends, then what is finished: work items reach the
 * scheduler before it learns that the bucket they come from is finished.
 *
 * Always true: a part is in one state at a time, to which its cycles are charged; rays that came in
 * buckets = rays given + rays cut off + rays in parts. */
#include <string.h>

#include "ogive/explain.h"
#include "ogive/messages.h"
#include "ogive/stream.h"
#include "ogive/stream_role.h"
#include "unit/parts/array.h"
#include "unit/parts/bucket.h"
#include "unit/parts/published.h"

#define STAGING_PARTS_MAX    8
#define STAGING_SEGMENTS_MAX 1024

/* clang-format off */
#define STAGING_PARAMS(P)                                                                          \
    P(number, buckets, 2, 1, STAGING_PARTS_MAX, "buckets that it can hold, 2 KiB each")            \
    P(number, segments, 64, 1, STAGING_SEGMENTS_MAX,                                               \
      "segments whose rays may be in the RT core at once; a bucket of another one waits")          \
    P(number, early, 0, 0, BUCKET_RAYS,                                                            \
      "rays ahead whose hit records are read, so that rays end there; 0: none are")

#define STAGING_STATS(S)                                                                           \
    S(new_rays, "rays", SUM, WORK, "new rays sent to the scheduler")                               \
    S(items, "items", SUM, WORK, "work items sent to the scheduler")                               \
    S(buckets, "buckets", SUM, WORK, "buckets received")                                           \
    S(bucket_rays, "rays", SUM, WORK, "rays in these")                                             \
    S(given, "rays", SUM, WORK, "rays given to the RT core")                                       \
    S(cut, "rays", SUM, WORK, "rays of which the record of their hit left nothing")                \
    S(finished, "rays", SUM, WORK, "rays that the RT core has walked through their segment")       \
    S(hits, "hits", SUM, WORK, "hits sent to be compared")                                         \
    S(early_reads, "records", SUM, WORK, "records read before their rays were given")              \
    S(collected, "rays", SUM, WORK, "finished rays given to programs")                             \
    S(part_cycles, "cycles", SUM, WORK, "part-cycles in all: the sum of the three below")          \
    S##_ARRAY(parts, STAGING_STATES)

#define STAGING_STATES(S)                                                                          \
    S(parts_empty, "cycles", SUM, WORK, "part-cycles without a bucket")                            \
    S(parts_filling, "cycles", SUM, WORK, "part-cycles of buckets that are coming")                \
    S(parts_giving, "cycles", SUM, WORK, "part-cycles of buckets that have rays to give")

#define STAGING_RATIOS(R)                                                                          \
    R(rays_per_bucket, bucket_rays, buckets, "rays", "rays in a bucket")                           \
    R(waiting, parts_empty, part_cycles, "", "share of part-cycles without a bucket")

#define STAGING_ENERGY(E)                                                                          \
    E(write, bucket_rays, COST_DERIVED, "a ray written, by size, as a cache")                      \
    E(read, given, COST_DERIVED, "a ray read, by size, as a cache")

#define STAGING_PORTS(T)                                                                           \
    T(users, SERVES, ONE, "the RT core")                                                           \
    T(scheduler, ASKS, ONE, "the scheduler of segments")                                           \
    T(hits, ASKS, SOME, "slices of the hit record updater; several must be linked `by: address`")
/* clang-format on */

enum staging_state { PART_EMPTY, PART_FILLING, PART_GIVING, PART_STATES };

_Static_assert(BUCKET_RAYS <= 64, "a bit per ray");

struct staging_part {
    u8 bucket[BUCKET_BYTES];
    u32 segment, rays;
    u32 sectors; /* that have come */
    u32 next;    /* ray to be given */
    u32 looked;  /* rays whose records have been asked for */
    u64 known;   /* bit i: the record of ray i has come */
    cycle since; /* it is in its state */
    u8 state;
    bool asked;  /* empty: a bucket is on its way */
    bool opened; /* giving: its rays count as those of its segment */
};

/* A segment with rays in the RT core. */
struct staging_segment {
    u32 segment, unfinished;
    u32 buckets, rays; /* in all */
    u64 epoch;         /* when all were finished; UINT64_MAX: they are not */
};

#define EARLY_TAG (UINT32_C(1) << 31)

struct staging {
    struct unit base;
    UNIT_FIELDS(STAGING)
    struct staging_part *parts;
    struct staging_segment *active;
    u32 active_count;
    u32 giving; /* the part whose rays are given; NOBODY */
    u32 turn;   /* the part that is looked at first for the next */
    u64 loads;  /* rays that the RT core has asked for */
    u64 hits_address;
    u32 last; /* segment whose bucket was given last */

    /* Hits on their way are counted in two, by the epoch in which they left. An epoch ends when
     * there are none of the one before. What left before epoch e has been compared in e + 2. */
    u64 epoch;
    u64 comparing[2];

    struct ogv_stream_ray in, out;
    bool second; /* the second half of `out` is to be sent */
    bool spoken; /* something was sent to the scheduler in this cycle */
};

static bool staging_init(struct unit *unit, struct ogv_error *error)
{
    struct staging *u = (struct staging *)unit;
    if (u->w.hits.count > 1 && !u->w.hits.route.interleave)
        return unit_refuse(error, "has %u slices of hit records; link them `by: address`",
                           u->w.hits.count);
    u->parts = unit_alloc(unit, u->p.buckets, sizeof *u->parts, error);
    u->active = u->parts ? unit_alloc(unit, u->p.segments, sizeof *u->active, error) : NULL;
    u->giving = NOBODY;
    u->last = NOBODY;
    return u->active;
}

static bool staging_place(struct unit *unit, const struct stream_place *place,
                          struct ogv_error *error)
{
    (void)error;
    ((struct staging *)unit)->hits_address = place->hits;
    return true;
}

static void part_enter(struct staging *u, struct staging_part *part, enum staging_state state,
                       cycle now)
{
    u->s.parts[part->state] += now - part->since;
    part->since = now;
    part->state = (u8)state;
}

/* ---- Messages ---- */

static struct message *scheduler_tell(struct staging *u, enum bucket_message kind)
{
    struct message *message = link_push(u->w.scheduler.at[0].out);
    *message = (struct message){ .kind = (u16)kind };
    u->spoken = true;
    return message;
}

static bool scheduler_hears(struct staging *u)
{
    return !u->spoken && link_can_push(u->w.scheduler.at[0].out);
}

static u64 record_address(const struct staging *u, u32 id)
{
    return u->hits_address + (u64)id * sizeof(struct rt_hit);
}

/* The link to the slice that has a record. */
static struct link *record_link(const struct staging *u, u32 id)
{
    const struct ports *hits = &u->w.hits;
    return hits->at[hits->count > 1 ? route_way(&hits->route, record_address(u, id)) : 0].out;
}

static struct message *record_ask(struct staging *u, u32 id, u32 kind, u32 tag)
{
    struct message *request = link_push(record_link(u, id));
    *request = (struct message){ .kind = (u16)kind,
                                 .address = record_address(u, id),
                                 .tag = tag,
                                 .size_bytes = sizeof(struct rt_hit) };
    return request;
}

/* An answer may go to the RT core: nothing comes between the halves of a ray. */
static bool user_hears(struct staging *u)
{
    return !u->second && link_can_push(u->w.users.at[0].out);
}

/* ---- Buckets ---- */

static bool bucket_ask(struct staging *u)
{
    for (u32 i = 0; i < u->p.buckets; i++) {
        struct staging_part *part = &u->parts[i];
        if (part->state != PART_EMPTY || part->asked || !scheduler_hears(u))
            continue;
        struct message *message = scheduler_tell(u, BUCKET_WANTED);
        message->tag = i;
        message->address = u->last;
        part->asked = true;
        return true;
    }
    return false;
}

static void sector_arrive(struct staging *u, const struct message *sector, cycle now)
{
    struct staging_part *part = &u->parts[sector->tag];
    if (part->state == PART_EMPTY) {
        part_enter(u, part, PART_FILLING, now);
        part->segment = sector->source;
        part->rays = sector->mask;
        part->sectors = 0;
    }
    memcpy(part->bucket + sector->address, sector->data.byte, MEMORY_SECTOR);
    if (++part->sectors < bucket_sectors(part->rays))
        return;
    part_enter(u, part, PART_GIVING, now);
    part->asked = part->opened = false;
    part->next = part->looked = 0;
    part->known = 0;
    u->s.buckets++;
    u->s.bucket_rays += part->rays;
}

/* The entry of a segment; a new one if `opens`, unless there is no room; else NULL. */
static struct staging_segment *segment_find(struct staging *u, u32 segment, bool opens)
{
    for (u32 i = 0; i < u->active_count; i++)
        if (u->active[i].segment == segment && u->active[i].epoch == UINT64_MAX)
            return &u->active[i];
    if (!opens || u->active_count == u->p.segments)
        return NULL;
    struct staging_segment *entry = &u->active[u->active_count++];
    *entry = (struct staging_segment){ .segment = segment, .epoch = UINT64_MAX };
    return entry;
}

static void ray_finish(struct staging *u, u32 segment)
{
    struct staging_segment *entry = segment_find(u, segment, false);
    if (entry && entry->unfinished && !--entry->unfinished)
        entry->epoch = u->epoch;
}

/* The next epoch begins if somebody waits for it and it can. */
static bool epoch_turn(struct staging *u)
{
    bool waited = false;
    for (u32 i = 0; i < u->active_count; i++)
        waited |= u->active[i].epoch != UINT64_MAX && u->active[i].epoch + 2 > u->epoch;
    if (!waited || u->comparing[(u->epoch + 1) % 2])
        return false;
    u->epoch++;
    return true;
}

/* Tells the scheduler of the first segment that is finished and whose hits have been compared. */
static bool segment_end(struct staging *u)
{
    u32 i = 0;
    while (i < u->active_count &&
           (u->active[i].epoch == UINT64_MAX || u->active[i].epoch + 2 > u->epoch))
        i++;
    if (i == u->active_count || !scheduler_hears(u))
        return false;
    struct message *message = scheduler_tell(u, BUCKET_DONE);
    message->address = u->active[i].segment;
    message->tag = u->active[i].buckets;
    message->source = u->active[i].rays;
    u->active[i] = u->active[--u->active_count];
    return true;
}

/* ---- Rays to the RT core ---- */

/* The part whose rays are given next: one at a time, until it is empty. */
static struct staging_part *part_open(struct staging *u)
{
    for (u32 n = 0; u->giving == NOBODY && n < u->p.buckets; n++) {
        u32 i = (u->turn + n) % (u32)u->p.buckets;
        if (u->parts[i].state == PART_GIVING)
            u->giving = i;
    }
    struct staging_part *part = u->giving == NOBODY ? NULL : &u->parts[u->giving];
    if (!part || part->opened)
        return part;
    struct staging_segment *entry = segment_find(u, part->segment, true);
    if (!entry)
        return NULL;
    entry->unfinished += part->rays;
    entry->rays += part->rays;
    entry->buckets++;
    part->opened = true;
    u->last = part->segment;
    return part;
}

static void ray_next(struct staging *u, struct staging_part *part, cycle now)
{
    if (++part->next < part->rays)
        return;
    part_enter(u, part, PART_EMPTY, now);
    u->turn = u->giving + 1;
    u->giving = NOBODY;
}

/* Asks for the record of a ray that is to be given soon. */
static bool record_look(struct staging *u, struct staging_part *part)
{
    struct rt_ray ray;
    u32 id;
    if (part->looked == part->rays || part->looked - part->next >= u->p.early)
        return false;
    bucket_get(part->bucket, part->looked, &ray, &id);
    if (!link_can_push(record_link(u, id)))
        return false;
    u32 tag = EARLY_TAG | u->giving << 8 | part->looked++;
    record_ask(u, id, MESSAGE_STREAM_HIT_LOAD, tag);
    u->s.early_reads++;
    return true;
}

static void out_half(struct staging *u, u32 half)
{
    struct message *message = link_push(u->w.users.at[0].out);
    *message = (struct message){ .kind = MESSAGE_STREAM_RAY,
                                 .tag = half,
                                 .size_bytes = STREAM_HALF_BYTES };
    stream_half_write(&u->out, half, message->data.byte);
}

static bool out_second(struct staging *u)
{
    if (!u->second || !link_can_push(u->w.users.at[0].out))
        return false;
    out_half(u, 1);
    u->second = false;
    return true;
}

/* Gives a ray, or finds that nothing is left of it. */
static bool ray_give(struct staging *u, struct staging_part *part, cycle now)
{
    struct rt_ray ray;
    u32 id;
    if (u->p.early && !(part->known >> part->next & 1))
        return false;
    bucket_get(part->bucket, part->next, &ray, &id);
    if (rt_ray_is_empty(&ray)) {
        u->s.cut++;
        ray_finish(u, part->segment);
        ray_next(u, part, now);
        return true;
    }
    if (!u->loads || !user_hears(u))
        return false;
    u->out = (struct ogv_stream_ray){ .ray = ray,
                                      .hit = rt_hit_none(&ray),
                                      .id = id,
                                      .treelet = part->segment & STREAM_DONE_TREELET };
    u->loads--;
    out_half(u, 0);
    u->second = true;
    out_second(u);
    u->s.given++;
    unit_progress(&u->base);
    ray_next(u, part, now);
    return true;
}

static bool rays_give(struct staging *u, cycle now)
{
    bool moved = out_second(u);
    struct staging_part *part = part_open(u);
    if (!part)
        return moved;
    moved |= u->p.early && record_look(u, part);
    return ray_give(u, part, now) || moved;
}

/* ---- What comes from hit records and the scheduler ---- */

/* The ray ends at the hit that is known. */
static void record_cut(struct staging *u, const struct message *answer)
{
    struct staging_part *part = &u->parts[answer->tag >> 8 & 0xff];
    u32 place = answer->tag & 0xff, id;
    struct rt_ray ray;
    bucket_get(part->bucket, place, &ray, &id);
    if (answer->data.real[0] < ray.t_max) {
        ray.t_max = answer->data.real[0];
        bucket_put(part->bucket, place, &ray, id);
    }
    part->known |= UINT64_C(1) << place;
}

static void hit_collect(struct staging *u, const struct message *answer)
{
    struct message *hit = link_push(u->w.users.at[0].out);
    *hit = (struct message){ .kind = MESSAGE_STREAM_HIT_LOAD,
                             .tag = answer->tag,
                             .size_bytes = sizeof(struct ogv_stream_hit) };
    memcpy(hit->data.byte, answer->data.byte, sizeof(struct rt_hit));
    hit->data.word[4] = (u32)((answer->address - u->hits_address) / sizeof(struct rt_hit));
    u->s.collected++;
}

static bool hits_receive(struct staging *u)
{
    bool moved = false;
    for (u32 i = ports_arrived(&u->w.hits, 0); i != NOBODY; i = ports_arrived(&u->w.hits, i + 1)) {
        const struct message *answer = link_peek(u->w.hits.at[i].in);
        bool collects = answer->kind == MESSAGE_STREAM_HIT_LOAD && !(answer->tag & EARLY_TAG);
        if (collects && !user_hears(u))
            continue;
        if (collects)
            hit_collect(u, answer);
        else if (answer->kind == MESSAGE_STREAM_HIT_LOAD)
            record_cut(u, answer);
        else
            u->comparing[answer->tag]--;
        link_pop(u->w.hits.at[i].in);
        moved = true;
    }
    return moved;
}

/* A number of a finished ray: its record is asked for, or the program is told that there is none.
 */
static bool number_arrive(struct staging *u, const struct message *message)
{
    u64 id = message->data.dword[0];
    if (id != UINT64_MAX) {
        if (!link_can_push(record_link(u, (u32)id)))
            return false;
        record_ask(u, (u32)id, MESSAGE_STREAM_HIT_LOAD, message->tag);
        return true;
    }
    if (!user_hears(u))
        return false;
    struct message *answer = link_push(u->w.users.at[0].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_HIT_LOAD,
                                .tag = message->tag,
                                .size_bytes = sizeof(struct ogv_stream_hit) };
    answer->data.word[4] = STREAM_NO_ID;
    return true;
}

static bool taken_arrive(struct staging *u, const struct message *message)
{
    if (!user_hears(u))
        return false;
    struct message *answer = link_push(u->w.users.at[0].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_STORE, .size_bytes = 8 };
    answer->data.dword[0] = message->data.dword[0];
    return true;
}

static bool scheduler_receive(struct staging *u, cycle now)
{
    struct link *in = u->w.scheduler.at[0].in;
    const struct message *message = link_peek(in);
    if (!message)
        return false;
    if (message->kind == BUCKET_SECTOR)
        sector_arrive(u, message, now);
    else if (message->kind == BUCKET_TAKEN ? !taken_arrive(u, message) : !number_arrive(u, message))
        return false;
    link_pop(in);
    return true;
}

/* ---- What comes from the RT core ---- */

static bool item_send(struct staging *u, u32 how)
{
    const struct ogv_stream_ray *in = &u->in;
    if (!scheduler_hears(u))
        return false;
    struct message *message = scheduler_tell(u, BUCKET_ITEM);
    message->tag = in->id;
    message->source = bucket_source(in->treelet, in->level);
    message->mask = how == STREAM_NEW;
    message->size_bytes = MESSAGE_DATA_BYTES;
    memcpy(message->data.byte, &in->ray, sizeof in->ray);
    u->s.new_rays += how == STREAM_NEW;
    u->s.items += how != STREAM_NEW;
    return true;
}

static bool hit_send(struct staging *u)
{
    if (!link_can_push(record_link(u, u->in.id)))
        return false;
    u32 epoch = u->epoch % 2;
    struct message *request = record_ask(u, u->in.id, MESSAGE_STREAM_HIT, epoch);
    memcpy(request->data.byte, &u->in.hit, sizeof u->in.hit);
    u->comparing[epoch]++;
    u->s.hits++;
    return true;
}

/* The second half of a ray; false: it must wait. */
static bool ray_arrive(struct staging *u, const struct message *message)
{
    stream_half_read(&u->in, message->tag & 1, message->data.byte);
    if (!(message->tag & 1))
        return true;
    return message->kind == MESSAGE_STREAM_HIT ? hit_send(u) : item_send(u, message->source);
}

static bool message_take(struct staging *u, const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_STREAM_LOAD:
        u->loads++;
        return true;
    case MESSAGE_STREAM_FINISHED:
        u->s.finished++;
        ray_finish(u, (u32)message->data.dword[0]);
        return true;
    case MESSAGE_STREAM_HIT_LOAD:
        if (!scheduler_hears(u))
            return false;
        scheduler_tell(u, BUCKET_NUMBER)->tag = message->tag;
        return true;
    default:
        return ray_arrive(u, message);
    }
}

/* Both halves of a ray in a cycle. */
static bool user_receive(struct staging *u)
{
    struct link *in = u->w.users.at[0].in;
    u32 taken = 0;
    for (const struct message *message; taken < 2 && (message = link_peek(in)); taken++) {
        if (!message_take(u, message))
            break;
        link_pop(in);
    }
    return taken;
}

static cycle staging_tick(struct unit *unit, cycle now)
{
    struct staging *u = (struct staging *)unit;
    u->spoken = false;
    bool moved = scheduler_receive(u, now);
    moved |= hits_receive(u);
    moved |= bucket_ask(u);
    moved |= user_receive(u);
    moved |= rays_give(u, now);
    moved |= epoch_turn(u);
    moved |= segment_end(u);
    return moved ? now + 1 : NEVER;
}

/* ---- Reports ---- */

static void staging_report(struct unit *unit, cycle now)
{
    struct staging *u = (struct staging *)unit;
    u->s.part_cycles = u->p.buckets * now;
    for (u32 i = 0; i < u->p.buckets; i++)
        part_enter(u, &u->parts[i], u->parts[i].state, now);
}

static void staging_waits(const struct unit *unit, struct unit_words *words)
{
    const struct staging *u = (const struct staging *)unit;
    if (u->active_count)
        unit_say(words, "%u segments have rays in the RT core, first segment %u with %u",
                 u->active_count, u->active[0].segment, u->active[0].unfinished);
}

static void staging_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct staging *u = (const struct staging *)unit;
    u64 bytes = u->p.buckets * BUCKET_BYTES;
    costs->energy[0] = costs->energy[1] =
        array_access_pj(bytes) * BUCKET_RAY_BYTES / ARRAY_LINE_BYTES;
    costs->area = array_area_mm2(bytes);
    costs->leakage = MW_PER_KIB * (double)bytes / (double)KiB;
}

static const struct resource_row staging_resource_rows[] = {
    { .name = "rays",
      .kind = RESOURCE_WORK,
      .capacity = "1",
      .used = "given",
      .held = "users_room + users_answer" },
    { .name = "buckets",
      .kind = RESOURCE_ROOM,
      .capacity = "buckets",
      .used = "parts_filling + parts_giving" },
    { 0 },
};

static const struct stream_role staging_streams = { .hits = true, .place = staging_place };

UNIT_TYPE(staging, STAGING, "ray staging buffer of an SM", .init = staging_init,
          .tick = staging_tick, .report = staging_report, .waits = staging_waits,
          UNIT_ENERGY(STAGING), .costs = staging_costs, .streams = &staging_streams,
          .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
          .area_help = "by size, as a cache", .resources = staging_resource_rows)
