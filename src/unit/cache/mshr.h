/* mshr.h - what a cache waits for: miss registers (MSHRs), and the requests that wait.
 *
 * A register stands for a block (a sector or a line) of which pieces are on their way. Requests for
 * them wait at the register in the order in which they came. They are nodes of one pool, of which
 * one holds several reads if they are alike; the same nodes carry answers on their way up and
 * requests that were passed on below.
 * Always true: a register is in use exactly while it has pending pieces; every request that waits
 * at it is for one of them; a free one has no `waiting`, no `count` and is no prefetch; a node is
 * in one list, or free, or named by the tag of a request below. */
#ifndef UNIT_CACHE_MSHR_H
#define UNIT_CACHE_MSHR_H

#include "ogive/arbiter.h"
#include "ogive/link.h"

struct unit;
struct ogv_error;

/* What is kept of a read that waits behind the first one at its register, if it is of the same kind
 * and for the same sector. */
struct cache_follower {
    u32 tag, source;
    u16 user;
    u8 offset; /* in the sector */
    u8 size_bytes;
};

#define FOLLOWERS 4

/* What is kept of a request that was passed on. */
struct cache_passed {
    u64 address;
    u32 tag;
    u32 epoch; /* which fences wait for it */
};

/* What lists are made of: one line of the host's cache. It holds a request, or several reads that
 * wait for the same. */
struct cache_node {
    union {
        struct message message;
        struct cache_follower followers[FOLLOWERS];
        struct cache_passed passed;
    };
    u32 user; /* who asked; NOBODY: a write that was passed on and is answered from there; or */
    u32 next; /* NODE_FOLLOWED and how many followers there are */
} __attribute__((aligned(64)));

#define NODE_FOLLOWED 0x40000000u /* more than any user */

_Static_assert(sizeof(struct cache_node) == 64, "one line of the host's cache");
_Static_assert(BITSET_MAX <= UINT16_MAX && BITSET_MAX < NODE_FOLLOWED, "users have less");

struct cache_list {
    u32 first, last; /* nodes; NOBODY: none */
};

/* What is kept of a read that waits. */
struct cache_reader {
    u64 address;
    u32 tag, source;
    u32 user; /* NOBODY: there is none */
    u16 kind, size_bytes;
};

static inline void reader_keep(struct cache_reader *reader, const struct message *request, u32 user)
{
    reader->address = request->address;
    reader->tag = request->tag;
    reader->source = request->source;
    reader->user = user;
    reader->kind = request->kind;
    reader->size_bytes = request->size_bytes;
}

/* It is a message again, but for its data. */
static inline void reader_restore(struct message *message, const struct cache_reader *reader,
                                  u32 missed)
{
    message->address = reader->address;
    message->tag = reader->tag;
    message->source = reader->source;
    message->missed = missed;
    message->kind = reader->kind;
    message->size_bytes = reader->size_bytes;
}

/* One line of the host's cache. Mostly a single read waits, and it lies here. */
struct cache_mshr {
    u64 block;
    struct cache_reader first; /* came before all others that wait */
    struct cache_list waiting; /* the others; no first: none */
    u32 generation;            /* of the cache when it was taken into use, its lower half */
    u32 next;                  /* in its chain, or among the free ones: as in struct cache_mshrs */
    u32 line;                  /* that the pieces go to; NOBODY: one is chosen when they come */
    u32 pending;               /* pieces of the line that are on their way */
    u16 count;                 /* requests waiting */
    u8 slice;                  /* always the same */
    bool prefetch;             /* nobody has asked for it yet */
    bool partly;               /* of its first piece, some bytes were here when it began */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct cache_mshr) == 64, "one line of the host's cache");

/* Registers in use stand in chains, which begin with a register's number and one; 0 ends a chain.
 * Where lines are found on a miss, a chain is what is on its way into one line (tags.h), else what
 * has the same hash of its block. */
struct cache_mshrs {
    struct cache_mshr *at; /* [slice][registers of a slice] */
    u32 *free;             /* [slice] the free ones, chained likewise */
    u32 *chains;           /* by hash */
    u32 chain_bits;
    u32 active;
    struct cache_node *nodes;
    cycle *ready; /* [node] as an answer: when it may leave */
    u32 free_node;
};

bool mshrs_init(struct cache_mshrs *mshrs, struct unit *unit, u32 slices, u32 per_slice, u32 nodes,
                struct ogv_error *error);

/* The chain of a block's hash. */
static inline u32 *mshrs_chain(const struct cache_mshrs *mshrs, u64 block)
{
    u64 hash = block * UINT64_C(0x9e3779b97f4a7c15) >> (64 - mshrs->chain_bits);
    return &mshrs->chains[hash];
}

