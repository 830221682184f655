/* transfer.c - buckets on their way to memory and back, in each channel one after the other, a
 * sector per cycle.
 *
 * What is read goes on to the staging buffer as it comes. A bucket is ready when all that was
 * written of it has been answered, and its place is free again when all of it was read.
 * Always true: `pending` of a bucket is its sectors that are in jobs or under way. */
#include "unit/scheduler/scheduler.h"

/* An entry has one job at most, and so has an open bucket without an entry, and one that is read.
 */
bool transfer_init(struct scheduler *u, struct ogv_error *error)
{
    u64 count =
        u->p.banks * u->p.entries + u->bucket_count + (u64)u->w.users.count * SCHEDULER_PARTS_MAX;
    u->jobs = unit_alloc_aside(&u->base, count, sizeof *u->jobs, error);
    for (u32 i = 0; u->jobs && i < count; i++)
        u->jobs[i].next = i + 1 < count ? i + 1 : NOBODY;
    return u->jobs;
}

static void job_add(struct scheduler *u, struct job job)
{
    u32 number = u->free_job;
    struct channel *channel = &u->channels[manager_channel(u, job.bucket)];
    u->free_job = u->jobs[number].next;
    job.next = NOBODY;
    u->jobs[number] = job;
    if (channel->first_job == NOBODY)
        channel->first_job = number;
    else
        u->jobs[channel->last_job].next = number;
    channel->last_job = number;
    u->buckets[job.bucket].pending =
        (u16)(u->buckets[job.bucket].pending + job.end - job.sector + (job.header && job.sector));
}

void transfer_write(struct scheduler *u, u32 bucket, u32 entry)
{
    const struct bucket *at = &u->buckets[bucket];
    u32 from = entry == NOBODY ? at->rays : u->entries[entry].from;
    bool all = !from && at->sealed;
    u32 first = all ? 0 : bucket_offset(from), end = bucket_offset(at->rays);
    job_add(u, (struct job){
                   .bucket = bucket,
                   .entry = entry,
                   .writes = true,
                   .header = at->sealed,
                   .from_byte = (u16)first,
                   .to_byte = (u16)end,
                   .sector = (u16)(first / MEMORY_SECTOR),
                   .end = (u16)(entry == NOBODY ? first / MEMORY_SECTOR : bucket_sectors(at->rays)),
               });
}

void transfer_read(struct scheduler *u, u32 bucket)
{
    job_add(u, (struct job){ .bucket = bucket,
                             .entry = NOBODY,
                             .end = (u16)bucket_sectors(u->buckets[bucket].rays) });
}

/* ---- What has come ---- */

static void sector_written(struct scheduler *u, u32 bucket)
{
    struct bucket *at = &u->buckets[bucket];
    if (!--at->pending && at->sealed)
        segments_ready(u, bucket);
}

/* Sends a sector on; false: the staging buffer's link has no room. */
static bool sector_pass(struct scheduler *u, u32 bucket, u64 offset, const u8 *bytes)
{
    struct bucket *at = &u->buckets[bucket];
    struct link *out = u->w.users.at[at->user].out;
    if (!link_can_push(out))
        return false;
    struct message *sector = link_push(out);
    *sector = (struct message){ .kind = BUCKET_SECTOR,
                                .tag = at->part,
                                .address = offset,
                                .source = at->segment,
                                .mask = at->rays,
                                .size_bytes = MEMORY_SECTOR };
    memcpy(sector->data.byte, bytes, MEMORY_SECTOR);
    if (!--at->pending)
        manager_free(u, bucket);
    return true;
}

static bool answer_take(struct scheduler *u, const struct message *answer)
{
    if (answer->tag & HEADER_TAG) {
        segments_header(u, answer);
        return true;
    }
    if ((answer->kind & MEMORY_KIND) == MEMORY_READ)
        return sector_pass(u, answer->tag, answer->address - manager_address(u, answer->tag),
                           answer->data.byte);
    sector_written(u, answer->tag);
    return true;
}

