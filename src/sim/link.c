/* link.c - refusals, and the half of the links that crosses domains, where writer and reader are
 * run by different host threads.
 *
 * head and tail are published with release and read with acquire. What a side sees of the other's
 * current window is up to chance, what it does with it is not: messages pushed and slots freed in
 * this window carry stamps beyond its end. */
#include "ogive/link.h"

#include "sim/sim_private.h"

/* Leaves a mark for the other domain, in the set of this window. Marks are read in the next one,
 * after a barrier. */
static inline void link_mark(struct link *link)
{
    link->mark[link->from->parity * sizeof(u64)] = 1;
}

static void link_note_waiting(struct link *link)
{
    if (link->waiting)
        return;
    link->waiting = true;
    link->waiting_since = link->from->now;
}

/* Within a domain: what was popped in this cycle can be used from the next one on. */
bool link_refuse(struct link *link)
{
    cycle now = link->from->now;
    link_note_waiting(link);
    if (link->popped_at == now)
        unit_wake_to_retry(link->writer, now + 1);
    return false;
}

/* The n-th message's place in a link between domains. */
static inline struct slot *link_slot(const struct link *link, u64 n)
{
    return &link->ring[n & link->mask];
}

/* Whether the place of the n-th message has been popped, and whether that is known here by now. */
static inline bool link_is_popped(const struct link *link, u64 n)
{
    return n - __atomic_load_n(&link->head, __ATOMIC_ACQUIRE) <= link->mask;
}

static inline bool link_is_free(const struct link *link, u64 n)
{
    return link_is_popped(link, n) && link_slot(link, n)->at <= link->from->now;
}

/* Whether there is room for the next message. Places become free in the order in which they were
 * taken, so that one look some way ahead tells of all before. Each look waits for a line of the
 * host's cache that another domain wrote last. */
static bool link_look_ahead(struct link *link)
{
    u64 ahead = link->tail + link->mask / 8;
    if (link_is_free(link, ahead))
        link->room_to = ahead + 1;
    else if (link_is_free(link, link->tail))
        link->room_to = link->tail + 1;
    return link->tail < link->room_to;
}

static inline bool link_has_room_across(struct link *link)
{
    return link->tail < link->room_to || link_look_ahead(link);
}

static bool link_refuse_across(struct link *link)
{
    u64 bit = UINT64_C(1) << (link->refusal_bit % 64);
    link_note_waiting(link);
    if (link_is_popped(link, link->tail))
        unit_wake_to_retry(link->writer, link_slot(link, link->tail)->at);
    else
        link->from->refusals.marks[link->refusal_bit / 64] |= bit;
    return false;
}

bool link_can_push_across(struct link *link)
{
    if (!link_has_room_across(link))
        return link_refuse_across(link);
    link_end_waiting(link);
    return true;
}

/* The next slot of a link between domains that has room. Of a window's messages mostly the first
 * arrives first. */
static inline struct message *link_place_across(struct link *link, cycle at)
{
    struct domain *from = link->from;
    u64 tail = link->tail;
    struct slot *slot = link_slot(link, tail);
    link_end_waiting(link);
    link_mark(link);
    if (__builtin_expect(at < from->earliest_out, 0))
        from->earliest_out = at;
    slot->at = at;
    __atomic_store_n(&link->tail, tail + 1, __ATOMIC_RELEASE);
    return &slot->message;
}

struct message *link_push_across(struct link *link, cycle at)
{
    if (!link_has_room_across(link))
        link_misused(link, "pushed while full");
    return link_place_across(link, at);
}

/* Where it is not known that there is room. */
static __attribute__((noinline)) struct message *link_try_push_ahead(struct link *link, cycle at)
{
    if (!link_look_ahead(link)) {
        link_refuse_across(link);
        return NULL;
    }
    return link_place_across(link, at);
}

struct message *link_try_push_across(struct link *link, cycle at)
{
    if (__builtin_expect(link->tail >= link->room_to, 0))
        return link_try_push_ahead(link, at);
    return link_place_across(link, at);
}

/* The oldest message, or NULL if the link is empty. */
static inline struct slot *link_first_across(const struct link *link)
{
    bool empty = link->head == __atomic_load_n(&link->tail, __ATOMIC_ACQUIRE);
    return empty ? NULL : link_slot(link, link->head);
}

const struct message *link_peek_across(const struct link *link)
{
    const struct slot *slot = link_first_across(link);
    return slot && slot->at <= link->to->now ? &slot->message : NULL;
}

/* The reader has taken the last message: noted again with the next one. */
static inline void link_note_empty(struct link *link)
{
    *link->pending &= ~(UINT64_C(1) << link->pending_bit);
}

cycle link_note_arrival(struct link *link)
{
    const struct slot *slot = link_first_across(link);
    if (!slot) {
        link_note_empty(link);
        return NEVER;
    }
    *link->pending |= UINT64_C(1) << link->pending_bit;
    *link->arrives = slot->at;
    return slot->at;
}

void link_pop_peeked_across(struct link *link, cycle now)
{
    u64 head = link->head;
    /* The credit goes back: whoever was refused looks here. */
    link_slot(link, head++)->at = now + link->latency;
    link->head_at = now;
    __atomic_store_n(&link->head, head, __ATOMIC_RELEASE);
    if (head == __atomic_load_n(&link->tail, __ATOMIC_ACQUIRE)) {
        link_note_empty(link);
        return;
    }
    cycle arrives = *link->arrives = link_slot(link, head)->at;
    unit_wake(link->reader, max_u64(arrives, now + 1));
}

void link_pop_across(struct link *link)
{
    if (!link_peek_across(link))
        link_misused(link, "popped while nothing had arrived");
    link_pop_peeked_across(link, link->to->now);
}

cycle link_next_credit(const struct link *link)
{
    return link_is_popped(link, link->tail) ? link_slot(link, link->tail)->at : NEVER;
}
