/* cache.h - the cache unit, for its own files: cache.c (building and time), take.c
 * (requests from above), give.c (answers), straight.h (most ticks), hit.h, request.c, write.c and
 * miss.c (what becomes of a request), below.c (requests for below), fill.c (and what becomes of an
 * answer from there), sector.c and sector.h (short ways of a miss and its fill), fence.c, ghost.c
 * (requests of others), address.c (where it belongs), tags.c (what is here), mshr.c (what is
 * awaited).
 */
#ifndef UNIT_CACHE_CACHE_H
#define UNIT_CACHE_CACHE_H

#include "ogive/explain.h"
#include "ogive/unit.h"
#include "unit/cache/mshr.h"
#include "unit/cache/sides.h"
#include "unit/cache/tags.h"
#include "unit/parts/atomic.h"

/* The parts of a tick, of which most have nothing to do, do not share one frame. */
#define STRAIGHT         __attribute__((always_inline))
#define PART             __attribute__((noinline))

#define CACHE_BANKS_MAX  64
#define CACHE_FENCES_MAX 64

/* clang-format off */
#define CACHE_HASHES(C, with)       C(linear, with) C(xor, with)
#define CACHE_ALLOCATES(C, with)    C(miss, with) C(fill, with)
#define CACHE_WRITES(C, with)       C(through, with) C(back, with)
#define CACHE_WRITE_MISSES(C, with) C(around, with) C(allocate, with) C(fetch, with)
#define CACHE_MSHRS(C, with)        C(sector, with) C(line, with)
#define CACHE_ATOMICS(C, with)      C(below, with) C(here, with)
#define CACHE_FENCES(C, with)       C(private, with) C(shared, with)

#define CACHE_PARAMS(P)                                                                            \
    P(bytes, size, 64 * KiB, 32, 1 * GiB, "capacity, over all slices")                             \
    P(number, ways, 4, 1, 4096, "lines in a set")                                                  \
    P(bytes, line, 128, 32, CACHE_LINE_BYTES_MAX, "bytes that share a tag")                        \
    P(bytes, sector, 32, 32, CACHE_LINE_BYTES_MAX, "bytes that are fetched together")              \
    P(number, slices, 1, 1, CACHE_BANKS_MAX,                                                       \
      "parts with their own sets, MSHRs and way to the memory behind")                             \
    P(number, banks, 1, 1, CACHE_BANKS_MAX,                                                        \
      "parts of a slice that work at the same time")                                               \
    P(number, ports, 1, 1, 16, "requests taken, answers given, fills taken per bank and cycle")    \
    P(flag, bursts, 0, 0, 1,                                                                       \
      "a user's next request may be taken in the same cycle, as far as `ports` go")                \
    P(bytes, interleave, 0, 0, 1 * GiB,                                                            \
      "bytes in one slice or bank before the next one's turn; 0: a line")                          \
    P(choice, hash, "linear", UNIT_CHOICES(CACHE_HASHES), 0,                                       \
      "how addresses choose slice and bank")                                                       \
    P(cycles, latency, 20, 1, 100000, "cycles from taking a request to answering it, on a hit")    \
    P(cycles, lookup, 1, 1, 100000, "cycles from taking a request to asking below, on a miss")     \
    P(cycles, fill, 1, 1, 100000, "cycles from an answer from below to answering with it")         \
    P(number, level, 1, 1, 4, "which of the marks `pass this cache` is meant for it")              \
    P(choice, replacement, "lru", UNIT_CHOICES(CACHE_POLICIES), 0,                                 \
      "which line leaves; none: nothing is kept")                                                  \
    P(number, seed, 1, 0, UINT64_MAX, "of random replacement; each copy differs")                  \
    P(choice, allocate, "miss", UNIT_CHOICES(CACHE_ALLOCATES), 0,                                  \
      "when a line is found for what was missing")                                                 \
    P(choice, write, "through", UNIT_CHOICES(CACHE_WRITES), 0, "when written bytes go below")      \
    P(choice, write_miss, "around", UNIT_CHOICES(CACHE_WRITE_MISSES), 0,                           \
      "bytes that are written and not here: go below, are kept, are kept with their sector")       \
    P(number, mshrs, 32, 1, 65536, "misses under way, per slice")                                  \
    P(number, merges, 8, 1, 4096, "requests that may wait for one miss")                           \
    P(choice, mshr, "sector", UNIT_CHOICES(CACHE_MSHRS), 0, "what one MSHR stands for")            \
    P(number, passes, 64, 1, 65536, "requests passed on below and not answered, at once")          \
    P(number, depth, 16, 1, 65536, "requests that may wait to go below, per slice")                \
    P(number, width, 1, 1, 64, "requests that go below per slice and cycle")                       \
    P(number, queue, 32, 1, 65536, "answers that may wait for room above, per bank")               \
    P(number, prefetch, 0, 0, 16, "following sectors that are fetched with a missing one")         \
    P(choice, atomics, "below", UNIT_CHOICES(CACHE_ATOMICS), 0, "where atomic operations execute") \
    P(cycles, atomic_interval, 0, 0, 1000,                                                         \
      "cycles for which a bank takes nothing else after an atomic operation; 0: as any request")   \
    P(number, atomic_burst, 1, 1, 64, "atomic operations that a bank takes in that time")          \
    P(cycles, write_interval, 0, 0, 1000,                                                          \
      "cycles for which a bank takes nothing else after a write; 0: as any request")               \
    P(cycles, write_head, 0, 0, 1000,                                                              \
      "further ones if it is of parts of a sector, in another line than the user's write before")  \
    P(choice, fence, "private", UNIT_CHOICES(CACHE_FENCES), 0,                                     \
      "private: a fence empties it; shared: all users of the memory behind see this one cache")    \
    SIDES_PARAMS(P)

