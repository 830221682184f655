/* scheduler.c - the stream scheduler of Dual Streaming (Shkurko et al. 2017, as Arches has it):
 * keeps rays in memory, in buckets by segment of the scene, and decides which segments and buckets
 * are worked on. See scheduler.h.
 *
 * Each user is heard once per cycle, in turn; who could not be heard goes first in the next. */
#include "unit/scheduler/scheduler.h"

#include "base/error.h"
#include "unit/parts/array.h"
#include "unit/parts/published.h"

static bool scheduler_init(struct unit *unit, struct ogv_error *error)
{
    struct scheduler *u = (struct scheduler *)unit;
    return manager_init(u, error) && coalesce_init(u, error) && transfer_init(u, error) &&
           choose_init(u, error) && numbers_init(u, error);
}

static u64 scheduler_ray_bytes(const struct unit *unit)
{
    const struct scheduler *u = (const struct scheduler *)unit;
    u64 turn = (u64)u->channel_count * u->strip_buckets * BUCKET_BYTES;
    return u->p.rays == RAYS_dram ? u->p.memory + turn : 0; /* it begins with a whole one */
}

static bool scheduler_place(struct unit *unit, const struct stream_place *place,
                            struct ogv_error *error)
{
    struct scheduler *u = (struct scheduler *)unit;
    if (place->ray_count > u->p.ids)
        return unit_refuse(error, "ids: there are %llu rays, and there is room for %llu",
                           (unsigned long long)place->ray_count, (unsigned long long)u->p.ids);
    return segments_place(u, place, error) && manager_place(u, error);
}

/* ---- What users say ---- */

/* Whether a new ray may come in: all that may be made of those that are here has room. */
static bool ray_fits(const struct scheduler *u, u32 user, const struct message *item)
{
    return u->segment_count && item->tag < u->p.ids &&
           (coalesce_lane(u, 0, user)->open != NOBODY || manager_has_room(u, 1));
}

static void ray_answer(struct scheduler *u, u32 user, bool taken)
{
    struct message *answer = link_push(u->w.users.at[user].out);
    *answer = (struct message){ .kind = BUCKET_TAKEN, .size_bytes = 8 };
    answer->data.dword[0] = taken;
}

/* A new ray begins in the root segment. */
static bool ray_take(struct scheduler *u, u32 user, const struct message *item, cycle now)
{
    struct rt_ray ray;
    memcpy(&ray, item->data.byte, sizeof ray);
    bool fits = ray_fits(u, user, item), empty = rt_ray_is_empty(&ray);
    if (!link_can_push(u->w.users.at[user].out) ||
        (fits && !empty && !coalesce_add(u, user, item, now)))
        return false;
    ray_answer(u, user, fits);
    u->s.refused += !fits;
    u->s.new_rays += fits;
    u->s.empty += fits && empty;
    if (!fits)
        return true;
    u->last_new = now;
    numbers_begin(u, item->tag);
    return true;
}

static bool item_take(struct scheduler *u, u32 user, const struct message *item, cycle now)
{
    if (item->mask)
        return ray_take(u, user, item, now);
    if (bucket_source_segment(item->source) >= u->segment_count)
        ogv_bug("a work item for segment %u of %u", bucket_source_segment(item->source),
                u->segment_count);
    return coalesce_add(u, user, item, now);
}

static void buckets_end(struct scheduler *u, const struct message *message)
{
    struct segment *segment = &u->segments[message->address];
    segment->out -= message->tag;
    u->out -= message->tag;
    u->promised -= (u64)message->tag * segment->header.child_count;
    u->live -= message->source;
    u->out_items -= message->source;
    u->s.finished += message->source;
    unit_release(&u->base, message->source);
    unit_progress(&u->base);
}

static bool user_hear(struct scheduler *u, u32 user, cycle now)
{
    const struct message *message = link_peek(u->w.users.at[user].in);
    if (message->kind == BUCKET_ITEM) {
        if (!item_take(u, user, message, now))
            return false;
    } else if (message->kind == BUCKET_WANTED) {
        choose_wish(u, user, message);
    } else if (message->kind == BUCKET_DONE) {
        buckets_end(u, message);
    } else {
        numbers_ask(u, user, message->tag);
    }
    link_pop(u->w.users.at[user].in);
    return true;
}

