/* staging.h - the ray staging buffer, for its own files: staging.c (buckets, and when they are
 * done), give.c (rays to the RT core), hear.c (what others say).
 *
 * See staging.c. */
#ifndef UNIT_STAGING_STAGING_H
#define UNIT_STAGING_STAGING_H

#include <string.h>

#include "ogive/explain.h"
#include "ogive/messages.h"
#include "ogive/stream.h"
#include "ogive/stream_role.h"
#include "unit/parts/bucket.h"
#include "unit/parts/published.h"

#define STAGING_PARTS_MAX    8
#define STAGING_SEGMENTS_MAX 1024

/* clang-format off */
#define STAGING_PARAMS(P)                                                                          \
    P(number, buckets, 2, 1, STAGING_PARTS_MAX, "buckets that it can hold, 2 KiB each")            \
    P(number, segments, 64, 1, STAGING_SEGMENTS_MAX,                                               \
      "segments whose rays may be in the RT core at once; a bucket of another one waits")          \
    P(number, early, 0, 0, BUCKET_RAYS,                                                            \
      "rays ahead whose hit records are read, so that rays end there; 0: none are")

#define STAGING_STATS(S)                                                                           \
    S(new_rays, "rays", SUM, WORK, "new rays sent to the scheduler")                               \
    S(items, "items", SUM, WORK, "work items sent to the scheduler")                               \
    S(buckets, "buckets", SUM, WORK, "buckets received")                                           \
    S(bucket_rays, "rays", SUM, WORK, "rays in these")                                             \
    S(given, "rays", SUM, WORK, "rays given to the RT core")                                       \
    S(cut, "rays", SUM, WORK, "rays of which the record of their hit left nothing")                \
    S(finished, "rays", SUM, WORK, "rays that the RT core has walked through their segment")       \
    S(hits, "hits", SUM, WORK, "hits sent to be compared")                                         \
    S(early_reads, "records", SUM, WORK, "records read before their rays were given")              \
    S(collected, "rays", SUM, WORK, "finished rays given to programs")                             \
    S(part_cycles, "cycles", SUM, WORK, "part-cycles in all: the sum of the three below")          \
    S##_ARRAY(parts, STAGING_STATES)

#define STAGING_STATES(S)                                                                          \
    S(parts_empty, "cycles", SUM, WORK, "part-cycles without a bucket")                            \
    S(parts_filling, "cycles", SUM, WORK, "part-cycles of buckets that are coming")                \
    S(parts_giving, "cycles", SUM, WORK, "part-cycles of buckets that have rays to give")

#define STAGING_RATIOS(R)                                                                          \
    R(rays_per_bucket, bucket_rays, buckets, "rays", "rays in a bucket")                           \
    R(waiting, parts_empty, part_cycles, "", "share of part-cycles without a bucket")

#define STAGING_ENERGY(E)                                                                          \
    E(write, bucket_rays, COST_DERIVED, "a ray written, by size, as a cache")                      \
    E(read, given, COST_DERIVED, "a ray read, by size, as a cache")

#define STAGING_PORTS(T)                                                                           \
    T(users, SERVES, ONE, "the RT core, or the port of cores that walk treelets themselves")                                                           \
    T(scheduler, ASKS, ONE, "the scheduler of segments")                                           \
    T(hits, ASKS, SOME, "slices of the hit record updater; several must be linked `by: address`")
/* clang-format on */

enum staging_state { PART_EMPTY, PART_FILLING, PART_GIVING, PART_STATES };

_Static_assert(BUCKET_RAYS <= 64, "a bit per ray");

struct staging_part {
    u8 bucket[BUCKET_BYTES];
    u32 segment, rays;
    u32 sectors; /* that have come */
    u32 next;    /* ray to be given */
    u32 looked;  /* rays whose records have been asked for */
    u64 known;   /* bit i: the record of ray i has come */
    cycle since; /* it is in its state */
    u8 state;
    bool asked;  /* empty: a bucket is on its way */
    bool opened; /* giving: its rays count as those of its segment */
};

