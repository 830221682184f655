/* scheduler.h - the stream scheduler of Dual Streaming, for its own files: scheduler.c (what users
 * say, and time), coalesce.c (work items to buckets), manager.c (memory of buckets), transfer.c
 * (buckets to memory and back), segments.c (which segments are worked on), choose.c (which bucket
 * goes to whom), numbers.c (which rays are finished).
 *
 * A bucket of a segment is open while items are added to it, in an entry on the chip. It is sealed
 * when it is full, or when its segment is active and no more items can come; then it is written to
 * memory, and is ready when all of it is there. An entry that another segment needs is written
 * earlier, and the bucket goes on in another entry later: buckets are written in parts, not more of
 * them.
 *
 * Memory cannot run out. A bucket of a segment with n children makes at most n more buckets, one of
 * each child, since a ray leaves at most one item for each and a bucket that is open has room for
 * the rest. Buckets are given out while memory has room for what those that are out may make, and
 * above that a reserve. When it has not, one bucket is out at a time, the deepest first: what it
 * makes is used up before the next, so that the sum of children on the longest way down the tree is
 * enough. Less than that is refused before the run.
 *
 * Always true: items in = items finished + items in buckets + items given out, which is checked in
 * every cycle; buckets = free + of segments + on their way;
 * buckets used and promised <= buckets in all. */
#ifndef UNIT_SCHEDULER_SCHEDULER_H
#define UNIT_SCHEDULER_SCHEDULER_H

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/rt_treelet.h"
#include "ogive/stream_role.h"
#include "ogive/unit.h"
#include "unit/parts/bucket.h"

#define SCHEDULER_BANKS_MAX    64
#define SCHEDULER_CANDIDATES   4096
#define SCHEDULER_SEGMENTS_MAX (UINT64_C(1) << 20)
#define SCHEDULER_PARTS_MAX    8 /* buckets that a staging buffer asks for at once */
#define SCHEDULER_PRIORITIES   2 /* of requests for finished rays */

/* clang-format off */
#define SCHEDULER_ORDERS(C, with)  C(breadth, with) C(depth, with)
#define SCHEDULER_WEIGHTS(C, with) C(total, with) C(average, with) C(memory, with)
#define SCHEDULER_HEADERS(C, with) C(read, with) C(free, with)
#define SCHEDULER_RAYS(C, with)    C(dram, with) C(chip, with)

#define SCHEDULER_PARAMS(P)                                                                        \
    P(number, banks, 32, 1, SCHEDULER_BANKS_MAX,                                                   \
      "banks, each of which takes one work item per cycle")                                        \
    P(number, lanes, 4, 1, SCHEDULER_BANKS_MAX,                                                    \
      "banks that the items of a segment go to, by who sends them; each fills its own buckets")    \
    P(number, entries, 64, 1, 4096,                                                                \
      "open buckets of a bank on the chip; the fullest one is written when another is needed")     \
    P(bytes, memory, 64 * MiB, 2 * KiB, 64 * GiB, "of DRAM for buckets")                           \
    P(number, segments, 65536, 1, SCHEDULER_SEGMENTS_MAX,                                          \
      "treelets that a scene may have; one with more is refused")                                  \
    P(number, candidates, 64, 1, SCHEDULER_CANDIDATES, "segments that are worked on at once")      \
    P(number, prefetches, 4, 1, 64, "segments that are being prefetched at once")                  \
    P(number, ready, 16, 1, 65536, "with fewer buckets ready, another segment is worked on")       \
    P(choice, order, "depth", UNIT_CHOICES(SCHEDULER_ORDERS), 0, "which segment is the next")      \
    P(choice, weight, "total", UNIT_CHOICES(SCHEDULER_WEIGHTS), 0,                                 \
      "depth: of siblings, that with the most predicted work first; the most for each ray; or "    \
      "as they lie in memory")                                                                     \
    P(choice, headers, "read", UNIT_CHOICES(SCHEDULER_HEADERS), 0,                                 \
      "headers of treelets are read from memory, or known free of charge, as published")           \
    P(choice, rays, "dram", UNIT_CHOICES(SCHEDULER_RAYS), 0,                                       \
      "where buckets lie; on the chip: an ideal scheduler, with `memory` bytes of its own")        \
    P(cycles, settle, 512, 1, 1000000,                                                             \
      "cycles without a new ray after which no more are thought to come soon")                     \
    P(number, collects, 1, 1, 4096,                                                                \
      "finished rays handed out per cycle, to whoever asks")                                       \
    P(number, ids, 4194304, 64, UINT64_C(1) << 28, "rays under way at once: ids are below that")

