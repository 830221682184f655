/* give.c - rays from a staging buffer to its RT core, one bucket after the other. */
#include "unit/staging/staging.h"

void staging_cut(struct staging *u, const struct message *answer)
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
    struct staging_segment *entry = staging_segment(u, part->segment, true);
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
    staging_enter(u, part, PART_EMPTY, now);
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
    if (!link_can_push(staging_record_link(u, id)))
        return false;
    u32 tag = EARLY_TAG | u->giving << 8 | part->looked++;
    staging_record_ask(u, id, MESSAGE_STREAM_HIT_LOAD, tag);
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
        staging_finish(u, part->segment);
        ray_next(u, part, now);
        return true;
    }
    if (!u->loads || !staging_may_answer(u))
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

bool staging_give(struct staging *u, cycle now)
{
    bool moved = out_second(u);
    struct staging_part *part = part_open(u);
    if (!part)
        return moved;
    moved |= u->p.early && record_look(u, part);
    return ray_give(u, part, now) || moved;
}
