/* choose.c - which bucket goes to which staging buffer, one per cycle.
 *
 * A user gets a bucket of the segment that it worked on last, if there is one; else of the first
 * segment that has any, in the order in which they became active. While memory is short, one bucket
 * is out at a time, the deepest first (scheduler.h). Users that wait are served in turn.
 *
 * Where cores walk rays, a bucket is of no use to an SM whose threads have been told that no ray is
 * under way: they may not ask again, and whoever stores rays later would wait for that bucket for
 * ever. While a thread is left there, its SM asks for a finished ray, for it or for whoever asks
 * next. */
#include "unit/scheduler/scheduler.h"

bool choose_init(struct scheduler *u, struct ogv_error *error)
{
    u->wishes =
        unit_alloc(&u->base, (u64)u->w.users.count * SCHEDULER_PARTS_MAX, sizeof *u->wishes, error);
    return u->wishes;
}

void choose_wish(struct scheduler *u, u32 user, const struct message *message)
{
    u32 part = message->tag % SCHEDULER_PARTS_MAX;
    u->wishes[user * SCHEDULER_PARTS_MAX + part] =
        (struct wish){ .last = (u32)message->address, .open = true, .asks = message->mask };
    u->wish_count++;
}

static bool segment_gives(const struct scheduler *u, u32 number)
{
    const struct segment *segment = &u->segments[number];
    return segment->ready && segment->state == SEGMENT_ACTIVE && segment->data == DATA_THERE;
}

/* The segment of the next bucket for a wish; NOBODY: none. */
static u32 segment_choose(const struct scheduler *u, u32 last)
{
    if (last < u->segment_count && segment_gives(u, last))
        return last;
    u32 number = u->first_active;
    while (number != NOBODY && !segment_gives(u, number))
        number = u->segments[number].next;
    return number;
}

/* The deepest segment with a bucket; NOBODY: it is not ready yet. */
static u32 segment_deepest(struct scheduler *u)
{
    u32 deepest = NOBODY;
    for (u32 i = 0; i < u->segment_count; i++)
        if (u->segments[i].kept &&
            (deepest == NOBODY || u->segments[i].header.depth > u->segments[deepest].header.depth))
            deepest = i;
    if (deepest == NOBODY || u->segments[deepest].ready)
        return deepest;
    if (u->segments[deepest].opened)
        coalesce_seal(u, deepest);
    return NOBODY;
}

static void bucket_give(struct scheduler *u, u32 number, u32 wish)
{
    struct segment *segment = &u->segments[number];
    u32 bucket = segment->first;
    segment->first = u->buckets[bucket].next;
    segment->ready--;
    segment->kept--;
    segment->out++;
    segment->given++;
    u->ready -= segment->state == SEGMENT_ACTIVE;
    u->out++;
    u->promised += segment->header.child_count;
    u->buckets[bucket].user = wish / SCHEDULER_PARTS_MAX;
    u->buckets[bucket].part = (u8)(wish % SCHEDULER_PARTS_MAX);
    transfer_read(u, bucket);
    u->wishes[wish].open = false;
    u->wish_count--;
    u->wish_turn = wish + 1;
    u->unsettled = true;
    u->s.buckets_read++;
    u->s.bucket_rays += u->buckets[bucket].rays;
    u->kept_items -= u->buckets[bucket].rays;
    u->out_items += u->buckets[bucket].rays;
    unit_progress(&u->base);
}

static bool wish_counts(const struct scheduler *u, u32 number)
{
    const struct wish *wish = &u->wishes[number];
    return wish->open && (!wish->asks || numbers_asks(u, number / SCHEDULER_PARTS_MAX));
}

/* The wish whose turn it is; NOBODY: there is none. */
static u32 wish_next(const struct scheduler *u)
{
    u32 count = u->w.users.count * SCHEDULER_PARTS_MAX;
    for (u32 n = 0; n < count; n++) {
        u32 wish = (u->wish_turn + n) % count;
        if (wish_counts(u, wish))
            return wish;
    }
    return NOBODY;
}

bool choose_step(struct scheduler *u)
{
    if (!u->wish_count || !u->live)
        return false;
    u32 wish = wish_next(u);
    if (wish == NOBODY)
        return false;
    u32 number = segment_choose(u, u->wishes[wish].last);
    if (number != NOBODY && manager_has_room(u, u->segments[number].header.child_count)) {
        bucket_give(u, number, wish);
        return true;
    }
    if (number == NOBODY || u->out)
        return false;
    number = segment_deepest(u);
    if (number == NOBODY)
        return false;
    u->s.throttled++;
    bucket_give(u, number, wish);
    return true;
}
