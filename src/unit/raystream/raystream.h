/* raystream.h - the ray stream buffer, for its own files: raystream.c (rays in and out, time),
 * choose.c (which queue is for which SM).
 *
 * A slot holds a ray and is in exactly one list at any time, which is what its cycles are charged
 * to: free, queued (for a treelet), finished, or moving (on its way in or out). Always true, and
 * checked in every cycle: the lists have all slots; rays taken on are
 * those in slots that are not free and those that RT cores have, and never more than slots. So a
 * ray that comes back always finds one. */
#ifndef UNIT_RAYSTREAM_RAYSTREAM_H
#define UNIT_RAYSTREAM_RAYSTREAM_H

#include "ogive/explain.h"
#include "ogive/messages.h"
#include "ogive/stream.h"
#include "ogive/unit.h"

#define RAYSTREAM_RAY_BYTES 64
_Static_assert(sizeof(struct ogv_stream_ray) == RAYSTREAM_RAY_BYTES, "two messages");

/* clang-format off */
#define RAYSTREAM_POLICIES(C, with) C(first, with) C(most, with) C(join, with)

#define RAYSTREAM_PARAMS(P)                                                                        \
    P(bytes, size, 8 * MiB, 128, 1024 * MiB, "capacity; a ray takes 64 bytes")                     \
    P(number, banks, 64, 1, 64, "banks; each reads or writes a ray per cycle")                     \
    P(cycles, latency, 100, 1, 512, "cycles that a ray takes to be written or read")               \
    P(number, queues, 16384, 1, 1048576,                                                           \
      "queues; where there are more treelets, several share one")                                  \
    P(choice, policy, "first", UNIT_CHOICES(RAYSTREAM_POLICIES), 0,                                \
      "the next queue for an SM: the first that has rays enough; the one with the most for each "  \
      "SM; the longest one of an SM that is full, else the first that no SM has")                  \
    P(number, leave, 32, 1, 65536,                                                                \
      "rays that an SM asks for before it leaves a queue that is empty, or less if it has none")   \
    P(number, share, 256, 1, 1048576,                                                              \
      "first, most: rays for each SM that has the queue before another one gets it, too")          \
    P(number, full, 256, 1, 65536, "join: rays of an SM that has all it can use")

#define RAYSTREAM_STATS(S)                                                                         \
    S(stored, "rays", SUM, WORK, "new rays taken")                                                 \
    S(refused, "rays", SUM, WORK, "new rays refused: there was no room")                           \
    S(given, "rays", SUM, WORK, "rays given to RT cores")                                          \
    S(returned, "rays", SUM, WORK, "rays that came back to go on in another treelet")              \
    S(restarts, "rays", SUM, WORK, "those of them that begin again at the root")                   \
    S(finished, "rays", SUM, WORK, "rays that came back finished")                                 \
    S(collected, "rays", SUM, WORK, "finished rays given to programs")                             \
    S(ends, "requests", SUM, WORK, "requests for finished rays when no ray was under way")         \
    S(choices, "events", SUM, WORK, "times that an SM got another queue")                          \
    S(reads, "rays", SUM, WORK, "rays read from banks")                                            \
    S(writes, "rays", SUM, WORK, "rays written to banks")                                          \
    S(conflicts, "cycles", SUM, WORK, "request-cycles waited because the bank was taken")          \
    S(longest, "rays", MAX, RATE, "the most rays in one queue")                                    \
    S(bank_cycles, "cycles", SUM, WORK, "bank-cycles in all")                                      \
    S(slot_cycles, "cycles", SUM, WORK, "slot-cycles in all: the sum of the four below")           \
    S##_ARRAY(slots, RAYSTREAM_SLOTS)

#define RAYSTREAM_SLOTS(S)                                                                         \
    S(slots_free, "cycles", SUM, WORK, "slot-cycles without a ray")                                \
    S(slots_queued, "cycles", SUM, WORK, "slot-cycles of rays in queues of treelets")              \
    S(slots_finished, "cycles", SUM, WORK, "slot-cycles of rays that are finished")                \
    S(slots_moving, "cycles", SUM, WORK, "slot-cycles of rays on their way in or out")

