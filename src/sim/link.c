/* link.c - the half of the links that crosses domains, where writer and reader are run by different
 * host threads.
 *
 * head and tail are published with release and read with acquire. What a side sees of the other's
 * current window is up to chance, what it does with it is not: messages pushed and slots freed in
 * this window carry stamps beyond its end. */
#include "ogive/link.h"

#include "base/error.h"

/* Leaves a mark for the other domain. Marks are read in the next window, after a barrier, so
 * relaxed order is enough. */
static void inbox_mark(struct inbox *inbox, u32 parity, u32 bit)
{
    u64 *word = &inbox->marks[parity][bit / 64];
    u64 mask = UINT64_C(1) << (bit % 64);
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask))
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

/* ---- Slots: a stack of free ones, behind the numbers of those in use ---- */

static u16 *link_stack(const struct link *link)
{
    return link_order(link) + link->mask + 1;
}

static u32 link_used_slots(const struct link *link)
{
    return (u32)link->tail - link->reclaimed;
}

static u32 link_free_slots(const struct link *link)
{
    return (u32)link->mask + 1 - link_used_slots(link);
}

void link_init_slots(struct link *link)
{
    for (u32 i = 0; i <= link->mask; i++)
        link_stack(link)[i] = (u16)(link->mask - i);
}

/* Takes back the slots whose credits have arrived; whether there is one more on its way. */
static bool link_reclaim(struct link *link, cycle now)
{
    u32 head = (u32)__atomic_load_n(&link->head, __ATOMIC_ACQUIRE);
    u32 free = link_free_slots(link);
    for (; link->reclaimed != head; link->reclaimed++) {
        if (link_slot(link, link->reclaimed)->at > now)
            return true;
        link_stack(link)[free++] = link_order(link)[link->reclaimed & link->mask];
    }
    return false;
}

/* Slots that are used before it is worth looking which of them are free again. */
#define SLOTS_AT_HAND 8

bool link_can_push_across(struct link *link)
{
    cycle now = link->from->now;
    u32 used = link_used_slots(link);
    if (used < SLOTS_AT_HAND && used <= link->mask)
        return true;
    bool more = link_reclaim(link, now);
    if (link_free_slots(link)) {
        link->waiting_since = NEVER;
        return true;
    }
    if (link->waiting_since == NEVER)
        link->waiting_since = now;
    if (more)
        unit_wake_roomy(link->writer, link_slot(link, link->reclaimed)->at);
    return false;
}

struct message *link_push_across(struct link *link, cycle at)
{
    struct domain *from = link->from, *to = link->to;
    if (!link_free_slots(link) && !link_can_push_across(link))
        link_misused(link, "pushed while full");
    u16 number = link_stack(link)[link_free_slots(link) - 1];
    struct slot *slot = &link->ring[number];
    link_order(link)[link->tail & link->mask] = number;
    slot->at = at;
    from->earliest_out = min_u64(from->earliest_out, at);
    __atomic_store_n(&link->tail, link->tail + 1, __ATOMIC_RELEASE);
    inbox_mark(&to->arrivals, from->parity, link->arrival_bit);
    return &slot->message;
}

cycle link_credit_across(const struct link *link)
{
    return link_slot(link, link->reclaimed)->at;
}

u64 link_tail_across(const struct link *link)
{
    return __atomic_load_n(&link->tail, __ATOMIC_ACQUIRE);
}

const struct message *link_peek_across(const struct link *link)
{
    if (link->head == link_tail_across(link))
        return NULL;
    const struct slot *slot = link_slot(link, link->head);
    return slot->at <= link->to->now ? &slot->message : NULL;
}

void link_pop_across(struct link *link)
{
    struct domain *from = link->to, *to = link->from; /* the credit goes back */
    struct slot *slot = link_slot(link, link->head);
    if (!link_peek_across(link))
        link_misused(link, "popped while nothing had arrived");
    slot->at = from->now + link->latency;
    link->popped_at = from->now;
    __atomic_store_n(&link->head, link->head + 1, __ATOMIC_RELEASE);
    inbox_mark(&to->credits, from->parity, link->credit_bit);
    if (link->head != link_tail_across(link)) {
        cycle at = link_slot(link, link->head)->at;
        *link->arrives = at;
        unit_wake(link->reader, max_u64(at, from->now + 1));
    } else {
        *link->pending &= ~link->pending_bit; /* set again when the inbox is read */
    }
}

void link_misused(const struct link *link, const char *how)
{
    ogv_bug("link from unit number %u to unit number %u %s at cycle %llu", link->writer->number,
            link->reader->number, how, (unsigned long long)link->reader->domain->now);
}
