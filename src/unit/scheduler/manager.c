/* manager.c - where buckets lie: the memory manager of the stream scheduler, for each channel a
 * list of free buckets and a mark behind all that were ever used.
 *
 * A strip is a block of the interleaving, so that all buckets of one lie in one channel, and in one
 * row if a block is a row; strips go to the channels in turn. A segment's buckets are in the
 * channels in turn, beginning with one that its number gives, so that those of a segment can be
 * read side by side. A channel that is full passes its turn on. */
#include "unit/scheduler/scheduler.h"

#include "base/error.h"

#define STRIP_BYTES (8 * KiB) /* where there is one channel: a row of GDDR6, Arches' stride */

bool manager_init(struct scheduler *u, struct ogv_error *error)
{
    const struct route *route = &u->w.memory.route;
    u32 count = u->w.memory.count;
    if (count > 1 && !route->interleave)
        return unit_refuse(error, "has %u memories; link them `by: address`", count);
    u64 strip = count > 1 ? route->interleave : STRIP_BYTES;
    if (strip % BUCKET_BYTES)
        return unit_refuse(error,
                           "a bucket of 2 KiB lies in one channel: interleave memory by a "
                           "multiple of that, not by %llu bytes",
                           (unsigned long long)strip);
    if (!count && (u->p.rays == RAYS_dram || u->p.headers == HEADERS_read))
        return unit_refuse(error,
                           "has no memory; link it to one, or set rays: chip, headers: free");
    u->channel_count = count ? count : 1;
    u->strip_buckets = (u32)(strip / BUCKET_BYTES);
    u->bucket_count =
        u->p.memory / (strip * u->channel_count) * u->strip_buckets * u->channel_count;
    if (!u->bucket_count)
        return unit_refuse(error,
                           "memory: is less than one strip of %llu bytes for each of %u "
                           "channels",
                           (unsigned long long)strip, u->channel_count);
    u->buckets = unit_alloc_aside(&u->base, u->bucket_count, sizeof *u->buckets, error);
    u->channels =
        u->buckets ? unit_alloc(&u->base, u->channel_count, sizeof *u->channels, error) : NULL;
    if (u->channels && u->p.rays == RAYS_chip)
        u->store = unit_alloc_aside(&u->base, u->bucket_count, BUCKET_BYTES, error);
    if (!u->channels || (u->p.rays == RAYS_chip && !u->store))
        return false;
    for (u32 i = 0; i < u->channel_count; i++)
        u->channels[i] = (struct channel){ NOBODY, i * u->strip_buckets, NOBODY, NOBODY };
    return true;
}

/* What one bucket, and all that comes of it, takes at most, if it is worked off deepest first. */
static u64 segment_need(const struct scheduler *u, u32 segment, u64 below)
{
    return below + u->segments[segment].header.child_count;
}

/* Children have greater numbers than their parents, so they are seen first. */
bool manager_place(struct scheduler *u, struct ogv_error *error)
{
    u64 turn = (u64)u->channel_count * u->strip_buckets * BUCKET_BYTES;
    u->rays_address = (u->rays_address + turn - 1) / turn * turn; /* the first channel's */
    u64 *below = unit_alloc_aside(&u->base, u->segment_count, sizeof *below, error);
    if (!below)
        return false;
    for (u32 i = u->segment_count; i-- > 0;) {
        u32 parent = u->segments[i].header.parent;
        if (i && parent >= i)
            ogv_bug("treelet %u has its parent %u behind it", i, parent);
        u64 need = segment_need(u, i, below[i]);
        if (i)
            below[parent] = max_u64(below[parent], need);
        else
            u->reserve = need + 1;
    }
    return u->reserve < u->bucket_count ||
           unit_refuse(error,
                       "memory: this scene's treelets need %llu buckets of 2 KiB at least, and "
                       "there are %llu",
                       (unsigned long long)u->reserve + 1, (unsigned long long)u->bucket_count);
}

bool manager_has_room(const struct scheduler *u, u64 buckets)
{
    return u->used + u->promised + u->reserve + buckets <= u->bucket_count;
}

/* A bucket of a channel, or NOBODY. */
static u32 channel_take(struct scheduler *u, struct channel *channel)
{
    u32 bucket = channel->free;
    if (bucket != NOBODY) {
        channel->free = u->buckets[bucket].next;
        return bucket;
    }
    bucket = channel->fresh;
    if (bucket >= u->bucket_count)
        return NOBODY;
    bool last = ++channel->fresh % u->strip_buckets == 0;
    channel->fresh += last ? u->strip_buckets * (u->channel_count - 1) : 0;
    return bucket;
}

u32 manager_take(struct scheduler *u, u32 segment)
{
    struct segment *at = &u->segments[segment];
    u32 bucket = NOBODY;
    for (u32 i = 0; bucket == NOBODY && i < u->channel_count; i++) {
        bucket = channel_take(u, &u->channels[at->channel]);
        at->channel = (at->channel + 1) % u->channel_count;
    }
    if (bucket == NOBODY)
        return NOBODY;
    u->buckets[bucket] = (struct bucket){ .segment = segment, .next = NOBODY };
    u->s.buckets_made++;
    u->s.buckets_most = max_u64(u->s.buckets_most, ++u->used);
    return bucket;
}

void manager_free(struct scheduler *u, u32 bucket)
{
    struct channel *channel = &u->channels[manager_channel(u, bucket)];
    u->buckets[bucket].next = channel->free;
    channel->free = bucket;
    u->used--;
}

u64 manager_address(const struct scheduler *u, u32 bucket)
{
    return u->rays_address + (u64)bucket * BUCKET_BYTES;
}

u32 manager_channel(const struct scheduler *u, u32 bucket)
{
    return bucket / u->strip_buckets % u->channel_count;
}