#define CACHE_STATS(S)                                                                             \
    S(reads, "requests", SUM, WORK, "reads taken")                                                 \
    S(writes, "requests", SUM, WORK, "writes taken")                                               \
    S(atomics, "requests", SUM, WORK, "atomic operations taken")                                   \
    S(fences, "requests", SUM, WORK, "fences taken")                                               \
    S(passed, "requests", SUM, WORK, "uncached requests and atomics passed on below")              \
    S(lookups, "requests", SUM, WORK, "reads, writes and atomics that were looked up")             \
    S(hits, "requests", SUM, WORK, "of these, found here")                                         \
    SIDES_STATS(S)                                                                                 \
    S(half_misses, "requests", SUM, WORK, "of these, found on their way here")                     \
    S(misses, "requests", SUM, WORK, "of these, not found")                                        \
    S(evictions, "lines", SUM, WORK, "lines that left for others")                                 \
    S(write_backs, "requests", SUM, WORK, "pieces of 32 bytes with dirty bytes sent below")        \
    S(bank_conflicts, "cycles", SUM, WORK, "request-cycles lost to another at the same bank")      \
    S##_ARRAY(stalls, CACHE_STALLS)                                                                \
    S(occupancy, "cycles", SUM, WORK, "MSHR-cycles in use")                                        \
    S(bytes_answered, "bytes", SUM, WORK, "data given to users")                                   \
    S(bytes_taken, "bytes", SUM, WORK, "data taken from users")                                    \
    S(bytes_fetched, "bytes", SUM, WORK, "data from below")                                        \
    S(bytes_sent, "bytes", SUM, WORK, "data sent below")                                           \
    S(prefetches, "requests", SUM, WORK, "pieces of 32 bytes fetched before anybody needed them")  \
    S(prefetch_useful, "requests", SUM, WORK, "of these, asked for later")                         \
    S(prefetch_useless, "requests", SUM, WORK, "of these, left without having been asked for")     \
    S(prefetch_dropped, "requests", SUM, WORK, "prefetches given up for want of room")             \
    S(faults, "requests", SUM, WORK, "write-backs to addresses without memory")

/* Why a bank cannot go on with its request. */
#define CACHE_STALLS(S) CACHE_STALL_LIST(CACHE_STALL_STAT, S)
#define CACHE_STALL_LIST(X, S)                                                                     \
    X(S, mshr, MSHR, "lost because all MSHRs were in use")                                         \
    X(S, merge, MERGE, "lost because an MSHR took no more requests")                               \
    X(S, way, WAY, "lost because all lines of a set were awaited")                                 \
    X(S, below, BELOW, "lost because the queue below was full")                                    \
    X(S, pass, PASS, "lost because `passes` were under way")                                       \
    X(S, answer, ANSWER, "lost because answers had no room above")                                 \
    X(S, order, ORDER, "for which an uncached request waited")                                     \
    X(S, fence, FENCE, "lost to fences")
