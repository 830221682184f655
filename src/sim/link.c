/* link.c - the half of the links that crosses domains, where writer and reader are run by different
 * host threads.
 *
 * head and tail are published with release and read with acquire. What a side sees of the other's
 * current window is up to chance, what it does with it is not: messages pushed and slots freed in
 * this window carry stamps beyond its end. */
#include "ogive/link.h"

/* Leaves a mark for the other domain. Marks are read in the next window, after a barrier, so
 * relaxed order is enough. */
static void inbox_mark(struct inbox *inbox, u32 parity, u32 bit)
{
    u64 *word = &inbox->marks[parity][bit / 64];
    u64 mask = UINT64_C(1) << (bit % 64);
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask))
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

bool link_can_push_across(struct link *link)
{
    cycle now = link->from->now;
    u64 head = __atomic_load_n(&link->head, __ATOMIC_ACQUIRE);
    bool popped = link->tail - head <= link->mask;
    const struct slot *slot = link_slot(link, link->tail);
    if (popped && slot->at <= now) {
        link->waiting_since = NEVER;
        return true;
    }
    if (link->waiting_since == NEVER)
        link->waiting_since = now;
    if (popped)
        unit_wake_to_retry(link->writer, slot->at);
    return false;
}

struct message *link_push_across(struct link *link, cycle at)
{
    struct domain *from = link->from, *to = link->to;
    if (!link_can_push_across(link))
        link_misused(link, "pushed while full");
    struct slot *slot = link_slot(link, link->tail);
    slot->at = at;
    from->earliest_out = min_u64(from->earliest_out, at);
    __atomic_store_n(&link->tail, link->tail + 1, __ATOMIC_RELEASE);
    inbox_mark(&to->arrivals, from->parity, link->arrival_bit);
    return &slot->message;
}

u64 link_tail_across(const struct link *link)
{
    return __atomic_load_n(&link->tail, __ATOMIC_ACQUIRE);
}

void link_pop_across(struct link *link)
{
    struct domain *from = link->to, *to = link->from; /* the credit goes back */
    struct slot *slot = link_slot(link, link->head);
    if (!link_peek(link))
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
