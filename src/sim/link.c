/* link.c - refusals, and the half of the links that crosses domains, where writer and reader are
 * run by different host threads.
 *
 * A message takes the first place that is free, so that a link which holds few keeps to few lines
 * of the host's cache, and the writer notes which: in the order of sending. It gets places back in
 * that order, when the stamps that the reader leaves there say so. Which of the first 64 places are
 * free, a word says. Those behind are used in turn while all of these are taken; as they come back
 * in turn as well, the next one is free whenever there is room.
 *
 * tail, and the stamp of a place that was popped, are published with release and read with acquire.
 * What a side sees of the other's current window is up to chance, what it does with it is not:
 * messages pushed and places freed in this window carry stamps beyond its end. */
#include "ogive/link.h"

#include "sim/sim_private.h"

/* Leaves a mark for the other domain, in the set of this window. Marks are read in the next one,
 * after a barrier. */
static inline void link_mark(struct link *link)
{
    link->mark[link->from->parity * sizeof(u64)] = 1;
}

/* Within a domain: what was popped in this cycle can be used from the next one on. */
bool link_refuse(struct link *link)
{
    cycle now = link->from->now;
    if (link->popped_at == now && link->popped) {
        link->waiting = true;
        unit_wake_to_retry(link->writer, now + 1);
    } else if (!link->waiting) {
        link->waiting = true;
        link->popped_at = now;
        link->popped = 0;
    }
    return false;
}

/* When a place is free; more than any cycle while its message was not popped, or is not known here
 * to have been. */
static inline cycle slot_credit(const struct slot *slot)
{
    return __atomic_load_n(&slot->at, __ATOMIC_ACQUIRE) ^ SLOT_POPPED;
}

/* Takes back the places that are free by now. */
static inline void link_take_back(struct link *link)
{
    cycle now = link->from->now;
    u64 freed = link->freed, tail = link->tail, free = link->free;
    for (; freed != tail; freed++) {
        u32 place = *link_place_of(link, freed);
        if (slot_credit(&link_slots(link)[place]) > now)
            break;
        if (__builtin_expect(place < LINK_NEAR_PLACES, 1))
            free |= UINT64_C(1) << place;
    }
    link->freed = freed;
    link->free = free;
}

/* Whether no place is known to be free. */
static inline bool link_is_full(const struct link *link)
{
    return link->tail - link->freed > link->mask;
}

static inline bool link_has_room_across(struct link *link)
{
    if (__builtin_expect(link_is_full(link), 0))
        link_take_back(link);
    return !link_is_full(link);
}

/* The first of the near places that are free. */
static inline u32 link_take_near(struct link *link, u64 free)
{
    link->free = free & (free - 1);
    return (u32)__builtin_ctzll(free);
}

/* A place of a link that has room. */
static inline u32 link_take_place(struct link *link)
{
    if (link->free)
        return link_take_near(link, link->free);
    u32 place = link->first;
    link->first = place == link->mask ? LINK_NEAR_PLACES : (u16)(place + 1);
    return place;
}

static void link_note_waiting_across(struct link *link)
{
    if (link->waiting)
        return;
    link->waiting = true;
    link->refused_at = link->from->now;
}

static bool link_refuse_across(struct link *link)
{
    cycle credit = slot_credit(link_slot(link, link->freed));
    link_note_waiting_across(link);
    if (credit < SLOT_POPPED)
        unit_wake_to_retry(link->writer, credit);
    else
        link->from->refusals.marks[link->refusal_bit / 64] |= UINT64_C(1)
                                                              << (link->refusal_bit % 64);
    return false;
}

bool link_can_push_across(struct link *link)
{
    if (!link_has_room_across(link))
        return link_refuse_across(link);
    link->waiting = false;
    return true;
}

/* Puts the next message in a place. Of a window's messages mostly the first arrives first. */
static inline struct message *link_place_across(struct link *link, u32 place, cycle at)
{
    struct domain *from = link->from;
    u64 tail = link->tail;
    struct slot *slot = &link_slots(link)[place];
    *link_place_of(link, tail) = (u16)place;
    link->waiting = false;
    link_mark(link);
    if (__builtin_expect(at < from->earliest_out, 0))
        from->earliest_out = at;
    slot->at = at;
    __atomic_store_n(&link->tail, tail + 1, __ATOMIC_RELEASE);
    return &slot->message;
}

/* Places are taken back when these are taken: several at once, so that it costs less. */
#define FIRST_PLACES 0xff

/* With none of the first places free. */
static __attribute__((noinline)) struct message *link_try_push_behind(struct link *link, cycle at)
{
    link_take_back(link);
    if (link_is_full(link)) {
        link_refuse_across(link);
        return NULL;
    }
    return link_place_across(link, link_take_place(link), at);
}

struct message *link_try_push_across(struct link *link, cycle at)
{
    u64 free = link->free;
    if (__builtin_expect(!(free & FIRST_PLACES), 0))
        return link_try_push_behind(link, at);
    return link_place_across(link, link_take_near(link, free), at);
}

struct message *link_push_across(struct link *link, cycle at)
{
    struct message *message = link_try_push_across(link, at);
    if (!message)
        link_misused(link, "pushed while full");
    return message;
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
    *link->noted &= ~(UINT64_C(1) << link->pending_bit);
}

cycle link_note_arrival(struct link *link)
{
    const struct slot *slot = link_first_across(link);
    if (!slot) {
        link_note_empty(link);
        return NEVER;
    }
    *link->noted |= UINT64_C(1) << link->pending_bit;
    *link->arrives = slot->at;
    return slot->at;
}

void link_pop_peeked_across(struct link *link, cycle now)
{
    u64 head = link->head;
    cycle *at = &link_slot(link, head++)->at;
    link->head = head;
    link->head_at = now;
    __atomic_store_n(at, SLOT_POPPED | (now + link->latency), __ATOMIC_RELEASE);
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
    cycle credit = link_is_full(link) ? slot_credit(link_slot(link, link->freed)) : 0;
    return credit < SLOT_POPPED ? credit : NEVER;
}