#define RAYSTREAM_RATIOS(R)                                                                        \
    R(visits_per_ray, given, finished, "visits", "times that a ray went to an RT core")            \
    R(occupancy_free, slots_free, slot_cycles, "", "share of slots without a ray")

#define RAYSTREAM_PORTS(T)                                                                         \
    T(users, SERVES, SOME, "RT cores in stream mode, one of each SM; 32 bytes per cycle each way")
/* clang-format on */

enum raystream_policy { RAYSTREAM_POLICIES(UNIT_CHOICE_VALUE, POLICY_) };

/* The order of the slots_ statistics. */
enum raystream_place { PLACE_FREE, PLACE_QUEUED, PLACE_FINISHED, PLACE_MOVING, PLACES };

/* Slots in the order of coming, linked by `next` of their marks. */
struct raystream_list {
    u32 head, tail, count;
};

/* Of a slot besides its ray. */
struct raystream_mark {
    cycle at; /* moving: when it is there */
    u32 next;
    u16 user; /* moving: where to; NOT_OUT: in */
    u8 place; /* enum raystream_place */
    bool hit; /* moving out: as a hit */
};

#define NOT_OUT UINT16_MAX

struct raystream_queue {
    struct raystream_list rays;
    u32 users; /* that have it */
};

struct raystream_user {
    struct ogv_stream_ray in;    /* whose second half is to come */
    struct raystream_list out;   /* slots that were read */
    u32 queue;                   /* that it has; NOBODY: none */
    u32 loads;                   /* rays that it has asked for and not been given */
    u32 has;                     /* rays given and not come back */
    u32 hits[STREAM_PRIORITIES]; /* finished rays that it has asked for */
    cycle sent;                  /* when it was sent something last; NEVER: it was not */
    bool half;                   /* the first one of `out` has been sent in part */
    bool anything;               /* what it loads may be finished, or none (STREAM_ANYTHING) */
};

struct raystream {
    struct unit base;
    UNIT_FIELDS(RAYSTREAM)
    struct ogv_stream_ray *rays; /* by slot */
    struct raystream_mark *marks;
    struct raystream_queue *queues;
    u64 *filled; /* a bit for each queue that has rays */
    struct raystream_user *users;
    struct raystream_list free, finished;
    struct raystream_list moving; /* in the order in which they will be there */
    u32 capacity;
    u32 queued;              /* rays in queues */
    u32 alive;               /* rays taken on and not collected */
    u32 loads, hits, outs;   /* of all users: rays and hits asked for, slots that were read */
    u32 anything;            /* of the rays asked for, those that may be finished */
    u32 away, leaving;       /* rays that RT cores have; those of them that are still moving out */
    u32 turn;                /* the user that banks serve first */
    u32 assigned, collected; /* the user behind the last one that got a queue, or a hit */
    u64 banks;               /* that are in use in this cycle */
    u64 time[PLACES];        /* the cycles in which slots left less those in which they came */
    u32 count[PLACES];
    bool again; /* something was left for the next cycle */
};

static inline u32 raystream_queue_of(const struct raystream *u, u32 treelet)
{
    return treelet % (u32)u->p.queues;
}

/* Whether there are rays in the queue that a user has. */
static inline bool raystream_has_queued(const struct raystream *u,
                                        const struct raystream_user *user)
{
    return user->queue != NOBODY && u->queues[user->queue].rays.count;
}

/* Whether a user leaves its queue, which is empty. */
static inline bool raystream_leaves(const struct raystream *u, const struct raystream_user *user)
{
    return !user->has || user->loads >= u->p.leave;
}

/* Gives the user another queue; false: there is none for it. */
bool raystream_choose(struct raystream *u, struct raystream_user *user);

#endif
