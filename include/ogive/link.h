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
    u32 mask;   /* which bytes of the data count, where not all do */
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

#define LINK_CAPACITY_MAX 32768 /* slots are counted in 16 bits */

struct link {
    /* All that a link within a domain needs, and of one that crosses what is fixed and what the
     * writer owns: one cache line. */
    struct slot *ring;
    struct unit *reader;
    u64 *pending;        /* the reader's word of links that hold messages */
    u64 tail;            /* messages ever pushed */
    cycle waiting_since; /* since when the writer waits for room; NEVER: it does not */
    cycle popped_at;     /* within a domain: cycle of the last pop; NEVER: none yet */
    u32 writer_index;    /* of the writer, in its domain */
    u16 popped;          /* within a domain: messages ever popped, the lowest bits, */
    u16 popped_before;   /* and before the pops of cycle popped_at */
    u16 mask;            /* capacity - 1 */
    u16 start;           /* number of the message in the ring's first slot; 0 if it crosses */
    u8 latency;
    u8 pending_bit; /* this link's, in the reader's word */
    bool crosses;   /* joins two domains */

    /* What the reader of one that crosses owns, and what is seldom needed: another one. */
    u64 head __attribute__((aligned(64))); /* if it crosses: messages ever popped */
    struct unit *writer;
    struct domain *from, *to; /* the writer's and the reader's */
    cycle *arrives; /* the reader's note of when the oldest message arrives, if the link crosses */
    u64 unwatched;  /* stands in for that word and that note if the reader keeps none */
    u32 arrival_bit, credit_bit; /* this link's places in the inboxes of reader and writer */
};

_Static_assert(offsetof(struct link, head) == 64 && sizeof(struct link) == 128,
               "writer's and reader's lines");
_Static_assert(LINK_LATENCY_MAX <= UINT8_MAX, "a latency fits");

/* The paths for links between domains, and for mistakes. */
bool link_can_push_across(struct link *link);
struct message *link_push_across(struct link *link);
const struct message *link_peek_across(const struct link *link);
void link_pop_across(struct link *link);
_Noreturn void link_misused(const struct link *link, const char *how);

/* Where the n-th message ever is. */
static inline struct slot *link_slot(const struct link *link, u64 n)
{
    return &link->ring[(n - link->start) & link->mask];
}

/* The messages in it, arrived or not. */
static inline u32 link_held(const struct link *link)
{
    return link->crosses ? (u32)(link->tail - link->head) : (u16)(link->tail - link->popped);
}

static inline void link_set_pending(struct link *link)
{
    *link->pending |= UINT64_C(1) << link->pending_bit;
}

static inline void link_clear_pending(struct link *link)
{
    *link->pending &= ~(UINT64_C(1) << link->pending_bit);
}

/* Within a domain: wakes the writer, which was refused. */
static inline void link_wake_writer(struct link *link, const struct domain *domain, cycle at)
{
    unit_wake_roomy(domain->units[link->writer_index], at);
}

/* Within a domain: whether a slot was free before this cycle's pops. */
static inline bool link_has_room(const struct link *link, cycle now)
{
    u16 popped = link->popped_at == now ? link->popped_before : link->popped;
    return (u16)(link->tail - popped) <= link->mask;
}

static inline bool link_can_push(struct link *link)
{
    if (__builtin_expect(link->crosses, 0))
        return link_can_push_across(link);
    const struct domain *domain = link->reader->domain;
    cycle now = domain->now;
    if (__builtin_expect(link_has_room(link, now), 1)) {
        if (__builtin_expect(link->waiting_since != NEVER, 0))
            link->waiting_since = NEVER;
        return true;
    }
    if (link->waiting_since == NEVER)
        link->waiting_since = now;
    if (link->popped_at == now)
        link_wake_writer(link, domain, now + 1);
    return false;
}

static inline struct message *link_push(struct link *link)
{
    if (__builtin_expect(link->crosses, 0))
        return link_push_across(link);
    cycle now = link->reader->domain->now, at = now + link->latency;
    if (__builtin_expect(!link_has_room(link, now), 0))
        link_misused(link, "pushed while full");
    if (link->popped == (u16)link->tail) {
        link->start = (u16)link->tail; /* one message at a time: one slot, which stays cached */
        link_set_pending(link);
        unit_wake(link->reader, at);
    }
    struct slot *slot = link_slot(link, link->tail++);
    slot->at = at;
    return &slot->message;
}

static inline const struct message *link_peek(const struct link *link)
{
    if (__builtin_expect(link->crosses, 0))
        return link_peek_across(link);
    if (link->popped == (u16)link->tail)
        return NULL;
    const struct slot *slot = link_slot(link, link->popped);
    return slot->at <= link->reader->domain->now ? &slot->message : NULL;
}

/* The place of the oldest message, for whoever knows that there is one. */
static inline const struct slot *link_oldest(const struct link *link)
{
    return link_slot(link, link->crosses ? link->head : link->popped);
}

/* The message that link_peek has shown before, for whoever remembers that it did. */
static inline const struct message *link_peeked(const struct link *link)
{
    return &link_oldest(link)->message;
}

static inline void link_pop(struct link *link)
{
    if (__builtin_expect(link->crosses, 0)) {
        link_pop_across(link);
        return;
    }
    const struct domain *domain = link->reader->domain;
    cycle now = domain->now;
    if (__builtin_expect(!link_peek(link), 0))
        link_misused(link, "popped while nothing had arrived");
    if (link->popped_at != now) {
        link->popped_at = now;
        link->popped_before = link->popped;
    }
    link->popped++;
    if (link->popped != (u16)link->tail)
        unit_wake(link->reader, max_u64(link_slot(link, link->popped)->at, now + 1));
    else
        link_clear_pending(link);
    if (__builtin_expect(link->waiting_since != NEVER, 0))
        link_wake_writer(link, domain, now + 1);
}

#endif