/* The register of this block and generation in a chain, or NOBODY. */
static inline u32 mshrs_find(const struct cache_mshrs *mshrs, u32 chain, u64 block, u32 generation)
{
    while (chain &&
           (mshrs->at[chain - 1].block != block || mshrs->at[chain - 1].generation != generation))
        chain = mshrs->at[chain - 1].next;
    return chain - 1;
}

/* There must be a free one in the slice. Whoever takes it sets what it goes to (`line`, `pending`),
 * and who waits (`first`, `count`). */
static inline u32 mshrs_take(struct cache_mshrs *mshrs, u32 *chain, u32 slice, u64 block,
                             u32 generation)
{
    u32 i = mshrs->free[slice] - 1;
    struct cache_mshr *mshr = &mshrs->at[i];
    mshrs->free[slice] = mshr->next;
    mshr->block = block;
    mshr->generation = generation;
    mshr->next = *chain;
    *chain = i + 1;
    mshrs->active++;
    return i;
}

/* Takes a register out of its chain. */
static inline void mshrs_unchain(struct cache_mshrs *mshrs, u32 *chain, u32 i)
{
    while (*chain != i + 1)
        chain = &mshrs->at[*chain - 1].next;
    *chain = mshrs->at[i].next;
}

/* What is in no chain becomes free. */
static inline void mshrs_give_back(struct cache_mshrs *mshrs, u32 i)
{
    struct cache_mshr *mshr = &mshrs->at[i];
    mshr->next = mshrs->free[mshr->slice];
    mshrs->free[mshr->slice] = i + 1;
    mshr->count = 0;
    mshrs->active--;
}

static inline u32 node_take(struct cache_mshrs *mshrs)
{
    u32 node = mshrs->free_node;
    mshrs->free_node = mshrs->nodes[node].next;
    return node;
}

static inline void node_give_back(struct cache_mshrs *mshrs, u32 node)
{
    mshrs->nodes[node].next = mshrs->free_node;
    mshrs->free_node = node;
}

static inline bool node_is_followed(const struct cache_node *node)
{
    return node->user - NODE_FOLLOWED <= FOLLOWERS;
}

static inline void list_append(struct cache_mshrs *mshrs, struct cache_list *list, u32 node)
{
    mshrs->nodes[node].next = NOBODY;
    if (list->first == NOBODY)
        list->first = node;
    else
        mshrs->nodes[list->last].next = node;
    list->last = node;
}

static inline u32 list_shift(struct cache_mshrs *mshrs, struct cache_list *list)
{
    u32 node = list->first;
    list->first = mshrs->nodes[node].next;
    return node;
}

/* Whether a read can wait as a follower of the first one. */
static inline bool mshr_follows(const struct cache_mshr *mshr, const struct message *request)
{
    return mshr->first.user != NOBODY && request->kind == mshr->first.kind &&
           request->address / MESSAGE_DATA_BYTES == mshr->first.address / MESSAGE_DATA_BYTES;
}

/* It waits so, in the last node of those that wait if that has room for it. */
static inline void mshr_follow(struct cache_mshrs *mshrs, struct cache_mshr *mshr, u32 user,
                               const struct message *request)
{
    struct cache_list *list = &mshr->waiting;
    u32 last = list->first == NOBODY ? NOBODY : list->last;
    if (last == NOBODY || mshrs->nodes[last].user - NODE_FOLLOWED >= FOLLOWERS) {
        last = node_take(mshrs);
        mshrs->nodes[last].user = NODE_FOLLOWED;
        list_append(mshrs, list, last);
    }
    struct cache_node *node = &mshrs->nodes[last];
    struct cache_follower *follower = &node->followers[node->user++ - NODE_FOLLOWED];
    follower->tag = request->tag;
    follower->source = request->source;
    follower->user = (u16)user;
    follower->offset = (u8)(request->address % MESSAGE_DATA_BYTES);
    follower->size_bytes = (u8)request->size_bytes;
}

/* What would have been kept of a follower if it had been the first. */
static inline struct cache_reader follower_reader(const struct cache_reader *first,
                                                  const struct cache_follower *follower)
{
    return (struct cache_reader){
        .address = first->address / MESSAGE_DATA_BYTES * MESSAGE_DATA_BYTES + follower->offset,
        .tag = follower->tag,
        .source = follower->source,
        .user = follower->user,
        .kind = first->kind,
        .size_bytes = follower->size_bytes
    };
}

#endif
