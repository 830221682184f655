/* staging.c - the ray staging buffer of an SM (Dual Streaming, Shkurko et al. 2017): buckets of
 * rays on their way to an RT core, and what the RT core says back.
 *
 * It has a few parts of one bucket each. From the first request for a ray on, a part that is free
 * asks the scheduler for a bucket, which comes sector by sector; then its rays are given to the RT
 * core, one per cycle, as they are asked for. When all rays of the buckets of a segment are
 * finished, and all hits that they found have been compared, the scheduler is told. New rays, work
 * items and requests for finished rays go on to the scheduler, hits to the slices of the hit record
 * updater.
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
#include "unit/staging/staging.h"

#include "unit/parts/array.h"

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

/* ---- Buckets ---- */

static bool bucket_ask(struct staging *u)
{
    if (!u->heard)
        return false;
    for (u32 i = 0; i < u->p.buckets; i++) {
        struct staging_part *part = &u->parts[i];
        if (part->state != PART_EMPTY || part->asked || !staging_may_tell(u))
            continue;
        struct message *message = staging_tell(u, BUCKET_WANTED);
        message->tag = i;
        message->address = u->last;
        message->mask = u->anything;
        part->asked = true;
        return true;
    }
    return false;
}

void staging_sector(struct staging *u, const struct message *sector, cycle now)
{
    struct staging_part *part = &u->parts[sector->tag];
    if (part->state == PART_EMPTY) {
        staging_enter(u, part, PART_FILLING, now);
        part->segment = sector->source;
        part->rays = sector->mask;
        part->sectors = 0;
    }
    memcpy(part->bucket + sector->address, sector->data.byte, MEMORY_SECTOR);
    if (++part->sectors < bucket_sectors(part->rays))
        return;
    staging_enter(u, part, PART_GIVING, now);
    part->asked = part->opened = false;
    part->next = part->looked = 0;
    part->known = 0;
    u->s.buckets++;
    u->s.bucket_rays += part->rays;
}

struct staging_segment *staging_segment(struct staging *u, u32 segment, bool opens)
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

void staging_finish(struct staging *u, u32 segment)
{
    struct staging_segment *entry = staging_segment(u, segment, false);
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
    if (i == u->active_count || !staging_may_tell(u))
        return false;
    struct message *message = staging_tell(u, BUCKET_DONE);
    message->address = u->active[i].segment;
    message->tag = u->active[i].buckets;
    message->source = u->active[i].rays;
    u->active[i] = u->active[--u->active_count];
    return true;
}

/* ---- Time ---- */

static cycle staging_tick(struct unit *unit, cycle now)
{
    struct staging *u = (struct staging *)unit;
    u->spoken = false;
    bool moved = staging_hear_scheduler(u, now);
    moved |= staging_hear_hits(u);
    moved |= bucket_ask(u);
    moved |= staging_hear_user(u);
    moved |= staging_give(u, now);
    moved |= epoch_turn(u);
    moved |= segment_end(u);
    moved |= staging_ask_finished(u);
    return moved ? now + 1 : NEVER;
}

/* ---- Reports ---- */

static void staging_report(struct unit *unit, cycle now)
{
    struct staging *u = (struct staging *)unit;
    u->s.part_cycles = u->p.buckets * now;
    for (u32 i = 0; i < u->p.buckets; i++)
        staging_enter(u, &u->parts[i], u->parts[i].state, now);
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
