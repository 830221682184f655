/* link.h - one-way wires between units, and when whom they wake.
 *
 * A unit uses a link with four calls:
 *
 *     link_can_push(l)   is there room? (if not, the unit is woken when there is)
 *     link_push(l)       takes the next slot and returns it to be filled in
 *     link_peek(l)       the oldest message that has arrived, or NULL
 *     link_pop(l)        done with that message
 *
 * or link_try_push(l), which is the first two in one.
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
        u32 amo;    /* of an atomic: which, an enum isa_amo; or MEMORY_TOGETHER */
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
 * from a link between domains, SLOT_POPPED and when the place may be used again. */
struct slot {
    cycle at;
    struct message message;
};

_Static_assert(sizeof(struct slot) == 64, "a slot is one cache line");

#define SLOT_POPPED (UINT64_C(1) << 63)

struct link {
    /* All that the writer and, within a domain, the reader look at: one cache line. Of a link
     * between domains, the reader changes nothing here. */
    struct unit *reader, *writer;
    struct domain *from; /* the writer's domain; within a domain, the reader's as well */
    u64 tail;            /* messages ever pushed */
    union {
        u64 *pending; /* within a domain: the reader's word of links that hold messages */
        u64 freed;    /* between domains: messages whose places the writer has got back, and */
    };
    union {
        cycle popped_at; /* within a domain: cycle of the last pop; NEVER: none yet */
        u64 free;        /* which of the first places are free for the writer */
    };
    union {
        struct {        /* within a domain: */
            u32 held;   /* messages inside, from place `first` on, and */
            u32 popped; /* popped in that cycle; 0: nothing, but the writer was refused in it */
        };
        u8 *mark; /* between domains: its place in the reader's inbox */
    };
    u16 first; /* between domains: which of the other places is used next */
    u16 mask;  /* capacity - 1 */
    u8 latency;
    u8 pending_bit; /* this link's place in the word */
    bool crosses;   /* joins two domains */
    bool waiting;   /* the writer was refused and has not got room since */

    /* What is seldom looked at, and what the reader of a link between domains owns: another. */
    struct domain *to;
    u64 head;         /* between domains: messages ever popped, and */
    cycle head_at;    /* the cycle of the last pop; NEVER: none yet */
    u64 *noted;       /* the same: the reader's word of links that hold messages, and */
    cycle *arrives;   /* its note of when the oldest one arrives */
    u64 unwatched;    /* stands in for that word and that note if there are none */
    cycle refused_at; /* between domains: since when the writer waits */
    u32 refusal_bit;  /* its place in the writer's refusals */
};

/* The slots lie behind it and, of a link between domains, the place of each message in the order of
 * sending before it, backwards. */
_Static_assert(offsetof(struct link, to) == 64 && sizeof(struct link) == 128, "two cache lines");

static inline struct slot *link_slots(const struct link *link)
{
    return (struct slot *)(link + 1);
}

/* Of a link between domains: the place of the n-th message that was ever pushed. */
static inline u16 *link_place_of(const struct link *link, u64 n)
{
    return (u16 *)link + ~(i64)(n & link->mask);
}

static inline struct slot *link_slot(const struct link *link, u64 n)
{
    return &link_slots(link)[*link_place_of(link, n)];
}

/* The paths for links between domains, for refusals and for mistakes. */
bool link_can_push_across(struct link *link);
struct message *link_push_across(struct link *link, cycle at);
struct message *link_try_push_across(struct link *link, cycle at);
const struct message *link_peek_across(const struct link *link);
void link_pop_across(struct link *link);
void link_pop_peeked_across(struct link *link, cycle now);
bool link_refuse(struct link *link);
_Noreturn void link_misused(const struct link *link, const char *how);

/* Where the reader of a link notes that it holds messages: bit `bit` of the word, and of one
 * between domains when the oldest one arrives. */
static inline void link_watch(struct link *link, u64 *word, u32 bit, cycle *arrives)
{
    if (link->crosses)
        link->noted = word;
    else
        link->pending = word;
    link->pending_bit = (u8)bit;
    link->arrives = arrives;
}

/* For whoever knows that a link is within a domain: what follows need not ask. */
static inline void link_is_within(const struct link *link)
{
    if (link->crosses)
        __builtin_unreachable();
}

/* Messages inside, arrived or on their way. */
static inline u64 link_held(const struct link *link)
{
    return link->crosses ? link->tail - link->head : link->held;
}

/* NEVER: nothing was popped yet. */
static inline cycle link_last_pop(const struct link *link)
{
    return link->crosses ? link->head_at : link->popped_at;
}

/* Since when the writer waits for room in a link that is full; NEVER: it does not. Nothing was
 * popped since, so that one within a domain need not note both. */
static inline cycle link_waiting_since(const struct link *link)
{
    if (!link->waiting || link_held(link) <= link->mask)
        return NEVER;
    return link->crosses ? link->refused_at : link->popped_at;
}

/* Where the n-th message is of those inside, the oldest being number 0. */
static inline struct slot *link_nth(const struct link *link, u64 n)
{
    if (link->crosses)
        return link_slot(link, link->head + n);
    return &link_slots(link)[(link->first + n) & link->mask];
}

