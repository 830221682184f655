/* coalesce.c - work items become buckets: the ray coalescers of the stream scheduler's banks.
 *
 * A bank takes one item per cycle and puts it into the entry of the item's segment and lane. If
 * there is none, a free one is taken; if there is none either, the entry with the most rays is
 * written to memory as it is, and the item waits until that is done. A segment has several lanes,
 * in banks side by side, because many rays may come for one of them at once: all of them begin in
 * the same.
 * Always true: an entry that is used belongs to the open bucket of one lane, or is being
 * written. */
#include "unit/scheduler/scheduler.h"

bool coalesce_init(struct scheduler *u, struct ogv_error *error)
{
    u64 count = u->p.banks * u->p.entries;
    u->entries = unit_alloc_aside(&u->base, count, sizeof *u->entries, error);
    u->bank_taken =
        u->entries ? unit_alloc(&u->base, u->p.banks, sizeof *u->bank_taken, error) : NULL;
    u->bank_full =
        u->bank_taken ? unit_alloc(&u->base, u->p.banks, sizeof *u->bank_full, error) : NULL;
    for (u32 i = 0; u->bank_full && i < u->p.banks; i++)
        u->bank_full[i] = NEVER;
    return u->bank_full;
}

/* ---- Entries ---- */

static u32 entry_rays(const struct scheduler *u, const struct entry *entry)
{
    return u->buckets[entry->bucket].rays - entry->from;
}

static void entry_write(struct scheduler *u, u32 number)
{
    struct entry *entry = &u->entries[number];
    entry->writing = true;
    coalesce_lane(u, u->buckets[entry->bucket].segment, u->buckets[entry->bucket].lane)->entry =
        NOBODY;
    transfer_write(u, entry->bucket, number);
}

/* Makes room in a bank, unless that is under way already. */
static void bank_evict(struct scheduler *u, u32 bank)
{
    u32 first = bank * (u32)u->p.entries, fullest = NOBODY;
    for (u32 i = first; i < first + u->p.entries; i++) {
        const struct entry *entry = &u->entries[i];
        if (entry->writing)
            return;
        if (fullest == NOBODY || entry_rays(u, entry) > entry_rays(u, &u->entries[fullest]))
            fullest = i;
    }
    u->s.evicted++;
    entry_write(u, fullest);
}

/* An entry of the bank for a lane's open bucket; NOBODY: it has to wait. */
static u32 entry_take(struct scheduler *u, u32 bank, u32 bucket)
{
    u32 first = bank * (u32)u->p.entries;
    for (u32 i = first; i < first + u->p.entries; i++) {
        struct entry *entry = &u->entries[i];
        if (entry->used)
            continue;
        entry->used = true;
        entry->writing = false;
        entry->bucket = bucket;
        entry->from = bucket == NOBODY ? 0 : u->buckets[bucket].rays;
        return i;
    }
    bank_evict(u, bank);
    return NOBODY;
}

/* ---- Items ---- */

static void bank_wait(struct scheduler *u, u32 bank, cycle now)
{
    if (u->bank_full[bank] == NEVER)
        u->bank_full[bank] = now;
}

static void bank_go_on(struct scheduler *u, u32 bank, cycle now)
{
    if (u->bank_full[bank] != NEVER)
        u->s.bank_full += now - u->bank_full[bank];
    u->bank_full[bank] = NEVER;
    u->bank_taken[bank] = now + 1;
    u->s.bank_items++;
}

/* Gives a lane's items somewhere to go; false: there is no entry. */
static bool lane_open(struct scheduler *u, u32 number, u32 user, u32 bank)
{
    struct segment *segment = &u->segments[number];
    struct lane *lane = coalesce_lane(u, number, user);
    if (lane->entry != NOBODY)
        return true;
    u32 entry = entry_take(u, bank, lane->open);
    if (entry == NOBODY)
        return false;
    lane->entry = entry;
    if (lane->open != NOBODY)
        return true;
    lane->open = u->entries[entry].bucket = manager_take(u, number);
    u->buckets[lane->open].lane = (u8)(user % u->p.lanes);
    segment->opened++;
    if (!segment->kept++)
        segments_wake(u, number);
    return true;
}

static void lane_seal(struct scheduler *u, u32 number, struct lane *lane)
{
    u32 bucket = lane->open, entry = lane->entry;
    lane->open = NOBODY;
    u->segments[number].opened--;
    u->buckets[bucket].sealed = true;
    if (entry != NOBODY)
        entry_write(u, entry);
    else
        transfer_write(u, bucket, NOBODY);
}

void coalesce_seal(struct scheduler *u, u32 number)
{
    u32 lane = 0;
    while (coalesce_lane(u, number, lane)->open == NOBODY)
        lane++;
    lane_seal(u, number, coalesce_lane(u, number, lane));
}

/* What an item predicts of the work in its segment: the earlier in its order, the more (Arches). */
static u64 item_weight(u32 order)
{
    return UINT64_C(1) << (15 - min_u64(order, 15));
}

static void item_put(struct scheduler *u, u32 user, const struct message *item)
{
    u32 number = bucket_source_segment(item->source);
    struct segment *segment = &u->segments[number];
    struct lane *lane = coalesce_lane(u, number, user);
    struct bucket *bucket = &u->buckets[lane->open];
    bucket_put(u->entries[lane->entry].bytes, bucket->rays, item->data.byte, item->tag);
    segment->weight += item_weight(bucket_source_order(item->source));
    segment->rays++;
    u->s.items++;
    u->kept_items++;
    u->s.live_most = max_u64(u->s.live_most, ++u->live);
    unit_hold(&u->base, 1);
    if (++bucket->rays == BUCKET_RAYS)
        lane_seal(u, number, lane);
}

bool coalesce_add(struct scheduler *u, u32 user, const struct message *item, cycle now)
{
    u32 number = bucket_source_segment(item->source);
    u32 bank = (number + user % (u32)u->p.lanes) % (u32)u->p.banks;
    if (u->bank_taken[bank] == now + 1) {
        u->s.conflicts++;
        return false;
    }
    if (!lane_open(u, number, user, bank)) {
        bank_wait(u, bank, now);
        return false;
    }
    bank_go_on(u, bank, now);
    item_put(u, user, item);
    return true;
}

void coalesce_report(struct scheduler *u, cycle now)
{
    for (u32 i = 0; i < u->p.banks; i++) {
        if (u->bank_full[i] == NEVER)
            continue;
        u->s.bank_full += now - u->bank_full[i];
        u->bank_full[i] = now;
    }
    u->s.bank_cycles = u->p.banks * now;
    u->s.bank_idle = u->s.bank_cycles - u->s.bank_items - u->s.bank_full;
}
