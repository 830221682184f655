/* queue.h - requests in their banks.
 *
 * Each bank has one list per kind in order of acceptance, which within one kind is also the order
 * of arrival. Only three requests of a list can be next: the head, and while a row is open the
 * oldest hit and the oldest miss. They are kept up to date where a list or a row changes, so a
 * scheduler never walks a list. Masks over the banks say where each of the three exists. */
#ifndef DRAM_QUEUE_H
#define DRAM_QUEUE_H

#include "dram/controller.h"

static inline void mask_set(u64 *mask, u32 bank, bool value)
{
    *mask = value ? *mask | bank_bit(bank) : *mask & ~bank_bit(bank);
}

/* The first request from `index` on that wants the open row, or does not. */
static inline u16 list_find(const struct dram_channel *channel, u16 index, u64 row, bool hit)
{
    while (index != DRAM_NO_REQUEST && (channel->requests[index].row == row) != hit)
        index = channel->requests[index].next;
    return index;
}

static inline void oldest_set(struct dram_channel *channel, u32 bank, u32 kind, u16 hit, u16 miss)
{
    u16 *oldest = channel->banks[bank].oldest[kind];
    oldest[DRAM_HIT] = hit;
    oldest[DRAM_MISS] = miss;
    mask_set(&channel->hits[kind], bank, hit != DRAM_NO_REQUEST);
    mask_set(&channel->misses[kind], bank, miss != DRAM_NO_REQUEST);
}

/* Which of the bank's oldest requests a new one has become. */
static inline enum dram_oldest oldest_enter(struct dram_channel *channel,
                                            const struct dram_request *r, u16 index)
{
    struct dram_bank *bank = &channel->banks[r->bank];
    u16 *oldest = bank->oldest[r->kind];
    u64 bit = bank_bit(r->bank);
    if (!(channel->open & bit))
        return oldest[DRAM_HEAD] == index ? DRAM_HEAD : DRAM_OLDEST;
    bool hit = r->row == bank->row;
    enum dram_oldest class = hit ? DRAM_HIT : DRAM_MISS;
    if (oldest[class] != DRAM_NO_REQUEST)
        return DRAM_OLDEST;
    oldest[class] = index;
    *(hit ? &channel->hits[r->kind] : &channel->misses[r->kind]) |= bit;
    return class;
}

/* Which of its bank's oldest requests the new one is; DRAM_OLDEST: none of them. */
static inline enum dram_oldest queue_add(struct dram_channel *channel, u16 index)
{
    struct dram_request *r = &channel->requests[index];
    struct dram_bank *bank = &channel->banks[r->bank];
    u32 kind = r->kind;
    r->next = DRAM_NO_REQUEST;
    r->previous = bank->tail[kind];
    if (r->previous == DRAM_NO_REQUEST)
        bank->oldest[kind][DRAM_HEAD] = index;
    else
        channel->requests[r->previous].next = index;
    bank->tail[kind] = index;
    channel->waiting[kind] |= bank_bit(r->bank);
    channel->count[kind]++;
    return oldest_enter(channel, r, index);
}

/* The oldest hit or miss of its bank has gone: finds the next one. */
static inline void oldest_replace(struct dram_channel *channel, const struct dram_request *r,
                                  enum dram_oldest class, u64 *mask)
{
    struct dram_bank *bank = &channel->banks[r->bank];
    u16 next = list_find(channel, r->next, bank->row, class == DRAM_HIT);
    bank->oldest[r->kind][class] = next;
    if (next == DRAM_NO_REQUEST)
        *mask &= ~bank_bit(r->bank);
}

static inline void queue_remove(struct dram_channel *channel, u16 index)
{
    struct dram_request *r = &channel->requests[index];
    struct dram_bank *bank = &channel->banks[r->bank];
    u32 kind = r->kind;
    if (index == bank->oldest[kind][DRAM_HIT])
        oldest_replace(channel, r, DRAM_HIT, &channel->hits[kind]);
    else if (index == bank->oldest[kind][DRAM_MISS])
        oldest_replace(channel, r, DRAM_MISS, &channel->misses[kind]);
    if (r->previous != DRAM_NO_REQUEST) {
        channel->requests[r->previous].next = r->next;
    } else {
        bank->oldest[kind][DRAM_HEAD] = r->next;
        if (r->next == DRAM_NO_REQUEST)
            channel->waiting[kind] &= ~bank_bit(r->bank);
    }
    if (r->next == DRAM_NO_REQUEST)
        bank->tail[kind] = r->previous;
    else
        channel->requests[r->next].previous = r->previous;
    channel->count[kind]--;
}

/* From its bank's list to the tail of the active list. */
static inline void queue_activate(struct dram_channel *channel, u16 index)
{
    struct dram_request *r = &channel->requests[index];
    queue_remove(channel, index);
    r->next = DRAM_NO_REQUEST;
    r->previous = channel->active_tail;
    if (r->previous == DRAM_NO_REQUEST)
        channel->active_head = index;
    else
        channel->requests[r->previous].next = index;
    channel->active_tail = index;
    channel->active |= bank_bit(r->bank);
}

static inline void queue_deactivate(struct dram_channel *channel, u16 index)
{
    struct dram_request *r = &channel->requests[index];
    if (r->previous == DRAM_NO_REQUEST)
        channel->active_head = r->next;
    else
        channel->requests[r->previous].next = r->next;
    if (r->next == DRAM_NO_REQUEST)
        channel->active_tail = r->previous;
    else
        channel->requests[r->next].previous = r->previous;
    channel->active &= ~bank_bit(r->bank);
}

/* The bank's row has changed: finds its oldest hit and miss again. */
static inline void queue_row_opened(struct dram_channel *channel, u32 bank)
{
    const struct dram_bank *b = &channel->banks[bank];
    for (u32 kind = 0; kind < DRAM_KINDS; kind++) {
        u16 head = b->oldest[kind][DRAM_HEAD];
        oldest_set(channel, bank, kind, list_find(channel, head, b->row, true),
                   list_find(channel, head, b->row, false));
    }
}

static inline void queue_row_closed(struct dram_channel *channel, u32 bank)
{
    for (u32 kind = 0; kind < DRAM_KINDS; kind++)
        oldest_set(channel, bank, kind, DRAM_NO_REQUEST, DRAM_NO_REQUEST);
}

/* The write to exactly this address that waits in the bank's list, or DRAM_NO_REQUEST. */
static inline u16 queue_find_write(const struct dram_channel *channel, u64 address, u32 bank)
{
    u16 index = channel->banks[bank].oldest[DRAM_WRITE][DRAM_HEAD];
    while (index != DRAM_NO_REQUEST && channel->requests[index].address != address)
        index = channel->requests[index].next;
    return index;
}

#endif