#define CACHE_STALL_STAT(S, name, STALL, help)                                                     \
    S(name##_stalls, "cycles", SUM, WORK, "bank-cycles " help)

#define CACHE_RATIOS(R)                                                                            \
    R(hit_rate, hits, lookups, "", "share of requests found here; half misses are misses")         \
    R(half_miss_rate, half_misses, lookups, "", "share of requests found on their way here")       \
    R(mshr_time, occupancy, misses, "cycles", "average time that an MSHR is in use per miss")

#define CACHE_ENERGY(E)                                                                            \
    E(access, lookups, COST_DERIVED,                                                               \
      "a lookup, by the size of a slice: 220 to 2167 pJ for 32 KiB to 8 MiB; SimTRaX, 65 nm")      \
    E(fill, bytes_fetched, COST_DERIVED, "a byte from below: 1/64 of an access")                   \
    E(write_back, write_backs, COST_DERIVED, "32 bytes sent below: half an access")

#define CACHE_PORTS(T)                                                                             \
    T(users, SERVES, SOME, "who may ask")                                                          \
    T(next, ASKS, SOME, "what is behind; several must be linked `by: address`")
/* clang-format on */

enum cache_hash { CACHE_HASHES(UNIT_CHOICE_VALUE, HASH_) };
enum cache_allocate { CACHE_ALLOCATES(UNIT_CHOICE_VALUE, ALLOCATE_) };
enum cache_write { CACHE_WRITES(UNIT_CHOICE_VALUE, WRITE_) };
enum cache_write_miss { CACHE_WRITE_MISSES(UNIT_CHOICE_VALUE, MISS_) };
enum cache_mshr_for { CACHE_MSHRS(UNIT_CHOICE_VALUE, MSHR_) };
enum cache_atomics { CACHE_ATOMICS(UNIT_CHOICE_VALUE, ATOMICS_) };
enum cache_fences { CACHE_FENCES(UNIT_CHOICE_VALUE, FENCE_) };

enum cache_stall {
#define CACHE_STALL_VALUE(S, name, STALL, help) STALL_##STALL,
    CACHE_STALL_LIST(CACHE_STALL_VALUE, )
#undef CACHE_STALL_VALUE
        STALL_NONE,
};

/* One line of the host's cache. */
struct cache_bank {
    struct cache_list hits;   /* answers that were found here, on their way through the pipeline */
    struct cache_list filled; /* answers that came from below */
    u64 *wants;               /* a bit per user whose oldest request is for this bank */
    cycle since;              /* stuck: up to when the stall has been counted */
    cycle filled_at;          /* the cycle of `fills` */
    u32 hit_count;            /* in `hits` */
    u32 behind;               /* answers that are due behind another one: see `due` */
    u32 stuck;                /* the user whose request was picked and cannot go on; NOBODY */
    u16 waiting;              /* how many are in `wants` */
    u16 last;                 /* the user that was picked last: the next one's turn follows */
    u8 fills;                 /* taken in a cycle */
    u8 why;                   /* stuck: an enum cache_stall, and */
    bool keeps;               /* it is a write that stays here */
    u32 awaits;               /* STALL_MERGE: the full register of its sector; NOBODY: not known */
} __attribute__((aligned(64)));

/* What is to go below: a message without its data, which most have none of. */
struct cache_request {
    cycle at;    /* when it may leave */
    u64 address; /* from here on as in struct message */
    u32 tag, source, mask;
    u16 kind, size_bytes;
};

_Static_assert(sizeof(struct cache_request) ==
                   offsetof(struct cache_request, address) + offsetof(struct message, data),
               "the head of a message");

struct cache_slice {
    struct cache_request *below;    /* ring */
    u8 (*data)[MESSAGE_DATA_BYTES]; /* of each of its places */
    u64 head, tail;
};

struct cache {
    struct unit base;

    /* What every tick looks at. */
    u64 wanted;    /* banks that somebody wants */
    u64 sending;   /* slices that have requests for below */
    cycle send_at; /* when the first of these is due, but for those that were refused */
    union {
        u64 detours; /* not 0: a tick cannot take the straight way, as */
        struct {
            bool complex;          /* it is no plain cache, */
            bool answers_refused;  /* `unheard` has members, */
            bool requests_refused; /* `unsent` has, */
            bool stuck_any;        /* `stuck` has, */
            bool sweeping;         /* it sweeps for a fence, and takes nothing else, or, */
            bool again;            /* within a tick, something goes on in the next cycle */
        };
    };
    bool usual;        /* cache_is_usual, and its users are in its domain */
    bool entered;      /* answers are in the domain's calendar; else the next one is looked for */
    bool filling;      /* answers from below were left for the next cycle */
    bool notes;        /* links from below are in `coming`; else there is always one to look at */
    u32 user_words;    /* of 64 users each */
    u64 *known;        /* a bit per user whose request stands in a bank's wants or in */
    u64 *arrivals;     /* ring by cycle of the chip: whose request comes; NULL: none is */
    u32 arrivals_mask; /* its size less one */
    u32 due_mask;      /* the same of */
    u64 *due;          /* ring by cycle: the banks that have an answer to give then */
    cycle answer_at;   /* if not `entered`: the next and */
    cycle answer_last; /* the last cycle that is noted in it */
    u64 inside;        /* requests taken and not answered, and all that is to go below */
    struct cache_bank *banks; /* [slice][bank of a slice] */
    struct cache_slice *slices;
    u32 plain_bits;  /* of a request's kind: say whether it is a read that is for this cache; */
    u32 plain_kind;  /* what they are then, or, while it sweeps, never are */
    u64 claimed;     /* slices whose room below is for one that waits already */
    u64 expected;    /* links from below that hold something and are noted in */
    u8 *coming;      /* ring by cycle of the chip: whether their oldest message comes then */
    u32 coming_mask; /* its size less one */
    u32 next_turn;   /* which link goes first */
    struct cache_list fences; /* that wait for writes under way below */
    bool by_sector; /* regular; an MSHR stands for one piece, whose line is found on a miss */

    /* Derived from the parameters. */
    bool by_line;       /* lines are found on a miss: what is on its way is known by line */
    bool regular;       /* slice, bank and set are bits of an address */
    bool users_regular; /* the same of the route that users take */
    bool direct;        /* slice and bank are the same bits of what users say */
    bool apart; /* what an MSHR stands for is asked for in one bank only, and not by writes */
    u32 users_bits, slice_bits, bank_bits;         /* of the number of ways, slices, banks */
    u32 line_shift, interleave_shift, block_shift; /* block: of what an MSHR stands for */
    u32 set_shift;                                 /* of the bits that say which set of a slice */
    u32 next_shift;                                /* of the route below if regular, else 0 */
    u32 slice_mask, bank_mask, both_mask, set_mask, piece_mask; /* their numbers less one */
    u64 users_low; /* bits of an address within a block of that route */
    u32 skip;      /* the mark that is meant for this cache */
    u32 bank_count;
    u32 hits_most; /* of a bank */
    u32 below_mask;
    u32 sets;          /* of a slice */
    u32 sector_pieces; /* that are fetched together, as a mask from bit 0 on */
    u32 sector_count;
    u32 inside_most; /* see cache_is_full */

    struct cache_tags tags;
    struct cache_mshrs mshrs;
    u64 passing;        /* requests passed on and not answered */
    u64 writes_waiting; /* writes and atomics that wait for a miss and will make bytes dirty */
    u64 occupied;      /* when registers became free, less when they were taken: see cache_report */
    UNIT_FIELDS(CACHE) /* p: parameters, s: statistics, w: wires */
    struct waiting_line stuck;   /* banks */
    struct waiting_line unheard; /* banks whose answer has no room above */
    struct waiting_line unsent;  /* slices whose request has no room below */

    /* Writes under way below, by epoch; each fence ends one. */
    u64 under_way[CACHE_FENCES_MAX];
    u32 epoch, epoch_oldest;
    u32 fence_epoch; /* of the first one that waits */
    struct cache_sides sides;
    /* [bank] until when atomic operations and writes have it, in cycles times `atomic_burst`; NULL:
     * for no longer than others. */
    u64 *held;
    u64 *written; /* [user] the line of its last write; NULL: does not matter */
    struct reservations reservations;
    const struct unit_ghosts *ghosts; /* NULL: none */
    u64 ghosts_due, ghosts_gone;      /* so far they have come, and have been asked for; */
    u32 ghosts_asked;                 /* sectors of the next one */
    u64 ghosts_turns; /* sectors that simulated units have asked for ahead of them */
    cycle ghosts_at;  /* when the next are asked for */
};

/* Where an address belongs. */
struct cache_home {
    u64 local; /* as what is behind counts it */
    u64 number;
    u32 slice, bank, set;
    u32 piece; /* in the line */
    u32 line;  /* NOBODY: not here; set by cache_find */
    u32 mshr;  /* NOBODY: nothing of its block is on its way; set when that is looked up */
};

#define USUAL_WORDS 2 /* of 64 users each */

/* By its parameters: what the L1s of most chips are. */
static inline bool cache_is_usual(const struct cache *u)
{
    return u->by_sector && u->regular && u->direct && u->users_regular && !u->users_bits &&
           !u->users_low && u->tags.policy == REPLACE_lru && !u->tags.order && !u->sides.late &&
           u->entered && u->user_words <= USUAL_WORDS && !u->slice_mask;
}

/* What the L1s of most chips are: plain, by sectors, in the domain of their users, which share it
 * with no other cache. The compiler need not ask then. */
static inline void cache_assume(const struct cache *u, bool usual)
{
    if (usual && !cache_is_usual(u))
        __builtin_unreachable();
}

/* What one request can need of nodes: a write may wait here, and for its answer from below. */
#define NODES_MOST 2

/* Whether answers that have not left, or what is under way, may need all nodes but those of hits,
 * of which each bank has its own (`hits_most`): then nothing else is taken. Whatever is inside has
 * a node or will need one, or is to go below, or both; but a write that waits here and is answered
 * from below has a further one, and makes `inside_most` less by one meanwhile. */
static inline bool cache_is_full(const struct cache *u)
{
    return __builtin_expect(u->inside >= u->inside_most, 0);
}

/* ---- give.c ---- */

/* When answers leave: each has a place in a ring by cycle, one of a bank in a cycle; those that
 * find their bank's taken are behind it, and the bank has its next turn in the next cycle. The
 * cache wakes in each of these cycles: they are entered in the domain's calendar, unless that is by
 * another clock or does not reach so far. Always true: a bank's answers are its bits in the ring,
 * those behind, and the one that was refused, if any. */

/* The bank gives an answer at that time. */
static inline void bank_due(struct cache *u, u32 index, cycle at)
{
    u64 *due = &u->due[at & u->due_mask], others = *due, bit = UINT64_C(1) << index;
    *due = others | bit;
    if (__builtin_expect((others & bit) != 0, 0))
        u->banks[index].behind++;
    if (others)
        return;
    if (__builtin_expect(u->entered, 1)) {
        unit_enter(&u->base, at);
        return;
    }
    u->answer_at = min_u64(u->answer_at, at);
    u->answer_last = max_u64(u->answer_last, at);
}

/* Answers that are due go up. */
void answers_give(struct cache *u, cycle now);

/* The node is an answer of the bank at that time. */
static inline void cache_due(struct cache *u, u32 bank, u32 node, cycle at)
{
    u->mshrs.ready[node] = at;
    bank_due(u, bank, at);
}

/* Answers after the hit latency. */
static inline struct message *cache_answer(struct cache *u, u32 bank, u32 user, cycle now)
{
    u32 index = node_take(&u->mshrs);
    u->mshrs.nodes[index].user = user;
    cache_due(u, bank, index, now + u->p.latency);
    list_append(&u->mshrs, &u->banks[bank].hits, index);
    u->banks[bank].hit_count++;
    u->inside++;
    return &u->mshrs.nodes[index].message;
}

/* Answers with a node that waited for something from below. */
static inline void cache_answer_node(struct cache *u, u32 bank, u32 node, cycle now)
{
    cache_due(u, bank, node, now + u->p.fill);
    list_append(&u->mshrs, &u->banks[bank].filled, node);
}

/* Whether the bank can take another fill in this cycle; if so, it does. */
static inline bool bank_take_fill(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    if (bank->filled_at != now) {
        bank->filled_at = now;
        bank->fills = 0;
    }
    if (bank->fills == u->p.ports)
        return false;
    bank->fills++;
    return true;
}

/* The same in a plain cache. */
static inline bool bank_take_only_fill(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    bool first = bank->filled_at != now;
    bank->filled_at = now;
    bank->fills = 1;
    return first;
}

/* A queue of any depth takes all that one request needs when it is empty. What a bank waits for is
 * not for those that come after it, though they may need less. */
static inline bool cache_has_room(const struct cache *u, u32 slice, u64 requests)
{
    u64 queued = u->slices[slice].tail - u->slices[slice].head;
    return !(u->claimed >> slice & 1) && (queued == 0 || queued + requests <= u->p.depth);
}

/* Asks below after the look-up; there must be room. */
static inline struct cache_request *cache_ask(struct cache *u, u32 slice, cycle now)
{
    struct cache_slice *at = &u->slices[slice];
    if (at->head == at->tail)
        at->head = at->tail = 0; /* the slots that were used last, while few are needed */
    struct cache_request *request = &at->below[at->tail++ & u->below_mask];
    request->at = now + u->p.lookup;
    u->send_at = min_u64(u->send_at, request->at);
    u->sending |= UINT64_C(1) << slice;
    u->inside++;
    return request;
}

/* Where its data lies. */
static inline u8 *cache_ask_data(const struct cache_slice *slice,
                                 const struct cache_request *request)
{
    return slice->data[request - slice->below];
}

/* ---- take.c ---- */

/* Requests that have arrived are taken. */
void requests_take(struct cache *u, cycle now);

/* Brings the stalls up to now. */
void cache_count_stalls(struct cache *u, cycle now);

/* ---- write.c ---- */

/* Whether the request is a write that below need not learn of. */
bool cache_keeps(const struct cache *u, const struct message *request);

/* Executes an atomic operation in a piece of a line. */
void cache_apply_atomic(struct cache *u, struct message *message, struct cache_piece piece);

/* ---- below.c ---- */

/* A line of which nothing is dirty leaves for another. */
static inline void cache_replace_line(struct cache *u, const struct cache_home *home, u32 line)
{
    u->s.evictions += tags_holds(&u->tags, line);
    u->s.prefetch_useless += tags_unmark_fresh(&u->tags, line, UINT32_MAX);
    tags_put(&u->tags, home->set, line, home->number);
}

/* Makes room for a line; what is dirty in the one that leaves goes below, and there must be room.
 */
void cache_put_line(struct cache *u, const struct cache_home *home, u32 line, u32 source,
                    cycle now);

/* Sends a line's dirty bytes below; there must be room. */
void cache_write_back(struct cache *u, u32 slice, u32 line, u32 source, cycle now);
u32 cache_dirty_pieces(const struct cache *u, u32 line);

/* The chain that the register of a block, which is one line's, is in. */
static inline u32 *cache_chain(const struct cache *u, u32 line, u64 block)
{
    return u->by_line ? &u->tags.lines[line].pins : mshrs_chain(&u->mshrs, block);
}

/* mshrs_take */
static inline u32 cache_mshr_begin(struct cache *u, u32 *chain, u32 slice, u64 block, cycle now)
{
    u->occupied -= now;
    return mshrs_take(&u->mshrs, chain, slice, block, (u32)u->tags.generation);
}

/* All pieces have come of a register that is in no chain. */
static inline void cache_mshr_end(struct cache *u, u32 index, cycle now)
{
    u->occupied += now;
    mshrs_give_back(&u->mshrs, index);
}

/* ---- fill.c ---- */

/* Deals with any answer from below; false, and nothing changed, if its bank has had its share of
 * this cycle. */
bool cache_receive(struct cache *u, const struct message *answer, cycle now);

/* ---- ghost.c ---- */
void cache_haunt(struct unit *unit, const struct unit_ghosts *ghosts);

/* Those that are due. */
void cache_ghosts_ask(struct cache *u, cycle now);

/* With a request that was taken. */
void cache_ghosts_go_on(struct cache *u, u64 address, cycle now);

/* ---- fence.c ---- */
enum cache_stall cache_fence(struct cache *u, u32 bank, u32 user, const struct message *request,
                             cycle now);

/* Writes the next dirty line back; false if there is none or no room for it. */
bool cache_sweep(struct cache *u, cycle now);
void cache_settle_fences(struct cache *u, cycle now);
u32 cache_write_begins(struct cache *u);
void cache_write_ends(struct cache *u, u32 epoch);

/* In explain.c: what it has that requests wait for. */
extern const struct resource_row cache_resource_rows[];
extern const struct figure_row cache_figure_rows[];

#endif
