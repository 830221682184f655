/* link.h - one-way wires between units, and when whom they wake.
 *
 * A unit uses a link with four calls:
 *
 *     link_can_push(l)   is there room? (if not, the unit is woken when there is)
 *     link_push(l)       takes the next slot and returns it to be filled in
 *     link_peek(l)       the oldest message that has arrived, or NULL
 *     link_pop(l)        done with that message
 *
 * Time is stamped into the messages. What is pushed at cycle t can be peeked from t + latency on. A
 * slot freed at cycle t can be pushed into from t + 1 on, or, when the link joins two domains, from
 * t + latency on: credits travel back as slowly as data. So nothing that a unit does in a cycle can
 * be seen by another unit in that same cycle, and the order in which units tick cannot matter.
 *
 * Wake-ups, always true: the oldest message of a link that is not empty has a wake-up of its reader
 * pending for the cycle in which it arrives (or the reader has been woken for it); a writer that
 * was refused has a wake-up pending for the cycle in which a slot becomes free, as soon as that
 * cycle is known.
 *
 * A link between domains is a ring with one writing and one reading host thread. Each side may or
 * may not see what the other did in the current window; it cannot matter, because the stamps of all
 * that lie beyond the window's end. */
#ifndef OGIVE_LINK_H
#define OGIVE_LINK_H

#include "ogive/domain.h"
#include "ogive/types.h"

#define MESSAGE_DATA_BYTES 32

/* What travels. The place that link_push returns still holds an old message: set every field that
 * the reader looks at, or copy a whole message: *link_push(out) = *link_peek(in). */
struct message {
    u64 address;
    u32 tag;    /* the requester's own mark; an answer carries it back */
    u32 source; /* who asked, where many share a link */
    union {
        u32 mask;   /* of a write: bit i: data.byte[i] counts */
        u32 amo;    /* of an atomic: which, an enum isa_amo */
        u32 missed; /* of a read: caches so far that had to ask below */
    };
    u16 kind;
    u16 size_bytes;
    union {
        u8 byte[MESSAGE_DATA_BYTES];
        u32 word[MESSAGE_DATA_BYTES / 4];
        u64 dword[MESSAGE_DATA_BYTES / 8];
        float real[MESSAGE_DATA_BYTES / 4];
    } data;
};

/* A place in a link. The stamp is the kernel's: when the message may be read or, once it was popped
 * from a link between domains, when the place may be used again. */
struct slot {
    cycle at;
    struct message message;
};

_Static_assert(sizeof(struct slot) == 64, "a slot is one cache line");

struct link {
    /* Fixed once built, and what the writer owns: one cache line. */
    struct slot *ring;
    struct unit *writer, *reader;
    struct domain *from, *to; /* theirs */
    u64 tail;                 /* messages ever pushed */
    cycle waiting_since;      /* since when the writer waits for room; NEVER: it does not */
    u16 mask;                 /* capacity - 1 */
    u16 start;                /* number of the message in the ring's first slot; 0 if it crosses */
    u16 latency;
    bool crosses; /* joins two domains */

    /* What the reader owns: another one. */
    u64 head __attribute__((aligned(64))); /* messages ever popped */
    u64 head_before;                       /* head before the pops of cycle popped_at */
    cycle popped_at;                       /* cycle of the last pop; NEVER: none yet */
    u64 *pending;                          /* the reader's word of links that hold messages, and */
    u64 pending_bit;                       /* this link's bit in it */
    cycle *arrives; /* the reader's note of when the oldest message arrives, if the link crosses */
    u64 unwatched;  /* stands in for that word and that note if the reader keeps none */
    u32 arrival_bit, credit_bit; /* this link's places in the inboxes of reader and writer */
};

_Static_assert(offsetof(struct link, head) == 64 && sizeof(struct link) == 128,
               "writer's and reader's lines");

/* The paths for links between domains, and for mistakes. */
bool link_can_push_across(struct link *link);
struct message *link_push_across(struct link *link, cycle at);
void link_pop_across(struct link *link);
u64 link_tail_across(const struct link *link);
_Noreturn void link_misused(const struct link *link, const char *how);

/* Where the n-th message ever is. */
static inline struct slot *link_slot(const struct link *link, u64 n)
{
    return &link->ring[(n - link->start) & link->mask];
}

/* Whether a slot was free before this cycle's pops, in a link within a domain. */
static inline bool link_has_room(const struct link *link)
{
    u64 head = link->popped_at == link->from->now ? link->head_before : link->head;
    return link->tail - head <= link->mask;
}

static inline bool link_can_push(struct link *link)
{
    if (__builtin_expect(link->crosses, 0))
        return link_can_push_across(link);
    if (__builtin_expect(link_has_room(link), 1)) {
        if (__builtin_expect(link->waiting_since != NEVER, 0))
            link->waiting_since = NEVER;
        return true;
    }
    cycle now = link->from->now;
    if (link->waiting_since == NEVER)
        link->waiting_since = now;
    if (link->popped_at == now)
        unit_wake_to_retry(link->writer, now + 1);
    return false;
}

static inline struct message *link_push(struct link *link)
{
    cycle at = link->from->now + link->latency;
    if (__builtin_expect(link->crosses, 0))
        return link_push_across(link, at);
    if (__builtin_expect(!link_has_room(link), 0))
        link_misused(link, "pushed while full");
    if (link->head == link->tail) {
        link->start = (u16)link->tail; /* one message at a time: one slot, which stays cached */
        *link->pending |= link->pending_bit;
        unit_wake(link->reader, at);
    }
    struct slot *slot = link_slot(link, link->tail++);
    slot->at = at;
    return &slot->message;
}

static inline const struct message *link_peek(const struct link *link)
{
    u64 tail = link->crosses ? link_tail_across(link) : link->tail;
    if (link->head == tail)
        return NULL;
    const struct slot *slot = link_slot(link, link->head);
    return slot->at <= link->to->now ? &slot->message : NULL;
}

/* The message that link_peek has shown before, for whoever remembers that it did. */
static inline const struct message *link_peeked(const struct link *link)
{
    return &link_slot(link, link->head)->message;
}

static inline void link_pop(struct link *link)
{
    cycle now = link->to->now;
    if (__builtin_expect(link->crosses, 0)) {
        link_pop_across(link);
        return;
    }
    if (__builtin_expect(!link_peek(link), 0))
        link_misused(link, "popped while nothing had arrived");
    if (link->popped_at != now) {
        link->popped_at = now;
        link->head_before = link->head;
    }
    link->head++;
    if (link->head != link->tail)
        unit_wake(link->reader, max_u64(link_slot(link, link->head)->at, now + 1));
    else
        *link->pending &= ~link->pending_bit;
    if (__builtin_expect(link->waiting_since != NEVER, 0))
        unit_wake_to_retry(link->writer, now + 1);
}

#endif