bool transfer_receive(struct scheduler *u)
{
    bool moved = false;
    for (u32 i = ports_arrived(&u->w.memory, 0); i != NOBODY;
         i = ports_arrived(&u->w.memory, i + 1)) {
        struct link *in = u->w.memory.at[i].in;
        if (!answer_take(u, link_peek(in)))
            continue;
        link_pop(in);
        moved = true;
    }
    return moved;
}

/* ---- What goes ---- */

static void job_end(struct scheduler *u, struct channel *channel)
{
    u32 number = channel->first_job;
    struct job *job = &u->jobs[number];
    if (job->entry != NOBODY)
        u->entries[job->entry].used = false;
    channel->first_job = job->next;
    job->next = u->free_job;
    u->free_job = number;
}

/* The bytes of a sector of an entry, with the header if that is written; bits of those that count.
 */
static u32 sector_compose(const struct scheduler *u, const struct job *job, u32 sector, u8 *bytes)
{
    const struct bucket *at = &u->buckets[job->bucket];
    u32 mask = 0, first = sector * MEMORY_SECTOR;
    for (u32 i = 0; i < MEMORY_SECTOR; i++)
        mask |= (u32)(first + i >= job->from_byte && first + i < job->to_byte) << i;
    memset(bytes, 0, MEMORY_SECTOR);
    if (job->entry != NOBODY)
        memcpy(bytes, u->entries[job->entry].bytes + first, MEMORY_SECTOR);
    if (!sector && job->header) {
        struct bucket_header header = { .segment = at->segment, .rays = at->rays };
        memcpy(bytes, &header, sizeof header);
        mask |= (1 << BUCKET_HEADER_BYTES) - 1;
    }
    return mask;
}

static void sector_write(struct scheduler *u, u32 channel, const struct job *job, u32 sector)
{
    struct message request = { .kind = MEMORY_WRITE,
                               .tag = job->bucket,
                               .address = manager_address(u, job->bucket) + sector * MEMORY_SECTOR,
                               .size_bytes = MEMORY_SECTOR };
    request.mask = sector_compose(u, job, sector, request.data.byte);
    u->s.sectors_written++;
    if (!u->store) {
        *link_push(u->w.memory.at[channel].out) = request;
        return;
    }
    u8 *bytes = u->store + (u64)job->bucket * BUCKET_BYTES + sector * MEMORY_SECTOR;
    for (u32 i = 0; i < MEMORY_SECTOR; i++)
        if (request.mask >> i & 1)
            bytes[i] = request.data.byte[i];
    sector_written(u, job->bucket);
}

/* False: a sector from the chip cannot go on. */
static bool sector_read(struct scheduler *u, u32 channel, const struct job *job, u32 sector)
{
    if (u->store &&
        !sector_pass(u, job->bucket, sector * MEMORY_SECTOR,
                     u->store + (u64)job->bucket * BUCKET_BYTES + sector * MEMORY_SECTOR))
        return false;
    u->s.sectors_read++;
    if (!u->store)
        *link_push(u->w.memory.at[channel].out) =
            (struct message){ .kind = MEMORY_READ,
                              .tag = job->bucket,
                              .address = manager_address(u, job->bucket) + sector * MEMORY_SECTOR,
                              .size_bytes = MEMORY_SECTOR };
    return true;
}

/* The next sector of a channel's oldest job: a header that lies apart, or one in turn. */
static bool channel_send(struct scheduler *u, u32 number)
{
    struct channel *channel = &u->channels[number];
    if (channel->first_job == NOBODY || (!u->store && !link_can_push(u->w.memory.at[number].out)))
        return false;
    struct job *job = &u->jobs[channel->first_job];
    bool apart = job->header && job->sector;
    u32 sector = apart ? 0 : job->sector;
    if (job->writes)
        sector_write(u, number, job, sector);
    else if (!sector_read(u, number, job, sector))
        return false;
    if (apart || !sector)
        job->header = false;
    job->sector = (u16)(job->sector + !apart);
    if (job->sector >= job->end && !job->header)
        job_end(u, channel);
    return true;
}

bool transfer_send(struct scheduler *u)
{
    bool moved = false;
    for (u32 i = 0; i < u->channel_count; i++)
        moved |= channel_send(u, i);
    return moved;
}