#define SCHEDULER_STATS(S)                                                                         \
    S(new_rays, "rays", SUM, WORK, "new rays taken")                                               \
    S(refused, "rays", SUM, WORK, "new rays refused, because memory was short")                    \
    S(empty, "rays", SUM, WORK, "new rays that were empty, finished at once")                      \
    S(items, "items", SUM, WORK, "work items taken, with those of new rays")                       \
    S(finished, "items", SUM, WORK, "work items of buckets that are finished")                     \
    S(live_most, "items", MAX, RATE, "most work items held at once")                               \
    S(collected, "rays", SUM, WORK, "finished rays handed out to programs")                        \
    S(buckets_made, "buckets", SUM, WORK, "buckets begun")                                         \
    S(buckets_read, "buckets", SUM, WORK, "buckets given to staging buffers")                      \
    S(bucket_rays, "rays", SUM, WORK, "rays in these")                                             \
    S(buckets_most, "buckets", MAX, RATE, "most buckets in memory at once")                        \
    S(evicted, "buckets", SUM, WORK, "entries written because others needed the place")            \
    S(sectors_written, "sectors", SUM, WORK, "sectors of buckets written")                         \
    S(sectors_read, "sectors", SUM, WORK, "sectors of buckets read")                               \
    S(headers_read, "headers", SUM, WORK, "headers of treelets read from memory")                  \
    S(launched, "segments", SUM, WORK, "times that a segment became one that is worked on")        \
    S(single, "segments", SUM, WORK, "of these, those with one bucket")                            \
    S(culled, "segments", SUM, WORK, "times that a segment was passed over, for lack of rays")     \
    S(uncached, "segments", SUM, WORK, "segments for which the scene buffer had no slot")          \
    S(throttled, "buckets", SUM, WORK, "buckets given alone, because memory was short")            \
    S(conflicts, "items", SUM, WORK, "item-cycles waited because the bank took another")           \
    S(bank_cycles, "cycles", SUM, WORK, "bank-cycles in all: the sum of the three below")          \
    S(bank_items, "cycles", SUM, WORK, "bank-cycles in which an item was taken")                   \
    S(bank_full, "cycles", SUM, WORK, "bank-cycles in which an item waited for an entry")          \
    S(bank_idle, "cycles", SUM, WORK, "bank-cycles without an item")

#define SCHEDULER_RATIOS(R)                                                                        \
    R(duplication, items, new_rays, "items", "work items for each ray")                            \
    R(rays_per_bucket, bucket_rays, buckets_read, "rays", "rays in a bucket")                      \
    R(buckets_per_segment, buckets_read, launched, "buckets", "buckets of a segment")

#define SCHEDULER_ENERGY(E)                                                                        \
    E(item, items, COST_DERIVED, "36 bytes to the entries, by their size, as a cache")             \
    E(sector, sectors_written, COST_DERIVED, "32 bytes from the entries, by their size, as a cache")

#define SCHEDULER_PORTS(T)                                                                         \
    T(users, SERVES, SOME, "ray staging buffers")                                                  \
    T(memory, ASKS, ANY, "where buckets and headers lie; several must be linked `by: address`")    \
    T(scene, ASKS, MAYBE, "the scene buffer")