static bool users_hear(struct scheduler *u, cycle now)
{
    u32 users = u->w.users.count, refused = NOBODY, last = NOBODY;
    for (u32 half = 0; half < 2; half++) {
        u32 end = half ? u->turn : users;
        for (u32 i = ports_arrived(&u->w.users, half ? 0 : u->turn); i < end;
             i = ports_arrived(&u->w.users, i + 1)) {
            if (user_hear(u, i, now))
                last = i;
            else if (refused == NOBODY)
                refused = i;
        }
    }
    if (refused != NOBODY)
        u->turn = refused;
    else if (last != NOBODY)
        u->turn = (last + 1) % users;
    return last != NOBODY;
}

/* ---- Time ---- */

static void scheduler_check(const struct scheduler *u, cycle now)
{
    if (__builtin_expect(u->live != u->kept_items + u->out_items, false))
        ogv_bug("scheduler, cycle %llu: of %llu work items %llu are in buckets and %llu given out",
                (unsigned long long)now, (unsigned long long)u->live,
                (unsigned long long)u->kept_items, (unsigned long long)u->out_items);
}

static cycle scheduler_tick(struct unit *unit, cycle now)
{
    struct scheduler *u = (struct scheduler *)unit;
    bool moved = transfer_receive(u);
    moved |= segments_scene(u);
    moved |= users_hear(u, now);
    if (u->segment_count) {
        moved |= segments_step(u, now);
        moved |= choose_step(u);
        moved |= transfer_send(u);
    }
    moved |= numbers_step(u);
    scheduler_check(u, now);
    if (moved)
        return now + 1;
    return u->live && !segments_settled(u, now) ? u->last_new + u->p.settle : NEVER;
}

static void scheduler_report(struct unit *unit, cycle now)
{
    coalesce_report((struct scheduler *)unit, now);
}

static void scheduler_waits(const struct unit *unit, struct unit_words *words)
{
    const struct scheduler *u = (const struct scheduler *)unit;
    if (u->live)
        unit_say(words,
                 "%llu work items are held; %u segments are worked on, %llu of their buckets are "
                 "ready, %llu are out, %llu are wanted; %llu of %llu buckets are in use",
                 (unsigned long long)u->live, u->active_count, (unsigned long long)u->ready,
                 (unsigned long long)u->out, (unsigned long long)u->wish_count,
                 (unsigned long long)u->used, (unsigned long long)u->bucket_count);
}

static void scheduler_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct scheduler *u = (const struct scheduler *)unit;
    u64 bytes = u->p.banks * u->p.entries * BUCKET_BYTES;
    double access = array_access_pj(bytes) / ARRAY_LINE_BYTES;
    costs->energy[0] = access * BUCKET_RAY_BYTES;
    costs->energy[1] = access * MEMORY_SECTOR;
    costs->area = array_area_mm2(bytes);
    costs->leakage = MW_PER_KIB * (double)bytes / (double)KiB;
}

static const struct resource_row scheduler_resource_rows[] = {
    { .name = "banks",
      .kind = RESOURCE_WORK,
      .capacity = "banks",
      .used = "bank_items",
      .held = "users_room + users_answer" },
    { 0 },
};

static const struct stream_role scheduler_streams = { .ray_bytes = scheduler_ray_bytes,
                                                      .place = scheduler_place };

UNIT_TYPE(scheduler, SCHEDULER, "stream scheduler", .init = scheduler_init, .tick = scheduler_tick,
          .report = scheduler_report, .waits = scheduler_waits, UNIT_ENERGY(SCHEDULER),
          .costs = scheduler_costs, .streams = &scheduler_streams,
          .leakage_help = "0.45 mW for a KiB of entries; Arches, taken as 65 nm",
          .area_help = "of the entries, by size, as a cache", .resources = scheduler_resource_rows,
          .scales = "banks")
