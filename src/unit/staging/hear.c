/* hear.c - what hit records, the scheduler and the RT core say to a staging buffer. */
#include "unit/staging/staging.h"

/* ---- What comes from hit records and the scheduler ---- */

/* Of a finished ray, or of none, to a user that takes anything and waits: its second half. */
static void finished_give(struct staging *u, u32 id, const void *hit)
{
    struct ogv_stream_ray ray = { .id = id, .treelet = STREAM_DONE_TREELET };
    if (hit)
        memcpy(&ray.hit, hit, sizeof ray.hit);
    struct message *message = link_push(u->w.users.at[0].out);
    *message =
        (struct message){ .kind = MESSAGE_STREAM_RAY, .tag = 1, .size_bytes = STREAM_HALF_BYTES };
    stream_half_write(&ray, 1, message->data.byte);
    u->loads--;
    u->asked--;
}

static void hit_collect(struct staging *u, const struct message *answer)
{
    u32 id = (u32)((answer->address - u->hits_address) / sizeof(struct rt_hit));
    u->s.collected++;
    if (u->anything) {
        finished_give(u, id, answer->data.byte);
        return;
    }
    struct message *hit = link_push(u->w.users.at[0].out);
    *hit = (struct message){ .kind = MESSAGE_STREAM_HIT_LOAD,
                             .tag = answer->tag,
                             .size_bytes = sizeof(struct ogv_stream_hit) };
    memcpy(hit->data.byte, answer->data.byte, sizeof(struct rt_hit));
    hit->data.word[4] = id;
}

bool staging_hear_hits(struct staging *u)
{
    bool moved = false;
    for (u32 i = ports_arrived(&u->w.hits, 0); i != NOBODY; i = ports_arrived(&u->w.hits, i + 1)) {
        const struct message *answer = link_peek(u->w.hits.at[i].in);
        bool collects = answer->kind == MESSAGE_STREAM_HIT_LOAD && !(answer->tag & EARLY_TAG);
        if (collects && (!staging_may_answer(u) || (u->anything && !u->loads)))
            continue;
        if (collects)
            hit_collect(u, answer);
        else if (answer->kind == MESSAGE_STREAM_HIT_LOAD)
            staging_cut(u, answer);
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
        if (!link_can_push(staging_record_link(u, (u32)id)))
            return false;
        staging_record_ask(u, (u32)id, MESSAGE_STREAM_HIT_LOAD, message->tag)->mask = 1;
        return true;
    }
    if (!staging_may_answer(u))
        return false;
    if (u->anything && !u->loads) { /* who asked has got a ray since */
        u->asked--;
        return true;
    }
    if (u->anything) {
        finished_give(u, STREAM_NO_ID, NULL);
        return true;
    }
    struct message *answer = link_push(u->w.users.at[0].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_HIT_LOAD,
                                .tag = message->tag,
                                .size_bytes = sizeof(struct ogv_stream_hit) };
    answer->data.word[4] = STREAM_NO_ID;
    return true;
}

static bool taken_arrive(struct staging *u, const struct message *message)
{
    if (!staging_may_answer(u))
        return false;
    struct message *answer = link_push(u->w.users.at[0].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_STORE, .size_bytes = 8 };
    answer->data.dword[0] = message->data.dword[0];
    return true;
}

bool staging_hear_scheduler(struct staging *u, cycle now)
{
    struct link *in = u->w.scheduler.at[0].in;
    const struct message *message = link_peek(in);
    if (!message)
        return false;
    if (message->kind == BUCKET_SECTOR)
        staging_sector(u, message, now);
    else if (message->kind == BUCKET_TAKEN ? !taken_arrive(u, message) : !number_arrive(u, message))
        return false;
    link_pop(in);
    return true;
}

/* ---- What comes from the RT core ---- */

static bool item_send(struct staging *u, u32 how)
{
    const struct ogv_stream_ray *in = &u->in;
    if (!staging_may_tell(u))
        return false;
    struct message *message = staging_tell(u, BUCKET_ITEM);
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
    if (!link_can_push(staging_record_link(u, u->in.id)))
        return false;
    u32 epoch = u->epoch % 2;
    struct message *request = staging_record_ask(u, u->in.id, MESSAGE_STREAM_HIT, epoch);
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
        u->heard = true;
        u->anything |= message->source == STREAM_ANYTHING;
        return true;
    case MESSAGE_STREAM_FINISHED:
        u->s.finished++;
        staging_finish(u, (u32)message->data.dword[0]);
        return true;
    case MESSAGE_STREAM_HIT_LOAD:
        if (!staging_may_tell(u))
            return false;
        staging_tell(u, BUCKET_NUMBER)->tag = message->tag;
        return true;
    default:
        return ray_arrive(u, message);
    }
}

/* Where the user takes anything, a finished ray is asked for with every ray that it waits for:
 * there is one only when no ray is left to be walked. One that is not waited for any more is for
 * the next request; every request has somebody who waits or will ask again. So buckets are given to
 * those only who ask for finished rays (scheduler's choose.c). */
bool staging_ask_finished(struct staging *u)
{
    if (!u->anything || u->asked >= u->loads || !staging_may_tell(u))
        return false;
    staging_tell(u, BUCKET_NUMBER)->tag = STREAM_DRAINING;
    u->asked++;
    return true;
}

/* Both halves of a ray in a cycle. */
bool staging_hear_user(struct staging *u)
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