/* clang-format on */

enum scheduler_order { SCHEDULER_ORDERS(UNIT_CHOICE_VALUE, ORDER_) };
enum scheduler_weight { SCHEDULER_WEIGHTS(UNIT_CHOICE_VALUE, WEIGHT_) };
enum scheduler_headers { SCHEDULER_HEADERS(UNIT_CHOICE_VALUE, HEADERS_) };
enum scheduler_rays { SCHEDULER_RAYS(UNIT_CHOICE_VALUE, RAYS_) };

/* Listed: to be worked on; active: worked on. */
enum segment_state { SEGMENT_IDLE, SEGMENT_LISTED, SEGMENT_ACTIVE };

/* What an active segment needs before its buckets are given out: first the header, then the data.
 */
enum segment_data { DATA_NONE, DATA_HEADER_COMING, DATA_HEADER, DATA_COMING, DATA_THERE };

struct segment {
    struct rt_treelet header;
    u32 first, last; /* buckets that are ready */
    u32 ready;
    u32 opened;  /* lanes with a bucket that items are added to */
    u32 kept;    /* buckets that were begun and not yet given out */
    u32 out;     /* buckets given out and not finished */
    u32 given;   /* buckets given out since it became active */
    u32 next;    /* behind it in the list or among those that are worked on */
    u32 channel; /* of its next bucket */
    u64 weight, rays;
    u8 state, data;
    bool ordered; /* its children are listed */
    bool cached;  /* the scene buffer has it */
};

/* Of a segment, by lane. */
struct lane {
    u32 open;  /* bucket that items are added to; NOBODY */
    u32 entry; /* where; NOBODY */
};

struct bucket {
    u32 next; /* of its segment, or free */
    u32 segment;
    u32 user;    /* that it is read for, */
    u16 pending; /* sectors to be written or read */
    u8 part;     /* and the part of its staging buffer */
    u8 rays;
    u8 lane;
    bool sealed;
};

/* An open bucket on the chip, or a part of one. */
struct entry {
    u8 bytes[BUCKET_BYTES];
    u32 bucket;
    u8 from; /* rays before are in memory */
    bool used;
    bool writing; /* it is on its way to memory */
};

/* A bucket, or part of one, on its way: sectors [sector, end), of which the bytes [from_byte,
 * to_byte), and the header. */
struct job {
    u32 bucket, entry, next;
    u16 sector, end;
    u16 from_byte, to_byte;
    bool writes, header;
};

/* Of memory: its buckets lie in strips, of one block of the interleaving each. */
struct channel {
    u32 free;  /* given back */
    u32 fresh; /* the next that was never used */
    u32 first_job, last_job;
};

struct wish {
    u32 last; /* segment */
    bool open;
    bool asks; /* it counts only while the user asks for finished rays, too */
};

struct scheduler {
    struct unit base;
    UNIT_FIELDS(SCHEDULER)
    u64 headers_address, rays_address;
    u32 segment_count;
    struct segment *segments;
    struct lane *lanes; /* [segment][lane] */

    /* coalesce.c */
    struct entry *entries; /* [bank][entry] */
    cycle *bank_taken;     /* by bank: the cycle behind that in which it took an item last */
    cycle *bank_full;      /* by bank: since when an item waits for an entry; NEVER */
    u64 live;              /* items taken and not finished: */
    u64 kept_items;        /* those in buckets, and */
    u64 out_items;         /* those of buckets that were given out */
    cycle last_new;        /* when the last new ray came */

    /* manager.c */
    struct bucket *buckets;
    struct channel *channels;
    u8 *store; /* bytes of all buckets, on the chip */
    u64 bucket_count, used;
    u64 promised; /* what buckets that are out may make */
    u64 reserve;
    u32 channel_count, strip_buckets;

    /* transfer.c */
    struct job *jobs;
    u32 free_job;