/* Where the oldest message is, of a link that holds any. */
static inline struct slot *link_oldest(const struct link *link)
{
    return link->crosses ? link_slot(link, link->head) : &link_slots(link)[link->first];
}

/* Whether a slot was free before this cycle's pops, in a link within a domain. Mostly one is even
 * if those that were popped last count as taken. */
static inline bool link_has_room(const struct link *link)
{
    return __builtin_expect(link->held + link->popped <= link->mask, 1) ||
           (link->held <= link->mask && link->popped_at != link->from->now);
}

/* Fetches what pushing will look at, and the first place, into the host's cache: for a writer that
 * knows some cycles before that it will. */
static inline void link_prefetch(const struct link *link)
{
    __builtin_prefetch(link, 1);
    __builtin_prefetch(link + 1, 1);
}

static inline bool link_can_push(struct link *link)
{
    if (__builtin_expect(link->crosses, 0))
        return link_can_push_across(link);
    if (__builtin_expect(!link_has_room(link), 0))
        return link_refuse(link);
    link->waiting = false;
    return true;
}

/* The next slot of a link within a domain that has room. No latency reaches beyond the wheel. */
static inline struct message *link_place(struct link *link, cycle at)
{
    if (!link->held) {
        link->first = 0; /* one message at a time: one slot, which stays cached */
        *link->pending |= UINT64_C(1) << link->pending_bit;
        unit_enter(link->reader, at);
    }
    struct slot *slot = &link_slots(link)[(link->first + link->held++) & link->mask];
    link->tail++;
    slot->at = at;
    return &slot->message;
}

static inline struct message *link_push(struct link *link)
{
    cycle at = link->from->now + link->latency;
    if (__builtin_expect(link->crosses, 0))
        return link_push_across(link, at);
    if (__builtin_expect(!link_has_room(link), 0))
        link_misused(link, "pushed while full");
    return link_place(link, at);
}

/* link_push if link_can_push, else NULL. */
static inline struct message *link_try_push(struct link *link)
{
    cycle at = link->from->now + link->latency;
    if (__builtin_expect(link->crosses, 0))
        return link_try_push_across(link, at);
    if (__builtin_expect(!link_has_room(link), 0)) {
        link_refuse(link);
        return NULL;
    }
    link->waiting = false;
    return link_place(link, at);
}

/* The same of a link within a domain, for whoever knows the cycle. */
static inline struct message *link_try_push_within(struct link *link, cycle now)
{
    if (__builtin_expect(!link_has_room(link), 0)) {
        link_refuse(link);
        return NULL;
    }
    link->waiting = false;
    return link_place(link, now + link->latency);
}

static inline const struct message *link_peek(const struct link *link)
{
    if (__builtin_expect(link->crosses, 0))
        return link_peek_across(link);
    const struct slot *slot = &link_slots(link)[link->first];
    return link->held && slot->at <= link->from->now ? &slot->message : NULL;
}

/* link_peek of a link that is known to hold a message: its bit of the reader's ports says so. */
static inline const struct message *link_peek_held(const struct link *link, cycle now)
{
    const struct slot *slot = link_oldest(link);
    return slot->at <= now ? &slot->message : NULL;
}

/* The message that link_peek has shown before, for whoever remembers that it did. */
static inline const struct message *link_peeked(const struct link *link)
{
    return &link_oldest(link)->message;
}

/* link_pop of a message that was peeked in this cycle, in a link within a domain. */
static inline void link_pop_within(struct link *link, cycle now)
{
    link->popped = link->popped_at == now ? link->popped + 1 : 1;
    link->popped_at = now;
    link->first = (link->first + 1) & link->mask;
    if (--link->held)
        unit_enter(link->reader, max_u64(link_slots(link)[link->first].at, now + 1));
    else
        *link->pending &= ~(UINT64_C(1) << link->pending_bit);
    if (__builtin_expect(link->waiting, 0))
        unit_wake_to_retry(link->writer, now + 1);
}

/* The same for a reader that takes one message in a cycle and comes back by itself for what is
 * left: when that arrives, which may be before; NEVER: there is nothing. */
static inline cycle link_pop_only(struct link *link, cycle now)
{
    cycle next = NEVER;
    link->popped = 1;
    link->popped_at = now;
    link->first = (link->first + 1) & link->mask;
    if (--link->held)
        next = link_slots(link)[link->first].at;
    else
        *link->pending &= ~(UINT64_C(1) << link->pending_bit);
    if (__builtin_expect(link->waiting, 0))
        unit_wake_to_retry(link->writer, now + 1);
    return next;
}

static inline void link_pop(struct link *link)
{
    if (__builtin_expect(link->crosses, 0)) {
        link_pop_across(link);
        return;
    }
    cycle now = link->from->now;
    if (__builtin_expect(!link->held || link_slots(link)[link->first].at > now, 0))
        link_misused(link, "popped while nothing had arrived");
    link_pop_within(link, now);
}

/* link_pop for whoever has just peeked. */
static inline void link_pop_peeked(struct link *link, cycle now)
{
    if (__builtin_expect(link->crosses, 0))
        link_pop_peeked_across(link, now);
    else
        link_pop_within(link, now);
}

#endif
