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

/* Whether the next place has been popped, and whether that is known here by now. */
static inline bool link_is_popped(const struct link *link)
{
    return link->tail - __atomic_load_n(&link->head, __ATOMIC_ACQUIRE) <= link->mask;
}

static inline bool link_has_room_across(const struct link *link, const struct slot *slot)
{
    return link_is_popped(link) && slot->at <= link->from->now;
}

static bool link_refuse_across(struct link *link, const struct slot *slot)
{
    if (link->waiting_since == NEVER)
        link->waiting_since = link->from->now;
    if (link_is_popped(link))
        unit_wake_to_retry(link->writer, slot->at);
    return false;
}

bool link_can_push_across(struct link *link)
{
    const struct slot *slot = link_slot(link, link->tail);
    if (!link_has_room_across(link, slot))
        return link_refuse_across(link, slot);
    link->waiting_since = NEVER;
    return true;
}

struct message *link_push_across(struct link *link, cycle at)
{
    struct domain *from = link->from, *to = link->to;
    struct slot *slot = link_slot(link, link->tail);
    if (!link_has_room_across(link, slot))
        link_misused(link, "pushed while full");
    link->waiting_since = NEVER;
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

/* What comes after the message that was popped last. */
static inline void link_look_on_across(struct link *link, cycle now)
{
    if (link->head == link_tail_across(link)) {
        *link->pending &= ~link->pending_bit; /* set again when the inbox is read */
        return;
    }
    cycle at = link_slot(link, link->head)->at;
    *link->arrives = at;
    unit_wake(link->reader, max_u64(at, now + 1));
}

void link_pop_across(struct link *link)
{
    struct domain *from = link->to, *to = link->from; /* the credit goes back */
    struct slot *slot = link_slot(link, link->head);
    cycle now = from->now;
    if (link->head == link_tail_across(link) || slot->at > now)
        link_misused(link, "popped while nothing had arrived");
    slot->at = now + link->latency;
    link->popped_at = now;
    __atomic_store_n(&link->head, link->head + 1, __ATOMIC_RELEASE);
    inbox_mark(&to->credits, from->parity, link->credit_bit);
    link_look_on_across(link, now);
}
