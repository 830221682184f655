/* cache_stand.h - a cache between users that ask from a list and a memory that takes notes.
 *
 * All links take one cycle. What a user asks at t is taken at t + 1; a hit is seen by the user at t
 * + HIT, a miss at t + MISS. The memory behind answers a request that it sees at t so that the
 * answer leaves at t + `delay`; its bytes start as memory_byte(address). */
#ifndef TESTS_UNIT_CACHE_STAND_H
#define TESTS_UNIT_CACHE_STAND_H

#include "ogive/memory.h"
#include "unit/bench_unit.h"

#define LATENCY      5
#define DELAY        10
#define HIT          (2 + LATENCY)
#define MISS         (1 + 1 + 1 + DELAY + 1 + 1 + 1) /* link, lookup, link, memory, link, fill, link */

#define ASKED_MAX    1024
#define USERS_MAX    8
#define MEMORIES_MAX 2
#define MEMORY_BYTES (64 * KiB)

/* One request of a user's list, and what came of it. */
struct exchange {
    cycle asked;
    u16 kind, size_bytes;
    union {
        u32 mask, amo;
    };
    u32 source;
    u64 address, value;
    u64 stamp; /* of a store-conditional */

    u32 answers;
    cycle answered;
    u16 answer_kind;
    u32 answer_source, answer_missed;
    u64 answer_address, answer_value;
};

/* What the memory behind has seen. */
struct seen {
    cycle at;
    struct message message;
};

struct memory_behind {
    struct seen seen[ASKED_MAX];
    u32 count;
    struct seen answers[ASKED_MAX]; /* `at`: when it may leave */
    u32 answered;
    u64 delay;
    u8 bytes[MEMORY_BYTES];
};

struct stand {
    struct sim *sim;
    struct unit *cache;
    struct mock *users[USERS_MAX];
    struct mock *memories[MEMORIES_MAX];
};

extern struct exchange asked[USERS_MAX][ASKED_MAX];
extern struct memory_behind behind[MEMORIES_MAX];

/* Users take no answers before; 0 in a new stand. */
extern cycle users_deaf_until;

/* A cache of 1 KiB: two ways, four sets of 128-byte lines with 32-byte sectors, hit latency
 * LATENCY, everything else as by default. */
struct stand stand_create(u32 users);
struct stand stand_create_behind(u32 users, u32 memories, u32 capacity);

/* What is around a cache with one memory behind. */
struct around {
    u32 users, capacity;
    u32 latency, memory_latency; /* of the links to users and to the memory */
    bool far_users, far_memory;  /* in another domain */
    u32 idle_users;              /* between any two users, so many others that ask nothing */
    u32 idle_memories;           /* further ones, which no address that is asked for belongs to */
};
struct stand stand_create_around(struct around around);

/* Adds a request to a user's list and returns it. Lists are sent in order, one link each. */
struct exchange *stand_ask(struct stand *stand, u32 user, struct exchange exchange);
struct exchange *stand_read(struct stand *stand, u32 user, cycle at, u64 address);
struct exchange *stand_write(struct stand *stand, u32 user, cycle at, u64 address, u64 value);

/* Runs to the end and brings the statistics up to date. */
void stand_finish(struct stand *stand);

u64 stand_stat(const struct stand *stand, const char *stat);

u8 memory_byte(u64 address);
u64 memory_word(u64 address);

/* The n-th request that memory 0 has seen. */
void expect_seen(u32 n, cycle at, u32 kind, u64 address);

/* A read that was answered then, with the memory's first content. */
void expect_read(const struct exchange *exchange, cycle after);

/* Reads of 128-byte lines, one after the other from cycle `at` on, to see after the run which of
 * them hit. A miss pushes out another line: first those that are expected to hit. */
struct kept {
    struct exchange *reads[32];
    u32 count;
};
struct kept stand_probe(struct stand *stand, cycle at, const u64 *lines, u32 count);
bool kept_hit(const struct kept *kept, u32 index);

#endif