    /* segments.c */
    u32 first_listed, last_listed; /* next to become active first */
    u32 first_active, last_active;
    u32 active_count, prefetching;
    u32 newest;     /* became active last; NOBODY */
    u32 *scratch;   /* children to be sorted */
    u64 ready;      /* buckets of active segments */
    u64 out;        /* buckets */
    bool unsettled; /* a look for another segment may find one */

    /* choose.c */
    struct wish *wishes; /* [user][part] */
    u64 wish_count;
    u32 wish_turn;

    /* numbers.c */
    u64 *under_way, *done; /* bits by id */
    u64 under_way_count, done_count, done_at;
    u64 *asked; /* [user][priority]: requests */
    u64 asked_count;
    u32 asked_turn;

    u32 turn; /* the user that is looked at first */
};

/* ---- manager.c ---- */
bool manager_init(struct scheduler *u, struct ogv_error *error);
bool manager_place(struct scheduler *u, struct ogv_error *error);

/* Whether so many buckets may be begun above all that is promised. */
bool manager_has_room(const struct scheduler *u, u64 buckets);
u32 manager_take(struct scheduler *u, u32 segment);
void manager_free(struct scheduler *u, u32 bucket);
u64 manager_address(const struct scheduler *u, u32 bucket);
u32 manager_channel(const struct scheduler *u, u32 bucket);

/* ---- coalesce.c ---- */
bool coalesce_init(struct scheduler *u, struct ogv_error *error);

/* The lane of a segment for what a user sends. */
static inline struct lane *coalesce_lane(const struct scheduler *u, u32 segment, u32 user)
{
    return &u->lanes[segment * u->p.lanes + user % u->p.lanes];
}

/* Puts a user's ray into a bucket of its segment; false: it has to wait for bank or entry. */
bool coalesce_add(struct scheduler *u, u32 user, const struct message *item, cycle now);

/* Seals one of the segment's open buckets, of which there must be one. */
void coalesce_seal(struct scheduler *u, u32 segment);
void coalesce_report(struct scheduler *u, cycle now);

/* ---- transfer.c ---- */
bool transfer_init(struct scheduler *u, struct ogv_error *error);

/* Writes the rays of an entry (NOBODY: none) and, if the bucket is sealed, its header. */
void transfer_write(struct scheduler *u, u32 bucket, u32 entry);
void transfer_read(struct scheduler *u, u32 bucket);
bool transfer_receive(struct scheduler *u);
bool transfer_send(struct scheduler *u);

/* Of requests to memory: of a header; else the tag is a bucket. */
#define HEADER_TAG (UINT32_C(1) << 31)

/* ---- segments.c ---- */
bool segments_place(struct scheduler *u, const struct stream_place *place, struct ogv_error *error);

/* A segment has got a bucket, and had none. */
void segments_wake(struct scheduler *u, u32 segment);
void segments_header(struct scheduler *u, const struct message *answer);

/* A bucket is ready. */
void segments_ready(struct scheduler *u, u32 bucket);
bool segments_scene(struct scheduler *u);

/* One step each: seal, retire, prefetch, begin to work on another. */
bool segments_step(struct scheduler *u, cycle now);

/* New rays have come to an end, as far as that is known. */
static inline bool segments_settled(const struct scheduler *u, cycle now)
{
    return now >= u->last_new + u->p.settle;
}

/* ---- choose.c ---- */
bool choose_init(struct scheduler *u, struct ogv_error *error);
void choose_wish(struct scheduler *u, u32 user, const struct message *message);

/* Gives a bucket to a user that waits for one. */
bool choose_step(struct scheduler *u);

/* ---- numbers.c ---- */
bool numbers_init(struct scheduler *u, struct ogv_error *error);
void numbers_begin(struct scheduler *u, u32 id);
void numbers_ask(struct scheduler *u, u32 user, u32 priority);

/* Whether a user asks for finished rays. */
bool numbers_asks(const struct scheduler *u, u32 user);
bool numbers_step(struct scheduler *u);

#endif