/* A segment with rays in the RT core. */
struct staging_segment {
    u32 segment, unfinished;
    u32 buckets, rays; /* in all */
    u64 epoch;         /* when all were finished; UINT64_MAX: they are not */
};

#define EARLY_TAG (UINT32_C(1) << 31)

struct staging {
    struct unit base;
    UNIT_FIELDS(STAGING)
    struct staging_part *parts;
    struct staging_segment *active;
    u32 active_count;
    u32 giving; /* the part whose rays are given; NOBODY */
    u32 turn;   /* the part that is looked at first for the next */
    u64 loads;  /* rays that the user has asked for */
    u64 asked;  /* finished rays that were asked for instead, where it takes anything */
    bool heard; /* the user has asked for a ray; */
    bool anything;
    u64 hits_address;
    u32 last; /* segment whose bucket was given last */

    /* Hits on their way are counted in two, by the epoch in which they left. An epoch ends when
     * there are none of the one before. What left before epoch e has been compared in e + 2. */
    u64 epoch;
    u64 comparing[2];

    struct ogv_stream_ray in, out;
    bool second; /* the second half of `out` is to be sent */
    bool spoken; /* something was sent to the scheduler in this cycle */
};

static inline void staging_enter(struct staging *u, struct staging_part *part,
                                 enum staging_state state, cycle now)
{
    u->s.parts[part->state] += now - part->since;
    part->since = now;
    part->state = (u8)state;
}

/* ---- Messages ---- */

static inline struct message *staging_tell(struct staging *u, enum bucket_message kind)
{
    struct message *message = link_push(u->w.scheduler.at[0].out);
    *message = (struct message){ .kind = (u16)kind };
    u->spoken = true;
    return message;
}

static inline bool staging_may_tell(struct staging *u)
{
    return !u->spoken && link_can_push(u->w.scheduler.at[0].out);
}

static inline u64 staging_record(const struct staging *u, u32 id)
{
    return u->hits_address + (u64)id * sizeof(struct rt_hit);
}

/* The link to the slice that has a record. */
static inline struct link *staging_record_link(const struct staging *u, u32 id)
{
    const struct ports *hits = &u->w.hits;
    return hits->at[hits->count > 1 ? route_way(&hits->route, staging_record(u, id)) : 0].out;
}

static inline struct message *staging_record_ask(struct staging *u, u32 id, u32 kind, u32 tag)
{
    struct message *request = link_push(staging_record_link(u, id));
    *request = (struct message){ .kind = (u16)kind,
                                 .address = staging_record(u, id),
                                 .tag = tag,
                                 .size_bytes = sizeof(struct rt_hit) };
    return request;
}

/* An answer may go to the user: nothing comes between the halves of a ray. */
static inline bool staging_may_answer(struct staging *u)
{
    return !u->second && link_can_push(u->w.users.at[0].out);
}

/* ---- staging.c ---- */
void staging_sector(struct staging *u, const struct message *sector, cycle now);

/* The entry of a segment; a new one if `opens`, unless there is no room; else NULL. */
struct staging_segment *staging_segment(struct staging *u, u32 segment, bool opens);

/* A ray of a segment has been walked through it. */
void staging_finish(struct staging *u, u32 segment);

/* ---- give.c ---- */

/* The ray ends at the hit that is known. */
void staging_cut(struct staging *u, const struct message *answer);

/* Gives a ray to the RT core, and looks at the records of those that are next. */
bool staging_give(struct staging *u, cycle now);

/* ---- hear.c ---- */
bool staging_hear_hits(struct staging *u);
bool staging_hear_scheduler(struct staging *u, cycle now);
bool staging_hear_user(struct staging *u);
bool staging_ask_finished(struct staging *u);

#endif
